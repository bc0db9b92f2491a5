"""Lumped against consistent mass through one path; Koppens 5.4.3."""

import numpy as np
import pytest
from support.bars import bar
from support.rods import rod

import fem
import modal


@pytest.mark.parametrize("elements", [4, 8])
def test_rod(elements):
    """n elements with their mass at the nodes: the moment of inertia across is 1 + 2/n^2 times the bar's (trapezoids
    of s^2); about its axis nothing changes, since a section's spin is lumped with it."""
    structure = rod(elements, 30.0)
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=2)
    found = modal.lumping(structure, basis)
    # the bar's own rotary inertia across is 2e-5 of the whole
    np.testing.assert_allclose(found.moments[1:], 2 / elements**2, rtol=1e-3, atol=1e-4)
    assert found.moments[0] == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(found.center, 0, atol=1e-12)
    assert "principal moments of inertia:" in found.report()


def test_load_on_the_shape_of_a_pinned_rod():
    """int rho phi by trapezoids: the 5 % of four elements and 1.3 % of eight behind fig. 5.20, of phi's own integral;
    that is 0.64 / sqrt(0.504) of the norms, for s - 2 s^3 + s^4."""
    for n in (4, 8):
        structure = rod(n, 30.0)
        pinned = {"start": ("x", "y", "z", "rx"), "end": ("y", "z")}
        shape = modal.static_modes(structure, fem.LineLoad("line2", (0, 1.0, 0)), supports=pinned)
        ends = tuple(fem.interface(structure, name) for name in ("start", "end"))
        basis = modal.Basis(structure, shape.Phi, shape.labels, ends)
        found = modal.lumping(structure, basis)
        size = 0.2 / np.sqrt(31 / 630)
        assert size == pytest.approx(0.64 / np.sqrt(0.504), rel=1e-3)
        lost = 1 / (12 * n**2) * 2 / 0.2  # h^2 / 12 times the jump of the slope, over the integral
        assert found.load[0] == pytest.approx(lost * size, rel=0.02)


def test_against_two_bodies_reduced():
    """The lumped body itself, through modal.reduce: the same basis, its frequencies to second order in the change."""
    consistent, lumped = (bar("hex20", (16, 1, 2), lumped=flag) for flag in (False, True))
    basis = modal.craig_bampton(consistent, ("x0", "x1"), n_normal=6)
    found = modal.lumping(consistent, basis, n=3)
    bodies = [
        modal.reduce(s, modal.Basis(s, basis.Phi, basis.labels), stiffening=False)
        for s in (consistent, lumped)
    ]
    change = bodies[1].frequencies_hz[:3] / bodies[0].frequencies_hz[:3] - 1
    assert np.abs(change).min() > 1e-4
    np.testing.assert_allclose(found.frequency, change, rtol=0.1, atol=1e-5)
    np.testing.assert_allclose(
        found.moments, np.linalg.eigvalsh(bodies[1].C3) / np.linalg.eigvalsh(bodies[0].C3) - 1
    )


def test_bad_input(hex_bar):
    lumped = bar(lumped=True)
    with pytest.raises(fem.InputError, match="lumped already"):
        modal.lumping(lumped, modal.eigenmodes(lumped, n=2))
    with pytest.raises(fem.InputError, match="another structure"):
        modal.lumping(lumped, modal.eigenmodes(hex_bar, n=2))

"""Axial modes in the strain energy: against Koppens' element entry by entry, refusals, store."""

import functools
from dataclasses import replace

import h5py
import numpy as np
import pytest
from support.bars import STEEL
from support.frames import line
from support.rods import rod

import fem
import modal
from fem.elements.beam.koppens import axial_stiffening
from modal.reduction.axial_modes import axial_energy

ELEMENTS = 6
SECTION = fem.Rectangle(0.02, 0.03)


def plane_shapes(n_axial, seed=3):
    """``n_axial`` axial shapes and five of bending of the rod in its plane x-y, mixed at random: (nodes, 6, N)."""
    rng = np.random.default_rng(seed)
    u = np.zeros((ELEMENTS + 1, 6, n_axial + 5))
    u[1:, 0, :n_axial] = 1e-4 * rng.normal(size=(ELEMENTS, n_axial))
    u[1:, 1, n_axial:] = 1e-3 * rng.normal(size=(ELEMENTS, 5))
    u[1:, 5, n_axial:] = 1e-2 * rng.normal(size=(ELEMENTS, 5))
    return u @ rng.normal(size=(n_axial + 5, n_axial + 5))


def koppens_energy(displaced):
    """U_nl - U_l by (C.21)-(C.23), element by element; and the completion for one axial force in each element.

    That is EA/(2 l) (l/2 int v'^2)^2, and l/2 int v'^2 = a' K_G a / 2 for unit force.
    """
    section = rod(ELEMENTS).groups[0].property.section
    h, EA = 0.3 / ELEMENTS, 0.2e12 * section.A
    one = axial_stiffening(h, EA)
    cubic, quartic = 0.0, 0.0
    for k in range(ELEMENTS):
        a = displaced[[k, k, k, k + 1, k + 1, k + 1], [0, 1, 5, 0, 1, 5]]
        cubic += 0.5 * a @ one.geometric(a) @ a
        quartic += 0.5 * EA / h * (0.5 * a @ one.K_G1 @ a) ** 2
    return cubic, quartic


@pytest.mark.parametrize("n_axial", [ELEMENTS, 2])
def test_energy_is_that_of_koppens_elements(n_axial):
    """All axial shapes carry the whole energy, two a part of the square; the cubic part is (C.21) in any case.

    1e-7: the axial combinations are told from those of bending, 1e5 times softer, by an eigenvalue problem.
    """
    structure, shapes = rod(ELEMENTS), plane_shapes(n_axial)
    Phi = shapes.reshape(structure.n, -1)
    added = axial_energy(structure, Phi, Phi.T @ structure.K @ Phi, "rod")
    assert added.n == n_axial
    for alpha in np.random.default_rng(5).normal(size=(3, n_axial + 5)):
        cubic, quartic = koppens_energy(shapes @ alpha)
        s = added.direction @ alpha
        h = 0.5 * np.einsum("nij,i,j", added.quadratic, alpha, alpha)
        assert s @ h == pytest.approx(cubic, rel=1e-7)
        assert added.energy(alpha) == pytest.approx(s @ h + 0.5 * h @ h, rel=1e-12)
        if n_axial == ELEMENTS:
            assert 0.5 * h @ h == pytest.approx(quartic, rel=1e-7)
        else:
            assert 0.01 * quartic < 0.5 * h @ h < quartic


@functools.cache
def body(frame=None):
    structure = rod(ELEMENTS)
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=4)
    basis = modal.combine(basis, modal.inertia_modes(structure))
    return modal.reduce(structure, basis, frame=frame, stiffening=modal.AxialModes())


@pytest.mark.parametrize("frame", [None, modal.FixedPoint("start"), modal.Chord("start", "end")])
def test_a_reduced_body(frame):
    """Craig-Bampton's end shapes hold a constant axial force, rotation one that is parabolic: the same in any frame."""
    reduced = body(frame)
    assert reduced.axial.n == 2
    assert "axial force of 2 axial modes" in reduced.report()
    assert reduced.C5_stiffening is None
    assert all(marker.GF is None for marker in reduced.markers.values())
    # s = A' K alpha with A' K A = I: the axial strain energy is s.s / 2, no more than the whole
    d = reduced.axial.direction
    np.testing.assert_allclose(d @ np.linalg.solve(reduced.K, d.T), np.eye(2), atol=1e-9)


def test_turned_and_stored(tmp_path):
    reduced = body()
    turned = reduced.turned(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]))
    path = turned.save(tmp_path / "rod.h5")
    loaded = modal.load(path)
    for other in (turned, loaded):  # an energy has no direction in space
        np.testing.assert_array_equal(other.axial.direction, reduced.axial.direction)
        np.testing.assert_array_equal(other.axial.quadratic, reduced.axial.quadratic)
    with h5py.File(path, "r+") as file:
        file["core/axial/quadratic"][0, 0, 0] += 1.0
    with pytest.raises(fem.FileError, match="damaged"):
        modal.load(path)
    plain = modal.reduce(rod(ELEMENTS), modal.craig_bampton(rod(ELEMENTS), ("start", "end"), n_normal=1))
    assert modal.load(plain.save(tmp_path / "plain.h5")).axial is None


def test_both_ways_at_once_are_refused():
    """They would count the same stiffness twice: half of Euler's load."""
    basis = modal.craig_bampton(rod(ELEMENTS), ("start", "end"), n_normal=4)
    second = modal.reduce(rod(ELEMENTS), basis)
    axial = modal.reduce(rod(ELEMENTS), basis, stiffening=modal.AxialModes())
    with pytest.raises(fem.InputError, match="twice"):
        replace(second, axial=axial.axial)
    with pytest.raises(fem.InputError, match="base functions"):
        replace(body(), axial=axial.axial)


def frames():
    """Structures that are no straight beam, with what the message says of them."""
    solid = fem.assemble(fem.box((0.3, 0.02, 0.02), (4, 1, 1), "hex8"), STEEL)
    corner = fem.assemble(line([(0, 0, 0), (0.3, 0, 0), (0.3, 0.2, 0)], 3), fem.Beam(STEEL, SECTION))
    straight = line([(0, 0, 0), (0.3, 0, 0)], 4)
    loaded = fem.assemble(straight, fem.Beam(STEEL, SECTION), parts=[fem.PointMass("end", 1.0)])
    return {"hex8": (solid, "x0"), "off their line": (corner, "start"), "PointMass": (loaded, "start")}


@pytest.mark.parametrize("said", ["hex8", "off their line", "PointMass"])
def test_anything_but_a_straight_beam_is_refused(said):
    structure, place = frames()[said]
    basis = modal.craig_bampton(structure, (place,), n_normal=4)
    with pytest.raises(fem.InputError, match=said) as caught:
        modal.reduce(structure, basis, stiffening=modal.AxialModes())
    assert "stiffening=True" in str(caught.value)


def test_a_basis_without_axial_modes_is_refused():
    structure = rod(ELEMENTS)
    basis = modal.craig_bampton(structure, ("start",), n_normal=4)
    with pytest.raises(fem.InputError, match="no axial mode"):
        modal.reduce(structure, basis, stiffening=modal.AxialModes())


def test_what_mixes_stretch_and_bending_is_refused():
    structure, shapes = rod(ELEMENTS), plane_shapes(1).reshape(6 * (ELEMENTS + 1), -1)[:, :3]
    with pytest.raises(fem.InputError, match="bend and stretch at once"):
        axial_energy(structure, shapes, shapes.T @ structure.K @ shapes, "rod")


@pytest.mark.parametrize("choice", [modal.AxialModes, "axial", 1, ()])
def test_a_choice_that_is_none(choice):
    basis = modal.craig_bampton(rod(ELEMENTS), ("start", "end"), n_normal=1)
    with pytest.raises(fem.InputError, match=r"modal\.AxialModes\(\)"):
        modal.reduce(rod(ELEMENTS), basis, stiffening=choice)


@pytest.mark.parametrize(
    ("direction", "quadratic", "said"),
    [
        (np.ones(3), np.ones((1, 3, 3)), "direction"),
        (np.ones((1, 3)), np.ones((1, 2, 2)), "direction"),
        (np.ones((1, 2)), np.array([[[1.0, 2.0], [0.0, 1.0]]]), "symmetric"),
        (np.full((1, 2), np.nan), np.ones((1, 2, 2)), "finite"),
    ],
)
def test_energies_that_can_not_be(direction, quadratic, said):
    with pytest.raises(fem.InputError, match=said):
        modal.AxialEnergy(direction, quadratic)

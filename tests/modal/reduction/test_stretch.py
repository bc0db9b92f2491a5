"""A stretch of a body with stiffening: Green's strain in solids and shells, proportional to the force in beams.

With the strain energy ``EA l e^2 / 2`` in Green's strain e, of which the first-order displacement is ``l e`` and the
second-order one ``-l e^2 / 2``, a force F does the work of ``F = dV/du``: ``F / EA = e / (1 - e)``, and the
elongation is ``l (e - e^2 / 2)``; to second order ``F = EA eps (1 + 1.5 eps)``.
"""

import numpy as np
import pytest

import fem
import flexbody as fb
import modal

STEEL = fem.Isotropic(E=210e9, nu=0.0, rho=7850.0)  # no lateral contraction: the stress is uniform
AREA = 0.01


def _solid():
    return fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), STEEL)


def _line(prop):
    points = np.column_stack([np.linspace(0, 1, 5), np.zeros((5, 2))])
    k = np.arange(4)
    blocks = (fem.Block("line2", np.stack([k, k + 1], axis=1)),)
    mesh = fem.Mesh(points, blocks, {"x0": np.array([0]), "x1": np.array([4])}, name="line")
    return fem.assemble(mesh, prop)


def _elongation(structure, part: float) -> float:
    """Return the elongation, m, under the force ``part * E * AREA`` of a bar of length 1 m."""
    body = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=0), name="bar")
    bar = fb.FlexibleBody("bar", body)
    clamp = fb.Fixed("clamp", fb.GROUND, bar["x0"])
    pull = fb.PointForce("pull", bar["x1"], (part * STEEL.E * AREA, 0, 0))
    state = fb.equilibrium(fb.System([bar], [clamp], [pull]))
    return float(state.position(bar["x1"])[0]) - 1.0


@pytest.mark.parametrize("part", [-0.01, 0.001, 0.01])
def test_solids_follow_greens_strain(part):
    e = part / (1 + part)
    eps = _elongation(_solid(), part)
    assert eps == pytest.approx(e - e**2 / 2, rel=1e-9)  # tolerance of the equilibrium
    # what reduce tells: terms of the third order are left
    assert part == pytest.approx(eps * (1 + 1.5 * eps), rel=4 * eps**2)


@pytest.mark.parametrize("part", [-0.01, 0.01])
def test_beams_are_stretched_in_proportion(part):
    assert _elongation(_line(fem.Beam(STEEL, fem.Rectangle(0.1, 0.1))), part) == pytest.approx(part, rel=1e-9)


def test_body_and_report_say_so():
    structure = _solid()
    basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=0)
    body = modal.reduce(structure, basis)
    assert "stiffened (Green's strain)" in repr(body)
    assert "stretch: Green's strain in solids and shells: the stress E eps (1 + 1.5 eps)" in body.report()
    linear = modal.reduce(structure, basis, stiffening=False)
    assert "Green" not in repr(linear) + linear.report()


def test_a_body_of_beams_does_not_say_so():
    line = _line(fem.Beam(STEEL, fem.Rectangle(0.1, 0.1)))
    body = modal.reduce(line, modal.craig_bampton(line, ("x0", "x1"), n_normal=2))
    assert repr(body).endswith("frame MeanDisplacement, stiffened>")
    assert "Green" not in body.report()

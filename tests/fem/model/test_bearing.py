"""The load of a pin in its hole: resultant, distribution, refusals."""

from pathlib import Path

import numpy as np
import pytest

import fem

MESH = Path(__file__).resolve().parents[3] / "meshes" / "conrod.msh"
STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
F = 20e3


@pytest.fixture(scope="module")
def rod():
    return fem.assemble(fem.read_mesh(MESH), STEEL)


@pytest.mark.parametrize("direction", [(1, 0, 0), (-1, 0, 0), (0, 0, 1), (0.6, 0, -0.8)])
def test_the_sum_is_the_force_and_runs_through_the_axis(rod, direction):
    direction = np.array(direction, float)
    nodal = fem.load_vector(rod, fem.Bearing("small_end", F * direction)).reshape(-1, 3)
    np.testing.assert_allclose(
        nodal.sum(axis=0), F * direction, atol=1e-7 * F
    )  # the mesh's digits lean normals
    arm = rod.mesh.points - (0.3, 0, 0)
    moment = np.cross(arm, nodal).sum(axis=0)
    assert (
        np.abs(moment).max() < 1e-3 * F * 0.0125
    )  # normals of curved faces point to the axis to third order
    # int p dA = p0 2 R w, with p0 = 2 F / (pi R w): 4 F / pi, whatever R and w
    radial = arm * (1, 0, 1) / np.maximum(np.linalg.norm(arm * (1, 0, 1), axis=1), 1e-9)[:, None]
    assert (nodal * radial).sum() == pytest.approx(4 * F / np.pi, rel=5e-3)  # 16 faces around
    # nothing pulls: no node behind the pin is loaded but for those of faces that reach over the edge
    behind = arm @ direction < -0.005
    assert np.abs(nodal[behind]).max() < 1e-12 * F


def test_the_eye_becomes_oval_and_the_support_answers(rod):
    solution = fem.static(rod, "big_end", fem.Bearing("small_end", (F, 0, 0)))
    force, moment = solution.reaction("big_end", about=(0, 0, 0))
    np.testing.assert_allclose(force, (-F, 0, 0), atol=1e-6 * F)
    assert np.abs(moment).max() < 1e-3 * F * 0.0125
    assert solution.stress.von_mises.max() > 0


@pytest.mark.parametrize(
    ("on", "force", "words"),
    [
        ("small_end", (F, F, 0), "component along the bore"),
        ("small_end", (0, F, 0), "component along the bore"),
        ("small_end", (0, 0, 0), "three finite numbers"),
        ("small_end", (1, 2), "three finite numbers"),
        ("point", (F, 0, 0), "no whole face"),
        ("bore", (F, 0, 0), "no node set 'bore'"),
    ],
)
def test_refusals(rod, on, force, words):
    if on == "point":
        mesh = rod.mesh.select("point", nearest=(0, 0, 0))
        rod = fem.assemble(mesh, STEEL)
    with pytest.raises(fem.FlexbodyError, match=words):
        fem.load_vector(rod, fem.Bearing(on, force))

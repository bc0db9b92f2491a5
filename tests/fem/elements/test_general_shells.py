"""Shells given by the stiffness of their section, against layered ones and plates of one material."""

import numpy as np
import pytest
from support.every import STEEL, bent

import fem

PLY = fem.Ply(E1=135e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0, G13=5e9, G23=3e9)
LAYERS = [fem.Layer(PLY, 0.002), fem.Layer(PLY, 0.004, 30.0), fem.Layer(PLY, 0.004, 90.0)]


@pytest.mark.parametrize("kind", fem.Shell.kinds)
@pytest.mark.parametrize(
    "axis", [(0.6, 0.2, 0.5), fem.FirstSide(), lambda x: np.tile([0.6, 0.2, 0.5], (len(x), 1))]
)
def test_the_section_of_a_laminate(kind, axis):
    """Stiffness with coupling, mass, and forces of the section: those of the layers of one density."""
    layered = fem.LayeredShell(LAYERS, axis=axis, offset=0.02)
    section = layered.layup()
    general = fem.GeneralShell(section.plane, section.S, 0.01, 16.0, axis=axis, offset=0.02)
    assert abs(section.plane[:3, 3:]).max() > 0.1 * np.sqrt(section.plane[0, 0] * section.plane[3, 3]) * 1e-2
    one, other = (fem.assemble(bent(kind), its) for its in (layered, general))
    for a, b in ((one.K, other.K), (one.M, other.M)):
        assert abs(a - b).max() < 1e-12 * abs(a).max()
    (group,) = other.groups
    X = other.mesh.points[group.nodes]
    u = np.random.default_rng(0).normal(size=(len(X), 6 * X.shape[1])) * 1e-4
    for a, b in zip(layered.resultants(kind, X, u), general.resultants(kind, X, u), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(a).max())


def test_stress_of_a_plate_of_one_material():
    """Bottom and top, and the strain in the plane: those of a plate of the same thickness."""
    plate = fem.Shell(STEEL, 0.01)
    section = plate.layup()
    general = fem.GeneralShell(section.plane, section.S, 0.01, 78.5)
    mesh = bent("quad4")
    X = mesh.points[mesh.blocks[0].nodes]
    u = np.random.default_rng(0).normal(size=(len(X), 24)) * 1e-4
    a, b = (its.stress("quad4", X, u) for its in (plate, general))
    np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(a).max())
    np.testing.assert_allclose(np.array(general.material.constants)[0, 0], 210e9 / 0.91, rtol=1e-12)
    assert fem.assemble(mesh, general).mass == pytest.approx(fem.assemble(mesh, plate).mass, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"plane": -np.eye(6)}, "plane must be positive definite"),
        ({"plane": np.arange(36.0).reshape(6, 6)}, "plane must be symmetric"),
        ({"shear": np.zeros((2, 2))}, "shear must be positive definite"),
        ({"axis": (0, 0, 0)}, "must be a direction"),
    ],
)
def test_wrong_sections(options, message):
    with pytest.raises(fem.InputError, match=message):
        fem.GeneralShell(
            **{"plane": np.eye(6), "shear": np.eye(2), "thickness": 0.01, "mass": 80.0} | options
        )

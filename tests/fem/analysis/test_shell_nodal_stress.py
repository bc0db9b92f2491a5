"""Stresses at the nodes of shells: across elements numbered either way, in folds and junctions."""

import numpy as np
import pytest
from support.frames import STEEL, joined, line

import fem

pytestmark = pytest.mark.filterwarnings("ignore:.*the normals of shells are opposite")

PLAIN = fem.Isotropic(E=210e9, nu=0.0, rho=7850.0)
THIN = fem.Shell(PLAIN, 0.01)


def strip(turned=(), fold=False, properties=None):
    """A strip 2 m long and 0.1 m wide of 2 x 20 quadrilaterals, folded upwards by 90 degrees at x = 1 or not.

    ``turned`` elements are numbered the other way round.
    """
    s, y = np.meshgrid(np.arange(21) * 0.1, [0.0, 0.05, 0.1], indexing="ij")
    s, y = s.ravel(), y.ravel()
    points = (
        np.stack([np.minimum(s, 1.0), y, s - 1.0], 1) * np.array([1, 1, 1])
        if fold
        else np.stack([s, y, 0 * s], 1)
    )
    if fold:
        points[:, 2] = np.maximum(points[:, 2], 0.0)
    i, j = np.divmod(np.arange(40), 2)
    a = 3 * i + j
    quads = np.stack([a, a + 3, a + 4, a + 1], 1)
    quads[list(turned)] = quads[list(turned)][:, ::-1]
    sets = {
        "root": np.flatnonzero(s == 0),
        "tip": np.flatnonzero(s == s.max()),
        "fold": np.flatnonzero(s == 1.0),
    }
    halves = {"first": np.arange(20), "second": np.arange(20, 40)}
    mesh = fem.Mesh(points, (fem.Block("quad4", quads),), sets, element_sets=halves, name="strip")
    return fem.assemble(mesh, properties or THIN)


def bent(structure):
    """The stresses under 50 N m at the tip: 6 M / (b t^2) = 30 MPa at the faces all along.

    Within 1e-3: the moment is spread over the tip by the width that each of its nodes stands for, not exactly evenly.
    """
    return fem.static(structure, "root", fem.Force("tip", moment=(0, 50.0, 0))).stress


@pytest.mark.parametrize("turned", [range(1, 40, 2), range(0, 40, 2), range(20), range(1, 40, 4)])
def test_elements_numbered_either_way(turned):
    """The same stresses as with all numbered alike; top and bottom by the first element at each node."""
    structure, plain = strip(turned), bent(strip())
    found = bent(structure)
    np.testing.assert_allclose(found.von_mises, plain.von_mises, rtol=1e-7)  # the condition of K
    nodes = structure.groups[0].nodes
    first = np.array([np.flatnonzero((nodes == k).any(axis=1))[0] for k in range(63)])
    other = np.isin(first, list(turned))
    expected = np.where(other[:, None, None], plain.shell[:, ::-1], plain.shell)
    np.testing.assert_allclose(found.shell, expected, atol=1e-6 * 30e6)
    middle = structure.mesh.node_sets["fold"]
    np.testing.assert_allclose(found.von_mises[middle], 30e6, rtol=1e-3)


@pytest.mark.parametrize("turned", [(), range(20), range(1, 40, 2)])
def test_a_right_angle(turned):
    """6 M / (b t^2) = 30 MPa in both legs, also in the fold; along x in one, along z in the other: no mean of them."""
    structure = strip(turned, fold=True)
    found = bent(structure)
    fold = structure.mesh.node_sets["fold"]
    np.testing.assert_allclose(found.von_mises[fold], 30e6, rtol=1e-3)
    np.testing.assert_allclose(np.abs(found.principal[fold]).max(axis=1), 30e6, rtol=1e-3)


def test_properties_that_meet():
    """Half as thick, four times the stress: where they meet the larger one."""
    structure = strip(properties={"first": THIN, "second": fem.Shell(PLAIN, 0.005)})
    found = bent(structure)
    np.testing.assert_allclose(found.von_mises[structure.mesh.node_sets["fold"]], 120e6, rtol=1e-3)


def test_principal_stresses():
    """Of the side with the larger equivalent stress: bent and pulled by 1 kN (1 MPa), the side that is pulled too."""
    structure = strip()
    loads = [fem.Force("tip", (1000.0, 0, 0), (0, 50.0, 0))]
    found = fem.static(structure, "root", loads).stress
    middle = structure.mesh.node_sets["fold"]
    np.testing.assert_allclose(found.principal[middle], np.array([[31e6, 0, 0]] * 3), atol=1e-3 * 31e6)
    side = fem.von_mises(found.shell).argmax(axis=1)
    np.testing.assert_allclose(found.principal, fem.principal(found.shell[np.arange(63), side]), atol=1.0)


def test_words():
    found = bent(strip())
    assert f"equivalent stress up to {found.von_mises.max():.4g} Pa, at node" in repr(found)


def test_section_forces_of_some_beams_among_others():
    """Elements in any order: those of the set, each with its own; the strip's quadrilaterals have none."""
    beam = fem.Beam(STEEL, fem.Circle(0.02))
    second = line([(0, 0, 0), (1, 0, 0)], 4)
    mesh = joined(line([(0, 0, 0), (1, 0, 0)], 2), second, (0, 1, 0))
    mesh = fem.Mesh(
        mesh.points,
        mesh.blocks,
        {**mesh.node_sets, "roots": np.array([0, 3])},
        element_sets={**mesh.element_sets, "some": np.array([1, 3, 5])},
    )
    structure = fem.assemble(mesh, beam, parts=[fem.Spring("end", "b_end", 1e-3)])
    loads = [fem.Force("end", (0, 0, 1.0)), fem.Force("b_end", (0, 0, 3.0))]
    forces = fem.static(structure, "roots", loads).stress.section_forces("some")
    np.testing.assert_allclose(np.abs(forces[:, 0, 4]), [0.5, 3 * 0.75, 3 * 0.25], rtol=1e-3)
    shells = strip()
    with pytest.raises(fem.InputError, match="elements that are not beams"):
        bent(shells).section_forces("first")

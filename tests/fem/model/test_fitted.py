"""Averaging connections with weights of components: against least squares, and RBE3 of an independent program."""

import numpy as np
import pytest
from support.every import STEEL
from support.rbe3 import AT, RBE3, WEIGHTS, X

import fem
from fem.model.fitted import fit

BEAM = fem.Beam(STEEL, fem.Circle(0.02), shear=False)


def ring():
    """Bars along a warped quadrilateral."""
    blocks = (fem.Block("line2", [[0, 1], [1, 2], [2, 3], [3, 0]]),)
    return fem.Mesh(X, blocks, {"ring": range(4), "far": [2]})


def moved(structure, u):
    return np.hstack([structure.displacements(u), structure.rotations(u)])


def test_against_an_independent_program():
    structure = fem.assemble(ring(), BEAM, parts=[fem.Averaged("tip", "ring", at=AT, weights=WEIGHTS)])
    assert structure.n == 24
    its = moved(structure, np.random.default_rng(0).normal(size=24))
    counted = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 2), (3, 0), (3, 2), (3, 3), (3, 4), (3, 5)]
    np.testing.assert_allclose(its[-1], RBE3 @ [its[k] for k in counted], atol=1e-10)


def test_against_least_squares():
    """Rows of any directions, as displacement axes of their own give them."""
    rng = np.random.default_rng(1)
    points, directions, weights = X[[0, 0, 1, 2, 2, 3, 3, 3, 1]], np.zeros((9, 6)), rng.uniform(0.5, 2, 9)
    directions[:7, :3], directions[7:, 3:] = rng.normal(size=(7, 3)), rng.normal(size=(2, 3))
    u = rng.normal(size=9)
    R = np.column_stack([directions[:, :3], np.cross(points - AT, directions[:, :3]) + directions[:, 3:]])
    length = np.linalg.norm(X - AT, axis=1).mean()
    root = np.sqrt(weights * np.repeat([1, length**2], [7, 2]))
    expected = np.linalg.lstsq(root[:, None] * R, root * u, rcond=None)[0]
    its = fit(points, np.array(AT), directions, weights)
    assert its.open.shape == (6, 0)
    np.testing.assert_allclose(its.G @ u, expected, atol=1e-12)
    np.testing.assert_allclose(its.G @ R, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("at", [AT, (0.0, 0.0, 0.0)])
def test_weights_of_all_displacements_are_weights_of_nodes(at):
    """Both forms of the same connection: stiffness, and geometric stiffness under loads on the reference."""
    weights = {"1": 1.0, "2": 2.0, "3": 0.5, "4": 1.5}
    forms = (weights, {k: dict.fromkeys("xyz", w) for k, w in weights.items()})
    found = []
    for form in forms:
        structure = fem.assemble(ring(), BEAM, parts=[fem.Averaged("tip", "ring", at=at, weights=form)])
        loads = [fem.Force("tip", (1e3, -2e3, 5e2), moment=(10.0, 70.0, -40.0))]
        u = fem.static(structure, "far", loads).u
        found.append(
            (structure.rotations(u), structure.displacements(u), fem.geometric_stiffness(structure, u, loads))
        )
    for one, other in zip(*found, strict=True):
        assert abs(one - other).max() < 1e-9 * abs(one).max()


@pytest.mark.parametrize("weights", [1.0, WEIGHTS])
def test_a_loaded_structure_that_turns_keeps_its_forces(weights, monkeypatch):
    """K_G times a rotation about e is the load turned with it, e x F, as in the tests of equations."""
    structure = fem.assemble(ring(), BEAM, parts=[fem.Averaged("tip", "ring", at=AT, weights=weights)])
    push = 1e3 * (X[2] - AT)
    loads = [fem.Force("tip", tuple(-push)), fem.Force("far", tuple(push))]
    u = fem.static(structure, (), loads).u
    K_G = fem.geometric_stiffness(structure, u, loads)
    R = structure.rigid_modes()
    for k, e in enumerate(np.eye(3)):
        turned = [fem.Force(load.at, tuple(np.cross(e, load.force))) for load in loads]
        expected = fem.load_vector(structure, turned)
        np.testing.assert_allclose(K_G @ R[:, 3 + k], expected, atol=1e-9 * abs(K_G).max())
    monkeypatch.setattr("fem.analysis.geometric_stiffness.connection_stiffnesses", lambda *_: [])
    without = fem.geometric_stiffness(structure, u, loads)
    assert abs(without - K_G).max() > 0.1 * abs(K_G).max()


def test_some_motions_of_the_reference_from_some_of_the_nodes():
    """Three springs' ends in a plane: their z determines z, rx and ry of the reference, and nothing else."""
    part = fem.Averaged("tip", "ring", at=AT, weights={"ring": {"z": 1.0}}, components=("z", "rx", "ry"))
    structure = fem.assemble(ring(), BEAM, parts=[part])
    its = moved(structure, np.random.default_rng(0).normal(size=structure.n))
    R = np.column_stack([np.ones(4), X[:, 1] - AT[1], AT[0] - X[:, 0]])
    expected = np.linalg.lstsq(R, its[:4, 2], rcond=None)[0]
    np.testing.assert_allclose(its[-1, [2, 3, 4]], expected, atol=1e-12)
    assert "(z of 'ring') in z, rx, ry" in part.words()
    with pytest.raises(fem.InputError, match="don't determine x, y, rz of its reference"):
        fem.assemble(ring(), BEAM, parts=[fem.Averaged("tip", "ring", weights={"ring": {"z": 1.0}})])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"ring": {"z": -1.0}}, "those of 'ring' are not"),
        ({"ring": {"up": 1.0}}, "those of 'ring' are not"),
        ({"ring": {}}, "those of 'ring' are not"),
        ({"1": {"x": 1.0}}, "leaves out node 2"),
    ],
)
def test_wrong_weights_of_components(weights, message):
    with pytest.raises(fem.InputError, match=message):
        fem.assemble(ring(), BEAM, parts=[fem.Averaged("tip", "ring", weights=weights)])


def test_rotations_of_solids_can_not_count():
    with pytest.raises(fem.InputError, match="counts rx of node 5, which has no rotations"):
        fem.assemble(
            fem.box((1, 1, 1), (1, 1, 1)),
            STEEL,
            parts=[fem.Averaged("tip", "x1", weights={"x1": {"rx": 1.0}})],
        )

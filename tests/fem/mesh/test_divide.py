"""Meshes cut into parts: nothing is lost or doubled, and joined parts are the whole again."""

import functools

import numpy as np
import pytest
import scipy.linalg
from support.frames import STEEL, line

import fem

PARTS = 3


@functools.cache
def meshes():
    """Solids of a kind that no plane cuts along element sides, shells, beams on a slant, and sets of all kinds."""
    solid = fem.box((0.3, 0.05, 0.04), (7, 2, 2), "tet10")
    solid = fem.Mesh(
        solid.points,
        solid.blocks,
        {**solid.node_sets, "most": np.arange(solid.n_nodes - 1)},
        element_sets={"odd": np.arange(1, solid.n_elements, 2)},
        name="bar",
    )
    x, y = np.meshgrid(np.linspace(0, 0.6, 7), np.linspace(0, 0.2, 3), indexing="ij")
    k = np.arange(21).reshape(7, 3)
    quads = np.stack([k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]], axis=-1).reshape(-1, 4)
    plate = fem.Mesh(
        np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]), (fem.Block("quad4", quads),), {"corner": [0]}
    )
    return {
        "x": (solid, "x"),
        "plate": (plate, (2.0, 0, 0)),
        "slant": (line([(0, 0, 0), (1, 1, 0.5)], 12), "y"),
    }


@pytest.mark.parametrize("case", ["x", "plate", "slant"])
def test_every_element_and_member_is_kept_once(case):
    mesh, axis = meshes()[case]
    parts = fem.divide(mesh, axis, PARTS)
    assert [part.name for part in parts] == [f"{mesh.name} {k}" for k in (1, 2, 3)]
    assert sum(part.n_elements for part in parts) == mesh.n_elements

    def corners(one):
        return sorted(tuple(one.points[nodes].ravel()) for block in one.blocks for nodes in block.nodes)

    assert sorted(c for part in parts for c in corners(part)) == corners(mesh)
    for name, members in mesh.node_sets.items():
        found = {
            tuple(x) for part in parts if name in part.node_sets for x in part.points[part.node_sets[name]]
        }
        assert found == {tuple(x) for x in mesh.points[members]}
    for name, members in mesh.element_sets.items():
        assert sum(len(part.element_sets[name]) for part in parts) == len(members)
        ids = np.concatenate([part.blocks[0].ids[part.element_sets[name]] for part in parts])
        assert set(ids) == set(mesh.blocks[0].ids[members])


@pytest.mark.parametrize("case", ["x", "plate", "slant"])
def test_neighbours_share_the_nodes_of_their_cut(case):
    mesh, axis = meshes()[case]
    parts = fem.divide(mesh, axis, PARTS)
    for k in (1, 2):
        one, two = (part.points[part.nodes_of(f"cut {k}")] for part in parts[k - 1 : k + 1])
        np.testing.assert_array_equal(one, two)
        # no other node of the mesh belongs to both
        both = {tuple(x) for x in parts[k - 1].points} & {tuple(x) for x in parts[k].points}
        assert both == {tuple(x) for x in one}
    assert "cut 2" not in parts[0].node_sets
    assert "cut 1" not in parts[2].node_sets


def test_joined_parts_are_the_whole():
    """K and M of the parts, added where they share nodes, have the frequencies of the whole mesh, to rounding."""
    mesh, _ = meshes()["x"]
    whole = fem.assemble(mesh, STEEL)
    K, M = np.zeros((2, whole.n, whole.n))
    place = {tuple(x): i for i, x in enumerate(mesh.points)}
    for part in fem.divide(mesh, "x", PARTS):
        structure = fem.assemble(part, STEEL)
        node = np.array([place[tuple(x)] for x in part.points])
        at = (3 * node[:, None] + np.arange(3)).ravel()
        K[np.ix_(at, at)] += structure.K.toarray()
        M[np.ix_(at, at)] += np.kron(structure.cloud.mass.toarray(), np.eye(3))
    np.testing.assert_allclose(K, whole.K.toarray(), atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(
        M, np.kron(whole.cloud.mass.toarray(), np.eye(3)), atol=1e-12 * np.abs(M).max()
    )
    assert scipy.linalg.eigvalsh(K, M)[6] > 0


def test_faces_of_a_file_and_materials_go_along():
    mesh = fem.box((0.3, 0.05, 0.04), (6, 1, 1), "hex8")
    mesh = fem.Mesh(
        mesh.points,
        mesh.blocks,
        mesh.node_sets,
        faces={"x0": mesh.faces_of("x0"), "y0": mesh.faces_of("y0")},
        element_sets={"left": [0, 1], "right": [2, 3, 4, 5]},
        materials={"steel": STEEL},
        properties={"left": STEEL, "right": STEEL},
    )
    parts = fem.divide(mesh, "x", 3)
    assert [sorted(part.faces) for part in parts] == [["x0", "y0"], ["y0"], ["y0"]]
    assert sum(len(block) for part in parts for block in part.faces["y0"]) == 6
    assert [[*part.properties] for part in parts] == [["left"], ["right"], ["right"]]
    for part in parts:
        assert fem.assemble(part).mass == pytest.approx(fem.assemble(mesh).mass / 3)


def test_one_part_is_the_mesh():
    mesh, axis = meshes()["x"]
    assert fem.divide(mesh, axis, 1) == (mesh,)


def gap():
    k = np.array([[0, 1], [2, 3]])
    return fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]], (fem.Block("line2", k),))


@pytest.mark.parametrize(
    ("mesh", "axis", "n", "said"),
    [
        (line([(0, 0, 0), (1, 0, 0)], 4), "a", 2, "axis"),
        (line([(0, 0, 0), (1, 0, 0)], 4), (0, 0, 0), 2, "axis"),
        (line([(0, 0, 0), (1, 0, 0)], 4), "x", 0, "parts"),
        (line([(0, 0, 0), (1, 0, 0)], 4), "x", 2.0, "parts"),
        (line([(0, 0, 0), (1, 0, 0)], 4), "y", 2, "no length"),
        (line([(0, 0, 0), (1, 0, 0)], 4), "x", 9, "fewer parts"),
        (line([(0, 0, 0), (1, 0, 0)], 4, {"cut 1": [0]}), "x", 2, "rename that set"),
        (gap(), "x", 2, "merge_nodes"),
        (
            fem.assemble(line([(0, 0, 0), (1, 0, 0)], 2), fem.Beam(STEEL, fem.Circle(0.01))),
            "x",
            2,
            r"fem\.Mesh",
        ),
    ],
)
def test_what_can_not_be_divided(mesh, axis, n, said):
    with pytest.raises((fem.InputError, fem.MeshError), match=said):
        fem.divide(mesh, axis, n)

"""Sets, nodes and coordinates as users give them: taken, or refused in words."""

from dataclasses import replace

import numpy as np
import pytest
from support.frames import STEEL

import fem

SHEET = fem.box((2, 1, 1), (2, 1, 1), "hex8")  # 12 nodes, 2 elements


@pytest.mark.parametrize(
    "given",
    [[3, 1, 1], (1, 3), {1, 3}, np.array([3, 1], np.uint8), np.array([[1], [3]]), np.isin(range(12), [1, 3])],
)
def test_a_set_becomes_ascending_numbers(given):
    nodes = replace(SHEET, node_sets={"n": given}).node_sets["n"]
    assert nodes.tolist() == [1, 3]
    assert nodes.dtype == np.int64
    assert not nodes.flags.writeable


def test_sets_as_lists_serve_everywhere():
    mesh = replace(
        SHEET, node_sets={"n": list(range(12)), "one": 4}, element_sets={"a": (0,), "b": [False, True]}
    )
    assert mesh.elements_of("b").tolist() == [1]
    structure = fem.assemble(mesh, {"a": STEEL, "b": fem.Isotropic(70e9, 0.3, 2700.0)})
    assert structure.mass == pytest.approx(7850.0 + 2700.0)
    assert len(mesh.faces_of("n")) == 1
    again = replace(mesh, name="again")
    assert again.node_sets["n"] is mesh.node_sets["n"]  # a mesh made from a mesh does no work


def test_the_given_array_stays_the_users():
    mine = np.array([1, 3])
    mesh = replace(SHEET, node_sets={"n": mine})
    mine[0] = 2
    assert mesh.node_sets["n"].tolist() == [1, 3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [3, 12, 15],
            "node set 'n' of mesh 'box' names node 12 and 1 more, but nodes are counted from 0, here 0 to 11",
        ),
        ([-1, 3], "names node -1, but nodes are counted from 0"),
        ([1.0, 3.0], "holds fractional numbers"),
        (["1", "3"], "holds text"),
        ([None], "must hold whole numbers"),
        ([[1, 2], [3]], "must hold whole numbers"),
        ([], "node set 'n' of mesh 'box' is empty"),
        (np.zeros(12, bool), "is empty"),
        ([True] * 3, r"mask of shape \(3,\); it needs one value for each node, \(12,\)"),
    ],
)
def test_a_set_that_can_not_be(given, message):
    mesh = replace(SHEET, name="box")
    with pytest.raises(fem.MeshError, match=message):
        replace(mesh, node_sets={"n": given})
    with pytest.raises(fem.MeshError, match=r"element set 'n' of mesh 'box'"):
        replace(mesh, element_sets={"n": given})


@pytest.mark.parametrize("given", [[1, 2], {1: [1, 2]}])
def test_sets_without_names(given):
    with pytest.raises(fem.MeshError, match=r"must be a dictionary|the name of a set must be text"):
        replace(SHEET, node_sets=given)
    for ask in (SHEET.nodes_of, SHEET.elements_of, SHEET.faces_of, SHEET.edges_of):
        with pytest.raises(fem.InputError, match=r"no (node|element) set \[1, 2\]"):
            ask([1, 2])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (
            [[0, 1, 2, 3]],
            r"a hex8 has 8 nodes: nodes= must be one row of 8 for each element, \(ne, 8\), not \(1, 4\)",
        ),
        (np.zeros((8, 4), int), r"a hex8 has 8 nodes"),
        (range(8), r"not \(8,\)"),
        ([[0, 1], [2]], "rows of one length"),
        (np.zeros((1, 8)), "nodes of hex8 elements must be whole numbers, not float64"),
        ([["a"] * 8], "must be whole numbers"),
    ],
)
def test_elements_of_the_wrong_width(nodes, message):
    with pytest.raises(fem.MeshError, match=message):
        fem.Block("hex8", nodes)


@pytest.mark.parametrize("node", [12, -1])
def test_nodes_that_do_not_exist_are_named(node):
    nodes = SHEET.blocks[0].nodes.copy()
    nodes[1, 5] = node
    block = fem.Block("hex8", nodes, [7, 9])
    with pytest.raises(
        fem.MeshError, match=rf"hex8 element 9 of mesh 'm' uses node {node}, .* counted from 0, here 0 to 11"
    ):
        fem.Mesh(SHEET.points, [block], name="m")


def test_points_and_blocks_as_lists():
    points, block = SHEET.points.tolist(), fem.Block("hex8", SHEET.blocks[0].nodes.tolist())
    for blocks in ([block], block):
        assert fem.Mesh(points, blocks).volume == pytest.approx(2.0)
    for wrong, what in ((["hex8", SHEET.blocks[0].nodes], "str"), (None, "None")):
        with pytest.raises(fem.InputError, match=rf"must hold fem.Block\(kind, nodes\), not {what}"):
            fem.Mesh(points, wrong)
    with pytest.raises(fem.InputError, match="faces= of mesh 'mesh' must be a dictionary"):
        fem.Mesh(points, block, faces=[block])
    for wrong, message in ((SHEET.points[:, :2], r"not \(12, 2\)"), ([["a"] * 3], "must be numbers")):
        with pytest.raises(fem.MeshError, match=message):
            fem.Mesh(wrong, block)


def test_an_unknown_kind_lists_all_kinds():
    with pytest.raises(
        fem.InputError, match=r"no element 'beam'; there are 'tet4'.*'quad4'.*'line2', 'line3'$"
    ):
        fem.Block("beam", [[0, 1]])
    with pytest.raises(fem.InputError, match="no element"):
        fem.Block(["line2"], [[0, 1]])


def test_what_a_prompt_shows_is_short():
    mesh = fem.box((1, 1, 1), (9, 9, 9), "hex8")
    for shown in (mesh, mesh.blocks[0], fem.assemble(mesh, STEEL)):
        assert len(repr(shown)) < 250
        assert "729 hex8" in repr(shown)
    assert "3000 unknowns, Solid" in repr(fem.assemble(mesh, STEEL))

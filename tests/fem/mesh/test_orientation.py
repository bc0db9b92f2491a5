"""Shells that look to different sides are told and turned."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.every import straight
from support.fem_meshes import mapped
from support.frames import STEEL

import fem
from fem.elements import FACES
from fem.mesh.check import check
from fem.mesh.normals import shared_edges


@pytest.fixture(autouse=True)
def _silent():
    """Whatever is not expected to warn must not."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        yield


def over(mesh, elements):
    """The mesh with some elements of its only block seen from their other side."""
    block = mesh.blocks[0]
    nodes, n = block.nodes.copy(), FACES[block.element].n_corners
    nodes[elements] = np.roll(nodes[elements][:, :n][:, ::-1], 1, axis=1)
    return replace(mesh, blocks=(fem.Block(block.element, nodes, block.ids + 100),))


def normals(mesh):
    """Normals (n, 3) of all surface elements, not of unit length."""
    found = []
    for block in mesh.blocks:
        x = mesh.points[block.nodes]
        found.append(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]))
    return np.vstack(found)


@pytest.mark.parametrize("kind", ["tri3", "quad4"])
def test_the_few_are_turned_to_the_side_of_the_many(kind):
    mesh = straight(kind, 6)
    check(mesh)
    mixed = over(mesh, [2, 3])
    with pytest.warns(
        fem.FlexbodyWarning, match=rf"opposite across \d edges.*{kind} element 10\d.*orient_shells"
    ):
        check(mixed)
    right = fem.orient_shells(mixed)
    assert (normals(right)[:, 2] > 0).all()
    check(right)
    assert right.node_sets.keys() == mesh.node_sets.keys()
    assert np.array_equal(right.blocks[0].ids, mixed.blocks[0].ids)
    f = fem.load_vector(fem.assemble(right, fem.Shell(STEEL, 0.01)), fem.Pressure("all", 2.0)).reshape(-1, 6)
    assert f[:, 2].sum() == pytest.approx(-2.0 * 0.1)
    assert fem.orient_shells(right) is right


def test_of_two_halves_the_first_element_decides():
    mesh = straight("quad4", 4)
    assert (normals(fem.orient_shells(over(mesh, [2, 3])))[:, 2] > 0).all()
    assert (normals(fem.orient_shells(over(mesh, [0, 1])))[:, 2] < 0).all()


def test_one_edge_is_told_in_the_singular():
    with pytest.warns(
        fem.FlexbodyWarning, match=r"opposite across 1 edge, the first between quad4 element 101 and"
    ):
        check(over(straight("quad4", 2), [1]))


@pytest.mark.parametrize(
    ("kind", "face"), [("hex8", "quad4"), ("hex20", "quad8"), ("hex27", "quad9"), ("tet10", "tri6")]
)
def test_a_closed_surface_of_any_kind_looks_outwards_again(kind, face):
    """The outside of a box, a third turned at random: by the divergence theorem its volume, as before."""
    box = fem.box((1, 2, 3), (2, 3, 2), kind)
    skin = fem.Mesh(box.points, box.exterior)
    block = skin.blocks[0]
    assert block.element == face
    mixed = block.nodes.copy()
    some = np.random.default_rng(1).random(len(mixed)) < 0.33
    order = {"quad4": [0, 3, 2, 1], "quad8": [0, 3, 2, 1, 7, 6, 5, 4], "tri6": [0, 2, 1, 5, 4, 3]}
    order["quad9"] = [*order["quad8"], 8]
    mixed[some] = mixed[some][:, order[face]]
    right = fem.orient_shells(replace(skin, blocks=(fem.Block(face, mixed),)))
    assert np.array_equal(right.blocks[0].nodes, block.nodes)


def test_faces_of_sets_turn_with_their_shells():
    mesh = over(straight("quad4", 4), [1])
    faces = {"two": (fem.Block("quad4", np.roll(mesh.blocks[0].nodes[:2], 1, axis=1)),)}
    right = fem.orient_shells(replace(mesh, faces=faces))
    turned = replace(mesh, blocks=right.faces["two"])
    assert (normals(turned)[:, 2] > 0).all()


def test_junctions_of_three_are_no_fault_and_separate_patches_stay():
    """A T of three strips: whichever way each looks, no two of them are neighbours."""
    points = [(0, y, 0) for y in (0, 1)] + [(x, y, z) for x, z in ((1, 0), (-1, 0), (0, 1)) for y in (0, 1)]
    strips = [[0, 2, 3, 1], [0, 1, 5, 4], [0, 6, 7, 1]]
    mesh = fem.Mesh(points, fem.Block("quad4", strips))
    check(mesh)
    assert len(shared_edges(mesh)[0]) == 0
    assert fem.orient_shells(mesh) is mesh


def test_a_moebius_strip_has_one_side():
    n = 12
    angle = np.repeat(2 * np.pi * np.arange(n) / n, 2)
    across = np.tile([-0.3, 0.3], n)
    r = 1 + across * np.cos(angle / 2)
    points = np.column_stack([r * np.cos(angle), r * np.sin(angle), across * np.sin(angle / 2)])
    k = 2 * np.arange(n)
    quads = np.column_stack([k, k + 1, k + 3, k + 2])
    quads[-1] = [k[-1], k[-1] + 1, 0, 1]  # closed with half a turn
    mesh = fem.Mesh(points, fem.Block("quad4", quads), name="strip")
    with pytest.raises(
        fem.MeshError, match=r"'strip' around quad4 element \d+ have only one side \(a Moebius"
    ):
        fem.orient_shells(mesh)


@pytest.mark.parametrize("kind", ["tri3", "quad4", "tet4", "hex20", "line2", "line3"])
def test_elements_that_are_there_twice_are_told(kind):
    mesh = straight(kind, 3)
    block = mesh.blocks[0]
    again = fem.Block(kind, block.nodes[[1]], [77])
    with pytest.warns(
        fem.FlexbodyWarning, match=rf"1 element is duplicate.*{kind} element 2 and {kind} element 77"
    ):
        check(replace(mesh, blocks=(block, again)))
    check(mesh)
    if kind == "quad4":
        rolled = fem.Block(kind, np.roll(block.nodes[:2], 1, axis=1))
        with pytest.warns(fem.FlexbodyWarning, match="2 elements are duplicate"):
            check(replace(mesh, blocks=(block, rolled)))


def test_a_bent_plate_and_a_tube_pass():
    def rolled(x):
        return np.column_stack([x[:, 0], np.cos(60 * x[:, 1]), np.sin(60 * x[:, 1])])

    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        check(mapped(straight("quad4", 5), rolled))

"""Meshes: boxes, selecting by geometry, surfaces, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from support.fem_meshes import irregular, mapped

import fem

every_solid = pytest.mark.parametrize("element", fem.ELEMENTS)


@every_solid
def test_a_box_is_what_was_asked_for(element):
    mesh = fem.box((3, 2, 1), (3, 1, 2), element, origin=(1, 1, 1))
    assert np.array_equal(mesh.bounding_box, [[1, 1, 1], [4, 3, 2]])
    assert mesh.volume == pytest.approx(6.0, rel=1e-13)
    assert mesh.n_elements == 6 * {"tet": 6, "pyr": 6, "wed": 2, "hex": 1}[element[:3]]
    assert len(np.unique(mesh.points, axis=0)) == mesh.n_nodes
    areas = {"x": 2.0, "y": 3.0, "z": 6.0}
    for name in ("x0", "x1", "y0", "y1", "z0", "z1"):
        frame = fem.interface(mesh, name)
        axis = "xyz".index(name[0])
        assert frame.area == pytest.approx(areas[name[0]], rel=1e-13)
        assert frame.point[axis] == pytest.approx(mesh.bounding_box[int(name[1]), axis])


@every_solid
def test_the_outer_surface_is_closed_and_looks_outwards(element):
    """Divergence theorem over the drawing triangles of a box with straight sides gives its volume."""
    mesh = mapped(
        fem.box((1, 1, 1), (2, 2, 2), element), lambda x: x @ np.array([[1, 0.2, 0], [0, 1, 0.3], [0, 0, 1]])
    )
    a, b, c = mesh.points[mesh.surface()].transpose(1, 0, 2)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(1.0, rel=1e-13)
    split = {"tet": 48, "wed": 32, "pyr": 24, "hex": 24}  # of wedges only the triangles, on two of six sides
    assert sum(len(block) for block in mesh.exterior) == split[element[:3]]


def test_two_kinds_of_elements_in_one_mesh(steel):
    """A brick beside six tetrahedra that make up a second one, on common nodes."""
    brick = fem.box((1, 1, 1), (1, 1, 1), "hex8")
    tets = fem.box((1, 1, 1), (1, 1, 1), "tet4", origin=(1, 0, 0))
    number = {tuple(x): i for i, x in enumerate(brick.points)}
    points, renumber = list(brick.points), []
    for x in tets.points:
        renumber.append(number.setdefault(tuple(x), len(points)))
        if renumber[-1] == len(points):
            points.append(x)
    other = fem.Block("tet4", np.array(renumber)[tets.blocks[0].nodes])
    mesh = fem.Mesh(np.array(points), (*brick.blocks, other))
    structure = fem.assemble(mesh, steel)
    assert structure.mass == pytest.approx(2 * 7850)
    assert structure.center == pytest.approx([1.0, 0.5, 0.5])
    assert mesh.element_name(1) == "tet4 element 1"
    assert "1 hex8, 6 tet4" in mesh.summary()


def test_the_summary_says_what_a_mesh_holds(plate):
    text = plate.select("tip", nearest=(4, 2, 1)).summary()
    for expected in (
        "8 hex20",
        f"nodes         {plate.n_nodes} ",
        "[0, 4] x [0, 2] x [0, 1] m",
        "8 m^3",
        "tip (1)",
    ):
        assert expected in text


# --- select ------------------------------------------------------------------------------------------------


@pytest.fixture
def plate():
    return fem.box((4, 2, 1), (4, 2, 1), "hex20")


def test_select_by_plane_box_and_nearest(plate):
    mesh = plate.select("cut", plane=((1, 0, 0), (2, 0, 0)))
    assert np.array_equal(mesh.node_sets["cut"], np.flatnonzero(plate.points[:, 0] == 1))
    mesh = mesh.select("end", box=((3.5, -1, -1), (9, 9, 9)))
    assert np.array_equal(mesh.node_sets["end"], np.flatnonzero(plate.points[:, 0] >= 3.5))
    mesh = mesh.select("corner", nearest=(3.9, 1.8, 1.3))
    assert mesh.points[mesh.node_sets["corner"]].tolist() == [[4, 2, 1]]
    assert "cut" not in plate.node_sets  # a mesh is a value
    assert set(mesh.node_sets) == {*plate.node_sets, "cut", "end", "corner"}


def test_several_shapes_together_mean_all_of_them(plate):
    edge = plate.select("edge", plane=((0, 0, 0), (1, 0, 0)), box=((0, 0, 0), (4, 0, 1)))
    assert (edge.points[edge.node_sets["edge"]][:, :2] == 0).all()
    assert len(edge.node_sets["edge"]) == 3
    near = plate.select("near", plane=((1, 0, 0), (1, 0, 0)), nearest=(0, 0, 0))
    assert near.points[near.node_sets["near"]].tolist() == [[1, 0, 0]]


def test_surface_leaves_out_inner_nodes(plate):
    mesh = fem.box((2, 2, 2), (2, 2, 2), "hex8")
    plane = ((1, 1, 1), (0, 0, 1))
    assert len(mesh.select("all", plane=plane).node_sets["all"]) == 9
    assert len(mesh.select("outer", plane=plane, surface=True).node_sets["outer"]) == 8


def test_cylinder_takes_the_nodes_on_its_surface_only():
    """A tube made from a box; its inner radius is 1, and no node at half the thickness is taken."""

    def bend(points):
        r, angle = 1 + points[:, 0], points[:, 1]
        return np.stack([r * np.cos(angle), r * np.sin(angle), points[:, 2]], axis=1)

    mesh = mapped(fem.box((1, 3, 1), (2, 12, 2), "hex20"), bend)
    bore = mesh.select("bore", cylinder=((0, 0, 7), (0, 0, -3), 1.0), tol=1e-3)
    assert np.array_equal(bore.node_sets["bore"], mesh.node_sets["x0"])
    frame = fem.interface(bore, "bore")
    # parabolas over arcs of a quarter rad miss the circle by less than 1e-5
    assert frame.area == pytest.approx(3.0, rel=1e-4)
    inside = mesh.select("inside", cylinder=((0, 0, 0), (0, 0, 1), 1.5), tol=1e-2)
    outer = np.unique(np.concatenate([block.nodes.ravel() for block in mesh.exterior]))
    assert np.isin(inside.node_sets["inside"], outer).all()
    everything = mesh.select("all", cylinder=((0, 0, 0), (0, 0, 1), 1.5), tol=1e-2, surface=False)
    assert len(everything.node_sets["all"]) > len(inside.node_sets["inside"])


def test_selecting_nothing_says_how_near_it_was(plate):
    with pytest.raises(fem.MeshError, match=r"'cut'.*closest is 0.1 m away.*tol is 0.001"):
        plate.select("cut", plane=((1.1, 0, 0), (1, 0, 0)))
    with pytest.raises(fem.MeshError, match=r"'eye'"):
        plate.select("eye", cylinder=((0, 0, 0), (0, 0, 1), 99.0))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "say where"),
        ({"plane": ((0, 0, 0), (0, 0, 0))}, "normal must not be zero"),
        ({"plane": ((0, 0), (0, 0, 1))}, "plane point must be three"),
        ({"cylinder": ((0, 0, 0), (0, 0, 1), -1.0)}, "radius must be positive"),
        ({"box": ((1, 1, 1), (0, 2, 2))}, "must be below"),
        ({"nearest": (np.nan, 0, 0)}, "three finite numbers"),
    ],
)
def test_selecting_with_nonsense(plate, how, message):
    with pytest.raises(fem.InputError, match=message):
        plate.select("x", **how)


# --- what is refused ---------------------------------------------------------------------------------------


def test_an_unknown_set_lists_those_that_exist(plate, steel):
    with pytest.raises(fem.MeshError, match=r"no node set 'x2'; it has 'x0', 'x1'.*select"):
        plate.nodes_of("x2")
    with pytest.raises(fem.MeshError, match=r"no node set 'x2'"):
        fem.interface(fem.assemble(plate, steel), "x2")
    with pytest.raises(fem.InputError, match=r"no element set 'left'; it has none"):
        fem.assemble(plate, {"left": steel})


@every_solid
def test_an_inverted_element_is_named(element, steel):
    mesh = fem.box((1, 1, 1), (2, 1, 1), element)
    nodes = mesh.blocks[0].nodes.copy()
    mirror = {4: [1, 0, 2, 3], 5: [0, 3, 2, 1], 6: [3, 4, 5, 0, 1, 2], 8: [4, 5, 6, 7, 0, 1, 2, 3]}[
        fem.ELEMENTS[element].n_corners
    ]
    nodes[1, : len(mirror)] = nodes[1, mirror]
    ids = np.arange(100, 100 + len(nodes))
    bad = replace(mesh, blocks=(fem.Block(element, nodes, ids),))
    with pytest.raises(fem.MeshError, match=f"{element} element 101 is inverted .smallest Jacobian -"):
        fem.assemble(bad, steel)


def test_a_middle_node_too_far_off_is_found(steel):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "hex20")
    points = mesh.points.copy()
    points[mesh.blocks[0].nodes[0, 8]] += [0.9, 0, 0]
    with pytest.raises(fem.MeshError, match=r"hex20 element 1 is inverted"):
        fem.assemble(replace(mesh, points=points), steel)


@every_solid
def test_a_flat_element_is_degenerate(element, steel):
    mesh = fem.box((1, 1, 1), (1, 1, 1), element)
    flat = mapped(mesh, lambda x: x * [1, 1, 0])
    with pytest.raises(fem.MeshError, match=r"degenerate .*no volume"):
        fem.assemble(flat, steel)


def test_a_mirrored_file_is_recognised(steel):
    mesh = mapped(fem.box((1, 1, 1), (2, 2, 2), "tet10"), lambda x: x * [1, 1, -1])
    with pytest.raises(
        fem.MeshError, match=r"tet10 element .* and 47 more are inverted.*whole file is mirrored"
    ):
        fem.assemble(mesh, steel)


def test_a_thin_but_sound_element_is_accepted(steel):
    structure = fem.assemble(fem.box((1, 1, 1e-4), (1, 1, 1), "hex20"), steel)
    assert structure.mass == pytest.approx(0.785)


def test_a_brick_collapsed_to_a_wedge_is_accepted(steel):
    """Two corners in one place, as in many files: the Jacobian vanishes on that edge only."""
    mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8")
    nodes = mesh.blocks[0].nodes[0].copy()
    nodes[[2, 6]] = nodes[[3, 7]]
    used, local = np.unique(nodes, return_inverse=True)
    wedge = fem.Mesh(mesh.points[used], (fem.Block("hex8", local[None]),))
    structure = fem.assemble(wedge, steel)
    assert structure.mass == pytest.approx(7850 / 2)
    assert np.abs(structure.K @ structure.rigid_modes()).max() < 1e-4  # N/m, of 1e11


def test_loose_parts_are_counted(steel):
    one, two = (fem.box((1, 1, 1), (1, 1, 1), "hex8", origin=(x, 0, 0)) for x in (0, 5))
    nodes = np.vstack([one.blocks[0].nodes, two.blocks[0].nodes + 8])
    mesh = fem.Mesh(np.vstack([one.points, two.points]), (fem.Block("hex8", nodes, [17, 23]),), name="pair")
    with pytest.raises(
        fem.MeshError, match=r"'pair'.*2 loose parts, with hex8 element 17 .* and|hex8 element 23"
    ):
        fem.assemble(mesh, steel)


def test_numbers_that_are_not_finite_and_nodes_that_do_not_exist():
    mesh = irregular("tet4")
    points = mesh.points.copy()
    points[5, 1] = np.nan
    with pytest.raises(
        fem.MeshError,
        match=r"1 nodes whose coordinates are not finite or above 1e\+30 m, the first is node 6",
    ):
        replace(mesh, points=points)
    with pytest.raises(fem.MeshError, match=r"does not exist"):
        replace(mesh, points=mesh.points[:-1])
    with pytest.raises(fem.MeshError, match=r"no elements"):
        fem.Mesh(mesh.points, ())


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0.0, 0.3, 7850), "E = 0 Pa"),
        ((-1.0, 0.3, 7850), "E = -1 Pa"),
        ((210e9, 0.5, 7850), "nu = 0.5"),
        ((210e9, -1.0, 7850), "nu = -1"),
        ((210e9, 0.3, 0.0), "rho = 0 kg"),
        ((210e9, 0.3, -7850), "rho = -7850"),
        ((210e9, 0.3, np.nan), "rho = nan"),
        ((np.inf, 2.0, 0.0), "E = inf.*nu = 2.*rho = 0"),
    ],
)
def test_a_material_that_can_not_exist(numbers, message):
    with pytest.raises(fem.InputError, match=message):
        fem.Isotropic(*numbers)


def test_a_mesh_without_material_asks_for_one(plate, steel):
    with pytest.raises(
        fem.InputError, match=r"contains no complete material or property; give one: fem\.assemble"
    ):
        fem.assemble(plate)
    mesh = replace(plate, element_sets={"half": np.arange(4)})
    with pytest.raises(fem.InputError, match=r"4 elements .* no material, the first is hex20 element 5"):
        fem.assemble(mesh, {"half": steel})
    with pytest.raises(fem.InputError, match=r"fem.Isotropic"):
        fem.assemble(plate, 210e9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((1, 1, 0), (1, 1, 1)), "three positive lengths"),
        (("a", (1, 1, 1)), "lengths of a box must be three finite numbers"),
        (((1, 1, 1), (1, 0, 1)), "divisions of at least 1"),
        (((1, 1, 1), (1, 1.5, 1)), "whole numbers"),
        (
            ((1, 1, 1), (1, 1, 1), "wedge9"),
            r"no solid element 'wedge9' \(did you mean 'wedge6'\?\); there are 'tet4'",
        ),
    ],
)
def test_a_box_that_can_not_be(arguments, message):
    with pytest.raises(fem.InputError, match=message):
        fem.box(*arguments)


def test_arrays_of_a_mesh_can_not_be_changed_by_accident(plate):
    with pytest.raises(ValueError, match=r"read-only"):
        plate.points[0] = 0
    with pytest.raises(ValueError, match=r"read-only"):
        plate.blocks[0].nodes[0] = 0

"""Gmsh files, written here as gmsh's manual lays them down, and by gmsh itself where it is installed."""

from pathlib import Path

import numpy as np
import pytest
from support.fem_meshes import irregular

import fem

# gmsh's manual, "Node ordering": the ends of the edges on which the nodes after the corners lie
GMSH_EDGES = {
    "tet10": [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)],
    "hex20": [
        *[(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3)],
        *[(2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)],
    ],
}
GMSH_TYPE = {"tet4": 4, "tet10": 11, "hex8": 5, "hex20": 17}


def in_gmsh_order(mesh):
    """Node tags (from 1) of a mesh's elements in gmsh's order, found by where the middle nodes lie."""
    (block,) = mesh.blocks
    kind = fem.ELEMENTS[block.element]
    where = {tuple(np.round(x, 12)): i for i, x in enumerate(mesh.points)}
    rows = []
    for nodes in block.nodes:
        corners = nodes[: kind.n_corners]
        middles = [
            where[tuple(np.round((mesh.points[corners[a]] + mesh.points[corners[b]]) / 2, 12))]
            for a, b in GMSH_EDGES.get(block.element, [])
        ]
        rows.append([*corners, *middles])
    return np.array(rows) + 1


def numbers(row):
    return " ".join(str(value) for value in row)


def gmsh_22(mesh, groups=()):
    """Text of a 2.2 file; ``groups`` (physical tag, name) each hold all elements, which are then repeated."""
    tags = in_gmsh_order(mesh)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat"]
    if groups:
        lines += ["$PhysicalNames", str(len(groups))]
        lines += [f'3 {tag} "{name}"' for tag, name in groups] + ["$EndPhysicalNames"]
    lines += ["$Nodes", str(mesh.n_nodes)]
    lines += [f"{i} {numbers(map(repr, map(float, x)))}" for i, x in enumerate(mesh.points, 1)]
    lines += ["$EndNodes", "$Elements", str(len(tags) * max(len(groups), 1))]
    kind, n = GMSH_TYPE[mesh.blocks[0].element], 0
    for tag, _ in groups or [(0, "")]:
        for row in tags:
            n += 1
            lines.append(f"{n} {kind} 2 {tag} 1 {numbers(row)}")
    return "\n".join([*lines, "$EndElements", ""])


def gmsh_41(mesh):
    """Text of a 4.1 file with sparse node tags (all ten times as large) and one volume in two groups."""
    tags = in_gmsh_order(mesh)
    nodes = [10 * i for i in range(1, mesh.n_nodes + 1)]
    n, ne = mesh.n_nodes, len(tags)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", "2"]
    lines += ['3 1 "solid"', '3 2 "also all of it"', "$EndPhysicalNames"]
    lines += ["$Entities", "0 0 0 1", "5 0 0 0 1 1 1 2 1 2 0", "$EndEntities"]
    lines += ["$Nodes", f"1 {n} 10 {10 * n}", f"3 5 0 {n}", *map(str, nodes)]
    lines += [numbers(map(repr, map(float, x))) for x in mesh.points]
    lines += ["$EndNodes", "$Elements", f"1 {ne} 101 {100 + ne}"]
    lines.append(f"3 5 {GMSH_TYPE[mesh.blocks[0].element]} {ne}")
    lines += [f"{100 + i} {numbers(10 * row)}" for i, row in enumerate(tags, 1)]
    return "\n".join([*lines, "$EndElements", ""])


@pytest.mark.parametrize("element", GMSH_TYPE)
@pytest.mark.parametrize("write", [gmsh_22, gmsh_41], ids=["2.2", "4.1"])
def test_elements_come_out_in_our_order(element, write, tmp_path):
    """Elements and middle nodes stand where they stood: the same connectivity, hence the same volume."""
    mesh = irregular(element)
    path = tmp_path / "part.msh"
    path.write_text(write(mesh))
    read = fem.read_mesh(path)
    assert np.array_equal(read.points, mesh.points)
    assert np.array_equal(read.blocks[0].nodes, mesh.blocks[0].nodes)
    assert read.volume == pytest.approx(1.0, rel=1e-12)


def test_groups_become_sets_and_element_numbers_are_kept(tmp_path):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "tet10")
    path = tmp_path / "part.msh"
    path.write_text(gmsh_41(mesh))
    read = fem.read_mesh(path)
    assert set(read.node_sets) == set(read.element_sets) == {"solid", "also all of it"}
    assert np.array_equal(read.element_sets["also all of it"], np.arange(6))
    assert read.element_name(2) == "tet10 element 103"


def test_elements_that_2_2_repeats_for_each_group_count_once(tmp_path, steel):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "tet10")
    path = tmp_path / "part.msh"
    path.write_text(gmsh_22(mesh, [(4, "one"), (7, "two")]))
    read = fem.read_mesh(path)
    assert read.n_elements == 6
    assert np.array_equal(read.element_sets["one"], read.element_sets["two"])
    assert fem.assemble(read, steel).mass == pytest.approx(7850.0)


def test_units_scale_coordinates(tmp_path):
    path = tmp_path / "part.msh"
    path.write_text(gmsh_41(fem.box((30, 20, 10), (1, 1, 1), "hex20")))
    read = fem.read_mesh(path, units="mm")
    assert np.allclose(read.bounding_box, [[0, 0, 0], [0.03, 0.02, 0.01]])
    assert read.volume == pytest.approx(6e-6)
    assert "mm" in read.summary()


WEDGE = """$MeshFormat
4.1 0 8
$EndMeshFormat
$Nodes
1 6 1 6
3 1 0 6
1
2
3
4
5
6
0 0 0
1 0 0
0 1 0
0 0 1
1 0 1
0 1 1
$EndNodes
$Elements
1 1 1 1
3 1 6 1
1 1 2 3 4 5 6
$EndElements
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "not a gmsh mesh"),
        ("", "not a gmsh mesh"),
        ("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "format 4;.*msh41"),
        (WEDGE, "1 wedge6"),
        (WEDGE.replace("3 1 6 1\n", "3 1 29 1\n"), "element type 29"),
        (WEDGE.replace("1 1 2 3 4 5 6", "1 1 2 3 4 5 9"), "damaged"),
        (WEDGE.replace("0 1 1\n$EndNodes", "$EndNodes"), "damaged.*ends too early"),
        (WEDGE[: WEDGE.index("$EndElements")], "damaged.*not closed"),
        (WEDGE.replace("0 1 1\n", "0 1 one\n"), "damaged"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(text, message, tmp_path, capfd):
    path = tmp_path / "part.msh"
    path.write_text(text)
    with pytest.raises(fem.FileError, match=message) as caught:
        fem.read_mesh(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_mesh_without_solids_says_what_it_holds(tmp_path):
    path = tmp_path / "shell.msh"
    path.write_text(WEDGE.replace("3 1 6 1\n1 1 2 3 4 5 6", "2 1 2 1\n1 1 2 3"))
    with pytest.raises(fem.MeshError, match="no solid elements, only 1 tri3"):
        fem.read_mesh(path)


# --- by gmsh itself ----------------------------------------------------------------------------------------


@pytest.fixture
def gmsh():
    module = pytest.importorskip("gmsh", reason="gmsh's Python package is a development dependency")
    module.initialize(interruptible=False)  # or it takes Ctrl-C away from the tests that follow
    module.option.setNumber("General.Terminal", 0)
    yield module
    module.finalize()


def quarter_ring(gmsh, quadrilateral):
    """A quarter of a thick ring, radii 0.5 and 1, height 0.4; a surface and a point share a group's name."""
    occ = gmsh.model.occ
    ring = occ.cut(
        [(3, occ.addCylinder(0, 0, 0, 0, 0, 0.4, 1.0))], [(3, occ.addCylinder(0, 0, 0, 0, 0, 0.4, 0.5))]
    )
    corner = occ.addBox(0, 0, 0, 1, 1, 0.4)
    occ.intersect(ring[0], [(3, corner)])
    occ.synchronize()
    inner = [
        tag
        for _, tag in gmsh.model.getEntities(2)
        if gmsh.model.getType(2, tag) == "Cylinder" and gmsh.model.getBoundingBox(2, tag)[3] < 0.51
    ]
    gmsh.model.addPhysicalGroup(3, [gmsh.model.getEntities(3)[0][1]], 1, "ring")
    gmsh.model.addPhysicalGroup(2, inner, 2, "bore")
    gmsh.model.addPhysicalGroup(0, [gmsh.model.getEntities(0)[0][1]], 3, "bore")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.25)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 24)
    if quadrilateral:
        gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1)
        for _, tag in gmsh.model.getEntities(1):
            gmsh.model.mesh.setTransfiniteCurve(tag, 7)
        for _, tag in gmsh.model.getEntities(2):
            gmsh.model.mesh.setTransfiniteSurface(tag)
            gmsh.model.mesh.setRecombine(2, tag)
        for _, tag in gmsh.model.getEntities(3):
            gmsh.model.mesh.setTransfiniteVolume(tag)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)


@pytest.mark.parametrize("quadrilateral", [False, True], ids=["tet10", "hex20"])
@pytest.mark.parametrize("version", [2.2, 4.1])
@pytest.mark.parametrize("binary", [0, 1], ids=["text", "binary"])
@pytest.mark.parametrize("save_all", [0, 1], ids=["groups", "all"])
def test_what_gmsh_writes(gmsh, quadrilateral, version, binary, save_all, tmp_path: Path):
    quarter_ring(gmsh, quadrilateral)
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    gmsh.option.setNumber("Mesh.SaveAll", save_all)
    path = tmp_path / "ring.msh"
    gmsh.write(str(path))
    mesh = fem.read_mesh(path)
    assert {block.element for block in mesh.blocks} == {"hex20" if quadrilateral else "tet10"}
    # parabolas through three points of an arc of 15 degrees enclose the circle's area to 1e-6
    assert mesh.volume == pytest.approx(np.pi / 4 * (1 - 0.25) * 0.4, rel=1e-5)
    if version == 2.2 and save_all:
        return  # gmsh leaves out the groups then
    assert set(mesh.node_sets) == {"ring", "bore"}  # the surface and the point of one name are one set
    frame = fem.interface(mesh, "bore")
    assert frame.area == pytest.approx(np.pi / 2 * 0.5 * 0.4, rel=1e-5)
    # centroid of a quarter circle: 2 r / pi
    assert frame.point == pytest.approx([1 / np.pi, 1 / np.pi, 0.2], rel=1e-5)
    on_bore = np.linalg.norm(mesh.points[mesh.faces["bore"][0].nodes][..., :2], axis=-1)
    assert np.allclose(on_bore, 0.5, atol=1e-6)

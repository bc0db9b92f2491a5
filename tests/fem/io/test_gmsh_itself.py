"""Gmsh files that gmsh itself writes, where its Python package is installed."""

from pathlib import Path

import numpy as np
import pytest

import fem

pytestmark = pytest.mark.slow  # together a second or more

#: gmsh's numbers of the types that are read as elements
TYPES = {
    "tet4": 4,
    "tet10": 11,
    "hex8": 5,
    "hex20": 17,
    "hex27": 12,
    "wedge6": 6,
    "wedge15": 18,
    "pyramid5": 7,
    "pyramid13": 19,
}
TYPES |= {"line2": 1, "line3": 8, "tri3": 2, "quad4": 3, "tri6": 9, "quad8": 16, "quad9": 10}


@pytest.fixture
def gmsh():
    module = pytest.importorskip("gmsh", reason="gmsh's Python package is a development dependency")
    module.initialize(interruptible=False)  # or it takes Ctrl-C away from the tests that follow
    module.option.setNumber("General.Terminal", 0)
    yield module
    module.finalize()


def reference_element(gmsh, number):
    """A model of one element at gmsh's own reference coordinates; returns its dimension."""
    _, dim, _, count, local, _ = gmsh.model.mesh.getElementProperties(number)
    points = np.zeros((count, 3))
    points[:, :dim] = local.reshape(count, dim)
    gmsh.model.addDiscreteEntity(dim, 1)
    gmsh.model.mesh.addNodes(dim, 1, range(1, count + 1), points.ravel())
    gmsh.model.mesh.addElementsByType(1, number, [1], range(1, count + 1))
    return dim


def assert_in_our_order(path, element, dim):
    """Reference coordinates are the same in gmsh and here, but for the order."""
    mesh = fem.read_mesh(path)
    (block,) = mesh.blocks
    assert block.element == element
    expected = fem.elements.SHAPES[element].nodes
    assert np.allclose(mesh.points[block.nodes[0]][:, :dim], expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("version", [2.2, 4.1])
@pytest.mark.parametrize("binary", [0, 1], ids=["text", "binary"])
def test_nodes_stand_where_gmsh_says(gmsh, element, version, binary, tmp_path):
    dim = reference_element(gmsh, TYPES[element])
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    path = tmp_path / "one.msh"
    gmsh.write(str(path))
    assert_in_our_order(path, element, dim)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("ending", [".inp", ".vtk"])
def test_gmsh_as_a_writer_of_other_formats(gmsh, element, ending, tmp_path):
    """It knows the node orders of Abaqus and VTK too; its surfaces for Abaqus are plane, or membranes of nine nodes."""
    dim = reference_element(gmsh, TYPES[element])
    path = tmp_path / f"one{ending}"
    gmsh.write(str(path))
    if dim == 2 and ending == ".inp" and element != "quad9":
        with pytest.raises(fem.FileError, match=r"type CPS[3-8].*gmsh writes surfaces.*read its \.msh"):
            fem.read_mesh(path)
        return
    if (element, ending) == ("pyramid13", ".vtk"):  # gmsh gives it the type of the pyramid with five nodes
        with pytest.raises(fem.FileError, match="can't read"):
            fem.read_mesh(path)
        return
    assert_in_our_order(path, element, dim)


def quarter_ring(gmsh, kind):
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
    if kind.startswith("hex"):
        gmsh.option.setNumber("Mesh.SecondOrderIncomplete", int(kind == "hex20"))
        for _, tag in gmsh.model.getEntities(1):
            gmsh.model.mesh.setTransfiniteCurve(tag, 7)
        for _, tag in gmsh.model.getEntities(2):
            gmsh.model.mesh.setTransfiniteSurface(tag)
            gmsh.model.mesh.setRecombine(2, tag)
        for _, tag in gmsh.model.getEntities(3):
            gmsh.model.mesh.setTransfiniteVolume(tag)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)


@pytest.mark.parametrize("kind", ["tet10", "hex20", "hex27"])
@pytest.mark.parametrize("version", [2.2, 4.1])
@pytest.mark.parametrize("binary", [0, 1], ids=["text", "binary"])
@pytest.mark.parametrize("save_all", [0, 1], ids=["groups", "all"])
def test_what_gmsh_writes(gmsh, kind, version, binary, save_all, tmp_path: Path):
    quarter_ring(gmsh, kind)
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    gmsh.option.setNumber("Mesh.SaveAll", save_all)
    path = tmp_path / "ring.msh"
    gmsh.write(str(path))
    mesh = fem.read_mesh(path)
    assert {block.element for block in mesh.blocks} == {kind}
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


@pytest.mark.parametrize("binary", [0, 1], ids=["text", "binary"])
def test_parametric_coordinates_are_left_out_of_4_1_and_named_in_2_2(gmsh, binary, tmp_path):
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.mesh.generate(3)
    gmsh.option.setNumber("Mesh.SaveParametric", 1)
    gmsh.option.setNumber("Mesh.Binary", binary)
    gmsh.option.setNumber("Mesh.MshFileVersion", 2.2)
    old, new = tmp_path / "old.msh", tmp_path / "new.msh"
    gmsh.write(str(old))
    with pytest.raises(fem.FileError, match=r"old\.msh holds parametric coordinates.*SaveParametric = 0"):
        fem.read_mesh(old)
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
    gmsh.write(str(new))
    assert fem.read_mesh(new).volume == pytest.approx(1.0, rel=1e-12)  # round-off of a unit cube


@pytest.mark.parametrize(("order", "kind"), [(1, "wedge6"), (2, "wedge15")])
def test_wedges_of_an_extruded_disc(gmsh, order, kind, tmp_path):
    disc = gmsh.model.occ.addDisk(0, 0, 0, 1, 1)
    gmsh.model.occ.extrude([(2, disc)], 0, 0, 0.5, numElements=[2], recombine=True)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [1], 1, "disc")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.25)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(order)
    path = tmp_path / "disc.msh"
    gmsh.write(str(path))
    mesh = fem.read_mesh(path)
    assert {block.element for block in mesh.blocks} == {kind}
    # 26 sides: chords enclose sin(x) / x of the circle, x = 2 pi / 26; parabolas all but x^4 / 480 or so
    x = 2 * np.pi / 26
    assert mesh.volume == pytest.approx(np.pi / 2 * (np.sin(x) / x if order == 1 else 1), rel=1e-5)
    assert fem.assemble(mesh, fem.Isotropic(1e9, 0.3, 1000.0)).mass == pytest.approx(1000 * mesh.volume)


def plate_with_hole(gmsh, recombine, order=1):
    """A plate 2 x 1 with a round hole, its outer rim a group of lines."""
    occ = gmsh.model.occ
    occ.cut([(2, occ.addRectangle(0, 0, 0, 2, 1))], [(2, occ.addDisk(1, 0.5, 0, 0.25, 0.25))])
    occ.synchronize()
    gmsh.model.addPhysicalGroup(2, [1], 1, "plate")
    straight = [tag for _, tag in gmsh.model.getEntities(1) if gmsh.model.getType(1, tag) == "Line"]
    gmsh.model.addPhysicalGroup(1, straight, 2, "rim")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.12)
    gmsh.option.setNumber("Mesh.RecombineAll", int(recombine))
    gmsh.model.mesh.generate(2)
    gmsh.model.mesh.setOrder(order)


@pytest.mark.parametrize("recombine", [False, True], ids=["triangles", "quadrilaterals"])
@pytest.mark.parametrize("version", [2.2, 4.1])
def test_a_plate_and_its_rim(gmsh, recombine, version, tmp_path):
    plate_with_hole(gmsh, recombine)
    path = tmp_path / "plate.msh"
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.write(str(path))
    mesh = fem.read_mesh(path, elements=("rim",))
    shells = {block.element for block in mesh.shells}
    assert shells == {"tri3"} if not recombine else "quad4" in shells
    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    given = {"plate": fem.Shell(steel, thickness=0.01), "rim": fem.Beam(steel, fem.Rectangle(0.02, 0.03))}
    _, theirs, _ = gmsh.model.mesh.getElements(2, 1)
    area = sum(gmsh.model.mesh.getElementQualities(np.concatenate(theirs), "volume"))
    assert area == pytest.approx(2 - np.pi / 16, rel=5e-3)  # the hole is a polygon
    assert fem.assemble(mesh, given).mass == pytest.approx(7850 * (area * 0.01 + 6 * 6e-4), rel=1e-9)
    assert {block.element for block in fem.read_mesh(path).blocks} == shells


@pytest.mark.parametrize("incomplete", [0, 1])
def test_a_quadratic_plate_has_a_round_hole(gmsh, incomplete, tmp_path):
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", incomplete)
    plate_with_hole(gmsh, recombine=True, order=2)
    path = tmp_path / "plate.msh"
    gmsh.write(str(path))
    mesh = fem.read_mesh(path)
    assert "quad8" if incomplete else "quad9" in {block.element for block in mesh.shells}
    shell = fem.Shell(fem.Isotropic(210e9, 0.3, 7850.0), thickness=0.01)
    # parabolas through points of the circle at most 0.12 apart: (0.12 / 0.25)^4 / 180 of the hole
    assert fem.assemble(mesh, shell).mass == pytest.approx(78.5 * (2 - np.pi / 16), rel=5e-5)


def test_complete_pyramids_and_wedges_are_refused(gmsh, tmp_path):
    for number, name in ((13, "wedge18"), (14, "pyramid14")):
        gmsh.clear()
        reference_element(gmsh, number)
        path = tmp_path / f"{name}.msh"
        gmsh.write(str(path))
        with pytest.raises(fem.FileError, match=f"1 {name}; mesh with tetrahedra.*SecondOrderIncomplete"):
            fem.read_mesh(path)


@pytest.mark.parametrize("version", [2.2, 4.1])
def test_bricks_and_tetrahedra_joined_by_pyramids_under_a_skin(gmsh, version, tmp_path):
    """Two cubes, one of bricks; volumes as gmsh itself counts them (its tetrahedra overlap the pyramids a little)."""
    occ, mesher = gmsh.model.occ, gmsh.model.mesh
    occ.fragment([(3, occ.addBox(0, 0, 0, 1, 1, 1))], [(3, occ.addBox(1, 0, 0, 1, 1, 1))])
    occ.synchronize()
    left, right = gmsh.model.getEntities(3)
    for _, face in gmsh.model.getBoundary([left], oriented=False):
        for _, edge in gmsh.model.getBoundary([(2, face)], oriented=False):
            mesher.setTransfiniteCurve(edge, 4)
        mesher.setTransfiniteSurface(face)
        mesher.setRecombine(2, face)
    mesher.setTransfiniteVolume(left[1])
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.34)
    outside = [tag for _, tag in gmsh.model.getBoundary([left, right], oriented=False)]
    for dim, tags, name in ((3, [left[1], right[1]], "all"), (3, [left[1]], "left"), (2, outside, "skin")):
        gmsh.model.addPhysicalGroup(dim, tags, -1, name)
    mesher.generate(3)
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    path = tmp_path / "cubes.msh"
    gmsh.write(str(path))
    mesh = fem.read_mesh(path, elements=("skin",))
    for kind in ("hex8", "tet4", "pyramid5"):
        tags, _ = mesher.getElementsByType(TYPES[kind])
        theirs = sum(mesher.getElementQualities(tags, "volume"))
        assert mesh.element_volumes[mesh.elements_of(kind)].sum() == pytest.approx(theirs, rel=1e-12)
    assert mesh.element_volumes[mesh.element_sets["left"]].sum() == pytest.approx(1.0, rel=1e-12)
    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    structure = fem.assemble(mesh, {"all": steel, "skin": fem.Shell(steel, thickness=0.01)})
    assert structure.mass == pytest.approx(7850 * (mesh.volume + 10 * 0.01), rel=1e-12)

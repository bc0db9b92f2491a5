"""VTK files through meshio."""

import meshio
import numpy as np
import pytest
import pyvista
from support import mixed
from support.fem_meshes import irregular

import fem

#: VTK's names of its cells, https://vtk.org/doc/nightly/html/vtkCellType_8h_source.html
CELLS = {
    "tet4": "TETRA",
    "tet10": "QUADRATIC_TETRA",
    "hex8": "HEXAHEDRON",
    "hex20": "QUADRATIC_HEXAHEDRON",
    "hex27": "TRIQUADRATIC_HEXAHEDRON",
    "wedge6": "WEDGE",
    "wedge15": "QUADRATIC_WEDGE",
    "pyramid5": "PYRAMID",
    "pyramid13": "QUADRATIC_PYRAMID",
    "tri3": "TRIANGLE",
    "quad4": "QUAD",
    "tri6": "QUADRATIC_TRIANGLE",
    "quad8": "QUADRATIC_QUAD",
    "quad9": "BIQUADRATIC_QUAD",
    "line2": "LINE",
    "line3": "QUADRATIC_EDGE",
}


# meshio 5.3.5 can't hold wedge15 and pyramid13 in a mesh; VTK itself writes it below
@pytest.mark.parametrize("element", [name for name in fem.ELEMENTS if name not in ("wedge15", "pyramid13")])
@pytest.mark.parametrize("ending", [".vtu", ".vtk"])
def test_round_trip(element, ending, tmp_path):
    """Nothing is reordered: VTK's node order is ours (see the next test)."""
    mesh = irregular(element)
    path = tmp_path / f"part{ending}"
    flags = np.zeros(mesh.n_nodes, np.int32)
    flags[mesh.node_sets["x0"]] = 1
    cells = [(fem.ELEMENTS[element].meshio, mesh.blocks[0].nodes)]
    data = {"left": flags, "temperature": np.linspace(0, 1, mesh.n_nodes)}
    meshio.write(path, meshio.Mesh(mesh.points, cells, point_data=data))
    read = fem.read_mesh(path)
    assert np.array_equal(read.blocks[0].nodes, mesh.blocks[0].nodes)
    assert read.volume == pytest.approx(1.0, rel=1e-12)
    assert list(read.node_sets) == ["left"]
    assert np.array_equal(read.node_sets["left"], mesh.node_sets["x0"])


@pytest.mark.parametrize("element", CELLS)
def test_vtk_has_the_same_nodes_at_the_same_places(element):
    """VTK's own cells give the reference coordinates of their nodes, from 0 to 1 where ours go from -1 to 1."""
    kind = fem.elements.SHAPES[element]
    count = kind.n_nodes
    cells = {pyvista.CellType[CELLS[element]]: np.arange(count)[None]}
    at = pyvista.UnstructuredGrid(cells, np.zeros((count, 3))).GetCell(0).GetParametricCoords()
    theirs = np.array([at[i] for i in range(3 * count)]).reshape(count, 3)
    low, high = kind.nodes.min(axis=0), kind.nodes.max(axis=0)
    ours = (kind.nodes - low) / (high - low)
    if element.startswith("pyramid"):
        assert theirs[4, 2] == 1  # theirs is a cube collapsed to a point at the top
        ours[4] = theirs[4]
        ours[9:, :2] = ours[: count - 9 if count > 9 else 0, :2]
    assert np.allclose(theirs[:, : kind.dim], ours)


@pytest.mark.parametrize("element", fem.ELEMENTS)
@pytest.mark.parametrize("ending", [".vtu", ".vtk"])
@pytest.mark.parametrize("compressed", [False, True])
def test_what_vtk_writes(element, ending, compressed, tmp_path, steel):
    """Written by VTK from the node order of its shape functions."""
    mesh = irregular(element)
    grid = pyvista.UnstructuredGrid({pyvista.CellType[CELLS[element]]: mesh.blocks[0].nodes}, mesh.points)
    path = tmp_path / f"part{ending}"
    grid.save(
        path,
        **({"compression": "zlib" if compressed else None} if ending == ".vtu" else {"binary": compressed}),
    )
    read = fem.read_mesh(path)
    assert read.blocks[0].element == element
    assert np.array_equal(read.blocks[0].nodes, mesh.blocks[0].nodes)
    assert fem.assemble(read, steel).mass == pytest.approx(7850.0, rel=1e-6)  # .vtk may hold 32-bit points


@pytest.mark.parametrize("element", ["wedge6", "wedge15"])
def test_wedges_with_their_triangles_the_other_way_round_are_turned(element, tmp_path, steel):
    """As VTK's manual draws them; a mesh of both kinds comes out as drawn here."""
    mesh = irregular(element)
    nodes = mesh.blocks[0].nodes.copy()
    mirrored = [0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13][: nodes.shape[1]]
    nodes[::2] = nodes[::2, mirrored]
    path = tmp_path / "part.vtu"
    pyvista.UnstructuredGrid({pyvista.CellType[CELLS[element]]: nodes}, mesh.points).save(path)
    read = fem.read_mesh(path)
    assert np.array_equal(read.blocks[0].nodes, mesh.blocks[0].nodes)
    assert fem.assemble(read, steel).mass == pytest.approx(7850.0)


def grid_of(*kinds):
    """The cells of ``mixed`` of some kinds as VTK holds them."""
    cells = {pyvista.CellType[CELLS[kind]]: np.array(mixed.CELLS[kind]) for kind in kinds}
    return pyvista.UnstructuredGrid(cells, mixed.POINTS)


@pytest.mark.parametrize("ending", [".vtu", ".vtk"])
def test_cells_of_the_highest_dimension_are_the_elements(ending, tmp_path, steel):
    path = tmp_path / f"mixed{ending}"
    grid_of("quad4", "hex8", "line2", "pyramid5", "tri3", "tet4", "wedge6").save(path)
    mesh = fem.read_mesh(path)
    assert {block.element for block in mesh.blocks} == set(mixed.SOLIDS)
    assert mesh.volume == pytest.approx(mixed.VOLUME)
    assert [mesh.element_name(e).split()[0] for e in mesh.elements_of("tet4")] == ["tet4"]
    grid_of("quad4", "line2", "tri3").save(path)
    mesh = fem.read_mesh(path)
    assert {block.element for block in mesh.blocks} == set(mixed.SHELLS)
    shell = fem.assemble(mesh, fem.Shell(steel, thickness=0.01))
    assert shell.mass == pytest.approx(7850 * 0.01 * mixed.AREA)
    grid_of("line2").save(path)
    truss = fem.assemble(fem.read_mesh(path), fem.Truss(steel, area=1e-4))
    assert truss.mass == pytest.approx(7850 * 1e-4 * mixed.LENGTH)


def test_a_truss_of_three_nodes(tmp_path, steel):
    path = tmp_path / "bar.vtu"
    points = np.array([[0, 0, 0], [0, 3.0, 4.0], [0, 1.5, 2.0]])
    pyvista.UnstructuredGrid({pyvista.CellType.QUADRATIC_EDGE: np.array([[0, 1, 2]])}, points).save(path)
    mesh = fem.read_mesh(path)
    assert mesh.blocks[0].element == "line3"
    assert fem.assemble(mesh, fem.Truss(steel, area=1e-4)).mass == pytest.approx(7850 * 5e-4)


@pytest.mark.parametrize(
    ("cell", "count", "message"),
    [
        ("VOXEL", 8, r"voxels.*type 12"),
        ("BIQUADRATIC_QUADRATIC_WEDGE", 18, "1 wedge18; mesh with"),
        ("PIXEL", 4, r"can't read .*pixel"),
    ],
)
def test_cells_that_can_be_no_elements(cell, count, message, tmp_path):
    """Refused where they are of the highest dimension, also beside others that could be used."""
    path = tmp_path / "part.vtu"
    points = np.random.default_rng(1).random((count, 3))
    pyvista.UnstructuredGrid({pyvista.CellType[cell]: np.arange(count)[None]}, points).save(path)
    with pytest.raises(fem.FileError, match=message):
        fem.read_mesh(path)


def test_elements_are_named_in_gmsh_files_only(tmp_path):
    grid_of("hex8").save(tmp_path / "part.vtu")
    with pytest.raises(fem.InputError, match=r"physical groups of a gmsh file, which .*part\.vtu is not"):
        fem.read_mesh(tmp_path / "part.vtu", elements=("skin",))


def test_nodes_without_an_element_are_dropped_and_sets_follow(tmp_path):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8")
    points = np.vstack([[9.0, 9.0, 9.0], mesh.points, [7.0, 7.0, 7.0]])
    right = np.zeros(10, np.int32)
    right[1 + mesh.node_sets["x1"]] = 1
    lost = np.zeros(10, np.int32)
    lost[0] = 1
    path = tmp_path / "part.vtu"
    cells = [("hexahedron", mesh.blocks[0].nodes + 1), ("line", [[0, 9]])]
    meshio.write(path, meshio.Mesh(points, cells, point_data={"right": right, "lost": lost}))
    with pytest.warns(fem.FlexbodyWarning, match=r"'lost'.*no node on an element"):
        read = fem.read_mesh(path)
    assert read.n_nodes == 8
    assert np.array_equal(read.points[read.node_sets["right"]][:, 0], np.ones(4))
    assert "lost" not in read.node_sets


@pytest.mark.parametrize(
    ("ending", "text"), [(".vtu", "<VTKFile>"), (".vtu", ""), (".vtk", "nonsense\n" * 9)]
)
def test_whatever_meshio_does_becomes_one_error(ending, text, tmp_path, capfd):
    path = tmp_path / f"part{ending}"
    path.write_text(text)
    with pytest.raises(fem.FileError, match=f"can't read .*part{ending}, line 1, as {ending[1:]}") as caught:
        fem.read_mesh(path)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_meshio_exiting_or_printing_is_caught(tmp_path, capfd, monkeypatch):
    def rude(*_, **__):
        print("I don't like this file")
        raise SystemExit(1)

    path = tmp_path / "part.vtu"
    path.write_text("<VTKFile>")
    monkeypatch.setattr(meshio, "read", rude)
    with pytest.raises(fem.FileError, match=r"I don't like this file"):
        fem.read_mesh(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.msh", "there is no file"),
        ("nowhere/missing.msh", "nor a folder"),
        ("part.fem", r"'\.fem' is not one of"),
        ("part.stl", "surface, not a mesh of solids"),
        ("part.mtx", r"fem\.from_matrices reads them"),
        ("part.SID_FEM", r"modal\.read_sid reads it"),
        ("part.xyz", r"'\.xyz' is not one of"),
        ("part", "without an ending"),
    ],
)
def test_what_is_not_a_mesh_file(name, message, tmp_path):
    if not name.startswith(("missing", "nowhere")):
        (tmp_path / name).write_text("anything")
    with pytest.raises(fem.FileError, match=message):
        fem.read_mesh(tmp_path / name)


def test_a_folder_and_unknown_units(tmp_path):
    with pytest.raises(fem.FileError, match=r"is a folder"):
        fem.read_mesh(tmp_path)
    with pytest.raises(fem.InputError, match=r"no units 'furlong'.*'mm'"):
        fem.read_mesh(tmp_path / "part.msh", units="furlong")

"""VTK files through meshio."""

import meshio
import numpy as np
import pytest
from support.fem_meshes import irregular

import fem


# meshio 5.3.5 knows wedge15 in files but not its dimension, and can't hold it in a mesh
@pytest.mark.parametrize("element", [name for name in fem.ELEMENTS if name != "wedge15"])
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


@pytest.mark.parametrize("element", ["tet10", "hex20"])
def test_vtk_knows_the_same_edges(element):
    """VTK's own cell objects list each edge as its two ends and the node between them."""
    pyvista = pytest.importorskip("pyvista")
    kind = fem.ELEMENTS[element]
    cell_type = {"tet10": pyvista.CellType.QUADRATIC_TETRA, "hex20": pyvista.CellType.QUADRATIC_HEXAHEDRON}
    cells = np.concatenate([[kind.n_nodes], np.arange(kind.n_nodes)])
    grid = pyvista.UnstructuredGrid(cells, [cell_type[element]], kind.nodes)
    theirs = {tuple(edge.point_ids) for edge in grid.get_cell(0).edges}
    ours = {(a, b, kind.n_corners + k) for k, (a, b) in enumerate(kind.edges)}
    assert {(frozenset(e[:2]), e[2]) for e in theirs} == {(frozenset(e[:2]), e[2]) for e in ours}


def test_nodes_without_a_solid_are_dropped_and_sets_follow(tmp_path):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8")
    points = np.vstack([[9.0, 9.0, 9.0], mesh.points, [7.0, 7.0, 7.0]])
    right = np.zeros(10, np.int32)
    right[1 + mesh.node_sets["x1"]] = 1
    lost = np.zeros(10, np.int32)
    lost[0] = 1
    path = tmp_path / "part.vtu"
    cells = [("hexahedron", mesh.blocks[0].nodes + 1), ("line", [[0, 9]])]
    meshio.write(path, meshio.Mesh(points, cells, point_data={"right": right, "lost": lost}))
    with pytest.warns(fem.FlexbodyWarning, match=r"'lost'.*no node on a solid"):
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
    with pytest.raises(fem.FileError, match=f"can't read .*part{ending} as {ending[1:]}") as caught:
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
        ("part.bdf", "Nastran.*gmsh FILE.bdf"),
        ("part.step", "geometry, not a mesh"),
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

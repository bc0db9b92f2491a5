"""Exodus files written here as their manual lays them down, XDMF by meshio, MED and universal files by gmsh."""

import subprocess
import sys

import h5py
import meshio
import numpy as np
import pytest
import scipy.io
from support.fem_meshes import irregular
from support.gmsh import needs_gmsh

import fem
from fem.io import cad

#: EXODUS II (SAND92-2137), node ordering: between which corners the nodes after the corners lie
MIDDLES = {
    "tet10": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    "hex20": [
        *[(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5)],
        *[(2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)],
    ],
    "wedge15": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)],
}
TYPES = {"tet4": "TETRA", "tet10": "TETRA10", "hex8": "HEX8", "hex20": "HEX", "wedge6": "WEDGE", "wedge15": "WEDGE15",
         "pyramid5": "PYRAMID"}  # fmt: skip
#: corners of the sides of solids, numbered from 1 (figure of the manual)
SIDES = {
    "hex": [(1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (1, 5, 8, 4), (1, 4, 3, 2), (5, 6, 7, 8)],
    "tet": [(1, 2, 4), (2, 3, 4), (1, 4, 3), (1, 3, 2)],
    "wed": [(1, 2, 5, 4), (2, 3, 6, 5), (1, 4, 6, 3), (1, 3, 2), (4, 5, 6)],
    "pyr": [(1, 2, 5), (2, 3, 5), (3, 4, 5), (1, 5, 4), (1, 4, 3, 2)],
}


def in_order(mesh):
    """Nodes from 1 in the order of Exodus, found by where the middle nodes lie."""
    (block,) = mesh.blocks
    where = {tuple(np.round(x, 12)): i for i, x in enumerate(mesh.points)}
    rows = []
    for nodes in block.nodes:
        corners = nodes[: fem.ELEMENTS[block.element].n_corners]
        pairs = MIDDLES.get(block.element, [])
        rows.append(
            [
                *corners,
                *(where[tuple(np.round(mesh.points[corners[[i, j]]].mean(axis=0), 12))] for i, j in pairs),
            ]
        )
    return np.array(rows) + 1


def sides_at(mesh, name):
    """Elements and sides, from 1, whose corners all belong to a node set."""
    (block,), inside = mesh.blocks, set(mesh.node_sets[name].tolist())
    return np.array([
        (e, s)
        for e, nodes in enumerate(block.nodes, 1)
        for s, corners in enumerate(SIDES[block.element[:3]], 1)
        if all(int(nodes[c - 1]) in inside for c in corners)
    ])  # fmt: skip


def variables(mesh):
    """The variables of a file: positions, one block "body", a node set "left", a side set "right"."""
    (block,) = mesh.blocks
    names = {"eb_names": b"body", "ns_names": b"left", "ss_names": b"right"}
    sides = sides_at(mesh, "x1")
    return {
        **{f"coord{a}": mesh.points[:, k] for k, a in enumerate("xyz")},
        "connect1": in_order(mesh).astype(np.int32),
        **{key: np.frombuffer(name.ljust(33, b"\0"), "S1").reshape(1, 33) for key, name in names.items()},
        "node_ns1": (mesh.node_sets["x0"] + 1).astype(np.int32),
        "elem_ss1": sides[:, 0].astype(np.int32),
        "side_ss1": sides[:, 1].astype(np.int32),
        "elem_num_map": (10 * np.arange(1, len(block) + 1)).astype(np.int32),
    }, TYPES[block.element]


def netcdf(path, mesh, **other):
    found, kind = variables(mesh)
    with scipy.io.netcdf_file(path, "w", version=2) as file:
        for name, values in {**found, **other}.items():
            dims = tuple(f"{name}_{k}" for k in range(values.ndim))
            for dim, size in zip(dims, values.shape, strict=True):
                file.createDimension(dim, size)
            kind_of_number = "c" if values.dtype.kind == "S" else values.dtype.char
            file.createVariable(name, kind_of_number, dims)[:] = values
        file.variables["connect1"].elem_type = kind.encode()


def hdf5(path, mesh):
    found, kind = variables(mesh)
    with h5py.File(path, "w") as file:
        for name, values in found.items():
            file[name] = values
        file["connect1"].attrs["elem_type"] = np.bytes_(kind)


@pytest.mark.parametrize("write", [netcdf, hdf5])
@pytest.mark.parametrize("kind", TYPES)
def test_exodus(kind, write, tmp_path):
    """Nodes in our order, names of blocks and sets, faces of sides, numbers of elements."""
    mesh = irregular(kind)
    write(tmp_path / "part.e", mesh)
    found = fem.read_mesh(tmp_path / "part.e")
    assert found.blocks[0].element == kind
    np.testing.assert_array_equal(found.blocks[0].nodes, mesh.blocks[0].nodes)
    np.testing.assert_array_equal(found.blocks[0].ids, 10 * np.arange(1, mesh.n_elements + 1))
    np.testing.assert_allclose(found.points, mesh.points, atol=1e-15)
    assert set(found.node_sets) == {"left", "right"}
    np.testing.assert_array_equal(found.node_sets["left"], mesh.node_sets["x0"])
    np.testing.assert_array_equal(found.node_sets["right"], mesh.node_sets["x1"])
    assert found.elements_of("body").tolist() == list(range(mesh.n_elements))
    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    area = [
        fem.interface(fem.assemble(each, steel), name).area for each, name in ((found, "right"), (mesh, "x1"))
    ]
    assert area[0] == pytest.approx(area[1], rel=1e-12)


def test_damaged_exodus_files(tmp_path):
    """Cut off at any place: one error, or the mesh itself where only the last bytes are missing."""
    mesh, path = irregular("hex8"), tmp_path / "part.exo"
    netcdf(path, mesh)
    whole = path.read_bytes()
    for size in (0, 3, 40, len(whole) // 3, len(whole) // 2, len(whole) - 200):
        path.write_bytes(whole[:size])
        with pytest.raises(fem.FlexbodyError, match=r"part\.exo"):
            fem.read_mesh(path)
    wrong = in_order(mesh).astype(np.int32)
    wrong[0, 0] = 999
    netcdf(path, mesh, connect1=wrong)
    with pytest.raises(fem.FileError, match="hex8 element 10 uses node 999, and the file holds nodes 1 to"):
        fem.read_mesh(path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("node_ns1", 0, "node set 'left' holds node 0, and there are 1 to 27;"),
        ("node_ns1", 28, "node set 'left' holds node 28, and there are 1 to 27;"),
        ("elem_ss1", 9, "side set 'right' holds sides of element 9, and there are 1 to 8;"),
        ("side_ss1", 0, "side set 'right' holds side 0, and there are 1 to 6;"),
    ],
)
def test_wrong_members_of_sets_of_exodus(name, value, message, tmp_path):
    mesh, path = irregular("hex8"), tmp_path / "part.e"
    assert (mesh.n_nodes, mesh.n_elements) == (27, 8)
    members = variables(mesh)[0][name].copy()
    members[0] = value
    netcdf(path, mesh, **{name: members})
    with pytest.raises(fem.FileError, match=message):
        fem.read_mesh(path)


def test_elements_of_exodus_that_are_not_read_are_named(tmp_path):
    mesh, path = irregular("hex8"), tmp_path / "part.e"
    netcdf(path, mesh)
    path.write_bytes(path.read_bytes().replace(b"HEX8", b"NAN8"))
    with pytest.raises(fem.FileError, match=f"{mesh.n_elements} NAN8 of 8 nodes"):
        fem.read_mesh(path)


@pytest.mark.parametrize("kind", ["tet4", "tet10", "hex8", "hex20", "pyramid5"])
def test_xdmf(kind, tmp_path):
    mesh, path = irregular(kind), tmp_path / "part.xdmf"
    flags = np.isin(np.arange(mesh.n_nodes), mesh.node_sets["x0"]).astype(np.int32)
    cells = [(fem.ELEMENTS[kind].meshio, mesh.blocks[0].nodes)]
    meshio.write(path, meshio.Mesh(mesh.points, cells, point_data={"left": flags}))
    found = fem.read_mesh(path)
    np.testing.assert_array_equal(found.blocks[0].nodes, mesh.blocks[0].nodes)
    np.testing.assert_array_equal(found.node_sets["left"], mesh.node_sets["x0"])
    text = path.read_text()
    for size in (10, len(text) // 2):
        path.write_text(text[:size])
        with pytest.raises(fem.FileError, match=r"can't read .*part\.xdmf"):
            fem.read_mesh(path)


#: writes a bar of 1 x 0.2 x 0.2 m in quadratic tetrahedra, with groups, in a process of its own
SCRIPT = """
import gmsh, sys
gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
gmsh.model.occ.addBox(0, 0, 0, 1, 0.2, 0.2)
gmsh.model.occ.synchronize()
for dim, tag, name in ((3, 1, "body"), (2, 1, "root"), (2, 2, "tip")):
    gmsh.model.addPhysicalGroup(dim, [tag], name=name)
gmsh.option.setNumber("Mesh.MeshSizeMax", 0.2)
gmsh.option.setNumber("Mesh.ElementOrder", 2)
gmsh.model.mesh.generate(3)
for path in sys.argv[1:]:
    gmsh.write(path)
"""


@needs_gmsh
@pytest.mark.slow
def test_med_and_universal_files(tmp_path):
    """As gmsh's own file of the same mesh: groups, frequencies."""
    paths = [tmp_path / f"bar.{ending}" for ending in ("msh", "med", "unv")]
    subprocess.run([sys.executable, "-c", SCRIPT, *map(str, paths)], check=True, capture_output=True)
    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    own, *others = (fem.read_mesh(path) for path in paths)
    expected = fem.vibration(fem.assemble(own, steel), "root", n=3).frequencies_hz
    for mesh in others:
        assert set(mesh.node_sets) == {"body", "root", "tip"}
        assert len(mesh.elements_of("body")) == own.n_elements
        assert len(mesh.faces_of("tip")[0]) == len(own.faces_of("tip")[0])
        found = fem.vibration(fem.assemble(mesh, steel), "root", n=3).frequencies_hz
        np.testing.assert_allclose(found, expected, rtol=1e-6)  # few digits in universal files


@needs_gmsh
@pytest.mark.parametrize(
    ("kind", "name"), [("hex8", "hexahedron"), ("tet10", "tetra10"), ("wedge6", "wedge")]
)
def test_med_files_of_meshio_with_groups_of_nodes(kind, name, tmp_path):
    """meshio writes the order of nodes of VTK, inverted for gmsh, which passes over groups of nodes."""
    bar = fem.box((1.0, 0.1, 0.05), (2, 1, 1), kind)
    family = np.zeros(bar.n_nodes, int)
    family[bar.nodes_of("x0")], family[bar.nodes_of("x1")] = 1, 2
    written = meshio.Mesh(bar.points, [(name, bar.blocks[0].nodes)], point_data={"point_tags": family})
    written.point_tags = {1: ["root"], 2: ["tip", "loaded"]}
    written.write(tmp_path / "bar.med")
    with pytest.warns(fem.FlexbodyWarning, match="all solids were inverted"):
        mesh = fem.read_mesh(tmp_path / "bar.med")
    assert {key: len(its) for key, its in mesh.node_sets.items()} == {
        "root": len(bar.nodes_of("x0")), "tip": len(bar.nodes_of("x1")), "loaded": len(bar.nodes_of("x1"))
    }  # fmt: skip
    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    found, expected = (
        fem.vibration(fem.assemble(one, steel), held, n=3).frequencies_hz
        for one, held in ((mesh, "root"), (bar, "x0"))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("Unable to open file", r"gmsh can't read .*bar\.unv: Unable to open file; write the file again"),
        ("libGLU.so.1: cannot open shared object file", "gmsh can't be loaded: .*apt-get install"),
    ],
)
def test_what_gmsh_says_of_a_file_is_the_error(said, message, tmp_path, monkeypatch):
    monkeypatch.setattr(cad, "find_spec", lambda name: True)
    monkeypatch.setattr(cad, "_run", lambda *arguments: {"error": said})
    (tmp_path / "bar.unv").write_bytes(b"1")
    with pytest.raises(fem.FileError, match=message):
        fem.read_mesh(tmp_path / "bar.unv")
    monkeypatch.setattr(cad, "find_spec", lambda name: None)
    with pytest.raises(fem.FileError, match=r"bar\.unv is read by gmsh, which is not installed: pip install"):
        fem.read_mesh(tmp_path / "bar.unv")


def test_a_conversion_without_end_is_stopped(tmp_path, monkeypatch):
    """Python itself takes longer than this to start."""
    monkeypatch.setattr(cad, "find_spec", lambda name: True)
    monkeypatch.setattr(cad, "CONVERSION_SECONDS", 1e-3)
    (tmp_path / "bar.unv").write_bytes(b"1")
    with pytest.raises(fem.FileError, match=r"gmsh can't read .*bar\.unv: it has not come to an end in 0 s"):
        fem.read_mesh(tmp_path / "bar.unv")

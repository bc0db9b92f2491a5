"""Mesh files that were cut off, or of which a bit has changed: an error of ours or a mesh, and quickly.

A changed digit is a valid number, and no mesh format has a checksum: such a file can be read as another mesh. What
can't be a mesh is always an error: missing nodes, coordinates that are not finite, counts that the file doesn't hold.
"""

import re
import sys
import time
import warnings

import meshio
import numpy as np
import pytest

import fem

pytestmark = pytest.mark.slow  # many calls, files or pictures: the quick lane leaves them out

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
#: FORMAT -> how meshio writes it
WRITERS = {
    "4.1 text.msh": {"file_format": "gmsh", "binary": False},
    "4.1 binary.msh": {"file_format": "gmsh", "binary": True},
    "2.2 text.msh": {"file_format": "gmsh22", "binary": False},
    "2.2 binary.msh": {"file_format": "gmsh22", "binary": True},
    "text.vtu": {"file_format": "vtu", "binary": False},
    "binary.vtu": {"file_format": "vtu", "binary": True, "compression": None},
    "zlib.vtu": {"file_format": "vtu", "binary": True},
    "4.2 text.vtk": {"file_format": "vtk42", "binary": False},
    "4.2 binary.vtk": {"file_format": "vtk42", "binary": True},
    "5.1 text.vtk": {"file_format": "vtk51", "binary": False},
    "5.1 binary.vtk": {"file_format": "vtk51", "binary": True},
}
FLIPS, CUTS = 60, 20
MACOS = sys.platform == "darwin"


def abaqus(mesh):
    nodes = "\n".join(f"{i}, {x:.9g}, {y:.9g}, {z:.9g}" for i, (x, y, z) in enumerate(mesh.points, 1))
    rows = "\n".join(f"{i}, {', '.join(map(str, row + 1))}" for i, row in enumerate(mesh.blocks[0].nodes, 1))
    return (
        f"*Heading\n*Node\n{nodes}\n*Element, type=C3D4, elset=all\n{rows}\n*Nset, nset=x0\n"
        f"{', '.join(map(str, mesh.node_sets['x0'] + 1))}\n*Material, name=steel\n*Elastic\n210e9, 0.3\n*Density\n"
        "7850.\n*Solid Section, elset=all, material=steel\n"
    ).encode()


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The bytes of the same mesh in all formats."""
    folder = tmp_path_factory.mktemp("originals")
    mesh = fem.box((0.15, 0.014, 0.01), (4, 1, 1), "tet4")
    flags = np.zeros(mesh.n_nodes, np.int32)
    flags[mesh.node_sets["x0"]] = 1
    found = {"all.inp": abaqus(mesh)}
    for name, how in WRITERS.items():
        data = {} if name.endswith("msh") else {"point_data": {"x0": flags}}
        meshio.write(
            folder / name, meshio.Mesh(mesh.points, [("tetra", mesh.blocks[0].nodes)], **data), **how
        )
        found[name] = (folder / name).read_bytes()
    return found


def content(mesh):
    sets = {**mesh.node_sets, **mesh.element_sets}
    return [mesh.points, mesh.blocks[0].nodes, sorted(sets), *(sets[name] for name in sorted(sets)),
            [*mesh.materials.values()], [*mesh.properties.items()]]  # fmt: skip


def same(a, b):
    return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def read(path, data):
    """Return what a file of these bytes holds, or None if it is refused, and whether something was said."""
    path.write_bytes(data)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            mesh = fem.read_mesh(path)
            fem.assemble(mesh, STEEL)
        except fem.FlexbodyError:
            return None, True
    return content(mesh), bool(said)


@pytest.mark.parametrize("name", ["all.inp", *WRITERS])
def test_each_damaged_file_is_refused_or_read(name, originals, tmp_path):
    data, path = originals[name], tmp_path / f"part{name[-4:]}"
    whole, _ = read(path, data)
    rng = np.random.default_rng(len(data))
    refused = 0
    began = time.process_time()
    for where, bit in zip(rng.integers(len(data), size=FLIPS), rng.integers(8, size=FLIPS), strict=True):
        changed = bytearray(data)
        changed[where] ^= 1 << int(bit)
        refused += read(path, bytes(changed))[0] is None
    assert refused > FLIPS / 5
    for where in rng.integers(len(data) - 1, size=CUTS):
        found, said = read(path, data[:where])
        between_lines = name == "all.inp" and data[:where].endswith(b"\n")
        assert found is None or said or between_lines or same(found, whole), f"cut at {where} of {len(data)}"
    assert time.process_time() - began < 30


def test_an_abaqus_file_that_was_cut_off_anywhere(originals, tmp_path):
    """Only a cut between two lines can go unnoticed, and only where the lines before it are a complete mesh."""
    data, path = originals["all.inp"], tmp_path / "part.inp"
    whole, said = read(path, data)
    assert not said
    unnoticed = []
    for where in range(len(data)):
        found, said = read(path, data[:where])
        if found is not None and not said and not same(found, whole):
            unnoticed.append(data[:where].decode().splitlines()[-1])
    # one element fewer, whose nodes all belong to others; no sets and no material; no material
    assert unnoticed == ["23, 13, 14, 18, 20", "24, 13, 18, 17, 20", "1, 2, 3, 4"]


def patched(data, at, kind, value):
    return data[:at] + np.array([value], kind).tobytes() + data[at + np.dtype(kind).itemsize :]


@pytest.mark.parametrize("value", [2**31, 2**40, 2**62, 2**63, 2**64 - 1])
@pytest.mark.parametrize("word", range(8))
def test_counts_that_the_file_does_not_hold(word, value, originals, tmp_path):
    """Each of the first sizes of both sections of a binary file of gmsh: no memory is reserved for them."""
    data = originals["4.1 binary.msh"]
    section = b"$Nodes\n" if word < 4 else b"$Elements\n"
    at = data.index(section) + len(section) + 8 * (word % 4)
    found, _ = read(tmp_path / "part.msh", patched(data, at, "<u8", value))
    assert found is None or word % 4 > 1  # the smallest and the largest tag are not used


def test_a_tag_of_any_size_needs_no_memory(tmp_path, originals):
    data = originals["4.1 text.msh"].replace(b"\n20\n", b"\n4611686018427387000\n")
    assert read(tmp_path / "part.msh", data)[0] is None
    text = (
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9007199254740991 0 0 1\n"
    )
    text += "$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 9007199254740991\n$EndElements\n"
    (tmp_path / "part.msh").write_text(text)
    assert fem.read_mesh(tmp_path / "part.msh").volume == pytest.approx(1 / 6)


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.endswith("msh")])
def test_no_number_in_a_file_of_vtk_takes_time_or_memory(name, originals, tmp_path):
    """Each of the first numbers in its text replaced by one that the file does not hold: meshio runs in our process."""
    resource = pytest.importorskip("resource")
    data, path = originals[name], tmp_path / f"part{name[-4:]}"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for found in list(re.finditer(rb"(?<![\w.])\d+(?![\w.])", data))[:60]:
        for value in (b"2000000000", b"9223372036854775807", b"-1"):
            began = time.process_time()
            read(path, data[: found.start()] + value + data[found.end() :])
            assert time.process_time() - began < 5
    # kB on Linux, B on macOS: a fiftieth of the 16 GB that 2e9 numbers take
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 320_000 * (1 + 1023 * MACOS)

"""The connecting rod in meshes/: what its README promises."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fem

MESHES = Path(__file__).resolve().parents[3] / "meshes"
FILE = MESHES / "conrod.msh"


@pytest.fixture(scope="module")
def mesh():
    return fem.read_mesh(FILE)


def test_size_and_content(mesh):
    assert FILE.stat().st_size < 1_000_000
    assert {block.element for block in mesh.blocks} == {"tet10"}
    assert set(mesh.node_sets) == {"rod", "big_end", "small_end", "middle"}
    # the eyes' outer radii and widths of meshes/make_conrod.py
    assert np.allclose(mesh.bounding_box, [[-0.036, -0.013, -0.036], [0.3195, 0.013, 0.036]], atol=1e-6)


def test_eyes_stand_300_mm_apart_with_their_pins_along_y(mesh):
    for name, x, radius, width in (("big_end", 0.0, 0.0275, 0.026), ("small_end", 0.3, 0.0125, 0.024)):
        frame = fem.interface(mesh, name)
        assert frame.point == pytest.approx([x, 0, 0], abs=1e-7)
        # 16 parabolas around a circle enclose its length to 1e-4
        assert frame.area == pytest.approx(2 * np.pi * radius * width, rel=1e-4)
        bore = mesh.points[frame.nodes] - [x, 0, 0]
        assert np.allclose(np.hypot(bore[:, 0], bore[:, 2]), radius, atol=1e-7)
        again = mesh.select("again", cylinder=((x, 0, 0), (0, 1, 0), radius))
        assert np.array_equal(again.node_sets["again"], frame.nodes)


def test_the_middle_is_the_cross_section_halfway(mesh):
    """Area of the I-section: flanges 4.5 x 16 mm twice and a web of 5 mm between the tapering edges."""
    frame = fem.interface(mesh, "middle")
    assert (np.abs(mesh.points[frame.nodes][:, 0] - 0.15) < 1e-9).all()
    assert frame.point == pytest.approx([0.15, 0, 0], abs=1e-9)
    sine = (0.0115 - 0.0060) / (0.262 - 0.059)
    cosine = np.sqrt(1 - sine**2)
    inner = (0.059 * sine + 0.0115 - 0.15 * sine) / cosine
    assert frame.area == pytest.approx(2 * (inner * 0.005 + 0.0045 / cosine * 0.016), rel=1e-9)
    exterior = {tuple(sorted(face)) for block in mesh.exterior for face in block.nodes}
    assert not any(tuple(sorted(face)) in exterior for face in mesh.faces["middle"][0].nodes)


def test_it_is_one_sound_steel_part(mesh, steel):
    structure = fem.assemble(mesh, steel)
    assert 0.5 < structure.mass < 1.0
    assert structure.mass == pytest.approx(7850 * mesh.volume, rel=1e-12)
    # symmetric about the planes y = 0 and z = 0, up to the mesh
    assert np.abs(structure.center[1:]).max() < 1e-6
    products = structure.inertia - np.diag(structure.inertia.diagonal())
    assert np.abs(products).max() < 1e-5 * structure.inertia.max()


def test_the_script_makes_a_rod_of_the_same_volume(mesh, tmp_path):
    pytest.importorskip("gmsh", reason="gmsh's Python package is a development dependency")
    path = tmp_path / "conrod.msh"
    subprocess.run([sys.executable, MESHES / "make_conrod.py", path], check=True, timeout=120)
    made = fem.read_mesh(path)
    # another version of gmsh may mesh it otherwise; the shape stays
    assert made.volume == pytest.approx(mesh.volume, rel=1e-5)
    assert set(made.node_sets) == set(mesh.node_sets)

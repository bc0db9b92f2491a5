"""Meshes that others wrote: each one is read, or refused with a reason and a line.

The files are not part of this project. Numbers of nodes and elements are those of the files' own lines or of their
README; masses follow from the sizes that the files give.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

import fem

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "meshes"
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="foreign meshes that are not part of this project"
)

#: nodes, elements by kind, and mass in kg (None: the file has no complete material) with its reason
READ = {
    # TACS; masses: density x area x thickness, or x length x section
    "I_beam.bdf": (
        67,
        {"quad4": 50, "line2": 20},
        2700 * (10 * 0.01 + 2 * 10 * 0.005),
    ),  # web, two flanges of rods
    "decks/beam_model_pbarl_Ibeam.bdf": (6, {"line2": 5}, 2700 * (2 * 0.05 * 0.01 + 0.08 * 0.01)),
    "decks/beam_tip_mass.bdf": (6, {"line2": 5}, 27 * 0.1 + 20),
    "decks/comp_plate.bdf": (6, {"quad4": 2}, 1550 * 0.5 * 2 * 6 * 1.25e-4),  # three plies, SYM
    "decks/offset_bar.bdf": (9, {"line2": 8}, 2700 * 0.1 * 0.1),
    "decks/partitioned_plate.bdf": (121, {"quad4": 100}, 0.0),
    "decks/rbe3.bdf": (
        1633,
        {"quad4": 1600},
        2700 * 0.005 * 5 * 32 * np.sin(np.pi / 32),
    ),  # radius 0.5, 32 flats
    "decks/rbe_test.bdf": (51, {"quad4": 32}, 0.0),
    "decks/slanted_plate.bdf": (121, {"quad4": 100}, 2700 * 0.1),
    "decks/solid_beam.bdf": (784, {"tet10": 367}, 2700 * 10),
    # Exudyn; nodes and elements of README
    "conrod.inp": (935, {"hex20": 136}, None),
    "crank.inp": (665, {"hex20": 104}, None),
    "block_c3d10.inp": (257, {"tet10": 122}, 2900 * 4 * 1 * 1),
    "decks/blockC3D8.inp": (176, {"hex8": 90}, 2900 * 4 * 1 * 1),
    # mapdl-archive; numbers of NBLOCK and EBLOCK
    "decks/HexBeam.cdb": (321, {"hex20": 40}, 2700 * 5 * 1 * 1),
    "decks/academic_rotor.cdb": (786, {"hex8": 524}, None),
    "decks/all_solid_cells.cdb": (None, {"hex20": 1, "wedge15": 1, "pyramid13": 1, "tet10": 1}, None),
    "decks/hypermesh.cdb": (105, {"quad4": 80}, None),
    # scikit-fem
    "quadratic_sphere_tet.msh": (1310, {"tet10": 722}, None),
}
#: digits of the angles in a file
DIGITS = {"decks/rbe3.bdf": 1e-6}
REFUSED = {
    "5x5x5_cube.bdf": r"line 4: GRID 1 stands in the coordinate system 1, which the file does not hold",
    "decks/corrupt_a.cdb": r"line 143: bytes that are no text; the file is damaged",
    "decks/general_mass.bdf": r"holds no elements, only 1 CONM1",
    "decks/simple_spring.bdf": r"holds no elements, only 1 CBUSH",
}
#: read by other tests: test_abaqus_decks.py, tests/modal/body
ELSEWHERE = {
    "decks/blockC3D8_STIF1.mtx", "decks/blockC3D8_MASS1.mtx",
    "sid_beam_3m.SID_FEM", "sid_five_node_model.sid_fem", "sid_three_node_beam.sid_fem",
}  # fmt: skip


def test_every_file_is_read_by_a_test():
    there = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file()}
    there = {name for name in there if not name.startswith(("LICENSE", "README"))}
    assert there == {*READ, *REFUSED, *ELSEWHERE}


def cards(path):
    """Number of lines that begin with GRID."""
    return sum(line.startswith(b"GRID") for line in path.read_bytes().splitlines())


@pytest.mark.parametrize("name", READ)
def test_a_file_that_others_wrote(name):
    nodes, kinds, mass = READ[name]
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", fem.FlexbodyWarning
        )  # units, density, normals: told in the reports below
        mesh = fem.read_mesh(FOLDER / name)
        if mass is not None:
            assert fem.assemble(mesh).mass == pytest.approx(mass, rel=DIGITS.get(name, 1e-9), abs=1e-20)
    assert nodes is None or mesh.n_nodes == nodes
    if name.endswith(".bdf"):
        assert mesh.n_nodes == cards(FOLDER / name)
    assert {kind: sum(len(b) for b in mesh.blocks if b.element == kind) for kind in kinds} == kinds
    assert mesh.n_elements == sum(kinds.values())
    assert "likely wrong" in mesh.report()


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_holds_no_body_or_is_damaged(name):
    with pytest.raises(fem.FlexbodyError, match=REFUSED[name]):
        fem.read_mesh(FOLDER / name)


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("decks/hypermesh.cdb", "units='mm' would be right"),
        ("decks/rbe_test.bdf", "materials without a density"),
        ("decks/beam_tip_mass.bdf", "units look wrong"),
        ("decks/academic_rotor.cdb", "material 1 of 524 elements of type 185 is not in the file"),
    ],
)
def test_reports_tell_what_is_likely_wrong(name, sign):
    with pytest.warns(fem.FlexbodyWarning, match=sign):
        mesh = fem.read_mesh(FOLDER / name)
    assert sign in mesh.report().partition("likely wrong")[2]


def test_a_sphere_and_the_hole_in_a_rod():
    """Volume of a sphere of diameter 1 by curved tetrahedra; the cylinder through gmsh was a plate of 0 x 349 x 5 m."""
    sphere = fem.read_mesh(FOLDER / "quadratic_sphere_tet.msh")
    assert sphere.volume == pytest.approx(np.pi / 6, rel=1e-3)
    cylinder = fem.read_mesh(FOLDER / "decks" / "rbe3.bdf")
    assert cylinder.bounding_box == pytest.approx(np.array([[-0.5, -0.5, 0], [0.5, 0.5, 5]]), abs=1e-7)


def test_the_matrices_beside_a_mesh():
    """Abaqus' own export of the block, as a structure: mass, and the frequencies of the mesh."""
    block = fem.read_mesh(FOLDER / "decks" / "blockC3D8.inp")
    files = [FOLDER / "decks" / f"blockC3D8_{name}.mtx" for name in ("STIF1", "MASS1")]
    foreign = fem.from_matrices(*files, block.points)
    assert foreign.mass == pytest.approx(2900 * 4, rel=1e-9)
    ours = fem.assemble(block, lumped=True)
    found, expected = (fem.vibration(one, n=10).frequencies_hz for one in (foreign, ours))
    assert found == pytest.approx(expected, rel=1e-7)

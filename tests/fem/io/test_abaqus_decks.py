"""Whole decks in the dialects of Abaqus and CalculiX, against the same part made by hand; what is wrong or left out."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.abaqus_decks import BAR, MATERIAL, body, in_part, read, rows, same
from support.damping import damping
from support.frames import STEEL

import fem

pytestmark = pytest.mark.slow  # together a second or more


@pytest.mark.parametrize("dialect", ["flat", "part"])
@pytest.mark.parametrize(
    ("element", "kind"), [("hex8", "C3D8I"), ("hex20", "C3D20"), ("hex20", "C3D20R"), ("tet10", "C3D10")]
)
def test_solids(element, kind, dialect, tmp_path):
    mesh = fem.box((0.4, 0.05, 0.05), (4, 2, 2) if kind == "C3D20R" else (4, 1, 1), element)
    text = body(mesh, kind) + MATERIAL
    found = read(tmp_path, text if dialect == "flat" else in_part(text))
    hand = fem.assemble(mesh, fem.Solid(STEEL, reduced=kind == "C3D20R"))
    same(fem.assemble(found), hand)
    if kind == "C3D20R":
        assert {p.reduced for p in found.properties.values()} == {True}


def frame_by_hand(points):
    """Return the structure of a frame: plate, beams, truss, masses, springs and dampers; points in metres."""
    blocks = (fem.Block("quad4", [[0, 1, 2, 3]]), fem.Block("line2", [[1, 4], [2, 5], [4, 5]]))
    sets = {"x0": [0, 3], "x1": [5], "a": [0], "e": [4], "f": [5]}
    by_hand = fem.Mesh(points, blocks, sets, element_sets={"skin": [0], "arms": [1], "thin": [2], "rod": [3]})
    section = fem.ISection(0.06, 0.04, web=0.003, flange=0.004, nu=0.3)
    tube = fem.Tube(0.04, thickness=0.002, nu=0.3)
    # web of the I along direction 2 = t x n1, n1 = y; t = (0.5, 0, 0.2): n2 = (-0.2, 0, 0.5)
    properties = {
        "skin": fem.Shell(STEEL, 0.01, offset=-0.005),
        "arms": fem.Beam(STEEL, section, up=(-0.2, 0, 0.5)),
        "thin": fem.Beam(STEEL, tube, up=(0, 1, 0), shear=False),
        "rod": fem.Truss(STEEL, 1e-4),
    }
    I = np.array([[0.01, 0.001, 0], [0.001, 0.02, 0], [0, 0, 0.025]])
    parts = [fem.PointMass("e", 2.0), fem.PointMass("f", 2.0), fem.PointMass("e", 0.0, I)]
    parts += [
        fem.Spring("a", "e", 1e5),
        fem.Spring("a", None, [0, 0, 0, 0, 1e3, 0]),
        fem.Spring("e", "f", 1e5),
    ]
    parts += [replace(part, stiffness=0.0, damping=1e-3 * np.asarray(part.stiffness)) for part in parts[3:]]
    return fem.assemble(by_hand, properties, parts=parts)


@pytest.mark.parametrize("units", ["SI", "mm"])
def test_shells_beams_trusses_masses_and_springs(units, tmp_path):
    """A frame: a plate with an offset, a beam with its direction, a truss, masses and springs at their nodes."""
    k = {"SI": 1.0, "mm": 1e3}[units]  # lengths; N, t, MPa
    mass, inertia = {"SI": (2.0, 0.01), "mm": (2e-3, 10.0)}[units]
    stiff, turn = {"SI": (1e5, 1e3), "mm": (1e2, 1e6)}[units]
    points = [(0, 0, 0), (0.5, 0, 0), (0.5, 0.4, 0), (0, 0.4, 0), (1.0, 0, 0.2), (1.0, 0.4, 0.2)]
    text = "*Node\n" + rows([n, *(k * c for c in x)] for n, x in enumerate(points, 11))
    text += "*Element, type=S4R, elset=skin\n1, 11, 12, 13, 14\n*Element, type=B31, elset=arms\n2, 12, 15\n"
    text += "*Element, type=B33, elset=thin\n3, 13, 16\n*Element, type=T3D2, elset=rod\n4, 15, 16\n"
    text += "*Element, type=MASS, elset=m\n5, 15\n6, 16\n*Element, type=ROTARYI, elset=r\n7, 15\n"
    text += "*Element, type=SPRINGA, elset=s\n8, 11, 15\n*Element, type=SPRING1, elset=g\n9, 11\n"
    text += "*Element, type=SPRING2, elset=t\n10, 15, 16\n"
    text += "*Element, type=DASHPOTA, elset=ds\n18, 11, 15\n*Element, type=DASHPOT1, elset=dg\n19, 11\n"
    text += "*Element, type=DASHPOT2, elset=dt\n20, 15, 16\n"
    text += f"*Shell Section, elset=skin, material=steel, offset=SPOS\n {0.01 * k}, 5\n"
    sizes = rows([k * size for size in one] for one in ([0.03, 0.06, 0.04, 0.04, 0.004, 0.004, 0.003],))
    text += f"*Beam Section, elset=arms, section=I, material=steel\n {sizes}"
    text += " 0., 1., 0.\n"
    text += (
        f"*Beam Section, elset=thin, section=PIPE, material=steel\n {0.02 * k}, {0.002 * k}\n 0., 1., 0.\n"
    )
    text += f"*Solid Section, elset=rod, material=steel\n {1e-4 * k**2},\n"
    tensor = rows([[inertia * share for share in (1.0, 2.0, 2.5, 0.1, 0.0, 0.0)]])
    text += f"*Mass, elset=m\n {mass},\n*Rotary Inertia, elset=r\n {tensor}"
    text += f"*Spring, elset=s\n\n {stiff},\n*Spring, elset=g\n 5\n {turn}, \n*Spring, elset=t\n 2, 2\n {stiff},\n"
    for name, dofs, value in (("ds", "", stiff), ("dg", 5, turn), ("dt", "2, 2", stiff)):
        text += f"*Dashpot, elset={name}\n{dofs}\n {1e-3 * value},\n"
    text += "*Nset, nset=x0\n11, 14\n*Nset, nset=x1\n16\n*Boundary\n x0, 1, 3\n x0, 5, 5, 0.01\n x1, PINNED\n"
    material = MATERIAL if units == "SI" else MATERIAL.replace("2.1e11", "2.1e5").replace("7850.", "7.85e-9")
    mesh = read(tmp_path, text.replace("\n\n", "\n,\n") + material, units=units)

    one, other = fem.assemble(mesh), frame_by_hand(points)
    np.testing.assert_allclose(one.K.toarray(), other.K.toarray(), atol=1e-9 * other.K.max())
    np.testing.assert_allclose(damping(one), damping(other), atol=1e-9 * 1e3)
    assert damping(other).max() >= 100
    assert one.mass == pytest.approx(other.mass, rel=1e-12)
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-9, atol=1e-9)
    assert mesh.supports == {
        "x0": {"x": 0.0, "y": 0.0, "z": 0.0, "ry": 0.01},
        "x1": {"x": 0.0, "y": 0.0, "z": 0.0},
    }
    found = [fem.vibration(s, n=4, supports={"x0": "all"}).frequencies_hz for s in (one, other)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_the_dialect_of_calculix(tmp_path):
    """Capitals without blanks, a rigid body with a node for its rotations, a distributing coupling, supports."""
    text = body(BAR, "C3D8I") + "*Node\n 100, 0.5, 0.02, 0.03\n 101, 0., 0., 0.\n 200, -0.1, 0., 0.\n"
    text += "*Rigid Body, nset=x1, ref node=100, rot node=101\n*Surface, name=s, type=node\n x0,\n"
    text += "*Coupling, ref node=200, surface=s, constraint name=c1\n*Distributing\n 1, 3\n"
    text += "*Element, type=MASS, elset=m\n 900, 100\n*Mass, elset=m\n 2.\n*Boundary\n 200, 1, 6\n"
    text += "*Step\n*Frequency\n 10\n*Node File\n U\n*End Step\n"
    mesh = read(tmp_path, (MATERIAL + text).upper().replace(", ", ","))
    parts = [
        fem.Rigid("hub", "x1", at=(0.5, 0.02, 0.03)),
        fem.Averaged("foot", "x0", at=(-0.1, 0, 0), components=("x", "y", "z"), weights=1.0),
        fem.PointMass("hub", 2.0),
    ]
    hand, structure = fem.assemble(BAR, STEEL, parts=parts), fem.assemble(mesh)
    assert structure.mass == pytest.approx(hand.mass, rel=1e-12)
    found = [fem.vibration(s, n=5).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    assert mesh.supports == {"200": dict.fromkeys(("x", "y", "z", "rx", "ry", "rz"), 0.0)}
    assert {"rot node of *Rigid Body", "*Frequency"} <= {one.what for one in mesh.left_out}


def test_nodes_and_elements_are_generated(tmp_path):
    """A box of 4 x 2 x 1 bricks by *Ngen, *Nfill, *Ncopy and *Elgen; and by coordinates of a cylinder."""
    text = (
        "*Node\n 1, 0., 0., 0.\n 5, 4., 0., 0.\n 101, 0., 2., 0.\n 105, 4., 2., 0.\n*Ngen, nset=low\n 1, 5\n"
    )
    text += "*Ngen, nset=high\n 101, 105, 1\n*Nfill, nset=floor\n low, high, 2, 50\n"
    text += "*Ncopy, old set=floor, change number=1000, shift, new set=top\n 0., 0., 1.\n\n"
    text += "*Element, type=C3D8I\n 1, 1, 2, 52, 51, 1001, 1002, 1052, 1051\n"
    text += "*Elgen, elset=all\n 1, 4, 1, 1, 2, 50, 10\n"
    mesh = read(tmp_path, text + "*Solid Section, elset=all, material=steel\n" + MATERIAL)
    assert (mesh.n_nodes, mesh.n_elements, len(mesh.node_sets["top"])) == (30, 8, 15)
    assert mesh.volume == pytest.approx(8.0)
    assert fem.assemble(mesh).mass == pytest.approx(8 * 7850)
    text = "*Node, system=C\n 1, 1., 0., 0.\n 2, 1., 90., 0.\n 3, 2., 180., 1.\n*Element, type=T3D3\n 1, 1, 2, 3\n"
    np.testing.assert_allclose(read(tmp_path, text).points, [[1, 0, 0], [0, 1, 0], [-2, 0, 1]], atol=1e-12)


FOREIGN = Path(__file__).resolve().parents[4] / "shared" / "meshes" / "decks"


@pytest.mark.skipif(not FOREIGN.is_dir(), reason="foreign decks that are not part of this project")
def test_the_matrices_of_abaqus():
    """Abaqus exported both matrices of this part of C3D8, the mass lumped; 90 bricks, entry for entry."""
    structure = fem.assemble(fem.read_mesh(FOREIGN / "blockC3D8.inp"), lumped=True)
    for name, found in (("STIF1", structure.K), ("MASS1", structure.M)):
        row, column, value = np.loadtxt(FOREIGN / f"blockC3D8_{name}.mtx", unpack=True)
        exact = np.zeros(found.shape)
        exact[row.astype(int) - 1, column.astype(int) - 1] = value
        np.testing.assert_allclose(found.toarray(), exact, rtol=0, atol=1e-13 * abs(exact).max())


def test_what_was_left_out_is_told_with_its_line(tmp_path):
    text = body(BAR, "C3D8R") + MATERIAL.replace("*Density", "*Plastic\n 3e8, 0.\n*Density")
    text += "*Nset, nset=watched, frequency=2\n 1, 2\n"
    text += "*Amplitude, name=a\n 0., 1.\n*Fancy Thing\n 1\n*Step\n*Static\n*Cload\n x1, 2, 1.\n*End Step\n"
    lines = text.splitlines()
    with pytest.warns(fem.FlexbodyWarning, match=r"\*Fancy Thing is not known and left out"):
        mesh = read(tmp_path, text)
    found = {one.what: one for one in mesh.left_out}
    for word in ("*Plastic", "*Amplitude", "*Fancy Thing", "*Step", "*Static", "*Cload"):
        place = next(k for k, line in enumerate(lines, 1) if line.startswith(word))
        assert found[word].lines == (str(place),)
    assert found["elements of type C3D8R"].count == 4
    assert found["frequency= of *Nset"].why == "requests for results are not read"


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            "*Membrane Section, elset=all, material=steel\n 0.1\n",
            r"\*Membrane Section: its element set holds elements that are not membranes \(solid\)",
        ),
        (
            "*Dashpot, elset=all\n\n 1.\n",
            r"\*Dashpot: its element set holds elements of type C3D8I, not DASHPOT1",
        ),
        ("*Parameter\n a = 1\n", "Parameter is not supported"),
        ("*Coupling, ref node=77, surface=s\n*Kinematic\n", r"\*Coupling: there is no node 77"),
        ("*Coupling, ref node=1, surface=s\n*Kinematic\n", "there is no surface 's'; there are none"),
        (
            "*Surface, name=s, type=node\n x1\n*Coupling, ref node=1, surface=s\n",
            r"one \*Kinematic or \*Distributing",
        ),
        ("*Rigid Body, elset=all\n", "needs ref node="),
        ("*Equation\n2\n 1, 7, 1., 2, 1, -1.\n", "no degree of freedom 7"),
        ("*Equation\n3\n 1, 1, 1., 2, 1, -1.\n", "3 terms are announced, 2 follow"),
        (
            "*Element, type=S4, elset=skin\n 99, 1, 2, 3, 4\n*Shell Section, elset=skin, density=8., nodal thickness, "
            "material=steel\n 0.1\n",
            r"density= with a thickness by node is not supported; give it by \*Mass",
        ),
        (
            "*MPC\n ELBOW, 1, 2, 3\n",
            "the constraint ELBOW is not supported; there are BEAM, TIE, PIN, LINK, SLIDER",
        ),
        ("*MPC\n SLIDER, 1, 2\n", "SLIDER joins 3 nodes or node sets, here are 2"),
        ("*MPC\n SLIDER, 1, 2, 2\n", "the nodes of SLIDER don't stand apart"),
        ("*MPC\n BILINEAR, 1, 2, 3, 2, 3\n", "the last four nodes of BILINEAR must go round a convex face"),
        ("*MPC\n PLANE, 1, 2, 3\n", "PLANE needs more than 3 nodes, here are 3"),
        ("*MPC\n UNIVERSAL, 1, 2, 3, 4\n", "UNIVERSAL is read where its first two nodes are in one place"),
        ("*Shell Section, elset=all, material=steel\n 0.1\n", "holds elements that are not shells"),
        (
            "*Beam Section, elset=all, material=steel, section=RECT\n 0.1, 0.1\n",
            "elements that are not beams",
        ),
        ("*Solid Section, elset=none, material=steel\n", "there is no elset 'none'; there are 'all'"),
        ("*Spring, elset=all\n 1\n 5.\n", "holds elements of type C3D8I, not SPRING1"),
        (
            "*Element, type=SPRING2, elset=q\n 99, 1, 2\n*Spring, elset=q\n 2, 2\n 5.\n",
            "would resist a rotation",
        ),
        ("*Boundary\n x1, 3, 2\n", "degrees of freedom 3 to 2"),
        ("*Tie, name=t\n a, b\n", "there is no surface 'a'"),
        ("*Transform, nset=x1, type=R\n 1., 0., 0., 2., 0., 0.\n", "stand on one line"),
        ("*Orientation, name=o\n 1., 0.\n", "two points, six numbers"),
        ("*Distributing Coupling, elset=all\n 1, 1\n", r"write \*Coupling"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(added, message, tmp_path):
    text = body(BAR) + MATERIAL
    with pytest.raises(fem.FileError, match=message) as caught:
        read(tmp_path, text + added.replace("\n\n", "\n,\n"))
    assert "line" in str(caught.value)
    assert "\n" not in str(caught.value)

"""Decks in the dialects of Abaqus and CalculiX, against the same part built by hand: mass, frequencies, deflection."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.frames import STEEL, joined

import fem

pytestmark = pytest.mark.slow  # together a second or more

MATERIAL = "*Material, name=Steel\n*Elastic\n 2.1e11, 0.3\n*Density\n 7850.,\n"


def read(tmp_path, text, **more):
    path = tmp_path / "deck.inp"
    path.write_text(text)
    return fem.read_mesh(path, **more)


def rows(lines):
    return "".join(", ".join(map(str, line)) + "\n" for line in lines)


def nodes_of(mesh, first=1):
    return "*Node\n" + "".join(
        f"{k}, {x:.17g}, {y:.17g}, {z:.17g}\n" for k, (x, y, z) in enumerate(mesh.points, first)
    )


def elements_of(mesh, kind, elset, first=1, start=1):
    text = f"*Element, type={kind}, elset={elset}\n"
    number = start
    for block in mesh.blocks:
        for nodes in block.nodes:
            row = [number, *(nodes + first).tolist()]
            lines = [row[k : k + 16] for k in range(0, len(row), 16)]
            text += ",\n".join(", ".join(map(str, line)) for line in lines) + "\n"
            number += 1
    return text


def sets_of(mesh, first=1, names=None):
    return "".join(
        f"*Nset, nset={name}\n" + rows([chunk] for chunk in map(str, nodes + first)).replace("\n\n", "\n")
        for name, nodes in mesh.node_sets.items()
        if names is None or name in names
    )


def body(mesh, kind="C3D8I", elset="all", section="*Solid Section, elset=all, material=steel\n,\n"):
    return nodes_of(mesh) + elements_of(mesh, kind, elset) + sets_of(mesh) + section


def in_part(text, name="P", placed=""):
    part, outside = text.split("*Material", 1)
    return (
        f"*Heading\n a part\n*Part, name={name}\n{part}*End Part\n*Assembly, name=A\n"
        f"*Instance, name=one, part={name}\n{placed}*End Instance\n*End Assembly\n*Material{outside}"
    )


def same(read_one, by_hand, held="x0", at="x1", rtol=1e-9):
    """Mass, centre, inertia, six frequencies of the free body, deflection under a force."""
    assert read_one.mass == pytest.approx(by_hand.mass, rel=1e-12)
    np.testing.assert_allclose(read_one.center, by_hand.center, atol=1e-12)
    np.testing.assert_allclose(
        read_one.inertia, by_hand.inertia, rtol=1e-9, atol=1e-9 * by_hand.inertia.max()
    )
    found = [fem.vibration(s, n=5).frequencies_hz for s in (read_one, by_hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=rtol)
    force = fem.Force(at, (10.0, 20.0, 30.0))
    moved = [fem.static(s, held, force).at(at)[:3] for s in (read_one, by_hand)]
    np.testing.assert_allclose(moved[0], moved[1], rtol=rtol)


BAR = fem.box((0.4, 0.05, 0.05), (4, 1, 1), "hex8")


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
    text += "*Nset, nset=x0\n11, 14\n*Nset, nset=x1\n16\n*Boundary\n x0, 1, 3\n x0, 5, 5, 0.01\n x1, PINNED\n"
    material = MATERIAL if units == "SI" else MATERIAL.replace("2.1e11", "2.1e5").replace("7850.", "7.85e-9")
    mesh = read(tmp_path, text.replace("\n\n", "\n,\n") + material, units=units)

    blocks = (fem.Block("quad4", [[0, 1, 2, 3]]), fem.Block("line2", [[1, 4], [2, 5], [4, 5]]))
    sets = {"x0": [0, 3], "x1": [5], "a": [0], "e": [4], "f": [5]}
    by_hand = fem.Mesh(points, blocks, sets, element_sets={"skin": [0], "arms": [1], "thin": [2], "rod": [3]})
    section = fem.ISection(0.06, 0.04, 0.003, 0.004, nu=0.3)
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
    one, other = fem.assemble(mesh), fem.assemble(by_hand, properties, parts=parts)
    np.testing.assert_allclose(one.K.toarray(), other.K.toarray(), atol=1e-9 * other.K.max())
    assert one.mass == pytest.approx(other.mass, rel=1e-12)
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-9, atol=1e-9)
    assert mesh.supports == {
        "x0": {"x": 0.0, "y": 0.0, "z": 0.0, "ry": 0.01},
        "x1": {"x": 0.0, "y": 0.0, "z": 0.0},
    }
    found = [fem.vibration(s, n=4, supports={"x0": "all"}).frequencies_hz for s in (one, other)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def coupled(kind, name="hub", ref="100"):
    surface = "*Surface, name=side, type=ELEMENT\n" + rows([k, "S4"] for k in (1, 2, 3, 4))
    text = surface + f"*Coupling, constraint name={name}, ref node={ref}, surface=side\n*{kind}\n"
    return text


@pytest.mark.parametrize("dialect", ["flat", "part"])
@pytest.mark.parametrize("kind", ["Kinematic", "Distributing"])
def test_couplings_make_interfaces_by_the_number_of_their_node(kind, dialect, tmp_path):
    mesh = fem.box((0.4, 0.05, 0.05), (4, 2, 1), "hex8")
    last = [e + 1 for e, nodes in enumerate(mesh.blocks[0].nodes) if mesh.points[nodes, 0].max() > 0.39]
    side = "*Surface, name=side\n" + rows([e, face_along_x(mesh, e)] for e in last)
    point = "*Node\n 100, 0.5, 0.02, 0.03\n*Nset, nset=RP\n 100\n"
    coupling = f"*Coupling, constraint name=hub, ref node={{}}, surface={{}}\n*{kind}\n"
    mass = "*Element, type=MASS, elset=weight\n 900, 100\n*Mass, elset=weight\n 3.,\n"
    if dialect == "flat":
        text = body(mesh) + point + side + coupling.format(100, "side") + mass + MATERIAL
    else:
        part = body(mesh) + side
        outside = point + coupling.format("RP", "one.side") + mass
        text = in_part(part + MATERIAL).replace("*End Assembly", outside + "*End Assembly")
    found = read(tmp_path, text)
    connection = fem.Rigid if kind == "Kinematic" else fem.Averaged
    parts = [connection("hub", "x1", at=(0.5, 0.02, 0.03)), fem.PointMass("hub", 3.0)]
    structure, hand = fem.assemble(found), fem.assemble(mesh, STEEL, parts=parts)
    assert structure.mass == pytest.approx(hand.mass, rel=1e-12)
    frequencies = [fem.vibration(s, n=6).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(frequencies[0], frequencies[1], rtol=1e-9)
    load = [fem.static(structure, "x0", fem.Force(n, (1.0, 2.0, 3.0))).at(n) for n in ("100", "RP")]
    expected = fem.static(hand, "x0", fem.Force("hub", (1.0, 2.0, 3.0))).at("hub")
    np.testing.assert_allclose(load[0], expected, rtol=1e-9)
    np.testing.assert_array_equal(load[0], load[1])


def face_along_x(mesh, element):
    """The label of the face at the end x1 of a hexahedron."""
    kind = fem.ELEMENTS["hex8"]
    nodes = mesh.blocks[0].nodes[element - 1]
    for k, face in enumerate(kind.faces, 1):
        if (mesh.points[nodes[list(face)], 0] > 0.39).all():
            return f"S{k}"
    raise AssertionError


def test_a_body_with_reference_nodes_is_reduced_by_their_numbers(tmp_path):
    import modal

    text = (
        body(BAR)
        + "*Node\n 100, 0.4, 0.025, 0.025\n 200, -0.1, 0., 0.\n*Rigid Body, ref node=200, pin nset=x0\n"
    )
    text += "*Surface, name=end, type=NODE\n x1,\n*Coupling, ref node=100, surface=end\n*Distributing\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    basis = modal.craig_bampton(structure, ("100", "200"), n_normal=4)
    parts = [
        fem.Averaged("a", "x1", at=(0.4, 0.025, 0.025), weights="equal"),
        fem.Rigid("b", "x0", at=(-0.1, 0, 0)),
    ]
    hand = fem.assemble(BAR, STEEL, parts=parts)
    same_basis = modal.craig_bampton(hand, ("a", "b"), n_normal=4)
    found = [
        modal.reduce(s, b, name="bar").frequencies_hz for s, b in ((structure, basis), (hand, same_basis))
    ]
    np.testing.assert_allclose(found[0][-5:], found[1][-5:], rtol=1e-8)


def test_placed_instances_tied_together(tmp_path):
    """Two instances of two parts; the second is drawn elsewhere, moved and turned into place."""
    a, b = fem.box((0.2, 0.05, 0.05), (2, 1, 1), "hex8"), fem.box((0.05, 0.2, 0.05), (2, 4, 2), "hex8")
    # the second lies along y; turned by -90 degrees about z through the origin it lies along x
    first = body(a, elset="A", section="*Solid Section, elset=A, material=steel\n,\n")
    first += "*Surface, name=face\n" + rows(
        [e, face_at(a, e, 0, 0.2)] for e in range(1, 3) if face_at(a, e, 0, 0.2)
    )
    second = body(b, elset="B", section="*Solid Section, elset=B, material=steel\n,\n")
    second += "*Surface, name=face\n" + rows(
        [e, face_at(b, e, 1, 0.0)] for e in range(1, 17) if face_at(b, e, 1, 0.0)
    )
    text = f"*Part, name=first\n{first}*End Part\n*Part, name=second\n{second}*End Part\n*Assembly, name=A\n"
    text += "*Instance, name=a, part=first\n*End Instance\n*Instance, name=b, part=second\n -0.05, 0.2, 0.\n"
    text += " 0., 0., 0., 0., 0., 1., -90.\n*End Instance\n*Tie, name=t, adjust=no\n b.face, a.face\n*End Assembly\n"
    mesh = read(tmp_path, text + MATERIAL)
    assert mesh.bounding_box == pytest.approx(np.array([[0, -0.0, 0], [0.4, 0.05, 0.05]]), abs=1e-12)
    turned = replace(b, points=np.column_stack([b.points[:, 1], 0.05 - b.points[:, 0], b.points[:, 2]]))
    assert mesh.volume == pytest.approx(2 * 0.2 * 0.05**2)
    both = joined(a, turned, (0.2, 0, 0))
    hand = fem.assemble(both, STEEL, parts=[fem.Tie("b_y0", "x1")])
    structure = fem.assemble(mesh)
    found = [fem.vibration(s, n=5).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    assert structure.mass == pytest.approx(hand.mass, rel=1e-12)


def face_at(mesh, element, axis, value):
    kind = fem.ELEMENTS["hex8"]
    nodes = mesh.blocks[0].nodes[element - 1]
    for k, face in enumerate(kind.faces, 1):
        if np.allclose(mesh.points[nodes[list(face)], axis], value):
            return f"S{k}"
    return None


def test_equations_constraints_and_turned_directions(tmp_path):
    """Two bars: a hinge of MPC PIN, an equation in a turned system, a beam constraint."""
    points = [(0, 0, 0), (1, 0, 0), (1, 0, 0), (2, 0.5, 0), (2.2, 0.5, 0.1), (3, 0.5, 0.1)]
    text = "*Node\n" + rows([n, *x] for n, x in enumerate(points, 1))
    text += "*Element, type=B31, elset=bars\n1, 1, 2\n2, 3, 4\n3, 5, 6\n"
    text += "*Beam Section, elset=bars, section=CIRC, material=steel\n"
    text += " 0.01\n 0., 0., 1.\n*MPC\n PIN, 3, 2\n BEAM, 5, 4\n"
    text += "*Nset, nset=two\n 2, 3\n*Transform, nset=two, type=R\n 1., 1., 0., -1., 1., 0.\n"
    text += (
        "*Equation\n2\n 3, 4, 1., 2, 4, -1.\n2\n3, 5, 2.,\n2, 5, -2.\n*Nset, nset=x0\n1\n*Nset, nset=x1\n6\n"
    )
    mesh = read(tmp_path, text + MATERIAL)
    hand_mesh = fem.Mesh(
        points, (fem.Block("line2", [[0, 1], [2, 3], [4, 5]]),), {"x0": [0], "x1": [5], "s": [4], "r": [3]}
    )
    pin = [fem.Equation(c, [("3", c, 1.0), ("2", c, -1.0)]) for c in ("x", "y", "z", "rx", "ry")]
    parts = [*pin, fem.Rigid("b", "s", reference="r")]
    beam = fem.Beam(STEEL, fem.Circle(0.02, nu=0.3), up=(0, 0, 1))
    structure, hand = fem.assemble(mesh), fem.assemble(hand_mesh, beam, parts=parts)
    assert structure.n == hand.n == 36 - 5 - 6
    np.testing.assert_allclose(
        fem.vibration(structure, n=5, supports=("x0", "x1")).frequencies_hz,
        fem.vibration(hand, n=5, supports=("x0", "x1")).frequencies_hz,
        rtol=1e-9,
    )


def test_orthotropic_materials_with_directions(tmp_path):
    """Engineering constants and the nine moduli of the same material, along an orientation that an instance turns."""
    ply = fem.Orthotropic(E=(40e9, 10e9, 8e9), nu=(0.3, 0.25, 0.2), G=(4e9, 3e9, 2e9), rho=1800.0)
    nine = ply.stiffness
    moduli = [
        nine[0, 0],
        nine[0, 1],
        nine[1, 1],
        nine[0, 2],
        nine[1, 2],
        nine[2, 2],
        nine[5, 5],
        nine[4, 4],
        nine[3, 3],
    ]
    given = {
        "engineering constants": [*ply.E, *ply.nu, *ply.G],
        "orthotropic": moduli,
    }
    section = "*Orientation, name=along\n 0., 1., 0., -1., 0., 0.\n 3, 30.\n"
    section += "*Solid Section, elset=all, material=ply, orientation=along\n,\n"
    angle = np.radians(30)
    # axis 1 = y turned by 30 degrees about z, then all turned by 90 degrees about x with the instance
    one = np.array([-np.sin(angle), np.cos(angle), 0.0])
    two = np.array([-np.cos(angle), -np.sin(angle), 0.0])
    turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    axes = np.array([turn @ one, turn @ two, turn @ [0, 0, 1.0]])
    turned = replace(BAR, points=BAR.points @ turn.T)
    hand = fem.assemble(turned, replace(ply, axes=tuple(map(tuple, axes))))
    for kind, values in given.items():
        numbers = rows([[f"{v:.17g}" for v in values[:8]], [f"{values[8]:.17g}", ""]])
        material = f"*Material, name=ply\n*Elastic, type={kind}\n{numbers}*Density\n 1800.\n"
        text = in_part(
            body(BAR, section=section) + material, placed="0., 0., 0.\n0., 0., 0., 1., 0., 0., 90.\n"
        )
        same(fem.assemble(read(tmp_path, text)), hand)


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


def test_what_was_left_out_is_told_with_its_line(tmp_path):
    text = body(BAR, "C3D8R") + MATERIAL.replace("*Density", "*Plastic\n 3e8, 0.\n*Density")
    text += "*Amplitude, name=a\n 0., 1.\n*Fancy Thing\n 1\n*Step\n*Static\n*Cload\n x1, 2, 1.\n*End Step\n"
    lines = text.splitlines()
    with pytest.warns(fem.FlexbodyWarning, match=r"\*Fancy Thing is not known and left out"):
        mesh = read(tmp_path, text)
    found = {one.what: one for one in mesh.left_out}
    for word in ("*Plastic", "*Amplitude", "*Fancy Thing", "*Step", "*Static", "*Cload"):
        place = next(k for k, line in enumerate(lines, 1) if line.startswith(word))
        assert found[word].lines == (str(place),)
    assert found["elements of type C3D8R"].count == 4


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            "*Membrane Section, elset=all, material=steel\n 0.1\n",
            "Membrane Section is not supported; membranes have no",
        ),
        ("*Dashpot, elset=all\n\n 1.\n", r"line \d+, \*Dashpot: \*Dashpot is not supported"),
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
        ("*MPC\n SLIDER, 1, 2, 3\n", "the constraint SLIDER is not supported"),
        ("*Shell Section, elset=all, material=steel\n 0.1\n", "holds elements that are no shells"),
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


def test_a_tie_reaches_over_half_the_thickness_of_a_shell(tmp_path):
    """A block on a plate: its nodes stand half a thickness above the middle surface, and stay there."""
    block = fem.box((0.1, 0.1, 0.05), (4, 4, 1), "hex8", origin=(0.1, 0.1, 0.01))
    x, y = np.meshgrid(np.linspace(0, 0.3, 4), np.linspace(0, 0.3, 4), indexing="ij")
    plate = fem.Mesh(
        np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]),
        (
            fem.Block(
                "quad4",
                [
                    [4 * i + j, 4 * i + j + 4, 4 * i + j + 5, 4 * i + j + 1]
                    for i in range(3)
                    for j in range(3)
                ],
            ),
        ),
    )
    text = nodes_of(block) + elements_of(block, "C3D8I", "body")
    text += nodes_of(plate, 201).replace("*Node", "*Node, nset=plate") + elements_of(
        plate, "S4", "skin", 201, 101
    )
    below = [(k, face_at(block, k, 2, 0.01)) for k in range(1, 17)]
    text += "*Surface, name=foot\n" + rows(below) + "*Surface, name=top\n skin, SPOS\n"
    text += "*Solid Section, elset=body, material=steel\n,\n*Shell Section, elset=skin, material=steel\n 0.02, 5\n"
    text += "*Tie, name=t, adjust=no, type=NODE TO SURFACE\n foot, top\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    both = joined(block, plate)
    both = replace(both, node_sets={"foot": block.nodes_of("z0"), "plate": 50 + np.arange(16)})
    tie = fem.Tie("foot", "plate", tolerance=0.011)
    hand = fem.assemble(both, {"a": STEEL, "b": fem.Shell(STEEL, 0.02)}, parts=[tie])
    found = [fem.vibration(s, n=4).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_part_of_the_motions_in_a_cylindrical_system(tmp_path):
    """A ring of nodes that follows a node in the direction around its axis only: it turns with it, and may grow."""
    mesh = fem.box((0.1, 0.1, 0.1), (2, 2, 1), "hex8", origin=(-0.05, -0.05, 0))
    text = body(mesh) + "*Node\n 100, 0., 0., 0.2\n*Surface, name=ring, type=NODE\n z1\n"
    text += "*Orientation, name=axis, system=cylindrical\n 0., 0., 0., 0., 0., 1.\n"
    text += "*Coupling, constraint name=c, ref node=100, surface=ring, orientation=axis\n*Kinematic\n 2, 2\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    hub, nodes = structure.mesh.nodes_of("100"), structure.mesh.nodes_of("z1")
    u = np.random.default_rng(0).normal(size=structure.n)
    moved, turn = structure.displacements(u), structure.rotations(u)[hub][0]
    for node in nodes:
        x = structure.mesh.points[node]
        e = np.array([-x[1], x[0], 0.0]) / max(np.hypot(x[0], x[1]), 1e-300)
        if not e.any():
            e = np.array(
                [0.0, 1.0, 0.0]
            )  # on the axis: the direction y of the system, whose x is the global one
        rigid = moved[hub][0] + np.cross(turn, x - structure.mesh.points[hub][0])
        assert moved[node] @ e == pytest.approx(rigid @ e, abs=1e-12)


PLY = "*Material, name=ply\n*Elastic, type=LAMINA\n 1.3e11, 1e10, 0.3, 5e9, 4e9, 3e9\n*Density\n 1600.\n"
GRID = fem.Mesh(
    [[x, y, 0.0] for x in (0.0, 0.1, 0.2) for y in (0.0, 0.15)],
    (fem.Block("quad4", [[0, 2, 3, 1], [2, 4, 5, 3]]),),
    {"x0": [0, 1], "x1": [4, 5]},
)


@pytest.mark.parametrize("symmetric", [False, True])
def test_layers_of_shells(symmetric, tmp_path):
    """Bottom first, angles about the normal from the second axis of an orientation about its first."""
    section = (
        f"*Shell Section, elset=all, composite, offset=-0.25, orientation=o{', symmetric' * symmetric}\n"
    )
    section += " 0.001, 3, ply, 30.\n 0.002, 3, steel\n"
    section += (
        "*Orientation, name=o\n 0., 0., 1., 0., 1., 0.\n 1, 20.\n"  # axes z, y, -x; axis 1 of the shell: y
    )
    structure = fem.assemble(read(tmp_path, body(GRID, "S4", section=section) + PLY + MATERIAL))
    ply = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
    layers = [fem.Layer(ply, 0.001, 30.0), fem.Layer(STEEL, 0.002)]
    layers += layers[::-1] * symmetric
    angle = np.radians(20)  # about z from y to -x
    axis = (-np.sin(angle), np.cos(angle), 0.0)
    offset = 0.25 * (0.006 if symmetric else 0.003)
    hand = fem.assemble(GRID, fem.LayeredShell(layers, axis=axis, offset=offset))
    np.testing.assert_allclose(structure.K.toarray(), hand.K.toarray(), atol=1e-10 * hand.K.max())
    same(structure, hand)


def test_a_shell_of_one_ply_around_an_axis(tmp_path):
    """Fibres around a cylinder: axis 2 of a cylindrical system follows its axis 1, which is the normal."""
    angles = np.radians([0, 30, 60])
    points = [[np.cos(a), np.sin(a), z] for a in angles for z in (0.0, 0.2)]
    pipe = fem.Mesh(points, (fem.Block("quad4", [[0, 2, 3, 1], [2, 4, 5, 3]]),), {"x0": [0, 1], "x1": [4, 5]})
    section = "*Shell Section, elset=all, material=ply, orientation=o\n 0.004, 5\n"
    section += "*Orientation, name=o, system=cylindrical\n 0., 0., 0., 0., 0., 1.\n 1, 0.\n"
    structure = fem.assemble(read(tmp_path, body(pipe, "S4R", section=section) + PLY))
    ply = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
    sets = {"a": [0], "b": [1]}
    mesh = replace(pipe, element_sets=sets)
    shells = {
        name: fem.LayeredShell([fem.Layer(ply, 0.004)], axis=(-np.sin(a), np.cos(a), 0.0))
        for name, a in zip("ab", np.radians([15, 45]), strict=True)
    }
    same(structure, fem.assemble(mesh, shells))


@pytest.mark.parametrize(("rows_of", "kept"), [("1, 3", ("x", "y", "z")), ("3, 5", ("z", "rx", "ry"))])
def test_a_shell_of_which_some_motions_follow(rows_of, kept, tmp_path):
    text = body(GRID, "S4", section="*Shell Section, elset=all, material=steel\n 0.004, 5\n")
    text += "*Node\n 100, 0.25, 0.05, 0.03\n*Surface, name=end, type=NODE\n x1\n"
    text += f"*Coupling, ref node=100, surface=end\n*Kinematic\n {rows_of}\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    hub = fem.Rigid("hub", "x1", at=(0.25, 0.05, 0.03), components=kept)
    hand = fem.assemble(GRID, fem.Shell(STEEL, 0.004), parts=[hub])
    np.testing.assert_allclose(structure.K.toarray(), hand.K.toarray(), atol=1e-12 * hand.K.max())
    # the same by an orientation along the global axes, which makes equations
    text = text.replace("surface=end\n*Kin", "surface=end, orientation=o\n*Kin")
    text += "*Orientation, name=o\n 1., 0., 0., 0., 1., 0.\n"
    other = fem.assemble(read(tmp_path, text + MATERIAL))
    np.testing.assert_allclose(other.K.toarray(), hand.K.toarray(), atol=1e-12 * hand.K.max())


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
        fem.Averaged("foot", "x0", at=(-0.1, 0, 0), weights="equal"),
        fem.PointMass("hub", 2.0),
    ]
    hand, structure = fem.assemble(BAR, STEEL, parts=parts), fem.assemble(mesh)
    assert structure.mass == pytest.approx(hand.mass, rel=1e-12)
    found = [fem.vibration(s, n=5).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    assert mesh.supports == {"200": dict.fromkeys(("x", "y", "z", "rx", "ry", "rz"), 0.0)}
    assert {"rot node of *Rigid Body", "*Distributing", "*Frequency"} <= {one.what for one in mesh.left_out}


LINE = "*Node\n 1, 0., 0., 0.\n 2, 0.6, 0., 0.\n 3, 1.2, 0.3, 0.\n*Nset, nset=x0\n 1\n*Nset, nset=x1\n 3\n"
LINE += "*Element, type=B31, elset=all\n 1, 1, 2\n 2, 2, 3\n"
G = STEEL.lame[1]
SHAPES = {
    "CIRC": ("0.02", fem.Circle(0.04, nu=0.3)),
    "PIPE": ("0.02, 0.003", fem.Tube(0.04, thickness=0.003, nu=0.3)),
    # the height 0.06 m is along direction 2 of the section, here y; direction 1 is z
    "RECT": ("0.02, 0.06", fem.Rectangle(0.06, 0.02, nu=0.3)),
}


def bent_line(section, **more):
    points = [(0, 0, 0), (0.6, 0, 0), (1.2, 0.3, 0)]
    mesh = fem.Mesh(points, (fem.Block("line2", [[0, 1], [1, 2]]),), {"x0": [0], "x1": [2]})
    return fem.assemble(mesh, fem.Beam(STEEL, section, up=(0, 0, 1), **more))


@pytest.mark.parametrize("shape", SHAPES)
def test_profiles_of_beams(shape, tmp_path):
    sizes, section = SHAPES[shape]
    text = LINE + f"*Beam Section, elset=all, section={shape}, material=steel\n {sizes}\n 0., 0., 1.\n"
    same(fem.assemble(read(tmp_path, text + MATERIAL)), bent_line(section))


def test_a_box_is_its_walls(tmp_path):
    """0.04 m along direction 1 (z), 0.06 m along direction 2 (y), walls of 2 and 3 mm; J = 4 A^2 / sum(s / t)."""
    text = (
        LINE
        + "*Beam Section, elset=all, section=BOX, material=steel\n 0.04, 0.06, 0.002, 0.003, 0.002, 0.003\n"
    )
    section = read(tmp_path, text + " 0., 0., 1.\n" + MATERIAL).properties["all"].section
    assert pytest.approx(0.04 * 0.06 - 0.036 * 0.054) == section.A
    assert section.Iy == pytest.approx((0.06 * 0.04**3 - 0.054 * 0.036**3) / 12)
    assert section.Iz == pytest.approx((0.04 * 0.06**3 - 0.036 * 0.054**3) / 12)
    middle = (0.038, 0.057)
    assert (
        pytest.approx(4 * (middle[0] * middle[1]) ** 2 / (2 * middle[1] / 0.002 + 2 * middle[0] / 0.003))
        == section.J
    )


@pytest.mark.parametrize("shear", [None, 4.0e7])
def test_general_sections_bring_their_own_constants(shear, tmp_path):
    """A, I11, I12, I22, J; direction 1; E, G; density. I11 bends the beam along direction 2, which is y here."""
    text = (
        LINE
        + "*Beam General Section, elset=all, section=GENERAL, density=7850.\n 1e-3, 2e-7, 0., 5e-7, 3e-7\n"
    )
    text += f" 0., 0., 1.\n {STEEL.E!r}, {G!r}\n"
    if shear:
        text += f"*Transverse Shear Stiffness\n {shear}, {shear}\n"
    k = shear / (G * 1e-3) if shear else 1.0
    section = fem.Section(1e-3, 5e-7, 2e-7, 3e-7, ky=k, kz=k)
    same(fem.assemble(read(tmp_path, text)), bent_line(section), rtol=1e-8)


@pytest.mark.parametrize("kind", ["TIE", "LINK"])
def test_pairs_of_nodes(kind, tmp_path):
    """Two bars: one joined by TIE in all six motions is one bar; by LINK their ends keep their distance."""
    second = "*Node\n 4, {}, 0.3, 0.\n 5, 2., 0.3, 0.\n*Element, type=B31, elset=all\n 3, 4, 5\n"
    text = LINE + second.format(1.2 if kind == "TIE" else 1.3) + f"*MPC\n {kind}, 4, 3\n"
    text += (
        "*Beam Section, elset=all, section=CIRC, material=steel\n 0.02\n 0., 0., 1.\n*Nset, nset=far\n 5\n"
    )
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    if kind == "TIE":
        whole = LINE + "*Node\n 5, 2., 0.3, 0.\n*Element, type=B31, elset=all\n 3, 3, 5\n"
        whole += "*Beam Section, elset=all, section=CIRC, material=steel\n 0.02\n 0., 0., 1.\n*Nset, nset=far\n 5\n"
        same(structure, fem.assemble(read(tmp_path, whole + MATERIAL)), at="far")
        return
    assert structure.n == 30 - 1
    moved = fem.static(structure, ("x0", "far"), fem.Force("x1", (1e3, 2e3, 3e3))).displacement
    assert moved[2, 0] == pytest.approx(moved[3, 0], rel=1e-9)  # the link is along x
    assert abs(moved[2, 1] - moved[3, 1]) > 1e-6


FOREIGN = Path(__file__).resolve().parents[4] / "shared" / "meshes" / "decks"


@pytest.mark.skipif(not FOREIGN.is_dir(), reason="foreign decks that are not part of this project")
def test_the_mass_matrix_of_abaqus():
    """Abaqus exported the mass matrix of this part of C3D8, which is lumped; 90 bricks, entry for entry."""
    structure = fem.assemble(fem.read_mesh(FOREIGN / "blockC3D8.inp"), lumped=True)
    row, column, value = np.loadtxt(FOREIGN / "blockC3D8_MASS1.mtx", unpack=True)
    M = np.zeros((structure.n, structure.n))
    M[row.astype(int) - 1, column.astype(int) - 1] = value
    np.testing.assert_allclose(structure.M.toarray(), M, atol=1e-12 * M.max())


def test_rotations_in_equations_have_the_units_of_the_file(tmp_path):
    """u of node 1 + 50 mm times the rotation of node 2 = 0: 0.05 m in SI."""
    text = "*Node\n1, 0, 0, 0\n2, 1000, 0, 0\n*Element, type=B31, elset=all\n1, 1, 2\n"
    text += "*Beam Section, elset=all, material=steel, section=CIRC\n10.\n0, 0, -1\n"
    text += "*Material, name=Steel\n*Elastic\n 210000., 0.3\n*Density\n 7.85e-9\n"
    mesh = read(tmp_path, text + "*Equation\n2\n1, 1, 1., 2, 6, 50.\n", units="mm")
    assert [tuple(term) for term in mesh.parts[0].terms] == [("1", "x", 1.0), ("2", "rz", 0.05)]

"""Every element type of Abaqus that is read, and some that are refused."""

import warnings

import numpy as np
import pytest
from support import mixed
from support.fem_meshes import irregular

import fem

MATERIAL = "*Material, name=Steel\n*Density\n 7850.,\n*Elastic\n 2.1e11, 0.3\n"


def read(tmp_path, text):
    path = tmp_path / "part.inp"
    path.write_text(text.rstrip("\n") + "\n")
    return fem.read_mesh(path)


# Abaqus Elements Guide: between which corners the nodes after the corners lie
BRICK = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
SIDES = [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
MIDDLES = {
    "C3D10M": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    "C3D20RH": BRICK,
    "C3D27": [*BRICK, tuple(range(8)), *SIDES],
    "C3D27RH": [*BRICK, *SIDES, tuple(range(8))],  # not Abaqus' order, but other programs write such files
    "C3D15": [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
}


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        *[("tet4", "C3D4"), ("tet10", "C3D10M"), ("hex8", "C3D8I"), ("hex20", "C3D20RH"), ("hex27", "C3D27")],
        *[("hex27", "C3D27RH"), ("wedge6", "C3D6"), ("wedge15", "C3D15"), ("pyramid5", "C3D5")],
    ],
)
def test_solids_over_several_lines(element, kind, tmp_path, steel):
    mesh = irregular(element)
    where = {tuple(np.round(x, 12)): i for i, x in enumerate(mesh.points)}
    lines = ["*Node"] + [f"{i}, {x:.17g}, {y:.17g}, {z:.17g}" for i, (x, y, z) in enumerate(mesh.points, 1)]
    lines.append(f"*Element, type={kind}")
    for e, nodes in enumerate(mesh.blocks[0].nodes, 1):
        groups = MIDDLES.get(kind, [])
        middles = [tuple(np.round(mesh.points[nodes[list(group)]].mean(axis=0), 12)) for group in groups]
        row = [e, *(nodes[: fem.ELEMENTS[element].n_corners] + 1), *(where[m] + 1 for m in middles)]
        lines += [
            ", ".join(map(str, row[k : k + 12])) + "," * (k + 12 < len(row)) for k in range(0, len(row), 12)
        ]
    other = read(tmp_path, "\n".join(lines))
    assert np.array_equal(other.blocks[0].nodes, mesh.blocks[0].nodes)
    assert fem.assemble(other, steel).mass == pytest.approx(7850.0, rel=1e-12)


def test_face_labels_of_wedges_and_pyramids(tmp_path):
    """Abaqus Elements Guide: wedges S1 1-2-3, S2 4-6-5, S3 1-4-5-2, S4 2-5-6-3, S5 3-6-4-1; pyramids S1 their base."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
    nodes = "*Node\n" + "".join(f"{k}, {x}, {y}, {z}\n" for k, (x, y, z) in enumerate(corners, 1))
    faces = {"S1": (1, 2, 3), "S2": (4, 6, 5), "S3": (1, 4, 5, 2), "S4": (2, 5, 6, 3), "S5": (3, 6, 4, 1)}
    for side, members in faces.items():
        text = nodes + f"*Element, type=C3D6\n1,1,2,3,4,5,6\n*Surface, name=s\n1, {side}\n"
        mesh = read(tmp_path, text)
        assert set(mesh.node_sets["s"] + 1) == set(members)
        assert mesh.faces["s"][0].element == ("tri3" if len(members) == 3 else "quad4")
    faces = {"S1": (1, 2, 3, 4), "S2": (1, 5, 2), "S3": (2, 5, 3), "S4": (3, 5, 4), "S5": (4, 5, 1)}
    corners = "*Node\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,.5,.5,1\n*Element, type=C3D5\n1,1,2,3,4,5\n"
    for side, members in faces.items():
        mesh = read(tmp_path, corners + f"*Surface, name=s\n1, {side}\n")
        assert set(mesh.node_sets["s"] + 1) == set(members)


# ---- shells, beams, trusses ------------------------------------------------------------------------------

TYPES = {"hex8": "C3D8R", "pyramid5": "C3D5", "tet4": "C3D4", "wedge6": "C3D6", "quad4": "S4R", "tri3": "S3"}
TYPES |= {"line2": "T3D2"}


def mixed_text(order, names):
    """The cells of ``mixed`` in one order of kinds, numbered from 101 on, in element sets {kind: name}."""
    lines = ["*Node", *(f"{i}, {x}, {y}, {z}" for i, (x, y, z) in enumerate(mixed.POINTS, 1))]
    n = 100
    for kind in order:
        lines.append(f"*Element, type={TYPES[kind]}, elset={names[kind]}")
        for nodes in mixed.CELLS[kind]:
            n += 1
            lines.append(", ".join(map(str, [n, *np.add(nodes, 1)])))
    return "\n".join([*lines, ""])


NAMES = (
    {kind: "body" for kind in mixed.SOLIDS} | {kind: "skin" for kind in mixed.SHELLS} | {"line2": "sticks"}
)
ORDER = ("quad4", "hex8", "line2", "pyramid5", "tri3", "tet4", "wedge6")


def test_types_say_what_is_an_element(tmp_path):
    """Sets reach through blocks that stand in any order, and may hold elements of several kinds."""
    text = (
        mixed_text(ORDER, NAMES)
        + "*Elset, elset=ends, generate\n101, 109, 8\n*Elset, elset=two\nsticks, 101\n"
    )
    mesh = read(tmp_path, text + "*Nset, nset=nodes of the skin, elset=skin\n")
    mixed.check(mesh, "body", "skin", "sticks")
    assert [mesh.element_name(e).partition(" (")[0] for e in mesh.element_sets["ends"]] == [
        "quad4 element 101",
        "wedge6 element 109",
    ]
    assert [mesh.element_name(e).partition(" (")[0] for e in mesh.element_sets["two"]] == [
        "quad4 element 101",
        *(f"line2 element {k}" for k in (103, 104, 105)),
    ]
    assert mesh.node_sets["nodes of the skin"].tolist() == [0, 1, 2, 3, 12]


def test_sections_of_shells_and_beams(tmp_path):
    """Thickness, profile and its direction; a section that comes later replaces none."""
    sections = (
        "*Solid Section, elset=body, material=STEEL\n*Shell Section, elset=skin, material=steel\n 0.01, 5\n"
        "*Beam Section, elset=sticks, section=RECT, material=Steel\n 0.01, 0.02\n 1., 2., 3.\n"
    )
    text = mixed_text(ORDER, NAMES).replace("T3D2", "B31") + sections + MATERIAL
    mesh = read(tmp_path, text)
    steel = mesh.materials["Steel"]
    beam = mesh.properties["sticks"]
    assert mesh.properties == {
        "body solid": steel,
        "body reduced": fem.Solid(steel, reduced=True),  # the wedge
        "skin": fem.Shell(steel, thickness=0.01),
        "sticks": beam,
    }
    # 0.01 m along direction 1, which is ours of z, and 0.02 m along direction 2
    same = fem.Rectangle(0.02, 0.01, nu=0.3)
    assert (beam.section.A, beam.section.Iy, beam.section.Iz) == pytest.approx((same.A, same.Iy, same.Iz))
    assert beam.up == (1.0, 2.0, 3.0)
    expected = 7850 * (mixed.VOLUME + 0.01 * mixed.AREA + 2e-4 * mixed.LENGTH)
    assert fem.assemble(mesh).mass == pytest.approx(expected, rel=1e-12)


def test_the_direction_node_of_a_beam_is_no_part_of_it(tmp_path):
    """Three beams of three numbers each would also make four elements of two nodes."""
    text = "*Node\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,3,0,0\n9,0,1,0\n*Element, type=B33\n1,1,2,9\n2,2,3,9\n3,3,4\n"
    mesh = read(tmp_path, text)
    assert mesh.blocks[0].nodes.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert mesh.n_nodes == 4


@pytest.mark.parametrize("row", ["1, 2, 3", "1, 3, 2", "3, 1, 2"])
def test_the_middle_of_a_quadratic_truss_is_found(row, tmp_path, steel):
    """Wherever it stands in the row: end 1 at x = 0, end 2 at x = 2, the middle between."""
    at = dict(zip(row.split(", "), ("0, 0, 0", "1, 0, 0", "2, 0, 0"), strict=True))
    nodes = "".join(f"{k}, {at[k]}\n" for k in "123")
    mesh = read(tmp_path, f"*Node\n{nodes}*Element, type=T3D3\n7, 1, 2, 3\n")
    assert mesh.points[mesh.blocks[0].nodes[0]][:, 0].tolist() in ([0, 2, 1], [2, 0, 1])
    assert fem.assemble(mesh, fem.Truss(steel, area=1e-4)).mass == pytest.approx(2 * 0.785)


@pytest.mark.filterwarnings("ignore:.* nodes belong to no element")  # those of the other shapes
@pytest.mark.parametrize(("side", "sign"), [("SPOS", 1), ("SNEG", -1)])
def test_sides_of_shells(side, sign, tmp_path, steel):
    """SPOS is the side of the normal: pressure there pushes against it (Abaqus Elements Guide)."""
    text = mixed_text(("quad4", "tri3"), NAMES) + f"*Surface, name=wet\n skin, {side}\n"
    mesh = read(tmp_path, text)
    assert {block.element for block in mesh.faces["wet"]} == {"quad4", "tri3"}
    shell = fem.assemble(mesh, fem.Shell(steel, thickness=0.01))
    force = fem.load_vector(shell, [fem.Pressure("wet", 1000.0)])
    total = shell.rigid_modes(about=(0, 0, 0))[:, :3].T @ force
    # the square's normal is -z (1 m^2), the triangle's -z too (0.5 m^2)
    assert total == pytest.approx([0, 0, sign * 1000 * mixed.AREA], abs=1e-9)


def test_a_side_of_a_shell_needs_a_shell(tmp_path):
    with pytest.raises(fem.FileError, match="side SPOS of a hex8, which is not a shell"):
        read(tmp_path, mixed_text(("hex8",), NAMES) + "*Surface, name=s\n body, SPOS\n")
    with pytest.raises(fem.FileError, match="edge S7 of a quad4, which has none"):
        read(tmp_path, mixed_text(("quad4",), NAMES) + "*Surface, name=s\n 101, S7\n")


@pytest.mark.parametrize("kind", ["MAX1", "SC8R", "B31OS", "ELBOW31", "CONN3D2", "C3D15V"])
def test_types_without_an_equal_are_refused(kind, tmp_path):
    text = mixed_text(ORDER, NAMES) + f"*Element, type={kind}\n 999, 1, 2, 3, 4\n"
    with pytest.raises(fem.FileError, match=rf"elements of type {kind} \(line \d+, 1 element\),.*beams B31"):
        read(tmp_path, text)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
@pytest.mark.parametrize("kind", ["B32", "B32R", "PIPE32"])
def test_a_beam_of_three_nodes_becomes_two(kind, order, tmp_path):
    """In all sets that name it, by number or range, with its direction; the middle node is found by its place."""
    nodes = "*Node\n1,0,0,0\n2,1,0,0\n3,2,0.5,0\n4,3,1,0\n5,4,1.5,0\n6,0.5,0,0\n9,1,1,2\n"
    rest = "*Elset, elset=two\n8\n*Elset, elset=all, generate\n7, 8\n*Beam Section, elset=all, section=PIPE, "
    rest += "material=m\n0.02, 0.002\n*Material, name=m\n*Density\n7850.\n*Elastic\n210e9, 0.3\n"
    rows = [[(1, 6, 2)[k] for k in order], [(2, 3, 5)[k] for k in order]]
    text = f"{nodes}*Element, type={kind}\n7, {', '.join(map(str, rows[0]))}, 9\n8, {', '.join(map(str, rows[1]))}\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # node 4 is none of the part
        mesh = read(tmp_path, text + rest)
    x = mesh.points
    section = fem.Tube(0.04, thickness=0.002, nu=0.3)
    sides = {f"{k}": [k] for k in range(4)}
    beams = {
        name: fem.Beam(mesh.materials["m"], section, up=up)
        for name, up in zip(sides, ((1, 1, 2), (0, 0, -1), (1, 1, 2), (0, 0, -1)), strict=True)
    }
    assert [block.nodes.tolist() for block in mesh.blocks] == [[[0, 4], [1, 2]], [[4, 1], [2, 3]]]
    names = [mesh.element_name(e) for e in mesh.element_sets["two"]]
    assert names == [
        "line2 element 8 (line 11)",
        "line2 element 18 (line 11)",
    ]  # the second half has its number
    by_hand = fem.assemble(fem.Mesh(x, mesh.blocks, element_sets=sides), beams)
    found = fem.assemble(mesh)
    for A, B in ((found.K, by_hand.K), (found.M, by_hand.M)):
        assert abs(A - B).max() <= 1e-12 * abs(B).max()
    assert any("two of Timoshenko's beams" in one.why for one in mesh.left_out)


ROUND = "*Node\n1,0,0,0\n2,1,0,0\n*Element, type={kind}, elset=all\n1, 1, 2\n*Beam Section, elset=all, section=CIRC, "
ROUND += "material=Steel\n{sizes}\n" + MATERIAL


@pytest.mark.parametrize(
    ("kind", "sizes", "head", "diameter"),
    [
        ("B31", "0.02", "** written by FreeCAD inp file writer for CalculiX,Abaqus meshes\n", 0.02),
        ("B31R", "0.02", "", 0.02),
        ("B31", "0.02, 0.02", "", 0.02),
        ("B33", "0.02", "", 0.04),
    ],
)
def test_round_sections_of_two_programs(kind, sizes, head, diameter, tmp_path):
    """Abaqus gives the radius, CalculiX one or two diameters."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        mesh = read(tmp_path, head + ROUND.format(kind=kind, sizes=sizes))
    assert fem.assemble(mesh).mass == pytest.approx(7850 * np.pi / 4 * diameter**2, rel=1e-12)


def test_a_round_section_that_two_programs_read_differently_is_told(tmp_path):
    with pytest.warns(
        fem.FlexbodyWarning, match="taken for the radius, as in Abaqus; CalculiX takes it for the diam"
    ):
        mesh = read(tmp_path, ROUND.format(kind="B31", sizes="0.02"))
    assert fem.assemble(mesh).mass == pytest.approx(7850 * np.pi * 0.02**2, rel=1e-12)
    ellipse = read(tmp_path, ROUND.format(kind="B31", sizes="0.02, 0.03"))
    assert fem.assemble(ellipse).mass == pytest.approx(7850 * np.pi / 4 * 0.02 * 0.03, rel=1e-12)


def test_bricks_of_21_to_26_nodes_are_refused(tmp_path):
    """C3D27 may leave out nodes on faces."""
    text = "*Node\n1,0,0,0\n*Element, type=C3D27\n" + ", ".join(map(str, range(1, 23))) + "\n"
    with pytest.raises(fem.FileError, match="not all elements of type C3D27 have 27 nodes"):
        read(tmp_path, text)

"""Abaqus input files, with every trap that other readers fall into."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import fem

# a cube of edge 1, node numbers with gaps; *Node names a set, elements take several lines
CUBE = """*Part, name=Cube
*Node, nset=Everything
 10, 0., 0., 0.
 20, 1., 0., 0.
 30, 1., 1., 0.
 40, 0., 1., 0.
 50, 0., 0., 1.
 60, 1., 0., 1.
 70, 1., 1., 1.
 80, 0., 1., 1.
 99, 5., 5., 5.
*ELEMENT, TYPE=C3D8R, ELSET=Block
 7, 10, 20, 30, 40,
    50, 60, 70, 80
*Nset, nset=bottom, generate
 10, 40, 10
*Nset, nset=Top
 50, 60,
 70, 80
*Nset, nset=both
 BOTTOM, top
*Nset, nset=_picked, internal, elset=Block
*Elset, elset="all of it", generate
 7, 9, 1
*Solid Section, elset=Block, material=STEEL
,
*Surface, type=ELEMENT, name=right
 Block, S4
*End Part
"""
MATERIAL = """*Material, name=Steel
*Density
 7.85e-9,
*Elastic
 210000., 0.3
"""
ASSEMBLY = """** two instances, the second moved and turned
*Assembly, name=A
*Instance, name=one, part=cube
*End Instance
*Instance, name=two, part=CUBE
 1., 0., 0.
 1., 0., 0., 1., 0., 1., 90.
*End Instance
*Nset, nset=ends, instance=one
 bottom, 80
*Nset, nset=ends, instance=two
 10
*Nset, nset=mixed
 one.10, two.top
*End Assembly
"""
STEP = "*Step\n*Nset, nset=not read\n 1\n*End Step\n"


TETRAHEDRON = (
    "*Node\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*Element, type=C3D4, elset=all\n1, 1, 2, 3, 4\n"
)


def read(tmp_path: Path, text: str, units: str = "SI"):
    path = tmp_path / "part.inp"
    path.write_text(text)
    return fem.read_mesh(path, units=units)


def positions(mesh, name):
    return {tuple(np.round(x, 9) + 0.0) for x in mesh.points[mesh.node_sets[name]]}


def test_a_part_without_assembly(tmp_path):
    mesh = read(tmp_path, CUBE + MATERIAL, units="mm")
    assert mesh.n_nodes == 8  # node 99 belongs to nothing
    assert mesh.volume == pytest.approx(1e-9)
    line = next(k for k, row in enumerate(CUBE.splitlines(), 1) if row.lstrip().startswith("7,"))
    assert mesh.element_name(0) == f"hex8 element 7 (line {line})"
    sizes = {name: len(nodes) for name, nodes in mesh.node_sets.items()}
    assert sizes == {"Everything": 8, "bottom": 4, "Top": 4, "both": 8, "_picked": 8, "right": 4}
    sizes = {name: len(elements) for name, elements in mesh.element_sets.items()}
    assert sizes == {"Block": 1, "all of it": 1}
    assert positions(mesh, "bottom") == {(0, 0, 0), (0.001, 0, 0), (0.001, 0.001, 0), (0, 0.001, 0)}


def test_material_is_scaled_with_the_units(tmp_path):
    mesh = read(tmp_path, CUBE + MATERIAL, units="mm")
    steel = mesh.materials["Steel"]
    assert (steel.E, steel.nu, steel.rho) == (pytest.approx(210e9), 0.3, pytest.approx(7850.0))
    assert mesh.properties == {"Block": mesh.materials["Steel"]}
    assert fem.assemble(mesh).mass == pytest.approx(7850e-9)


def test_other_units(tmp_path):
    """GPa and kg/mm^3; psi and lbf s^2/in^4: steel is 30.46e6 psi and 7.346e-4 lbf s^2/in^4."""
    text = CUBE + MATERIAL.replace("7.85e-9", "7.85e-6").replace("210000.", "210.")
    steel = read(tmp_path, text, units="mm-kg").materials["Steel"]
    assert (steel.E, steel.rho) == (pytest.approx(210e9), pytest.approx(7850))
    text = CUBE + MATERIAL.replace("7.85e-9", "7.346e-4").replace("210000.", "30.46e6")
    mesh = read(tmp_path, text, units="inch")
    assert mesh.volume == pytest.approx(0.0254**3)
    assert pytest.approx(210e9, rel=1e-3) == mesh.materials["Steel"].E
    assert mesh.materials["Steel"].rho == pytest.approx(7850, rel=1e-3)


def test_wrong_units_are_suspected(tmp_path):
    with pytest.warns(fem.FlexbodyWarning, match="density of 7.85e-09 .*units='mm' would be right"):
        read(tmp_path, CUBE + MATERIAL)


def test_instances_are_moved_then_turned(tmp_path):
    """Instance two: shifted by x = 1, then turned by 90 degrees about the line x = 1, y = 0 along z."""
    mesh = read(tmp_path, CUBE + ASSEMBLY + MATERIAL + STEP, units="mm")
    assert mesh.n_elements == 2
    assert mesh.volume == pytest.approx(2e-9)
    assert np.allclose(mesh.bounding_box, np.array([[0, 0, 0], [1, 1, 1]]) * 1e-3, atol=1e-15)
    # (x, y) -> (1 - y, x): the two cubes coincide in space but share no node
    assert positions(mesh, "two.bottom") == {(0.001, 0, 0), (0.001, 0.001, 0), (0, 0.001, 0), (0, 0, 0)}
    two = mesh.points[mesh.blocks[1].nodes[0, 1]]  # its node 20, drawn at (1, 0, 0)
    assert two == pytest.approx([0.001, 0.001, 0.0], abs=1e-15)
    with pytest.raises(fem.MeshError, match="2 loose parts"):
        fem.assemble(mesh)


def test_sets_of_the_assembly_reach_into_instances(tmp_path):
    mesh = read(tmp_path, CUBE + ASSEMBLY + MATERIAL + STEP, units="mm")
    assert len(mesh.node_sets["ends"]) == 6
    assert len(mesh.node_sets["mixed"]) == 5
    assert "not read" not in mesh.node_sets
    assert {"one.Top", "two.Top"} <= set(mesh.node_sets)
    assert mesh.properties == dict.fromkeys(["one.Block", "two.Block"], mesh.materials["Steel"])


def test_a_flat_file_and_an_instance_with_its_own_nodes(tmp_path):
    """Both are written by Abaqus/CAE, depending on an option."""
    body = CUBE.removeprefix("*Part, name=Cube\n").removesuffix("*End Part\n")
    flat = read(tmp_path, "*Heading\n some text\n" + body + MATERIAL, units="mm")
    own = read(
        tmp_path,
        "*Part, name=P\n*End Part\n*Assembly, name=A\n*Instance, name=I, part=P\n"
        + body
        + "*End Instance\n*End Assembly\n"
        + MATERIAL,
        units="mm",
    )
    for mesh in (flat, own):
        assert mesh.volume == pytest.approx(1e-9)
        assert "bottom" in mesh.node_sets
        assert mesh.materials.keys() == {"Steel"}


def test_surfaces_keep_their_faces(tmp_path):
    """S4 of a brick is 2-3-7-6 (Abaqus Elements Guide): here x = 1."""
    mesh = read(tmp_path, CUBE + MATERIAL, units="mm")
    frame = fem.interface(mesh, "right")
    assert frame.point == pytest.approx([1e-3, 0.5e-3, 0.5e-3])
    assert frame.area == pytest.approx(1e-6)


def test_every_face_label_is_an_outer_face(tmp_path):
    """Abaqus' six faces of a brick have its area; each of a tetrahedron lies where Abaqus says."""
    sides = "".join(f" Block, S{k}\n" for k in range(1, 7))
    mesh = read(tmp_path, (CUBE + MATERIAL).replace(" Block, S4\n", sides), units="mm")
    assert fem.interface(mesh, "right").area == pytest.approx(6e-6)
    tet = "*Node\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*Element, type=C3D4\n1,1,2,3,4\n"
    # Abaqus Elements Guide: S1 1-2-3, S2 1-4-2, S3 2-4-3, S4 3-4-1
    for side, x in (("S1", (1, 1, 0)), ("S2", (1, 0, 1)), ("S3", (1, 1, 1)), ("S4", (0, 1, 1))):
        mesh = read(tmp_path, tet + f"*Surface, name=s, type=ELEMENT\n1, {side}\n")
        assert fem.interface(mesh, "s").point == pytest.approx(np.array(x) / 3)


def test_includes_comments_and_fortran_numbers(tmp_path):
    (tmp_path / "nodes.inc").write_text("** included\n 1, 0, 0\n")
    (tmp_path / "all.inc").write_text("*Node\n1,0.D0\n2,1.0D+00,0,0\n3,0,1\n4,0,0,1\n")
    mesh = read(tmp_path, "*Include, input=all.inc\n*Element,\n type=C3D4\n** comment\n1,1,2,3,4\n")
    assert mesh.volume == pytest.approx(1 / 6)


def test_an_included_file_may_go_on_with_data(tmp_path):
    """*Include puts in the lines of the file: data before and behind it belong to the keyword above."""
    (tmp_path / "nodes.inc").write_text("2, 1, 0, 0\n3, 0, 1, 0\n")
    text = "*Node\n1, 0, 0, 0\n*Include,\n input=nodes.inc\n4, 0, 0, 1\n*Element, type=C3D4\n1, 1, 2, 3, 4\n"
    assert read(tmp_path, text).volume == pytest.approx(1 / 6)
    (tmp_path / "nodes.inc").write_text("2, 1, 0, x\n")
    with pytest.raises(
        fem.FileError, match=r"part.inp, line 1, \*Node, line 3: 'x' stands where a number must"
    ):
        read(tmp_path, text)


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "latin-1"])
def test_names_beyond_ascii(code, tmp_path):
    """\\x85, a byte of Å in UTF-8, ends no line."""
    path = tmp_path / "deck.inp"
    text = "*Heading\n Ångström\n*Node\n1,0\n2,1,0,0\n3,0,1\n4,0,0,1\n** Å\n*Element, type=C3D4, elset=Hälfte-Å\n"
    path.write_bytes((text + "1,1,2,3,4\n").encode(code))
    assert [*fem.read_mesh(path).element_sets] == ["Hälfte-Å"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("C3D8R", "MGAX1"), "elements of type MGAX1.*use solids C3D4"),
        (("C3D8R", "C3D15V"), "elements of type C3D15V"),
        (("C3D8R", "C3D6"), "not all elements of type C3D6 have 6 nodes"),
        (("C3D8R", "DC3D8"), "elements of type DC3D8"),
        (("50, 60, 70, 80\n*Nset", "50, 60, 70, 81\n*Nset"), "no node 81"),
        (("    50, 60, 70, 80\n", "    50, 60, 70\n"), r"line 12, \*Element"),
        (("BOTTOM, top", "BOTTOM, tip"), "nset 'BOTH' names 'tip', which does not exist"),
        (("BOTTOM, top", "both"), "contains itself"),
        (("*Nset, nset=Top", "*Nmap"), r"line 17, \*Nmap: \*Nmap is not supported"),
        (("nset=bottom, generate", "generate"), r"\*Nset needs nset="),
        ((" 20, 1., 0., 0.", " 10, 1., 0., 0."), "node 10 is defined twice"),
        ((" 20, 1., 0., 0.", " 20, one, 0., 0."), r"line 2, \*Node"),
        (("*Part, name=Cube\n", "Part\n"), "stands before any"),
        (("0.3\n", "0.7\n"), "material 'Steel'.*Poisson"),
        ((" 7.85e-9,", " 0.0,"), "material 'Steel'.*density"),
        ((" 7.85e-9,", " -1.0,"), "material 'Steel'.*density"),
        ((" Block, S4", " Block, S7"), "face S7 of a hex8"),
    ],
)
def test_mistakes_are_named(change, message, tmp_path):
    text = CUBE + MATERIAL
    assert change[0] in text
    with pytest.raises(fem.FileError, match=message) as caught:
        read(tmp_path, text.replace(*change))
    assert "part.inp" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_part_and_a_missing_include(tmp_path):
    with pytest.raises(fem.FileError, match="no part 'ball'"):
        read(tmp_path, CUBE + "*Assembly, name=A\n*Instance, name=one, part=ball\n*End Instance\n")
    with pytest.raises(fem.FileError, match=r"nowhere\.inc, which does not exist"):
        read(tmp_path, "*Include, input=nowhere.inc\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("*Elastic\n", "*Elastic, type=SHEAR\n"), "'Steel' \\(line \\d+\\) has no \\*Elastic"),
        (
            ("name=Steel", "name=Iron"),
            "name the material 'STEEL', which the file does not hold \\('STEEL' in line \\d+\\)",
        ),
    ],
)
def test_a_section_without_a_complete_material(change, said, tmp_path, steel):
    with pytest.warns(fem.FlexbodyWarning, match=said):
        mesh = read(tmp_path, CUBE + MATERIAL.replace(*change), units="mm")
    assert fem.assemble(mesh, steel).mass == pytest.approx(7850e-9)
    with pytest.raises(fem.InputError, match="no complete material or property"):
        fem.assemble(mesh)


def test_a_material_without_a_density_serves_statics(tmp_path):
    """Decks for statics need none: the same deflection, and a word on what weighs nothing."""
    with pytest.warns(
        fem.FlexbodyWarning, match=r"'Steel' \(line \d+\) has no \*Density: its elements weigh nothing"
    ):
        light = read(tmp_path, CUBE + MATERIAL.replace("*Density\n 7.85e-9,\n", ""), units="mm")
    heavy = read(tmp_path, CUBE + MATERIAL, units="mm")
    K = [fem.assemble(mesh).K for mesh in (light, heavy)]
    assert abs(K[0] - K[1]).max() <= 1e-15 * abs(K[1]).max()
    assert "no density" in light.report()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TETRAHEDRON + "*Nset, nset=top\n4", "ends without a new line, with '4'"),
        (TETRAHEDRON + "*Nset, nset=top\n", "the sets 'top' have no node on an element"),
        (TETRAHEDRON + "*Elset, elset=top\n", "the element sets 'top' have no members"),
        (TETRAHEDRON + "*Surface, name=top\n", "the surfaces 'top' have no lines"),
        (
            TETRAHEDRON + MATERIAL.replace("7.85e-9", "7850"),
            "1 of 1 elements have no section with a material",
        ),
        (TETRAHEDRON.replace("*Element", "5, 1, 1, 1\n*Element"), "1 of 5 nodes belong to no element"),
    ],
)
def test_what_a_file_that_was_cut_off_lacks_is_said(text, said, tmp_path):
    with pytest.warns(fem.FlexbodyWarning, match=said):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TETRAHEDRON.replace("*Node", "*Part, name=p\n*Node"),
            "\\*Part in line \\d+ has no end \\(\\*End Part\\)",
        ),
        ("*Assembly, name=a\n" + TETRAHEDRON, "\\*Assembly in line \\d+ has no end"),
        (TETRAHEDRON + "*Nset,", "ends within the keyword"),
        (TETRAHEDRON + "*Nsat, nset=top\n4\n", r"there is no such keyword; \*Nset is one"),
        (TETRAHEDRON + "*Couplng, constraint name=c\n", r"there is no such keyword; \*Coupling is one"),
        (TETRAHEDRON + "*Kinemattic\n", r"there is no such keyword; \*Kinematic is one"),
        (TETRAHEDRON + "*Nste, nset=top\n4\n", r"there is no such keyword; \*Nset is one"),
        (
            TETRAHEDRON + "*Nset, nset=top, generaue\n1, 4\n",
            r"the parameter 'GENERAUE' \(did you mean 'GENERATE'\?\) is not read",
        ),
        (TETRAHEDRON + "*Nset, nset=top, generate\n1, 4, 0\n", "can't have the increment 0"),
        (TETRAHEDRON.replace("3, 0, 1", "3.5, 0, 1"), "3.5 can't be the number of a node"),
        (
            TETRAHEDRON + "*Element, type=SPRING1, elset=s\n9, 1\n*Spring, elset=s, offset1=0.5\n3\n1.\n",
            "'OFFSET1' is not",
        ),
        (
            TETRAHEDRON + "*Solid Section, elset=all, material=m, density=3.\n1.\n",
            "the parameter 'DENSITY' is not read",
        ),
        (
            TETRAHEDRON + "*Beam Section, elset=all, section=RECT, offset1=0.5\n1., 1.\n",
            r"'OFFSET1' \(did you mean 'OFFSET'\?\) is not read",
        ),
        ("*Node, input=nodes.txt\n", r"nodes\.txt, which does not exist"),
    ],
)
def test_a_damaged_file_is_refused(text, message, tmp_path):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, text)


def test_parameters_that_say_little_are_told(tmp_path):
    text = TETRAHEDRON + MATERIAL.replace("*Elastic", "*Elastic, no compression") + "*Damping, alpha=3.\n"
    text += "*Element, type=MASS, elset=m\n9, 1\n*Mass, elset=m, alpha=0.1\n2.,\n"
    text += "*Initial Conditions, type=stress\nall, 1.\n"
    told = {one.what: one.why for one in read(tmp_path, text).left_out}
    assert {"alpha of *Mass", "no compression of *Elastic", "*Damping"} <= told.keys()
    assert "fem.preloaded" in told["*Initial Conditions"]


def test_equations_and_constraints_of_another_file(tmp_path):
    (tmp_path / "pairs.txt").write_text("** between nodes\nTIE, 2, 1\n")
    (tmp_path / "sums.txt").write_text("2\n3, 1, 1., 4, 1, -1.\n")
    mesh = read(tmp_path, TETRAHEDRON + "*MPC, input=pairs.txt\n*Equation, input=sums.txt\n")
    terms = [part.terms for part in mesh.parts]
    assert terms == [
        *([("2", c, 1.0), ("1", c, -1.0)] for c in "xyz"), [("3", "x", 1.0), ("4", "x", -1.0)]
    ]  # fmt: skip


CAE = """*Part, name=arm
*Node
 1, 0., 0., 0.
 2, 1., 0., 0.
*Element, type=B33, elset=all
 1, 1, 2
*Beam Section, elset=all, section=RECT, material=steel
 0.02, 0.01
*End Part
*Assembly, name=both
*Instance, name=arm-1, part=arm
*End Instance
*Instance, name=arm-2.b, part=arm
 0., 0.5, 0.
*End Instance
*Node
 1, 1., 0.25, 0.
*Spring, elset=between

 1000.
*Element, type=SpringA, elset=between
 1, arm-1.2, ARM-2.B.2
*Element, type=MASS, elset=tip
 2, arm-2.b.2
*Mass, elset=tip
 3.,
*End Assembly
*Material, name=steel
*Density
 7850.,
*Elastic
 2.1e11, 0.3
"""


def test_masses_and_springs_of_an_assembly_name_nodes_of_instances(tmp_path):
    """As Abaqus/CAE writes them; the spring acts along y, between the ends at x = 1."""
    path = tmp_path / "both.inp"
    path.write_text(CAE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # node 1 of the assembly belongs to nothing
        mesh = fem.read_mesh(path, units="m")
    spring, mass = mesh.parts
    assert [mesh.points[mesh.nodes_of(name)[0]].tolist() for name in (spring.first, spring.second, mass.at)] == [
        [1, 0, 0], [1, 0.5, 0], [1, 0.5, 0]
    ]  # fmt: skip
    assert (spring.stiffness, mass.mass) == (1000.0, 3.0)
    path.write_text(CAE.replace("arm-1.2,", "leg-1.2,"))
    with pytest.raises(fem.FileError, match=r"line 21, \*Element: 'leg-1.2' is no node"):
        fem.read_mesh(path, units="m")


def test_a_generated_range_of_any_size_takes_no_time(tmp_path):
    mesh = read(tmp_path, TETRAHEDRON + "*Nset, nset=most, generate\n2, 1000000000000000000\n")
    assert list(mesh.node_sets["most"]) == [1, 2, 3]


SHARED = Path(__file__).resolve().parents[4] / "shared" / "meshes" / "conrod.inp"


@pytest.mark.skipif(not SHARED.is_file(), reason="a foreign mesh that is not part of this project")
def test_a_foreign_connecting_rod():
    """Its eyes have no sets: two holes of 5 mm radius through 10 mm, axes along z, 80 mm apart."""
    mesh = fem.read_mesh(SHARED)
    axis, radius = (0, 0, 1), 0.005
    mesh = mesh.select("crank", cylinder=((0, 0, 0), axis, radius))
    mesh = mesh.select("piston", cylinder=((0, 0.08, 0), axis, radius))
    for name, y in (("crank", 0.0), ("piston", 0.08)):
        frame = fem.interface(mesh, name)
        assert frame.point == pytest.approx([0, y, 0.005], abs=1e-8)
        # 16 parabolas around, each on the circle in three points
        assert frame.area == pytest.approx(2 * np.pi * radius * 0.01, rel=1e-3)
    assert fem.assemble(mesh).mass == pytest.approx(7850 * mesh.volume, rel=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("3, 0, 1", "3, 0, 1O", r"line {k}: '1O' stands where a number must be"),
        ("3, 0, 1", "3, 0, 1e40", r"line {k}: the coordinates of node 3 are not finite, or above 1e\+30"),
        ("3, 0, 1", "x3, 0, 1", r"line {k}: 'x3' stands"),
        ("1, 1, 2, 3, 4", "1, 1, 2, 3", r"line {k}: not all elements of type C3D4 have 4 nodes"),
        ("1, 1, 2, 3, 4", "1, 1, 2, 3, 9", r"\*Element: element 1: there is no node 9"),
    ],
)
def test_the_row_of_a_table_that_is_wrong_is_named(old, new, said, tmp_path):
    text = "** a comment\n" + TETRAHEDRON
    row = text[: text.index(old)].count("\n") + 1
    with pytest.raises(fem.FileError, match=said.format(k=row)):
        read(tmp_path, text.replace(old, new, 1))


def test_normals_at_nodes_are_told_and_refused_for_beams(tmp_path):
    """The fifth number of a *Node and the next ones are a normal, which directs the section of a beam."""
    text = TETRAHEDRON.replace("3, 0, 1, 0", "3, 0, 1, 0, 0., 0., 1.")
    assert {one.what for one in read(tmp_path, text).left_out} == {"normals of nodes"}
    with pytest.raises(fem.FileError, match=r"beams with normals at the nodes .*line 4"):
        read(tmp_path, text + "*Element, type=B31, elset=beams\n7, 1, 2\n")
    late = "*Node\n8, 2, 0, 0\n9, 3, 0, 0, 0., 0., 1.\n"
    with pytest.raises(fem.FileError, match=r"\*Node.*beams with normals at the nodes"):
        read(tmp_path, TETRAHEDRON + "*Element, type=B31, elset=beams\n7, 1, 2\n" + late)

"""Archives of ANSYS: parts that are written as CDWRITE does, against the same parts built by hand."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.ansys_decks import deck, eblock, materials, nblock, types
from support.damping import damping

import fem
from fem.io.ansys.commands import read_deck

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
MEAN = fem.Solid(STEEL, brick=fem.MeanDilatation())  # SOLID185 by default
#: coordinates have 14 digits in a deck
DIGITS = 1e-9


def crooked(mesh):
    x = mesh.points
    return replace(mesh, points=x + 0.03 * np.sin(7 * x[:, [1, 2, 0]] + 1))


def one(kind):
    """A single element of a kind, crooked."""
    return fem.Mesh(fem.ELEMENTS[kind].nodes * 1.0, (fem.Block(kind, [range(fem.ELEMENTS[kind].n_nodes)]),))


def read(text, tmp_path, name="part.cdb", **options):
    path = tmp_path / name
    path.write_text(text)
    return fem.read_mesh(path, **options)


def same(found, expected, digits=DIGITS):
    """The same stiffness, mass and lowest frequencies."""
    assert found.n == expected.n
    for A, B in ((found.K, expected.K), (found.M, expected.M)):
        assert abs(A - B).max() <= digits * abs(B).max()
    np.testing.assert_allclose(found.mass, expected.mass, rtol=digits)


# ---- elements ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["hex8", "hex20", "tet4", "tet10", "wedge6", "wedge15", "pyramid5", "pyramid13"]
)
@pytest.mark.parametrize("width", [8, 10])
def test_solids_and_their_degenerate_forms(kind, width, tmp_path):
    mesh = crooked(one(kind))
    ids = 100 - 3 * np.arange(mesh.n_nodes)
    text = deck(
        types(mesh.blocks), nblock(mesh.points, ids, width), eblock(mesh.blocks, ids, width), materials()
    )
    found = read(text, tmp_path)
    assert [block.element for block in found.blocks] == [kind]
    assert found.node_ids.tolist() == ids.tolist()
    # SOLID186 has 2 x 2 x 2 points by default, SOLID185 the mean of the volume strain
    own = {"hex20": fem.Solid(STEEL, reduced=True), "hex8": MEAN}.get(kind, STEEL)
    same(fem.assemble(found), fem.assemble(mesh, own))


def test_tetrahedra_of_solid187_and_full_integration(tmp_path):
    tet, brick = crooked(one("tet10")), crooked(one("hex20"))
    rows = eblock([fem.Block("hex8", np.zeros((0, 8), int))])[:-1]
    line = "".join(f"{v:9d}" for v in [1, 187, 1, 1, 0, 0, 0, 0, 10, 0, 1, *range(1, 11)])
    text = deck(["ET,187,187"], nblock(tet.points), [rows[0].replace("0,         0", "1,         1"), rows[1]],
                [line[: 19 * 9], line[19 * 9 :], "-1"], materials())  # fmt: skip
    same(fem.assemble(read(text, tmp_path)), fem.assemble(tet, STEEL))
    modes = fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex8")
    text = deck(
        [*types(modes.blocks), "KEYOPT,185,2,3"], nblock(modes.points), eblock(modes.blocks), materials()
    )
    same(fem.assemble(read(text, tmp_path)), fem.assemble(modes, STEEL))
    full = [*types(brick.blocks), "KEYOPT,186,2,1"]
    same(
        fem.assemble(read(deck(full, nblock(brick.points), eblock(brick.blocks), materials()), tmp_path)),
        fem.assemble(brick, STEEL),
    )


def plate():
    points = [[x, y, 0.1 * x * x] for x in (0.0, 0.5, 1.0) for y in (0.0, 0.4)]
    return fem.Mesh(points, (fem.Block("quad4", [[0, 2, 3, 1]]), fem.Block("tri3", [[2, 4, 5], [2, 5, 3]])))


SHELL_SECTIONS = {
    "corners, of which each element has the mean": (["R,1,0.006,0.008,0.02"], 0.0),  # blank: as the first
    "real constants": (["R,1,0.01,0.01,0.01,0.01, , ,"], 0.0),
    "RLBLOCK": (["RLBLOCK,1,1,12,7", "(2i8,6g16.9)", "(7g16.9)", f"{1:8d}{12:8d}{0.01:16.9g}" + f"{0.0:16.9g}" * 5,
                 f"{0.0:16.9g}" * 6], 0.0),
    "SECDATA": (["SECTYPE,1,SHELL,,skin", "SECDATA,0.01,1,0,3", "SECOFFSET,MID"], 0.0),
    "offset": (["SECTYPE,1,SHELL", "SECDATA,0.01", "SECOFFSET,USER,0.002"], -0.002),  # nodes above the midplane
    "SECBLOCK": (["SECTYPE,1,SHELL", "SECOFFSET,TOP", "SECBLOCK,1", " 0.01, 1, 0.0, 3"], -0.005),
}  # fmt: skip


@pytest.mark.parametrize("how", SHELL_SECTIONS)
def test_shells_with_sections_and_real_constants(how, tmp_path):
    mesh, (lines, offset) = plate(), SHELL_SECTIONS[how]
    text = deck(["ET,1,181"], lines, nblock(mesh.points), eblock(mesh.blocks, types=1), materials())
    same(fem.assemble(read(text, tmp_path)), fem.assemble(mesh, fem.Shell(STEEL, 0.01, offset=offset)))


def test_shells_of_layers(tmp_path):
    mesh = fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 0.4, 0], [0, 0.4, 0]], (fem.Block("quad4", [[0, 1, 2, 3]]),))
    lines = ["ET,181,181", "SECTYPE,1,SHELL", "SECBLOCK,2", "0.004,1,30,3", "0.006,2,0,3"]
    text = deck(
        lines, nblock(mesh.points), eblock(mesh.blocks), materials(), materials(70e9, 0.33, 2700.0, 2)
    )
    aluminium = fem.Isotropic(70e9, 0.33, 2700.0)
    own = fem.LayeredShell(
        [fem.Layer(STEEL, 0.004, degrees=30.0), fem.Layer(aluminium, 0.006)], axis=fem.FirstSide()
    )
    same(fem.assemble(read(text, tmp_path)), fem.assemble(mesh, own))


@pytest.mark.parametrize("kind", ["quad8", "tri6"])
def test_shells_of_second_order(kind, tmp_path):
    corner = [[0, 0, 0], [1, 0, 0.1], [1, 0.7, 0.2], [0, 0.6, 0]][: 3 if kind == "tri6" else 4]
    sides = [(np.array(a) + b) / 2 for a, b in zip(corner, np.roll(corner, -1, axis=0), strict=True)]
    mesh = fem.Mesh([*corner, *sides], (fem.Block(kind, [range(2 * len(corner))]),))
    lines = ["ET,281,281", "SECTYPE,1,SHELL", "SECDATA,0.01"]
    text = deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials())
    same(fem.assemble(read(text, tmp_path)), fem.assemble(mesh, fem.Shell(STEEL, 0.01)))


def arm():
    points = [[0, 0, 0], [0.5, 0.2, 0.1], [1.0, 0.2, 0.3], [1.0, 0.2, 0.8]]
    return fem.Mesh(points, (fem.Block("line2", [[0, 1], [1, 2], [2, 3]]),), {"root": [0], "tip": [3]})


def upright(y0, y1, z0, z1):
    return 1e-3 * np.array([(y0, z0), (y1, z0), (y1, z1), (y0, z1)])


def drawn(*parts, holes=()):
    return fem.DrawnSection(parts, holes=holes, nu=0.3)


#: subtype: SECDATA, and the section by hand. Sources of the drawings: CHAN opens to +y and W1, t1 are below: a listing
#: with the shear centre of 50 x 100 x 4 at y = -15.869 (simo-11/mapdl, test of DrawnSection), and converters that write
#: the lower flange first (as for I); T has its flange below: verification manual, VM10 (300 psi in the lower fibre,
#: -700 psi in the upper one under Mz > 0, orientation node at +y); HREC: walls at the sides, below, above (converter)
BEAMS = {
    "HREC": (
        "0.04,0.06,0.002,0.002,0.003,0.004",
        drawn(upright(0, 40, 0, 60), holes=[upright(2, 38, 3, 56)]),
    ),
    "CHAN": (
        "0.03,0.02,0.06,0.004,0.003,0.002",
        drawn(upright(0, 30, 0, 4), upright(0, 20, 57, 60), upright(0, 2, 4, 57)),
    ),
    "T": ("0.04,0.05,0.006,0.004", drawn(upright(-20, 20, 0, 6), upright(-2, 2, 6, 50))),
    "QUAD": (
        "-0.02,0.01,0.03,0,0.02,0.05,-0.01,0.04",
        drawn(1e-3 * np.array([(-20, 10), (30, 0), (20, 50), (-10, 40)])),
    ),
    "RECT": ("0.02,0.05", fem.Rectangle(0.02, 0.05, nu=0.3)),
    "CSOLID": ("0.02", fem.Circle(0.04, nu=0.3)),
    "CTUBE": ("0.01,0.02", fem.Tube(0.04, 0.02, nu=0.3)),
    "I": ("0.1,0.1,0.2,0.0085,0.0085,0.0056", fem.ISection(0.2, 0.1, web=0.0056, flange=0.0085, nu=0.3)),
    "ASEC": ("1e-3,2e-7,3e-8,4e-7,0,5e-7", fem.Section(A=1e-3, Iy=2e-7, Iz=4e-7, J=5e-7, Iyz=3e-8)),
}


def default_up(a, b):
    """Section z axis by default: y parallel to the plane X-Y, or along Y for beams along Z (Element Reference)."""
    x = (b - a) / np.linalg.norm(b - a)
    y = np.array([0.0, 1.0, 0.0]) if np.hypot(x[0], x[1]) < 1e-4 else np.array([-x[1], x[0], 0.0])
    return tuple(np.cross(x, y))


#: further data of the same subtypes
MORE = {
    "an I of unequal flanges": (
        "I",
        "0.1,0.06,0.2,0.008,0.006,0.005",
        drawn(upright(-50, 50, 0, 8), upright(-30, 30, 194, 200), upright(-2.5, 2.5, 8, 194)),
    ),
    "a T turned over": ("T", "0.04,-0.05,0.006,0.004", drawn(upright(-20, 20, -6, 0), upright(-2, 2, -50, -6))),
    "a triangle": ("QUAD", "0,0,0.03,0,0.03,0,0,0.04", drawn(1e-3 * np.array([(0, 0), (30, 0), (0, 40)]))),
}  # fmt: skip


@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("offset", ["CENT", "SHRC", "ORIGIN", "USER,0.01,-0.02"])
def test_beams_of_other_sizes_and_places(name, offset, tmp_path):
    """SECOFFSET puts the nodes on the centroid, the shear centre, the origin or a point of the section."""
    kind, values, section = MORE[name]
    mesh = fem.Mesh([[0, 0, 0], [1, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    lines = ["ET,188,188", f"SECTYPE,1,BEAM,{kind}", f"SECDATA,{values}", f"SECOFFSET,{offset}"]
    text = deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials())
    if kind != "QUAD" and offset[:4] in ("ORIG", "USER"):
        with pytest.raises(
            fem.FileError, match=rf"SECOFFSET,{offset[:4]}\w* of a beam {kind} is not supported; CENT"
        ):
            read(text, tmp_path)
        return
    node = {"CENT": section.centroid, "SHRC": np.add(section.centroid, section.shear_centre), "ORIG": (0, 0)}
    place = np.array(section.centroid) - node.get(offset[:4], (0.01, -0.02))
    same(
        fem.assemble(read(text, tmp_path)), fem.assemble(mesh, fem.Beam(STEEL, section, offset=tuple(place)))
    )


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("L", "0.04,0.05,0.003,0.004", "its drawing is not known here; RECT, QUAD, .* ASEC are"),
        ("Z", "1,1,1,1,1,1", r"section 1: BEAM,Z is not supported"),
        ("HATS", "1,1,1,1,1,1,1,1,1", r"BEAM,HATS is not supported"),
        ("HREC", "0.04,0.06,0.002,0.003,0.002,0.002", r"side walls of 0\.002 and 0\.003 m are not supported"),
        ("CHAN", "0.03,0.02,0.06,0.004,0.003", "has 6 sizes, here are 5"),
        ("T", "0.04,0.005,0.006,0.004", r"BEAM,T: the sizes 0\.04, 0\.005, 0\.006, 0\.004 m don't fit"),
        ("QUAD", "0,0,1,1,2,2,3,3", r"BEAM,QUAD: parts\[0\] has no area"),
        (
            "ASEC",
            "1e-3,2e-7,3e-8,4e-7,0,5e-7,0.01",
            "offset of its centroid or shear centre is not supported",
        ),
    ],
)
def test_beams_that_are_refused(kind, values, message, tmp_path):
    mesh = fem.Mesh([[0, 0, 0], [1, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    lines = ["ET,188,188", f"SECTYPE,1,BEAM,{kind}", f"SECDATA,{values}"]
    with pytest.raises(fem.FileError, match=message):
        read(deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials()), tmp_path)


@pytest.mark.parametrize("section", BEAMS)
def test_beams_by_their_default_direction(section, tmp_path):
    mesh, (values, expected) = arm(), BEAMS[section]
    lines = ["ET,188,188", f"SECTYPE,1,BEAM,{section},rod", f"SECDATA,{values}"]
    found = read(deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials()), tmp_path)
    parts, own = {}, {}
    for k, nodes in enumerate(mesh.blocks[0].nodes):
        parts[f"e{k}"] = [k]
        own[f"e{k}"] = fem.Beam(STEEL, expected, up=default_up(*mesh.points[nodes]))
    same(fem.assemble(found), fem.assemble(replace(mesh, element_sets=parts), own))


@pytest.mark.parametrize("turned", [False, True])
def test_masses_of_mass21(turned, tmp_path):
    """Six constants, whose moments are about global axes or (KEYOPT(2) = 1) nodal ones, and one mass alone."""
    mesh, axes = arm(), np.array([[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]])
    lines = [
        "ET,188,188",
        "ET,21,21",
        f"KEYOPT,21,2,{int(turned)}",
        "ET,22,21,,,2",
        "SECTYPE,1,BEAM,RECT",
        "SECDATA,0.02,0.05",
    ]
    lines += ["R,3,2,2,2,0.03,0.02,0.04", "R,4,1.5"]
    masses = [
        "N,4,1.0,0.2,0.8,36.86989764584402",
        "TYPE,21",
        "REAL,3",
        "EN,11,4",
        "TYPE,22",
        "REAL,4",
        "EN,12,3",
    ]
    found = read(deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials(), masses), tmp_path)
    inertia = axes.T @ np.diag([0.03, 0.02, 0.04]) @ axes if turned else np.diag([0.03, 0.02, 0.04])
    parts = [fem.PointMass("4", 2.0, inertia), fem.PointMass("3", 1.5)]
    same(fem.assemble(found), fem.assemble(replace(found, parts=tuple(parts))))


def test_what_the_mesh_has_no_place_for_is_told(tmp_path):
    text = deck_of_a_plate("MP,ALPX,1,1.2e-5", "MP,DMPR,1,0.02", "LOCAL,13,3,0,0,0", "CSYS,0")
    mesh = read(text, tmp_path, units="mm")
    assert {"MP,ALPX", "MP,DMPR", "LOCAL,13,3"} <= {one.what for one in mesh.left_out}
    damped = read(deck_of_a_plate("DMPRAT,0.02", "INISTATE,SET,NODE,0"), tmp_path, units="mm")
    told = {one.what: one.why for one in damped.left_out}
    assert "damping_ratio=" in told["DMPRAT"]
    assert "fem.preloaded" in told["INISTATE"]
    with pytest.warns(
        fem.FlexbodyWarning,
        match=r"material 7 of 1 elements of type 181 is not in the file \(first used in line \d+\)",
    ):
        read(deck_of_a_plate().replace("EN,1,", "MAT,7\nEN,1,"), tmp_path, units="mm")
    with pytest.raises(fem.FileError, match="SECFUNCTION is not supported"):
        read(deck_of_a_plate("SECFUNCTION,%t%"), tmp_path, units="mm")
    with pytest.raises(fem.FileError, match=r"1 of type 180 \(line \d+\); supported"):
        read(deck_of_a_plate() + "ET,9,180\nTYPE,9\nEN,99,1,2\n", tmp_path, units="mm")


def test_four_letters_of_a_command_are_enough(tmp_path):
    """Mechanical APDL Command Reference, product and processor conventions: further letters are not read."""
    modes = fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex8")
    options = [*types(modes.blocks), "KEYO,185,2,3", "EQSL,PCG"]
    found = read(deck(options, nblock(modes.points), eblock(modes.blocks), materials()), tmp_path)
    same(
        fem.assemble(found), fem.assemble(modes, STEEL)
    )  # incompatible modes, not the mean of the volume strain
    assert not found.left_out
    with pytest.raises(fem.FileError, match="CERIG is not supported"):
        read(deck_of_a_plate("CERI,1,ALL"), tmp_path, units="mm")


def test_beams_whose_nodes_are_beside_their_centroid(tmp_path):
    """SECOFFSET: the nodes are at (y, z) = (3, -4) mm of the section, its centroid at (-3, 4) mm of the nodes."""
    mesh = fem.Mesh([[0, 0, 0], [1000, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    lines = ["ET,188,188", "SECTYPE,1,BEAM,RECT", "SECDATA,20,50", "SECOFFSET,USER,3,-4"]
    text = deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials(210e3, 0.3, 7850e-12))
    own = fem.Beam(STEEL, fem.Rectangle(0.02, 0.05, nu=0.3), up=(0, 0, 1), offset=(-3e-3, 4e-3))
    same(
        fem.assemble(read(text, tmp_path, units="mm")),
        fem.assemble(replace(mesh, points=mesh.points / 1e3), own),
    )
    with pytest.raises(
        fem.FileError, match=r"SECOFFSET,USER of a beam I is not supported; CENT and SHRC are, and of RECT"
    ):
        read(text.replace("RECT", "I").replace("SECDATA,20,50", "SECDATA,9,9,20,1,1,1"), tmp_path, units="mm")


def test_beams_with_an_orientation_node(tmp_path):
    mesh = arm()
    points = np.vstack([mesh.points, [0.0, 5.0, 0.0]])
    lines = ["ET,188,188", "SECTYPE,1,BEAM,RECT", "SECDATA,0.02,0.05"]
    rows = [line + f"{5:9d}" if line.startswith("        1") else line for line in eblock(mesh.blocks)]
    rows = [line.replace("        2        0        ", "        3        0        ") for line in rows]
    found = read(deck(lines, nblock(points), rows, materials()), tmp_path)
    assert found.n_nodes == 4
    sets = {f"e{k}": [k] for k in range(3)}
    own = {
        f"e{k}": fem.Beam(STEEL, fem.Rectangle(0.02, 0.05, nu=0.3), up=tuple(points[4] - points[k]))
        for k in range(3)
    }
    same(fem.assemble(found), fem.assemble(replace(mesh, element_sets=sets), own))


# ---- parts ---------------------------------------------------------------------------------------------------


def test_masses_springs_and_constraint_equations(tmp_path):
    mesh = arm()
    lines = [
        "ET,188,188", "ET,2,21", "ET,3,14", "KEYOPT,3,2,2", "ET,4,14", "ET,5,21", "KEYOPT,5,3,2",
        "SECTYPE,1,BEAM,RECT", "SECDATA,0.02,0.05", "R,2,2,2,2,0.1,0.2,0.3", "R,3,1e5", "R,4,2e6,10,3", "R,5,4",
    ]  # fmt: skip
    extra = [[1, 2, 2, 0, 0, 0, 0, 0, 1, 0, 11, 4], [1, 3, 3, 0, 0, 0, 0, 0, 2, 0, 12, 1, 3],
             [1, 4, 4, 0, 0, 0, 0, 0, 2, 0, 13, 2, 4], [1, 5, 5, 0, 0, 0, 0, 0, 1, 0, 14, 1]]  # fmt: skip
    more = ["EBLOCK,19,SOLID,14,4", "(19i9)", *("".join(f"{v:9d}" for v in row) for row in extra), "-1"]
    ties = [
        "CE,R5.0,DEFI,       2,       1,  0.00000000    ",
        "CE,R5.0,NODE,       2,UX  ,  1.00000000    ,       1,UX  , -1.00000000    ",
        "CP,R5.0,DEFI,       2,       1,UZ  ,",
        "CP,R5.0,NODE,       3,       2,",
        "CE,2,0,1,UY,1,2,UY,-0.5,3,UY,-0.5",
        "D,       1,UX  ,  0.00000000    ,  0.00000000", "D,1,ROTX,0", "D,4,UZ,1e-3",
    ]  # fmt: skip
    found = read(deck(lines, nblock(mesh.points), eblock(mesh.blocks), more, materials(), ties), tmp_path)
    own = [
        fem.PointMass("4", 2.0, (0.1, 0.2, 0.3)), fem.PointMass("1", 4.0),
        fem.Spring("1", "3", (0, 1e5, 0, 0, 0, 0)), fem.Spring("2", "4", 2e6, damping=10.0),
        fem.Equation("a", [("2", "x", 1.0), ("1", "x", -1.0)]),
        fem.Equation("c", [("1", "y", 1.0), ("2", "y", -0.5), ("3", "y", -0.5)]),
        fem.Equation("b", [("2", "z", 1.0), ("3", "z", -1.0)]),
    ]  # fmt: skip
    sets = {f"e{k}": [k] for k in range(3)}
    beams = {
        f"e{k}": fem.Beam(STEEL, fem.Rectangle(0.02, 0.05, nu=0.3), up=default_up(*mesh.points[nodes]))
        for k, nodes in enumerate(mesh.blocks[0].nodes)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # equations that resist rotations
        one, other = fem.assemble(found), fem.assemble(replace(mesh, element_sets=sets), beams, parts=own)
    same(one, other)
    assert damping(one) == pytest.approx(damping(other), abs=1e-9)
    assert damping(other).max() > 1
    assert {tuple(sorted(what.items())) for what in found.supports.values()} == {
        (("rx", 0.0), ("x", 0.0)), (("z", 1e-3),)
    }  # fmt: skip
    assert [one.why for one in found.left_out if one.what == "COMBIN14"] == [
        "its quadratic damping; use fb.SpringDamper"
    ]


@pytest.mark.parametrize(("how", "part"), [(1, fem.Averaged), (2, fem.Rigid)])
def test_pilot_nodes_are_interfaces_by_their_number(how, part, tmp_path):
    box = fem.box((1.0, 0.1, 0.1), (3, 1, 1), "hex8")
    points = np.vstack([box.points, [1.1, 0.05, 0.05]])
    face = box.faces_of("x1")[0].nodes[0] + 1
    pilot = len(points)
    lines = ["ET,2,170", "ET,3,174", "KEYOPT,3,2,2", f"KEYOPT,3,4,{how}", "KEYOPT,3,12,5"]
    contact = [[1, 3, 7, 0, 0, 0, 0, 0, 4, 0, 101, *face], [1, 2, 7, 0, 0, 0, 0, 7, 1, 0, 102, pilot]]
    more = ["EBLOCK,19,SOLID,102,2", "(19i9)", *("".join(f"{v:9d}" for v in row) for row in contact), "-1"]
    found = read(
        deck(types(box.blocks), lines, nblock(points), eblock(box.blocks), more, materials()), tmp_path
    )
    whole = fem.assemble(found)
    same(whole, fem.assemble(box, MEAN, parts=[part("hub", "x1", at=(1.1, 0.05, 0.05))]))
    tip = fem.interface(whole, str(pilot))
    assert tip.has_rotation
    np.testing.assert_allclose(tip.point, points[-1])


def test_components_systems_and_units(tmp_path):
    mesh = fem.box((1000.0, 100.0, 60.0), (4, 1, 1), "hex8")  # mm
    out = ["CMBLOCK,ENDS    ,NODE,       3", "(8i10)", f"{1:10d}{-4:10d}{9:10d}",
           "CMBLOCK,SOME    ,ELEM,       2", "(8i10)", f"{2:10d}{-3:10d}",
           "LOCAL,R5.0,LOC, 11, 1, 100., 0., 0.", "LOCAL,R5.0,ANG, 11, 90., 0., 0."]  # fmt: skip
    text = deck(
        types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), materials(2.1e5, 0.3, 7.85e-9), out
    )
    found = read(text, tmp_path, units="mm")
    assert found.nodes_of("ENDS").tolist() == [0, 1, 2, 3, 8]
    assert found.elements_of("SOME").tolist() == [1, 2]
    drum = found.systems["11"]
    assert drum.kind == "cylindrical"
    np.testing.assert_allclose(drum.points([[2.0, 0.0, 0.0]])[0], [0.1, 2.0, 0.0], atol=1e-12)
    same(fem.assemble(found), fem.assemble(fem.box((1.0, 0.1, 0.06), (4, 1, 1), "hex8"), MEAN), 1e-9)


def test_orthotropic_materials_in_the_axes_of_the_element_system(tmp_path):
    mesh = crooked(one("hex8"))
    values = {"EX": 11e9, "EY": 0.8e9, "EZ": 0.5e9, "PRXY": 0.37, "PRYZ": 0.47, "PRXZ": 0.42,
              "GXY": 0.7e9, "GYZ": 0.05e9, "GXZ": 0.6e9, "DENS": 430.0}  # fmt: skip
    lines = [f"MP,{key},1,{value}" for key, value in values.items()]
    lines += ["LOCAL,11,0,0,0,0,30,0,0"]
    found = read(deck(types(mesh.blocks), lines, nblock(mesh.points), eblock(mesh.blocks, esys=11)), tmp_path)
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    wood = fem.Orthotropic((11e9, 0.8e9, 0.5e9), (0.37, 0.42, 0.47), (0.7e9, 0.6e9, 0.05e9), rho=430.0,
                           axes=((c, s, 0), (-s, c, 0), (0, 0, 1)))  # fmt: skip
    same(fem.assemble(found), fem.assemble(mesh, fem.Solid(wood, brick=fem.MeanDilatation())))


def test_components_of_hypermesh_are_the_elements_since_the_last_selection(tmp_path):
    mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8")
    first, last = (fem.Block("hex8", mesh.blocks[0].nodes[k : k + 2]) for k in (0, 2))
    text = deck(types(mesh.blocks), nblock(mesh.points), ["ESEL, NONE"], eblock([first]),
                ["CM, LEFT, ELEM", "ESEL, NONE"],
                eblock([last], first=3), ["CM,RIGHT,ELEM", "ESEL,ALL"], materials())  # fmt: skip
    found = read(text, tmp_path)
    assert found.elements_of("LEFT").tolist() == [0, 1]
    assert found.elements_of("RIGHT").tolist() == [2, 3]


def test_blocks_without_the_word_solid(tmp_path):
    """Decks of Workbench: number, type, real constants, material, system, nodes; NBLOCK with one integer."""
    mesh = crooked(fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex8"))
    nodes = ["nblock,3,,12", "(1i9,3e20.12e3)"]
    nodes += [f"{k:9d}" + "".join(f"{v:20.12E}" for v in x) for k, x in enumerate(mesh.points, start=1)] + [
        "-1"
    ]
    text = deck(["et,185,185"], nodes, eblock(mesh.blocks, solid=False), materials())
    same(fem.assemble(read(text, tmp_path, "ds.dat")), fem.assemble(mesh, MEAN))


def test_a_material_without_a_density_serves_statics(tmp_path):
    text = "\n".join(line for line in sample().split("\n") if "DENS" not in line)
    with pytest.warns(
        fem.FlexbodyWarning, match=r"material 1 \(line \d+\) has no DENS: its elements weigh nothing"
    ):
        light = read(text, tmp_path)
    K = [fem.assemble(mesh).K for mesh in (light, read(sample(), tmp_path))]
    assert abs(K[0] - K[1]).max() <= 1e-15 * abs(K[1]).max()


@pytest.mark.parametrize(
    ("given", "units", "right"),
    [
        ("MPA", "SI", "mm"),
        ("SI", "mm", "SI"),
        ("BIN", "SI", "inch"),
        ("MPA", "mm", ""),
        ("MKS", "SI", ""),
        ("0", "SI", ""),
    ],
)
@pytest.mark.filterwarnings("ignore:.*units look wrong")
def test_units_that_the_file_names_are_compared(given, units, right, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)
        found = read(sample().replace("/NOPR", f"/UNITS,{given}", 1), tmp_path, units=units)
    said = [doubt for doubt in found.doubts if "/UNITS" in doubt]
    assert said == ([f"the file says /UNITS,{given}: units={right!r} would be right"] if right else [])


def test_tables_beyond_linear_elasticity_are_told(tmp_path):
    found = read(sample().replace("/GO\n", "TB,BISO,1\nTBDATA,1,2e8,1e9\n/GO\n"), tmp_path)
    assert [(one.what, one.why) for one in found.left_out] == [("TB,BISO", "the material is linear elastic")]


# ---- what is refused, and what is told -----------------------------------------------------------------------


def sample():
    mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8")
    return deck(types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), materials(),
                ["CMBLOCK,ENDS    ,NODE,       2", "(8i10)", f"{1:10d}{4:10d}"])  # fmt: skip


REFUSED = {
    r"2 of type PIPE288 \(line 53\), 1 of type 190 \(line 56\)": [
        "ET,7,PIPE288", "ET,8,190", "TYPE,7", "EN,91,1,2", "EN,92,2,3", "TYPE,8", "EN,93,1,2"],
    r"line \d+: NGEN is not supported": ["NGEN,2,10,1,5"],
    r"line \d+: \*DO is not supported": ["*DO,i,1,3"],
    r"BEAM,HATS is not supported": ["ET,7,188", "SECTYPE,3,BEAM,HATS", "SECDATA,1,1,1,1", "TYPE,7", "SECNUM,3",
                                    "EN,91,1,2"],
    r"line \d+: element 91 has the type 9, which no ET": ["TYPE,9", "EN,91,1,2"],
    r"line \d+: 'MP,EX,1,abc' can't be read": ["MP,EX,1,abc"],
    r"line \d+: TB,ANEL is not supported: give the elasticity by MP": ["TB,ANEL,1", "TBDATA,1,2e11"],
    r"line 52: shells have neither section 0 nor real constants 1": ["ET,7,181", "TYPE,7", "EN,91,1,2,4,3"],
    r"line \d+: 'CE,R5.*no line CE,R5.0,DEFI": ["CE,R5.0,NODE,1,UX,1,2,UX,-1"],
    r"line \d+: 'CP,R5.*no line CP,R5.0,DEFI": ["CP,R5.0,NODE,1,2"],
    r"line \d+: 'CMBLOCK.*can't be read": ["CMBLOCK,ONE,NODE,2", "(2e20.13)", "1 2"],
    r"line \d+: .*constant 0.1": ["CE,1,0.1,1,UX,1,2,UX,-1"],
    r"line \d+: node 99 does not exist": ["ET,7,188", "TYPE,7", "EN,91,1,99"],
    "RMODIF is not supported": ["RMODIF,1,1,0.5"],
    "ENDRELEASE is not supported": ["ENDRELEASE,,-1,BALL"],
    r"a layer has the material 9": ["ET,7,181", "SECTYPE,3,SHELL", "SECDATA,1", "SECDATA,1,9", "TYPE,7", "SECNUM,3",
                                    "EN,91,1,2,4,3"],
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_changes_the_body_and_is_not_read_is_an_error(message, tmp_path):
    text = sample().replace("/GO\n", "\n".join([*REFUSED[message], "/GO", ""]))
    with pytest.raises(fem.FileError, match=message):
        read(text, tmp_path)


def test_supports_in_turned_axes_are_kept_where_they_mean_the_same(tmp_path):
    """Node 2 has axes turned by 30 degrees about z: held in all three displacements, then in one alone."""
    turn = "N,R5.3,LOC,1,0,0,0\nN,R5.3,LOC,2,0.25,0,0\nN,R5.3,ANG,2,30,0,0\n"
    all_three, one = (
        read(sample().replace("/GO\n", turn + held + "/GO\n"), tmp_path)
        for held in ("D,2,UX\nD,2,UY\nD,2,UZ\n", "D,2,UX\nD,1,UX\n")
    )
    assert all_three.supports == {"D 1": {"x": 0.0, "y": 0.0, "z": 0.0}}
    assert all_three.node_ids[all_three.nodes_of("D 1")].tolist() == [2]
    assert not [what for what in all_three.left_out if what.what == "D"]
    assert one.supports == {"D 1": {"x": 0.0}}
    assert one.node_ids[one.nodes_of("D 1")].tolist() == [1]
    (support,) = one.turned_supports
    assert support.terms == (("2", "x", pytest.approx(3**0.5 / 2)), ("2", "y", pytest.approx(0.5)))


def test_elements_without_a_number_follow_the_highest_one():
    deck = read_deck(["EN,7,1,2", "EN,3,2,3", "E,3,4", "E,4,5"], lambda line: None)
    assert [int(block.number[0]) for block in deck.elements] == [7, 3, 8, 9]


def test_what_is_left_out_is_told(tmp_path):
    text = sample().replace("/GO\n", "F,1,FX,100.\nACEL,0,0,9.81\nTBFT,FADD,1\n/GO\n")
    text = text.replace("NBLOCK", "*DIM,U,ARRAY,2,1,1,\n*PREAD,U,2\n  12.5      24.0\nEND PREAD\nNBLOCK", 1)
    found = {one.what: one for one in read(text, tmp_path).left_out}
    assert {"F", "ACEL", "TBFT"} <= set(found)
    assert not any("12.5" in what or "PREAD" in what for what in found)
    assert found["F"].lines == (str(text[: text.index("F,1,FX")].count("\n") + 1),)


def test_files_that_were_cut_off_give_one_error(tmp_path):
    lines = sample().splitlines()
    end = next(k for k, line in enumerate(lines) if line.startswith("CMBLOCK")) + 3
    begin = next(k for k, line in enumerate(lines) if line.startswith("NBLOCK")) + 1
    # after a block has ended the rest of a deck is commands, whose absence nothing shows
    whole = {
        k for k, line in enumerate(lines[:end], start=1) if line.startswith(("N,R5", "MP", "       -1", "ET"))
    }
    for count in set(range(begin, end)) - whole:
        with pytest.raises(fem.FileError, match=r"line \d+"):
            read("\n".join(lines[:count]), tmp_path)


def test_a_component_that_lacks_numbers_is_refused(tmp_path):
    """A file cut off within the last line of a component: its nodes would be lost without a word."""
    lines = sample().splitlines()
    row = next(k for k, line in enumerate(lines) if line.startswith("CMBLOCK")) + 2
    with pytest.raises(
        fem.FileError, match=r"the component ENDS has 1 of its 2 numbers: the file was cut off"
    ):
        read("\n".join([*lines[:row], lines[row][:10]]), tmp_path)


def test_random_damage_gives_a_mesh_or_one_error(tmp_path):
    text, rng = sample(), np.random.default_rng(8)
    for _ in range(80):
        damaged = list(text)
        for at in rng.integers(len(text), size=2):
            damaged[at] = rng.choice(list("0123456789,.- EDx\n\0é"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fem.FlexbodyWarning)
            try:
                read("".join(damaged), tmp_path)
            except (fem.FileError, fem.MeshError) as error:
                assert "part" in str(error)  # noqa: PT017 (any other error fails)


# ---- what would change the body in silence -------------------------------------------------------------------

PLATE = [
    "N,1,0,0,0",
    "N,2,1000,0,0",
    "N,3,1000,50,0",
    "N,4,0,50,0",
    "TYPE,1",
    "SECNUM,1",
    "MAT,1",
    "EN,1,1,2,3,4",
]
ISOTROPIC = ["MP,EX,1,210000", "MP,PRXY,1,0.3", "MP,DENS,1,7.85e-9"]
ALUMINIUM = ["MP,EX,2,70000", "MP,PRXY,2,0.3", "MP,DENS,2,2.7e-9"]
PLY = ["MP,EX,3,135000", "MP,EY,3,10000", "MP,EZ,3,10000", "MP,DENS,3,1.6e-9"]
PLY += [f"MP,PR{k},3,0.3" for k in ("XY", "XZ", "YZ")] + [f"MP,G{k},3,5000" for k in ("XY", "XZ", "YZ")]


def deck_of_a_plate(*extra, data="SECDATA,2,1,0,3"):
    return "\n".join(
        ["/PREP7", "ET,1,181", *ISOTROPIC, *ALUMINIUM, *PLY, "SECTYPE,1,SHELL", data, *extra, *PLATE, ""]
    )


def test_a_single_layer_has_its_own_material_and_angle(tmp_path):
    found = fem.assemble(read(deck_of_a_plate(data="SECDATA,2,2,0,3"), tmp_path, units="mm"))
    assert found.mass == pytest.approx(1.0 * 0.05 * 0.002 * 2700, rel=1e-12)
    ply = fem.Orthotropic((135e9, 10e9, 10e9), (0.3, 0.3, 0.3), (5e9, 5e9, 5e9), rho=1600.0)
    mesh = read(deck_of_a_plate(data="SECDATA,2,3,30,3"), tmp_path, units="mm")
    c, s = np.cos(np.radians(30)), np.sin(np.radians(30))
    own = fem.LayeredShell([fem.Layer(ply, 0.002)], axis=(c, s, 0.0))
    same(fem.assemble(mesh), fem.assemble(replace(mesh, properties={}, parts=()), own))


def test_rotations_in_equations_and_supports_have_the_units_of_the_file(tmp_path):
    # u of node 1 is 50 mm times the rotation of node 2; a support moves by 0.5 mm
    text = deck_of_a_plate() + "CE,1,0,1,UX,1,2,ROTZ,50\nD,1,UX,0.5\nD,1,ROTZ,0.25\n"
    mesh = read(text, tmp_path, units="mm")
    assert mesh.parts[0].terms == [("1", "x", 1.0), ("2", "rz", 0.05)]
    assert mesh.supports == {"D 1": {"rz": 0.25, "x": 0.5e-3}}


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("SECCONTROL,0,0,0,5e-6", "SECCONTROL"),
        ("SECOFFSET,SHRC", "SECOFFSET,SHRC of a shell"),
        ("SECOFFSET,USER,0.002,,1", "SECOFFSET with its own centroid"),
        ("KEYOPT,1,1,1", r"KEYOPT\(1\) = 1"),
        ("CSYS,1", "CSYS"),
        ("LOCAL,11,1,0,0,0", "CSYS"),
    ],
)
def test_options_that_change_the_body_are_refused(extra, words, tmp_path):
    with pytest.raises(fem.FileError, match=words):
        read(deck_of_a_plate(extra), tmp_path, units="mm")


def test_more_than_a_thickness_in_real_constants_is_refused(tmp_path):
    text = "\n".join(["/PREP7", "ET,1,181", *ISOTROPIC, "R,1,2,2,2,2,0,1e-5", *PLATE, ""])
    with pytest.raises(fem.FileError, match="more than its thickness"):
        read(text, tmp_path, units="mm")


def test_directions_that_differ_from_element_to_element(tmp_path):
    system = ("LOCAL,11,1,0,-200,0", "CSYS,0", "ESYS,11")  # the fibres are radial
    with pytest.warns(
        fem.FlexbodyWarning, match="axes of the elements with ESYS 11 turn from place to place"
    ):
        mesh = read(deck_of_a_plate(*system, data="SECDATA,2,3,0,3"), tmp_path, units="mm")
    ((_, shell),) = mesh.properties.items()
    middle = mesh.points.mean(axis=0)
    own = replace(shell, axis=tuple(middle - [0.0, -0.2, 0.0]))
    same(fem.assemble(mesh), fem.assemble(replace(mesh, properties={}, parts=()), own))
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        read(deck_of_a_plate(*system), tmp_path, units="mm")  # isotropic: no matter


@pytest.mark.parametrize(("how", "part"), [(1, fem.Averaged), (2, fem.Rigid)])
def test_a_pilot_node_that_some_motions_follow(how, part, tmp_path):
    nodes = [
        "N,1,0,0,0",
        "N,2,1,0,0",
        "N,3,1,1,0",
        "N,4,0,1,0",
        "N,5,0,0,1",
        "N,6,1,0,1",
        "N,7,1,1,1",
        "N,8,0,1,1",
        "N,9,0.5,0.5,2",
    ]
    lines = [
        "/PREP7",
        "ET,1,185",
        "ET,2,170",
        "ET,3,174",
        "KEYOPT,3,2,2",
        f"KEYOPT,3,4,{how}",
        *ISOTROPIC,
        *nodes,
    ]
    lines += ["TYPE,1", "EN,1,1,2,3,4,5,6,7,8", "REAL,5", "TYPE,3", "EN,2,5,6,7,8", "TYPE,2", "EN,3,9", ""]
    mesh = read("\n".join(["KEYOPT,2,4,100111", *lines]), tmp_path)  # rz, z, y, x
    expected = part("coupling 9", "pilot 9", reference="9", components=("x", "y", "z", "rz"))
    assert mesh.parts == (expected,)
    assert fem.assemble(mesh).n == {1: 26, 2: 18}[how]  # 24 + rx, ry; 12 + 6
    with pytest.raises(fem.FileError, match=r"pilot node 9 has KEYOPT\(4\) = 2 of TARGE170"):
        read("\n".join(["KEYOPT,2,4,2", *lines]), tmp_path)
    turned = [line.replace("N,9,0.5,0.5,2", "N,9,0.5,0.5,2,30") for line in ["KEYOPT,2,4,1", *lines]]
    with pytest.raises(fem.FileError, match="turned axes"):
        read("\n".join(turned), tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "! made by hand\n/COM, a beam\n/PREP7\nN,1,0\nEGEN,3,1,1\n",
            "line 5: EGEN is not supported; .*CDWRITE",
        ),
        ("/PREP7\nOD = 3*ID\nR,1,OD\n", "line 3: 'R,1,OD' .*'OD' is not a number; .*CDWRITE"),
    ],
)
def test_commands_in_a_file_of_any_use_are_no_bulk_data(text, message, tmp_path):
    """Input files of ANSYS end in ``.dat`` as those of Nastran do."""
    (tmp_path / "part.dat").write_text(text)
    with pytest.raises(fem.FileError, match=message):
        fem.read_mesh(tmp_path / "part.dat")


def test_misspelled_commands_are_doubts(tmp_path):
    text = sample()
    with pytest.warns(fem.FlexbodyWarning, match=r"the command CERGI is not known .* is CERIG meant"):
        read(text + "CERGI,1,2,ALL\n", tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(text + "ASEL,ALL\n", tmp_path)
    with pytest.raises(fem.MeshError, match=r"holds no elements .* is EBLOCK meant"):
        read(text.replace("EBLOCK", "EBLCK"), tmp_path)


def test_materials_that_are_not_whole_name_their_line(tmp_path):
    mesh = one("hex8")
    lines = ["MP,EX,1,210e9", "MP,EY,1,70e9", "MP,DENS,1,7850."]
    text = deck(types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), lines)
    number = text.splitlines().index("MP,DENS,1,7850.") + 1
    with pytest.raises(fem.FileError, match=f"line {number}: material 1 has EX and EY, and no EZ"):
        read(text, tmp_path)

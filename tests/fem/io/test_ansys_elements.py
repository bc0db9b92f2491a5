"""Elements and sections of ANSYS archives against the same parts built by hand."""

from dataclasses import replace

import numpy as np
import pytest
from support.ansys_bodies import MEAN, STEEL, arm, crooked, deck_of_a_plate, default_up, one, read, same
from support.ansys_decks import deck, eblock, materials, nblock, types

import fem


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


def upright(y0, y1, z0, z1):
    return 1e-3 * np.array([(y0, z0), (y1, z0), (y1, z1), (y0, z1)])


def drawn(*parts, holes=()):
    return fem.DrawnSection(parts, holes=holes, nu=0.3)


#: subtype: SECDATA, and the section by hand. Sources of the drawings: CHAN opens to +y and W1, t1 are below: a listing
#: with the shear centre of 50 x 100 x 4 at y = -15.869 (simo-11/mapdl, test of DrawnSection), and converters that write
#: the lower flange first (as for I); T has its flange below: verification manual, VM10 (300 psi in the lower fibre,
#: -700 psi in the upper one under Mz > 0, orientation node at +y); HREC: walls at the sides, below, above (converter).
#: Origins, and the rectangles in which L, Z and HATS lie: the converter dnvgl/DNVGLAnsysUPFLib, dat_beamproperties.F90
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


#: further data of the same subtypes
MORE = {
    "an I of unequal flanges": (
        "I",
        "0.1,0.06,0.2,0.008,0.006,0.005",
        drawn(upright(-50, 50, 0, 8), upright(-30, 30, 194, 200), upright(-2.5, 2.5, 8, 194)),
    ),
    "an I of equal flanges": (
        "I",
        "0.1,0.1,0.2,0.0085,0.0085,0.0056",
        replace(fem.ISection(0.2, 0.1, web=0.0056, flange=0.0085, nu=0.3), centroid=(0, 0.1)),
    ),
    "a T turned over": ("T", "0.04,-0.05,0.006,0.004", drawn(upright(-20, 20, -6, 0), upright(-2, 2, -50, -6))),
    "an L": ("L", "0.04,0.05,0.003,0.004", drawn(upright(0, 40, 0, 3), upright(0, 4, 3, 50))),
    "a Z": (
        "Z",
        "0.03,0.025,0.06,0.003,0.004,0.005",
        drawn(upright(-25, 5, 0, 3), upright(0, 5, 3, 56), upright(0, 25, 56, 60)),
    ),
    "a hat": (
        "HATS",
        "0.02,0.015,0.04,0.03,0.003,0.002,0.004,0.0025,0.0035",
        drawn(
            upright(0, 22.5, 0, 3),
            upright(20, 22.5, 3, 26),
            upright(20, 60, 26, 30),
            upright(56.5, 60, 2, 26),
            upright(56.5, 75, 0, 2),
        ),
    ),
    "a box of four walls": (
        "HREC",
        "0.04,0.06,0.002,0.005,0.003,0.004",
        drawn(upright(0, 40, 0, 60), holes=[upright(2, 35, 3, 56)]),
    ),
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
    if kind == "Z" and offset[:4] in ("ORIG", "USER"):
        with pytest.raises(
            fem.FileError, match=rf"SECOFFSET,{offset[:4]}\w* of a beam Z is not supported; CENT"
        ):
            read(text, tmp_path)
        return
    node = {"CENT": section.centroid, "SHRC": np.add(section.centroid, section.shear_centre), "ORIG": (0, 0)}
    place = np.array(section.centroid) - node.get(offset[:4], (0.01, -0.02))
    found = read(text, tmp_path)
    same(fem.assemble(found), fem.assemble(mesh, fem.Beam(STEEL, section, offset=tuple(place))))
    assert (f"BEAM,{kind}, it is assumed that" in " ".join(found.doubts)) == (
        kind in ("L", "Z", "HATS", "HREC")
    )


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("MESH", "1,1", r"section 1: BEAM,MESH is not supported; RECT, QUAD, .* ASEC are"),
        ("L", "0.04,0.05,0.06,0.004", r"BEAM,L: the sizes 0\.04, 0\.05, 0\.06, 0\.004 m don't fit"),
        ("Z", "1,1,1,1,1,1", "BEAM,Z: the sizes 1, 1, .* don't fit"),
        ("HATS", "1,1,1,1,1,1,1,1,1", "BEAM,HATS: the sizes 1, 1, .* don't fit"),
        ("ASEC", "1e-3,2e-7,3e-8,4e-7", "ASEC has 6 constants or more, here are 4"),
        ("CHAN", "0.03,0.02,0.06,0.004,0.003", "has 6 sizes, here are 5"),
        ("T", "0.04,0.005,0.006,0.004", r"BEAM,T: the sizes 0\.04, 0\.005, 0\.006, 0\.004 m don't fit"),
        ("QUAD", "0,0,1,1,2,2,3,3", r"BEAM,QUAD: parts\[0\] has no area"),
        (
            "ASEC",
            "1e-3,2e-7,3e-8,4e-7,0,5e-7,0.01",
            "offset of its centroid is not supported",
        ),
    ],
)
def test_beams_that_are_refused(kind, values, message, tmp_path):
    mesh = fem.Mesh([[0, 0, 0], [1, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    lines = ["ET,188,188", f"SECTYPE,1,BEAM,{kind}", f"SECDATA,{values}"]
    with pytest.raises(fem.FileError, match=message):
        read(deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials()), tmp_path)


@pytest.mark.parametrize("offset", ["CENT", "SHRC"])
def test_constants_with_a_shear_centre_and_shear_factors(offset, tmp_path):
    """ASEC: A, Iyy, Iyz, Izz, Iw, J, CGy, CGz, SHy, SHz, TKz, TKy, TSxz, TSxy."""
    mesh = fem.Mesh([[0, 0, 0], [1, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    lines = [
        "ET,188,188",
        "SECTYPE,1,BEAM,ASEC",
        "SECDATA,1e-3,2e-7,3e-8,4e-7,0,5e-7,0,0,0.004,-0.006,0.05,0.04",
    ]
    lines += ["SECDATA,0.4,0.6", f"SECOFFSET,{offset}"]
    found = read(deck(lines, nblock(mesh.points), eblock(mesh.blocks), materials()), tmp_path)
    constants = {"A": 1e-3, "Iy": 2e-7, "Iz": 4e-7, "J": 5e-7, "Iyz": 3e-8, "kz": 0.4, "ky": 0.6}
    section = fem.Section(**constants, shear_centre=(0.004, -0.006))
    place = (-0.004, 0.006) if offset == "SHRC" else (0, 0)
    same(fem.assemble(found), fem.assemble(mesh, fem.Beam(STEEL, section, offset=place)))


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
        fem.FileError, match=r"SECOFFSET,USER of a beam ASEC is not supported; CENT and SHRC are, and of RECT"
    ):
        read(
            text.replace("RECT", "ASEC").replace("SECDATA,20,50", "SECDATA,9,9,0,9,1,1"), tmp_path, units="mm"
        )


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

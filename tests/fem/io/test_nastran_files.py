"""Nastran bulk data: formats of fields, coordinate systems, sets, what is left out, and what is wrong."""

import time
import warnings

import numpy as np
import pytest
from support import mixed, nastran
from support.fem_meshes import irregular
from support.nastran import STEEL, card, deck, mesh_cards, read

import fem

BAR = fem.box((1.0, 0.5, 0.25), (2, 1, 1), "hex8")


def corner(*points):
    """Nodes of a unit cube at points."""
    return np.array(
        [
            int(np.linalg.norm(fem.box((1, 1, 1), (1, 1, 1), "hex8").points - x, axis=1).argmin())
            for x in points
        ]
    )


def same(a, b, rel=1e-12):
    assert abs(a - b).max() <= rel * abs(b).max()


@pytest.mark.parametrize("form", ["small", "large", "free"])
@pytest.mark.parametrize("element", ["tet4", "tet10", "hex8", "hex20", "wedge6", "wedge15"])
def test_solids_of_both_orders_in_each_format(tmp_path, element, form):
    mesh = irregular(element)
    mesh = fem.Mesh(mesh.points.round(5), mesh.blocks, name="part")
    ids = 10 + 3 * np.arange(mesh.n_nodes)[::-1]
    found = read(tmp_path, mesh_cards(mesh, ids, form=form) + STEEL)
    assert found.node_ids.tolist() == sorted(ids.tolist())
    assert found.volume == pytest.approx(mesh.volume, rel=1e-12)
    assert set(found.element_sets) == {"PSOLID 1"}
    order = np.argsort(ids)
    assert found.points == pytest.approx(mesh.points[order], abs=1e-12)
    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    motions = (3 * order[:, None] + np.arange(3)).ravel()
    same(
        fem.assemble(found).K.toarray(), fem.assemble(mesh, steel).K.toarray()[np.ix_(motions, motions)], 1e-9
    )


@pytest.mark.parametrize("form", ["small", "large", "free"])
@pytest.mark.parametrize(
    ("element", "name"), [("pyramid5", "CPYRAM"), ("pyramid13", "CPYRAM"), ("pyramid13", "CPYRA")]
)
def test_pyramids(tmp_path, element, name, form):
    """CPYRA is the name in OptiStruct; one element, crooked where its sides are straight."""
    x = fem.ELEMENTS[element].nodes * 1.0
    if element == "pyramid5":
        x = (x + 0.05 * np.sin(5 * x[:, [1, 2, 0]] + 1)).round(4)
    by_hand = fem.Mesh(x, (fem.Block(element, [range(len(x))], [7]),))
    found = read(tmp_path, mesh_cards(by_hand, form=form).replace("CPYRAM", name.ljust(6)) + STEEL)
    one, other = fem.assemble(found), fem.assemble(by_hand, fem.Isotropic(210e9, 0.3, 7850.0))
    same(one.K, other.K, 1e-9)
    same(one.M, other.M, 1e-9)


def test_shells_lines_and_solids_together(tmp_path):
    mesh = fem.Mesh(mixed.POINTS, [fem.Block(kind, nodes) for kind, nodes in mixed.CELLS.items()])
    text, number = "", 0
    for n, x in enumerate(mesh.points, start=1):
        text += card("GRID", n, None, *x)
    for kind, nodes in mixed.CELLS.items():
        pid = 1 if kind in mixed.SOLIDS else 2 if kind in mixed.SHELLS else 3
        for row in nodes:
            number += 1
            text += card(nastran.CARDS[kind], number, pid, *(np.array(row) + 1))
    text += STEEL + card("PSHELL", 2, 1, 0.01, 1, None, 1) + card("PROD", 3, 1, 1e-4)
    mixed.check(read(tmp_path, deck(text)), "PSOLID 1", "PSHELL 2", "PROD 3")


LINES = {
    "fixed": card("GRID", 7, None, "2.", ".5-1", "-3."),
    "left": "GRID    7               2.      .5-1    -3.\n",
    "large": card("grid", 7, None, "2.", ".5-1", "-3.", form="large"),
    "free": "GRID,7,,2.,.5-1,-3.0\n",
    "exponents": "GRID    7               2.0D0   5.E-2   -3.0+0          123     $ a remark\n",
    "tabs": "GRID\t7\t\t2.\t.05\t-3.\n",
    "continued": f"{'GRID    7               2.      .5-1    -3.':<72}+A\n+A\n",
    "continued free": "GRID, 7, , 2., .05, -3., , , , +B\n+B,\n",
}


@pytest.mark.parametrize("line", LINES)
def test_forms_of_one_card(tmp_path, line):
    bulk = mesh_cards(fem.box((1, 1, 1), (1, 1, 1), "hex8"), np.arange(11, 19)) + STEEL + LINES[line]
    mesh = read(tmp_path, bulk + card("CONM2", 1, 7, None, 5.0))
    assert mesh.points[mesh.nodes_of("7")[0]] == pytest.approx([2.0, 0.05, -3.0], rel=1e-15)


@pytest.mark.parametrize(
    "line",
    [
        "cquad4,1,5,1,2,3,4,3.e1",  # an angle in small letters
        "CQUAD4,1,+5,+1,+2,+3,+4,+3.D1",
    ],
)
def test_numbers_in_other_forms(tmp_path, line):
    """Signs and letters of exponents don't matter (QRG, format of bulk data entries)."""
    text = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"
    text += "MAT8,1,4.+10,1.+10,.3,4.+9,,,1800.\nPCOMP,5\n,1,.01,45.\n"
    found, plain = (
        fem.assemble(read(tmp_path, text + one + "\n")) for one in (line, "CQUAD4,1,5,1,2,3,4,30.")
    )
    assert abs(found.K - plain.K).max() <= 1e-12 * abs(plain.K).max()


def test_a_grid_point_with_a_plus_is_no_component_or_direction(tmp_path):
    text = "".join(
        f"GRID,{k},,{x},{y},0.\n" for k, x, y in ((1, 0.0, 0.0), (2, 1.0, 0.0), (3, 0.5, 1.0), (4, 0.5, 0.3))
    )
    text += "CBAR,{0}1,8,1,2,{0}3\nCBAR,2,8,2,3,{0}1\nPBARL,8,1,,BAR\n,.02,.01\nMAT1,1,2.1+11,,.3,7800.\n"
    text += "RBE3,9,,4,123456,1.,123,{0}1,{0}2\n,{0}3\n"
    plus, plain = (read(tmp_path, text.format(sign)) for sign in ("+", ""))
    assert [part.words() for part in plus.parts] == [part.words() for part in plain.parts]
    assert plus.node_sets["RBE3 9 nodes"].tolist() == plain.node_sets["RBE3 9 nodes"].tolist() == [0, 1, 2]
    assert plus.properties == plain.properties


def test_a_deck_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / "köpt.inc").write_bytes("\ufeffGRID,2,,1.,0.,0.\n".encode())
    path = tmp_path / "deck.bdf"
    path.write_bytes(
        "\ufeffGRID,1,,0.,0.,0.\nINCLUDE 'köpt.inc'\nCROD,1,2,1,2\nPROD,2,1,.1\nMAT1,1,1.,,.3,1.\n".encode()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # a rod alone is loose across
        assert fem.read_mesh(path).points[:, 0].tolist() == [0, 1]


def test_included_files_and_lines_of_messages(tmp_path):
    (tmp_path / "bulk").mkdir()
    (tmp_path / "bulk" / "grids.dat").write_text(mesh_cards(BAR))
    text = deck("INCLUDE 'bulk/\n grids.dat'\n" + STEEL)
    assert read(tmp_path, text).n_elements == 2
    (tmp_path / "bulk" / "grids.dat").write_text(mesh_cards(BAR) + "GRID,a\n")
    with pytest.raises(fem.FileError, match=r"line grids.dat:17: field 2 holds 'A', where a whole number"):
        read(tmp_path, text)
    with pytest.raises(fem.FileError, match=r"line 1: INCLUDE names 'x.dat', which does not exist"):
        read(tmp_path, "include x.dat\n")
    with pytest.raises(fem.FileError, match="goes round in a circle"):
        read(tmp_path, "include 'part.bdf'\n")


def test_grid_points_in_coordinate_systems(tmp_path):
    """Systems on systems: a cylinder about the line x = 1, z = 2 along y; a sphere in it; one through grid points."""
    text = mesh_cards(fem.box((1, 1, 1), (1, 1, 1), "hex8"), np.arange(101, 109)) + STEEL
    text += card("CORD2C", 5, 4, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0)
    text += card("CORD2R", 4, None, 1.0, 0.0, 2.0, 1.0, 0.0, 3.0, 2.0, 0.0, 2.0)
    text += card("CORD2S", 6, 5, 1.0, 90.0, 0.0, 1.0, 90.0, 3.0, 1.0, 90.0, 5.0)
    text += card("CORD1R", 7, *(101 + corner((0, 0, 0), (0, 0, 1), (1, 0, 0))))
    places = {1: (5, (2.0, 90.0, 0.5)), 2: (4, (1.0, 2.0, 3.0)), 3: (7, (0.1, 0.2, 0.3))}
    for number, (system, x) in places.items():
        text += card("GRID", number, system, *x) + card("CONM2", number, number, None, 1.0)
    with pytest.raises(fem.FileError, match="coordinate system 6 coincide or lie on one line"):
        read(tmp_path, text)
    mesh = read(
        tmp_path, text.replace(card("CORD2S", 6, 5, 1.0, 90.0, 0.0, 1.0, 90.0, 3.0, 1.0, 90.0, 5.0), "")
    )
    # system 5: origin (1, 0, 2), z along the y axis of system 4, which is y; x along x: theta = 90 degrees is -z
    expected = {1: (1.0, 0.5, 0.0), 2: (2.0, 2.0, 5.0), 3: (0.1, 0.2, 0.3)}
    for number, x in expected.items():
        assert mesh.points[mesh.nodes_of(str(number))[0]] == pytest.approx(x, abs=1e-12)
    assert mesh.systems["5"].kind == "cylindrical"
    wrong = text.replace(card("CORD2R", 4, None, 1.0, 0.0, 2.0, 1.0, 0.0, 3.0, 2.0, 0.0, 2.0), "")
    with pytest.raises(
        fem.FileError, match="GRID 2 stands in the coordinate system 4, which the file does not hold"
    ):
        read(tmp_path, wrong)


def test_units_scale_all_that_has_some(tmp_path):
    """Steel in N, mm and t: a cube of 20 mm with a mass of 2 kg, a spring of 1 N/mm and 1 N mm."""
    cube = fem.box((20.0, 20.0, 20.0), (1, 1, 1), "hex8")
    text = mesh_cards(cube) + card("MAT1", 1, 210e3, None, 0.3, 7.85e-9) + card("PSOLID", 1, 1)
    text += card("GRID", 9, None, 10.0, 10.0, 40.0) + card("RBE2", 1, 9, 123456, *(cube.nodes_of("z1") + 1))
    text += card("CONM2", 1, 9, None, 2e-3, None, None, 10.0, None, 1e-3, None, 1e-3, None, None, 1e-3)
    text += card("CBUSH", 2, 2, 9) + card("PBUSH", 2, "K", 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    structure = fem.assemble(read(tmp_path, text, units="mm"))
    by_hand = fem.assemble(
        fem.box((0.02, 0.02, 0.02), (1, 1, 1), "hex8"),
        fem.Isotropic(210e9, 0.3, 7850.0),
        parts=[
            fem.Rigid("tip", "z1", at=(0.01, 0.01, 0.04)),
            fem.PointMass("tip", 2.0, (1e-6, 1e-6, 1e-6), offset=(0, 0, 0.01)),
            fem.Spring("tip", None, (1e3, 1e3, 1e3, 1e-3, 1e-3, 1e-3)),
        ],
    )
    same(structure.K, by_hand.K, 1e-9)
    same(structure.M, by_hand.M, 1e-9)


def test_weight_densities_are_divided_by_gravity(tmp_path):
    """PARAM,WTMASS: lbf, in, s with densities in lbf/in^3."""
    text = mesh_cards(fem.box((10.0, 1.0, 1.0), (2, 1, 1), "hex8")) + card("PSOLID", 1, 1)
    text += card("MAT1", 1, 30e6, None, 0.3, 0.283) + card("PARAM", "WTMASS", 0.00259)
    assert fem.assemble(read(tmp_path, text, units="inch")).mass == pytest.approx(
        10 * 0.283 * 0.00259 * 175.126835,
        rel=1e-6,  # lbf s^2/in in kg
    )


def test_sets_supports_and_what_is_left_out(tmp_path):
    case = "SET 7 = 1 THRU 4,\n 9, EXCEPT 2\nSPC = 5\nSUBCASE 1\n DISP = ALL\n"
    text = mesh_cards(BAR) + STEEL + card("SET1", 8, 5, "THRU", 7) + card("SPCADD", 5, 2, 3)
    text += card("SPC1", 2, 123, 1, "THRU", 3) + card("SPC", 3, 5, "3", 0.5) + card("SPC1", 4, "1", 8)
    text += card("FORCE", 1, 1, 0, 1.0, 0.0, 0.0, 1.0) + card("PLOTEL", 9, 1, 2) + card("PARAM", "POST", -1)
    mesh = read(tmp_path, deck(text, case))
    assert mesh.node_sets["SET 7"].tolist() == [0, 2, 3, 8]
    assert mesh.node_sets["SET 8"].tolist() == [4, 5, 6]
    assert mesh.supports == {"SPC 2 held in 123": ("x", "y", "z"), "SPC 3 held in 3 at 0.5": {"z": 0.5}}
    assert mesh.node_sets["SPC 2 held in 123"].tolist() == [0, 1, 2]
    left = {one.what: one for one in mesh.left_out}
    assert {"FORCE", "PLOTEL", "PARAM POST", "SPC1", "case control"} == set(left)
    assert left["case control"].lines == ("7",)  # DISP; SET, SPC and SUBCASE are read
    line = deck(text, case).splitlines().index(card("PLOTEL", 9, 1, 2).strip("\n")) + 1
    assert left["PLOTEL"].lines == (str(line),)


@pytest.mark.parametrize(
    ("text", "members"),
    [  # Quick Reference Guide, SET: numbers beyond the range before EXCEPT are members
        ("1, 2 THRU 6 EXCEPT 3, 5, 8, 10 THRU 12", [1, 2, 4, 6, 8, 10, 11, 12]),
        ("1 THRU 4 EXCEPT 2, 8 THRU 10 EXCEPT 9", [1, 3, 4, 8, 10]),
        ("3, 1 THRU 9 BY 4, 7", [1, 3, 5, 7, 9]),
    ],
)
def test_exceptions_of_sets(tmp_path, text, members):
    mesh = read(tmp_path, deck(mesh_cards(BAR) + STEEL, f"SET 3 = {text}\n"))
    assert (mesh.node_ids[mesh.node_sets["SET 3"]]).tolist() == members


SETS = (
    mesh_cards(BAR) + STEEL + card("SPC1", 1, "123", 1) + card("SPC1", 2, "12", 2) + card("SPCADD", 9, 1, 2)
)
SETS += "".join(card("MPC", k, k, 1, 1.0, 5, 1, -1.0) for k in (3, 4))


@pytest.mark.parametrize(
    ("case", "chosen", "supports", "equation", "doubt"),
    [
        ("SPC = 1\nMPC = 4\nSUBCASE 1\nSPC = 2\n", {}, {"SPC 2 held in 12"}, 4, ""),
        (
            "MPC = 3\nSUBCASE 1\nSPC = 1\nSUBCASE 2\nSPC = 2\n",
            {},
            {"SPC 1 held in 123"},
            3,
            "choose different SPC",
        ),
        ("SPC = 1\nMPC = 3\n", {"spc": 2, "mpc": 4}, {"SPC 2 held in 12"}, 4, ""),
        (None, {"spc": 9, "mpc": 4}, {"SPC 1 held in 123", "SPC 2 held in 12"}, 4, ""),
        (None, {"spc": 1}, {"SPC 1 held in 123"}, None, "the sets 3, 4 of MPC and no case control"),
    ],
)
def test_the_set_of_supports_that_applies_is_chosen(case, chosen, supports, equation, doubt, tmp_path):
    mesh = read(tmp_path, SETS if case is None else deck(SETS, case), **chosen)
    assert set(mesh.supports) == supports
    assert [part.name.split(",")[0] for part in mesh.parts] == [f"MPC {equation}"] * (equation is not None)
    assert [one for one in mesh.doubts if "SPC" in one or "MPC" in one] == [
        one for one in mesh.doubts if doubt and doubt in one
    ]
    assert not doubt or any(doubt in one for one in mesh.doubts)


def test_a_set_of_supports_that_is_not_there(tmp_path):
    with pytest.raises(fem.FileError, match="has no set 7 of SPC; its sets are 1, 2, 9"):
        read(tmp_path, SETS, spc=7, mpc=3)
    with pytest.raises(fem.InputError, match="Nastran"):
        read(tmp_path, "*NODE\n", name="part.inp", spc=1)


CUBE = mesh_cards(fem.box((1, 1, 1), (1, 1, 1), "hex8"))
TWO = "CHEXA          1       1"
WRONG = {
    "number of grids": (CUBE + STEEL + card("CTETRA", 2, 1, 1, 2, 3, 4, 5), "CTETRA 2 has 5 grid points; 4 or all 10"),
    "missing grid": (CUBE + STEEL + card("CTETRA", 2, 1, 1, 2, 3, 99), "there is no GRID 99"),
    "two elements": (CUBE + STEEL + card("CTETRA", 1, 1, 1, 2, 3, 5), "element 1 is given twice"),
    "two grids": (CUBE + STEEL + card("GRID", 1, None, 5.0), "GRID 1 is given twice, with other data"),
    "words": (CUBE + STEEL + card("GRID", 10, None, "abc"), "field 4 holds 'ABC', where a number must be"),
    "a real": (CUBE + STEEL + card("GRID", "10.", None, 1.0), "field 2 holds '10.', where a whole number must be"),
    "blank": (CUBE + STEEL + card("GRID", None, None, 1.0), "field 2 is blank"),
    "no material": (CUBE + STEEL + card("MAT1", 2, -5.0, None, 0.3, 1.0), "E = -5 Pa must be a positive"),
    "elements": (CUBE + STEEL + card("CWELD", 2, 1, 1, 2, 3, 4) + card("CGAP", 3), "1 CWELD, line 13; 1 CGAP, line"),
    "misspelled": (CUBE.replace("CHEXA", "CHEXAA") + STEEL, "1 CHEXAA, line 9 .is CHEXA meant"),
    "glue": (CUBE + STEEL + card("BGSET", 1, 1, 2), "not supported, .*: 1 BGSET, line 13"),
    "matrices": (CUBE + STEEL + card("DMIG", "K2", 0, 6), "not supported, .*: 1 DMIG, line 13"),
    "misspelled property": (CUBE + card("PSOLDI", 1, 1), r"PSOLDI 1 is not supported \(is PSOLID meant\?\)"),
    "property": (CUBE + card("PLSOLID", 1, 0.1), "PLSOLID 1 is not supported, and elements have it"),
    "spring": (CUBE + STEEL + card("CBUSH", 2, 7, 1, 2), "CBUSH 2: there is no PBUSH 7"),
    "RBE2": (CUBE + STEEL + card("RBE2", 2, 1, 127, 2), "'127' are no components"),
    "THRU": (CUBE + STEEL + card("SPC1", 2, 1, 5, "THRU", 3), "THRU can't go from 5 to 3"),
    "circle": (
        CUBE + STEEL + card("CORD2R", 1, 2, *[0.0] * 5, 1.0, 1.0, 0.0, 0.0)
        + card("CORD2R", 2, 1, *[0.0] * 5, 1.0, 1.0, 0.0, 0.0),
        "coordinate systems stand on each other in a circle",
    ),
    "continuation": (
        CUBE + STEEL + f"{card('RBE2', 9, 1, 123456, 2).rstrip():<72}+A\n+B      3\n",
        "continuation 'B' does not follow its card",
    ),
    "no bulk": ("SOL 101\nCEND\nSPC = 1\n", "after CEND there is no BEGIN BULK"),
    "superelement": ("SOL 101\nCEND\nBEGIN SUPER=1\n", "superelements are not supported"),
    "not a deck": ("hello world\n", "HELLO is not known|is not a name of a card|holds no"),
    "empty": ("", "holds no bulk data cards"),
    "no elements": (
        card("GRID", 1) + card("GRID", 2) + card("CBUSH", 1, 1, 1, 2) + card("PBUSH", 1, "K", 1.0), "only 1 CBUSH",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_one_error_with_its_line(tmp_path, what):
    text, message = WRONG[what]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(fem.FlexbodyError, match=message) as error:
            read(tmp_path, text)
    assert "\n" not in str(error.value)
    if what in ("missing grid", "two elements", "words", "spring", "RBE2"):
        added = next(
            k for k, one in enumerate(text.splitlines(), start=1) if one not in (CUBE + STEEL).splitlines()
        )
        assert f"line {added}:" in str(error.value)


def test_a_modulus_in_psi_without_a_density_is_doubted(tmp_path):
    """Aluminium has 1e7 psi, 6.9e10 Pa."""
    text = CUBE + card("PSOLID", 1, 1) + card("MAT1", 1, 1.0e7, "", 0.33)
    with pytest.warns(fem.FlexbodyWarning, match=r"E = 1e\+07 Pa and no density; .*units='inch'"):
        read(tmp_path, text)
    with pytest.warns(fem.FlexbodyWarning) as said:
        mesh = read(tmp_path, text, units="inch")
    assert not [one for one in said if "units look wrong" in str(one.message)]
    modulus = mesh.materials["1"].E
    assert modulus == pytest.approx(1e7 * 4.4482216152605 / 0.0254**2, rel=1e-12)


def test_what_is_doubtful_is_said(tmp_path):
    line = 1 + next(k for k, card in enumerate(CUBE.splitlines()) if card.startswith("CHEXA"))
    missing = rf"property 1 of 1 hex8 is not in the file \(first used in line {line}\)"
    with pytest.warns(fem.FlexbodyWarning, match=missing):
        mesh = read(tmp_path, CUBE)
    with pytest.raises(fem.InputError, match=missing):
        fem.assemble(mesh)
    with pytest.warns(
        fem.FlexbodyWarning,
        match="materials without a density, whose elements weigh nothing: 1; no element has mass: add RHO",
    ):
        mesh = read(tmp_path, CUBE + card("MAT1", 1, 210e9, None, 0.3) + card("PSOLID", 1, 1))
    assert "1: E = 2.1e+11 Pa, nu = 0.3, no density" in mesh.report()
    with pytest.raises(fem.InputError, match=r"'part' has no mass .* need a density"):
        fem.vibration(fem.assemble(mesh), n=1)
    with pytest.warns(fem.FlexbodyWarning, match="no ENDDATA at its end"):
        read(tmp_path, deck(CUBE + STEEL).replace("ENDDATA", ""))
    with pytest.raises(fem.MeshError, match=r"holds no elements \(there is no ENDDATA at its end"):
        read(tmp_path, deck(CUBE).split("CHEXA")[0])
    with pytest.raises(
        fem.FileError, match="there is no GRID 99; there is no ENDDATA at its end: it may have been cut"
    ):
        read(tmp_path, deck(CUBE + STEEL + card("CTETRA", 2, 1, 1, 2, 3, 99)).replace("ENDDATA", ""))
    with pytest.warns(fem.FlexbodyWarning, match="1 ABCDE, line 13"):
        read(tmp_path, CUBE + STEEL + card("ABCDE", 1))


@pytest.mark.slow
def test_damaged_decks_are_refused_or_read(tmp_path):
    """Flipped bits, removed lines and cuts: one error of ours or a mesh, within seconds."""
    mesh = irregular("tet10", (1, 1, 1))
    text = deck(
        mesh_cards(fem.Mesh(mesh.points.round(4), mesh.blocks), form="small")
        + STEEL
        + card("SPC1", 1, 123, 1, "THRU", 4)
    )
    text += card("RBE2", 9999, 1, 123456, 2, 3) + card("CORD2R", 1, 0, *[0.0] * 5, 1.0, 1.0)
    data, rng = bytearray(text.encode()), np.random.default_rng(5)
    began, refused = time.process_time(), 0
    for turn in range(400):
        changed = bytearray(data)
        if turn % 4 == 0:
            changed = changed[: rng.integers(len(data))]
        for where in rng.integers(max(len(changed), 1), size=1 + turn % 3):
            if where < len(changed):
                changed[where] = (
                    int(rng.integers(32, 127)) if turn % 2 else changed[where] ^ (1 << int(rng.integers(8)))
                )
        (tmp_path / "part.bdf").write_bytes(bytes(changed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fem.read_mesh(tmp_path / "part.bdf").report()
            except fem.FlexbodyError:
                refused += 1
    assert 40 < refused < 400
    assert time.process_time() - began < 60


def test_fields_that_are_neither_stiffness_nor_mass_are_told(tmp_path):
    text = CUBE + card("MAT1", 1, 210e9, None, 0.3, 7850.0, 1.2e-5, None, 0.02) + card("PSOLID", 1, 1)
    text += card("MAT4", 1, 60.0, 460.0, 7850.0)  # of the same number, as Femap writes it
    text += card("GRDSET", *[None] * 6, 123) + card("GRID", 20, None, 2.0, 0.0, 0.0, None, 0, 3)
    mesh = read(tmp_path, text)
    told = {one.what: one.lines for one in mesh.left_out if one.lines}  # the cube has ten lines
    assert told == {
        "structural damping of MAT1": ("11",),
        "thermal expansion of MAT1": ("11",),
        "MAT4": ("13",),
        "SEID of GRID": ("15",),
    }
    assert {len(mesh.node_sets[name]) for name in mesh.supports} == {8}  # 0 in field 8: GRID 20 is not held


REPLICATED = """GRID,1,,0.,0.,0.
$ a comment
=,*1,=,*1.,=,==
=(3)
CBAR    1       1       1       2       0.      1.      0.
=       *(1)    =       *(1)    *(1)    ==
=2
CBAR,9,1,5,1,0.,1.,0. $ back
MAT1,1,2.1+11,,.3,7850.
PBAR,1,1,1.-3,1.-7,1.-7,1.-7
"""


def test_cards_that_repeat_fields_of_the_card_before(tmp_path):
    """MSC's replication: = the same field, == the same to the end, *x a step, =n so many more cards."""
    (tmp_path / "part.bdf").write_text(REPLICATED)
    mesh = fem.read_mesh(tmp_path / "part.bdf")
    np.testing.assert_allclose(mesh.points, [[x, 0, 0] for x in range(5)], atol=1e-12)
    assert mesh.node_ids.tolist() == [1, 2, 3, 4, 5]
    assert mesh.blocks[0].ids.tolist() == [1, 2, 3, 4, 9]
    assert mesh.blocks[0].nodes.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("=,*1\n", "line 1: '=' repeats a card of one line, and there is none above"),
        ("GRID*,1,,0.,0.\n*,0.\n=,*1\n", "line 3: '=' repeats a card of one line"),
        ("GRID,1,,0.,0.,0.\n=,*one\n", "line 2: the step 'one' can't be added to the field '1'"),
    ],
)
def test_cards_that_repeat_nothing(lines, message, tmp_path):
    (tmp_path / "part.bdf").write_text(lines)
    with pytest.raises(fem.FileError, match=message):
        fem.read_mesh(tmp_path / "part.bdf")

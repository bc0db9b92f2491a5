"""What a Nastran deck says and a body does not hold is told with its line; what would be lost is refused."""

import itertools
import re
import warnings

import pytest
from support.nastran import card, deck, read

import fem

POINTS = "".join(
    card("GRID", n, None, *map(float, x))
    for n, x in enumerate([(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (0, 0, 1)], start=1)
)
MAT = card("MAT1", 1, 210e9, None, 0.3, 7850.0)
BAR = card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0) + card("PBAR", 1, 1, 1e-3, 2e-7, 5e-8, 1e-7)
PART = POINTS + MAT + BAR
LINES = len(PART.splitlines())
ELEMENTS = {
    "CBAR": card("CBAR", 1, 7, 1, 2, 0.0, 1.0, 0.0),
    "CBEAM": card("CBEAM", 1, 7, 1, 2, 0.0, 1.0, 0.0),
    "CROD": card("CROD", 1, 7, 1, 2),
    "CQUAD4": card("CQUAD4", 1, 7, 1, 2, 3, 4),
    "CTETRA": card("CTETRA", 1, 7, 1, 2, 4, 5),
}
PROPERTIES = {
    "PBAR": card("PBAR", 7, 1, 1e-3, 2e-7, 5e-8, 1e-7),
    "PBARL": card("PBARL", 7, 1, None, "ROD", None, None, None, None, 0.01),
    "PBEAM": card("PBEAM", 7, 1, 1e-3, 2e-7, 5e-8, None, 1e-7),
    "PBEAML": card("PBEAML", 7, 1, None, "ROD", None, None, None, None, 0.01),
    "PROD": card("PROD", 7, 1, 1e-3),
    "PSHELL": card("PSHELL", 7, 1, 0.01, 1, None, 1),
    "PCOMP": card("PCOMP", 7, *[None] * 7, 1, 0.01),
    "PSOLID": card("PSOLID", 7, 1),
}
#: Quick Reference Guide, field PID of the elements; bars and beams take each other's sections
TAKEN = {
    **{key: {"PBAR", "PBARL", "PBEAM", "PBEAML"} for key in ("CBAR", "CBEAM")},
    "CROD": {"PROD"}, "CQUAD4": {"PSHELL", "PCOMP"}, "CTETRA": {"PSOLID"},
}  # fmt: skip


@pytest.mark.parametrize(("element", "its"), [*itertools.product(ELEMENTS, PROPERTIES)])
def test_an_element_takes_properties_of_its_kind_only(element, its, tmp_path):
    text = POINTS + MAT + ELEMENTS[element] + PROPERTIES[its]
    if its in TAKEN[element]:
        assert list(read(tmp_path, text).properties) == [f"{its} 7"]
        return
    with pytest.raises(
        fem.FileError, match=f"line 7: {element} 1 has the property 7, which is a {its}; it takes"
    ):
        read(tmp_path, text)


def told(folder, text, **more):
    """What is left out, by what it is, with its lines; and the doubts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # the doubts
        mesh = read(folder, text, **more)
    return {one.what: one.lines for one in mesh.left_out if "node" not in one.what}, mesh.doubts


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (card("CELAS2", 9, 0.0, 2, 3), "CELAS2 without stiffness"),
        (card("CONM2", 9, 2, 0, 0.0), "CONM2 without mass"),
        (card("CROD", 9, 9, 1, 2, 3) + card("PROD", 9, 1, 1e-4), "fields of CROD beyond its last (5)"),
        (card("PARAM", "K6ROT", 1.0), "PARAM K6ROT"),
        (card("PELAST", 9, 3), "PELAST"),
        (card("MAT3", 9, 1e11), "MAT3"),
        (card("PSOLID", 9, 1, None, "TWO", None, "FULL"), "integration TWO, FULL of PSOLID"),
        (card("RBE2", 9, 1, 123456, 5, 1e-5), "thermal expansion of RBE2"),
    ],
)
def test_what_is_left_out_is_told_with_its_line(more, what, tmp_path):
    assert told(tmp_path, PART + more)[0] == {what: (str(LINES + 1),)}


def test_numbers_of_sets_that_do_not_exist_are_counted(tmp_path):
    """Members of ranges need not exist, as the manual says (THRU); others are told."""
    mesh = read(tmp_path, PART + card("SET1", 5, 1, 77, 99) + card("SET1", 6, 1, "THRU", 50))
    assert [(one.what, one.count) for one in mesh.left_out if "SET" in one.what] == [("members of SET 5", 2)]


def test_case_control_is_read_or_told_line_by_line(tmp_path):
    case = "TITLE = a bar\nPARAM,WTMASS,0.5\nPARAM,POST,-1\nSPC = 5\nDISP = ALL\n"
    left_out, doubts = told(tmp_path, deck(PART, case))
    assert left_out == {"case control": ("3", "7"), "PARAM POST": ("5",)}
    assert doubts == ("case control chooses SPC = 5, and the file has no such set: none of SPC applies",)
    with pytest.warns(fem.FlexbodyWarning):
        mesh = read(tmp_path, deck(PART, case))
    # the bar is 2 m long; WTMASS in case control counts as one of bulk data
    assert fem.assemble(mesh).mass == pytest.approx(0.5 * 7850.0 * 1e-3 * 2.0, rel=1e-12)
    # which prevails over bulk data (Quick Reference Guide, chapter on parameters)
    both = deck(PART + card("PARAM", "WTMASS", 0.25), case)
    with pytest.warns(fem.FlexbodyWarning):
        mesh = read(tmp_path, both)
    assert fem.assemble(mesh).mass == pytest.approx(0.5 * 7850.0 * 1e-3 * 2.0, rel=1e-12)


@pytest.mark.parametrize("name", ["SPC", "MPC"])
def test_sums_of_sets_that_do_not_exist_are_doubted(name, tmp_path):
    own = card("SPC1", 1, 123, 1) if name == "SPC" else card("MPC", 1, 1, 1, 1.0, 2, 1, -1.0)
    _, doubts = told(tmp_path, PART + own + card(f"{name}ADD", 9, 1, 3))
    assert doubts == (f"{name}ADD names sets of {name} that the file does not hold: 3",)


def test_a_bush_without_axes_is_doubted_where_these_matter(tmp_path):
    plain = card("PBUSH", 8, "K", 1e3, 1e3, 1e3, 5.0, 5.0, 5.0)
    assert told(tmp_path, PART + card("CBUSH", 7, 8, 2) + plain)[1] == ()
    _, doubts = told(tmp_path, PART + card("CBUSH", 7, 8, 2) + card("PBUSH", 8, "K", 1e3, 2e3, 1e3))
    assert doubts == (
        "CBUSH 7 has no length and no system of axes (CID): it acts in the displacement axes of grid point 2",
    )


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("CBAR", r"line 4: the continuation 'A' does not follow its card, which stands above"),
        ("GRID", r"line 2: the continuation 'A' stands before its card"),
    ],
)
def test_continuations_out_of_order_are_refused(first, words, tmp_path):
    """The offsets of the bar would become fields of a grid point."""
    bar = f"{card('CBAR', 1, 1, 1, 2, 0.0, 1.0, 0.0).rstrip():<72}+A\n"
    offsets = f"{'+A':<24}{'0.1':<8}\n"
    two = POINTS.splitlines(keepends=True)
    text = bar + two[0] + two[1] + offsets if first == "CBAR" else two[0] + offsets + two[1] + bar
    with pytest.raises(fem.FileError, match=words):
        read(tmp_path, text + MAT + PROPERTIES["PBAR"].replace("       7", "       1"))


def test_scalar_points_are_refused_with_a_way_out(tmp_path):
    with pytest.raises(
        fem.FileError, match=f"line {LINES + 1}: .*1 CELAS3, .*join grid points by CELAS1 or CELAS2"
    ):
        read(tmp_path, PART + card("SPOINT", 90) + card("CELAS3", 9, 1, 90))


def test_scalar_points_without_elements_are_left_out(tmp_path):
    """Decks that form superelements list them for modal coordinates (QSET)."""
    text = (
        PART
        + card("SPOINT", 90, "THRU", 99)
        + card("QSET1", None, 90, "THRU", 99)
        + card("SPC1", 7, 0, 91, 92)
    )
    mesh = read(tmp_path, text)
    assert "SPOINT, line" in mesh.report()
    assert "no element has these scalar points" in mesh.report()
    assert not mesh.supports


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        (
            card("CAERO1", 500, 1, 0, 4, 4, None, None, 1, 0.0, 0.0, 0.0, 1.0),
            "CAERO1, line .*aerodynamics are no part",
        ),
        (
            card("CHBDYG", 500, None, "AREA4", None, None, None, None, None, 1, 2, 3, 4),
            "CHBDYG, line .*heat conduction",
        ),
    ],
)
def test_aerodynamics_and_heat_are_left_out(tmp_path, cards, reason):
    assert re.search(reason, read(tmp_path, PART + cards).report())

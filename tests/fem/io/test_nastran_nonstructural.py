"""Nonstructural masses of Nastran decks: NSM, NSM1, NSML, NSML1, NSMADD; masses by hand from areas and lengths.

Areas and lengths in the units of the file: quadrilateral 1, triangle 0.5, bars and rods 1 (the bar along a side of 1).
"""

import numpy as np
import pytest
from support.nastran import card, read

import fem

UP = (0.0, 0.0, 1.0)
POINTS = "".join(
    card("GRID", n, None, *map(float, x))
    for n, x in enumerate([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], start=1)
)
MODEL = (
    POINTS
    + card("MAT1", 1, 210e9, None, 0.3)  # without density: all mass is nonstructural
    + card("CQUAD4", 1, 10, 1, 2, 3, 4)
    + card("CTRIA3", 2, 10, 1, 2, 3)
    + card("CONROD", 3, 1, 2, 1, 1.0)
    + card("CROD", 4, 41, 1, 2)
    + card("CBEAM", 5, 21, 1, 2, *UP)
    + card("CBAR", 6, 31, 1, 2, *UP)
    + card("CTUBE", 7, 51, 1, 2)
    + card("CSHEAR", 8, 61, 1, 2, 3, 4)
    + card("CQUAD4", 9, 11, 1, 2, 3, 4)
    + card("PSHELL", 10, 1, 0.1, 1, None, 1)
    + card("PCOMP", 11, *[None] * 7, 1, 0.01, 0.0, None, 1, 0.02, 90.0)
    + card("PROD", 41, 1, 0.1)
    + card("PBEAML", 21, 1, None, "ROD", None, None, None, None, 0.1)
    + card("PBARL", 31, 1, None, "ROD", None, None, None, None, 0.1)
    + card("PTUBE", 51, 1, 0.1, 0.01)
    + card("PSHEAR", 61, 1, 0.01)
)
#: cards of the set, and the mass
CASES = {
    "NSM1 of a property": (card("NSM1", 1, "PSHELL", 2.0, 10), 3.0),
    "NSM1 of one element": (card("NSM1", 1, "ELEMENT", 2.0, 1), 2.0),
    "NSM1 of elements": (card("NSM1", 1, "ELEMENT", 2.0, 1, 2, 5), 5.0),
    "NSM1 of all elements": (card("NSM1", 1, "ELEMENT", 2.0, "ALL"), 2 * (3.5 + 5.0)),
    "NSM1 of all of a type": (card("NSM1", 1, "PSHELL", 2.0, "ALL"), 3.0),
    "NSM1 of a range": (card("NSM1", 1, "PSHELL", 2.0, 10, "THRU", 12), 3.0),
    "NSM1 of a range with steps": (card("NSM1", 1, "PSHELL", 2.0, 10, "THRU", 12, "BY", 2), 3.0),
    "NSM1 of a bar": (card("NSM1", 1, "PBARL", 2.0, 31), 2.0),
    "NSM1 of a beam": (card("NSM1", 1, "PBEAM", 2.0, 21), 2.0),
    "NSM1 of a rod": (card("NSM1", 1, "PROD", 2.0, 41), 2.0),
    "NSM1 of a tube": (card("NSM1", 1, "PTUBE", 2.0, 51), 2.0),
    "NSM1 of a rod without a property": (card("NSM1", 1, "CONROD", 2.0, 3), 2.0),
    "NSM1 of a laminate": (card("NSM1", 1, "PCOMP", 2.0, 11), 2.0),
    "NSM1 of a shear panel": (card("NSM1", 1, "PSHEAR", 2.0, 61), 2.0),
    "NSM of a property": (card("NSM", 1, "PSHELL", 10, 2.0), 3.0),
    "NSM of elements": (card("NSM", 1, "ELEMENT", 1, 2.0, 2, 4.0, 6, 7.0), 11.0),
    "NSML of a property": (card("NSML", 1, "PSHELL", 10, 2.0), 2.0),
    "NSML of elements": (card("NSML", 1, "ELEMENT", 1, 2.0, 2, 4.0, 6, 7.0), 13.0),
    "NSML1 of a property": (card("NSML1", 1, "PSHELL", 2.0, 10), 2.0),
    "NSML1 of elements": (card("NSML1", 1, "ELEMENT", 2.0, 1, 2), 2.0),
    "NSML1 of several": (card("NSML1", 1, "ELEMENT", 2.0, 3, "THRU", 7), 2.0),
    "a sum": (
        card("NSM1", 1, "PSHELL", 2.0, 10) + card("NSML", 1, "PBARL", 31, 5.0) + card("NSM", 1, "ELEMENT", 2, 4.0),
        3.0 + 5.0 + 2.0,
    ),
    "NSMADD": (
        card("NSMADD", 5, 1, 2) + card("NSM1", 1, "PSHELL", 2.0, 10) + card("NSML1", 2, "PSHELL", 7.0, 10), 10.0),
    "numbers that nothing has": (card("NSM1", 1, "ELEMENT", 2.0, 1, 77), 2.0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::fem.FlexbodyWarning")  # materials without density
def test_the_mass(name, tmp_path):
    text, mass = CASES[name]
    found = fem.assemble(read(tmp_path, MODEL + text)).mass
    assert found == pytest.approx(mass, rel=1e-11)  # values are compared to 12 digits


@pytest.mark.filterwarnings("ignore::fem.FlexbodyWarning")
def test_where_it_lies(tmp_path):
    """NSML1 over both: the triangle has a third of the mass; centres (1/2, 1/2) and (2/3, 1/3)."""
    mesh = read(tmp_path, MODEL + card("NSML1", 1, "ELEMENT", 3.0, 1, 2))
    found = fem.assemble(mesh)
    np.testing.assert_allclose(found.center, [(2 * 0.5 + 2 / 3) / 3, (2 * 0.5 + 1 / 3) / 3, 0.0], atol=1e-12)
    # of NSM by element: 2 on an area of 1, 4 on one of 0.5
    mesh = read(tmp_path, MODEL + card("NSM", 1, "ELEMENT", 1, 2.0, 2, 4.0))
    np.testing.assert_allclose(
        fem.assemble(mesh).center, [(0.5 + 2 / 3) / 2, (0.5 + 1 / 3) / 2, 0.0], atol=1e-12
    )
    assert {name.partition(" with")[0] for name in mesh.properties if " with" in name} == {"PSHELL 10"}
    assert len(mesh.elements_of("PSHELL 10")) == 2  # the set of the property stays whole


def test_units_and_wtmass(tmp_path):
    """In mm and t: 2e-9 t/mm^2 on 1 mm^2, times 3; and a bar of 1 mm with 5e-9 t/mm."""
    dense = MODEL.replace(card("MAT1", 1, 210e9, None, 0.3), card("MAT1", 1, 2.1e5, None, 0.3, 1e-12))
    text = dense + card("PARAM", "WTMASS", 3.0)
    nothing = fem.assemble(read(tmp_path, text, units="mm")).mass
    text += (
        card("NSM1", 1, "ELEMENT", 2e-9, 1)
        + card("NSM1", 1, "ELEMENT", 5e-9, 6)
        + card("NSML", 1, "PSHELL", 10, 1e-9)
    )
    more = fem.assemble(read(tmp_path, text, units="mm")).mass - nothing
    assert more == pytest.approx(3 * (2e-6 + 5e-6 + 1e-6), rel=1e-9)


def test_a_beam_whose_offset_ends_make_it_longer(tmp_path):
    """Its length is 2 between the offset ends, and a lumped mass stays what it is."""
    bar = card("CBAR", 16, 31, 1, 2, *UP, None, None, None, None, None, None, 1.0, 0.0, 0.0)
    text = MODEL.replace(card("MAT1", 1, 210e9, None, 0.3), card("MAT1", 1, 210e9, None, 0.3, 1e-9)) + bar
    masses = [
        fem.assemble(read(tmp_path, text + more)).mass
        for more in ("", card("NSML", 1, "ELEMENT", 16, 4.0), card("NSM", 1, "ELEMENT", 16, 4.0))
    ]
    assert np.diff(masses)[0] == pytest.approx(4.0, rel=1e-9)
    assert masses[2] - masses[0] == pytest.approx(8.0, rel=1e-9)


SETS = (
    MODEL.replace(card("MAT1", 1, 210e9, None, 0.3), card("MAT1", 1, 210e9, None, 0.3, 1e-9))
    + card("NSM1", 1, "PSHELL", 2.0, 10)
    + card("NSM1", 2, "PSHELL", 4.0, 10)
)


@pytest.mark.filterwarnings("ignore::fem.FlexbodyWarning")
@pytest.mark.parametrize(
    ("case", "more", "mass"), [("NSM = 2", {}, 6.0), ("SPC = 4", {}, 0.0), ("NSM = 2", {"nsm": 1}, 3.0)]
)
def test_the_set_that_case_control_chooses(case, more, mass, tmp_path):
    """QRG: sets must be selected by the case control command NSM."""
    path = tmp_path / "deck.bdf"
    path.write_text(f"SOL 103\nCEND\n{case}\nBEGIN BULK\n{SETS}ENDDATA\n")
    mesh = fem.read_mesh(path, **more)
    assert fem.assemble(mesh).mass == pytest.approx(mass, abs=1e-6)
    assert any(one.what == "NSM1" and "not chosen" in str(one) for one in mesh.left_out)


def test_two_sets_and_no_choice(tmp_path):
    with pytest.warns(
        fem.FlexbodyWarning, match=r"sets 1, 2 of NSM .* choose one by fem.read_mesh\(..., nsm=\)"
    ):
        mesh = read(tmp_path, SETS)
    assert fem.assemble(mesh).mass < 1e-6


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (card("NSML1", 1, "ELEMENT", 2.0, 1, 3), "can't be spread over areas and lengths at once"),
        (card("NSM1", 1, "PSOLID", 2.0, 10), "TYPE 'PSOLID' is not supported"),
        (card("NSM", 1, "PSHELL", 10), "needs pairs of a number and a mass"),
        (card("NSM1", 1, "PSHELL", 2.0), "names no PSHELL"),
        (card("NSM1", 1, "PSHELL", "x", 10), "'X'"),
        (card("NSML1", 1, "PSHELL", 2.0, 10, *[None] * 4, "DISTR", "MASS"), "DISTR is not supported"),
        (
            card("GRID", 5, None, 0.0, 0.0, 1.0) + card("CTETRA", 20, 7, 1, 2, 4, 5) + card("PSOLID", 7, 1)
            + card("NSM1", 1, "ELEMENT", 2.0, 20), "element 20 is no shell, bar or rod",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(text, why, tmp_path):
    with pytest.raises(fem.FileError, match=why):
        read(tmp_path, MODEL + text)


def test_the_report_tells_it(tmp_path):
    """Beside what PSHELL has of its own, as layers are told, and nodes of RBE3 on one line."""
    dense = MODEL.replace(card("MAT1", 1, 210e9, None, 0.3), card("MAT1", 1, 210e9, None, 0.3, 7850.0))
    text = dense + card("NSM1", 1, "PSHELL", 2.0, 10) + card("NSM1", 1, "PBARL", 3.0, 31)
    rbe3 = card("RBE3", 7, None, 4, 123456, 1.0, 123, 1, 2)
    found = read(tmp_path, text + rbe3).report()
    assert "'PSHELL 10' (2): Shell, material '1', thickness 0.1 m, nonstructural mass 2 kg/m^2" in found
    assert "'PCOMP 11' (1): LayeredShell, material '1', thickness 0.03 m, 2 layers\n" in found
    assert "nonstructural mass 3 kg/m\n" in found
    assert "the 2 nodes of the averaging connection 'RBE3 7' lie on one line" in found
    beside = read(tmp_path, text + card("RBE3", 7, None, 4, 123456, 1.0, 123, 1, 2, 3)).report()
    assert "lie on one line" not in beside

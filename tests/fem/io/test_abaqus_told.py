"""What an Abaqus file says and a body does not hold is told with its line."""

import re
import warnings

import pytest
from support.abaqus_decks import MATERIAL, body, read

import fem

BAR = fem.box((2.0, 1.0, 1.0), (2, 1, 1), "hex8")
PART = body(BAR) + MATERIAL
LINE = len(PART.splitlines()) + 1
TRUSS = "*Node\n1, 0., 0., 0.\n2, 2., 0., 0.\n*Element, type=T3D2, elset=rod\n1, 1, 2\n"


def told(folder, text):
    """What is left out with its lines, and the doubts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # the doubts
        mesh = read(folder, text)
    return {one.what: one.lines for one in mesh.left_out}, mesh.doubts


@pytest.mark.parametrize(
    ("more", "what", "after"),
    [
        ("*Element, type=MASS, elset=m\n99, 1\n*Mass, elset=m\n0.\n", "*Mass of zero", 2),
        ("*Element, type=ROTARYI, elset=m\n9, 1\n*Rotary Inertia, elset=m\n0.\n", "*Rotary Inertia of zero", 2),
        ("*Element, type=SPRING1, elset=m\n99, 1\n*Spring, elset=m\n1\n0.\n", "*Spring of zero", 2),
        ("*Surface, type=NODE, name=s\n1, 1.\n2, 3.\n", "areas of the nodes of *Surface", 0),
        ("*Boundary, amplitude=a\n1, 1, 3\n", "amplitude of *Boundary", 0),
    ],
)  # fmt: skip
def test_what_is_left_out_is_told_with_its_line(more, what, after, tmp_path):
    assert told(tmp_path, PART + more)[0] == {what: (str(LINE + after),)}


def test_a_part_without_an_instance_is_told(tmp_path):
    part = body(BAR)
    text = f"*Part, name=used\n{part}*End Part\n*Part, name=Idle\n{part}*End Part\n"
    text += "*Assembly, name=all\n*Instance, name=one, part=used\n*End Instance\n*End Assembly\n" + MATERIAL
    left_out, _ = told(tmp_path, text)
    assert left_out == {"part 'Idle'": (str(len(part.splitlines()) + 3),)}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("*Part, name=P\n*End Part\n*Part, name=p\n*End Part\n", "the part 'p' is given twice"),
        (
            "*Part, name=P\n*End Part\n*Assembly, name=A\n*Instance, name=i, part=P\n*End Instance\n"
            "*Instance, name=I, part=P\n*End Instance\n*End Assembly\n",
            "the instance 'I' is given twice",
        ),
        ("*Density, colour=red\n7850.\n", "the parameter 'COLOUR' is not read"),
        ("*Boundary, user\n1, 1, 3\n", "the parameter 'USER' is not read"),
    ],
)
def test_what_would_be_lost_is_refused(more, words, tmp_path):
    with pytest.raises(fem.FileError, match=rf"line \d+, .*{words}"):
        read(tmp_path, PART + more)


def test_a_material_that_is_given_twice_is_doubted(tmp_path):
    """The second one is twice as heavy."""
    first = next(k for k, line in enumerate(PART.splitlines(), 1) if line.startswith("*Material"))
    with pytest.warns(
        fem.FlexbodyWarning, match=rf"given twice \(line {first} and line {LINE}\); the later one applies"
    ):
        mesh = read(tmp_path, PART + MATERIAL.replace("7850", "15700"))
    assert fem.assemble(mesh).mass == pytest.approx(2 * 15700.0, rel=1e-12)


@pytest.mark.parametrize("units", ["SI", "mm"])
def test_trusses_without_an_area_have_that_of_abaqus_with_a_word(units, tmp_path):
    """Keywords Reference Guide, *Solid Section: the default cross-sectional area is 1."""
    text = TRUSS + "*Solid Section, elset=rod, material=steel\n" + MATERIAL
    if units == "mm":
        text = text.replace("210e9", "210e3").replace("2.1e11", "2.1e5").replace("7850.", "7.85e-9")
    with pytest.warns(
        fem.FlexbodyWarning, match=r"trusses 'rod' \(line 6\) has no area: it is 1, in units of the file"
    ):
        mesh = read(tmp_path, text, units=units)
    assert mesh.properties["rod"].area == pytest.approx({"SI": 1.0, "mm": 1e-6}[units], rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("C3D8H", "mixed formulation"),
        ("C3D10M", "modified"),
        ("C3D10MH", "modified ones; .*mixed"),
        ("C3D20", None),
    ],
)
def test_formulations_that_differ_are_told(kind, words, tmp_path):
    element = {"8": "hex8", "10": "tet10", "20": "hex20"}["".join(c for c in kind[3:] if c.isdecimal())]
    mesh = read(tmp_path, body(fem.box((1, 1, 1), (1, 1, 1), element), kind) + MATERIAL)
    said = [one for one in mesh.left_out if one.what == f"elements of type {kind}"]
    assert len(said) == (words is not None)
    if words:
        assert re.search(words, said[0].why)

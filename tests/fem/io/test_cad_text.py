"""Geometries that were cut off, and files that are none: told before gmsh is started."""

from pathlib import Path

import pytest

import fem
from fem.io import cad, cad_text

LEVER = (Path(__file__).resolve().parents[3] / "meshes/lever.step").read_text()


def _iges(counts="S      1G      1D      2P      1"):
    """Lines of IGES 5.3, 2.2: 72 columns, the letter of the section, the number in the section."""
    lines = [
        ("a part", "S", 1),
        ("1H,,1H;;", "G", 1),
        ("110 1", "D", 1),
        ("110 2", "D", 2),
        ("110,0,0;", "P", 1),
    ]
    return "".join(f"{text:<72}{section}{n:7d}\n" for text, section, n in [*lines, (counts, "T", 1)])


#: Open CASCADE's format, with two shapes; nothing else of it is checked
BREP = """DBRep_DrawableShape

CASCADE Topology V1, (c) Matra-Datavision
Locations 0
Surfaces 0
TShapes 2
Ve
1e-07
0 0 0
0 0

0101101
*
Fa
+2 0 *

+1 0
"""
WHOLE = {".step": LEVER, ".igs": _iges(), ".brep": BREP}


@pytest.mark.parametrize("ending", WHOLE)
def test_a_file_that_was_cut_off_is_refused_wherever(ending, tmp_path):
    path, text = tmp_path / f"part{ending}", WHOLE[ending]
    path.write_text(text)
    cad_text.check_geometry_text(path)
    assert cad_text.lost_entities(path) == ""
    size = len(text.rstrip())
    for end in {size - 8, size - 12, *(size * k // 12 for k in range(4, 12))}:
        path.write_text(text[:end])
        with pytest.raises(fem.FileError, match=rf"{path} is cut off: .*; write it again in the program"):
            fem.read_mesh(path)


@pytest.mark.parametrize(
    ("ending", "content", "told"),
    [
        (".step", b"", "is empty; write it again"),
        (".stp", b"solid part\nfacet", "not a STEP file, .* like an STL file, which has facets and no faces"),
        (".STEP", b"PK\x03\x04abc", "like a ZIP archive; unpack it first"),
        (".step", b"\x07\xff\x00", "it begins with bytes that are no text"),
        (".iges", LEVER.encode(), "not an IGES file, .* looks like a STEP file; name it so"),
        (".igs", b"hello\n", "not an IGES file, .*begins with 'hello'"),
        (
            ".igs",
            _iges("S      1G      1D      4P      1").encode(),
            "tells 4 lines of the section D, and it holds 2",
        ),
        (".brep", b"hello\n", "not a BREP file, which begins with 'DBRep_DrawableShape'"),
    ],
)
def test_what_is_no_geometry_is_refused_with_what_it_is(ending, content, told, tmp_path):
    path = tmp_path / f"part{ending}"
    path.write_bytes(content)
    with pytest.raises(fem.FileError, match=told):
        fem.read_mesh(path)


def test_entities_that_are_missing_inside_a_file_are_named(tmp_path):
    """Numbers in texts and comments are none."""
    path = tmp_path / "part.step"
    path.write_text(LEVER.replace("#20 =", "/* #99999 */ #1000020 =").replace("''", "'#88888'"))
    assert "the entities '#20', which it does not hold" in cad_text.lost_entities(path)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Could not read file 'x'", r"is damaged: .* can't be read; write it again"),
        ("", "is damaged"),
        (cad.NO_SHAPES, "holds neither volumes nor surfaces that could be meshed; repair"),
        ("overlapping facets", r"gmsh can't mesh .*overlapping facets; try another size="),
    ],
)
def test_what_gmsh_says_is_told_in_words_of_the_file(said, told, tmp_path, monkeypatch):
    (tmp_path / "part.step").write_text(LEVER)
    monkeypatch.setattr(cad, "_run", lambda *arguments: {"error": said})
    monkeypatch.setattr(cad, "find_spec", lambda name: True)
    with pytest.raises(fem.FileError, match=told):
        fem.read_mesh(tmp_path / "part.step", size=0.01)

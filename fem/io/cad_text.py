"""What is wrong with a file of a geometry (STEP, IGES, BREP) that is cut off or is none, in words of its format."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ..common.errors import FileError, listing

#: what files of other kinds begin with
_OTHERS = {
    b"PK\x03\x04": "a ZIP archive; unpack it first",
    b"\x1f\x8b": "a gzip archive; unpack it first",
    b"solid ": "an STL file, which has facets and no faces; write the part as STEP",
    b"facet ": "an STL file, which has facets and no faces; write the part as STEP",
    b"<": "a text of tags, such as a web page",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"**ABCDE": "a Parasolid file; write the part as STEP",
    b"ISO-10303-21": "a STEP file; name it so",
    b"DBRep_DrawableShape": "a BREP file; name it so",
}
#: how a damaged file is replaced
_AGAIN = "write it again in the program that made it, or copy it whole"
#: characters of a line that are shown
_SHOWN = 40


def check_geometry_text(path: Path) -> None:
    """Raise :class:`FileError` if a file is not of the format of its ending, or was cut off.

    gmsh reads the beginning of some files that were cut off without a word, and does not come to an end with others.
    """
    check, kind, beginning = _CHECKS[path.suffix.lower()]
    content = path.read_bytes()
    if not content.strip():
        raise FileError(f"{path} is empty; {_AGAIN}")
    why = check(content)
    if why == _NOT_THIS:
        start = content.lstrip(b"\xef\xbb\xbf \t\r\n")
        others = [name for mark, name in _OTHERS.items() if start.startswith(mark)]
        looks = f"it looks like {others[0]}" if others else f"it begins with {_shown(start)}; {_AGAIN}"
        raise FileError(f"{path} is not {kind}, which begins with {beginning}: {looks}")
    if why:
        raise FileError(f"{path} is cut off: {why}; {_AGAIN}")


def lost_entities(path: Path) -> str:
    """Return in words which entities a damaged STEP file names and lacks; "" if none, and for other formats."""
    if path.suffix.lower() not in (".step", ".stp"):
        return ""
    text = re.sub(
        r"'[^']*'|/\*.*?\*/", "", path.read_text(encoding="latin-1"), flags=re.DOTALL
    )  # texts, comments
    known = set(re.findall(r"(#\d+)\s*=", text))
    lost = sorted(set(re.findall(r"#\d+", text)) - known, key=lambda name: int(name[1:]))
    return f"it names the entities {listing(lost, 4)}, which it does not hold" if lost else ""


#: the answer of a check if the file is of another format
_NOT_THIS = "another format"


def _step_fault(content: bytes) -> str:
    """ISO 10303-21, 5.3: the file begins with ISO-10303-21; and ends with END-ISO-10303-21;."""
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"ISO-10303-21;"):
        return _NOT_THIS
    if b"END-ISO-10303-21;" in content:
        return ""
    lines = content.rstrip().splitlines()
    return f"line {len(lines)} is the last one, {_shown(lines[-1])}, where END-ISO-10303-21; must stand"


def _iges_fault(content: bytes) -> str:
    """IGES 5.3, 2.2: lines of 80 columns with a letter of their section in column 73, the last one is T."""
    lines = [line for line in content.splitlines() if line.strip()]
    if lines[0][72:73] not in (b"S", b"C"):
        return _NOT_THIS
    if lines[0][72:73] == b"C":  # the compressed form has lines of other lengths
        return ""
    if lines[-1][72:73] != b"T":
        return f"line {len(lines)} is the last one, {_shown(lines[-1])}, where the section T (terminate) must stand"
    told = re.findall(r"([SGDP])\s*(\d+)", lines[-1][:72].decode("latin-1"))
    for section, number in told:
        held = sum(line[72:73] == section.encode() for line in lines)
        if held != int(number):
            return f"its last line tells {number} lines of the section {section}, and it holds {held}"
    return ""


def _brep_fault(content: bytes) -> str:
    """Open CASCADE's BREP format: "TShapes" and their number, as many shapes that end with *, and the shape itself."""
    if b"CASCADE Topology V" not in content[:200] and not content.lstrip().startswith(b"DBRep_DrawableShape"):
        return _NOT_THIS
    told = re.search(rb"^TShapes (\d+)", content, re.MULTILINE)
    if told is None:
        return "the section TShapes is missing"
    held = len(re.findall(rb"\*\s*$", content[told.end() :], re.MULTILINE))
    if held != int(told[1]):
        return f"it tells {int(told[1])} shapes, and holds {held}"
    if not re.search(rb"\*\s*[+\-ie]\d+ \d+\s*$", content):
        return "the line behind the last shape is missing"
    return ""


def _shown(text: bytes) -> str:
    """Return the beginning of a text for a message."""
    line = (text.splitlines() or [b""])[0].strip()[:_SHOWN].decode("latin-1")
    return repr(line) if line.isprintable() and line.isascii() else "bytes that are no text"


_CHECKS: dict[str, tuple[Callable[[bytes], str], str, str]] = {
    **dict.fromkeys((".step", ".stp"), (_step_fault, "a STEP file", "'ISO-10303-21;'")),
    **dict.fromkeys(
        (".iges", ".igs"), (_iges_fault, "an IGES file", "a line of 80 columns with S in column 73")
    ),
    ".brep": (_brep_fault, "a BREP file", "'DBRep_DrawableShape'"),
}

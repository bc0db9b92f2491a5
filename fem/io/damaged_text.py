"""Where a text file of numbers is damaged: the first line that can't be what it must be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xml.parsers.expat

#: beginnings of lines in VTK's files beside numbers
_WORDS = frozenset(
    b"DATASET POINTS CELLS CELL_TYPES CELL_DATA POINT_DATA VERTICES LINES POLYGONS TRIANGLE_STRIPS DIMENSIONS "
    b"ORIGIN SPACING ASPECT_RATIO X_COORDINATES Y_COORDINATES Z_COORDINATES SCALARS COLOR_SCALARS LOOKUP_TABLE "
    b"VECTORS NORMALS TEXTURE_COORDINATES TENSORS TENSORS6 FIELD METADATA INFORMATION NAME DATA OFFSETS "
    b"COMPONENT_NAMES CONNECTIVITY ASCII BINARY GLOBAL_IDS PEDIGREE_IDS".split()
)
#: those that a number follows
_COUNTED = frozenset((b"POINTS", b"CELLS", b"CELL_TYPES", b"CELL_DATA", b"POINT_DATA"))
#: first lines of a file of VTK: version, title, ASCII or BINARY
_HEADER = 3


def damaged_line(path: Path) -> int:
    """Return the first line (from 1) of a file of VTK or in XML that can't be read, 0 if none shows."""
    data = path.read_bytes()
    if path.suffix.lower() == ".vtk":
        return 0 if b"BINARY" in data[:1000].upper() else _no_numbers(data.splitlines())
    if b'"raw"' in data:  # binary data behind the text
        return 0
    import xml.parsers.expat  # only needed for damaged files

    parser = xml.parsers.expat.ParserCreate()
    found = _Numbers(parser)
    try:
        parser.Parse(data, True)
    except xml.parsers.expat.ExpatError as error:
        return error.lineno
    return found.line


def _no_numbers(lines: list[bytes]) -> int:
    """Return the first line of a text in VTK's older form that is neither a known word nor numbers."""
    if not lines or not lines[0].lower().startswith(b"# vtk"):
        return 1
    for number, line in enumerate(lines[_HEADER:], start=_HEADER + 1):
        word, *rest = line.split() or [b""]
        if word.upper() in _COUNTED:
            wrong = not (rest and rest[0].isdigit())
        elif not word or word.upper() in _WORDS:
            continue
        elif word[:1].isalpha():  # arrays of a FIELD begin with a name and three more words
            wrong = len(rest) < 3
        else:
            wrong = not all(map(_is_number, (word, *rest)))
        if wrong:
            return number
    return 0


class _Numbers:
    """Finds the first line of data written as text that holds anything but numbers."""

    def __init__(self, parser: xml.parsers.expat.XMLParserType) -> None:
        self.line, self._inside, self._parser = 0, False, parser
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._text
        parser.buffer_text = False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        text = attributes.get("format", attributes.get("Format", "")).lower() in ("ascii", "xml")
        self._inside = text and name in ("DataArray", "DataItem")

    def _end(self, name: str) -> None:
        self._inside = False

    def _text(self, text: str) -> None:
        if self._inside and not self.line and not all(map(_is_number, text.encode().split())):
            self.line = self._parser.CurrentLineNumber


def _is_number(token: bytes) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True

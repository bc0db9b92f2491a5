"""The physical lines of a Nastran file with those of included files, and its sections."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path

from ...common.errors import FileError
from ...common.files import decoded, path_of
from ...mesh.places import FILE_FACTOR

_INCLUDE = re.compile(rb"(?im)^[ \t]*include[ \t'\"]")
_BULK = re.compile(rb"(?i)\s*begin\s+bulk\b")
_SUPERELEMENT = re.compile(rb"(?i)\s*begin\s+(?!bulk)\w+|\s*begin\s+bulk\s+\w+\s*=")
_MAX_INCLUDES = 20
#: beginnings of BEGIN, CEND and ENDDATA
_FIRST, _SECOND = frozenset((b"B", b"C", b"E", b"b", b"c", b"e", b" ")), frozenset((b"E", b"N", b"e", b"n"))


class CardError(ValueError):
    """What is wrong with a line: its number, as stored, and words."""

    def __init__(self, line: int, words: str) -> None:
        super().__init__(words)
        self.line = int(line)


@dataclass(eq=False)
class Lines:
    """The lines of a file: ``text`` and ``number``, and the files in the order of their numbers."""

    files: list[Path]
    text: list[bytes] = field(default_factory=list)
    number: list[int] = field(default_factory=list)

    def place(self, number: int) -> str:
        """Return the place of a line in words: its number, after the name of an included file."""
        file, line = divmod(int(number), FILE_FACTOR)
        return str(line) if file == 0 else f"{self.files[file].name}:{line}"


def read_lines(lines: Lines) -> None:
    """Read the lines of the first file, each INCLUDE replaced by the lines of its file."""
    data = lines.files[0].read_bytes()
    if b"\0" in data:
        raise FileError(f"{lines.files[0]} holds binary data: it is not a bulk data file; write it as text")
    _add(lines, data, 0, 0)


def _add(found: Lines, data: bytes, file: int, depth: int) -> None:
    """Append the lines of a file."""
    lines = data.removeprefix(codecs.BOM_UTF8).splitlines()
    if b"include" not in data.lower() or not _INCLUDE.search(data):
        found.text += lines
        found.number += range(file * FILE_FACTOR + 1, file * FILE_FACTOR + 1 + len(lines))
        return
    k = 0
    while k < len(lines):
        number = file * FILE_FACTOR + k + 1
        if not _INCLUDE.match(lines[k] + b" "):
            found.text.append(lines[k])
            found.number.append(number)
            k += 1
            continue
        words = lines[k].split(b"$")[0].strip()[len("include") :].strip()
        k += 1
        while words[:1] in (b"'", b'"') and words.count(words[:1]) < 2 and k < len(lines):
            words += lines[k].strip()
            k += 1
        _include(found, words.strip(b"'\" "), number, depth)


def _include(found: Lines, words: bytes, number: int, depth: int) -> None:
    name = decoded(words).replace("\\", "/")
    place = found.files[number // FILE_FACTOR].parent
    other = path_of(place / name)
    if not name or not other.is_file():
        raise CardError(number, f"INCLUDE names {name!r}, which does not exist in {place}")
    if depth >= _MAX_INCLUDES:
        raise CardError(number, "INCLUDE goes round in a circle")
    found.files.append(other)
    _add(found, other.read_bytes(), len(found.files) - 1, depth + 1)


def sections_of(lines: Lines) -> tuple[range, range, bool]:
    """Return the lines of case control, those of bulk data, and whether the file has both (a full deck).

    Without BEGIN BULK the file is bulk data alone (a punch file).
    """
    start = end = None
    cend = None
    for k, line in enumerate(lines.text):
        first = line[:1]
        if first not in _FIRST or (line[1:2] not in _SECOND and first != b" "):
            continue
        first = first.upper()
        if first in (b"B", b" ") and start is None:
            if _SUPERELEMENT.match(line):
                raise CardError(
                    lines.number[k], "parts and superelements are not supported; write the part alone"
                )
            if _BULK.match(line):
                start = k + 1
        elif first in (b"C", b" ") and start is None and line.strip().upper() == b"CEND":
            cend = k
        if first in (b"E", b" ", b"e") and line.strip()[:7].upper() == b"ENDDATA":
            end = k
            break
    if cend is not None and start is None:
        raise CardError(lines.number[cend], "after CEND there is no BEGIN BULK: the file was cut off")
    if start is None:
        return range(0), range(0, len(lines.text) if end is None else end), False
    return (
        range(0 if cend is None else cend + 1, start - 1),
        range(start, len(lines.text) if end is None else end),
        True,
    )

"""Keywords of Abaqus input files: their parts, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...common.errors import FileError, listing, warn
from ...common.files import decoded, path_of
from ...common.names import with_match
from ...mesh.mesh import LARGEST_COORDINATE
from ...mesh.places import FILE_FACTOR, Places
from .words import BLANK_COUNTS, HARMLESS, MODEL, REFUSED, SUB, TOLD, WRITTEN

#: what is wrong in a keyword whose reader finds no number at an index, or one that no integer holds
NO_NUMBER = "a number is missing or too large"


class Keyword(NamedTuple):
    """A keyword in capitals, its parameters (names in capitals), its data lines and its position in the file.

    ``lines`` are the numbers of the data lines in the file, none for those that another file holds (input=); lines of a
    file that is included behind the keyword have that of *Include.
    """

    name: str
    options: dict[str, str]
    data: list[str]
    place: str
    folder: Path
    lines: list[int]

    def add(self, line: str, number: int) -> None:
        """Add a data line with its number in the file."""
        self.data.append(line)
        self.lines.append(number)

    def places(self, count: int) -> Places:
        """Return the lines of ``count`` elements; that of the keyword if its data stand elsewhere or go on unevenly."""
        number, _, file = self.place.removeprefix("line ").partition(" of ")
        lines = np.full(count, int(number), np.int64)
        if count and self.lines and len(self.lines) % count == 0:
            lines = np.array(self.lines[:: len(self.lines) // count], np.int64)
        return Places(FILE_FACTOR + lines, ("", file)) if file else Places(lines)

    def wrong_line(self, width: int = 0) -> int:
        """Return the line that holds anything but numbers, or a row that does not begin with a whole one; 0 for none.

        With ``width`` also that of a row of another length, which may go on in further lines and begins on its own.
        """
        start, count = 0, 0
        for number, line in zip(self.lines, self.data, strict=False):
            tokens = [token for token in _entries(line) if token]
            try:
                values = np.array([number_of(token) for token in tokens])
                whole(values if width else values[:1])
            except ValueError:
                return number
            if not (np.abs(values) < LARGEST_COORDINATE).all():
                return number
            start = start if count else number
            count += len(tokens)
            if width and count > width:
                return start
            count = 0 if count == width or not width else count
        return start if width and count else 0

    def check(self) -> None:
        """Raise ValueError for what is refused, a letter away from a known keyword, or has unknown parameters."""
        if self.name in REFUSED:
            mend = REFUSED[self.name] or "let the program that made the file write it out"
            raise ValueError(f"*{self.name.title()} is not supported; {mend}")
        if self.name not in MODEL and self.name not in HARMLESS and self.name not in SUB:
            near = [name for name in (*MODEL, *REFUSED, *SUB) if _one_slip(name, self.name)]
            if near:
                raise ValueError(f"there is no such keyword; *{near[0].title()} is one")
        known, told = MODEL.get(self.name), TOLD.get(self.name, {})
        unknown = [] if known is None else [key for key in self.options if key and key not in {*known, *told}]
        if unknown:
            raise ValueError(
                f"the parameter {with_match(unknown, known or ())} "
                f"is not read; {listing(sorted(known or ()))} are. Take it out if it "
                "changes neither stiffness nor mass"
            )

    def option(self, key: str) -> str:
        """Return the value of a parameter; ValueError if it is not given."""
        if not self.options.get(key):
            raise ValueError(f"*{self.name.title()} needs {key.lower()}=")
        return self.options[key]

    def rows(self) -> list[list[str]]:
        """Return the data lines as lists of entries; a comma at the end of a line adds none."""
        return [_entries(line) for line in self.data]

    def floats(self, line: int = 0) -> list[float]:
        """Return the numbers of one data line, without empty entries; no numbers if there is no such line."""
        if line >= len(self.data):
            return []
        return [number_of(token) for token in _entries(self.data[line]) if token]

    def numbers(self) -> np.ndarray:
        """Return all numbers of the data lines."""
        tokens = " ".join(self.data).replace(",", " ").split()
        try:
            return np.array(tokens, dtype=float)
        except ValueError:
            return np.array([number_of(token) for token in tokens])

    def tokens(self) -> list[str]:
        """Return all entries of the data lines that are not empty."""
        return [token.strip().strip('"') for line in self.data for token in line.split(",") if token.strip()]

    def __str__(self) -> str:
        return f"*{self.name.title()}"


def _entries(line: str) -> list[str]:
    entries = [entry.strip().strip('"') for entry in line.split(",")]
    return entries[:-1] if len(entries) > 1 and not entries[-1] else entries


def _one_slip(a: str, b: str) -> bool:
    """Return whether two words are apart by one letter: another one, one too many, or two that changed places."""
    if len(a) > len(b):
        a, b = b, a
    k = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    rest, other = a[k:], b[k:]
    if len(a) < len(b):
        return rest == other[1:]
    return rest[1:] == other[1:] or (rest[:2] == other[1::-1] and rest[2:] == other[2:])


def whole(values: np.ndarray) -> np.ndarray:
    """Return numbers of nodes and elements as integers; raise ValueError if one is not a whole number above zero."""
    wrong = ~((values >= 1) & (values < 2**53) & (values == np.floor(values)))
    if wrong.any():
        raise ValueError(f"{values[wrong][0]:.17g} can't be the number of a node or an element")
    return values.astype(np.int64)


def whole_number(token: str) -> int:
    """Return a whole number of any sign; ValueError for anything else."""
    try:
        return int(token)
    except ValueError:
        value = number_of(token)
        if value != int(value):
            raise ValueError(f"{token!r} must be a whole number") from None
        return int(value)


def number_of(token: str) -> float:
    """Return a number, also in Fortran's double precision."""
    try:
        return float(token)
    except ValueError:
        pass
    try:
        return float(token.upper().replace("D", "E"))
    except ValueError:
        raise ValueError(f"{token!r} stands where a number must be") from None


#: a line without blanks around it, its number and its file; an *Include stands before its lines as a comment
_Line = tuple[str, int, Path]


def keywords_of(path: Path) -> Iterator[Keyword]:
    """Yield the keywords of a file and of included files, without comments; FileError where they can't be told."""
    current: Keyword | None = None
    pending: list[_Line] = []
    home, last = path, 0  # file of the current keyword, and the last line of it
    for line in _lines(path, path):
        text, number, file = line
        if file is home:
            last = number
        if not text and current is not None and current.name in BLANK_COUNTS:
            current.add("", last)
        if pending and file is not pending[-1][2]:
            raise _cut_off(pending)
        if text[:2] == "**" or not text:
            continue
        if pending or text[0] == "*":
            pending.append(line)
            if text[-1] == ",":
                continue
            if current is not None:
                yield current
            where = "" if file == path else f" of {file.name}"
            current = _keyword("".join(text for text, _, _ in pending), f"line {number}{where}", file.parent)
            pending, home, last = [], file, number
        elif current is None:
            raise FileError(
                f"{file} is not an Abaqus input file: its line {number} stands before any *KEYWORD"
            )
        else:
            current.add(text, last)
    if pending:
        raise _cut_off(pending)
    if current is not None:
        yield current


def _cut_off(pending: list[_Line]) -> FileError:
    words = "".join(text for text, _, _ in pending)
    return FileError(
        f"{pending[0][2]}, line {pending[0][1]}: the file ends within the keyword {words!r}: it was cut off; "
        "write it again"
    )


def _lines(path: Path, main: Path, nesting: int = 0) -> Iterator[_Line]:
    """Yield the lines of a file, and behind each *Include those of its file."""
    text, line = decoded(path.read_bytes()), ""
    lines = enumerate(text.removesuffix("\n").split("\n"), start=1)
    for number, line in lines:
        line = line.strip()
        if line[:8].upper() != "*INCLUDE":
            yield line, number, path
            continue
        yield "**", number, path
        words = line
        while words[-1] == ",":
            words += next(lines, (0, "*"))[1].strip() or "*"
        keyword = _keyword(words, f"line {number}", path.parent)
        yield from _lines(_other_file(keyword, path, main, nesting), main, nesting + 1)
    if text and text[-1] != "\n" and not line.strip().upper().startswith("*END "):
        warn(
            f"{path} ends without a new line, with {line.strip()[:60]!r}: it may have been cut off there; add a new "
            "line at the end if it is complete"
        )


def _keyword(text: str, place: str, folder: Path) -> Keyword:
    name, *rest = (part.strip() for part in text[1:].split(","))
    options = {}
    for item in rest:
        key, _, value = item.partition("=")
        options[_as_known(key)] = value.strip().strip('"')
    return Keyword(_as_known(name), options, [], place, folder, [])


def _as_known(word: str) -> str:
    """Return a keyword or parameter in capitals, with the spaces that it has by Abaqus; CalculiX leaves them out."""
    word = " ".join(word.upper().split())
    return WRITTEN.get(word.replace(" ", ""), word)


def _other_file(keyword: Keyword, path: Path, main: Path, nesting: int) -> Path:
    """Return the file that an *Include names, from the folder of its file or from that of the main file."""
    given = keyword.options.get("INPUT", "")
    other = next(
        (f for f in (path_of(path.parent / given), path_of(main.parent / given)) if f.is_file()), None
    )
    if other is None:
        raise FileError(
            f"{path}, {keyword.place}: *Include names {path.parent / given}, which does not exist"
        )
    if nesting > 20:
        raise FileError(f"{path}: *Include goes round in a circle")
    return other

"""Keywords of Abaqus input files: their parts, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...common.errors import FileError, listing, warn
from ...common.files import path_of

#: keywords that make up the model, and those parameters of theirs that Abaqus knows (None: not checked)
MODEL: dict[str, set[str] | None] = {
    "NODE": {"NSET", "SYSTEM", "INPUT"},
    "ELEMENT": {"TYPE", "ELSET", "INPUT", "FILE", "OFFSET", "SOLID ELEMENT NUMBERING"},
    "NSET": {"NSET", "ELSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED"},
    "ELSET": {"ELSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED"},
    **dict.fromkeys(("PART", "END PART", "INSTANCE", "END INSTANCE", "ASSEMBLY", "END ASSEMBLY"), None),
    **dict.fromkeys(("SURFACE", "SOLID SECTION", "SHELL SECTION", "BEAM SECTION"), None),
    **dict.fromkeys(("MATERIAL", "DENSITY", "ELASTIC", "INCLUDE", "STEP"), None),
}
#: keywords of Abaqus that differ by one letter from one of these
_OTHERS = {"PLASTIC"}


class Keyword(NamedTuple):
    """A keyword in capitals, its parameters (names in capitals), its data lines and its position in the file."""

    name: str
    options: dict[str, str]
    data: list[str]
    place: str

    def check(self) -> None:
        """Raise ValueError for a keyword that is one letter away from one of the model, and for unknown parameters."""
        if self.name not in MODEL and self.name not in _OTHERS:
            near = [name for name in MODEL if _apart(name, self.name) == 1]
            if near:
                raise ValueError(f"there is no such keyword; *{near[0].title()} is one")
        known = MODEL.get(self.name)
        unknown = [] if known is None else [key for key in self.options if key and key not in known]
        if unknown:
            raise ValueError(
                f"there is no parameter {listing(unknown)}; there are {listing(sorted(known or ()))}"
            )
        if "INPUT" in self.options and self.name in ("NODE", "ELEMENT"):
            raise ValueError("data in another file (input=) are not supported; write them into this file")

    def numbers(self, width: int | None = None) -> np.ndarray:
        """Return all numbers of the data lines in rows of ``width``; raise ValueError if they do not fill the rows."""
        text = " ".join(self.data).replace(",", " ")
        values = np.array([number_of(token) for token in text.split()])
        return values if width is None else values.reshape(-1, width)

    def tokens(self) -> list[str]:
        """Return all entries of the data lines."""
        return [token.strip() for line in self.data for token in line.split(",") if token.strip()]


def _apart(a: str, b: str) -> int:
    """Return how many letters differ between two words of the same length; 99 for other words."""
    return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else 99


def whole(values: np.ndarray) -> np.ndarray:
    """Return numbers of nodes and elements as integers; raise ValueError if one is not a whole number above zero."""
    wrong = ~((values >= 1) & (values < 2**53) & (values == np.floor(values)))
    if wrong.any():
        raise ValueError(f"{values[wrong][0]:.17g} can't be the number of a node or an element")
    return values.astype(np.int64)


def number_of(token: str) -> float:
    """Return a number, also in Fortran's double precision."""
    try:
        return float(token)
    except ValueError:
        return float(token.upper().replace("D", "E"))


def keywords_of(path: Path, nesting: int = 0) -> Iterator[Keyword]:
    """Yield the keywords of a file and of included files, without comments."""
    current: Keyword | None = None
    pending, line = "", ""
    text = path.read_text(encoding="latin-1")
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line.startswith("**") or not line:
            continue
        if pending or line.startswith("*"):
            pending += line
            if pending.endswith(","):
                continue
            if current is not None:
                yield from _included(current, path, nesting)
            current, pending = _keyword(pending, f"line {number}"), ""
        elif current is None:
            raise FileError(
                f"{path} is not an Abaqus input file: its line {number} stands before any *KEYWORD"
            )
        else:
            current.data.append(line)
    if pending:
        raise FileError(f"{path} ends within the keyword {pending!r}: it was cut off; write it again")
    if current is not None:
        yield from _included(current, path, nesting)
    if text and not text.endswith(("\n", "\r")):
        warn(
            f"{path} ends without a new line, with {line[:60]!r}: it may have been cut off there; add a new line at "
            "the end if it is complete"
        )


def _keyword(text: str, place: str) -> Keyword:
    name, *rest = (part.strip() for part in text[1:].split(","))
    options = {}
    for item in rest:
        key, _, value = item.partition("=")
        options[key.strip().upper()] = value.strip().strip('"')
    return Keyword(" ".join(name.upper().split()), options, [], place)


def _included(keyword: Keyword, path: Path, nesting: int) -> Iterator[Keyword]:
    if keyword.name != "INCLUDE":
        yield keyword
        return
    other = path_of(path.parent / keyword.options.get("INPUT", ""))
    if not other.is_file():
        raise FileError(f"{path}, {keyword.place}: *Include names {other}, which does not exist")
    if nesting > 20:
        raise FileError(f"{path}: *Include goes round in a circle")
    yield from keywords_of(other, nesting + 1)

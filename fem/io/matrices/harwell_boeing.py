"""Matrices in the formats Harwell-Boeing and Rutherford-Boeing: columns of a sparse matrix in Fortran's fields.

Reference: I. S. Duff, R. G. Grimes, J. G. Lewis, Users' guide for the Harwell-Boeing sparse matrix collection, release
I (1992). Why not SciPy: its reader checks no index, and a damaged file ends the process.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import scipy

from ...common.errors import FileError
from .content import mirrored, sparse

#: fields of a line and their width, in a format as (1P,3E25.16) or (26I3)
_FORMAT = re.compile(r"\(\s*(?:\d+\s*P\s*,?)?\s*(\d*)\s*([IEDFG])\s*(\d+)", re.IGNORECASE)


def read_harwell_boeing(path: Path, text: str) -> scipy.sparse.csr_array:
    """Return the square matrix of a file; :class:`FileError` names the line that can't be read."""
    lines = _Lines(path, text.splitlines())
    lines.at = 1  # the title
    _, pointer_lines, index_lines, value_lines, *right = lines.integers(14, 0, "numbers of lines")
    kind = lines.peek()[:3].upper()
    rows, columns, entries, *_ = lines.integers(14, 14, "rows, columns and entries")
    if kind[:1] == "C":
        raise lines.error("the matrix is complex; stiffness and mass are real")
    if kind not in ("RSA", "RUA"):
        raise lines.error(f"a matrix of the type {kind!r} is not read; RSA and RUA are")
    if rows != columns or rows < 1:
        raise lines.error(f"the matrix has {rows} rows and {columns} columns; a square one is needed")
    forms = lines.next()
    fields = [_FORMAT.match(forms[start:end]) for start, end in ((0, 16), (16, 32), (32, 52))]
    if None in fields:
        raise lines.error(f"{forms[:60]!r} does not give the formats of pointers, rows and values")
    if right and right[0]:
        lines.next()  # how right-hand sides are stored, which follow the values
    parts = [
        lines.fields(count, n, found, whole)
        for count, n, found, whole in zip(
            (pointer_lines, index_lines, value_lines),
            (columns + 1, entries, entries),
            fields,
            (True, True, False),
            strict=True,
        )
    ]
    starts, row = (part.astype(np.int64) for part in parts[:2])
    if starts[0] != 1 or starts[-1] != entries + 1 or (np.diff(starts) < 0).any():
        raise FileError(
            f"{path}: the places where its columns begin do not rise from 1 to {entries + 1}; it is damaged"
        )
    wrong = np.flatnonzero((row < 1) | (row > rows))
    if len(wrong):
        raise FileError(
            f"{path}: entry {wrong[0] + 1} stands in row {row[wrong[0]]} of {rows}; the file is damaged"
        )
    A = sparse(row - 1, np.repeat(np.arange(columns), np.diff(starts)), parts[2], rows)
    return mirrored(A)


class _Lines:
    """The lines of a file, read one after the other."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        self._path, self._lines, self.at = path, lines, 0

    def error(self, what: str) -> FileError:
        """Return the error of the last line that was read."""
        return FileError(f"{self._path}, line {max(min(self.at, len(self._lines)), 1)}: {what}")

    def peek(self) -> str:
        return self._lines[self.at] if self.at < len(self._lines) else ""

    def next(self) -> str:
        if self.at >= len(self._lines):
            raise self.error("the file ends here, before the matrix is complete: it was cut off")
        self.at += 1
        return self._lines[self.at - 1]

    def integers(self, width: int, start: int, what: str) -> list[int]:
        """Return the integers of the next line, in fields from column ``start`` on."""
        line = self.next()[start:].rstrip()
        try:
            found = [int(line[k : k + width]) for k in range(0, len(line), width)]
            if len(found) < (4 if not start else 3) or min(found) < 0:
                raise ValueError
        except ValueError:
            raise self.error(f"{line[:60]!r} does not give the {what} of a Harwell-Boeing matrix") from None
        return found

    def fields(self, lines: int, count: int, form: re.Match[str] | None, whole: bool) -> np.ndarray:
        """Return ``count`` numbers that stand in ``lines`` lines of a format."""
        assert form is not None
        per_line, width = int(form[1] or 1), int(form[3])
        if not per_line or not width or (form[2].upper() == "I") != whole or lines != -(-count // per_line):
            raise self.error(
                f"{count} numbers in the format {form[0]}) do not fill {lines} lines; the file is damaged"
            )
        if self.at + lines > len(self._lines):
            self.at = len(self._lines)
            raise self.error("the file ends here, before the matrix is complete: it was cut off")
        taken = self._lines[self.at : self.at + lines]
        try:
            found = self._numbers(taken, count, per_line, width)
        except ValueError:
            for k, line in enumerate(taken):
                self.at += 1
                try:
                    self._numbers([line], min(per_line, count - k * per_line), per_line, width)
                except ValueError:
                    raise self.error(
                        f"{line[:60]!r} does not hold numbers in the format {form[0]})"
                    ) from None
            raise
        self.at += lines
        return found

    def _numbers(self, lines: list[str], count: int, per_line: int, width: int) -> np.ndarray:
        cells = " ".join(lines).split()  # SciPy writes fields that are narrower than its format says
        if len(cells) != count:  # no spaces between fields
            text = "".join(line[: per_line * width].ljust(per_line * width) for line in lines)
            cells = [text[k * width : (k + 1) * width] for k in range(count)]
        found = np.array([cell.replace("D", "E").replace("d", "e") for cell in cells], dtype=float)
        if not np.isfinite(found).all():
            raise ValueError
        return found

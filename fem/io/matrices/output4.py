"""OUTPUT4 files of Nastran, as text and binary: dense, and sparse with and without BIGMAT.

MSC Nastran DMAP Programmer's Guide, OUTPUT4: a header (columns, rows, form, type, name), a record for each column that
is not zero, and one with the column after the last. Sparse columns are strings of successive rows; the number of rows
is negative in the header of a matrix with BIGMAT. A binary file consists of Fortran's records.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from ...common.errors import FileError
from .content import MatrixFile, mirrored, sparse
from .nastran import REAL, real

#: bytes of a word, by those of a header: four words and a name of two
_WORDS = {24: 4, 48: 8}
#: rows of a matrix that memory can hold
_MAX_ROWS = 10_000_000
#: row and column, from 0, and the successive values of a string
_String = tuple[int, int, np.ndarray]


def read_op4(path: Path) -> MatrixFile:
    """Read all real square matrices of a file; others are passed over."""
    data = path.read_bytes()
    binary = any(int.from_bytes(data[:4], order) in _WORDS for order in ("little", "big"))  # type: ignore[arg-type]
    matrices = _read_binary(path, data) if binary else _read_text(path, data.decode("latin-1"))
    if not matrices:
        raise FileError(f"{path} holds no real square matrix")
    return MatrixFile(matrices)


def _name(field: str) -> str:
    """Return a name; where words have 8 bytes, it is stored as two words of four letters."""
    return field.replace("\0", "").replace(" ", "")


def _matrix(strings: list[_String], n: int) -> scipy.sparse.csr_array:
    """Return a square matrix of its strings."""
    if n > _MAX_ROWS:
        raise ValueError(f"a matrix has {n} rows")
    rows = [row + np.arange(len(values)) for row, _, values in strings]
    columns = [np.full(len(values), column) for _, column, values in strings]
    values = [values for _, _, values in strings]
    first, second, third = (np.concatenate([np.empty(0), *parts]) for parts in (rows, columns, values))
    return mirrored(sparse(first.astype(np.int64), second.astype(np.int64), third, n))


# ---- binary --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Numbers:
    """The numbers of a binary matrix: order of bytes, bytes of a word, type of Nastran (odd: single precision)."""

    order: str
    word: int
    kind: int = 0

    def whole(self, data: bytes, at: int, count: int) -> list[int]:
        return np.frombuffer(data, f"{self.order}i{self.word}", count, at).tolist()

    def reals(self, data: bytes, at: int, words: int) -> np.ndarray:
        size = self.word if self.kind % 2 else 8
        return np.frombuffer(data, f"{self.order}f{size}", words * self.word // size, at).astype(float)


def _read_binary(path: Path, data: bytes) -> dict[str, scipy.sparse.csr_array]:
    matrices = {}
    try:
        order = "<" if int.from_bytes(data[:4], "little") in _WORDS else ">"
        records = _records(data, order)
        for header in records:
            if len(header) not in _WORDS:
                raise ValueError(f"a header has {len(header)} bytes")
            word = _WORDS[len(header)]
            columns, rows, _, kind = _Numbers(order, word).whole(header, 0, 4)
            name = _name(header[4 * word :].decode("ascii"))
            strings = list(_strings(records, _Numbers(order, word, kind), columns, rows < 0))
            if kind in REAL and columns == abs(rows):
                matrices[name] = _matrix(strings, columns)
    except (ValueError, struct.error) as error:
        raise FileError(f"{path}: this is not a complete OUTPUT4 file ({error}); write it again") from None
    return matrices


def _records(data: bytes, order: str) -> Iterator[bytes]:
    """Yield the records of Fortran: their length stands before and after each."""
    at = 0
    while at < len(data):
        (length,) = struct.unpack(f"{order}i", data[at : at + 4])
        end = at + 4 + length
        if length < 0 or data[at : at + 4] != data[end : end + 4]:
            raise ValueError(f"the record at byte {at} is cut or damaged")
        yield data[at + 4 : end]
        at = end + 4


def _strings(records: Iterator[bytes], numbers: _Numbers, columns: int, big: bool) -> Iterator[_String]:
    """Yield the strings of a matrix."""
    word = numbers.word
    for record in records:
        column, row, count = numbers.whole(record, 0, 3)
        if not 1 <= column <= columns + 1:
            raise ValueError(f"there is no column {column}")
        if column > columns:
            return
        at = 3 * word
        if row > 0:
            yield row - 1, column - 1, numbers.reals(record, at, count)
            continue
        end = at + count * word
        while at < end:
            if big:
                length, row = numbers.whole(record, at, 2)
            else:
                length, row = divmod(numbers.whole(record, at, 1)[0], 65536)
            if length < 1:
                raise ValueError(f"a string of column {column} has {length - 1} words")
            at += (1 + big) * word
            yield row - 1, column - 1, numbers.reals(record, at, length - 1)
            at += (length - 1) * word
    raise ValueError("it ends before its last record")


# ---- text ----------------------------------------------------------------------------------------------------


def _read_text(path: Path, text: str) -> dict[str, scipy.sparse.csr_array]:
    lines = _Lines(text.splitlines())
    matrices = {}
    try:
        while lines.left():
            columns, rows, kind, name = lines.header()
            strings = list(lines.strings(columns, 1 if kind % 2 else 2, rows < 0))
            if kind in REAL and columns == abs(rows):
                matrices[name] = _matrix(strings, columns)
    except (ValueError, IndexError) as error:
        place = f"line {min(lines.at + 1, len(lines.all))}"
        raise FileError(
            f"{path}, {place}: this is not a complete OUTPUT4 text file ({error}); write it again"
        ) from None
    return matrices


class _Lines:
    """The lines of a text file, read one after the other; headers say how wide integers and numbers are."""

    def __init__(self, lines: list[str]) -> None:
        self.all, self.at = lines, 0
        self._per_line, self._width = 5, 16

    def left(self) -> bool:
        """Return whether anything is left."""
        return any(line.strip() for line in self.all[self.at : self.at + 3])

    def _next(self) -> str:
        self.at += 1
        return self.all[self.at - 1]

    def header(self) -> tuple[int, int, int, str]:
        """Return the columns, rows and type of a matrix, and its name."""
        line = self._next().rstrip()
        wide = 16 if line.endswith("|I16") else 8
        start = 2 * wide
        columns, rows = int(line[:wide]), int(line[wide:start])
        kind, name = int(line[start + 8 : start + 16]), line[start + 16 : start + 24]
        layout = re.search(r"(\d+)[ED](\d+)\.\d+", line[start + 24 :].upper())
        self._per_line, self._width = (int(layout[1]), int(layout[2])) if layout else (5, 16)
        return columns, rows, kind, _name(name)

    def strings(self, columns: int, words: int, big: bool) -> Iterator[_String]:
        """Yield the strings of a matrix whose numbers have ``words`` words."""
        while True:
            line = self._next()
            column, row, count = (int(line[8 * k : 8 * k + 8]) for k in range(3))
            if not 1 <= column <= columns + 1:
                raise ValueError(f"there is no column {column}")
            if column > columns:
                self._next()
                return
            if row > 0:
                yield row - 1, column - 1, self._reals(count)
                continue
            while count > 0:
                head = self._next().split()
                length, row = (int(head[0]), int(head[1])) if big else divmod(int(head[0]), 65536)
                count -= length + big
                yield row - 1, column - 1, self._reals((length - 1) // words)

    def _reals(self, count: int) -> np.ndarray:
        found: list[float] = []
        while len(found) < count:
            line = self._next().rstrip()[: self._per_line * self._width]
            found += [real(line[k : k + self._width].strip()) for k in range(0, len(line), self._width)]
        if len(found) > count:
            raise ValueError(f"{len(found)} numbers stand where {count} are announced")
        return np.array(found)

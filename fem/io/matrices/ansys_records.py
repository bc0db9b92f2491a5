"""Records of ANSYS' binary files.

Ansys Programmer's Reference, 1.1 "Understanding the format of binary files": a record is a word of 4 bytes with its
length in words, a word of flags, the data, and the length again. Places are counted in words from the start of the
file. The flags say whether the data are integers, of short type, compressed, or without their zeros: by a word whose
bits tell the items that are stored (at most 32), or in windows of successive items.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from ...common.errors import FileError

#: flags in the highest byte of the second word
_INTEGERS, _SHORT, _COMPRESSED, _WINDOWS, _BITS = 0x80, 0x40, 0x20, 0x10, 0x08
#: items of the header that each file begins with
_FIRST = 100


class Records:
    """The records of a binary file, read by their places; FileError names the record and its byte."""

    def __init__(self, path: Path) -> None:
        self.path, self.data = path, path.read_bytes()
        start = self.data[:4]
        self._order = ">" if int.from_bytes(start, "big") == _FIRST else "<"
        if self._order == "<" and int.from_bytes(start, "little") != _FIRST:
            raise FileError(
                f"{path} is not a binary file of ANSYS: it does not begin with its header of 100 integers"
            )

    def whole(self, place: int, what: str, counts: Collection[int] | None = None) -> tuple[np.ndarray, int]:
        """Return the integers of a record, and the place of the next one; it has one of the ``counts`` of items."""
        return self._read(place, what, counts, integers=True)

    def reals(self, place: int, what: str, counts: Collection[int] | None = None) -> tuple[np.ndarray, int]:
        """Return the numbers of a record, and the place of the next one; it has one of the ``counts`` of items."""
        return self._read(place, what, counts, integers=False)

    def _error(self, place: int, what: str, why: str) -> FileError:
        return FileError(
            f"{self.path}, byte {4 * place}: the record of {what} {why}; it is cut off or damaged"
        )

    def _read(
        self, place: int, what: str, counts: Collection[int] | None, integers: bool
    ) -> tuple[np.ndarray, int]:
        if place < 0 or 4 * place + 12 > len(self.data):
            raise self._error(place, what, f"lies outside the file of {len(self.data)} bytes")
        length, flags = (int(v) for v in np.frombuffer(self.data, f"{self._order}i4", 2, 4 * place))
        end = place + 2 + length
        if length < 0 or 4 * end + 4 > len(self.data):
            raise self._error(place, what, f"has {length} words, more than the file")
        if int(np.frombuffer(self.data, f"{self._order}i4", 1, 4 * end)[0]) != length:
            raise self._error(place, what, f"has {length} words at its start and another number at its end")
        kind = flags >> 24 & 0xFF
        if bool(kind & _INTEGERS) != integers:
            raise self._error(place, what, f"does not hold {'integers' if integers else 'real numbers'}")
        if kind & _COMPRESSED:
            raise FileError(
                f"{self.path}, byte {4 * place}: the record of {what} is compressed, which is not read; write the "
                "file again with /FCOMP,SUB,0"
            )
        size = (2 if kind & _SHORT else 4) if integers else (4 if kind & _SHORT else 8)
        item = np.dtype(f"{self._order}{'i' if integers else 'f'}{size}")
        content = self.data[4 * (place + 2) : 4 * end]
        try:
            values = self._values(content, kind, item, counts)
        except ValueError as error:
            raise self._error(place, what, str(error)) from None
        return values.astype(np.int64 if integers else np.float64), end + 1

    def _values(
        self, content: bytes, kind: int, item: np.dtype, counts: Collection[int] | None
    ) -> np.ndarray:
        if not kind & (_BITS | _WINDOWS):
            values = np.frombuffer(content, item, len(content) // item.itemsize)
            if counts is not None and item.itemsize < 4 and len(values) - 1 in counts:
                values = values[:-1]  # half a word that fills the record
            _check_count(len(values), counts)
            return values
        if len(content) < 8:
            raise ValueError("has no room for its number of items")
        count, second = (int(v) for v in np.frombuffer(content, f"{self._order}i4", 2))
        _check_count(count, counts)
        if kind & _BITS:
            if not 0 <= count <= 32:
                raise ValueError(f"tells {count} items by 32 bits")
            kept = np.flatnonzero([second >> k & 1 for k in range(count)])
            values = np.zeros(count, item)
            if 8 + len(kept) * item.itemsize > len(content):
                raise ValueError(f"is too short for {len(kept)} items")
            values[kept] = np.frombuffer(content, item, len(kept), 8)
            return values
        return self._windows(content, count, second, item)

    def _windows(self, content: bytes, count: int, windows: int, item: np.dtype) -> np.ndarray:
        """Return items of which only windows are stored: one item, several, or one value for all of a window."""
        if not 0 <= count <= len(self.data) * 32 or item.itemsize < 4:
            raise ValueError(f"has {count} items in windows of {item.itemsize} bytes")
        values = np.zeros(count, item)
        at = 8
        for _ in range(windows):
            start = self._word(content, at)
            at += 4
            if start > 0:  # a single item
                length = stored = 1
            else:
                start, length = -start, self._word(content, at)
                at += 4
                stored, length = (length, length) if length > 0 else (1, -length)
            if start + length > count or at + stored * item.itemsize > len(content):
                raise ValueError(f"has a window of {length} items at {start + 1}, beyond its {count} items")
            values[start : start + length] = np.frombuffer(content, item, stored, at)
            at += stored * item.itemsize
        return values

    def _word(self, content: bytes, at: int) -> int:
        if at + 4 > len(content):
            raise ValueError("is too short for its windows")
        return int(np.frombuffer(content, f"{self._order}i4", 1, at)[0])


def _check_count(count: int, counts: Collection[int] | None) -> None:
    if counts is not None and count not in counts:
        raise ValueError(f"has {count} items instead of {' or '.join(str(k) for k in sorted(set(counts)))}")

"""Numbers in sequence from the text or the binary data of a file, where each count is checked against what is left."""

from __future__ import annotations

import numpy as np

#: the largest whole number below which all are exact in double precision
_LARGEST_EXACT = 2**53


class Damage(ValueError):
    """What is wrong in a text, at the word ``at``, counted from 0."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


def _reals(words: list[bytes]) -> np.ndarray:
    """Return the numbers that words stand for; raise :class:`Damage` at the first word without one."""
    try:
        return np.array(words, dtype=float)
    except ValueError:
        for at, word in enumerate(words):
            try:
                float(word)
            except ValueError:
                text = word[:30].decode("latin-1")
                raise Damage(f"{text!r} stands where a number must be", at) from None
        raise


class Cursor:
    """Reader of numbers in sequence; :class:`ValueError` for a count that the data don't hold.

    Kinds of numbers: ``"i"`` integers of 4 bytes, ``"n"`` sizes and tags of ``size`` bytes, ``"d"`` reals.
    """

    def __init__(self, data: bytes, binary: bool, size: int) -> None:
        self._at = 0
        self._types = {"i": np.dtype("<i4"), "n": np.dtype(f"<u{size}"), "d": np.dtype("<f8")}
        self._binary = data if binary else None
        self._text = np.empty(0) if binary else _reals(data.split())

    def take(self, kind: str, count: int) -> np.ndarray:
        """Return the next ``count`` numbers."""
        if self._binary is not None:
            values = self.take_rows(self._types[kind], count)
            if kind == "n" and (values >> np.uint64(62)).any():
                raise ValueError(f"there is a size or a tag of {values.max()}")
            return values if kind == "d" else values.astype(np.int64)
        start = self._at
        self._check(count, self.left)
        values = self._text[start : start + count]
        self._at += count
        if kind == "d":
            return values
        wrong = ~((np.abs(values) < _LARGEST_EXACT) & (values == np.floor(values)))
        if wrong.any():
            at = start + int(np.flatnonzero(wrong)[0])
            raise Damage(f"{values[wrong][0]:.17g} stands where a whole number must be", at)
        return values.astype(np.int64)

    def take_rows(self, row: np.dtype, count: int) -> np.ndarray:
        """Return the next ``count`` rows of binary data."""
        assert self._binary is not None
        self._check(count, (len(self._binary) - self._at) // row.itemsize)
        values = np.frombuffer(self._binary, row, count, self._at)
        self._at += count * row.itemsize
        return values

    def integers(self, kind: str, count: int) -> list[int]:
        """Return the next ``count`` whole numbers as Python's, which can't overflow."""
        return [int(value) for value in self.take(kind, count)]

    @property
    def at(self) -> int | None:
        """Number of words of text that are read; None for binary data."""
        return self._at if self._binary is None else None

    @property
    def left(self) -> int:
        """How many numbers of text are left."""
        return len(self._text) - self._at

    def line(self) -> int:
        """Return the integer on a line of text, as gmsh 2.2 has it before its binary data."""
        if self._binary is None:
            return self.integers("i", 1)[0]
        end = self._binary.index(b"\n", self._at)
        number = int(self._binary[self._at : end])
        self._at = end + 1
        return number

    def end(self) -> None:
        """Check that nothing is left but white space."""
        rest = self.left if self._binary is None else len(self._binary[self._at :].strip())
        if rest:
            raise ValueError(f"{rest} {'numbers' if self._binary is None else 'bytes'} are left over")

    @staticmethod
    def _check(count: int, left: int) -> None:
        if count < 0:
            raise ValueError(f"there is a count of {count}")
        if count > left:
            raise ValueError(f"the file ends too early: {count} numbers are announced, {left} are left")

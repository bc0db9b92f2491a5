"""Blocks of stored states, and of texts, behind the end of an HDF5 file, compressed without loss.

A state is a row of m numbers. A block holds some rows, one column after the other. The 64 bits of a number are taken as
an integer, from which that of the number before it in its column is subtracted, modulo 2^64 and also across blocks.
Small differences of both signs become small integers without sign. The first bytes of all of them stand together, then
the second ones, and so on; zlib compresses them. A header gives the lengths and has a checksum of its own, so that a
wrong length is not taken for a block that was cut off.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np

#: mark, length of the data in bytes, number of states, CRC-32 of these two, and of these two and the data
_HEADER = struct.Struct("<8sQIII")
_MARK = b"fb block"
#: mark of a block that holds text, with the same header and 1 as its number of states
_TEXT = b"fb event"


def packed(rows: np.ndarray, before: np.ndarray) -> bytes:
    """Return the block of ``rows`` (n, m), which follow the row ``before`` (m,)."""
    columns = np.vstack((before, rows)).astype("<f8", copy=False).T.copy().view("<u8")
    changes = _folded(columns[:, 1:] - columns[:, :-1])
    data = zlib.compress(changes.view(np.uint8).reshape(-1, 8).T.tobytes(), 1)
    sizes = len(data), len(rows)
    return _HEADER.pack(_MARK, *sizes, _checksum_of(*sizes), _checksum(data, len(rows))) + data


def packed_text(text: str) -> bytes:
    """Return the block of a text."""
    data = text.encode()
    sizes = len(data), 1
    return _HEADER.pack(_TEXT, *sizes, _checksum_of(*sizes), _checksum(data, 1)) + data


def read_blocks(file: BinaryIO, m: int) -> tuple[np.ndarray, list[str], bool]:
    """Return the content of the blocks from the file's position on, and whether bytes are left that are no block.

    The content is the rows (n, m) of the states, and the texts. A block that was cut off at the end of the file is
    passed over.
    """
    found: list[np.ndarray] = []
    texts: list[str] = []
    before = np.zeros(m)
    while len(head := file.read(_HEADER.size)) == _HEADER.size:
        mark, length, n, of_sizes, checksum = _HEADER.unpack(head)
        if mark not in (_MARK, _TEXT) or of_sizes != _checksum_of(length, n):
            return _together(found, m), texts, True
        at = file.tell()
        if file.seek(0, 2) < at + length:
            break
        file.seek(at)
        data = file.read(length)
        if _checksum(data, n) != checksum:
            return _together(found, m), texts, True
        if mark == _TEXT:
            texts.append(data.decode())
            continue
        planes = np.frombuffer(zlib.decompress(data), np.uint8).reshape(8, m, n)
        changes = np.ascontiguousarray(np.moveaxis(planes, 0, -1)).view("<u8")[..., 0]
        changes = _unfolded(changes)
        changes[:, 0] += before.view("<u8")
        rows = np.cumsum(changes, axis=1, dtype="<u8").view("<f8").T
        found.append(rows)
        before = rows[-1].copy()
    return _together(found, m), texts, False


def _folded(x: np.ndarray) -> np.ndarray:
    """Return 0, 2, 4, ... for 0, 1, 2, ... and 1, 3, ... for -1, -2, ..., all modulo 2^64."""
    return (x << np.uint64(1)) ^ (x.view("<i8") >> np.int64(63)).view("<u8")


def _unfolded(x: np.ndarray) -> np.ndarray:
    return (x >> np.uint64(1)) ^ (np.uint64(0) - (x & np.uint64(1)))


def _together(found: list[np.ndarray], m: int) -> np.ndarray:
    return np.concatenate([np.zeros((0, m)), *found])


def _checksum_of(length: int, number: int) -> int:
    return zlib.crc32(struct.pack("<QQ", length, number))


def _checksum(data: bytes, number: int) -> int:
    return zlib.crc32(data, _checksum_of(len(data), number))


class LastStates:
    """A table (k, 2 + m) of the states behind the last block: number and checksum of each, then its numbers.

    The checksum covers the number, so that a row that is being written, or was left from an earlier block, is noticed.
    """

    def __init__(self, table: np.ndarray) -> None:
        self.table = table
        #: the rows of numbers
        self.rows = table[:, 2:]

    def put(self, k: int, number: int, row: np.ndarray) -> None:
        """Write a state into row ``k``."""
        self.rows[k] = row
        self.table[k, 0], self.table[k, 1] = number, _row_checksum(number, row)

    def following(self, n: int) -> np.ndarray:
        """Return the states (k, m) that follow the first n."""
        k = 0
        while k < len(self.table) and self.table[k, 0] == n + k:
            if self.table[k, 1] != _row_checksum(n + k, self.rows[k]):
                break
            k += 1
        return self.rows[:k]


def _row_checksum(number: int, row: np.ndarray) -> int:
    return _checksum(row.astype("<f8", copy=False).tobytes(), number)


def checksum_without(data: bytearray, places: Mapping[int, int]) -> int:
    """Return the checksum of bytes; those at ``places`` (length by offset), which change later, are set to zero."""
    for offset, length in places.items():
        data[offset : offset + length] = bytes(length)
    return zlib.crc32(data)

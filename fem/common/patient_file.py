"""A file for HDF5 that takes every write, and keeps the error of the first that failed.

HDF5 does not survive a write that fails, as on a full disk: it can't close the file, tries again at each turn, prints
its stack, and ends the process at last.
"""

from __future__ import annotations

import io
from pathlib import Path


class PatientFile:
    """An existing file, open to read and write; ``error`` is the first error of a write, None if there was none.

    What could not be written is kept in memory, so that HDF5 reads back what it wrote.
    """

    def __init__(self, path: Path) -> None:
        self.error: OSError | None = None
        self._file = path.open("r+b", buffering=0)
        self._kept: list[tuple[int, bytes]] = []
        self._at = 0
        self._end = self._file.seek(0, io.SEEK_END)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to an offset from the beginning or from the end."""
        self._at = offset + (self._end if whence == io.SEEK_END else 0)
        return self._at

    def tell(self) -> int:
        """Return the position, bytes."""
        return self._at

    def write(self, data: bytes) -> int:
        """Write all of ``data``."""
        rest = memoryview(data).cast("B")
        at, size = self._at, len(rest)
        if self.error is None:
            try:
                self._file.seek(at)
                while rest:
                    done = self._file.write(rest) or 0
                    rest, at = rest[done:], at + done
            except OSError as error:
                self.error = error
        if rest:
            self._kept.append((at, bytes(rest)))
        self._at += size
        self._end = max(self._end, self._at)
        return size

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes from the position on."""
        target = bytearray(size)
        self.readinto(memoryview(target))
        return bytes(target)

    def readinto(self, target: memoryview) -> int:
        """Fill ``target`` from the position on; zeros where nothing was written."""
        begin = self._at
        self._file.seek(begin)
        got = self._file.readinto(target) or 0
        target[got:] = bytes(len(target) - got)
        for at, piece in self._kept:
            first, last = max(at, begin), min(at + len(piece), begin + len(target))
            if first < last:
                target[first - begin : last - begin] = piece[first - at : last - at]
        self._at += len(target)
        return len(target)

    def truncate(self, size: int) -> int:
        """Set the size, bytes."""
        if self.error is None:
            try:
                self._file.truncate(size)
            except OSError as error:
                self.error = error
        self._end = size
        return size

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Close the file."""
        self._file.close()

"""Atomic, self-describing HDF5 files with a checksum of the whole file.

The checksum stands behind the end of the HDF5 file, where HDF5 ignores it: SHA-256 over all bytes before. Programs that
change the file remove it, and files without a checksum are read too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import FileError
from .files import new_file
from .patient_file import PatientFile

if TYPE_CHECKING:
    import h5py

#: endings of the names of these files
ENDINGS = (".h5", ".hdf5")
#: what stands before the checksum at the end of a file
_MARK = b"flexbody sha256:"


@contextmanager
def writing(path: str | os.PathLike, kind: str, version: int, *, sealed: bool = True) -> Iterator[h5py.File]:
    """Open a new file that takes its name only once it is complete.

    ``kind`` ("reduced body", "result") and ``version`` of the schema go into the root's attributes, with the
    program's name and the time. An interrupt or an error leaves nothing behind, and an older file untouched. A file
    that is not ``sealed`` has no checksum: it will change later.
    """
    with new_file(path) as partial:
        target = PatientFile(partial)
        try:
            with _new(target) as file:
                file.attrs["program"] = "flexbody"
                file.attrs["kind"] = kind
                file.attrs["schema_version"] = version
                file.attrs["units"] = "SI (m, kg, s, rad, N)"
                file.attrs["written"] = datetime.now(UTC).isoformat(timespec="seconds")
                yield file
        finally:
            target.close()
        if target.error is not None:
            raise target.error
        if sealed:
            _seal(partial)


def _seal(path: Path) -> None:
    """Append the checksum."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    with path.open("ab") as file:
        file.write(_MARK + digest)


def _check_seal(path: Path) -> None:
    """Raise :class:`FileError` if a file has a checksum and its bytes are not those that were written."""
    with path.open("rb") as file:
        size = max(file.seek(0, os.SEEK_END) - len(_MARK) - 32, 0)
        file.seek(size)
        tail = file.read()
        at, digest = tail.find(_MARK), tail[len(_MARK) :]
        if at > 0 or any(tail.endswith(_MARK[:k]) for k in range(4, len(_MARK))):
            raise FileError(f"{path} is damaged: it was cut off; write it again, or take a copy")
        if at < 0:
            return
        file.seek(0)
        found = hashlib.sha256()
        while size and (piece := file.read(min(size, 2**20))):
            found.update(piece)
            size -= len(piece)
    if found.digest() != digest:
        raise FileError(
            f"{path} is damaged: its bytes are not those that were written (SHA-256); write it again, or take a copy"
        )


def _new(target: PatientFile) -> h5py.File:
    """Open an empty file in which everything lies at multiples of 8 bytes, so that arrays can be mapped into memory."""
    import h5py

    return h5py.File(target, "w", alignment_threshold=1, alignment_interval=8)


@contextmanager
def reading(path: str | os.PathLike, kind: str, version: int, oldest: int = 0) -> Iterator[h5py.File]:
    """Open a file written by :func:`writing`; a foreign, damaged, newer or too old file raises :class:`FileError`.

    ``oldest``: the first version that can be read.
    """
    import h5py

    path = Path(path)
    if not path.is_file():
        what = "is a folder; name a file in it" if path.is_dir() else "does not exist"
        raise FileError(f"there is no file {path}: it {what}")
    try:
        _check_seal(path)
        file = h5py.File(path, "r")
    except OSError as error:
        why = f" ({os.strerror(error.errno)})" if error.errno else ""
        raise FileError(
            f"{path} is not an HDF5 file, or is damaged or cut off{why}; write it again"
        ) from None
    with file:
        try:
            _check_kind(file, path, kind, version, oldest)
            yield file
        except (KeyError, OSError, RuntimeError) as error:  # whatever h5py finds in a damaged file
            raise FileError(f"{path} is incomplete or damaged ({error}); write it again") from None


def _check_kind(file: h5py.File, path: Path, kind: str, version: int, oldest: int) -> None:
    if file.attrs.get("program") != "flexbody" or file.attrs.get("kind") != kind:
        found = file.attrs.get("kind", "something else")
        raise FileError(f"{path} does not hold a flexbody {kind}, but {found}")
    found = int(file.attrs.get("schema_version", 0))
    if found > version:
        raise FileError(
            f"{path} has schema version {found}, this program reads up to {version}; install a newer flexbody"
        )
    if found < oldest:
        raise FileError(
            f"{path} has schema version {found} of an earlier flexbody, this program reads from {oldest} on; write it "
            "again with this program"
        )

"""Atomic, self-describing HDF5 files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import FileError
from .files import new_file

if TYPE_CHECKING:
    import h5py


@contextmanager
def writing(path: str | os.PathLike, kind: str, version: int) -> Iterator[h5py.File]:
    """Open a new file that takes its name only once it is complete.

    ``kind`` ("reduced body", "result") and ``version`` of the schema go into the root's attributes, with the
    program's name and the time. An interrupt or an error leaves nothing behind, and an older file untouched.
    """
    with new_file(path) as partial, _new(partial) as file:
        file.attrs["program"] = "flexbody"
        file.attrs["kind"] = kind
        file.attrs["schema_version"] = version
        file.attrs["units"] = "SI (m, kg, s, rad, N)"
        file.attrs["written"] = datetime.now(UTC).isoformat(timespec="seconds")
        yield file


def _new(path: Path) -> h5py.File:
    """Open an empty file in which everything lies at multiples of 8 bytes, so that arrays can be mapped into memory."""
    import h5py

    return h5py.File(path, "w", alignment_threshold=1, alignment_interval=8)


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
        file = h5py.File(path, "r")
    except OSError as error:
        raise FileError(f"{path} is not an HDF5 file, or is damaged ({error}); write it again") from None
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

"""Atomic, self-describing HDF5 files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import h5py

from .errors import FileError


@contextmanager
def writing(path: str | os.PathLike, kind: str, version: int) -> Iterator[h5py.File]:
    """Open a new file that takes its name only once it is complete.

    ``kind`` ("reduced body", "result") and ``version`` of the schema go into the root's attributes, with the
    program's name and the time. An interrupt or an error leaves nothing behind, and an older file untouched.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileError(f"can't write {path}: the folder {path.parent} does not exist; make it first")
    handle, partial = tempfile.mkstemp(prefix=path.name, suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        with h5py.File(partial, "w") as file:
            file.attrs["program"] = "flexbody"
            file.attrs["kind"] = kind
            file.attrs["schema_version"] = version
            file.attrs["units"] = "SI (m, kg, s, rad, N)"
            file.attrs["written"] = datetime.now(UTC).isoformat(timespec="seconds")
            yield file
        os.chmod(partial, 0o644)
        os.replace(partial, path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


@contextmanager
def reading(path: str | os.PathLike, kind: str, version: int) -> Iterator[h5py.File]:
    """Open a file written by :func:`writing`; a foreign, damaged or newer file raises :class:`FileError`."""
    path = Path(path)
    if not path.is_file():
        raise FileError(f"there is no file {path}")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise FileError(f"{path} is not an HDF5 file, or is damaged ({error}); write it again") from None
    with file:
        if file.attrs.get("program") != "flexbody" or file.attrs.get("kind") != kind:
            found = file.attrs.get("kind", "something else")
            raise FileError(f"{path} does not hold a flexbody {kind}, but {found}")
        if int(file.attrs["schema_version"]) > version:
            raise FileError(
                f"{path} has schema version {file.attrs['schema_version']}, this program reads up to {version}; "
                "install a newer flexbody"
            )
        try:
            yield file
        except (KeyError, OSError) as error:
            raise FileError(f"{path} is incomplete or damaged ({error}); write it again") from None

"""Files that appear under their name only once they are complete."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import FileError, called


def path_of(path: str | os.PathLike) -> Path:
    """Return a file's name as a path; :class:`FileError` if it is not the name of a file."""
    try:
        return Path(path)
    except TypeError:
        raise FileError(
            f"{called(path)} is not the name of a file; give a string such as 'run.h5', or a Path"
        ) from None


@contextmanager
def new_file(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, with its ending; after the block it takes the name ``path``.

    An error or an interrupt inside the block removes the temporary file and leaves an older ``path``
    as it was. Raises :class:`FileError` before the block runs if the file can't be made there.
    """
    path = path_of(path)
    try:
        if path.is_dir():
            raise FileError(f"can't write {path}: it is a folder; give the name of a file")
        if not path.parent.is_dir():
            raise FileError(f"can't write {path}: the folder {path.parent} does not exist; make it first")
    except OSError as error:  # a name that is too long
        raise FileError(f"can't write {path}: {error.strerror or error}") from error
    partial = path.with_name(f".{path.stem}-{secrets.token_hex(4)}.part{path.suffix}")
    try:
        partial.open("xb").close()
        yield partial
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise FileError(f"can't write {path}: {error.strerror or error}") from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise

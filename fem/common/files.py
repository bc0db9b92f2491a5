"""Files that appear under their name only once they are complete."""

from __future__ import annotations

import math
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .errors import FileError, InputError, called
from .numbers import shown


def path_of(path: str | os.PathLike) -> Path:
    """Return a file's name as a path; :class:`FileError` if no file can have that name."""
    try:
        found = Path(path)
        found.exists()
        return found
    except OSError as error:  # a name that is too long, a folder that may not be read
        raise FileError(f"there can't be a file {shown(str(path))}: {error.strerror or error}") from None
    except TypeError:
        raise FileError(
            f"{called(path)} is not the name of a file; give a string such as 'run.h5', or a Path"
        ) from None


def decoded(data: bytes) -> str:
    """Return bytes of a file as text: UTF-8 if they are, else Latin-1, which all bytes are. All line ends are alike."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_place(path: str | os.PathLike) -> None:
    """Raise :class:`FileError` if a file can't be written to ``path``; nothing is changed there.

    Long work that ends in a file begins with this check. A missing folder is an error: it is never made.
    """
    _begun(path_of(path)).unlink(missing_ok=True)


def check_file(path: str | os.PathLike | None, endings: Sequence[str], what: str = "") -> None:
    """Raise an error if a file can't be written to this path or with its ending; None is permitted.

    ``what`` is the kind of file with an article, in the message.
    """
    if path is None:
        return
    if (given := path_of(path)).suffix.lower() not in endings and not given.is_dir():
        target = f"{what} to {path}" if what else str(path)
        example = f", as in {given.stem}{endings[0]}" if given.stem else ""
        raise InputError(f"can't write {target}: the ending must be one of {', '.join(endings)}{example}")
    check_place(path)


def check_folder(folder: str | os.PathLike) -> None:
    """Raise :class:`FileError` if files can't be written into ``folder``; a missing one is never made."""
    folder = path_of(folder)
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is a file; give a folder")
    if not folder.exists():
        raise FileError(f"the folder {folder} does not exist; make it first")
    try:
        _begun(folder / "file").unlink(missing_ok=True)
    except FileError as error:
        reason = getattr(error.__cause__, "strerror", None) or error
        raise FileError(f"can't write into the folder {folder}: {reason}") from error


def check_room(path: Path, size: float, mend: str, copies: int = 1) -> None:
    """Raise :class:`FileError` if a file of ``size`` bytes, or some copies of it, can't be written at ``path``.

    That is if the disk has no room for them, or the system permits no file of that size (``ulimit -f``). ``mend`` says
    what else helps.
    """
    folder, needed = path.absolute().parent, copies * size
    if size > (largest := _largest_file()):
        raise FileError(
            f"{path} needs about {_size(size)}, and the system permits files up to {_size(largest)} here (ulimit -f); "
            f"raise this limit, or {mend}"
        )
    try:
        free = shutil.disk_usage(folder)[2]
    except OSError:  # some network disks don't say
        return
    if needed > free:
        raise FileError(
            f"{path} needs about {_size(needed)}, and {folder} has {_size(free)} free; free space, or {mend}"
        )


def _largest_file() -> float:
    """Return the size of the largest file that this process may write, bytes."""
    if os.name != "posix":
        return math.inf
    import resource

    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return math.inf if limit == resource.RLIM_INFINITY else limit


def _size(count: float) -> str:
    return f"{count / 1e9:.3g} GB" if count >= 1e9 else f"{count / 1e6:.3g} MB"


@contextmanager
def new_file(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, with its ending; after the block it takes the name ``path``.

    An error or an interrupt inside the block removes the temporary file and leaves an older ``path``
    as it was. Raises :class:`FileError` before the block runs if the file can't be made there.
    """
    path = path_of(path)
    partial = _begun(path)
    try:
        yield partial
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise FileError(f"can't write {path}: {error.strerror or error}") from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _begun(path: Path) -> Path:
    """Return a new empty file beside ``path``, with its ending; :class:`FileError` if it can't be made."""
    try:
        if path.is_dir():
            raise FileError(f"can't write {path}: it is a folder; give the name of a file")
        if not path.parent.is_dir():
            raise FileError(f"can't write {path}: the folder {path.parent} does not exist; make it first")
        partial = path.with_name(f".{path.stem}-{secrets.token_hex(4)}.part{path.suffix}")
        partial.open("xb").close()
    except FileError:
        raise
    except (OSError, ValueError) as error:  # a name that is too long, a folder without permission
        raise FileError(f"can't write {path}: {getattr(error, 'strerror', None) or error}") from error
    return partial

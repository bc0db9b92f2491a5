"""A lock on the store of a study: two runs at once would compute the same variants twice."""

from __future__ import annotations

import contextlib
import errno
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from fem.common.errors import FileError

#: file inside the store that a run locks, where Zarr does not look for arrays; the system frees it when the process
#: ends, however it ends
LOCK = "status/.lock"
#: errors of the system that say that another process holds the lock; others say that its disk has no locks
HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


@contextlib.contextmanager
def locked(store: Path) -> Iterator[None]:
    """Hold the lock of a store during a block.

    Raises
    ------
    fem.FileError
        Another run holds it.
    """
    with (store / LOCK).open("ab") as file:
        try:
            _lock(file)
        except OSError as error:
            if error.errno in HELD:
                raise FileError(
                    f"another run writes to {store}; wait for its end and run the study again, or give this one "
                    "another store"
                ) from None
        yield


def _lock(file: IO[bytes]) -> None:
    """Lock a file, or raise OSError at once."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

"""Whether the files of a store are whole: each piece has a checksum, which is verified before a study goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.errors import FileError

if TYPE_CHECKING:
    import zarr

#: what the status of a variant says
TO_DO, DONE, FAILED = 0, 1, 2
#: names of variables of the group that are no quantities
OWN_NAMES = ("status", "error", "warnings", "seconds")


def check_whole(path: Path, group: zarr.Group) -> None:
    """Raise :class:`fem.FileError` if a piece of a store is damaged or missing, with the files to remove.

    Pieces of batches without a status are left out: they are written again.
    """
    batch = int(group.attrs["about"]["batch"])  # type: ignore[index, arg-type, call-overload]
    columns = str(group.attrs["coordinates"]).split()
    others = {one.name for one in path.iterdir() if one.is_dir() and not one.name.startswith(".")}
    status = np.zeros(0)
    for name in ("status", *sorted({*columns, *OWN_NAMES[1:], *others} - {"status"})):
        try:
            array: Any = group[name]
        except Exception as error:  # zarr raises many kinds
            raise _lost(path, name, "description", error) from None
        try:
            values = np.asarray(array[...])
        except Exception as error:
            if name in columns:
                raise _lost(path, name, "values", error) from None
            if (k := _first_damaged(array, batch, status)) is not None:
                raise _piece(path, name, k, batch, "damaged") from None
            continue
        if name == "status":
            status = values
        elif name in columns and not _has_piece(path, name, 0):
            raise _lost(path, name, "values", None)
        elif name not in (*columns, *OWN_NAMES):
            for k in np.unique(np.flatnonzero(status == DONE) // batch):
                if not _has_piece(path, name, k):
                    raise _piece(path, name, k, batch, "missing")


def _first_damaged(array: Any, batch: int, status: np.ndarray) -> int | None:
    """Return the number of the first batch with a status (without one: of any) that can't be read, or None."""
    for k, start in enumerate(range(0, array.shape[0], batch)):
        if len(status) and not status[start : start + batch].any():
            continue
        try:
            array[start : start + batch]
        except Exception:
            return k
    return None


def _has_piece(path: Path, name: str, k: int) -> bool:
    return (path / name / "c" / str(k)).exists()


def _piece(path: Path, name: str, k: int, batch: int, what: str) -> FileError:
    pieces = [str(path / one / "c" / str(k)) for one in dict.fromkeys(("status", name))]
    which = f"variant {k}" if batch == 1 else f"variants {k * batch} to {(k + 1) * batch - 1}"
    return FileError(
        f"{path}: the values of {name!r} of {which} are {what}; remove {' and '.join(pieces)}, and the next run "
        "computes them again"
    )


def _lost(path: Path, name: str, what: str, error: Exception | None) -> FileError:
    how = "missing" if error is None else f"damaged ({type(error).__name__})"
    return FileError(f"{path}: {what} of {name!r}: {how}; take the store from a copy, or remove it")

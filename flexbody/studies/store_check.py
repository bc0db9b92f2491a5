"""Whether the files of a store are whole: each piece has a checksum, which is verified before a study goes on.

Zarr gives each piece of values its checksum. The descriptions (``zarr.json``: shapes, units, fingerprints) have none in
its format: theirs is one of their attributes.
"""

from __future__ import annotations

import json
import os
import zlib
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
#: versions of the layout whose descriptions have no checksums
UNSEALED = (1,)
#: attribute of a description with the checksum of all else in it
CHECKSUM = "checksum"


def seal(description: Path) -> None:
    """Give a description, a file ``zarr.json``, its checksum; nothing else in it changes."""
    content = json.loads(description.read_bytes())
    content["attributes"] = {**content.get("attributes", {}), CHECKSUM: _checksum(content)}
    part = description.with_suffix(".part")
    part.write_text(json.dumps(content, indent=2), encoding="utf-8")
    os.replace(part, description)


def is_sealed(description: Path) -> bool:
    """Return whether a description is as it was when it got its checksum."""
    try:
        content = json.loads(description.read_bytes())
        return bool(content["attributes"][CHECKSUM] == _checksum(content))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _checksum(content: dict[str, Any]) -> int:
    """Return the checksum of a description, of which its order and spaces are no part."""
    attributes = {name: value for name, value in content.get("attributes", {}).items() if name != CHECKSUM}
    return zlib.crc32(json.dumps({**content, "attributes": attributes}, sort_keys=True).encode())


def check_whole(path: Path, group: zarr.Group) -> None:
    """Raise :class:`fem.FileError` if a piece of a store is damaged or missing, with the files to remove.

    Pieces of batches without a status are left out: they are written again.
    """
    found = group.attrs.asdict()
    sealed = CHECKSUM in found or found.get("schema_version") not in UNSEALED
    if sealed and not is_sealed(path / "zarr.json"):
        raise _lost(path, path.name, "description", FileError("other than it was written"))
    batch = int(group.attrs["about"]["batch"])  # type: ignore[index, arg-type, call-overload]
    columns = str(group.attrs["coordinates"]).split()
    others = {one.name for one in path.iterdir() if one.is_dir() and not one.name.startswith(".")}
    status = np.zeros(0)
    for name in ("status", *sorted({*columns, *OWN_NAMES[1:], *others} - {"status"})):
        try:
            array: Any = group[name]
        except Exception as error:  # zarr raises many kinds
            raise _lost(path, name, "description", error) from None
        if sealed and not is_sealed(path / name / "zarr.json"):
            raise _lost(path, name, "description", FileError("other than it was written"))
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

"""Groups, arrays and attributes of HDF5 files in the form that all files of flexbody have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py

#: attribute of an empty array: where its numbers begin in the rows of numbers that stand elsewhere
FIRST_COLUMN = "first_column"
#: whether zeros that were never written take no room on the disk
HOLES = os.name == "posix"


def put(group: h5py.Group, name: str, values: np.ndarray, units: str) -> None:
    """Write an array with its unit; arrays that are not empty have a checksum."""
    guarded = {"compression": "gzip", "shuffle": True, "fletcher32": True} if np.size(values) else {}
    group.create_dataset(name, data=values, **guarded).attrs["units"] = units


def entries(file: h5py.File, kind: str, items) -> Iterator[tuple[h5py.Group, Any]]:
    """Create one group for each named object, numbered in the order of the system."""
    parent = file.create_group(kind, track_order=True)
    for number, item in enumerate(items):
        group = _named(parent, item.name)
        group.attrs["number"] = number
        yield group, item


def _named(parent: h5py.Group, name: str) -> h5py.Group:
    group = parent.create_group(free_name(parent, name))
    group.attrs["name"] = name
    return group


def free_name(parent: h5py.Group, name: str) -> str:
    """Return an unused name for a new entry that HDF5 accepts: without slashes, and not of dots alone."""
    key = name.replace("/", "|")
    key = f"|{key}" if set(key) <= {"."} else key
    while key in parent:
        key += "'"
    return key


def groups(parent: h5py.Group) -> list[tuple[str, h5py.Group]]:
    """Return names and groups in the order of the system."""
    groups = sorted(parent.values(), key=lambda group: int(group.attrs["number"]))
    return [(str(group.attrs["name"]), group) for group in groups]


def note(group: h5py.Group, **values) -> None:
    """Write values that are not None as attributes."""
    for name, value in values.items():
        if value is not None:
            group.attrs[name] = (
                value if isinstance(value, str | float | int) else np.asarray(value, dtype=float)
            )


def noted(group: h5py.Group, *names: str) -> dict[str, Any]:
    """Return the attributes that exist, with Python numbers."""
    found = {name: group.attrs[name] for name in names if name in group.attrs}
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in found.items()}


def rows_to_come(group: h5py.Group, name: str, shape: tuple[int, ...], column: int) -> h5py.Dataset:
    """Create an empty array of rows with this shape; its numbers stand elsewhere, from this column on."""
    array = group.create_dataset(name, shape=(0, *shape), dtype="<f8")
    array.attrs[FIRST_COLUMN] = column
    return array


def fill(file: h5py.File, rows: np.ndarray) -> None:
    """Replace the arrays of :func:`rows_to_come` by their columns of ``rows`` (n, m)."""
    empty: list[h5py.Dataset] = []
    file.visititems(lambda _, item: empty.append(item) if FIRST_COLUMN in item.attrs else None)
    for array in empty:
        name, shape, kept = array.name, array.shape[1:], dict(array.attrs)
        column = int(kept.pop(FIRST_COLUMN))
        del file[name]
        values = rows[:, column : column + int(np.prod(shape))].reshape(len(rows), *shape)
        file.create_dataset(name, data=values).attrs.update(kept)


def allocated(group: h5py.Group, name: str, shape: tuple[int, ...]) -> int:
    """Create an array of zeros with its final place in the file; return its offset, bytes.

    Where files may have holes it takes no room on the disk yet: :func:`make_room`.
    """
    import h5py

    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER if HOLES else h5py.h5d.FILL_TIME_ALLOC)
    space = h5py.h5s.create_simple(shape)
    made = h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, properties)
    return made.get_offset() or 0


def make_room(file: int, offset: int, size: int) -> None:
    """Make room on the disk for ``size`` bytes of an open file that are not used yet; OSError if there is none."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, offset, size)
    elif HOLES:
        os.pwrite(file, bytes(size), offset)

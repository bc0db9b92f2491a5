"""Groups, arrays and attributes of HDF5 files, as all of our files have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py


def put(group: h5py.Group, name: str, values: np.ndarray, units: str) -> None:
    """Write an array; a checksum guards what is not empty."""
    guarded = {"compression": "gzip", "shuffle": True, "fletcher32": True} if np.size(values) else {}
    group.create_dataset(name, data=values, **guarded).attrs["units"] = units


def entries(file: h5py.File, kind: str, items) -> Iterator[tuple[h5py.Group, Any]]:
    """Make one group for each named thing, numbered in the system's order."""
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
    """Return ``name`` as HDF5 takes it for a new entry: without slashes, not made of dots alone, not used."""
    key = name.replace("/", "|")
    key = f"|{key}" if set(key) <= {"."} else key
    while key in parent:
        key += "'"
    return key


def groups(parent: h5py.Group) -> list[tuple[str, h5py.Group]]:
    """Names and groups in the system's order."""
    groups = sorted(parent.values(), key=lambda group: int(group.attrs["number"]))
    return [(str(group.attrs["name"]), group) for group in groups]


def note(group: h5py.Group, **values) -> None:
    """Write what is not None as attributes."""
    for name, value in values.items():
        if value is not None:
            group.attrs[name] = (
                value if isinstance(value, str | float | int) else np.asarray(value, dtype=float)
            )


def noted(group: h5py.Group, *names: str) -> dict[str, Any]:
    """Read attributes that are there, numbers as Python's own."""
    found = {name: group.attrs[name] for name in names if name in group.attrs}
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in found.items()}


def allocated(group: h5py.Group, name: str, shape: tuple[int, ...]) -> int:
    """Make an array of zeros that has its place in the file at once; return where it begins, bytes."""
    import h5py

    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    properties.set_fill_time(h5py.h5d.FILL_TIME_ALLOC)  # a disk that is too small says so now
    space = h5py.h5s.create_simple(shape)
    made = h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, properties)
    return made.get_offset() or 0

"""Named sets of nodes and elements, in any form that a user gives, as sorted numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..common.errors import MeshError


def sets_of(given: Mapping[str, Any], count: int, what: str, mesh: str) -> dict[str, np.ndarray]:
    """Return sets by name as ascending, unique, read-only numbers below ``count``.

    A set may come as any sequence, Python set or array of whole numbers, or as a mask, (count,) booleans. ``what``
    is "node" or "element", ``mesh`` the mesh's name, for the message. Raises :class:`MeshError` for sets without
    members, and for members that don't exist or are not whole numbers.
    """
    if not isinstance(given, Mapping):
        raise MeshError(
            f"mesh {mesh!r}: {what}_sets= must be a dictionary {{name: numbers}}, not {type(given).__name__}"
        )
    return {name: _members(name, value, count, what, mesh) for name, value in given.items()}


def _members(name: str, value: Any, count: int, what: str, mesh: str) -> np.ndarray:
    where = f"{what} set {name!r} of mesh {mesh!r}"
    if not isinstance(name, str):
        raise MeshError(f"{where}: the name of a set must be text")
    if _normal(value, count):
        return value
    try:
        array = np.asarray(sorted(value) if isinstance(value, set | frozenset) else value)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype == bool:
        if array.shape != (count,):
            raise MeshError(
                f"{where} is a mask of shape {array.shape}; it needs one value for each {what}, ({count},)"
            )
        array = np.flatnonzero(array)
    if array.size == 0:
        raise MeshError(f"{where} is empty; leave it out or give its {what}s")
    if array.dtype.kind not in "iu":
        kind = {"f": "fractional numbers", "U": "text"}.get(array.dtype.kind, array.dtype.name)
        raise MeshError(f"{where} must hold whole numbers, counted from 0, or be a mask; it holds {kind}")
    wrong = array[(array < 0) | (array >= count)]
    if len(wrong):
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise MeshError(
            f"{where} names {what} {wrong[0]}{more}, but {what}s are counted from 0, here 0 to {count - 1} (a file's "
            "own numbers often begin with 1)"
        )
    members = np.unique(array).astype(np.int64)
    members.setflags(write=False)
    return members


def _normal(value: Any, count: int) -> bool:
    """Return whether this already has the stored form of a set (so that a mesh made from a mesh costs nothing)."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.int64
        and value.ndim == 1
        and not value.flags.writeable
        and len(value) > 0
        and value[0] >= 0
        and value[-1] < count
        and bool((np.diff(value) > 0).all())
    )


def numbers_of_nodes(given: Any, count: int, mesh: str) -> np.ndarray:
    """Return the numbers (count,) of the nodes in the file, 1, 2, ... if none are given; read-only.

    Numbers 1, 2, ... of another count are those of a mesh before ``dataclasses.replace`` changed its points.
    """
    ids = np.asarray(given)
    if not ids.size or (len(ids) != count and np.array_equal(ids, np.arange(1, len(ids) + 1))):
        ids = np.arange(1, count + 1)
    if ids.dtype.kind not in "iu" or ids.shape != (count,):
        raise MeshError(
            f"node_ids= of mesh {mesh!r} must be one whole number for each of its {count} nodes, not "
            f"{ids.dtype.name} {ids.shape}"
        )
    ids = ids.astype(np.int64)
    ids.setflags(write=False)
    return ids

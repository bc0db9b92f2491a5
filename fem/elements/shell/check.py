"""Checks of the shape of shell elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...common.errors import ElementError, InputError
from .geometry import Array, element_frame, normals
from .material import first_axis


def check_shapes(kinds: tuple[str, ...], material: Any, kind: str, X: Array) -> None:
    """Raise ElementError for elements X (ne, nn, 3) that can't be shells, with all reasons at once."""
    if kind not in kinds:
        raise InputError(f"a Shell can't be given to {kind} elements, only to {' and '.join(kinds)}")
    if not np.isfinite(X).all():
        bad = ~np.isfinite(X).all(axis=(1, 2))
        raise ElementError(
            f"these {kind} elements can't be shells: ", *_reason("without finite coordinates", bad)[1:]
        )
    sides = np.linalg.norm(np.roll(X, -1, 1) - X, axis=2)
    longest = sides.max(1)
    bad = sides.min(1) <= 1e-9 * longest
    reasons = _reason("with two nodes at one place (merged quadrilaterals are tri3: list three nodes)", bad)
    after = np.roll(X, -1, 1) - X
    area = np.linalg.norm(np.cross(after, np.roll(after, 1, 1)), axis=2).max(1)
    flat = ~bad & (area < 1e-6 * longest**2)
    reasons += _reason("whose nodes lie on one line: remove them or remesh", flat)
    good = ~(bad | flat)
    where = np.flatnonzero(good)
    if kind == "quad4" and len(where):
        with np.errstate(invalid="ignore", divide="ignore"):
            n, V = element_frame(kind, X[where])[:, None, 2], normals(kind, X[where])
            slope = np.sum(n * V, 2).min(1)
        turned = np.zeros(len(X), bool)
        turned[where] = ~(slope > 0.0)
        reasons += _reason(
            "with a corner of 180 degrees or more, or nodes not in turn around it: remesh or reorder", turned
        )
        warped = np.zeros(len(X), bool)
        warped[where] = (slope > 0.0) & (slope < 0.5)
        reasons += _reason(
            "warped by more than 60 degrees between middle and corner: split it in triangles", warped
        )
        good &= ~turned & ~warped
    axis = first_axis(material)
    if axis is not None and good.any():
        along = np.zeros(len(X), bool)
        along[good] = np.abs(element_frame(kind, X[good])[:, 2] @ axis) > 0.9999
        reasons += _reason(
            f"normal to axis 1 of the material, {np.round(axis, 6).tolist()}, which must lie along the shell: choose "
            "other axes= for the material of this set",
            along,
        )
    if reasons:
        raise ElementError(f"these {kind} elements can't be shells: ", *reasons[1:])


def _reason(what: str, bad: Array) -> list:
    """Return pieces of a message: count, description and indices."""
    count = int(bad.sum())
    return ["; ", f"{count} {what} (", np.flatnonzero(bad), ")"] if count else []

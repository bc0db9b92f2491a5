"""Elements that can't be shells, membranes or panels, with all reasons at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...common.errors import ElementError, InputError, listing
from .. import FACES
from .geometry import Array, element_frame, normals


def check_shapes(
    what: str, kinds: tuple[str, ...], kind: str, X: Array, axis_one: Callable[[Array], Array | None]
) -> None:
    """Raise ElementError for elements X (ne, nn, 3) that can't have a section, with all reasons at once.

    ``what`` they would be, such as "shells"; ``axis_one`` gives the directions that are projected on the elements X, or
    None.
    """
    if kind not in kinds:
        raise InputError(f"{kind} elements can't be {what}, only {listing(kinds)}")
    if not np.isfinite(X).all():
        bad = ~np.isfinite(X).all(axis=(1, 2))
        raise ElementError(
            f"these {kind} elements can't be {what}: ", *_reason("without finite coordinates", bad)[1:]
        )
    whole, X = X, X[:, : FACES[kind].n_corners]
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
    if kind != "tri3" and len(where):
        with np.errstate(invalid="ignore", divide="ignore"):
            n, V = element_frame(kind, whole[where])[:, None, 2], normals(kind, whole[where])
            slope = np.sum(n * V, 2).min(1)
        turned = np.zeros(len(X), bool)
        turned[where] = ~(slope > 0.0)
        reasons += _reason(
            "with a corner of 180 degrees or more, nodes not in turn around it, or middle nodes far from the middle: "
            "remesh or reorder",
            turned,
        )
        warped = np.zeros(len(X), bool)
        warped[where] = (slope > 0.0) & (slope < 0.5)
        reasons += _reason(
            "warped by more than 60 degrees between middle and corner: split it in triangles", warped
        )
        good &= ~turned & ~warped
    axis = axis_one(whole[good]) if good.any() else None
    if axis is not None:
        along = np.zeros(len(X), bool)
        axis = np.broadcast_to(axis / np.linalg.norm(axis, axis=-1, keepdims=True), (good.sum(), 3))
        along[good] = np.abs(np.sum(element_frame(kind, whole[good])[:, 2] * axis, 1)) > 0.9999
        reasons += _reason(
            f"normal to axis 1 of the material, {np.round(axis[0], 6).tolist()}, which must lie along the shell: "
            "choose other axes= for the material of this set",
            along,
        )
    if reasons:
        raise ElementError(f"these {kind} elements can't be {what}: ", *reasons[1:])


def _reason(what: str, bad: Array) -> list:
    """Return pieces of a message: count, description and indices."""
    count = int(bad.sum())
    return ["; ", f"{count} {what} (", np.flatnonzero(bad), ")"] if count else []

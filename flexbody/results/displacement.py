"""Displacements of points: by deformation, out of a chord, or from the drawn configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing

from ..model.flexible_body import FlexibleBody
from ..model.sides import Body, FrameData, Side
from .motion import (
    Where,
    alpha,
    frame_of,
    motion_of,
    named_body,
    place_of,
    resolved,
    rotation_matrices,
)
from .record import Record, flexible_body


@check_arguments
@dataclass(frozen=True, eq=False)
class Chord:
    """The moving straight line through two points of a flexible body, for ``displacement(relative_to=)``.

    Parameters
    ----------
    first, second : str, point, int or named frame, optional
        The two points, each given as ``point`` of :meth:`flexbody.Result.displacement`. They may be left out if the
        body was placed by two interfaces.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Chord("small end", "big end").first
    'small end'
    """

    first: str | int | ArrayLike | Side | None = None
    second: str | int | ArrayLike | Side | None = None


def displacement(
    record: Record,
    what: Where,
    point: Any = None,
    relative_to: Where | Chord | None = None,
    frame: Where | None = None,
) -> np.ndarray:
    """Return the displacement of a point, (nt, 3), m; see :meth:`flexbody.Result.displacement`."""
    what = place_of(record, what, point)
    if relative_to is not None and not isinstance(relative_to, Chord):
        return resolved(record, _from_drawn(record, what, relative_to), frame)
    place = frame_of(record.system, what)
    body = flexible_body(record, place.body)
    if named_body(record, what) == body.name:
        raise InputError(
            f"displacement of body '{body.name}' by its deformation: name a point of it, such as point= one of "
            f"{listing(body.reduced.markers)}, or give relative_to=fb.GROUND"
        )
    if relative_to is None:
        found = deformation(record, place)
    else:
        first, second = (_on(record, body, end) for end in _ends(body, relative_to))
        where, start, end = (p.x + deformation(record, p) for p in (place, first, second))
        found, carried = out_of_chord(where, start, end, place.x, first.x, second.x)
        if frame is None:
            return carried
    if frame is None:
        return found
    Q = rotation_matrices(record)[:, record.plan.body_index[body.name]]
    return resolved(record, np.einsum("tij,tj->ti", Q, found), frame)


def deformation(record: Record, place: FrameData) -> np.ndarray:
    """Return the deformation ``Phi alpha`` at a frame, (nt, 3), m, in the base of its body.

    The second-order term of a body with geometric stiffening is included.
    """
    x = alpha(record, place.body)
    out = x @ place.Phi.T
    return out if place.G is None else out + 0.5 * np.einsum("ti,kij,tj->tk", x, place.G[:3], x)


def _from_drawn(record: Record, what: Where, relative_to: Where) -> np.ndarray:
    """Return the displacement of a point from the drawn configuration, as an observer sees it, inertial components."""
    try:
        base = frame_of(record.system, relative_to, base=True)
    except InputError as error:
        raise InputError(
            f"relative_to is {relative_to!r}; give a body, frame or joint, fb.GROUND for the drawn configuration, "
            f"fb.Chord() for the chord, or nothing for the frame of the body: {error}"
        ) from None
    place = frame_of(record.system, what)
    apart = _drawn(record, place) - _drawn(record, base)
    mine, other = motion_of(record, what), motion_of(record, relative_to, base=True)
    return mine.r - other.r - other.R @ (base.A.T @ apart)


def _drawn(record: Record, place: FrameData) -> np.ndarray:
    """Return the position of a frame in the drawn configuration, (3,), m."""
    return place.drawn(record.system.bodies_by_name())


def _on(record: Record, body: Body, end: Any) -> FrameData:
    """Return an end of a chord from the name of a marker, a drawn point, the number of a node, or a named frame."""
    return frame_of(record.system, end if isinstance(end, Side) else (body, end))


def _ends(body: FlexibleBody, chord: Chord) -> tuple[Any, Any]:
    """Return the ends of a chord, by default the two interfaces by which the body was placed."""
    if chord.first is None and chord.second is None and body.place is not None and len(body.place) == 2:
        first, second = body.place
        return first, second
    if chord.first is None or chord.second is None:
        raise InputError(
            f"the chord of body '{body.name}' needs two points: relative_to=fb.Chord(a, b), two of "
            f"{listing(body.reduced.markers)}"
        )
    return chord.first, chord.second


def out_of_chord(point, start, end, x, a, b) -> tuple[np.ndarray, np.ndarray]:
    """Return the displacement of a point from its place on the moving chord, in two bases.

    Parameters
    ----------
    point, start, end : numpy.ndarray
        Positions of the point and of the ends of the chord, (nt, 3), m, in the base of the body.
    x, a, b : numpy.ndarray
        The same in the undeformed body, (3,), m.

    Returns
    -------
    in_body, in_chord : numpy.ndarray
        Displacement, (nt, 3), m, in the base of the body and in the base that moves with the chord.

    Notes
    -----
    The undeformed body is placed on the chord by the smallest rotation (exact to second order in the deflection), with
    its end ``a`` at ``start``; the component along the chord is then the stretch.
    """
    if not np.linalg.norm(b - a) > 0:
        raise InputError(
            f"both ends of the chord lie at {np.round(a, 9).tolist()} m; give two that lie apart"
        )
    e = (b - a) / np.linalg.norm(b - a)
    f = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    axis, cosine = np.cross(e, f), f @ e
    offset = x - a
    turned = offset + np.cross(axis, offset) + np.cross(axis, np.cross(axis, offset)) / (1 + cosine)[:, None]
    out = point - start - turned
    # back into the base that the chord carries
    return out, out - np.cross(axis, out) + np.cross(axis, np.cross(axis, out)) / (1 + cosine)[:, None]

"""The places where forces act: named frames, points of rigid bodies, points of the ground."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.numbers import vector

from ..sides import Body, FrameData, Side


def frame_at(side: Side, point: ArrayLike | None, bodies: Mapping[str, Body], label: str) -> FrameData:
    """Return the frame where a force acts: a named frame, or a global point of a rigid body or the ground."""
    return side.frame(bodies, None if point is None else vector(point, f"{label}: point"))


def side_problems(side: Side, point: ArrayLike | None, label: str) -> list[str]:
    """Return the problems of the place where a force acts as sentences."""
    if not isinstance(side, Side):
        return [f"{label} acts on {called(side)}; give a body, body['name'] or GROUND"]
    if fault := side.fault():
        return [f"{label} acts on {fault}"]
    if side.named and point is not None:
        return [f"{label} has the point {point!r} and the named frame {side!r}; give only one of them"]
    return []


def point_problems(point: ArrayLike | None, what: str) -> list[str]:
    """Return a sentence if a point is neither None nor three numbers; ``what`` names it in the sentence."""
    try:
        if point is not None:
            vector(point, what)
    except InputError as error:
        return [str(error)]
    return []


def ends_apart(ends: tuple[FrameData, FrameData], bodies: Mapping[str, Body], label: str) -> list[str]:
    """Return a sentence if the two ends of a line coincide in the drawn configuration."""
    points = [end.drawn(bodies) for end in ends]
    if np.linalg.norm(points[1] - points[0]) > 1e-9 * max(1e-3, float(np.abs(points).max())):
        return []
    return [
        f"{label}: its two ends coincide as drawn, at {np.round(points[0], 9).tolist()} m, so its direction is not "
        "defined; give first_point= and second_point=, or move one end"
    ]

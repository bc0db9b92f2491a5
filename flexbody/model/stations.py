"""Lines of bodies: splines through points as drawn, or through markers of a body, with which they bend and turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match

from .path import Path, path_through
from .sides import Body, FrameData, Side


def line_points(points: Any, what: str) -> np.ndarray:
    """Return points of a line as an array (n, 3), m; InputError, which begins with ``what``, if they are none."""
    try:
        found = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 2 or found.shape[1:] != (3,) or len(found) < 2 or not np.isfinite(found).all():
        raise InputError(
            f"{what}: points is {called(points)}; give at least two points of the line, (n, 3), m"
        )
    return found


def line_through_stations(body: Body, names: Sequence[str], options: Mapping[str, Any]) -> Path:
    """Return the line through markers of a body, which bends and turns with them; options of :func:`path_through`."""
    frames = [body[name].frame({body.name: body}) for name in names]
    Phi, B = (np.array([getattr(frame, what) for frame in frames]) for what in ("Phi", "B"))
    none = np.zeros((6, body.n_modes, body.n_modes))
    terms = np.array([none if frame.G is None else frame.G for frame in frames])
    return path_through(np.array([frame.x for frame in frames]), (Phi, B), terms, **options)


def line_problems(points: Any, stations: Sequence[str] | None, side: Side, label: str) -> list[str]:
    """Return as sentences what is wrong with the points or stations of a line on a side."""
    if (points is None) == (stations is None):
        return [f"{label}: give either points= (a rigid line) or stations= (markers of the first side)"]
    if stations is None:
        return []
    body = side.body
    names = body.marker_names if isinstance(body, Body) else ()
    unknown = [name for name in stations if name not in names]
    if not unknown and len(stations) > 1:
        return []
    return [
        f"{label}: stations has {with_match(unknown, names) if unknown else len(stations)}; "
        "give at least two markers of "
        f"'{body.name}', which has {listing(names)}"
    ]


def frame_on(path: Path, body: str, n: int) -> FrameData:
    """Return the frame that slides along a line of a body with n modal coordinates, where it is drawn."""
    columns = path.columns(path.start)
    shapes = columns[6 : 6 + 6 * n].reshape(2, 3, n)
    return FrameData(body, columns[:3], path.axes(path.start), shapes[0], shapes[1], None, path)

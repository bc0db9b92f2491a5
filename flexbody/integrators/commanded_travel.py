"""How far drives will move a machine: what the vibrations of its beginning are compared with."""

from __future__ import annotations

import numpy as np

from fem.common.errors import FlexbodyError

from ..compile.plan import Plan
from ..core.kinds import ANGLE, POINT, ROW_DRIVE, ROW_FIRST, ROW_SECOND

#: Times of a run at which the motion of drives is evaluated.
SAMPLES = 11


def commanded_travel(plan: Plan, t_start: float, t_end: float) -> float:
    """Return the farthest that a drive of a single joint coordinate will move a body, m.

    A driven angle counts with the radius of gyration of the smaller one of the bodies that it turns, and with no more
    than half a revolution.

    Parameters
    ----------
    plan : Plan
        The compiled system.
    t_start, t_end : float
        Start and end of the run, s.

    Returns
    -------
    float
        The distance; 0 without drives.
    """
    L = plan.layout
    rows = [k for k in np.flatnonzero(L.row_frame[:, ROW_DRIVE] >= 0) if L.row_kind[k] in (ANGLE, POINT)]
    if not rows:
        return 0.0
    try:
        values = np.array([plan.prescribed(t) for t in np.linspace(t_start, t_end, SAMPLES)])
    except FlexbodyError:  # the run will say what is wrong, and when
        return 0.0
    moved = np.abs(values - values[0]).max(axis=0)
    farthest = 0.0
    for k in rows:
        bodies = L.frame_body[L.row_frame[k][[ROW_FIRST, ROW_SECOND]]]
        distance = moved[L.row_frame[k, ROW_DRIVE]]
        if L.row_kind[k] == ANGLE:
            size = min((L.body_size[b] for b in bodies if b >= 0), default=0.0)
            distance = 2.0 * size * np.sin(0.5 * min(distance, np.pi))
        if np.isfinite(distance):
            farthest = max(farthest, float(distance))
    return farthest

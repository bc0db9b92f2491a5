"""The free motions of one hinge of a tree."""

from __future__ import annotations

import numpy as np

from .kinds import MOTION_AXIS, MOTION_KIND, MOTION_SIDE, SCREW, SHIFT


def columns(motion: np.ndarray, lead: float, R1: np.ndarray, R2: np.ndarray) -> np.ndarray:
    """Return H (6, n): velocity and angular velocity of the second frame for each free motion of a hinge.

    Parameters
    ----------
    motion : numpy.ndarray
        Rows of ``Tree.motion`` of the hinge, (n, 3).
    lead : float
        Translation of a screw per rad, m.
    R1, R2 : numpy.ndarray
        Axes of both frames, (3, 3), columns; with their rates, the rate of H.

    Returns
    -------
    numpy.ndarray
        H, (6, n), inertial base. A rotation does not move the second point.
    """
    found = []
    for each in motion:
        e = (R1, R2)[each[MOTION_SIDE]][:, each[MOTION_AXIS]]
        kind, none = each[MOTION_KIND], np.zeros(3)
        found.append(np.concatenate([e, none] if kind == SHIFT else [lead * e if kind == SCREW else none, e]))
    return np.array(found).reshape(-1, 6).T

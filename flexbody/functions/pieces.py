"""The parts of the time between corners of a function.

A corner itself belongs to the part before it. Behind a corner a run goes on at a time that is later by round-off
(:func:`behind`), so that a law needs to know nothing but the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

#: Times of no corners.
NO_CORNERS = np.zeros(0)

#: Accuracy of the time of a corner, and the distance of times beside it, as parts of the time; as in time_laws.cpp.
AT_CORNER, BESIDE_CORNER = 1e-13, 3e-13

#: Corners that are closer than this part of the time are one.
ONE_CORNER = 1e-9

#: Time behind a jump at the start, s.
BEHIND_ZERO = 1e-300


class Corner(NamedTuple):
    """A corner of a function of time.

    Parameters
    ----------
    t : float
        Its time, s.
    order : int
        The derivative that jumps: 1 or 2, or 0 for a jump of the value.
    jump : float
        Size of the jump, in the unit of the value over s or s^2.
    """

    t: float
    order: int
    jump: float


def apart(found: list[Corner], duration: float) -> list[Corner]:
    """Return corners in their order, without those that were found twice."""
    near, kept = ONE_CORNER * duration, list[Corner]()
    for corner in sorted(found):
        if not kept or corner.t > kept[-1].t + near:
            kept.append(corner)
    return kept


def times_of(corners: Sequence[Corner]) -> np.ndarray:
    """Return the times of corners, (n,), s."""
    return np.array([corner.t for corner in corners])


def piece_at(corners: np.ndarray, t: float, t_end: float) -> tuple[int, float, float]:
    """Return the number of the part with the time ``t`` in it, and its ends, s; numba can compile it.

    Parameters
    ----------
    corners : numpy.ndarray
        Times of the corners, (n,), s, increasing.
    t : float
        Time, s.
    t_end : float
        End of the last part, if it is not before ``t``, s. The first one begins at 0.

    Returns
    -------
    tuple
        Number, and beginning and end, s.
    """
    first, last = 0, len(corners)
    while first < last:
        middle = (first + last) // 2
        if corners[middle] < t * (1.0 - AT_CORNER):
            first = middle + 1
        else:
            last = middle
    begin = corners[first - 1] * (1.0 + BESIDE_CORNER) if first > 0 else 0.0
    end = corners[first] * (1.0 - BESIDE_CORNER) if first < len(corners) else max(t_end, t)
    return first, begin, end


def beside_corners(corners: np.ndarray, t: float) -> float:
    """Return the time ``t``, s, or the one beside a corner that is closer than round-off."""
    _, begin, end = piece_at(corners, t, t)
    return float(min(max(t, begin), end)) if t > 0.0 else t


def behind(corner: float) -> float:
    """Return the time, s, from which a run goes on behind a corner."""
    return max(corner * (1.0 + 2.0 * AT_CORNER), BEHIND_ZERO)

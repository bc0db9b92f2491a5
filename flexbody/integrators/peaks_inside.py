"""Largest forces inside the steps of methods of other programs, from the state on their own interpolation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..core.kinds import PEAK_FORCE, PEAK_MOMENT

#: A step is looked at if a force at its ends is larger than this part of the largest that is known: the top of a
#: vibration is a tenth larger than both ends of a step of 0.9 rad. A top is evaluated if it is larger by the second.
LEAST_PART, NOTABLE_RISE = 0.9, 1e-6
#: And if the parabola through the forces at its ends and at the begin of the step before has its top in it, or by this
#: part of the step beside it.
ROOM_BESIDE = 0.75


def larger_forces(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the larger forces and moments with their times, each (ne, 4) as ``Work.peak``."""
    out = one.copy()
    for column in (PEAK_FORCE, PEAK_MOMENT):
        both = slice(column, column + 2)
        larger = np.abs(other[:, [column]]) > np.abs(one[:, [column]])
        out[:, both] = np.where(larger, other[:, both], one[:, both])
    return out


def look_inside(
    forces_at: Callable[[float], np.ndarray], ends: Sequence[np.ndarray], before: float, peaks: np.ndarray
) -> None:
    """Put the largest forces inside a step into ``peaks``.

    The parabola through the forces at the begin, in the middle and at the end tells where the top is; what is kept is
    the force of the machine there.

    Parameters
    ----------
    forces_at : callable
        From a place in the step, 0 to 1, to the forces there, (ne, 4) as ``Work.peak``.
    ends : sequence of numpy.ndarray
        Forces at the begin of the step before, and at both ends of this one, (ne, 4).
    before : float
        The length of the step before over that of this one; 0 if there was none.
    peaks : numpy.ndarray
        The largest forces so far, (ne, 4), which change.
    """
    columns = [PEAK_FORCE, PEAK_MOMENT]
    earlier, first, last = (forces[:, columns] for forces in ends)
    known = np.abs(peaks[:, columns])
    near = (np.maximum(np.abs(first), np.abs(last)) > LEAST_PART * known) & (known > 0.0)
    if before > 0.0:
        rise = last - first
        bend = 2.0 * (rise - (first - earlier) / before) / (1.0 + before)
        near &= (rise - (0.5 + ROOM_BESIDE) * bend) * (rise + (0.5 + ROOM_BESIDE) * bend) <= 0.0
    if not near.any():
        return
    half = forces_at(0.5)
    peaks[:] = larger_forces(peaks, half)
    middle, known = half[:, columns], np.abs(peaks[:, columns])
    a, b, c = (force * np.sign(middle) for force in (first, middle, last))
    bend = a - 2.0 * b + c
    shift = np.where(bend < 0.0, 0.5 * (a - c) / np.where(bend < 0.0, bend, 1.0), 0.0)
    top = b - 0.25 * (a - c) * shift
    for at in np.unique(shift[near & (np.abs(shift) < 1.0) & (top > (1.0 + NOTABLE_RISE) * known)]):
        peaks[:] = larger_forces(peaks, forces_at(0.5 + 0.5 * float(at)))

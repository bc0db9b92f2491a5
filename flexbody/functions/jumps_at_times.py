"""Jumps of a function of time at times that are known: those that it names, and those at which another number jumps.

Two values, closely before and behind a time, tell whether there can be one; samples need not resolve it.
"""

from __future__ import annotations

import numpy as np

from .numbers_of_laws import Number

#: A function can jump between two values if they differ by more than this part of the largest change between so many
#: samples around, and of the range.
SUDDEN_PART, AROUND, LEAST_PART = 2e-5, 3, 1e-6
#: A jump counts from this part of the least fourth difference on.
PART_OF_DIFFERENCE = 1 / 3


def jumps_at(
    number: Number, times: np.ndarray, reach: float, sides: tuple[np.ndarray, np.ndarray], least: float
) -> None:
    """Find the jumps of a number closely beside times (n,), s, increasing; it knows them from then on.

    Parameters
    ----------
    number : Number
        The number in a whole run.
    times : numpy.ndarray
        The times, (n,), s.
    reach : float
        The distance at which values beside them are given, s.
    sides : tuple of numpy.ndarray
        The values before and behind them, (n,).
    least : float
        Fourth difference of samples from which on jumps count.
    """
    part = number.part
    change = np.abs(np.diff(part.values[:, number.k]))
    around = np.lib.stride_tricks.sliding_window_view(np.pad(change, AROUND), 2 * AROUND + 1).max(axis=1)
    place = np.clip(((times - part.first) / part.h).astype(int), 0, len(around) - 1)
    size = np.abs(sides[1] - sides[0])
    smooth = np.maximum(SUDDEN_PART * around[place], LEAST_PART * np.ptp(part.values[:, number.k]))
    can = np.flatnonzero(size > np.maximum(smooth, PART_OF_DIFFERENCE * least))
    can = can[: number.jumps_afforded(known=True)]
    if not len(can):
        return
    t, n = times[can], len(can)
    single = np.column_stack(
        [t - reach, t + reach, np.full(n, 4.0 * reach), np.full(n, part.first), np.full(n, part.last)]
    )
    number.enclosed(single, t)


def jumps_beside(number: Number, times: np.ndarray, reach: float, least: float) -> None:
    """Find the jumps of a number closely beside times (n,), s, increasing, at which another number jumps."""
    times = times[(times - 5 * reach > number.part.first) & (times + 5 * reach < number.part.last)]
    if not len(times) or len(times) > number.jumps_afforded(known=True):
        return
    left = number.ahead.left
    before, behind = number(times - reach), number(times + reach)
    number.ahead.count_for_jumps(left - number.ahead.left)
    jumps_at(number, times, reach, (before, behind), least)

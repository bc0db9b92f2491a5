"""Jumps of functions of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

#: An interval is divided into this number of parts, of which this number is divided again, so many times.
INTERVAL_DIVISIONS, DIVIDED_PARTS, MAX_DIVISIONS = 16, 3, 16
#: A function jumps as it begins if it changes within the first of these parts of the run by so many times what it
#: changes in the next one, and by more than the last part of its value.
BEGINNING_PART, BEGINNING_RATIO, LEAST_PART = 1e-7, 1e3, 1e-6


def find_jump(
    function: Callable[[float], float], first: float, last: float, least: float, period: float = np.inf
) -> tuple[float, float] | None:
    """Return the time and size of the largest jump of a function between two times, or None.

    Parameters
    ----------
    function : callable
        Function of time (s).
    first, last : float
        The interval, s.
    least : float
        Smallest size of a jump.
    period : float
        Jumps by multiples of this value are ignored.

    Returns
    -------
    tuple of float or None
        Time, s, and size of the jump.

    Notes
    -----
    Parts in which the function changes more than in their neighbours are subdivided down to round-off of the time. The
    change of a smooth function decreases on the way, that of a jump does not.
    """
    found, parts = [(0.0, last)], [(first, last)]
    try:
        for _ in range(MAX_DIVISIONS):
            if not parts:
                break
            finer = sorted((part for ends in parts for part in _uneven(function, *ends)), reverse=True)[
                :DIVIDED_PARTS
            ]
            parts = [ends for uneven, ends in finer if uneven > 0.5 * least]
            short = [ends for ends in parts if ends[1] - ends[0] <= 4 * np.spacing(max(map(abs, ends)))]
            found += [(function(end) - function(begin), end) for begin, end in short]
            parts = [ends for ends in parts if ends not in short]
    except Exception:
        return None  # the error is reported where the run calls the function
    if np.isfinite(period):
        found = [(size - period * np.rint(size / period), t) for size, t in found]
    size, t = max(found, key=lambda jump: abs(jump[0]))
    return (t, float(size)) if abs(size) > least else None


def beginning(function: Callable[[float], tuple[float, float, float]], t_end: float) -> float:
    """Return the time (s) behind which a load goes on that sets in as it begins, as ``t > 0`` does; 0 for others.

    A load that is smaller behind that time is a short kick, which is kept.
    """
    part = BEGINNING_PART * t_end
    try:
        at, behind, later = (np.array(function(k * part)) for k in range(3))
    except Exception:
        return 0.0  # the error is reported where the run calls the function
    change, more = np.abs(behind - at), np.abs(later - behind)
    jumps = change > np.maximum(BEGINNING_RATIO * more, LEAST_PART * np.maximum(np.abs(at), np.abs(behind)))
    return part if jumps.any() and np.all(np.abs(at) <= np.abs(behind)) else 0.0


def _uneven(
    function: Callable[[float], float], first: float, last: float
) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield for each part of an interval how much its change differs from those of its neighbours, and its ends.

    The difference is to the median of four neighbours.
    """
    t = np.linspace(first, last, INTERVAL_DIVISIONS + 1)
    change = np.diff([function(x) for x in t])
    for k in range(INTERVAL_DIVISIONS):
        begin = min(max(k - 2, 0), INTERVAL_DIVISIONS - 5)
        others = np.delete(change[begin : begin + 5], k - begin)
        yield float(abs(change[k] - np.median(others))), (float(t[k]), float(t[k + 1]))

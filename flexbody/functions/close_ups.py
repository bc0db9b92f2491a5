"""Parts of a run in which a function of time does what samples at equal distances miss, with closer samples there.

The function is asked closely beside the times that it names (:mod:`flexbody.functions.likely_times`). Where a value
there does not continue the samples around it, a part of the time gets closer samples; what these miss is looked at
again in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .ahead import Ahead
from .likely_times import likely_times, numbers_in
from .outstanding import INTERVALS

#: Distances at which a function is asked on both sides of a likely time, and of one that is a number in the function:
#: parts of the distance of the samples.
CLOSEST_PART, BESIDE = 1e-6, tuple(0.5**k for k in range(1, 8))
#: Samples around a part in which something was missed, on each side, and how many times closer the new ones are.
MARGIN, CLOSER = 4, 64
#: Parts inside of parts, how many parts there are at most, and the share of a run that they may fill: a function that
#: does more is no pulse.
DEPTH, PARTS_LIMIT, SHARE = 3, 300, 0.25
#: A value is missed by samples if it is off the line between these by more than this part of the range, and than the
#: largest second difference of so many of them on each side.
LEAST_PART, AROUND = 1e-6, 3


class CloseUp(NamedTuple):
    """Samples of a function at equal distances.

    Parameters
    ----------
    first, last : float
        First and last time, s.
    values : numpy.ndarray
        The values there, (n + 1, m).
    """

    first: float
    last: float
    values: np.ndarray

    @property
    def h(self) -> float:
        """Distance of the samples, s."""
        return (self.last - self.first) / (len(self.values) - 1)


def close_ups(ahead: Ahead, first: float, last: float) -> list[CloseUp]:
    """Return closer samples between two times, s, where those of a run miss what a function does.

    There are none of a slow function.
    """
    if (values := ahead.known(first, last)) is None:
        return []
    if ahead.closer is None:
        known = CloseUp(first, last, values)
        whole = CloseUp(first, last, values[:: max((len(values) - 1) // INTERVALS, 1)])
        named, combined = likely_times(numbers_in(ahead.functions), first, last, known.h)
        ahead.closer = closer_samples(ahead.sample, whole, known, named, combined)
    return ahead.closer


@np.errstate(all="ignore")  # what is not finite has an error of its own
def closer_samples(
    sample: Callable[[np.ndarray], np.ndarray],
    whole: CloseUp,
    known: CloseUp,
    named: np.ndarray,
    combined: np.ndarray,
) -> list[CloseUp]:
    """Return closer samples of a function where those of a ``whole`` run miss something beside likely times.

    Parameters
    ----------
    sample : callable
        From times (n,), s, to the values there, (n, m).
    whole : CloseUp
        The samples of the run.
    known : CloseUp
        Samples of the same time that are closer, or the same ones.
    named, combined : numpy.ndarray
        Times, (n,) and (k,), s, increasing: many values are asked for beside those of the first kind.
    """
    likely, at = np.union1d(named, combined), CLOSEST_PART * known.h
    middle = 0.5 * (likely[1:] + likely[:-1])[np.diff(likely) < known.h]
    beside = np.add.outer(known.h * np.array([*BESIDE, *(-x for x in BESIDE)]), named).ravel()
    times = np.unique(np.concatenate([likely - at, likely + at, middle, beside]))
    times = times[(times > whole.first) & (times < whole.last)]
    values = np.concatenate([known.values, sample(times)])
    times = np.concatenate([np.linspace(known.first, known.last, len(known.values)), times])
    range_of = np.ptp(np.concatenate([whole.values, values]), axis=0)
    found, work = list[CloseUp](), [(whole, 0)]
    while work and len(found) < PARTS_LIMIT:
        part, depth = work.pop(0)
        missed = _missed(part, times, values, LEAST_PART * range_of)
        if sum(last - first for first, last in missed) > SHARE * (whole.last - whole.first):
            return []
        for first, last in missed:
            t = np.linspace(first, last, CLOSER * round((last - first) / part.h) + 1)
            closer = CloseUp(first, last, sample(t))
            found.append(closer)
            if depth + 1 < DEPTH:
                work.append((closer, depth + 1))
    return found


def _missed(
    part: CloseUp, times: np.ndarray, values: np.ndarray, least: np.ndarray
) -> list[tuple[float, float]]:
    """Return parts of the time, s, around what samples miss of values (k, m) at times (k,), s."""
    inside = (times > part.first) & (times < part.last)
    n, place = len(part.values) - 1, (times[inside] - part.first) / part.h
    k = np.minimum(place.astype(int), n - 1)
    line = part.values[k] + (place - k)[:, None] * (part.values[k + 1] - part.values[k])
    bend = np.pad(np.abs(np.diff(part.values, 2, axis=0)), ((AROUND, AROUND), (0, 0)))
    around = np.lib.stride_tricks.sliding_window_view(bend, 2 * AROUND, axis=0).max(axis=-1)
    off = np.abs(values[inside] - line) > np.maximum(around[np.minimum(k, len(around) - 1)], least)
    at = np.unique(k[off.any(axis=1)])
    if not len(at):
        return []
    groups = np.split(at, np.flatnonzero(np.diff(at) > 2 * MARGIN) + 1)
    ends = [(max(int(g[0]) - MARGIN, 0), min(int(g[-1]) + 1 + MARGIN, n)) for g in groups]
    return [(part.first + a * part.h, part.first + b * part.h) for a, b in ends]

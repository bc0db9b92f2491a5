"""Parts of a run in which a function of time does what samples at equal distances miss, with closer samples there.

The function is asked closely beside the times that it names (:mod:`flexbody.functions.likely_times`). Where a value
there does not continue the samples around it, a part of the time gets closer samples; what these miss is looked at
again in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .ahead import Ahead
from .likely_times import Likely, likely_times
from .named_numbers import numbers_in
from .outstanding import INTERVALS

#: Distances at which a function is asked on both sides of a likely time, and of one that is a number in the function:
#: parts of the distance of the samples.
CLOSEST_PART, BESIDE = 1e-6, tuple(0.5**k for k in range(1, 8))
#: Samples around a part in which something was missed, on each side, and how many times closer the new ones are.
MARGIN, CLOSER = 4, 64
#: Parts inside of parts, and how many parts there are at most.
DEPTH, PARTS_LIMIT = 3, 1000
#: The share of a run that parts may fill, and that of the calls. Where they would fill more, there are so many times
#: more samples of the run first.
SHARE, SHARE_OF_CALLS, MORE = 0.25, 0.5, (1, 4, 16)
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

    There are none of a slow function. The user is told where they are too many.
    """
    if (values := ahead.known(first, last)) is None:
        return []
    if ahead.closer is None:
        known = CloseUp(first, last, values)
        likely = likely_times(numbers_in(ahead.functions), first, last, known.h)
        ahead.closer, complete = closer_samples(ahead, known, likely)
        if not complete:
            ahead.tell_crowded()
    return ahead.closer


@np.errstate(all="ignore")  # what is not finite has an error of its own
def closer_samples(ahead: Ahead, known: CloseUp, likely: Likely) -> tuple[list[CloseUp], bool]:
    """Return closer samples of a function where those of a run miss something, and whether these are all of them.

    Parameters
    ----------
    ahead : Ahead
        The function.
    known : CloseUp
        The samples of the run that were taken.
    likely : Likely
        Times beside which the function is asked.
    """
    asked, of_left_out = _ask(ahead, known, likely)
    for more in MORE:
        samples = ahead.over(known.first, known.last, more * INTERVALS)
        if samples is None:
            return [], True
        whole = CloseUp(known.first, known.last, samples)
        parts = _around(whole, asked.missed_by(whole) if more == 1 else _missed_by_half(whole, asked))
        if sum(last - first for first, last in parts) <= SHARE * (known.last - known.first):
            found, complete = _refined(ahead, parts, whole.h, asked)
            at = whole.first + (of_left_out.missed_by(whole) + 0.5) * whole.h
            return found, complete and all(any(part.first < t < part.last for part in found) for t in at)
    return [], False


class _Asked(NamedTuple):
    """Values (n, m) of a function at times (n,), s, increasing, and differences (m,) that are too small to count."""

    times: np.ndarray
    values: np.ndarray
    least: np.ndarray

    def missed_by(self, part: CloseUp) -> np.ndarray:
        """Return the numbers of the intervals between samples, (k,), in which these miss one of the values."""
        begin, stop = np.searchsorted(self.times, part.first, "right"), np.searchsorted(self.times, part.last)
        n, place = len(part.values) - 1, (self.times[begin:stop] - part.first) / part.h
        k = np.minimum(place.astype(int), n - 1)
        line = part.values[k] + (place - k)[:, None] * (part.values[k + 1] - part.values[k])
        bend = np.pad(np.abs(np.diff(part.values, 2, axis=0)), ((AROUND, AROUND), (0, 0)))
        around = np.lib.stride_tricks.sliding_window_view(bend, 2 * AROUND, axis=0).max(axis=-1)
        largest = np.maximum(around[np.minimum(k, len(around) - 1)], self.least)
        return np.unique(k[(np.abs(self.values[begin:stop] - line) > largest).any(axis=1)])


def _ask(ahead: Ahead, known: CloseUp, likely: Likely) -> tuple[_Asked, _Asked]:
    """Return the values of a function beside likely times with those that are known, and beside times left out."""
    both, at = np.union1d(likely.named, likely.combined), CLOSEST_PART * known.h
    middle = 0.5 * (both[1:] + both[:-1])[np.diff(both) < known.h]
    beside = np.add.outer(known.h * np.array([*BESIDE, *(-x for x in BESIDE)]), likely.named).ravel()
    times = np.unique(np.concatenate([both - at, both + at, middle, beside, likely.nodes]))
    times = times[(times > known.first) & (times < known.last)]
    others = np.unique(np.concatenate([likely.left_out - at, likely.left_out + at]))
    values, of_others = ahead.asked(times), ahead.asked(others)
    least = LEAST_PART * np.ptp(np.concatenate([known.values, values]), axis=0)
    times = np.concatenate([np.linspace(known.first, known.last, len(known.values)), times])
    order = np.argsort(times)
    return _Asked(times[order], np.concatenate([known.values, values])[order], least), _Asked(
        others, of_others, least
    )


def _missed_by_half(whole: CloseUp, asked: _Asked) -> np.ndarray:
    """Return the numbers of the intervals, (k,), in which every second sample misses something.

    A pulse that one of more samples hits is shorter than the distance of those of the run.
    """
    missed, h = [asked.missed_by(whole)], whole.h
    for shift in (0, 1):
        half = CloseUp(whole.first + shift * h, whole.last - shift * h, whole.values[shift::2])
        k = 2 * asked.missed_by(half) + shift
        missed += [k, k + 1]
    return np.unique(np.concatenate(missed))


def _around(part: CloseUp, missed: np.ndarray) -> list[tuple[float, float]]:
    """Return parts of the time, s, around the intervals (k,) of samples that miss something."""
    if not len(missed):
        return []
    n, groups = len(part.values) - 1, np.split(missed, np.flatnonzero(np.diff(missed) > 2 * MARGIN) + 1)
    ends = [(max(int(g[0]) - MARGIN, 0), min(int(g[-1]) + 1 + MARGIN, n)) for g in groups]
    return [(part.first + a * part.h, part.first + b * part.h) for a, b in ends]


def _refined(
    ahead: Ahead, parts: list[tuple[float, float]], h: float, asked: _Asked
) -> tuple[list[CloseUp], bool]:
    """Return closer samples in parts with samples apart by h (s), and in parts of these; and whether they are all."""
    found, work, left = list[CloseUp](), [(part, h, 1) for part in parts], int(SHARE_OF_CALLS * ahead.left)
    while work:
        (first, last), h, depth = work.pop(0)
        count = CLOSER * round((last - first) / h) + 1
        left -= count
        if len(found) == PARTS_LIMIT or left < 0:
            return found, False
        closer = CloseUp(first, last, ahead.asked(np.linspace(first, last, count)))
        found.append(closer)
        if depth < DEPTH:
            work += [(part, closer.h, depth + 1) for part in _around(closer, asked.missed_by(closer))]
    return found, True

"""Parts of a run in which a function of time does what samples at equal distances miss, with closer samples there.

The function is asked closely beside the times that it names (:mod:`flexbody.functions.likely_times`). Where a value
there does not continue the samples around it, a part of the time gets closer samples; what these miss is looked at
again in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .ahead import Ahead
from .close_up import CloseUp
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
#: A value is missed by samples if it is off the line between these by more than so many times this part of the range,
#: and the largest second difference of so many of them on each side.
OFF, LEAST_PART, AROUND = 3.0, 1e-6, 3


class Beside(NamedTuple):
    """Values of a function closely beside likely times.

    Parameters
    ----------
    times : numpy.ndarray
        The times, (n,), s, increasing.
    reach : float
        How far before and behind them the function was asked, s.
    before, behind : numpy.ndarray
        The values there, (n, m).
    """

    times: np.ndarray
    reach: float
    before: np.ndarray
    behind: np.ndarray


class Closer(NamedTuple):
    """What a function does beside the samples of a run: values beside likely times, and parts with closer samples."""

    beside: Beside
    parts: list[CloseUp]


def close_ups(ahead: Ahead, first: float, last: float) -> list[CloseUp]:
    """Return closer samples between two times, s, where those of a run miss what a function does.

    There are none of a slow function. The user is told where they are too many.
    """
    found = closer(ahead, first, last)
    return [] if found is None else found.parts


def closer(ahead: Ahead, first: float, last: float) -> Closer | None:
    """Return what a function does between two times, s, beside the samples of a run; None for a slow function."""
    if (values := ahead.known(first, last)) is None:
        return None
    if ahead.closer is None:
        known = CloseUp(first, last, values)
        likely = likely_times(numbers_in(ahead.functions), first, last, known.h)
        ahead.closer, complete = closer_samples(ahead, known, likely)
        if not complete:
            ahead.tell_crowded()
    return ahead.closer


@np.errstate(all="ignore")  # what is not finite has an error of its own
def closer_samples(ahead: Ahead, known: CloseUp, likely: Likely) -> tuple[Closer, bool]:
    """Return what samples of a run miss, and whether this is all of it.

    Parameters
    ----------
    ahead : Ahead
        The function.
    known : CloseUp
        The samples of the run that were taken.
    likely : Likely
        Times beside which the function is asked.
    """
    beside, asked, of_left_out = _ask(ahead, known, likely)
    parts, complete = _parts(ahead, known, asked, of_left_out)
    return Closer(beside, parts), complete


def _parts(ahead: Ahead, known: CloseUp, asked: _Asked, of_left_out: _Asked) -> tuple[list[CloseUp], bool]:
    """Return parts of a run with closer samples, and whether these are all."""
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
        return np.unique(k[(np.abs(self.values[begin:stop] - line) > OFF * largest).any(axis=1)])


def _ask(ahead: Ahead, known: CloseUp, likely: Likely) -> tuple[Beside, _Asked, _Asked]:
    """Return values of a function beside likely times, all values that are known, and those beside times left out."""
    both, at = np.union1d(likely.named, likely.combined), CLOSEST_PART * known.h
    both = both[(both - 5 * at > known.first) & (both + 5 * at < known.last)]
    middle = 0.5 * (both[1:] + both[:-1])[np.diff(both) < known.h]
    around = np.add.outer(known.h * np.array([*BESIDE, *(-x for x in BESIDE)]), likely.named).ravel()
    times = np.unique(np.concatenate([middle, around, likely.nodes]))
    times = times[(times > known.first) & (times < known.last)]
    beside = Beside(both, at, ahead.asked(both - at), ahead.asked(both + at))
    others = np.unique(np.concatenate([likely.left_out - at, likely.left_out + at]))
    values, of_others = ahead.asked(times), ahead.asked(others)
    times = np.concatenate(
        [np.linspace(known.first, known.last, len(known.values)), times, both - at, both + at]
    )
    values = np.concatenate([known.values, values, beside.before, beside.behind])
    order, least = np.argsort(times), LEAST_PART * np.ptp(values, axis=0)
    return beside, _Asked(times[order], values[order], least), _Asked(others, of_others, least)


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
    found, work, left = list[CloseUp](), [(part, h, 1) for part in parts], SHARE_OF_CALLS * ahead.left
    while work:
        (first, last), h, depth = work.pop(0)
        count = CLOSER * round((last - first) / h) + 1
        left -= ahead.cost(count)
        if len(found) == PARTS_LIMIT or left < 0:
            return found, False
        closer = CloseUp(first, last, ahead.asked(np.linspace(first, last, count)))
        found.append(closer)
        if depth < DEPTH:
            work += [(part, closer.h, depth + 1) for part in _around(closer, asked.missed_by(closer))]
    return found, True

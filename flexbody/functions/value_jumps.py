"""Jumps of the value of a function of time, of any number.

Samples show intervals in which the function changes in another way than around them. All of these are halved at once:
each value in the middle belongs to the polynomial through the values on one side that it is nearer to. There are more
samples as long as they miss something: many intervals stand out, or pulses are shorter than the distance of the
samples, so that others may lie between two of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .enclosing import Values, enclosed, jumps_at_all
from .outstanding import misses_much, short_parts, standing_out
from .pieces import Corner, apart

#: Where samples miss something there are so many times more.
MORE = 4
#: Intervals of a part in which several jumps are close together, over those of the samples around; how often there are
#: parts of parts, and how many are looked at at first and later at once.
PART_INTERVALS, DEPTH_LIMIT, FEW_PARTS, MANY_PARTS = 16, 3, 64, 1024
#: So many pulses that are shorter than the distance of the samples do not happen by chance. A jump goes back by what
#: the one before it has changed, up to this part.
PAIRS, RETURN = 2, 0.05


class Found(NamedTuple):
    """The jumps between two times, and whether there can be more that the samples miss."""

    jumps: list[Corner]
    crowded: bool


class _Counted:
    """A function that knows how often it may still be called."""

    def __init__(self, values: Values, calls: int) -> None:
        self._values, self.left = values, calls

    def __call__(self, times: np.ndarray) -> np.ndarray:
        self.left -= len(times)
        return self._values(times)


class _Part(NamedTuple):
    """A part of the time with the number of intervals between its samples; it lies in ``depth`` others."""

    first: float
    last: float
    intervals: int
    depth: int


def value_jumps(values: Values, first: float, last: float, intervals: int, calls: int) -> Found:
    """Return all jumps of a function between two times (s).

    It is called some ``calls`` times at most, first at the ends of ``intervals`` equal intervals. Jumps that are closer
    to an end than the samples can be missed, as can all if the function is not finite.
    """
    counted, jumps, whole = _Counted(values, calls), list[Corner](), _Part(first, last, intervals, 0)
    while True:
        work, missed, size = [whole], False, FEW_PARTS
        while work and not by_chance(jumps, (last - first) / whole.intervals):
            found, further, missed_here = _look(counted, work[:size])
            jumps, missed = apart([*jumps, *found], last - first), missed or missed_here
            whole = next((part for part in further if part.depth == 0), whole)
            work, size = [*work[size:], *further], MANY_PARTS
        if not by_chance(jumps, (last - first) / whole.intervals):
            return Found(jumps, missed)
        if MORE * whole.intervals > counted.left:
            return Found(jumps, True)
        whole = whole._replace(intervals=MORE * whole.intervals)


def _look(values: _Counted, parts: list[_Part]) -> tuple[list[Corner], list[_Part], bool]:
    """Return the jumps in parts of the time, further parts to look at, and whether samples miss some of these."""
    further, missed = list[_Part](), False
    single: list[tuple[float, float, float, float, float]] = []  # what `enclosed` needs
    around: list[list[_Part]] = []  # the part around each
    for part in parts:
        if part.intervals > values.left:
            missed = True
            continue
        t = np.linspace(part.first, part.last, part.intervals + 1)
        f, h = values(t), (part.last - part.first) / part.intervals
        if not np.isfinite(f).all() or np.ptp(f) == 0.0:
            continue
        groups = standing_out(f, np.abs(np.diff(f, 4)))
        if misses_much(f, groups):
            if not jumps_at_all(values, t, f):
                continue  # (many corners of the rate, or a function that is quicker than the samples)
            if MORE * part.intervals <= values.left:
                further.append(part._replace(intervals=MORE * part.intervals))
                continue
            missed = True
        for begin, stop in groups:
            inside = _inside(part, t, max(begin - 2, 0), min(stop + 6, part.intervals))
            if stop - begin <= 3:  # one jump: it lies within all of these differences
                single.append((float(t[stop]), float(t[begin + 4]), h, part.first, part.last))
                around.append(inside)
            else:
                further += inside
        for begin, stop in short_parts(f):
            further += _inside(part, t, begin, stop)
    at, size, found = enclosed(values, *np.array(single).reshape(-1, 5).T)
    jumps = [Corner(x, 0, y) for x, y in zip(at[found].tolist(), size[found].tolist(), strict=True)]
    return jumps, further + [part for k in np.flatnonzero(~found).tolist() for part in around[k]], missed


def _inside(part: _Part, t: np.ndarray, low: int, high: int) -> list[_Part]:
    """Return the part between two of the times t (n,), s, with more samples, in a list; none if it is rough."""
    if part.depth == DEPTH_LIMIT or high - low > part.intervals // 4:
        return []
    return [_Part(float(t[low]), float(t[high]), PART_INTERVALS * (high - low), part.depth + 1)]


def by_chance(corners: list[Corner], h: float) -> bool:
    """Return whether samples, apart by ``h`` (s), hit pulses that are shorter by chance, and missed others.

    A pulse leaves the function as it was. Samples on both sides of other jumps differ.
    """
    jumps = sorted(corner for corner in corners if corner.order == 0)
    t, size = np.array([(jump.t, jump.jump) for jump in jumps]).reshape(-1, 2).T
    goes_back = np.abs(size[1:] + size[:-1]) < RETURN * np.abs(size[1:])
    return bool(np.count_nonzero(goes_back & (np.diff(t) < h)) >= PAIRS)

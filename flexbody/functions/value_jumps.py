"""Jumps of the value of a function of time, of any number.

Samples show intervals in which the function changes in another way than around them. All of these are halved at once:
each value in the middle belongs to the polynomial through the values on one side that it is nearer to. There are more
samples as long as they miss something: many intervals stand out, or pulses are as short as the distance of the samples,
so that others may lie between two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .enclosing import jumps_at_all
from .numbers_of_laws import Number
from .outstanding import misses_much, short_parts, standing_out
from .pieces import Corner, apart
from .returns import by_chance, misses_some

#: Where samples miss something there are so many times more.
MORE = 4
#: Intervals of a part in which several jumps are close together, over those of the samples around; how often there are
#: parts of parts, and how many are looked at at first and later at once.
PART_INTERVALS, DEPTH_LIMIT, FEW_PARTS, MANY_PARTS = 16, 3, 64, 1024


class Found(NamedTuple):
    """The jumps between two times, and whether there can be more that the samples miss."""

    jumps: list[Corner]
    crowded: bool


class _Part(NamedTuple):
    """A part of the time with the number of intervals between its samples; it lies in ``depth`` others."""

    first: float
    last: float
    intervals: int
    depth: int


@np.errstate(all="ignore")  # what is not finite has an error of its own
def value_jumps(number: Number, least: float = 0.0, known: Sequence[Corner] = ()) -> Found:
    """Return all jumps of a number of a function in its part of a run, beside those that are known.

    Jumps that are closer to an end than the samples can be missed, as can all if the function is not finite.

    Parameters
    ----------
    number : Number
        The number, with samples at equal distances.
    least : float, optional
        Fourth difference of samples from which on jumps count.
    known : sequence of Corner, optional
        Jumps that samples have shown before.
    """
    first, last, jumps = number.part.first, number.part.last, list(known)
    whole = _Part(first, last, number.intervals, 0)
    while True:
        work, missed, size = [whole], False, FEW_PARTS
        while work and not by_chance(jumps, (last - first) / whole.intervals):
            found, further, missed_here = _look(number, work[:size], least)
            jumps, missed = apart([*jumps, *found], last - first), missed or missed_here
            whole = next((part for part in further if part.depth == 0), whole)
            work, size = [*work[size:], *further], MANY_PARTS
        h = (last - first) / whole.intervals
        if not by_chance(jumps, h) and not misses_some(jumps, h):
            return Found(jumps, missed)
        more = whole._replace(intervals=MORE * whole.intervals)
        if missed or not _affords(number, more):
            return Found(jumps, True)
        whole = more


def _affords(number: Number, part: _Part) -> bool:
    """Return whether there may be so many samples of a part."""
    return number.affords(part.intervals) if part.depth else number.affords_samples(part.intervals)


def _look(number: Number, parts: list[_Part], least: float) -> tuple[list[Corner], list[_Part], bool]:
    """Return the jumps in parts of the time, further parts to look at, and whether samples miss some of these."""
    further, missed = list[_Part](), False
    single: list[tuple[float, float, float, float, float]] = []  # what `Number.enclosed` needs
    around: list[list[_Part]] = []  # the part around each
    for part in parts:
        if part.depth and not _affords(number, part):
            missed = True
            continue
        number.ahead.take(0, parts=1)
        t = np.linspace(part.first, part.last, part.intervals + 1)
        f = number(t) if part.depth else number.samples(part.intervals)
        if not np.isfinite(f).all() or np.ptp(f) == 0.0:
            continue
        size = number.differences(f, part.first, part.last)
        groups = standing_out(f, size, least)
        if misses_much(f, size, groups, least):
            # (others are corners of the rate, or a function that is quicker than the samples)
            if jumps_at_all(number, t, f):
                more = part._replace(intervals=MORE * part.intervals)
                missed |= not _affords(number, more)
                further += [more] if _affords(number, more) else []
            continue
        for begin, stop in groups:
            inside = _inside(part, t, max(begin - 2, 0), min(stop + 6, part.intervals))
            if stop - begin <= 3:  # one jump: it lies within all of these differences
                h = (part.last - part.first) / part.intervals
                single.append((float(t[stop]), float(t[begin + 4]), h, part.first, part.last))
                around.append(inside)
            else:
                further += inside
        for begin, stop in short_parts(f, size, least):
            further += _inside(part, t, begin, stop)
    if not single:
        return [], further, missed
    before, most = len(number.jumps.corners), number.jumps_afforded()
    found = number.enclosed(np.array(single[:most]).reshape(-1, 5))
    other = np.flatnonzero(~found.found & ~found.smooth).tolist()
    further += [part for k in other for part in around[k]]
    return number.jumps.corners[before:], further, missed or len(single) > most


def _inside(part: _Part, t: np.ndarray, low: int, high: int) -> list[_Part]:
    """Return the part between two of the times t (n,), s, with more samples, in a list; none if it is rough."""
    if part.depth == DEPTH_LIMIT or high - low > part.intervals // 4:
        return []
    return [_Part(float(t[low]), float(t[high]), PART_INTERVALS * (high - low), part.depth + 1)]

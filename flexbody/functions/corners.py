"""Corners of functions of time: times at which the first or the second derivative jumps, and jumps of loads.

Between them a function is taken as smooth. Samples show where its fourth differences stand out from those around. There
polynomials of degree four through values on both sides are continued to each other: where they meet is the corner, and
how far their derivatives differ there is its jump. The distance of the values is then reduced down to round-off. The
jump of a corner stays what it is, that of a function which only bends quickly decreases. A jump of the value is
enclosed by bisection: each value belongs to the polynomial that it is nearer to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core.time_laws import call
from ..core.time_laws import samples as law_samples
from .jumps import BEGINNING_RATIO, LEAST_PART, find_jump
from .pieces import BESIDE_CORNER, Corner

#: Intervals between the samples, and between those of a part in which several corners are close to each other.
INTERVALS, PART_INTERVALS, DEPTH_LIMIT = 2048, 16, 4
#: Where no more groups of fourth differences stand out, those without one corner are looked at closely, if they are
#: larger than this part of what the function changes.
FEW_GROUPS, SHARP_PART = 100, 1e-4
#: A fourth difference stands out if it exceeds those at so many samples on both sides by this factor.
PROMINENCE, NEIGHBOURS, GAP = 8.0, 12, 5
#: Round-off of a fourth difference over that of the values.
DIFFERENCE_NOISE = 50.0
#: Factor by which the distance of the values is reduced, and the relative change of a jump that is permitted.
REDUCTION, JUMP_CHANGE = 0.25, 0.02
#: Reductions over which a jump must stay the same, and the most of them.
REDUCTIONS_COMPARED, REDUCTION_LIMIT = 2, 40
#: Round-off of first and second derivatives, over that of the values and a power of their distance.
RATE_NOISE, ACCELERATION_NOISE = 25.0, 80.0
#: Where polynomials meet as at a corner of the acceleration, their values differ by less than this part of its size.
VALUE_GAP = 0.05
#: Round-off may be this part of a jump that is still compared.
NOISE_PART = 3e-3
#: A function with more corners is rough. If more than this part of the samples shows corners, there are more samples.
CORNER_LIMIT, DENSITY, SAMPLE_FACTOR = 2000, 0.2, 16
#: Fourth differences are large from this part of the largest on; of a function that the samples resolve, they are on
#: average below this ratio to the second ones.
UNRESOLVED_PART, UNRESOLVED_RATIO = 0.01, 0.5

#: Where polynomials meet, their distance falls below the first part of what it was; a value that is farther than the
#: second part of it from both belongs to neither.
STAYS, BETWEEN = 0.5, 0.25
#: Corners of the rate of a load are kept if there are no more.
FEW_CORNERS = 50
#: Whether a load jumps at all is tried where it changes most, by so many halvings that keep this part of a change.
TRIED_INTERVALS, HALVINGS, KEPT_BY_JUMP = 8, 8, 0.5

#: A given derivative jumps within this part of the run around its corner.
JUMP_REACH = 1e-7

EPS = float(np.finfo(float).eps)

#: From a first time, an interval (s) and a number of times to the values there, (n,).
Samples = Callable[[float, float, int], np.ndarray]


class _Sought(NamedTuple):
    """A function with what is sought in it."""

    function: Callable[[float], float]
    samples: Samples
    orders: tuple[int, ...]  # of the derivatives that jump


def corners_of(
    value: Callable, rate: Callable | None, acceleration: Callable | None, first: float, last: float
) -> tuple[Corner, ...]:
    """Return the corners of a user's function between two times (s), whose derivatives may be given.

    A corner of a derivative that is given is a jump of it; where it does not jump, there is none.
    """
    found, near = [], JUMP_REACH * (last - first)
    for corner in find_corners(value, first, last):
        given = (rate, acceleration)[corner.order - 1]
        if given is None:
            found.append(corner)
        elif jump := find_jump(given, corner.t - near, corner.t + near, 0.5 * abs(corner.jump)):
            found.append(Corner(jump[0], corner.order, jump[1]))
    return tuple(found)


@np.errstate(all="ignore")  # what is not finite has an error of its own
def find_corners(function: Callable[[float], float], first: float, last: float) -> tuple[Corner, ...]:
    """Return the corners of a function of time between two times, in their order.

    Parameters
    ----------
    function : callable
        Function of time (s).
    first, last : float
        The interval, s.

    Returns
    -------
    tuple of Corner
        The corners; none if the function fails or is rough: it has more than ``CORNER_LIMIT``.

    Notes
    -----
    A corner that is closer to an end than a 500th of the interval, or a jump of the second derivative that is smaller
    than what the third one changes in a 500th, can be missed. Jumps of the value are no corners.
    """

    def samples(begin: float, step: float, count: int) -> np.ndarray:
        times = begin + step * np.arange(count)
        return np.array([function(x) for x in np.minimum(times, last).tolist()], dtype=float)

    try:
        found = _search(_Sought(function, samples, (0, 1, 2)), first, last, INTERVALS, 0)
    except Exception:
        return ()  # the error is reported where the run calls the function
    return _apart([corner for corner in found or () if corner.order > 0], last - first)


def corners_of_load(pair: tuple[int, int], first: float, last: float) -> tuple[Corner, ...]:
    """Return where one of the numbers of a compiled law jumps, or its rate does, between two times (s).

    Corners of the rate are left out if there are more than ``FEW_CORNERS``: to end steps at them costs more than it
    saves.
    """
    if not last > first:
        return ()
    known: dict[tuple[float, float, int], np.ndarray] = {}

    def sought(k: int) -> _Sought:
        def samples(*times: Any) -> np.ndarray:
            if times not in known:
                known[times] = law_samples(pair, *times)
            return known[times][:, k]

        return _Sought(lambda t: call(pair, t)[k], samples, (0, 1))

    found = list[Corner]()
    for one in map(sought, range(3)):
        found += [*(_search(one, first, last, INTERVALS, 0) or ()), *_at_end(one.function, last)]
    kept = _apart(found, last - first)
    if len(kept) <= FEW_CORNERS:
        return kept
    return _apart([corner for corner in found if corner.order == 0], last - first)


def _at_end(function: Callable[[float], float], last: float) -> list[Corner]:
    """Return the jump of a load at the last time, which has no samples behind it."""
    at, before, earlier = (function(last * (1 - k * BESIDE_CORNER)) for k in range(3))
    size = at - before
    least = max(BEGINNING_RATIO * abs(before - earlier), LEAST_PART * max(abs(at), abs(before)))
    return [Corner(last, 0, size)] if abs(size) > least else []


def _jumps(one: _Sought, t: np.ndarray, values: np.ndarray) -> bool:
    """Return whether a function jumps in one of the intervals between the times t (n,) in which it changes most."""
    changes = np.abs(np.diff(values))
    for k in np.argsort(changes)[-TRIED_INTERVALS:].tolist():
        a, b, at, behind = float(t[k]), float(t[k + 1]), values[k], values[k + 1]
        for _ in range(HALVINGS):
            x = 0.5 * (a + b)
            value = one.function(x)
            if abs(behind - value) > abs(value - at):
                a, at = x, value
            else:
                b, behind = x, value
        if abs(behind - at) > KEPT_BY_JUMP * changes[k] > 0.0:
            return True
    return False


def _apart(found: list[Corner], duration: float) -> tuple[Corner, ...]:
    """Return the corners in their order, without those that were found twice; none if they are too many."""
    near, kept = 1e-9 * duration, list[Corner]()
    for corner in sorted(found):
        if not kept or corner.t > kept[-1].t + near:
            kept.append(corner)
    return tuple(kept) if len(kept) <= CORNER_LIMIT else ()


def _search(one: _Sought, first: float, last: float, count: int, depth: int) -> list[Corner] | None:
    """Return the corners between two times from ``count`` intervals, or None if they are too many."""
    t, h = np.linspace(first, last, count + 1), (last - first) / count
    values = one.samples(first, h, count + 1)
    if not np.isfinite(values).all() or np.ptp(values) == 0.0:
        return []
    size = np.abs(np.diff(values, 4))
    groups = _standing_out(values, size)
    dense = sum(stop - begin for begin, stop in groups) > DENSITY * count or _is_unresolved(values)
    if depth == 0 and 0 in one.orders and (dense or len(groups) > FEW_CORNERS) and not _jumps(one, t, values):
        return []  # (many corners of the rate alone)
    if depth == 0 and count == INTERVALS and dense:
        return _search(one, first, last, SAMPLE_FACTOR * count, depth)
    if len(groups) > CORNER_LIMIT:
        return None
    found, end = list[Corner](), count
    sharp = SHARP_PART * np.ptp(values) if len(groups) <= FEW_GROUPS else np.inf
    for begin, stop in groups:
        if stop - begin <= 3:  # one corner: it lies within all of these differences
            inside = float(t[stop]), float(t[begin + 4])
            corner = _corner(one, *inside, h, first, last)
            if corner is not None:
                found.append(corner)
                continue
        a, b = max(begin - 2, 0), min(stop + 6, end)
        if depth < DEPTH_LIMIT and (
            size[begin : stop + 1].max() > sharp or stop - begin > 3 or a == 0 or b == end
        ):
            if b - a > count // 4:
                continue  # rough
            found += (
                _search(one, float(t[a]), float(t[b]), min(PART_INTERVALS * (b - a), count), depth + 1) or []
            )
    return found


def _is_unresolved(values: np.ndarray) -> bool:
    """Return whether samples miss what a function does, as with corners at every few of them."""
    second, fourth = np.abs(np.diff(values, 2)), np.abs(np.diff(values, 4))
    noise = DIFFERENCE_NOISE * EPS * float(np.abs(values).max())
    large = fourth > max(noise, UNRESOLVED_PART * float(fourth.max(initial=0.0)))
    return bool(large.mean() > DENSITY and fourth.mean() > UNRESOLVED_RATIO * second.mean())


def _standing_out(values: np.ndarray, size: np.ndarray) -> list[tuple[int, int]]:
    """Return the first and last number of the fourth differences, of these sizes, of each group that stands out."""
    reach = NEIGHBOURS + GAP
    if len(size) < 2 * reach:
        return []
    # the lower quartile on each side, so that other corners there do not count
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(size, reach), NEIGHBOURS)
    low = np.partition(windows, NEIGHBOURS // 4, axis=1)[:, NEIGHBOURS // 4]
    n = len(size)
    around = np.maximum(low[:n], low[reach + GAP : reach + GAP + n])
    noise = DIFFERENCE_NOISE * EPS * float(np.abs(values).max())
    marks = np.flatnonzero(size > np.maximum(PROMINENCE * around, noise))
    if not len(marks):
        return []
    groups = np.split(marks, np.flatnonzero(np.diff(marks) > 2) + 1)
    return [(int(group[0]), int(group[-1])) for group in groups]


def _corner(one: _Sought, begin: float, end: float, h: float, first: float, last: float) -> Corner | None:
    """Return the corner or jump of a function between ``begin`` and ``end``, or None if there is none.

    ``h``: distance of the samples, s; ``first``, ``last``: the times at which the function is known, s.
    """
    room = min((begin - first) / 4, (last - end) / 4)
    for order, step in ((0, REDUCTION * h), (1, REDUCTION * h), (2, h), (2, REDUCTION * h)):
        if order not in one.orders:
            continue
        found = (_approached if order else _jump)(one.function, begin, end, min(step, room), order)
        if found is not None:
            return found
    return None


def _jump(function: Callable, a: float, b: float, h: float, order: int) -> Corner | None:
    """Return the jump of the value in [a, b] from polynomials on both sides, or None if these meet there."""
    if not h > 0.0:
        return None
    begin, end, first = a, b, 0.0
    left = _powers([float(function(a - k * h)) for k in range(5)])
    right = _powers([float(function(b + k * h)) for k in range(5)])
    while a < (x := 0.5 * (a + b)) < b:
        before, behind = _value(left, (begin - x) / h), _value(right, (x - end) / h)
        value, size = float(function(x)), abs(behind - before)
        first = first or size
        if not size > STAYS * first or min(abs(value - before), abs(value - behind)) > BETWEEN * size:
            return None
        a, b = (x, b) if abs(value - before) < abs(value - behind) else (a, x)
    size = _value(right, (b - end) / h) - _value(left, (begin - a) / h)
    return Corner(_rounded(b, 4 * EPS * abs(b)), order, size)


def _approached(function: Callable, a: float, b: float, h: float, order: int) -> Corner | None:
    """Return the corner of an order in [a, b] from values in shorter and shorter distances, which begin with ``h``.

    None if its jump does not stay the same down to round-off.
    """
    if not h > 0.0:
        return None
    levels: list[tuple[float, float, float]] = []  # time, jump, and round-off of the time
    for _ in range(REDUCTION_LIMIT):
        meeting = _meeting(function, a, b, h, order)
        if meeting is None:
            return None
        t, jump, noise = meeting
        if not noise <= NOISE_PART * max(abs(jump), abs(levels[-1][1]) if levels else 0.0):
            break
        if levels and abs(jump - levels[-1][1]) > JUMP_CHANGE * abs(jump):
            if len(levels) > 1:
                return None
            levels.clear()  # the first distance was too long for the function beside the corner
        levels.append((t, jump, noise * h / abs(jump)))
        h *= REDUCTION if len(levels) <= REDUCTIONS_COMPARED else REDUCTION**3
        a, b = t - 0.5 * h, t + 0.5 * h
        if not a < t < b:
            break
    if len(levels) <= REDUCTIONS_COMPARED:
        return None
    # truncation first decreases, then round-off grows: the best is where the estimates change least
    t, jump, noise = np.array(levels).T
    change = np.abs(np.diff(t))
    best = int(np.argmin(change))
    uncertain = 4 * float(change[best]) + 8 * EPS * abs(float(t[-1])) + float(noise[best + 1])
    return Corner(_rounded(float(t[best + 1]), uncertain), order, float(jump[min(best, REDUCTIONS_COMPARED)]))


def _rounded(t: float, uncertain: float) -> float:
    """Return the number with the fewest digits that differs from ``t`` by no more than ``uncertain``."""
    return next(x for digits in range(1, 18) if abs((x := float(f"{t:.{digits}g}")) - t) <= uncertain)


def _meeting(
    function: Callable, a: float, b: float, h: float, order: int
) -> tuple[float, float, float] | None:
    """Return the time at which the polynomials beside [a, b] meet, the jump of a derivative there, and its round-off.

    None if they do not meet near the interval as at a corner of this order.
    """
    left = [float(function(a - k * h)) for k in range(5)]
    right = [float(function(b + k * h)) for k in range(5)]
    p, q = _powers(left), _powers(right)
    lost = EPS * (max(map(abs, left + right)) + max(abs(p[1]), abs(q[1])) * max(abs(a), abs(b)) / h)
    width = (b - a) / h
    # the difference of both in powers of s = (t - a) / h; that of the left is in powers of -s
    away = [y - (-1) ** k * x for k, (x, y) in enumerate(zip(p, _shifted(q, -width), strict=True))]
    rate = [k * x for k, x in enumerate(away)][1:]
    bend = [k * x for k, x in enumerate(rate)][1:]
    of, slope = (away, rate) if order == 1 else (rate, bend)
    s = 0.5 * width
    for _ in range(8):  # Newton's method
        steep = _value(slope, s)
        if steep == 0.0 or not math.isfinite(steep):
            return None
        change = _value(of, s) / steep
        s -= change
        if abs(change) < 1e-14 * (1.0 + abs(s)):
            break
    if not -0.6 <= s <= width + 0.6:
        return None
    if order == 1:
        return a + s * h, _value(rate, s) / h, RATE_NOISE * lost / h
    # where the rates meet, the values do too
    if abs(_value(away, s)) > VALUE_GAP * abs(_value(bend, s)) + ACCELERATION_NOISE * lost:
        return None
    return a + s * h, _value(bend, s) / h**2, ACCELERATION_NOISE * lost / h**2


def _powers(f: list[float]) -> list[float]:
    """Return the coefficients of the polynomial through f[k] at s = k, in powers of s: Newton's forward form."""
    d1, d2, d3 = f[1] - f[0], f[2] - 2.0 * f[1] + f[0], f[3] - 3.0 * f[2] + 3.0 * f[1] - f[0]
    d4 = f[4] - 4.0 * f[3] + 6.0 * f[2] - 4.0 * f[1] + f[0]
    return [f[0], d1 - d2 / 2 + d3 / 3 - d4 / 4, d2 / 2 - d3 / 2 + 11 * d4 / 24, d3 / 6 - d4 / 4, d4 / 24]


def _value(c: list[float], s: float) -> float:
    """Return ``sum c_k s^k``."""
    value = 0.0
    for x in reversed(c):
        value = value * s + x
    return value


def _shifted(c: list[float], by: float) -> list[float]:
    """Return the coefficients of ``sum c_k (s + by)^k`` in powers of s."""
    out = [0.0] * len(c)
    for x in reversed(c):
        out = [x + by * out[0], *(low + by * high for low, high in pairwise(out))]
    return out

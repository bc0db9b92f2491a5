"""Corners of functions of time: times at which the first or the second derivative jumps.

Between them a function is taken as smooth. Samples show where its fourth differences stand out from those around. There
polynomials of degree four through values on both sides are continued to each other: where they meet is the corner, and
how far their derivatives differ there is its jump. The distance of the values is then reduced down to round-off. The
jump of a corner stays what it is, that of a function which only bends quickly decreases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .enclosing import EPS, Enclosed, Values, enclosed, jumps_at_all, polynomial, powers, rounded, shifted
from .jumps import find_jump
from .outstanding import FEW_GROUPS, INTERVALS, misses_much, short_parts, standing_out
from .pieces import Corner, apart

#: Intervals between the samples of a part in which several corners are close to each other, over those around.
PART_INTERVALS, DEPTH_LIMIT = 16, 4
#: Where no more than ``FEW_GROUPS`` of fourth differences stand out, those without one corner are looked at closely, if
#: they are larger than this part of what the function changes.
SHARP_PART = 1e-4
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
#: A function with more corners is rough. If samples miss much of it, there are so many times more.
CORNER_LIMIT, SAMPLE_FACTOR = 2000, 16

#: A given derivative jumps within this part of the run around its corner.
JUMP_REACH = 1e-7


def fourth_differences(values: np.ndarray, first: float, last: float) -> np.ndarray:
    """Return the sizes of the fourth differences of samples (n,) between two times."""
    return np.abs(np.diff(values, 4))


class Sought(NamedTuple):
    """A function with what is sought in it."""

    values: Values
    orders: tuple[int, ...]  # of the derivatives that jump, beside jumps of the value
    differences: Callable[[np.ndarray, float, float], np.ndarray] = (
        fourth_differences  # of samples between two times
    )
    may_go_on: Callable[[], bool] = lambda: True  # whether what may be looked for is not used up
    enclosed: Callable[[np.ndarray], Enclosed] | None = None  # what is in intervals, see `Number.enclosed`


def corners_of(
    value: Callable,
    rate: Callable | None,
    acceleration: Callable | None,
    first: float,
    last: float,
    intervals: int = INTERVALS,
) -> tuple[Corner, ...]:
    """Return the corners of a user's function between two times (s), whose derivatives may be given.

    A corner of a derivative that is given is a jump of it; where it does not jump, there is none.
    """
    found, near = [], JUMP_REACH * (last - first)
    for corner in find_corners(value, first, last, intervals):
        given = (rate, acceleration)[corner.order - 1]
        if given is None:
            found.append(corner)
        elif jump := find_jump(given, corner.t - near, corner.t + near, 0.5 * abs(corner.jump)):
            found.append(Corner(jump[0], corner.order, jump[1]))
    return tuple(found)


@np.errstate(all="ignore")  # what is not finite has an error of its own
def find_corners(
    function: Callable[[float], float], first: float, last: float, intervals: int = INTERVALS
) -> tuple[Corner, ...]:
    """Return the corners of a function of time between two times, in their order.

    Parameters
    ----------
    function : callable
        Function of time (s).
    first, last : float
        The interval, s.
    intervals : int, optional
        Number of intervals between its samples.

    Returns
    -------
    tuple of Corner
        The corners; none if the function fails or is rough: it has more than ``CORNER_LIMIT``.

    Notes
    -----
    A corner that is closer to an end than a 500th of the interval, or a jump of the second derivative that is smaller
    than what the third one changes in a 500th, can be missed. Jumps of the value are no corners.
    """

    def values(times: np.ndarray) -> np.ndarray:
        return np.array([function(x) for x in np.minimum(times, last).tolist()], dtype=float)

    try:
        found = search(Sought(values, (1, 2)), first, last, intervals, 0)
    except Exception:
        return ()  # the error is reported where the run calls the function
    kept = apart([corner for corner in found or () if corner.order > 0], last - first)
    return tuple(kept) if len(kept) <= CORNER_LIMIT else ()


def search(one: Sought, first: float, last: float, count: int, depth: int) -> list[Corner] | None:
    """Return the corners between two times from ``count`` intervals, or None if they take too many calls.

    For a load, whose corners of the acceleration are not sought, there are too many where the samples miss much.
    """
    t, h = np.linspace(first, last, count + 1), (last - first) / count
    values = one.values(t)
    if not np.isfinite(values).all() or np.ptp(values) == 0.0:
        return []
    size = one.differences(values, first, last)
    groups, load = standing_out(values, size), 2 not in one.orders
    much = misses_much(values, size, groups)
    if load and (much or len(groups) > FEW_GROUPS or short_parts(values, size)):
        return None if jumps_at_all(one.values, t, values) else []  # (many corners of the rate alone)
    if depth == 0 and count <= INTERVALS and much:
        return search(one, first, last, SAMPLE_FACTOR * count, depth)
    if len(groups) > CORNER_LIMIT:
        return None
    found, end = list[Corner](), count
    sharp = SHARP_PART * np.ptp(values) if len(groups) <= FEW_GROUPS else np.inf
    single = np.array([group for group in groups if group[1] - group[0] <= 3], dtype=int).reshape(-1, 2)
    at = np.column_stack(
        [t[single[:, 1]], t[single[:, 0] + 4], *np.outer((h, first, last), np.ones(len(single)))]
    )
    jumps = one.enclosed(at) if one.enclosed else enclosed(one.values, *at.T)
    jump_at = dict(zip(single[:, 0].tolist(), zip(*jumps[:3], strict=True), strict=True))
    for begin, stop in groups:
        if not one.may_go_on():
            return None
        if stop - begin <= 3:  # one corner: it lies within all of these differences
            at, jump, found_jump = jump_at[begin]
            corner = Corner(float(at), 0, float(jump)) if found_jump else None
            corner = corner or _corner(one, float(t[stop]), float(t[begin + 4]), h, first, last)
            if corner is not None:
                found.append(corner)
                continue
        a, b = max(begin - 2, 0), min(stop + 6, end)
        if depth < DEPTH_LIMIT and (
            size[begin : stop + 1].max() > sharp or stop - begin > 3 or a == 0 or b == end
        ):
            if b - a > count // 4:
                continue  # rough
            part = search(one, float(t[a]), float(t[b]), min(PART_INTERVALS * (b - a), count), depth + 1)
            if part is None and load:
                return None
            found += part or []
    return found


def _corner(one: Sought, begin: float, end: float, h: float, first: float, last: float) -> Corner | None:
    """Return the corner of a function between ``begin`` and ``end``, or None if there is none.

    ``h``: distance of the samples, s; ``first``, ``last``: the times at which the function is known, s.
    """
    room = min((begin - first) / 4, (last - end) / 4)
    for order, step in ((1, REDUCTION * h), (2, h), (2, REDUCTION * h)):
        if order in one.orders:
            found = _approached(one.values, begin, end, min(step, room), order)
            if found is not None:
                return found
    return None


def _approached(values: Values, a: float, b: float, h: float, order: int) -> Corner | None:
    """Return the corner of an order in [a, b] from values in shorter and shorter distances, which begin with ``h``.

    None if its jump does not stay the same down to round-off.
    """
    if not h > 0.0:
        return None
    levels: list[tuple[float, float, float]] = []  # time, jump, and round-off of the time
    for _ in range(REDUCTION_LIMIT):
        meeting = _meeting(values, a, b, h, order)
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
    return Corner(rounded(float(t[best + 1]), uncertain), order, float(jump[min(best, REDUCTIONS_COMPARED)]))


def _meeting(values: Values, a: float, b: float, h: float, order: int) -> tuple[float, float, float] | None:
    """Return the time at which the polynomials beside [a, b] meet, the jump of a derivative there, and its round-off.

    None if they do not meet near the interval as at a corner of this order.
    """
    given = values(np.array([a - k * h for k in range(5)] + [b + k * h for k in range(5)])).tolist()
    left, right = given[:5], given[5:]
    p, q = powers(left), powers(right)
    lost = EPS * (max(map(abs, left + right)) + max(abs(p[1]), abs(q[1])) * max(abs(a), abs(b)) / h)
    width = (b - a) / h
    # the difference of both in powers of s = (t - a) / h; that of the left is in powers of -s
    away = [y - (-1) ** k * x for k, (x, y) in enumerate(zip(p, shifted(q, -width), strict=True))]
    rate = [k * x for k, x in enumerate(away)][1:]
    bend = [k * x for k, x in enumerate(rate)][1:]
    of, slope = (away, rate) if order == 1 else (rate, bend)
    s = 0.5 * width
    for _ in range(8):  # Newton's method
        steep = polynomial(slope, s)
        if steep == 0.0 or not math.isfinite(steep):
            return None
        change = polynomial(of, s) / steep
        s -= change
        if abs(change) < 1e-14 * (1.0 + abs(s)):
            break
    if not -0.6 <= s <= width + 0.6:
        return None
    if order == 1:
        return a + s * h, polynomial(rate, s) / h, RATE_NOISE * lost / h
    # where the rates meet, the values do too
    if abs(polynomial(away, s)) > VALUE_GAP * abs(polynomial(bend, s)) + ACCELERATION_NOISE * lost:
        return None
    return a + s * h, polynomial(bend, s) / h**2, ACCELERATION_NOISE * lost / h**2

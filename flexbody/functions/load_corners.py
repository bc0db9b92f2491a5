"""Where loads and forces of time jump, or their rates do: steps of a run end there."""

from __future__ import annotations

import numpy as np

from .ahead import Ahead
from .close_up import CloseUp
from .close_ups import closer
from .corners import Sought, search
from .enclosing import NOWHERE
from .jumps import BEGINNING_RATIO, LEAST_PART
from .jumps_at_times import jumps_at, jumps_beside
from .numbers_of_laws import Jumps, Number
from .outstanding import INTERVALS, least_difference
from .pieces import BESIDE_CORNER, Corner, apart
from .returns import by_chance, misses_some
from .value_jumps import Found, value_jumps

#: Corners of the rate of a load are kept if there are no more.
FEW_CORNERS = 50
#: Intervals between samples that are kept for the run.
KEPT_INTERVALS = 4 * INTERVALS


def corners_of_load(ahead: Ahead, first: float, last: float) -> tuple[Corner, ...]:
    """Return where one of the numbers of a law jumps, or its rate does, between two times (s).

    Corners of the rate are left out if there are more than ``FEW_CORNERS``: to end steps at them costs more than it
    saves.
    """
    if not last > first or (samples := ahead.over(first, last, INTERVALS)) is None:
        return ()
    found = _of_parts(ahead, CloseUp(first, last, samples), rates=True)
    kept = apart(found, last - first)  # (of numbers that jump at the same time, one)
    if len(kept) > FEW_CORNERS:
        kept = apart([corner for corner in found if corner.order == 0], last - first)
    return tuple(kept)


@np.errstate(all="ignore")  # what is not finite has an error of its own
def jumps_over_time(ahead: Ahead, first: float, last: float) -> tuple[Corner, ...]:
    """Return where a law of time and motion jumps between two times (s), for one motion."""
    if not last > first or (samples := ahead.over(first, last, INTERVALS)) is None or not ahead.repeats:
        return ()
    return tuple(apart(_of_parts(ahead, CloseUp(first, last, samples), rates=False), last - first))


def _of_parts(ahead: Ahead, whole: CloseUp, rates: bool) -> list[Corner]:
    """Return what is found in the components of a function, in the whole time and in parts with closer samples.

    ``rates``: whether corners of the rate are looked for, too, as long as they are few.
    """
    ahead.tell_slow(whole.last - whole.first)
    known, of_rates = closer(ahead, whole.first, whole.last), list[Corner]()
    numbers = range(whole.values.shape[1])
    least, jumps = [_least(whole.values[:, k]) for k in numbers], [Jumps() for _ in numbers]
    for k in numbers:
        if known is not None:
            beside, number = known.beside, Number(ahead, whole, k, jumps=jumps[k])
            sides = beside.before[:, k], beside.behind[:, k]
            jumps_at(number, beside.times, beside.reach, sides, least[k])
    for part in (*(known.parts if known else ()), whole):  # (that of the whole time may take all calls)
        changing = [k for k in numbers if np.ptp(part.values[:, k]) != 0.0]
        for n, k in enumerate(changing):
            share = ahead.left / ((len(changing) - n) * (1 if part is whole else 2))
            if share <= 0.0:
                ahead.tell_crowded()
                break
            number = Number(ahead, part, k, share, jumps[k])
            if part is whole and known is not None:
                others = [jumps[other].times for other in changing[:n]]
                times = np.unique(np.concatenate([NOWHERE, *others]))
                jumps_beside(number, times, known.beside.reach, least[k])
            before = len(jumps[k].corners)
            found = _of_rate(number) if rates and len(of_rates) <= FEW_CORNERS and not least[k] else None
            found = found or value_jumps(number, least[k], jumps[k].corners[before:])
            if found.crowded:
                ahead.tell_crowded()
            of_rates += [corner for corner in found.jumps if corner.order > 0]
    for k in numbers:
        of_rates += _at_end(Number(ahead, whole, k), whole.last)
    ahead.thin(KEPT_INTERVALS)
    return [*of_rates, *(corner for one in jumps for corner in one.corners)]


def _least(values: np.ndarray) -> float:
    """Return the fourth difference of samples (n,) from which on jumps count."""
    return least_difference(values) if np.isfinite(values).all() and np.ptp(values) > 0.0 else 0.0


def _of_rate(number: Number) -> Found | None:
    """Return the jumps of a number of a law with the corners of its rate, or None if they are many."""
    part = number.part
    sought = Sought(number, (1,), number.differences, number.may_go_on, number.enclosed)
    found = search(sought, part.first, part.last, number.intervals, 0)
    if found is None or by_chance(found, part.h) or misses_some(found, part.h):
        return None
    return Found(found, False)


def _at_end(number: Number, last: float) -> list[Corner]:
    """Return the jump of a load at the last time, which has no samples behind it."""
    at, before, earlier = number(last * (1 - BESIDE_CORNER * np.arange(3))).tolist()
    size = at - before
    least = max(BEGINNING_RATIO * abs(before - earlier), LEAST_PART * max(abs(at), abs(before)))
    return [Corner(last, 0, size)] if abs(size) > least else []

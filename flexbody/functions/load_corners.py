"""Where loads and forces of time jump, or their rates do: steps of a run end there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .ahead import Ahead
from .close_ups import CloseUp, close_ups
from .corners import Sought, search
from .enclosing import Values
from .jumps import BEGINNING_RATIO, LEAST_PART
from .outstanding import INTERVALS
from .pieces import BESIDE_CORNER, Corner, apart
from .value_jumps import Found, by_chance, value_jumps

#: Corners of the rate of a load are kept if there are no more.
FEW_CORNERS = 50


def corners_of_load(ahead: Ahead, first: float, last: float) -> tuple[Corner, ...]:
    """Return where one of the numbers of a law jumps, or its rate does, between two times (s).

    Corners of the rate are left out if there are more than ``FEW_CORNERS``: to end steps at them costs more than it
    saves.
    """
    if not last > first or (samples := ahead.over(first, last, INTERVALS)) is None:
        return ()
    found = _of_parts(ahead, CloseUp(first, last, samples), range(samples.shape[1]), _of_component)
    kept = apart(found, last - first)
    if len(kept) > FEW_CORNERS:
        kept = apart([corner for corner in found if corner.order == 0], last - first)
    return tuple(kept)


@np.errstate(all="ignore")  # what is not finite has an error of its own
def jumps_over_time(ahead: Ahead, first: float, last: float) -> tuple[Corner, ...]:
    """Return where a law of time and motion jumps between two times (s), for one motion."""
    if not last > first or (samples := ahead.over(first, last, INTERVALS)) is None or not ahead.repeats:
        return ()
    return tuple(
        apart(_of_parts(ahead, CloseUp(first, last, samples), range(samples.shape[1]), _jumps), last - first)
    )


def _of_parts(
    ahead: Ahead, whole: CloseUp, components: range, find: Callable[[Values, CloseUp, int], Found]
) -> list[Corner]:
    """Return what is found in the components of a function, in the whole time and in parts with closer samples."""
    ahead.tell_slow(whole.last - whole.first)
    parts, found = close_ups(ahead, whole.first, whole.last), list[Corner]()
    for part in (*parts, whole):  # (that of the whole time may take all calls)
        changing = [k for k in components if np.ptp(part.values[:, k]) != 0.0]
        for number, k in enumerate(changing):
            share = ahead.left // ((len(changing) - number) * (1 if part is whole else 2))
            if share <= 0:
                ahead.tell_crowded()
                break
            jumps = find(_component(ahead, part, k), part, share)
            if jumps.crowded:
                ahead.tell_crowded()
            found += jumps.jumps
    for k in components:
        found += _at_end(Sought(_component(ahead, whole, k), ()).function, whole.last)
    return found


def _component(ahead: Ahead, part: CloseUp, k: int) -> Values:
    """Return a number of a law as a function of times, with samples that are known."""

    def values(times: np.ndarray) -> np.ndarray:
        known = len(times) == len(part.values) and times[0] == part.first and times[-1] == part.last
        return (part.values if known else ahead.asked(times))[:, k]

    return values


def _of_component(values: Values, part: CloseUp, calls: int) -> Found:
    """Return the corners of the rate and the jumps of a number of a law; of many, the jumps alone."""
    found = search(Sought(values, (1,)), part.first, part.last, len(part.values) - 1, 0)
    if found is None or by_chance(found, part.h):
        return _jumps(values, part, calls)
    return Found(found, False)


def _jumps(values: Values, part: CloseUp, calls: int) -> Found:
    """Return the jumps of a number of a law."""
    return value_jumps(values, part.first, part.last, len(part.values) - 1, calls)


def _at_end(function: Callable[[float], float], last: float) -> list[Corner]:
    """Return the jump of a load at the last time, which has no samples behind it."""
    at, before, earlier = (function(last * (1 - k * BESIDE_CORNER)) for k in range(3))
    size = at - before
    least = max(BEGINNING_RATIO * abs(before - earlier), LEAST_PART * max(abs(at), abs(before)))
    return [Corner(last, 0, size)] if abs(size) > least else []

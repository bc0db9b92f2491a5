"""Where loads and forces of time jump, or their rates do: steps of a run end there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .ahead import Ahead
from .corners import Sought, search
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
    ahead.tell_slow(last - first)
    found = list[Corner]()
    for k in range(samples.shape[1]):
        jumps = _of_component(ahead, samples, k, first, last)
        if jumps.crowded:
            ahead.tell_crowded(len(jumps.jumps))
        found += jumps.jumps
    kept = apart(found, last - first)
    if len(kept) > FEW_CORNERS:
        kept = apart([corner for corner in found if corner.order == 0], last - first)
    return tuple(kept)


@np.errstate(all="ignore")  # what is not finite has an error of its own
def jumps_over_time(ahead: Ahead, first: float, last: float) -> tuple[Corner, ...]:
    """Return where a law of time and motion jumps between two times (s), for one motion."""
    if not last > first or (samples := ahead.over(first, last, INTERVALS)) is None or not ahead.repeats:
        return ()
    ahead.tell_slow(last - first)
    found = list[Corner]()
    for k in np.flatnonzero(np.ptp(samples, axis=0) > 0.0).tolist():

        def values(times: np.ndarray, k: int = k) -> np.ndarray:
            return ahead.sample(times)[:, k]

        jumps = value_jumps(values, first, last, len(samples) - 1, ahead.calls)
        if jumps.crowded:
            ahead.tell_crowded(len(jumps.jumps))
        found += [*jumps.jumps, *_at_end(Sought(values, ()).function, last)]
    return tuple(apart(found, last - first))


def _of_component(ahead: Ahead, samples: np.ndarray, k: int, first: float, last: float) -> Found:
    """Return the corners of the rate and the jumps of a number of a law; of many, the jumps alone."""

    def values(times: np.ndarray) -> np.ndarray:
        known = len(times) == len(samples) and times[0] == first and times[-1] == last
        return (samples if known else ahead.sample(times))[:, k]

    one, intervals = Sought(values, (1,)), len(samples) - 1
    found = search(one, first, last, intervals, 0)
    if found is None or by_chance(found, (last - first) / intervals):
        found, crowded = value_jumps(values, first, last, intervals, ahead.calls)
    else:
        crowded = False
    return Found([*found, *_at_end(one.function, last)], crowded)


def _at_end(function: Callable[[float], float], last: float) -> list[Corner]:
    """Return the jump of a load at the last time, which has no samples behind it."""
    at, before, earlier = (function(last * (1 - k * BESIDE_CORNER)) for k in range(3))
    size = at - before
    least = max(BEGINNING_RATIO * abs(before - earlier), LEAST_PART * max(abs(at), abs(before)))
    return [Corner(last, 0, size)] if abs(size) > least else []

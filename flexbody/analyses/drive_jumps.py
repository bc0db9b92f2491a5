"""Jumps in the functions of drives: they are found in the function itself and reported by the name of the drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fem.common.errors import ConvergenceError, warn

from ..compile.plan import Plan
from ..core.drive_errors import EXAMINED_RESIDUAL
from ..core.kinds import ANGLE, ROW_DRIVE
from ..core.structures import DriveMisses
from ..integrators.base import Run

#: How to mend a drive that jumps, in messages.
ADVICE = (
    "give a continuous function (a ramp, or a step that is smoothed over the time that the real drive takes)"
)
#: An interval is divided into this number of parts, of which this number is divided again, so many times.
INTERVAL_DIVISIONS, DIVIDED_PARTS, MAX_DIVISIONS = 16, 3, 16


def find_jump(
    function: Callable[[float], float], first: float, last: float, least: float, period: float = np.inf
) -> tuple[float, float] | None:
    """Return the time and size of the largest jump of a function between two times, or None.

    Parameters
    ----------
    function : callable
        Function of time (s).
    first, last : float
        The interval, s.
    least : float
        Smallest size of a jump.
    period : float
        Jumps by multiples of this value are ignored.

    Returns
    -------
    tuple of float or None
        Time, s, and size of the jump.

    Notes
    -----
    Parts in which the function changes more than in their neighbours are subdivided down to round-off of the time. The
    change of a smooth function decreases on the way, that of a jump does not.
    """
    found, parts = [(0.0, last)], [(first, last)]
    try:
        for _ in range(MAX_DIVISIONS):
            if not parts:
                break
            finer = sorted((part for ends in parts for part in _uneven(function, *ends)), reverse=True)[
                :DIVIDED_PARTS
            ]
            parts = [ends for uneven, ends in finer if uneven > 0.5 * least]
            short = [ends for ends in parts if ends[1] - ends[0] <= 4 * np.spacing(max(map(abs, ends)))]
            found += [(function(end) - function(begin), end) for begin, end in short]
            parts = [ends for ends in parts if ends not in short]
    except Exception:
        return None  # the error is reported where the run calls the function
    if np.isfinite(period):
        found = [(size - period * np.rint(size / period), t) for size, t in found]
    size, t = max(found, key=lambda jump: abs(jump[0]))
    return (t, float(size)) if abs(size) > least else None


def _uneven(
    function: Callable[[float], float], first: float, last: float
) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield for each part of an interval how much its change differs from those of its neighbours, and its ends.

    The difference is to the median of four neighbours.
    """
    t = np.linspace(first, last, INTERVAL_DIVISIONS + 1)
    change = np.diff([function(x) for x in t])
    for k in range(INTERVAL_DIVISIONS):
        begin = min(max(k - 2, 0), INTERVAL_DIVISIONS - 5)
        others = np.delete(change[begin : begin + 5], k - begin)
        yield float(abs(change[k] - np.median(others))), (float(t[k]), float(t[k + 1]))


def jump_of(plan: Plan, row: int, first: float, last: float) -> tuple[str, str] | None:
    """Return the label of the drive (or coupling) of a row and a description of the jump of its function, or None."""
    label = plan.row_owner(row)
    law = next((law for law in plan.laws if law.what == label), None)
    if law is None:
        return None
    least = 0.5 * EXAMINED_RESIDUAL * float(plan.layout.length / plan.layout.row_scale[row])
    turn = 2 * np.pi if plan.layout.row_kind[row] == ANGLE else np.inf
    found = find_jump(lambda t: law(t)[0], max(first, 0.0), last, least, turn)
    if found is None:
        return None
    return label, f"{label} jumps by {abs(found[1]):.3g} {_unit(plan, label)} at t = {found[0]:.6g} s"


def _unit(plan: Plan, label: str) -> str:
    return next(item.unit for item in plan.system.joints if item.label == label)


def jump_near(plan: Plan, first: float, last: float) -> str | None:
    """Return a description of the jump of the function of any drive between two times (s), or None."""
    for row in np.flatnonzero(plan.layout.row_frame[:, ROW_DRIVE] >= 0):
        found = jump_of(plan, int(row), first, last)
        if found is not None:
            return found[1]
    return None


class DriveJumps:
    """Examines the functions of drives that steps miss during a run, and warns of functions that jump."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self._warned = plan, set[str]()  # labels of the drives with a warning

    def examine(self, misses: DriveMisses) -> None:
        """Examine the function of the drive with the largest residual in the last steps, and warn of a jump."""
        row = misses.row
        if row < 0:
            return
        found = jump_of(self.plan, row, misses.since, misses.until)
        misses.row = -1
        if found is None:
            misses.allowed *= 4  # a large step of a smooth motion: examine larger residuals only
            return
        misses.allowed = EXAMINED_RESIDUAL * self.plan.layout.length
        label, where = found
        if label not in self._warned:
            self._warned.add(label)
            warn(
                f"{where}: the positions follow the jump at once, which no load can do to a mass; velocities, "
                "reactions and energies do not contain the jump. Give a continuous function, with its rate",
            )


def jump_error(plan: Plan, run: Run, window: float) -> ConvergenceError | None:
    """Return the error of a run that has stopped at a jump of the function of a drive, or None.

    ``window``, s: the interval on both sides of the present time in which the functions are examined.
    """
    end = float(run.times[-1])  # functions of time need not exist after it; a Stepper may go on
    where = jump_near(plan, run.t - window, min(run.t + window, end) if run.t < end else run.t + window)
    if where is None:
        return None
    return ConvergenceError(f"the run stops at t = {run.t:.6g} s: {where}; {ADVICE}")

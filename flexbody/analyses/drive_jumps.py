"""Jumps in the functions of drives: they are found in the function itself and reported by the name of the drive."""

from __future__ import annotations

import numpy as np

from fem.common.errors import ConvergenceError, warn

from ..compile.plan import Plan
from ..core.drive_errors import EXAMINED_RESIDUAL
from ..core.kinds import ANGLE, ROW_DRIVE
from ..core.structures import DriveMisses
from ..functions.jumps import find_jump
from ..integrators.base import Run

#: How to mend a drive that jumps, in messages.
ADVICE = (
    "give a continuous function (a ramp, or a step that is smoothed over the time that the real drive takes)"
)


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

"""Where a drive's function jumps: found in the function itself, and said by its name."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from fem.common.errors import ConvergenceError, FlexbodyWarning

from .drives import Drive
from .integrators.base import Run
from .joints import Joint
from .kernels.arrays import ANGLE
from .kernels.leap import ALLOWED, FROM, NEAR, ROW, TO
from .layout import Plan

#: what to do about a jump
MEND = (
    "give a continuous function (a ramp, or a step that is smoothed over the time that the real drive takes)"
)
#: parts into which an interval is divided to find the one with the jump, and how often that is done
PARTS, LEVELS = 16, 11


def find_leap(
    function: Callable[[float], float], first: float, last: float, least: float, period: float = np.inf
) -> tuple[float, float] | None:
    """Return (time, size) of the largest jump of a function between two times; None where none is above ``least``.

    Jumps by multiples of ``period`` are none. What changes by more than the mean of its neighbours is followed down to
    a part in 1e13 of the interval: the change of a smooth function shrinks on the way, that of a jump does not.
    """
    try:
        for _ in range(LEVELS):
            t = np.linspace(first, last, PARTS + 1)
            change = np.diff([function(x) for x in t])
            around = np.pad(change, 1, mode="edge")
            uneven = np.abs(change - 0.5 * (around[2:] + around[:-2]))
            if not uneven.max() > 0.5 * least:
                return None
            k = int(np.argmax(uneven))
            first, last, size = float(t[k]), float(t[k + 1]), float(change[k])
            if last - first <= 4 * np.spacing(max(abs(first), abs(last))):
                break
    except Exception:
        return None  # told where it is called in earnest
    if np.isfinite(period):
        size -= period * np.rint(size / period)
    return (last, size) if abs(size) > least else None


def leap_of(plan: Plan, row: int, first: float, last: float) -> tuple[str, str] | None:
    """Return the label of a row's drive (or coupling), and in words where its function jumps; None if it doesn't."""
    label = plan.row_owner(row)
    law = next((law for law in plan.laws if law.what == label), None)
    if law is None:
        return None
    least = 0.5 * NEAR * float(plan.layout.length[0] / plan.layout.row_scale[row])
    turn = 2 * np.pi if plan.layout.row_kind[row] == ANGLE else np.inf
    found = find_leap(lambda t: law(t)[0], max(first, 0.0), last, least, turn)
    if found is None:
        return None
    return label, f"{label} jumps by {abs(found[1]):.3g} {_unit(plan, label)} at t = {found[0]:.6g} s"


def _unit(plan: Plan, label: str) -> str:
    item = next(item for item in plan.system.joints if item.label == label)
    if isinstance(item, Drive):
        return item.joint.coordinates[item.coordinate].unit
    return "m" if isinstance(item, Joint) else "m or rad"


def leap_near(plan: Plan, first: float, last: float) -> str | None:
    """Return in words where any drive's function jumps between two times (s); None where none does."""
    for row in np.flatnonzero(plan.layout.row_frame[:, 4] >= 0):
        found = leap_of(plan, int(row), first, last)
        if found is not None:
            return found[1]
    return None


class Leaps:
    """Looks, as a run goes on, at the functions of drives that were missed, and warns of those that jump."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self._told = plan, set[str]()

    def heed(self, leap: np.ndarray) -> None:
        """Look at what the latest steps have noted in ``leap`` (:mod:`flexbody.kernels.leap`)."""
        row = int(leap[ROW])
        if row < 0:
            return
        found = leap_of(self.plan, row, leap[FROM], leap[TO])
        leap[ROW] = -1
        if found is None:
            leap[ALLOWED] *= 4  # a coarse step of a smooth motion: only more than that is worth another look
            return
        leap[ALLOWED] = NEAR * self.plan.layout.length[0]
        label, where = found
        if label not in self._told:
            self._told.add(label)
            warnings.warn(
                f"{where}: positions follow at once, but no load moves a mass so; velocities, reactions and energies "
                "know nothing of it. Give a function that is continuous, with its rate",
                FlexbodyWarning,
                stacklevel=4,
            )


def leapt(plan: Plan, run: Run, window: float) -> ConvergenceError | None:
    """Return the error of a run that has stopped where a drive's function jumps; None where none does.

    window : within which the function is looked at to both sides, s.
    """
    end = float(run.times[-1])  # functions of time need not go on after it; a Stepper may
    where = leap_near(plan, run.t - window, min(run.t + window, end) if run.t < end else run.t + window)
    if where is None:
        return None
    return ConvergenceError(f"the run stops at t = {run.t:.6g} s: {where}; {MEND}")

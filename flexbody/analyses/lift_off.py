"""Rolling contacts that end a run: those that would have to pull, and wheels that fall flat."""

from __future__ import annotations

import numpy as np

from fem.common.errors import ConvergenceError

from ..compile.plan import Plan
from ..core.structures import Work
from ..equations.start import Start
from ..equations.state import move_state
from ..integrators.base import Run
from ..model.joints.recorded_rows import View
from ..model.rolling import Rolling
from ..model.wheels import Wheel

#: Sine of the angle between a wheel and its plane below which a failed run says that the wheel falls flat.
FLAT = 0.1
#: A normal force counts as pulling below this part of the largest multiplier of the run, which is no round-off.
PULLING_SHARE = 1e-3
#: Nor does a force below this part of the kinetic energy over the machine's length, where no weight presses.
ENERGY_SHARE = 1e-9


class LiftOff:
    """The normal forces of a run, which must not pull.

    Where constraints are redundant, a normal force may not be determined, and nothing is checked.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    start : Start
        Where the run starts.
    work : Work
        Work arrays, which are changed.
    """

    def __init__(self, plan: Plan, start: Start, work: Work) -> None:
        whole = start.rank == plan.n_rows
        self._contacts = [
            (plan.rows[item.name].start, item.label)  # the gap is the first row
            for item in plan.system.joints
            if whole and isinstance(item, Rolling) and not item.pulls
        ]
        self._plan, self._work = plan, work
        self._scale, self._largest = plan.layout.row_scale, 0.0

    def check(self, run: Run) -> None:
        """Raise an error if a contact pulls; the state of the run is not stored yet."""
        if not self._contacts:
            return
        forces = -self._scale * run.state.multipliers
        self._largest = max(self._largest, float(np.abs(forces).max()))
        for row, label in self._contacts:
            if forces[row] < -PULLING_SHARE * self._largest and -forces[row] > self._least(run):
                raise ConvergenceError(
                    f"the run stops at t = {run.t:.6g} s: {label} would have to pull with {-forces[row]:.4g} N, so "
                    "that the bodies separate. Press them together, use fb.Contact for bodies that separate and meet "
                    "again, or give pulls=True for a contact that is held"
                )

    def _least(self, run: Run) -> float:
        """Return the force that counts as round-off beside the inertia of what moves, N."""
        plan, energies = self._plan, np.empty(3)
        plan.formulation.observe(plan.layout, self._work, run.state, energies)
        return float(ENERGY_SHARE * energies[0] / plan.layout.length)


def flat_wheel(plan: Plan, run: Run) -> str:
    """Return the message of a wheel that falls flat, or ""; there its point of contact runs round it."""
    wheels = [
        item
        for item in plan.system.joints
        if isinstance(item, Rolling) and any(isinstance(shape, Wheel) for shape in item.shapes)
    ]
    if not wheels:
        return ""
    W = plan.work()
    move_state(plan, W, run.state)
    for item in wheels:
        pair = item.pair(plan.system.bodies_by_name())
        views = [View(W.frame_r[f], W.frame_R[f], None, None) for f in plan.frames[item.name]]
        tilt = pair.tilt(views)
        if tilt < FLAT:
            host = type(pair.host).__name__.lower()
            return (
                f"the run stops at t = {run.t:.6g} s: the wheel of {item.label} falls flat on its {host} (it is "
                f"{np.degrees(np.arcsin(tilt)):.2g} degrees from it), where it would touch in a whole circle or at two "
                "places. End the run before, with fb.Event(..., then=fb.EndRun()) on its height or lean, or keep it "
                "upright"
            )
    return ""

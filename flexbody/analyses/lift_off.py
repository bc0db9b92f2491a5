"""Rolling contacts that would have to pull: there the bodies separate, and a run stops."""

from __future__ import annotations

import numpy as np

from fem.common.errors import ConvergenceError

from ..compile.plan import Plan
from ..equations.start import Start
from ..integrators.base import Run
from ..model.rolling import Rolling

#: A normal force counts as pulling below this part of the largest multiplier of the run, which is no round-off.
PULLING_SHARE = 1e-3


class LiftOff:
    """The normal forces of a run, which must not pull.

    Where constraints are redundant, a normal force may not be determined, and nothing is checked.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    start : Start
        Where the run starts.
    """

    def __init__(self, plan: Plan, start: Start) -> None:
        whole = start.rank == plan.n_rows
        self._contacts = [
            (plan.rows[item.name].start, item.label)  # the gap is the first row
            for item in plan.system.joints
            if whole and isinstance(item, Rolling) and not item.pulls
        ]
        self._scale, self._largest = plan.layout.row_scale, 0.0

    def check(self, run: Run) -> None:
        """Raise an error if a contact pulls; the state of the run is not stored yet."""
        if not self._contacts:
            return
        forces = -self._scale * run.state.multipliers
        self._largest = max(self._largest, float(np.abs(forces).max()))
        for row, label in self._contacts:
            if forces[row] < -PULLING_SHARE * self._largest:
                raise ConvergenceError(
                    f"the run stops at t = {run.t:.6g} s: {label} would have to pull with {-forces[row]:.4g} N, so "
                    "that the bodies separate. Press them together, use fb.Contact for bodies that separate and meet "
                    "again, or give pulls=True for a contact that is held"
                )

"""Ends of the lines along which joints slide: a run that leaves one stops there."""

from __future__ import annotations

import numpy as np

from fem.common.errors import ConvergenceError

from ..compile.plan import Plan
from ..core.kinds import PATH_S
from ..core.structures import Work
from ..integrators.base import Run
from ..model.joints.base import Joint
from ..model.rolling import Rolling

#: How far beyond an end round-off may lead, relative to the length of the line.
ROUND_OFF = 1e-9


class PathEnds:
    """The path coordinates of a run, which must not leave the lines of their joints.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    work : Work
        Work arrays, which are changed.
    """

    def __init__(self, plan: Plan, work: Work) -> None:
        self._plan, self._work = plan, work
        self._lines: list[
            tuple[int, str, float, str]
        ] = []  # path, joint, length of the line, m, what an event reads
        if not len(plan.layout.path):
            return
        bodies = plan.system.bodies_by_name()
        for joint in plan.system.joints:
            if not isinstance(joint, Joint | Rolling):
                continue
            line = joint.frames(bodies)[0].path
            if line is not None and not line.closed:
                p = int(plan.layout.frame_path[plan.frames[joint.name][0]])
                where = "the coordinate 'path'" if isinstance(joint, Joint) else "its place"
                self._lines.append((p, joint.label, line.length, where))

    def check(self, run: Run) -> None:
        """Raise an error if a joint has left its line; the state of the run is not stored yet."""
        if not self._lines:
            return
        plan, W = self._plan, self._work
        plan.formulation.observe(plan.layout, W, run.state, np.empty(3))
        for p, label, length, where in self._lines:
            s = float(W.path[p, PATH_S])
            if not -ROUND_OFF * length <= s <= length * (1 + ROUND_OFF):
                raise ConvergenceError(
                    f"the run stops at t = {run.t:.6g} s: {label} has left the {'end' if s > 0 else 'beginning'} of "
                    f"its line; its path coordinate is {s:.6g} m on a line from 0 to {length:.6g} m. Make the line "
                    "longer, hold what moves on it by stops (fb.Limit), or end the run before, with fb.Event(..., "
                    f"then=fb.EndRun()) on {where}"
                )

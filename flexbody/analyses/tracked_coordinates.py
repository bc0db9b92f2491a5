"""Joint coordinates that the compiled core reads after each step of a :class:`flexbody.Stepper`."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Tracked
from ..equations.start import Start
from ..formulations.state import MachineState
from ..model.joints.coordinates import SLIDE_Z, TURN_Z


class TrackedCoordinates:
    """Angles about z axes of joints and slides along them; other coordinates are rare, and read from a result.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    start : Start
        The start of the run.
    state : MachineState
        The state to read first.

    Attributes
    ----------
    arrays : Tracked
        Their values and rates, which the core updates after each step.
    """

    def __init__(self, plan: Plan, start: Start, state: MachineState) -> None:
        bodies = plan.system.bodies_by_name()
        keys = [
            (joint, which, coordinate)
            for joint in plan.system.proper_joints
            for which, coordinate in joint.coordinates.items()
            if coordinate in (TURN_Z, SLIDE_Z)
        ]
        frames = [plan.frames[joint.name][:2] for joint, _, _ in keys]
        revolutions = [
            plan.coordinates.index((joint.name, which)) if coordinate == TURN_Z else -1
            for joint, which, coordinate in keys
        ]
        self._number = {(joint.name, which): k for k, (joint, which, _) in enumerate(keys)}
        self._drawn = [joint.reference(which, bodies) for joint, which, _ in keys]  # values as drawn
        self.arrays = Tracked(
            frame=np.array(frames, dtype=np.int64).reshape(-1, 2),
            number=np.array(revolutions, dtype=np.int64),
            value=np.zeros(len(keys)),
            rate=np.zeros(len(keys)),
        )
        if keys:
            work = plan.work(start.counted_coordinates)
            plan.formulation.read_coordinates(plan.layout, work, state, self.arrays)

    def value(self, joint: str, which: str) -> float | None:
        """Return a coordinate, zero as drawn, or None if it is not tracked."""
        k = self._number.get((joint, which))
        return None if k is None else float(self.arrays.value[k] - self._drawn[k])

    def rate(self, joint: str, which: str) -> float | None:
        """Return the rate of a coordinate, or None if it is not tracked."""
        k = self._number.get((joint, which))
        return None if k is None else float(self.arrays.rate[k])

"""A segment of a run: one machine, one run of its integrator, and what watches it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..compile.plan import Plan
from ..equations.start import Start
from ..formulations.state import MachineState
from ..integrators.base import Run
from ..integrators.independent_rows import IndependentRows
from .bounds import Bounds
from .corners import Corners
from .drive_jumps import DriveJumps
from .sampling import Sampling
from .tracked_coordinates import TrackedCoordinates


class Segment:
    """The part of a run between two changes of the motion or the machine.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    start : Start
        Where the segment starts.
    run : Run
        The run of the integrator.
    read : callable
        From a state of the machine to the object that users' functions take.

    Attributes
    ----------
    work : Work
        Work arrays for checks.
    jumps : DriveJumps
        The functions of drives.
    rows : IndependentRows
        The constraint rows that are kept.
    bounds : Bounds
        What must not be left.
    sampling : Sampling
        The samples of controllers.
    corners : Corners
        The corners of functions of time.
    """

    def __init__(self, plan: Plan, start: Start, run: Run, read: Callable[[MachineState], Any]) -> None:
        self.plan, self.start, self.run, self.work = plan, start, run, plan.work()
        self.jumps, self.rows = DriveJumps(plan), IndependentRows(plan, start.rank)
        self.bounds, self.sampling = Bounds(plan, start, self.work), Sampling(plan, read)
        self.corners = Corners(plan)

    def next_stop(self, t_out: float) -> float:
        """Return the time of the next sample, change of an output or corner before ``t_out``, s; else ``t_out``."""
        return self.corners.next(self.run.t, self.sampling.next(self.run, t_out))

    @property
    def stops(self) -> bool:
        """Whether the run has such times."""
        return self.sampling.active or self.corners.any

    @cached_property
    def coordinates(self) -> TrackedCoordinates:
        """The joint coordinates that the compiled core reads after each step of a :class:`flexbody.Stepper`."""
        return TrackedCoordinates(self.plan, self.start, self.run.state)

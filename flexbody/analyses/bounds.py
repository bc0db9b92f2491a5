"""What a machine must not leave during a run: lines along which joints slide, contacts that roll, room of bristles."""

from __future__ import annotations

from ..compile.plan import Plan
from ..core.structures import Work
from ..equations.start import Start
from ..integrators.base import Run
from .bristle_room import BristleRoom
from .hollows import Hollows
from .lift_off import LiftOff
from .path_ends import PathEnds


class Bounds:
    """The limits of a run, which are checked at each output time.

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
        self._checks = (
            PathEnds(plan, work),
            Hollows(plan, work),
            LiftOff(plan, start, work),
            BristleRoom(plan),
        )

    def check(self, run: Run) -> None:
        """Raise an error, or warn, and name what has been left; the state of the run is not stored yet."""
        for check in self._checks:
            check.check(run)

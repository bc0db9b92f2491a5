"""What the compiled core keeps of the steps of a run, read when the run ends or another one follows it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..compile.plan import Plan
from ..core.structures import Work
from ..integrators.base import Run


class WorkWatch(ABC):
    """Reads the work arrays of each run of a simulation once; behind an event there is another run."""

    def __init__(self) -> None:
        self._watched: tuple[Run, Plan, Work] | None = None

    def look(self, run: Run, plan: Plan) -> None:
        """Take notice of the run and its machine at a stored state.

        Parameters
        ----------
        run : Run
            The run.
        plan : Plan
            Its compiled machine.
        """
        if self._watched is None or run.work is not self._watched[2]:
            self.read()
            self._watched = run, plan, run.work

    def read(self) -> None:
        """Read the arrays of the last run."""
        if self._watched is not None:
            self._read(*self._watched)

    @abstractmethod
    def _read(self, run: Run, plan: Plan, W: Work) -> None:
        """Read the arrays of a run."""

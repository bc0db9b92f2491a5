"""Redundant constraints: the rows that are kept are chosen again where they become dependent.

A run begins with a set of independent constraint rows; the rows that depend on them are left out. No set is good
everywhere: during the motion the kept rows can become dependent, while a row that was left out no longer follows from
them. Bricard's linkage does so after half a turn for some of the sets. Then another set is chosen at that position.
"""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..equations.constraint_jacobian import scaled, weighted
from ..equations.independent_rows import rows_to_keep
from ..equations.state import place_state
from .base import Run

#: the rows are checked again when the smallest pivot has fallen by this factor. A pivot is the square of the sine of
#: the angle between a row and the others.
PIVOT_LOSS = 1e-4


class IndependentRows:
    """Keeps the constraint rows of a run independent.

    Parameters
    ----------
    plan : Plan
    rank : int
        Number of independent rows at the start.
    """

    def __init__(self, plan: Plan, rank: int) -> None:
        self._plan, self._left_out = plan, plan.n_rows - rank
        # when the rows were chosen: the smallest pivot (0 before it is known), and how often the rank had fallen
        self.memory = np.zeros(2)

    def exchange(self, run: Run) -> bool:
        """Choose the rows again if the kept rows have become dependent, and restart the run with them.

        Returns
        -------
        bool
            Whether other rows are kept now. A step that has failed can then be tried again.
        """
        if self._left_out == 0:
            return False
        pivot, losses = run.work.pivot, run.counts.rank_losses
        if pivot > PIVOT_LOSS * self.memory[0] and losses <= self.memory[1]:
            self.memory[0] = max(self.memory[0], pivot)
            return False
        self.memory[:] = pivot, losses
        active = self._choose(run)
        if active is None or np.array_equal(active, run.work.active):
            return False
        run.work.active[:] = active
        run.restart()
        self.memory[:] = run.work.pivot, run.counts.rank_losses
        return True

    def _choose(self, run: Run) -> np.ndarray | None:
        """Return the rows to keep (nr,) at the present position, None at a singular position."""
        W = self._plan.work()
        place_state(self._plan, W, run.state)
        active = rows_to_keep(self._plan, scaled(weighted(self._plan, W)[1]))
        return active if self._plan.n_rows - active.sum() == self._left_out else None

"""Redundant constraints: which rows are kept, where a machine leaves the positions in which they are independent.

Some rows are left out where a run begins, because the others imply them there. Which ones is a choice, and none is
good everywhere: on the way the rows that are kept may come to depend on each other while one that was left out does
not follow from them any more (Bricard's linkage does so half a turn after the start, or never, as the choice falls).
Then the choice is made anew.
"""

from __future__ import annotations

import numpy as np

from .core.kinds import EXPECTED
from .core.structures import Work
from .initial import jacobian, scaled
from .integrators.base import Run
from .layout import Plan
from .least_squares import independent_rows, left_null_space

# the rows are looked at again where the smallest pivot has fallen by this factor: it goes with the square of the
# angle between rows, so that these have lost two digits
PIVOT_LOSS = 1e-4


class IndependentRows:
    """Keeps the rows of a run independent."""

    def __init__(self, plan: Plan, rank: int) -> None:
        self._plan, self._left_out = plan, plan.n_rows - rank
        # when the rows were chosen: the smallest pivot (0 before it is known), how often the rank had fallen
        self.memory = np.zeros(2)

    def exchange(self, run: Run) -> bool:
        """Choose the rows anew where those that are kept have come to depend on each other; whether others are kept.

        Where they are, a step that failed may be tried again.
        """
        pivot, losses = run.work.pivot, run.counts.rank_losses
        if self._left_out == 0 or (pivot > PIVOT_LOSS * self.memory[0] and losses <= self.memory[1]):
            self.memory[0] = max(self.memory[0], pivot)
            return False
        self.memory[:] = pivot, losses
        active = self._chosen(run)
        if active is None or np.array_equal(active, run.work.active):
            return False
        run.work.active[:] = active
        run.restart()
        self.memory[:] = run.work.pivot, run.counts.rank_losses
        return True

    def _chosen(self, run: Run) -> np.ndarray | None:
        """Return which rows to keep where the run is, None where it is at a singular position."""
        c, q, alpha, _, _, _ = run.state
        W: Work = self._plan.work(run.work.turn[:, EXPECTED])
        dependent = left_null_space(scaled(jacobian(self._plan, W, run.t, c, q, alpha)))
        return independent_rows(dependent) if dependent.shape[1] == self._left_out else None

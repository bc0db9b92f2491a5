"""Joints whose constraints are about to depend on each other, near a singular position."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Work
from ..formulations.state import MachineState
from .constraint_jacobian import scaled, weighted
from .least_squares import LeastSquares
from .state import place_state

#: joints with a smaller part in the dependence, relative to the largest, are not named
LEAST_PART = 0.01
#: Inverse iterations; each takes away the other singular vectors by the square of the ratio of their values.
INVERSE_ITERATIONS = 3


def joints_losing_rank(plan: Plan, W: Work, s: MachineState, active: np.ndarray) -> tuple[str, ...]:
    """Return the labels of joints and drives whose kept constraints nearly depend on each other.

    Their parts are those of the left singular vector of the smallest singular value, by inverse iteration.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Working arrays, which are changed.
    s : MachineState
        A state near the singular position.
    active : numpy.ndarray
        1 for rows that are kept, (nr,).

    Returns
    -------
    tuple of str
        Their labels.
    """
    place_state(plan, W, s)
    kept = np.flatnonzero(active)
    rows = LeastSquares(scaled(weighted(plan, W)[1])[kept])
    part = np.abs(rows.dependencies).max(axis=1)
    if not part.any():
        y = np.random.default_rng(0).normal(size=len(kept))
        for _ in range(INVERSE_ITERATIONS):
            y = rows.solve_transposed(rows.solve(y / np.linalg.norm(y)))
        part = np.abs(y)
    return plan.row_owners(kept[part > LEAST_PART * part.max()])

"""Joints and drives whose constraints are about to depend on each other, near a singular position."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Work
from ..formulations.state import MachineState
from .constraint_jacobian import scaled, weighted
from .driven_rows import drive_rows
from .least_squares import LeastSquares
from .state import place_state

#: joints with a smaller part in the dependence, relative to the largest, are not named
LEAST_PART = 0.01
#: Inverse iterations; each takes away the other singular vectors by the square of the ratio of their values.
INVERSE_ITERATIONS = 3
#: drives end a motion where they make the constraints this much more dependent than the joints alone are
END_OF_MOTION = 0.01


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
        part = np.abs(_most_dependent(rows, len(kept))[1])
    return plan.row_owners(kept[part > LEAST_PART * part.max()])


def drives_at_their_end(plan: Plan, W: Work, s: MachineState, active: np.ndarray) -> tuple[str, ...]:
    """Return the labels of drives whose coordinates the joints hardly let change any further.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Working arrays, which are changed.
    s : MachineState
        The state.
    active : numpy.ndarray
        1 for rows that are kept, (nr,).

    Returns
    -------
    tuple of str
        Their labels; none if the joints alone are as dependent.
    """
    driven, kept = drive_rows(plan), np.asarray(active) == 1
    if not (driven & kept).any() or not (kept & ~driven).any():
        return ()
    place_state(plan, W, s)
    G = scaled(weighted(plan, W)[1])
    size, part = _most_dependent(LeastSquares(G[kept]), int(kept.sum()))
    alone, _ = _most_dependent(LeastSquares(G[kept & ~driven]), int((kept & ~driven).sum()))
    if not size < END_OF_MOTION * alone:
        return ()
    found = np.zeros(plan.n_rows)
    found[kept] = np.abs(part)
    return plan.row_owners(np.flatnonzero(driven & (found > LEAST_PART * found.max())))


def _most_dependent(rows: LeastSquares, n: int) -> tuple[float, np.ndarray]:
    """Return the smallest singular value of n rows and its left singular vector (n,), by inverse iteration."""
    y = np.random.default_rng(0).normal(size=n)
    for _ in range(INVERSE_ITERATIONS):
        y = rows.solve_transposed(rows.solve(y / np.linalg.norm(y)))
    return float(np.linalg.norm(y)) ** -0.5, y

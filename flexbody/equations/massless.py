"""Massless bodies in the mass metric: what their auxiliary mass does to a solution is taken out again."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from .least_squares import LeastSquares

#: the auxiliary masses are taken out until this part of their motion is left, or joints resist by less than the last
CONVERGED, IDLE = 1e-15, 1e-12


def massless_part(plan: Plan) -> np.ndarray:
    """Return which velocities (nv,) are those of massless bodies."""
    return np.repeat(plan.layout.auxiliary_mass > 0, np.diff(plan.layout.v_at))


def without_auxiliary(plan: Plan, rows: LeastSquares, x: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Take the auxiliary masses out of a solution in the mass metric.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    rows : LeastSquares
        The weighted rows Y, (.., nv).
    x : numpy.ndarray
        Weighted velocities or accelerations, ``x + Y^T y = f`` with ``Y x`` given, (nv,).

    Returns
    -------
    tuple of numpy.ndarray
        The solution without the auxiliary masses, and what adds to y; x and None without massless bodies. See
        ``elimination.hpp``.
    """
    part = massless_part(plan)
    if not part.any():
        return x, None
    left = np.where(part, x, 0.0)
    search, u = left.copy(), np.zeros_like(x)
    whole = size = left @ left
    for _ in range(200):
        if not size > CONVERGED**2 * whole:
            break
        response = np.where(part, rows.solve(rows.A @ search), 0.0)  # 1 - P (1 - Y^+ Y) P
        resisted = search @ response
        if not resisted > IDLE * (search @ search):
            break
        u += size / resisted * search
        left -= size / resisted * response
        before, size = size, left @ left
        search = left + size / before * search
    held = rows.solve(rows.A @ u)
    return x + u - held, rows.solve_transposed(held)


def balanced(
    plan: Plan, rows: LeastSquares, x: np.ndarray, multipliers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted accelerations (nv,) and multipliers (nr,) without the auxiliary masses, see above."""
    x, more = without_auxiliary(plan, rows, x)
    return x, multipliers if more is None else multipliers + more

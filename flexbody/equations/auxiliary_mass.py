"""The auxiliary masses of massless bodies: they make the mass matrix regular, and are taken out of each solution.

The compiled core does the same, see ``elimination.hpp``.
"""

from __future__ import annotations

import numpy as np

from ..compile.massless import Assembly
from ..compile.plan import Plan
from .least_squares import LeastSquares

#: the auxiliary masses are taken out until this part of their motion is left, or joints resist by less than the last
MOTION_LEFT, IDLE_RESISTANCE = 1e-15, 1e-12
#: steps of the method of conjugate gradients at most
GRADIENT_STEPS = 200


def massless_part(plan: Plan, assembly: Assembly | None = None) -> np.ndarray:
    """Return which velocities (nv,) are those of massless bodies, of one connection or of all."""
    taken = plan.layout.auxiliary_mass > 0
    if assembly is not None:
        taken = np.isin(np.arange(plan.n_bodies), [plan.body_index[name] for name in assembly.massless])
    return np.repeat(taken, np.diff(plan.layout.v_at))


def auxiliary_masses(plan: Plan) -> np.ndarray:
    """Return the auxiliary mass of each velocity, (nv,), kg and kg m^2: the diagonal of D; zero of other bodies."""
    out, L = np.zeros(plan.n_velocities), plan.layout
    for b in map(int, np.flatnonzero(L.auxiliary_mass)):
        out[plan.translation(b)] = L.auxiliary_mass[b]
        out[plan.rotation(b)] = L.auxiliary_mass[b] * L.body_size[b] ** 2
    return out


def with_auxiliary(plan: Plan, M: np.ndarray) -> np.ndarray:
    """Return a mass matrix (nv, nv) with the auxiliary masses, as a measure of coordinates."""
    return M + np.diag(auxiliary_masses(plan))


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
        The solution without the auxiliary masses, (nv,), and what adds to y; x and None without massless bodies.
    """
    part = massless_part(plan)
    if not part.any():
        return x, None
    left = np.where(part, x, 0.0)
    search, u = left.copy(), np.zeros_like(x)
    whole = size = float(left @ left)
    for _ in range(GRADIENT_STEPS):
        if not size > MOTION_LEFT**2 * whole:
            break
        response = np.where(part, rows.solve(rows.A @ search), 0.0)  # 1 - P (1 - Y^+ Y) P
        resisted = float(search @ response)
        if not resisted > IDLE_RESISTANCE * float(search @ search):
            break
        u += size / resisted * search
        left -= size / resisted * response
        before, size = size, float(left @ left)
        search = left + size / before * search
    held = rows.solve(rows.A @ u)
    return x + u - held, rows.solve_transposed(held)


def balanced(
    plan: Plan, rows: LeastSquares, x: np.ndarray, multipliers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted accelerations (nv,) and multipliers (nr,) without the auxiliary masses."""
    x, more = without_auxiliary(plan, rows, x)
    return x, multipliers if more is None else multipliers + more

"""Estimates of the work of the implicit and of the explicit method."""

from __future__ import annotations

import numpy as np
import scipy

from ..compile.plan import Plan
from ..core.kinds import C8, D, K
from ..core.structures import Counts
from .base import SHORTEST_RUN

#: An explicit step costs this number of evaluations; `Formulation.evaluation_cost` is the cost of each.
EVALUATIONS_OF_A_STEP = 13
#: The explicit method is stable up to this product of step and frequency.
STABILITY_LIMIT = 6.0


def implicit_work(counts: Counts) -> float:
    """Return the work of the implicit method, in iterations."""
    return float(counts.iterations + counts.factorisations)


def work_in(seconds: float, plan: Plan) -> float:
    """Return the work of the implicit method in about so many seconds, in iterations.

    Parameters
    ----------
    seconds : float
        The time, s.
    plan : Plan
        The compiled system.

    Returns
    -------
    float
        The work. An iteration takes 0.06 to 0.3 us for each velocity, constraint row and deformation of a force
        element; without these it would be 0.09 to 0.7 us.
    """
    unknowns = plan.n_velocities + plan.n_rows + plan.elements.n_deformations
    return seconds * SHORTEST_RUN / unknowns


def least_explicit_work(plan: Plan, frequency: float, interval: float, beside: float = 0.0) -> float:
    """Return the least work of the explicit method in a second of motion, in iterations of the implicit one.

    Parameters
    ----------
    plan : Plan
        The compiled system.
    frequency : float
        Its highest frequency, rad/s.
    interval : float
        The longest step, s.
    beside : float
        Work beside each step.

    Returns
    -------
    float
        The work, 1/s.
    """
    step = EVALUATIONS_OF_A_STEP * plan.formulation.evaluation_cost(plan.layout) + beside
    return step * max(1.0 / interval, frequency / STABILITY_LIMIT)


def fastest(plan: Plan) -> tuple[float, str]:
    """Return the highest frequency or damping rate (rad/s) of the free flexible bodies, and the body; 0 without one."""
    top, name = 0.0, ""
    for b, body in enumerate(plan.system.bodies):
        n = body.n_modes
        if n == 0:
            continue
        mass, stiffness, damping = (plan.coefficient(k, b) for k in (C8, K, D))
        mass, stiffness, damping = (0.5 * (x + x.T) for x in (mass, stiffness, damping))
        square, rate = (
            scipy.linalg.eigh(x, mass, eigvals_only=True, subset_by_index=(n - 1, n - 1))[0]
            for x in (stiffness, damping)
        )
        found = max(np.sqrt(max(square, 0.0)), rate)
        if found > top:
            top, name = float(found), body.name
    return top, name

"""Accelerations and multipliers at a consistent position and velocity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Work
from ..formulations.state import MachineState
from .auxiliary_mass import balanced
from .constraint_jacobian import weighted
from .least_squares import LeastSquares
from .massless import check_loads
from .reaction_friction import add_reaction_friction
from .state import move_state


def accelerations(
    plan: Plan, W: Work, s: MachineState, rows: LeastSquares | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``vdot`` (nv,) and the multipliers (nr,) of least norm at a consistent position and velocity.

    ``rows`` are the weighted rows of this position, if they are known.
    """
    L = plan.layout
    move_state(plan, W, s)
    free_of = replace(s, vdot=np.zeros_like(s.v), multipliers=np.zeros(plan.n_rows))
    plan.formulation.residual(L, W, free_of)
    bias = np.empty(plan.n_rows)
    plan.formulation.biases(L, W, s.t, bias)
    Y, G = weighted(plan, W)
    rows = rows or LeastSquares(Y)
    free = -W.residual
    check_loads(plan, G, free, s.t)
    plan.formulation.weigh(L, W, free, True)
    # y = free - Y' lambda with Y y = -bias; w is its part in the range of Y'. Nothing is squared
    w = rows.solve(-bias)
    multipliers = rows.solve_transposed(free - w)
    vdot = free - Y.T @ multipliers
    vdot, multipliers = balanced(plan, rows, vdot, multipliers)
    plan.formulation.unweigh(L, W, vdot)

    def response(load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        plan.formulation.weigh(L, W, load, True)
        found = rows.solve_transposed(load)
        motion = load - Y.T @ found
        motion, found = balanced(plan, rows, motion, found)
        plan.formulation.unweigh(L, W, motion)
        return motion, found

    add_reaction_friction(plan, W, response, vdot, multipliers)
    return vdot, multipliers

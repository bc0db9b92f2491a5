"""How soon a machine forgets an error: until damping has taken it away, later errors add up to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem.common.blas_threads import few_threads

from ..compile.plan import Plan
from ..core.kinds import VELOCITY
from ..equations.constraint_jacobian import scaled
from ..equations.free_motions import free_motions
from ..equations.tangent import damping, mass_and_jacobian, stiffness, units
from ..formulations.state import MachineState

#: Machines with more velocities are not examined: that would cost more than it saves.
EXAMINED_VELOCITIES = 150


def may_forget(plan: Plan) -> bool:
    """Return whether :func:`forgetting_time` can tell: all forces are elastic, and constraints hold positions."""
    laws = plan.elements.laws
    return (
        plan.n_velocities <= EXAMINED_VELOCITIES
        and not plan.elements.n_states
        and all(law.elastic for law in laws)
        and bool(plan.layout.body_mass.all())
        and not np.any(plan.layout.row_kind == VELOCITY)
    )


def forgetting_time(plan: Plan, state: MachineState) -> float:
    """Return the time in which the slowest of the small motions decays to 1/e, s.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    state : MachineState
        A state; the small motions about it count as if it stayed as it is.

    Returns
    -------
    float
        The time; infinite if a motion does not decay.
    """
    growth = _fastest_growth(plan, state)
    if not growth < 0.0 and growth < _fastest_rotation(plan, state):
        # what turns is no steady motion: forces that turn with it look like stiffnesses, which cancel in a turn
        none = np.zeros_like(state.v)
        state = replace(state, v=none, vdot=none, multipliers=np.zeros_like(state.multipliers))
        growth = _fastest_growth(plan, state)
    return -1.0 / growth if growth < 0.0 else np.inf


def _fastest_growth(plan: Plan, state: MachineState) -> float:
    """Return the largest real part of the eigenvalues of the small motions about a state, 1/s."""
    W = plan.work()
    M, G = mass_and_jacobian(plan, W, state)
    Z = free_motions(scaled(G), np.zeros(len(G)), units(plan, W, state)).Z
    f = Z.shape[1]
    if f == 0:
        return -np.inf
    K, C = stiffness(plan, W, state), damping(plan, W, state)
    with few_threads(2 * f):
        rates = np.linalg.solve(Z.T @ M @ Z, Z.T @ np.hstack([K @ Z, C @ Z]))
        A = np.block([[np.zeros((f, f)), np.eye(f)], [-rates[:, :f], -rates[:, f:]]])
        return float(np.linalg.eigvals(A).real.max())


def _fastest_rotation(plan: Plan, state: MachineState) -> float:
    """Return the fastest rotation of a body, rad/s."""
    rotations = state.v[plan.layout.v_at[:-1, None] + np.arange(3, 6)]
    return float(np.linalg.norm(rotations, axis=1).max())

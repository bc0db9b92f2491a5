"""The impulse of a rebound: it reverses the rate of a gap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem.common.errors import ConvergenceError

from ..compile.plan import Plan
from ..equations.auxiliary_mass import without_auxiliary
from ..equations.constraint_jacobian import weighted
from ..equations.least_squares import LeastSquares
from ..equations.position import displaced
from ..equations.state import place_state
from ..equations.tangent import units
from ..formulations.state import MachineState

#: Displacement of the central differences of the gap, over the motion that moves a body by the machine's size.
DIFFERENCE_STEP = 1e-5
#: Part of the gap's derivative that joints must leave, so that an impulse can change its rate.
LEAST_PART = 1e-12


def rebound(
    plan: Plan, s: MachineState, gap: Callable[[MachineState], float], restitution: float, name: str
) -> np.ndarray:
    """Return the velocities (nv,) after a rebound.

    With ``G`` the derivative of the gap: ``G v+ = -e G v``, ``M (v+ - v) = G' p`` and the impulses of the joints.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    s : MachineState
        The state at the rebound, consistent.
    gap : callable
        The gap at a state.
    restitution : float
        Rate of the gap after the rebound over that before it.
    name : str
        Name of the event, for messages.

    Raises
    ------
    fem.ConvergenceError
        No impulse that the joints permit changes the gap.
    """
    W = plan.work()
    place_state(plan, W, s)
    size = DIFFERENCE_STEP * units(plan, W, s)
    G = np.empty(plan.n_velocities)
    for k, step in enumerate(size):
        change = np.zeros_like(size)
        change[k] = step
        G[k] = (gap(displaced(plan, s, change)) - gap(displaced(plan, s, -change))) / (2.0 * step)
    place_state(plan, W, s)
    Y = weighted(plan, W)[0]
    load = G.copy()
    plan.formulation.weigh(plan.layout, W, load, True)
    whole = float(load @ load)
    if plan.n_rows:
        rows = LeastSquares(Y)
        load -= Y.T @ rows.solve_transposed(load)
        load = without_auxiliary(plan, rows, load)[0]
    change = load.copy()
    plan.formulation.unweigh(plan.layout, W, change)
    if not float(G @ change) > LEAST_PART * whole:
        raise ConvergenceError(
            f"the run stops at t = {s.t:.6g} s: event '{name}' can't rebound, because no motion that the joints leave "
            "changes its function; give a gap, a function of positions"
        )
    return s.v - (1.0 + restitution) * float(G @ s.v) / float(G @ change) * change

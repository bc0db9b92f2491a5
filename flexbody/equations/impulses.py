"""Impulses of constraints whose prescribed rates jump."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..formulations.state import MachineState
from .auxiliary_mass import massless_part
from .constraint_jacobian import smallest_change, weighted
from .least_squares import LeastSquares
from .state import place_state


def impulses(plan: Plan, s: MachineState) -> tuple[np.ndarray, float]:
    """Return the change of velocities (nv,) by impulses of constraints whose rates have jumped, and their work, J.

    ``M dv = G^T p`` with ``G (v + dv) + Phi_t = 0``; modal coordinates take part.
    """
    W, miss = plan.work(), np.empty(plan.n_rows)
    place_state(plan, W, s)
    rows = LeastSquares(weighted(plan, W)[0])
    plan.formulation.velocity_residual(plan.layout, W, s.v, miss)
    change = smallest_change(plan, W, rows, miss)
    # 2 T = |B' v|^2
    old, new = s.v.copy(), change.copy()
    plan.formulation.weigh(plan.layout, W, old, False)
    plan.formulation.weigh(plan.layout, W, new, False)
    new[massless_part(plan)] = 0.0  # there it is the work of the auxiliary mass
    return change, float(old @ new + 0.5 * new @ new)

"""Change of a position by a generalized displacement, and a mask of the coordinates that are not modal."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..compile.plan import Plan
from ..core.rotation import turned_euler
from ..formulations.state import MachineState

S = TypeVar("S", bound=MachineState)


def advance_position(plan: Plan, c, q, alpha, change: np.ndarray) -> None:
    """Change a position in place by a generalized displacement (nv,)."""
    out = np.empty(4)
    for b in range(plan.n_bodies):
        c[b] += change[plan.translation(b)]
        turned_euler(q[b], change[plan.rotation(b)], out)
        q[b] = out
        alpha[plan.modal(b)] += change[plan.modal_velocities(b)]


def displaced(plan: Plan, s: S, change: np.ndarray) -> S:
    """Return a state with its position changed by a generalized displacement (nv,) and all else the same."""
    c, q, alpha = s.c.copy(), s.q.copy(), s.all_alpha.copy()
    advance_position(plan, c, q, alpha, change)
    return replace(s, c=c, q=q, all_alpha=alpha)


def rigid_part(plan: Plan) -> np.ndarray:
    """Return a mask (nv,) of the generalized velocities that are not modal."""
    mask = np.ones(plan.n_velocities, dtype=bool)
    for b in range(plan.n_bodies):
        mask[plan.modal_velocities(b)] = False
    return mask

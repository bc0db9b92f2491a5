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
    L = plan.layout
    out = np.empty(4)
    for b, first in enumerate(L.v_at[:-1]):
        c[b] += change[first : first + 3]
        turned_euler(q[b], change[first + 3 : first + 6], out)
        q[b] = out
        alpha[L.alpha_at[b] : L.alpha_at[b + 1]] += change[first + 6 : L.v_at[b + 1]]


def displaced(plan: Plan, s: S, change: np.ndarray) -> S:
    """Return a state with its position changed by a generalized displacement (nv,) and all else the same."""
    c, q, alpha = s.c.copy(), s.q.copy(), s.alpha.copy()
    advance_position(plan, c, q, alpha, change)
    return replace(s, c=c, q=q, alpha=alpha)


def rigid_part(plan: Plan) -> np.ndarray:
    """Return a mask (nv,) of the generalized velocities that are not modal."""
    mask = np.zeros(plan.n_velocities, dtype=bool)
    for first in plan.layout.v_at[:-1]:
        mask[first : first + 6] = True
    return mask

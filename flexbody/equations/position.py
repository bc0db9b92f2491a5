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
    first = plan.layout.v_at[:-1, None]
    c += change[first + np.arange(3)]
    turned_euler(q, change[first + np.arange(3, 6)], q)
    alpha += change[~rigid_part(plan)]


def displaced(plan: Plan, s: S, change: np.ndarray) -> S:
    """Return a state with its position changed by a generalized displacement (nv,) and all else the same."""
    c, q, alpha = s.c.copy(), s.q.copy(), s.all_alpha.copy()
    advance_position(plan, c, q, alpha, change)
    return replace(s, c=c, q=q, all_alpha=alpha)


def rigid_part(plan: Plan) -> np.ndarray:
    """Return a mask (nv,) of the generalized velocities that are not modal."""
    mask = np.zeros(plan.n_velocities, dtype=bool)
    mask[plan.layout.v_at[:-1, None] + np.arange(6)] = True
    return mask

"""Reactions of all joints and drives over time, from the multipliers of their constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fem.common.jit import announce_compilation, jit

from .initial import jacobian, least_norm
from .kernels.equations import place

if TYPE_CHECKING:
    from .result import Result

#: force and moment (nt, 3) by the name of a joint or drive
Wrenches = dict[str, tuple[np.ndarray, np.ndarray]]


@jit
def observe_reactions(L, W, t, c, q, alpha, multipliers, rows, out):
    """``out`` (nt, nj, 2, 3) = force and moment on the second body of the joints that own ``rows`` (nj, 2)."""
    for k in range(t.size):
        place(L, W, t[k], c[k], q[k], alpha[k])
        for j in range(rows.shape[0]):
            for i in range(2):
                for l in range(3):
                    value = 0.0
                    for row in range(rows[j, 0], rows[j, 1]):
                        value -= multipliers[k, row] * W.direction[row, 2 + i, l]
                    out[k, j, i, l] = value


def wrenches(result: Result) -> Wrenches:
    """Return what every joint and drive exerts on its second body, inertial components.

    Where constraints are redundant, the multipliers of least norm with the same effect are taken.
    """
    plan = result.plan
    L, W, nt = plan.layout, plan.work(), len(result.t)
    announce_compilation("the readers of results", observe_reactions, 20)
    multipliers = np.ascontiguousarray(result.multipliers)
    if result.statistics.rank < plan.n_rows:
        multipliers = np.array(multipliers)
        for k, t in enumerate(result.t):
            G = jacobian(plan, W, t, result.c[k], result.q[k], result.all_alpha[k])
            multipliers[k] = least_norm(G, multipliers[k])
    rows = np.array([(r.start, r.stop) for r in plan.rows.values()], dtype=np.int64).reshape(-1, 2)
    out = np.empty((nt, len(rows), 2, 3))
    observe_reactions(L, W, result.t, result.c, result.q, result.all_alpha, multipliers, rows, out)
    return {name: (out[:, j, 0], out[:, j, 1]) for j, name in enumerate(plan.rows)}

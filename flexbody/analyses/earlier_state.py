"""An earlier state, or one of another machine, as that from which an analysis of a machine begins."""

from __future__ import annotations

import numpy as np

from fem.common.errors import InputError

from ..compile.plan import Plan
from ..results.same_machine import warn_of_differences
from .result import State


def counted(plan: Plan, state: State) -> np.ndarray:
    """Return the coordinates of ``plan.coordinates`` over all turns at a state, (nc,), NaN where it doesn't tell."""
    return np.array([state.turns.get(key, np.nan) for key in plan.coordinates])


def fitted(plan: Plan, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return (c, q, alpha, v) of a state for a machine with bodies of the same names and modes.

    Raises :class:`fem.InputError` where the machine has other bodies; warns where it is another one in other ways.
    """
    c, q, alpha, v = plan.start()
    at, other = plan.layout, state.plan.layout
    for body in plan.system.bodies:
        b = plan.body_index[body.name]
        k = state.plan.body_index.get(body.name)
        if k is None or int(other.body_modes[k]) != body.n_modes:
            have = ", ".join(f"'{one.name}' ({one.n_modes} modes)" for one in state.system.bodies)
            raise InputError(
                f"the state to start from has no body '{body.name}' with {body.n_modes} modes; it has {have}"
            )
        c[b], q[b] = state.c[k], state.q[k]
        alpha[at.alpha_at[b] : at.alpha_at[b + 1]] = state.all_alpha[
            other.alpha_at[k] : other.alpha_at[k + 1]
        ]
        v[at.v_at[b] : at.v_at[b + 1]] = state.v[other.v_at[k] : other.v_at[k + 1]]
    warn_of_differences(plan.system, state.system)
    return c, q, alpha, v

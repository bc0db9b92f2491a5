"""An earlier state, or a state of another machine, as the start of an analysis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem.common.errors import InputError

from ..compile.plan import Plan
from ..equations.state import drawn_state
from ..formulations.state import MachineState
from ..results.same_machine import warn_of_differences
from .result import State


def fitted(plan: Plan, state: State) -> MachineState:
    """Return a state as a state of a machine with bodies of the same names and modes; accelerations are not set.

    Raises
    ------
    fem.InputError
        The machine has other bodies. Other differences give a warning.
    """
    drawn, known = drawn_state(plan, state.t), state.turns
    c, q, alpha, v = drawn.c, drawn.q, drawn.alpha, drawn.v
    for b, body in enumerate(plan.system.bodies):
        k = state.plan.body_index.get(body.name)
        if k is None or state.system.bodies[k].n_modes != body.n_modes:
            have = ", ".join(f"'{one.name}' ({one.n_modes} modes)" for one in state.system.bodies)
            raise InputError(
                f"the state to start from has no body '{body.name}' with {body.n_modes} modes; it has {have}"
            )
        c[b], q[b] = state.c[k], state.q[k]
        alpha[plan.modal(b)] = state.all_alpha[state.plan.modal(k)]
        v[plan.velocities(b)] = state.v[state.plan.velocities(k)]
    warn_of_differences(plan.system, state.system)
    revolutions = np.array([known.get(key, np.nan) for key in plan.coordinates])
    return replace(drawn, law_states=_law_states(plan, state), revolutions=revolutions)


def _law_states(plan: Plan, state: State) -> np.ndarray:
    """Return the states of force laws (nz,) that a state contains, NaN for other elements."""
    out = np.full(plan.elements.n_states, np.nan)
    if not state.states.size:
        return out
    before = state.plan.elements
    at = {element.name: before.states(e) for e, element in enumerate(before.elements)}
    for e, element in enumerate(plan.elements.elements):
        here, there = plan.elements.states(e), at.get(element.name)
        if there is not None and there.stop - there.start == here.stop - here.start:
            out[here] = state.states[there]
    return out

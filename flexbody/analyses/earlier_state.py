"""An earlier state, or a state of another machine, as the start of an analysis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem.common.errors import InputError

from ..compile.plan import Plan
from ..equations.state import drawn_state
from ..formulations import Formulation
from ..formulations.state import MachineState
from ..results.same_machine import warn_of_differences


def description_from(description: Formulation | None, start: object) -> Formulation | None:
    """Return the description of an analysis: the one given, else that of the state or result to start from."""
    earlier = getattr(start, "plan", None)
    return earlier.formulation.unbound() if description is None and isinstance(earlier, Plan) else description


def fitted(plan: Plan, earlier: Plan, state: MachineState) -> MachineState:
    """Return a state of an earlier machine as a state of another one; accelerations are not set.

    Both machines have bodies of the same names and modes.

    Raises
    ------
    fem.InputError
        The machine has other bodies. Other differences give a warning.
    """
    drawn = drawn_state(plan, state.t)
    c, q, alpha, v = drawn.c, drawn.q, drawn.all_alpha, drawn.v
    for b, body in enumerate(plan.system.bodies):
        k = earlier.body_index.get(body.name)
        if k is None or earlier.system.bodies[k].n_modes != body.n_modes:
            have = ", ".join(f"'{one.name}' ({one.n_modes} modes)" for one in earlier.system.bodies)
            raise InputError(
                f"the state to start from has no body '{body.name}' with {body.n_modes} modes; it has {have}"
            )
        c[b], q[b] = state.c[k], state.q[k]
        alpha[plan.modal(b)] = state.all_alpha[earlier.modal(k)]
        v[plan.velocities(b)] = state.v[earlier.velocities(k)]
    warn_of_differences(plan.system, earlier.system)
    known = dict(zip(earlier.coordinates, map(float, state.counted_coordinates), strict=True))
    counted = np.array([known.get(key, np.nan) for key in plan.coordinates])
    return replace(
        drawn, law_states=_law_states(plan, earlier, state.law_states), counted_coordinates=counted
    )


def _law_states(plan: Plan, earlier: Plan, states: np.ndarray) -> np.ndarray:
    """Return the states of force laws (nz,) that an earlier state contains, NaN for other elements."""
    out = np.full(plan.elements.n_states, np.nan)
    before = earlier.elements
    at = {element.name: before.states(e) for e, element in enumerate(before.elements)}
    for e, element in enumerate(plan.elements.elements):
        here, there = plan.elements.states(e), at.get(element.name)
        if there is not None and there.stop - there.start == here.stop - here.start:
            out[here] = states[there]
    return out

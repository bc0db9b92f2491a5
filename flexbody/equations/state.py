"""The drawn state of a machine, and evaluation of frames and constraints at a state."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Work
from ..formulations.state import MachineState


def drawn_state(plan: Plan, t: float = 0.0) -> MachineState:
    """Return the drawn state at time ``t`` (s), with the velocities of the bodies' descriptions."""
    c, q, alpha, v = plan.start()
    law_states = np.full(plan.elements.n_states, np.nan)
    return MachineState(
        t, c, q, alpha, v, np.zeros_like(v), np.zeros(plan.n_rows), law_states, drawn_coordinates(plan, t)
    )


def drawn_coordinates(plan: Plan, t: float) -> np.ndarray:
    """Return values near ``plan.coordinates`` in the drawn position, (nc,), as drives prescribe at time ``t`` (s)."""
    near = plan.counted_coordinates.copy()
    for (drive, _), value in zip(plan.relations, plan.prescribed(t), strict=True) if t else ():
        if drive.driven and (key := (drive.driven.joint.name, drive.driven.which)) in plan.coordinates:
            near[plan.coordinates.index(key)] = value
    return near


def place_state(plan: Plan, W: Work, s: MachineState) -> None:
    """Compute frames and constraints at the position of a state."""
    plan.formulation.place(plan.layout, W, s)


def move_state(plan: Plan, W: Work, s: MachineState) -> None:
    """Compute frames, constraints and velocities of frames at a state."""
    place_state(plan, W, s)
    plan.formulation.move(plan.layout, W, s)

"""The state of a machine at one time: all numbers that describe it, as one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compile.plan import Plan
from ..core.equations import move, place
from ..core.structures import Layout, Work
from ..model.drives import Drive


@dataclass(frozen=True, eq=False)
class MachineState:
    """The state of a machine at time ``t``, s. Its arrays are never changed; a new state takes new ones.

    ``c`` (nb, 3), m, positions of the reference points; ``q`` (nb, 4) Euler parameters; ``alpha`` (na,) modal
    coordinates; ``v``, ``vdot`` (nv,) generalized velocities and accelerations; ``multipliers`` (nr,) of the
    constraints. ``law_states`` (nz,) of force laws, NaN for those that start as their laws say; empty: those at which
    the laws stay. ``revolutions`` (nc,): what ``plan.coordinates`` are over all turns, or near it, NaN where unknown.
    """

    t: float
    c: np.ndarray
    q: np.ndarray
    alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray
    law_states: np.ndarray
    revolutions: np.ndarray

    def copy(self) -> MachineState:
        """Return the state with arrays of its own."""
        return MachineState(self.t, *(x.copy() for name, x in vars(self).items() if name != "t"))


def drawn_state(plan: Plan, t: float = 0.0) -> MachineState:
    """Return the drawn state at time ``t``, with the velocities that the bodies were given."""
    c, q, alpha, v = plan.start()
    law_states = np.full(int(plan.elements.state_at[-1]), np.nan)
    return MachineState(
        t, c, q, alpha, v, np.zeros_like(v), np.zeros(plan.n_rows), law_states, drawn_revolutions(plan, t)
    )


def drawn_revolutions(plan: Plan, t: float) -> np.ndarray:
    """Return near what ``plan.coordinates`` are over all turns in the drawn position, (nc,): as drives say at ``t``."""
    near = plan.turns.copy()
    for (drive, _), value in zip(plan.relations, plan.prescribed(t), strict=True) if t else ():
        if isinstance(drive, Drive) and (key := (drive.joint.name, drive.coordinate)) in plan.coordinates:
            near[plan.coordinates.index(key)] = value
    return near


def place_state(L: Layout, W: Work, s: MachineState) -> None:
    """Compute frames and constraints at the position of a state."""
    place(L, W, s.t, s.c, s.q, s.alpha)


def move_state(L: Layout, W: Work, s: MachineState) -> None:
    """Compute frames, constraints and velocities of frames at a state."""
    place_state(L, W, s)
    move(L, W, s.alpha, s.v)

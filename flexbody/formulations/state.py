"""The state of a machine at one time: all numbers that describe it, as one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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

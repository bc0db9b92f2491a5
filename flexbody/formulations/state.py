"""The state of a machine at one time: all numbers that describe it, as one value."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, eq=False)
class MachineState:
    """The state of a machine at time ``t``, s. Its arrays are never changed; a new state takes new ones.

    ``c`` (nb, 3), m, positions of the reference points; ``q`` (nb, 4) Euler parameters; ``all_alpha`` (na,) modal
    coordinates of all bodies; ``v``, ``vdot`` (nv,) generalized velocities and accelerations; ``multipliers`` (nr,) of
    the constraints. ``law_states`` (nz,) of force laws, NaN for those that start as their laws say.
    ``counted_coordinates`` (nc,): the values of ``plan.coordinates``, m, or rad with all revolutions, or near them; NaN
    where unknown.
    """

    t: float
    c: np.ndarray
    q: np.ndarray
    all_alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray
    law_states: np.ndarray
    counted_coordinates: np.ndarray

    def __repr__(self) -> str:
        size = f"{len(self.c)} bodies, {len(self.v)} velocities, {len(self.multipliers)} constraint rows"
        return f"<{type(self).__name__} at t = {self.t:.6g} s: {size}>"

    def copy(self) -> MachineState:
        """Return the state with arrays of its own."""
        return MachineState(self.t, *(getattr(self, name).copy() for name in STATE_ARRAYS))


#: Names of the arrays of a state, in their order: all fields but the time.
STATE_ARRAYS = tuple(field.name for field in fields(MachineState) if field.name != "t")

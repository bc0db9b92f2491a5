"""The equations of a machine at any state vector of the explicit method."""

from __future__ import annotations

import numpy as np

import flexbody as fb
from flexbody.analyses.compiled import compiled
from flexbody.analyses.starts import beginning
from flexbody.core import explicit, tree
from flexbody.equations.consistent_start import consistent_start


class Evaluated:
    """A machine in a description, by default the relative one, with the state vector ``y`` as drawn."""

    def __init__(self, machine: fb.System, description=None) -> None:
        self.plan = compiled(machine, 1.0, description or fb.Relative())
        start = consistent_start(self.plan, beginning(self.plan, None, 1.0))
        run = fb.Explicit(step=1.0).begin(self.plan, start, 1.0, None)
        self.state, self.work = run._state, run.work
        self.y = self.state.y.copy()
        self.out, self.multipliers = np.zeros_like(self.y), np.zeros_like(self.state.multipliers)
        na, nb = int(self.plan.layout.alpha_at[-1]), len(self.plan.layout.body_mass)
        places, speeds = (
            int(at[-1]) if len(at) else 0 for at in (self.state.tree.place_at, self.state.tree.speed_at)
        )
        #: where places and alpha, and speeds and alpha. of a tree are in a state vector
        self.places, self.speeds = slice(0, places + na), slice(places + na, places + na + speeds + na)
        self.bodies = nb

    @property
    def order(self) -> np.ndarray:
        """The body of each hinge, (nb,)."""
        return self.state.tree.body

    def rates(self, t: float = 0.0) -> np.ndarray:
        """Return dy/dt at ``y``."""
        assert explicit.rates(self.plan.layout, self.work, self.state, t, self.y, self.out, self.multipliers)
        return self.out

    def forces(self, accelerations: np.ndarray) -> np.ndarray:
        """Return the forces along the speeds of a tree that cause these rates of them."""
        return tree.forces(self.plan.layout, self.work, self.state.tree, self.y, accelerations)

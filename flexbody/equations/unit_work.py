"""The work of the forces that occur in a machine, as a measure for what counts as no force."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..formulations.state import MachineState
from .tangent import elastic_forces

#: a body's own forces count as this part of the machine's at least, of which round-off reaches all bodies
LEAST_FORCE_SHARE = 1e-5


def unit_work(plan: Plan, R: np.ndarray, G: np.ndarray, s: MachineState, u: np.ndarray) -> np.ndarray:
    """Return (nv,) the largest work (J) of the forces that occur at a body along a unit ``u`` of a coordinate of it.

    ``R`` (nv,) residual, ``G`` (nr, nv): reactions that balance each other at a body count each by itself.
    """
    others, reactions = R - G.T @ s.multipliers, np.abs(G).T @ np.abs(s.multipliers)
    every = np.abs(u * np.array([others, reactions, elastic_forces(plan, s.all_alpha)])).max(axis=0)
    out = np.full_like(every, LEAST_FORCE_SHARE * every.max(initial=0.0))
    for b in range(plan.n_bodies):
        out[plan.velocities(b)] = np.maximum(out[plan.velocities(b)], every[plan.velocities(b)].max())
    return out

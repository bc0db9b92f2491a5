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
    So do the moments of the inertia of a body that rotates, m k^2 omega^2: about a principal axis their sum is zero.
    """
    others, reactions = R - G.T @ s.multipliers, np.abs(G).T @ np.abs(s.multipliers)
    every = np.abs(u * np.array([others, reactions, elastic_forces(plan, s.all_alpha)])).max(axis=0)
    L = plan.layout
    for b in range(plan.n_bodies):
        at = plan.rotation(b)
        spinning = L.body_mass[b] * L.body_size[b] ** 2 * float(s.v[at] @ s.v[at])
        every[at] = np.maximum(every[at], spinning * u[at])
    out = np.full_like(every, LEAST_FORCE_SHARE * every.max(initial=0.0))
    for b in range(plan.n_bodies):
        out[plan.velocities(b)] = np.maximum(out[plan.velocities(b)], every[plan.velocities(b)].max())
    return out

"""Random states of a system, and states a moment earlier or later, for tests by differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import flexbody as fb
from flexbody.compile.plan import Plan, make_plan
from flexbody.core.equations import move, place
from flexbody.core.rotation import turned_euler
from flexbody.equations.state import MachineState, drawn_state


def random_state(plan: Plan, rng: np.random.Generator, turn: float = 0.7) -> tuple[np.ndarray, ...]:
    """(c, q, alpha, v, vdot) with finite rotations, deformations and rates."""
    c, q, alpha, v = plan.start()
    nb = len(c)
    out = np.empty(4)
    for b in range(nb):
        turned_euler(q[b], turn * rng.normal(size=3), out)
        q[b] = out
    c += 0.3 * rng.normal(size=c.shape)
    alpha += 0.2 * rng.normal(size=alpha.shape)
    return c, q, alpha, rng.normal(size=v.shape), rng.normal(size=v.shape)


def moved(plan: Plan, state, dt: float) -> tuple[np.ndarray, ...]:
    """The state a time dt later when it moves with constant generalized accelerations vdot.

    Exact to third order in dt for positions: omega is integrated with the Magnus series' first two terms.
    """
    c, q, alpha, v, vdot = state
    L = plan.layout
    now = v + dt * vdot
    shift = dt * v + 0.5 * dt**2 * vdot
    c2, q2, alpha2, out = c.copy(), q.copy(), alpha.copy(), np.empty(4)
    for b, first in enumerate(L.v_at[:-1]):
        c2[b] += shift[first : first + 3]
        w, wdot = v[first + 3 : first + 6], vdot[first + 3 : first + 6]
        theta = shift[first + 3 : first + 6] + dt**3 / 12 * np.cross(w, wdot)
        turned_euler(q[b], theta, out)
        q2[b] = out
        alpha2[L.alpha_at[b] : L.alpha_at[b + 1]] += shift[first + 6 : L.v_at[b + 1]]
    return c2, q2, alpha2, now, vdot


def evaluated(plan: Plan, state, t: float = 0.0):
    """Work arrays with everything placed and moved."""
    W = plan.work()
    c, q, alpha, v, _ = state
    place(plan.layout, W, t, c, q, alpha)
    move(plan.layout, W, alpha, v)
    return W


def two_bodies(joint, first, second, extra=(), **options) -> Plan:
    """A plan of one joint between two bodies (or the ground)."""
    bodies = [b for b in (first, second) if isinstance(b, fb.RigidBody | fb.FlexibleBody)]
    return make_plan(fb.System(bodies, [joint, *extra], **options))


def machine_state(plan, c, q, alpha, v) -> MachineState:
    """Return a state at t = 0 that does not tell how often angles have turned."""
    drawn = drawn_state(plan)
    return replace(
        drawn, c=c, q=q, all_alpha=alpha, v=v, counted_coordinates=np.nan * drawn.counted_coordinates
    )

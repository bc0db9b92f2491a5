"""Reactions of all joints and drives over time, from the multipliers of their constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fem.common.errors import InputError, listing

from ..core.equations import place
from ..core.kinds import COUPLING
from ..core.readers import observe_reactions
from ..equations.consistent_start import jacobian, least_norm

if TYPE_CHECKING:
    from ..compile.plan import Plan
    from .result import Result

#: force and moment (nt, 3) by the name of a joint or drive
Wrenches = dict[str, tuple[np.ndarray, np.ndarray]]


def multipliers_of(result: Result) -> np.ndarray:
    """Return the multipliers (nt, nr); where constraints are redundant, those of least norm with the same effect."""
    plan = result.plan
    if not result.statistics.rank < plan.n_rows:
        return result.multipliers
    W, multipliers = plan.work(), np.array(result.multipliers)
    for k, t in enumerate(result.t):
        G = jacobian(plan, W, t, result.c[k], result.q[k], result.all_alpha[k])
        multipliers[k] = least_norm(G, multipliers[k])
    return multipliers


def wrench_on(result: Result, name: str, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Return force and moment (nt, 3) that a joint, drive, coupling or constraint exerts on a body or the ground.

    Inertial components; the moment is about where it acts on that body: its joint's point there, of several the
    last. InputError where it does not act on the body.
    """
    plan, rows = result.plan, result.plan.rows[name]
    frames, slots = _legs(plan, name)
    owners = [plan.system.bodies[b].name if b >= 0 else "ground" for b in plan.layout.frame_body[frames]]
    mine = [n for n, owner in enumerate(owners) if owner == body]
    if not mine:
        raise InputError(
            f"{plan.system.joint(name).label} does not act on {body!r}; it acts on {listing(dict.fromkeys(owners))}"
        )
    W = plan.work()
    force, moment = np.zeros((2, len(result.t), 3))
    for k, t in enumerate(result.t):
        place(plan.layout, W, t, result.c[k], result.q[k], result.all_alpha[k])
        r = W.frame_r[frames]
        for n in mine:
            load = -np.einsum("r,rml->ml", result._multipliers[k, rows], W.slope[slots[n]])
            force[k] += load[0]
            moment[k] += load[1] + np.cross(r[n] - r[mine[-1]], load[0])
    return force, moment


def _legs(plan: Plan, name: str) -> tuple[list[int], np.ndarray]:
    """Return the frames (n,) that a joint acts on, and where its rows' derivatives by each lie in ``Work.slope``."""
    L, rows = plan.layout, np.arange(plan.rows[name].start, plan.rows[name].stop)
    if not len(rows) or L.row_kind[rows[0]] < COUPLING:
        return list(plan.frames[name][:2]), np.stack([2 * rows, 2 * rows + 1])
    frames = L.leg_frame[L.row_leg_at[rows[0]] : L.row_leg_at[rows[0] + 1]].tolist()
    return frames, 2 * len(L.elimination) + L.row_leg_at[rows] + np.arange(len(frames))[:, None]


def wrenches(result: Result) -> Wrenches:
    """Return what every joint and drive exerts on its second body, inertial components."""
    plan = result.plan
    L, W, nt = plan.layout, plan.work(), len(result.t)
    multipliers = np.ascontiguousarray(result._multipliers)
    rows = np.array([(r.start, r.stop) for r in plan.rows.values()], dtype=np.int64).reshape(-1, 2)
    out = np.empty((nt, len(rows), 2, 3))
    observe_reactions(L, W, result.t, result.c, result.q, result.all_alpha, multipliers, rows, out)
    return {name: (out[:, j, 0], out[:, j, 1]) for j, name in enumerate(plan.rows)}

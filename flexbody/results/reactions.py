"""Reactions of all joints and drives over time, from the multipliers of their constraints."""

from __future__ import annotations

import numpy as np

from fem.common.errors import InputError, called, listing

from ..compile.plan import Plan
from ..core.kinds import COUPLING
from ..equations.constraint_jacobian import least_norm, weighted
from ..equations.state import place_state
from ..model.joints import Connection
from ..model.sides import Body, Ground
from .motion import Where, resolved
from .record import Record, Wrench, computed_once

#: force and moment (nt, 3) by the name of a joint or drive
Wrenches = dict[str, tuple[np.ndarray, np.ndarray]]


def reaction(
    record: Record,
    joint: Connection | str,
    frame: Where | None = None,
    *,
    body: Body | Ground | str | None = None,
) -> Wrench:
    """Return the load of a joint on its second body, or on ``body``; see :meth:`flexbody.Result.reaction`."""
    connection = record.system.joint(joint)
    if body is None:
        force, moment = wrenches(record)[connection.name]
    else:
        name = body if isinstance(body, str) else getattr(body, "name", called(body))
        force, moment = wrench_on(record, connection.name, name)
    return Wrench(resolved(record, force, frame), resolved(record, moment, frame))


@computed_once
def multipliers_of(record: Record) -> np.ndarray:
    """Return the multipliers (nt, nr); if constraints are redundant, those of least norm with the same forces."""
    plan = record.plan
    if not record.statistics.rank < plan.n_rows:
        return record.multipliers
    W, multipliers = plan.work(), np.array(record.multipliers)
    for k in range(len(record.t)):
        place_state(plan, W, record.state_at(k))
        multipliers[k] = least_norm(weighted(plan, W)[1], multipliers[k])
    return multipliers


def wrench_on(record: Record, name: str, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the force and moment of a joint, drive, coupling or constraint on a body or the ground.

    Returns
    -------
    force, moment : numpy.ndarray
        Inertial components, (nt, 3), N and Nm. The moment is about the point of the joint on that body (the last one if
        there are several).

    Raises
    ------
    fem.InputError
        The joint does not act on the body.
    """
    plan, rows = record.plan, record.plan.rows[name]
    frames, slots = _legs(plan, name)
    owners = [plan.system.bodies[b].name if b >= 0 else "ground" for b in plan.layout.frame_body[frames]]
    mine = [n for n, owner in enumerate(owners) if owner == body]
    if not mine:
        raise InputError(
            f"{plan.system.joint(name).label} does not act on {body!r}; it acts on {listing(dict.fromkeys(owners))}"
        )
    W, multipliers = plan.work(), multipliers_of(record)
    force, moment = np.zeros((2, len(record.t), 3))
    for k in range(len(record.t)):
        place_state(plan, W, record.state_at(k))
        r = W.frame_r[frames]
        for n in mine:
            load = -np.einsum("r,rml->ml", multipliers[k, rows], W.slope[slots[n]])
            force[k] += load[0]
            moment[k] += load[1] + np.cross(r[n] - r[mine[-1]], load[0])
    return force, moment


def _legs(plan: Plan, name: str) -> tuple[list[int], np.ndarray]:
    """Return the frames (n,) on which a joint acts, and the positions of its rows' derivatives in ``Work.slope``."""
    L, rows = plan.layout, np.arange(plan.rows[name].start, plan.rows[name].stop)
    if not len(rows) or L.row_kind[rows[0]] < COUPLING:
        return list(plan.frames[name][:2]), np.stack([2 * rows, 2 * rows + 1])
    frames = L.leg_frame[plan.row_legs(rows[0])].tolist()
    slots = np.array([plan.row_legs(k) for k in rows]).T
    return frames, 2 * len(L.elimination) + slots


@computed_once
def wrenches(record: Record) -> Wrenches:
    """Return the loads of all joints and drives on their second bodies, inertial components."""
    plan = record.plan
    L, W, nt = plan.layout, plan.work(), len(record.t)
    multipliers = np.ascontiguousarray(multipliers_of(record))
    rows = np.array([(r.start, r.stop) for r in plan.rows.values()], dtype=np.int64).reshape(-1, 2)
    out = np.empty((nt, len(rows), 2, 3))
    plan.formulation.observe_reactions(
        L, W, record.t, record.c, record.q, record.all_alpha, multipliers, rows, out
    )
    return {name: (out[:, j, 0], out[:, j, 1]) for j, name in enumerate(plan.rows)}

"""Reactions of all joints and drives over time, from the multipliers of their constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy

from fem.common.errors import InputError, called, listing

from ..compile.plan import Plan
from ..core.kinds import (
    AT,
    COUPLING,
    FIRST,
    FIRST_ROW,
    FRICTION_ELEMENT,
    GEOMETRY,
    HISTORY_FORCE,
    NORMAL_FORCE,
    SECOND,
    SEPARATION,
)
from ..core.structures import Work
from ..equations.constraint_jacobian import least_norm, weighted
from ..equations.least_squares import least_squares
from ..equations.reaction_friction import unit_loads
from ..equations.state import move_state
from ..model.drives import Drive
from ..model.joints import Connection
from ..model.joints.cams import CamJoint
from ..model.sides import Body, Ground
from .motion import Where, resolved
from .record import Record, Wrench, computed_once, observed_forces

#: largest number of iterations for forces of teeth that several planets share; two are enough on rigid bearings
MAX_ITERATIONS = 20
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
        move_state(plan, W, record.state_at(k))
        G = weighted(plan, W)[1]
        multipliers[k] = _with_separation(plan, W, G, multipliers[k], least_norm(G, multipliers[k]))
    return multipliers


def pulled(record: Record, cam: CamJoint) -> np.ndarray:
    """Return whether a cam that is held pulls its follower at each time, (nt,)."""
    row = record.plan.rows[cam.name].start
    pressing = cam.pressing_sign(record.system.bodies_by_name())
    pulls: np.ndarray = pressing * multipliers_of(record)[:, row] < 0.0
    return pulls


def driving(record: Record, drive: Drive) -> tuple[np.ndarray, str]:
    """Return the load of a drive along its coordinate, (nt,), and its unit: N, of angles N m.

    It is above zero where it acts towards larger values, so that load times rate is the power of the drive.
    """
    is_angle = drive.driven.coordinate.is_angle
    wrench = reaction(record, drive)
    size = np.linalg.norm(wrench.moment if is_angle else wrench.force, axis=1)
    signs = -np.sign(multipliers_of(record)[:, record.plan.rows[drive.name].start])
    return signs * size, "N m" if is_angle else "N"


def _with_separation(
    plan: Plan, W: Work, G: scipy.sparse.csr_matrix, given: np.ndarray, found: np.ndarray
) -> np.ndarray:
    """Return ``found`` with the same forces as ``given``, the forces included by which teeth separate wheels.

    Several planets share a force that redundant teeth do not determine; their bearings follow the share.
    """
    L = plan.layout
    teeth = np.flatnonzero(L.element[L.reaction_friction[:, FRICTION_ELEMENT], GEOMETRY] == SEPARATION)
    if not len(teeth):
        return found
    unit = np.array(list(unit_loads(plan, W)))[teeth]

    def forces(multipliers: np.ndarray) -> np.ndarray:
        plan.formulation.find_normal_forces(L, W, np.ascontiguousarray(multipliers))
        return np.array(W.friction_record[teeth, NORMAL_FORCE])

    before, known = forces(given), G.T @ given
    for _ in range(MAX_ITERATIONS):
        now = forces(found)
        found = least_squares(G.T, known + (now - before) @ unit)
        if np.abs(forces(found) - now).max() <= 1e-12 * now.max(initial=0.0):
            break
    return found


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
    W, multipliers = plan.work(), np.ascontiguousarray(multipliers_of(record))
    force, moment = np.zeros((2, len(record.t), 3))
    for k in range(len(record.t)):
        move_state(plan, W, record.state_at(k))
        loads = [(frames[n], -np.einsum("r,rml->ml", multipliers[k, rows], W.slope[slots[n]])) for n in mine]
        for f, load in [*loads, *_separating(plan, W, name, body, multipliers[k])]:
            force[k] += load[0]
            moment[k] += load[1] + np.cross(W.frame_r[f] - W.frame_r[frames[mine[-1]]], load[0])
    for end, load in enumerate(_slip_loads(record).get(name, ())):
        if end in mine:
            force, moment = force + load[0], moment + load[1]
    return force, moment


def _slip_loads(record: Record) -> dict[str, list[tuple[np.ndarray, np.ndarray]]]:
    """Return forces and moments (nt, 3) against the slip of contacts that roll, on both sides, by their names."""
    plan = record.plan
    slipping = {e: one.name for e, one in enumerate(plan.elements.elements) if one.rolling is not None}
    if not slipping:
        return {}
    x, g, *_ = observed_forces(record)
    found = {}
    for e, name in slipping.items():
        part = plan.elements.deformations(e)
        loads = -np.einsum("tk,tksl->stl", x[:, HISTORY_FORCE, part], g[:, part])
        found[name] = [(loads[0], loads[1]), (loads[2], loads[3])]
    return found


def _separating(
    plan: Plan, W: Work, name: str, body: str, multipliers: np.ndarray
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the frame and the load (2, 3) by which the teeth of a gear push a body away, if they do."""
    L = plan.layout
    for k, (e, row) in enumerate(L.reaction_friction[:, [FRICTION_ELEMENT, FIRST_ROW]]):
        if L.element[e, GEOMETRY] != SEPARATION or row != plan.rows[name].start:
            continue
        plan.formulation.find_normal_forces(L, W, multipliers)
        slope = W.deformation_slope[L.element[e, AT]].reshape(2, 2, 3)
        for f, directions in zip(L.element[e, [FIRST, SECOND]].tolist(), slope, strict=True):
            b = L.frame_body[f]
            if body == (plan.system.bodies[b].name if b >= 0 else "ground"):
                yield f, W.friction_record[k, NORMAL_FORCE] * directions


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
    found = {name: (out[:, j, 0], out[:, j, 1]) for j, name in enumerate(plan.rows)}
    for name, (_, (force, moment)) in _slip_loads(record).items():
        found[name] = found[name][0] + force, found[name][1] + moment
    # teeth act on a wheel through several coordinates
    return found | {
        name: wrench_on(record, name, teeth.sides()[1].body.name) for name, teeth in plan.teeth.items()
    }

"""Consistent starts: positions, velocities and accelerations that satisfy the constraints.

Koppens (4.1), (4.21). The correction is the smallest in the mass metric. Modal coordinates and their rates do not
change if the rigid motion alone can satisfy the constraints.
"""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np

from fem.common.errors import ConstraintError, RedundantConstraintWarning, few, warn

from ..compile.force_elements import start_states
from ..compile.plan import Plan
from ..compile.rows import is_holonomic
from ..core.coordinate import count_revolutions, measure_revolutions
from ..core.kinds import (
    ANGLE,
    DRIVE_RATE,
    DRIVE_START,
    FOLLOWING,
    GIVEN,
    LAST_ANGLE,
    ROW_DRIVE,
    ROW_FIRST,
    ROW_SECOND,
)
from ..core.structures import Layout, Work
from ..formulations.state import MachineState
from .accelerations import accelerations
from .constraint_jacobian import only, row_lengths, scaled, smallest_change, weighted
from .dead_points import check_accelerations, neighbours, refuse_dead_points
from .independent_rows import rows_to_keep
from .least_squares import LeastSquares, Matrix
from .locked import why_locked
from .position import displaced, rigid_part
from .reaction_friction import warn_of_open_reactions
from .revolutions import set_revolutions
from .start import Start
from .state import drawn_state, move_state, place_state
from .tangent import elastic_forces

logger = logging.getLogger("flexbody")


def consistent_start(plan: Plan, state: MachineState | None = None, *, quiet: bool = False) -> Start:
    """Return a consistent state near a given one.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    state : MachineState, optional
        The given state, by default the drawn one at t = 0. Revolutions that it does not hold are those that drives
        prescribe, or those that close the couplings.
    quiet : bool
        Whether to omit the warning of redundant constraints.

    Returns
    -------
    Start
        The state with accelerations and multipliers.

    Raises
    ------
    fem.ConstraintError
        Joints cannot be closed or contradict each other; the message names them.

    Warns
    -----
    fem.RedundantConstraintWarning
        Reactions are not determined.
    """
    W, L = plan.work(), plan.layout
    given = drawn_state(plan) if state is None else state
    set_revolutions(plan, W, given)
    s = closed(plan, W, given)
    moved = float(np.abs(s.c - given.c).max())
    if moved > 1e-6 * L.length:
        logger.info("bodies were moved by up to %.3g m to close the joints", moved)
    Y, G = weighted(plan, W)
    rows = LeastSquares(Y)
    try:
        s = replace(s, v=matched_velocities(plan, W, rows, G, s.v))
    except ConstraintError:
        refuse_dead_points(plan, s, G, "a rate that is not zero")
        _refuse_locked(plan, W, s)
        raise
    changed = _mass_norm(plan, W, s.v - given.v)
    rank, undetermined, active = redundancy(plan, W, s, G, quiet)
    move_state(plan, W, s)
    start_states(plan, W, s.t, s.law_states)
    law_states = W.law_state.copy()
    W.law_mode = GIVEN
    vdot, multipliers = accelerations(plan, W, s, rows)
    measure_revolutions(L, W, 0.0)
    count_revolutions(W)
    check_accelerations(plan, W, replace(s, vdot=vdot), G)
    size, revolutions = _balanced(plan, W, Y, s.all_alpha, multipliers), W.revolutions.copy()
    return Start(
        s.t, s.c, s.q, s.all_alpha, s.v, vdot, multipliers, law_states, revolutions[:, LAST_ANGLE].copy(), rank=rank,
        undetermined=undetermined, active=active, position_correction=moved, velocity_correction=changed,
        balanced=size, revolutions=revolutions,
    )  # fmt: skip


def closed(plan: Plan, W: Work, s: MachineState) -> MachineState:
    """Return a state with bodies moved so that all joints are closed; ``W`` is at this state.

    Modal coordinates change only if necessary.

    Raises
    ------
    fem.ConstraintError
        Joints cannot be closed; the message names them.
    """
    L = plan.layout
    if plan.n_rows == 0:
        place_state(plan, W, s)
        return s
    length = L.length
    holds = is_holonomic(L.row_kind)
    for part in (rigid_part(plan), np.ones(plan.n_velocities, dtype=bool)):
        near, best = s, np.inf
        for _ in range(60):
            place_state(plan, W, near)
            nearer = _angles_within_reach(plan, W, s.t)
            if nearer is not None:
                plan.formulation.place(nearer, W, near)
            miss = float(np.abs(W.phi).max())
            if (nearer is None and miss <= 1e-14 * length) or (miss < 1e-11 * length and miss > 0.5 * best):
                return near
            best = min(best, miss)
            rows = only(LeastSquares(weighted(plan, W)[0][holds]), part)
            change = smallest_change(plan, W, rows, W.phi[holds], part)
            size = np.abs(change).max() / max(length, 1.0)
            near = displaced(plan, near, change * min(1.0, 0.3 / max(size, 1e-300)))
        if plan.system.n_modes == 0:
            break
    _refuse_locked(plan, W, s)
    place_state(plan, W, s)
    drawn = W.phi.copy()
    place_state(plan, W, near)
    raise ConstraintError(
        "this system can't be assembled from the given positions. After the best attempt "
        + misses(plan, W.phi, "m or rad")
        + "; as drawn "
        + misses(plan, drawn, "m or rad")
        + ". Check the points, axes and markers of these joints, and the lengths between them"
    )


def _refuse_locked(plan: Plan, W: Work, s: MachineState) -> None:
    """Raise :class:`fem.ConstraintError` if joints lock a coordinate that a drive moves, at the position of ``s``."""
    if why := why_locked(plan, W, s):
        raise ConstraintError(why)


def _angles_within_reach(plan: Plan, W: Work, t: float) -> Layout | None:
    """Return the layout with driven angles at most one radian from those of the joints; None if all are.

    The row of a driven angle is the sine of the difference, which would lead to the opposite angle from a larger
    distance.
    """
    L, values, far = plan.layout, plan.layout.drive_value.copy(), False
    for value, driven in zip(values, plan.prescribed(t), strict=True):
        value[0] = driven
    for k in np.flatnonzero(L.row_kind == ANGLE):
        i, j, d = L.row_frame[k, [ROW_FIRST, ROW_SECOND, ROW_DRIVE]]
        x = W.frame_R[j][:, 0]
        angle = np.arctan2(W.frame_R[i][:, 1] @ x, W.frame_R[i][:, 0] @ x)
        missing = values[d, DRIVE_START] - angle
        missing -= 2 * np.pi * np.rint(missing / (2 * np.pi))
        values[d, DRIVE_START] = angle + np.clip(missing, -1.0, 1.0)
        far = far or abs(missing) > 1.0
    values[:, DRIVE_START] -= values[:, DRIVE_RATE] * t
    return L.replaced(drive_value=values, drive_law=np.zeros_like(L.drive_law)) if far else None


def misses(plan: Plan, values: np.ndarray, unit: str) -> str:
    """Return the names of joints with their residuals, the largest first, in words."""
    natural = np.abs(values) / plan.layout.row_scale
    owners: dict[str, float] = {}
    for k, value in enumerate(natural):
        owner = plan.row_owner(k)
        owners[owner] = max(owners.get(owner, 0.0), float(value))
    worst = sorted(owners.items(), key=lambda item: -item[1])
    worst = [item for item in worst if item[1] > 1e-3 * worst[0][1]][:4]
    return ", ".join(f"{owner} misses by {value:.3g} {unit}" for owner, value in worst)


def matched_velocities(plan: Plan, W: Work, rows: LeastSquares, G: Matrix, v: np.ndarray) -> np.ndarray:
    """Return the velocities (nv,) closest to ``v`` with ``G v + Phi_t = 0``; ``rows`` are the weighted ones."""
    if plan.n_rows == 0:
        return v
    rigid, every = rigid_part(plan), np.ones(len(v), dtype=bool)
    for part in (rigid, every):
        trial = v.copy()
        if (other := plan.layout.row_kind != FOLLOWING).all():
            miss = _match(plan, W, trial, only(rows, part), part)
        else:  # shapes don't stop the contacts that they follow: their rates change
            _match(plan, W, trial, only(LeastSquares(rows.A[other]), part), part, other)
            miss = _match(plan, W, trial, only(rows, every), every)
        # what the rows sum up, not what is left of it: a consistent start leaves round-off only
        speed = float(np.abs(W.phi_t).max()) + float((abs(G) @ np.abs(v)).max()) + 1e-300
        if np.abs(miss).max() <= 1e-8 * speed:
            return trial
    raise ConstraintError(
        "the joints and drives of this system contradict each other: no velocities satisfy them all. With the best "
        "ones " + misses(plan, miss, "m/s or rad/s") + ". Remove one of these, or make them agree"
    )


def _match(
    plan: Plan, W: Work, v: np.ndarray, rows: LeastSquares, part: np.ndarray, which: np.ndarray | None = None
) -> np.ndarray:
    """Change the velocities ``v`` (nv,) so that they satisfy ``rows``; return what all rows miss then, (nr,).

    ``part``: the velocities that change; ``which`` (nr,): the rows, if they are not all.
    """
    miss = np.empty(plan.n_rows)
    kept = slice(None) if which is None else which
    for _ in range(2):  # the second removes round-off
        plan.formulation.velocity_residual(plan.layout, W, v, miss)
        v += smallest_change(plan, W, rows, miss[kept], part)
    plan.formulation.velocity_residual(plan.layout, W, v, miss)
    return miss


def _mass_norm(plan: Plan, W: Work, change: np.ndarray) -> float:
    """Return the root mean square of a change of velocities over mass, with the factors of :func:`weighted`."""
    plan.formulation.weigh(plan.layout, W, change, False)
    return float(np.linalg.norm(change) / np.sqrt(plan.layout.body_mass.sum()))


def _balanced(plan: Plan, W: Work, Y: Matrix, alpha: np.ndarray, multipliers: np.ndarray) -> float:
    """Return the largest acceleration (m/s^2) that gravity, reactions or elastic forces would cause alone.

    Relative to it, small accelerations at a start in equilibrium are round-off.
    """
    elastic = elastic_forces(plan, alpha)
    plan.formulation.weigh(plan.layout, W, elastic, True)
    largest = max(float(np.linalg.norm(force)) for force in (Y.T @ multipliers, elastic))
    weight = float(np.linalg.norm(plan.layout.gravity))
    return max(weight, largest / float(np.sqrt(plan.layout.body_mass.sum())))


def redundancy(
    plan: Plan, W: Work, s: MachineState, G: Matrix, quiet: bool = False
) -> tuple[int, tuple[str, ...], np.ndarray]:
    """Return the rank, the joints whose reactions are not determined, and the rows to keep; warn of redundant rows.

    A row is redundant if it depends on others in neighbouring positions too. Rows that depend on others in a singular
    position (a dead point) only are not redundant.
    """
    active = np.ones(plan.n_rows, dtype=np.int64)
    rows = LeastSquares(scaled(G))
    if not rows.dependencies.any():
        return plan.n_rows, (), active
    nearby = [G, *neighbours(plan, W, s, G)]
    active, near = max(
        ((rows_to_keep(plan, scaled(near)), near) for near in nearby), key=lambda pair: pair[0].sum()
    )
    rank = int(active.sum())
    if rank == plan.n_rows:
        return rank, (), active
    dependent = (rows if near is G else LeastSquares(scaled(near))).dependencies
    owners = plan.row_owners(np.flatnonzero(dependent.any(axis=1)))
    if quiet:
        return rank, owners, active
    warn(
        f"{plan.n_rows - rank} of the {plan.n_rows} constraints depend on the others: the motion is determined, but "
        f"how {few(owners)} share their reactions is not. They are given with the least norm. To determine them, "
        + _fewer_constraints(plan, owners),
        RedundantConstraintWarning,
    )
    place_state(plan, W, s)
    warn_of_open_reactions(plan, W, dependent / row_lengths(G)[:, None])
    return rank, owners, active


def _fewer_constraints(plan: Plan, owners: tuple[str, ...]) -> str:
    """Return the advice for joints and drives that share their reactions."""
    if set(owners) <= {item.label for item, _ in plan.relations}:
        return "remove all but one of these drives"
    return (
        "replace joints by ones that hold less (in a planar loop in space: spherical, universal or cylindrical instead "
        "of some revolute joints; of a shaft in two bearings: a spherical and a point-on-line joint)"
    )

"""Locked machines: joints that leave no motion, and drives of coordinates that the joints lock."""

from __future__ import annotations

import numpy as np
import scipy

from fem.common.errors import few, warn

from ..compile.plan import Plan
from ..compile.rows import is_holonomic
from ..core.structures import Work
from ..formulations.state import MachineState
from .constraint_jacobian import scaled, weighted
from .dead_points import nearby
from .driven_rows import drive_rows, driven_rows
from .independent_rows import independent_rows
from .least_squares import LeastSquares, Matrix
from .state import place_state

#: a row follows from others if so small a part of it is left beside them, and joints with so large a part of it lock it
LEAST_SHARE = 1e-6


def why_locked(plan: Plan, W: Work, s: MachineState) -> str:
    """Return which joints lock a coordinate that a drive moves, at a position that meets the joints; "" if none do.

    At a dead point of the drives the joints lock it too, but in no neighbouring position: this is no lock.
    """
    place_state(plan, W, s)
    G = weighted(plan, W)[1]
    driven = np.any([drive_rows(plan), *driven_rows(plan)[1]], axis=0)
    rows = scaled(G)
    joints = np.flatnonzero(~driven & is_holonomic(plan.layout.row_kind))
    locked = _follow(rows[joints], rows, np.flatnonzero(driven))
    for near in map(scaled, nearby(plan, W, s, G, driven) if locked.size else ()):
        locked = _follow(near[joints], near, locked)
    if not locked.size:
        return ""
    fit = LeastSquares(rows[joints])
    shares = np.abs(np.column_stack([fit.solve_transposed(_dense(rows[[k]])) for k in locked]))
    owners = plan.row_owners(joints[shares.max(axis=1) > LEAST_SHARE * shares.max()])
    rank = _rank(plan, rows, joints)
    freedom = plan.n_velocities - rank
    what = plan.row_owners(locked)
    one = len(what) == 1
    state = (
        f"this machine is locked: {degrees(plan, len(joints), rank)}"
        if freedom == 0
        else "a part of this machine is locked"
    )
    return (
        f"{state}. {few(what)} can't move what {'it drives' if one else 'they drive'}, because these joints hold "
        f"it together: {few(owners)}. {remedy(plan)}"
    )


def warn_of_locked(plan: Plan, rank: int) -> None:
    """Warn of a machine without drives whose joints leave no degree of freedom; ``rank``: of all constraint rows.

    Bodies that fixed joints alone hold are meant to stand, and those that a drive holds: it may be an input.
    """
    drives, others = drive_rows(plan), driven_rows(plan)[1]
    rolls = not is_holonomic(plan.layout.row_kind).all()
    movable = any(joint.free for joint in plan.system.proper_joints)
    if rank < plan.n_velocities or drives.any() or others or rolls or not movable:
        return
    warn(
        f"this machine is locked: {degrees(plan, plan.n_rows, rank)}. Nothing in it moves; its reactions are those of "
        f"a structure at rest. {remedy(plan)}"
    )


def degrees(plan: Plan, rows: int, rank: int) -> str:
    """Return the count of the degrees of freedom in words."""
    return (
        f"its joints leave no degree of freedom ({rows} constraints, {rank} of them independent, for "
        f"{plan.n_velocities} coordinates of {plan.n_bodies} {'body' if plan.n_bodies == 1 else 'bodies'})"
    )


def remedy(plan: Plan) -> str:
    """Return what would let a locked machine move."""
    flexible = "" if plan.n_modes else "Flexible bodies or "
    other = "another joint" if flexible else "Another joint"
    return (
        f"{flexible}{other} would let it move (in a planar loop in space: parallel axes, or spherical, universal or "
        "cylindrical joints instead of some revolute joints)"
    )


def _follow(others: Matrix, rows: Matrix, some: np.ndarray) -> np.ndarray:
    """Return which of ``some`` rows, of length one, follow from others (n, nv) up to :data:`LEAST_SHARE`."""
    fit, found = LeastSquares(others), []
    for k in some:
        x = _dense(rows[[k]])
        found.append(np.linalg.norm(x - others.T @ fit.solve_transposed(x)) < LEAST_SHARE)
    return some[np.array(found, dtype=bool)]


def _rank(plan: Plan, rows: Matrix, some: np.ndarray) -> int:
    """Return how many of some rows (nr, nv) are independent."""
    mine = np.zeros(plan.n_rows)
    mine[some] = 1.0
    return int(independent_rows(plan, scipy.sparse.diags(mine, format="csr") @ rows).sum())


def _dense(row: Matrix) -> np.ndarray:
    return row.toarray()[0]

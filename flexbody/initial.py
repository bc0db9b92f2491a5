"""Consistent starts: positions, velocities and accelerations that the constraints allow.

Koppens (4.1), (4.21); the correction is as small as possible in the metric of the masses. Modal coordinates and
their rates are kept as given wherever the rigid motion alone can satisfy the constraints.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import numpy as np
import scipy

from fem.common.errors import ConstraintError, RedundantConstraintWarning, warn

from .core.coordinate import count_turns, measure_turns
from .core.equations import biases, dense, masses, move, place, residual, velocity_residual
from .core.kinds import ANGLE, DRIVE_RATE, DRIVE_START, GIVEN, ROW_DRIVE, ROW_FIRST, ROW_SECOND
from .core.mass_metric import unweigh, weigh, weighted_rows
from .core.rotation import turned_euler
from .core.structures import Layout, Work
from .dead_points import heed_accelerations, heed_dead_points, neighbours
from .forces.arrays import start_states
from .layout import Plan
from .least_squares import RANK_TOLERANCE as RANK_TOLERANCE
from .least_squares import Matrix, independent_rows, least_squares, left_null_space
from .row_layout import is_holonomic
from .rubbing import heed_friction, heed_open_reactions
from .tangent import elastic_forces
from .turns import take_turns

logger = logging.getLogger("flexbody")


@dataclass(frozen=True, eq=False)
class Start:
    """A consistent state, and what was found out about the constraints on the way."""

    c: np.ndarray
    q: np.ndarray
    alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray
    rank: int
    undetermined: tuple[str, ...]  # labels of joints whose reactions are not determined
    active: np.ndarray  # (nr,) 1 for rows that determine the motion, 0 for the redundant rest
    position_correction: float  # largest correction of a body's position, m
    velocity_correction: float  # largest correction of a generalized velocity, m/s
    t: float = 0.0  # s
    balanced: float = 0.0  # size of the accelerations that forces in balance would cause singly, m/s^2
    #: (nc, 5) joint coordinates over all turns, twice, and their rates; see core/coordinate.hpp
    turn: np.ndarray = field(default_factory=lambda: np.zeros((0, 5)))
    states: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of force laws, (nz,)


def consistent_start(
    plan: Plan,
    state: tuple[np.ndarray, ...] | None = None,
    t: float = 0.0,
    turns: np.ndarray | None = None,
    states: np.ndarray | None = None,
    *,
    quiet: bool = False,
) -> Start:
    """Return a consistent state at time ``t`` (s) from the drawn one (or ``state`` = (c, q, alpha, v)).

    turns : joint coordinates over all turns near which those of the state lie, (nc,), as in ``plan.coordinates``, NaN
    where they are not known: then what drives prescribe, else zero, and, of another than the drawn state, what closes
    the couplings.
    states : of force laws (nz,), NaN for those that start as their laws say.

    Raises :class:`fem.ConstraintError` naming the joints that can't be closed, or that contradict each other.
    Warns with :class:`fem.RedundantConstraintWarning` where reactions are not determined, unless ``quiet``.
    """
    W = plan.work()
    c, q, alpha, v = (np.array(x) for x in (state or plan.start()))
    turns = np.full(len(plan.turns), np.nan) if turns is None else turns
    take_turns(plan, W, t, (c, q, alpha), turns, state is not None)
    drawn = c.copy()
    close(plan, W, t, c, q, alpha)
    moved = float(np.abs(c - drawn).max())
    if moved > 1e-6 * plan.layout.length:
        logger.info("bodies were moved by up to %.3g m to close the joints", moved)
    Y, G = weighted(plan, W)
    given, place_ = v.copy(), (c, q, alpha)
    try:
        match_velocities(plan, W, Y, G, v)
    except ConstraintError:
        heed_dead_points(plan, t, G, place_, "a rate that is not zero")
        raise
    changed = _mass_norm(plan, W, v - given)
    rank, undetermined, active = redundancy(plan, W, t, G, place_, quiet)
    place(plan.layout, W, t, c, q, alpha)
    move(plan.layout, W, alpha, v)
    start_states(plan, W, t, states)
    found = W.law_state.copy()
    W.law_mode = GIVEN
    vdot, multipliers = accelerations(plan, W, t, c, q, alpha, v)
    measure_turns(plan.layout, W, 0.0)
    count_turns(W)
    heed_accelerations(plan, W, t, G, place_, v, vdot)
    size, turn = _balanced(plan, W, Y, alpha, multipliers), W.turn.copy()
    return Start(
        c, q, alpha, v, vdot, multipliers, rank, undetermined, active, moved, changed, t, size, turn, found
    )


def accelerations(plan: Plan, W: Work, t: float, c, q, alpha, v) -> tuple[np.ndarray, np.ndarray]:
    """Return ``vdot`` (nv,) and the multipliers (nr,) of least norm for a consistent position and velocity."""
    L = plan.layout
    place(L, W, t, c, q, alpha)
    move(L, W, alpha, v)
    residual(L, W, t, alpha, v, np.zeros_like(v), np.zeros(plan.n_rows))
    bias = np.empty(plan.n_rows)
    biases(L, W, t, bias)
    Y = weighted(plan, W)[0]
    free = -W.residual
    weigh(L, W, free, True)
    # y = free - Y' lambda with Y y = -bias; w is its part in the range of Y'. Nothing is squared
    w = least_squares(Y, -bias)
    multipliers = least_squares(Y.T, free - w)
    vdot = free - Y.T @ multipliers
    unweigh(L, W, vdot)

    def response(load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weigh(L, W, load, True)
        found = least_squares(Y.T, load)
        motion = load - Y.T @ found
        unweigh(L, W, motion)
        return motion, found

    heed_friction(plan, W, response, vdot, multipliers)
    return vdot, multipliers


def least_norm(G: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Return the multipliers of least norm with the same constraint forces ``G^T multipliers``."""
    return least_squares(G.T, G.T @ multipliers)


def jacobian(plan: Plan, W: Work, t: float, c, q, alpha) -> np.ndarray:
    """Return the constraint Jacobian G (nr, nv), rows scaled to metres, at a position."""
    place(plan.layout, W, t, c, q, alpha)
    M, G = (np.empty((n, plan.n_velocities)) for n in (plan.n_velocities, plan.n_rows))
    dense(plan.layout, W, M, G)
    return G


def weighted(plan: Plan, W: Work) -> tuple[scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
    """Return ``G B^-T`` and the constraint Jacobian G, (nr, nv), where ``M = B B^T`` is factorised body by body.

    Needs the position placed; leaves the factors in ``W.matrix`` for ``weigh`` and ``unweigh``.
    """
    L = plan.layout
    masses(L, W)
    if not weighted_rows(L, W):
        raise ConstraintError(
            "a body's mass matrix is not positive definite at the start: its given deformation is beyond the theory"
        )
    row, column = plan.pattern
    mine = row < plan.n_rows
    shape = (plan.n_rows, plan.n_velocities)
    Y, G = (scipy.sparse.csr_matrix((x[mine], (row[mine], column[mine])), shape) for x in (W.Y, W.G))
    return Y, G


def rigid_part(plan: Plan) -> np.ndarray:
    """Return a mask (nv,) of the generalized velocities that are not modal."""
    mask = np.zeros(plan.n_velocities, dtype=bool)
    for first in plan.layout.v_at[:-1]:
        mask[first : first + 6] = True
    return mask


def _corrections(plan: Plan, W: Work, Y: Matrix, miss: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Return the smallest change (in the mass metric) of the coordinates ``part`` that removes ``miss``.

    The rigid coordinates are the first of each body, so that they keep their part of the body's factor.
    """
    change = -least_squares(Y @ scipy.sparse.diags(part.astype(float), format="csr"), miss)
    change[~part] = 0.0
    unweigh(plan.layout, W, change)
    return change


def advance_position(plan: Plan, c, q, alpha, change: np.ndarray) -> None:
    """Move a position in place by a generalized displacement (nv,)."""
    L = plan.layout
    out = np.empty(4)
    for b, first in enumerate(L.v_at[:-1]):
        c[b] += change[first : first + 3]
        turned_euler(q[b], change[first + 3 : first + 6], out)
        q[b] = out
        alpha[L.alpha_at[b] : L.alpha_at[b + 1]] += change[first + 6 : L.v_at[b + 1]]


_advance_position = advance_position  # as kinematics and elastodynamics call it


def close(plan: Plan, W: Work, t: float, c, q, alpha) -> None:
    """Move the bodies until all joints are closed at time ``t``; modal coordinates only if it can't be done without."""
    L = plan.layout
    if plan.n_rows == 0:
        place(L, W, t, c, q, alpha)
        return
    length = L.length
    holds = is_holonomic(L.row_kind)
    start = (c.copy(), q.copy(), alpha.copy())
    for part in (rigid_part(plan), np.ones(plan.n_velocities, dtype=bool)):
        c[:], q[:], alpha[:] = start
        best = np.inf
        for _ in range(60):
            place(L, W, t, c, q, alpha)
            nearer = _angles_within_reach(plan, W, t)
            if nearer is not None:
                place(nearer, W, t, c, q, alpha)
            miss = float(np.abs(W.phi).max())
            if (nearer is None and miss <= 1e-14 * length) or (miss < 1e-11 * length and miss > 0.5 * best):
                return
            best = min(best, miss)
            change = _corrections(plan, W, weighted(plan, W)[0][holds], W.phi[holds], part)
            size = np.abs(change).max() / max(length, 1.0)
            advance_position(plan, c, q, alpha, change * min(1.0, 0.3 / max(size, 1e-300)))
        if plan.system.n_modes == 0:
            break
    place(L, W, t, *start)
    drawn = W.phi.copy()
    place(L, W, t, c, q, alpha)
    raise ConstraintError(
        "this system can't be assembled from the given positions. After the best attempt "
        + misses(plan, W.phi, "m or rad")
        + "; as drawn "
        + misses(plan, drawn, "m or rad")
        + ". Check the points, axes and markers of these joints, and the lengths between them"
    )


def _angles_within_reach(plan: Plan, W: Work, t: float) -> Layout | None:
    """Return the layout with driven angles at most one radian from where the joints are; None if all are.

    The row of a driven angle is the sine of what is missing, which would lead to the opposite angle from farther.
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
    """Return who misses by how much, in words, largest first."""
    natural = np.abs(values) / plan.layout.row_scale
    owners: dict[str, float] = {}
    for k, value in enumerate(natural):
        owner = plan.row_owner(k)
        owners[owner] = max(owners.get(owner, 0.0), float(value))
    worst = sorted(owners.items(), key=lambda item: -item[1])
    worst = [item for item in worst if item[1] > 1e-3 * worst[0][1]][:4]
    return ", ".join(f"{owner} misses by {value:.3g} {unit}" for owner, value in worst)


def match_velocities(plan: Plan, W: Work, Y: Matrix, G: Matrix, v: np.ndarray) -> None:
    """Change ``v`` in place by as little as possible so that ``G v + Phi_t = 0``."""
    if plan.n_rows == 0:
        return
    miss = np.empty(plan.n_rows)
    for part in (rigid_part(plan), np.ones(len(v), dtype=bool)):
        trial = v.copy()
        for _ in range(2):  # the second removes round-off
            velocity_residual(plan.layout, W, trial, miss)
            trial += _corrections(plan, W, Y, miss, part)
        velocity_residual(plan.layout, W, trial, miss)
        # what the rows sum up, not what is left of it: a consistent start leaves round-off only
        speed = float(np.abs(W.phi_t).max()) + float((abs(G) @ np.abs(v)).max()) + 1e-300
        if np.abs(miss).max() <= 1e-8 * speed:
            v[:] = trial
            return
    raise ConstraintError(
        "the joints and drives of this system contradict each other: no velocities satisfy them all. With the best "
        "ones " + misses(plan, miss, "m/s or rad/s") + ". Remove one of these, or make them agree"
    )


def impulses(plan: Plan, t: float, c, q, alpha, v: np.ndarray) -> float:
    """Change ``v`` in place as impulses of the constraints do where the rate of one has jumped; return their work, J.

    ``M dv = G^T p`` with ``G (v + dv) + Phi_t = 0``: modal coordinates take their part.
    """
    W, miss = plan.work(), np.empty(plan.n_rows)
    place(plan.layout, W, t, c, q, alpha)
    Y = weighted(plan, W)[0]
    velocity_residual(plan.layout, W, v, miss)
    change = _corrections(plan, W, Y, miss, np.ones(len(v), dtype=bool))
    # 2 T = |B' v|^2
    old, new = v.copy(), change.copy()
    weigh(plan.layout, W, old, False)
    weigh(plan.layout, W, new, False)
    v += change
    return float(old @ new + 0.5 * new @ new)


def _mass_norm(plan: Plan, W: Work, change: np.ndarray) -> float:
    """Return the size of a change of velocities, root mean square over mass; :func:`weighted` has left the factors."""
    weigh(plan.layout, W, change, False)
    return float(np.linalg.norm(change) / np.sqrt(plan.layout.body_mass.sum()))


def _balanced(plan: Plan, W: Work, Y: Matrix, alpha: np.ndarray, multipliers: np.ndarray) -> float:
    """Return the largest acceleration (m/s^2) that gravity, reactions or elastic forces would cause alone.

    Beside it an acceleration is round-off, where a machine starts in equilibrium.
    """
    elastic = elastic_forces(plan, alpha)
    weigh(plan.layout, W, elastic, True)
    largest = max(float(np.linalg.norm(force)) for force in (Y.T @ multipliers, elastic))
    weight = float(np.linalg.norm(plan.layout.gravity))
    return max(weight, largest / float(np.sqrt(plan.layout.body_mass.sum())))


def redundancy(
    plan: Plan, W: Work, t: float, G: Matrix, position, quiet: bool = False
) -> tuple[int, tuple[str, ...], np.ndarray]:
    """Return the rank, the joints whose reactions are open, and which rows to keep; warn if any is redundant.

    A row is redundant if it depends on the others in nearby positions as well; a start in a singular position (a
    dead point) is none.
    """
    active = np.ones(plan.n_rows, dtype=np.int64)
    dependent = left_null_space(scaled(G))
    for near in neighbours(plan, W, t, G, position) if dependent.size else ():
        others = left_null_space(scaled(near))
        if others.shape[1] < dependent.shape[1]:
            dependent = others
    rank = plan.n_rows - dependent.shape[1]
    if rank == plan.n_rows:
        return rank, (), active
    active = independent_rows(dependent)
    share = np.linalg.norm(dependent, axis=1)
    owners = tuple(dict.fromkeys(plan.row_owner(int(k)) for k in np.flatnonzero(share > 1e-6)))
    if quiet:
        return rank, owners, active
    warn(
        f"{plan.n_rows - rank} of the {plan.n_rows} constraints depend on the others: the motion is determined, but "
        f"how {', '.join(owners)} share their reactions is not. They are given with the least norm. To determine "
        "them, replace joints by ones that hold less (in a planar loop in space: spherical, universal or "
        "cylindrical instead of some revolute joints)",
        RedundantConstraintWarning,
    )
    place(plan.layout, W, t, *position)
    heed_open_reactions(plan, W, dependent / row_lengths(G)[:, None])
    return rank, owners, active


def scaled(G: Matrix) -> Matrix:
    """Return the rows of a Jacobian with length one."""
    return scipy.sparse.diags(1.0 / row_lengths(G), format="csr") @ G


def row_lengths(G: Matrix) -> np.ndarray:
    """Return the lengths (nr,) of the rows of a Jacobian, one for those that have none."""
    lengths = np.sqrt(
        np.asarray(abs(G).power(2).sum(axis=1)).ravel() if scipy.sparse.issparse(G) else (G**2).sum(axis=1)
    )
    return np.where(lengths > 0, lengths, 1.0)

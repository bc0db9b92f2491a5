"""Neighbouring positions, and drives at a dead point, where they cannot set the machine in motion.

A dead point (E. J. Sol (1983), 8.3, apart from his singular positions) depends on the drives only; an example is a
driven slider with crank and rod in line. Constraints depend on each other there, and do not in any neighbouring
position that the joints permit. Everything that follows a function of time can drive: a rod, a coupling, a
constraint.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fem.common.errors import ConstraintError, few

from ..compile.plan import Plan
from ..compile.rows import is_holonomic
from ..core.structures import Work
from ..formulations.state import MachineState
from .constraint_jacobian import scaled, weighted
from .driven_rows import driven_rows
from .independent_rows import independent_rows
from .least_squares import LeastSquares, Matrix, least_squares
from .position import displaced
from .state import move_state, place_state

#: neighbours are so far away: of a turn by one radian, and of the system's size
NEIGHBOUR_DISTANCE = 0.01
#: accelerations meet the constraints' second derivatives to this part of what they sum up
ACCELERATION_TOLERANCE = 1e-6


def neighbours(plan: Plan, W: Work, s: MachineState, G: Matrix) -> list[Matrix]:
    """Return the Jacobians (nr, nv) of neighbouring positions that the joints permit, whatever the drives.

    ``G`` is the Jacobian of the position itself.
    """
    # drives give way together; what else follows a function of time does so one by one, where fewer constraints depend
    # on each other then: rods that go along side by side hold each other, which makes no dead point
    free, others = driven_rows(plan)
    found = list(nearby(plan, W, s, G, free))
    for own in others:
        more = list(nearby(plan, W, s, G, free | own))
        if _rank(plan, more) > _rank(plan, [G, *found]):
            free, found = free | own, more
    return found


def _rank(plan: Plan, jacobians: list[Matrix]) -> int:
    """Return the largest number of independent rows."""
    return max((int(independent_rows(plan, scaled(G)).sum()) for G in jacobians), default=0)


def nearby(plan: Plan, W: Work, s: MachineState, G: Matrix, free: np.ndarray) -> Iterator[Matrix]:
    """Yield the Jacobians (nr, nv) of neighbouring positions that all rows but the ``free`` ones permit."""
    rng, others = np.random.default_rng(0), ~free
    rows = LeastSquares(scaled(G)[others])
    size = np.full(plan.n_velocities, plan.layout.length)
    size[plan.layout.v_at[:-1, None] + np.arange(3, 6)] = 1.0
    for _ in range(2):
        # a random motion that the rows allow
        change = rng.normal(size=plan.n_velocities)
        change -= rows.solve(rows.A @ change)
        if np.abs(change).max() < 1e-6:
            return
        change *= NEIGHBOUR_DISTANCE / np.abs(change / size).max()
        if _closes(plan, W, s, change, others):
            yield weighted(plan, W)[1]


def _closes(plan: Plan, W: Work, s: MachineState, change: np.ndarray, rows: np.ndarray) -> bool:
    """Move a machine by ``change`` and close the joints of ``rows`` again, in ``W``; return False if that fails."""
    holds = rows & is_holonomic(plan.layout.row_kind)
    for _ in range(12):
        s = displaced(plan, s, change)
        place_state(plan, W, s)
        if np.abs(W.phi[holds]).max(initial=0.0) < 1e-9 * plan.layout.length:
            weighted(plan, W)
            return True
        try:
            change = -least_squares(weighted(plan, W)[1][holds], W.phi[holds])
        except ConstraintError:
            return False
    return False


def dead_drives(plan: Plan, W: Work, s: MachineState, G: Matrix) -> tuple[str, ...]:
    """Return the labels of drives at a dead point."""
    if _rank(plan, neighbours(plan, W, s, G)) <= _rank(plan, [G]):
        return ()
    drives, others = driven_rows(plan)
    dependent = LeastSquares(scaled(G)).dependencies.any(axis=1)
    return plan.row_owners(np.flatnonzero(dependent & np.any([drives, *others], axis=0)))


def refuse_dead_points(plan: Plan, s: MachineState, G: Matrix, asks: str) -> None:
    """Raise :class:`fem.ConstraintError` if drives at a dead point prescribe a motion that is not possible there."""
    drives = dead_drives(plan, plan.work(), s, G)
    if not drives:
        return
    one = len(drives) == 1
    raise ConstraintError(
        f"{few(drives)} {'stands' if one else 'stand'} at a dead point at t = {s.t:.6g} s and "
        f"{'asks' if one else 'ask'} for {asks}: in this position, as where a slider stands whose crank and rod are in "
        "line, no joint lets it happen. Drive another coordinate (the crank's angle), begin a little away from here, "
        "or let the machine pass: with a rate of zero here, and bodies that are given the velocities "
        "(velocity=, angular_velocity=) with which they pass"
    )


def check_accelerations(plan: Plan, W: Work, s: MachineState, G: Matrix) -> None:
    """Raise an error if the accelerations violate the constraints because drives are at a dead point."""
    bias = np.empty(plan.n_rows)
    move_state(plan, W, s)
    plan.formulation.biases(plan.layout, W, s.t, bias)
    size = float(np.abs(bias).max(initial=0.0)) + float((abs(G) @ np.abs(s.vdot)).max(initial=0.0))
    if np.abs(G @ s.vdot + bias).max(initial=0.0) > ACCELERATION_TOLERANCE * size:
        refuse_dead_points(plan, s, G, "an acceleration that only a machine that moves already can have")

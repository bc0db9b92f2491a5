"""A warning of drives that set free machines in motion at the start, as by a blow."""

from __future__ import annotations

import numpy as np

from fem.common.errors import few, warn

from ..compile.plan import Plan
from ..equations.start import Start
from ..equations.state import place_state
from ..formulations.state import MachineState

#: changes of a velocity below this part of the largest one, and below this one (m/s, rad/s), are not mentioned
LEAST_CHANGE, ROUND_OFF = 1e-3, 1e-9


def warn_of_blow(plan: Plan, given: MachineState, start: Start) -> None:
    """Warn if drives in bodies that nothing joins to the ground begin with rates that the given velocities lack.

    The velocities are then changed as by a blow inside the machine: its momentum stays, and what was at rest moves
    back. Where joints lead to the ground, the change is the motion that the drive prescribes.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    given : MachineState
        The state that was asked for.
    start : Start
        The consistent start.
    """
    drives = plan.system.drives
    if not drives:
        return
    W, missed = plan.work(), np.empty(plan.n_rows)
    place_state(plan, W, start)
    plan.formulation.velocity_residual(plan.layout, W, given.v, missed)
    off = {drive: float(np.abs(missed[plan.rows[drive.name]]).max()) for drive in drives}
    free, touched = _free_bodies(plan)
    changes = [start.v[plan.velocities(b)] - given.v[plan.velocities(b)] for b in range(plan.n_bodies)]
    sizes = [(float(np.linalg.norm(x[:3])), float(np.linalg.norm(x[3:6]))) for x in changes]
    largest = np.max(sizes, axis=0)
    moved = [
        f"'{plan.system.bodies[b].name}' by {speed:.3g} m/s and {rate:.3g} rad/s"
        for b, (speed, rate) in enumerate(sizes)
        if free[b] and np.any(np.array([speed, rate]) > np.maximum(LEAST_CHANGE * largest, ROUND_OFF))
    ]
    blamed = [
        drive.label
        for drive, miss in off.items()
        if free[touched[plan.rows[drive.name].start]] and miss > LEAST_CHANGE * max(off.values())
    ]
    if moved and blamed:
        warn(
            f"{few(blamed)}: the rate at the start differs from that of the given velocities, and no joint connects "
            f"these bodies to the ground. A blow between them begins the run, and moves {few(moved)}. If they start "
            "from rest, let the drive do so too (value=lambda t: 0.5 * a * t**2); otherwise give the bodies the "
            "velocities with which they start (velocity=, angular_velocity=)"
        )


def _free_bodies(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Return which bodies no constraints connect to the ground, (nb,), and a body that each row touches, (nr,)."""
    L, nb, nr = plan.layout, plan.n_bodies, plan.n_rows
    body = np.repeat(np.arange(nb), np.diff(L.body_row_at))
    row = L.elimination[L.body_row]
    body, row = body[row < nr], row[row < nr]
    touched = np.zeros(nr, dtype=int)
    touched[row] = body
    bodies_of: list[list[int]] = [[] for _ in range(nr)]
    rows_of: list[list[int]] = [[] for _ in range(nb)]
    for b, k in zip(body.tolist(), row.tolist(), strict=True):
        bodies_of[k].append(b)
        rows_of[b].append(k)
    free = np.ones(nb, dtype=bool)
    held = [found[0] for found in bodies_of if len(found) == 1]  # by the ground itself, others by these
    while held:
        b = held.pop()
        if free[b]:
            free[b] = False
            held += [other for k in rows_of[b] for other in bodies_of[k]]
    return free, touched

"""How far and how fast a machine will move: what the vibrations at the beginning of its run are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import C8, DONE, PAUSED
from ..equations.start import Start
from ..formulations.state import MachineState
from .base import NO_COORDINATES, CoreRun

#: A pilot run takes at most this number of steps, and is looked at after every so many and at so many output times: no
#: step is longer than their distance.
PILOT_STEPS, LOOK_EVERY, PILOT_OUTPUTS = 160, 5, 8


class Motion(NamedTuple):
    """The farthest that a body moves from where the run began, m; speeds (nb,), m/s, and deformations (nb,), m."""

    travel: float
    speeds: np.ndarray
    deformations: np.ndarray


def calls_back(plan: Plan) -> bool:
    """Return whether a run calls functions of the user, which a pilot run would call too."""
    return any(not law.compiled for law in plan.laws) or bool(np.any(plan.layout.row_callback))


def foreseen_motion(pilot: CoreRun, start: Start) -> Motion:
    """Return the largest motion in a pilot run as far as it comes.

    Parameters
    ----------
    pilot : CoreRun
        A rough run from the start.
    start : Start
        The consistent start.

    Returns
    -------
    Motion
        The motion. Rotations count with the radius of gyration of their body, angles with no more than half a
        revolution. A speed counts up to twice the mean since the look before: rough steps magnify that of what is hit.
    """
    plan = pilot.plan
    travel, speeds, deformations = 0.0, np.zeros(plan.n_bodies), np.zeros(plan.n_bodies)
    before: Start | MachineState = start
    for state in _states(pilot):
        travel = max(travel, float(_moved(plan, start, state).max()))
        deformations = np.maximum(deformations, _deformations(plan, state))
        if state.t > before.t:
            mean = _moved(plan, before, state) / (state.t - before.t)
            speeds = np.maximum(speeds, np.minimum(_speeds(plan, state), 2.0 * mean))
        before = state.copy()
    return Motion(travel, speeds, deformations)


def _states(pilot: CoreRun) -> Iterator[MachineState]:
    for t_out in pilot.times[1:]:
        status = PAUSED
        while status == PAUSED:
            left = PILOT_STEPS - pilot.counts.steps - pilot.counts.rejected
            if left <= 0:
                return
            status = pilot.proceed(t_out, min(LOOK_EVERY, left), False, NO_COORDINATES)
            yield pilot.state
        if status != DONE:
            return


def _moved(plan: Plan, one: Start | MachineState, other: MachineState) -> np.ndarray:
    """Return how far apart each body is in two states, (nb,), m."""
    cosine = np.clip(np.einsum("bi,bi->b", one.q, other.q), -1.0, 1.0)  # of half the angle
    turned = 2.0 * plan.layout.body_size * np.sqrt(1.0 - cosine**2)
    return np.maximum(np.linalg.norm(one.c - other.c, axis=1), turned)


def _speeds(plan: Plan, state: MachineState) -> np.ndarray:
    v = state.v[plan.layout.v_at[:-1, None] + np.arange(6)]
    turning = plan.layout.body_size * np.linalg.norm(v[:, 3:], axis=1)
    return np.hypot(np.linalg.norm(v[:, :3], axis=1), turning)


def _deformations(plan: Plan, state: MachineState) -> np.ndarray:
    """Return root mean squares over mass, (nb,), m."""
    found = np.zeros(plan.n_bodies)
    for b, body in enumerate(plan.system.bodies):
        if body.n_modes > 0:
            alpha = state.all_alpha[plan.modal(b)]
            found[b] = np.sqrt(abs(alpha @ plan.coefficient(C8, b) @ alpha) / body.mass)
    return found

"""How far and how fast a machine will move: what the vibrations at the beginning of its run are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import C3, C8, DONE, PAUSED
from ..equations.start import Start
from ..formulations.state import MachineState
from .base import NO_COORDINATES, CoreRun

#: A pilot run takes at most this number of steps, and is looked at after every so many and at so many output times: no
#: step is longer than their distance.
PILOT_STEPS, LOOK_EVERY, PILOT_OUTPUTS = 160, 5, 8
#: A thin rod that spins about its own axis moves little: a rotation counts at most so many times what it moves in root
#: mean square over mass, which the radius of gyration of no ball and no disc exceeds.
ABOUT_AXIS = 2.0


class Motion(NamedTuple):
    """The largest motion in a run.

    Attributes
    ----------
    travel : float
        The farthest that a body moves from where the run began, m.
    speeds, deformations : numpy.ndarray
        Of the bodies, (nb,), m/s and m.
    rotation : float
        The fastest rotation of a body, rad/s.
    states : tuple of MachineState
        States at the output times of the pilot run that it reached.
    """

    travel: float
    speeds: np.ndarray
    deformations: np.ndarray
    rotation: float
    states: tuple[MachineState, ...]


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
        The motion. Rotations count with the radius of gyration of their body, but with no more than :data:`ABOUT_AXIS`
        times that about their axis, angles with no more than half a revolution. A speed counts up to twice the mean
        since the look before: rough steps magnify that of what is hit.
    """
    plan = pilot.plan
    travel, rotation = 0.0, 0.0
    speeds, deformations = np.zeros(plan.n_bodies), np.zeros(plan.n_bodies)
    before: Start | MachineState = start
    reached: list[MachineState] = []
    for state in _states(pilot):
        travel = max(travel, float(_moved(plan, start, state).max()))
        deformations = np.maximum(deformations, _deformations(plan, state))
        rotation = max(rotation, float(np.linalg.norm(_velocities(plan, state)[:, 3:], axis=1).max()))
        if state.t > before.t:
            mean = _moved(plan, before, state) / (state.t - before.t)
            speeds = np.maximum(speeds, np.minimum(_speeds(plan, state), 2.0 * mean))
        before = state.copy()
        if before.t >= pilot.times[len(reached) + 1]:
            reached.append(before)
    return Motion(travel, speeds, deformations, rotation, tuple(reached))


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
    first, second = one.q[:, 1:], other.q[:, 1:]
    # sine of half the angle, times the axis in the base of the body
    sine = one.q[:, :1] * second - other.q[:, :1] * first - np.cross(first, second)
    return np.maximum(np.linalg.norm(one.c - other.c, axis=1), _turning(plan, 2.0 * sine))


def _speeds(plan: Plan, state: MachineState) -> np.ndarray:
    v = _velocities(plan, state)
    return np.hypot(np.linalg.norm(v[:, :3], axis=1), _turning(plan, v[:, 3:]))


def _velocities(plan: Plan, state: MachineState) -> np.ndarray:
    """Return velocities and angular velocities, (nb, 6)."""
    return state.v[plan.layout.v_at[:-1, None] + np.arange(6)]


def _turning(plan: Plan, w: np.ndarray) -> np.ndarray:
    """Return how far rotations (nb, 3), in the bases of the bodies, move these, (nb,), m."""
    L = plan.layout
    found = L.body_size * np.linalg.norm(w, axis=1)
    for b in np.flatnonzero(L.body_mass > 0.0):
        at = int(L.coefficient_at[b, C3])
        J = L.coefficients[at : at + 9].reshape(3, 3)
        found[b] = min(found[b], ABOUT_AXIS * np.sqrt(abs(w[b] @ J @ w[b]) / L.body_mass[b]))
    return found


def _deformations(plan: Plan, state: MachineState) -> np.ndarray:
    """Return root mean squares over mass, (nb,), m."""
    found = np.zeros(plan.n_bodies)
    for b, body in enumerate(plan.system.bodies):
        if body.n_modes > 0:
            alpha = state.all_alpha[plan.modal(b)]
            found[b] = np.sqrt(abs(alpha @ plan.coefficient(C8, b) @ alpha) / body.mass)
    return found

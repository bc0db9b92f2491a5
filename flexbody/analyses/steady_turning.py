"""Steady rotation of a machine as a whole: velocities, accelerations, and whether the machine permits it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from fem.common.blas_threads import few_threads
from fem.common.errors import InputError, listing

from ..compile.plan import Plan
from ..core.rotation import matrices, turned_euler
from ..core.structures import Work
from ..equations.auxiliary_mass import with_auxiliary
from ..equations.consistent_start import misses
from ..equations.state import place_state
from ..equations.tangent import body_axes, mass_and_jacobian, residual_forces
from ..formulations.state import MachineState

#: angles by which a machine is turned to see whether it is steady, rad
CHECKED_ANGLES = (0.9, 2.3)
#: quantities that change by less than this part while a machine turns count as constant
CONSTANCY_TOLERANCE = 1e-6


def turning(plan: Plan, s: MachineState, spin: np.ndarray, about: np.ndarray) -> MachineState:
    """Return a state in the same position whose bodies turn with ``spin`` (3,), rad/s, about a point (m)."""
    v, vdot = np.zeros(plan.n_velocities), np.zeros(plan.n_velocities)
    if not spin.any():
        return replace(s, v=v, vdot=vdot)
    for b, Q in enumerate(matrices(s.q)):
        at = plan.translation(b)
        v[at] = np.cross(spin, s.c[b] - about)
        vdot[at] = np.cross(spin, v[at])
        v[plan.rotation(b)] = Q.T @ spin
    return replace(s, v=v, vdot=vdot)


def turned(plan: Plan, s: MachineState, angle: float, spin: np.ndarray, about: np.ndarray) -> MachineState:
    """Return the state after a rotation of the whole machine by ``angle`` (rad), with the same reactions."""
    rate = float(np.linalg.norm(spin))
    c, q = s.c.copy(), s.q.copy()
    rotation = scipy.spatial.transform.Rotation.from_rotvec(angle * spin / rate)
    for b, Q in enumerate(matrices(s.q)):
        c[b] = about + rotation.apply(s.c[b] - about)
        turned_euler(s.q[b].copy(), Q.T @ (angle * spin / rate), q[b])
    return turning(plan, replace(s, t=s.t + angle / rate, c=c, q=q), spin, about)


def check_joints(plan: Plan, W: Work, s: MachineState, spin: np.ndarray, about: np.ndarray) -> None:
    """Raise :class:`fem.InputError` if joints or drives do not permit the rotation of the whole machine."""
    L = plan.layout
    place_state(plan, W, s)
    miss = np.empty(plan.n_rows)
    plan.formulation.velocity_residual(L, W, s.v, miss)
    speed = float(np.linalg.norm(spin)) * float(L.length)
    if np.abs(miss).max(initial=0.0) > CONSTANCY_TOLERANCE * speed:
        raise InputError(
            f"this machine can't turn as a whole at {_rate(spin, about)}: {misses(plan, miss, 'm/s or rad/s')}. A "
            "drive must go with that rate (Drive(rate=...)), and joints to the ground must have this axis; or "
            "turn it about another axis, or about another point of it (about=)"
        )


def _rate(spin: np.ndarray, about: np.ndarray) -> str:
    rate = np.linalg.norm(spin)
    return f"{rate:.6g} rad/s about the axis {_numbers(spin / rate)} through {_numbers(about)} m"


def check_steady(plan: Plan, W: Work, s: MachineState, spin: np.ndarray, about: np.ndarray) -> None:
    """Raise :class:`fem.InputError` if joints, drives, loads or springs do not permit a steady rotation.

    The velocities of the joints are checked, and the balance of forces after rotations by some angles.
    """
    L = plan.layout
    check_joints(plan, W, s, spin, about)
    first = _imbalance(plan, W, s)
    for angle in CHECKED_ANGLES:
        later = turned(plan, s, angle, spin, about)
        place_state(plan, W, later)
        if np.abs(W.phi).max(initial=0.0) > CONSTANCY_TOLERANCE * L.length:
            raise InputError(
                f"this machine can't go on turning as a whole at {_rate(spin, about)}: after "
                f"{np.degrees(angle):.3g} degrees {misses(plan, W.phi, 'm or rad')}. "
                "Joints to the ground must have this axis, and drives this rate"
            )
        left, scale = _imbalance(plan, W, later)
        if left > first[0] + CONSTANCY_TOLERANCE * max(scale, first[1]):
            raise InputError(
                f"this machine does not turn steadily at {_rate(spin, about)}: its forces are in balance in this "
                f"position and not after {np.degrees(angle):.3g} degrees. What does not turn with it: "
                f"{_unsteady(plan, spin)}. Leave that out, let loads follow (follows=True), or simulate the motion"
            )


def _imbalance(plan: Plan, W: Work, s: MachineState) -> tuple[float, float]:
    """Return the forces that reactions cannot balance, and all forces, as norms in units of each coordinate's mass.

    All forces contain the moments of inertia that balance each other in a body which turns about a principal axis.
    """
    M, G = mass_and_jacobian(plan, W, s)
    R = residual_forces(plan, W, replace(s, multipliers=np.zeros(plan.n_rows)), body_axes(plan, W, s))
    weight = 1.0 / np.sqrt(np.diag(with_auxiliary(plan, M)))
    R, G = R * weight, G * weight
    with few_threads(max(G.shape)):
        left = R - G.T @ np.linalg.lstsq(G.T, R, rcond=1e-10)[0] if len(G) else R
    rates = np.array([s.v[plan.rotation(b)] for b in range(plan.n_bodies)])
    L = plan.layout
    inside = np.sqrt(L.body_mass) * L.body_size * (rates**2).sum(axis=1)
    return float(np.linalg.norm(left)), float(np.hypot(np.linalg.norm(R), np.linalg.norm(inside)))


def _unsteady(plan: Plan, spin: np.ndarray) -> str:
    """Return the names of objects with a fixed direction in space that is not the axis of rotation."""
    axis = spin / np.linalg.norm(spin)

    def across(x) -> bool:
        x = np.asarray(x, float)
        return bool(np.linalg.norm(x - axis * (axis @ x)) > CONSTANCY_TOLERANCE * np.linalg.norm(x))

    found = []
    if across(plan.layout.gravity):
        found.append(f"gravity {_numbers(plan.layout.gravity)} m/s^2")
    for load in plan.system.loads:
        if not load.follows and (callable(load.value) or across(load.constant())):
            found.append(load.label)
    for element in plan.system.elements:
        if -1 in plan.layout.frame_body[list(plan.frames[element.name])]:
            found.append(f"{element.label}, which is fixed to the ground")
    return ", ".join(found) or listing(force.name for force in plan.system.forces)


def _numbers(x) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in np.asarray(x, float)) + ")"

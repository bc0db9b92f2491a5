"""Flexible bodies seen as rigid ones, as kinematics sees them: of the same mass, inertia and markers, as drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.bodies import FlexibleBody, RigidBody
from ..model.system import System


def rigid(machine: System) -> System:
    """Return the system with every flexible body as a rigid one of the same mass, inertia and markers, as drawn."""
    bodies = [_rigid(body) if isinstance(body, FlexibleBody) else body for body in machine.bodies]
    return replace(machine, bodies=bodies)


def centre(body: FlexibleBody) -> np.ndarray:
    """Return the mass centre from the reference point, (3,), m."""
    return np.asarray(body.turned.C1) / body.mass


def _rigid(body: FlexibleBody) -> RigidBody:
    r = centre(body)
    about_centre = np.asarray(body.turned.C3) - body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    markers = {name: body.start + np.asarray(m.point) for name, m in body.turned.markers.items()}
    spin = np.asarray(body.angular_velocity, dtype=float)
    velocity = np.asarray(body.velocity, dtype=float) + np.cross(spin, r)
    return RigidBody(body.name, body.mass, about_centre, body.start + r, velocity, spin, markers)


def to_reference(Q: np.ndarray, r: np.ndarray, c: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> None:
    """Turn the motion of a mass centre (nt, .) in place into that of the point from which it lies at ``r``."""
    w, wdot = v[:, 3:], vdot[:, 3:]
    turning = np.cross(w, r)
    c -= Q @ r
    v[:, :3] -= np.einsum("tij,tj->ti", Q, turning)
    vdot[:, :3] -= np.einsum("tij,tj->ti", Q, np.cross(wdot, r) + np.cross(w, turning))

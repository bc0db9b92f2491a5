"""Rigid bodies in place of flexible ones, for kinematics: the same mass, inertia and markers, as drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.bodies import FlexibleBody, RigidBody
from ..model.system import System


def rigid(machine: System) -> System:
    """Return the machine with a rigid body of the same mass, inertia and markers, as drawn, for each flexible one."""
    bodies = [_rigid(body) if isinstance(body, FlexibleBody) else body for body in machine.bodies]
    return replace(machine, bodies=bodies)


def centre(body: FlexibleBody) -> np.ndarray:
    """Return the vector from the reference point to the mass centre, (3,), m."""
    return np.asarray(body.turned.C1) / body.mass


def _rigid(body: FlexibleBody) -> RigidBody:
    r = centre(body)
    about_centre = np.asarray(body.turned.C3) - body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    markers = {name: body.start + np.asarray(m.point) for name, m in body.turned.markers.items()}
    spin = np.asarray(body.angular_velocity, dtype=float)
    velocity = np.asarray(body.velocity, dtype=float) + np.cross(spin, r)
    return RigidBody(
        body.name,
        body.mass,
        about_centre,
        center=body.start + r,
        velocity=velocity,
        angular_velocity=spin,
        markers=markers,
    )


def to_reference(Q: np.ndarray, r: np.ndarray, c: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> None:
    """Change the motion of a mass centre (nt, .) in place to that of the reference point.

    ``r`` is the vector from the reference point to the mass centre, m.
    """
    w, wdot = v[:, 3:], vdot[:, 3:]
    turning = np.cross(w, r)
    c -= Q @ r
    v[:, :3] -= np.einsum("tij,tj->ti", Q, turning)
    vdot[:, :3] -= np.einsum("tij,tj->ti", Q, np.cross(wdot, r) + np.cross(w, turning))

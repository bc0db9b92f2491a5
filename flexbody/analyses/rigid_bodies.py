"""Rigid bodies in place of flexible ones, for kinematics: the same mass, inertia and markers, as drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.joints.following_shapes import FollowingShapes
from ..model.system import System


def rigid(machine: System) -> System:
    """Return the machine with a rigid body of the same mass, inertia and markers, as drawn, for each flexible one.

    Base functions that follow contacts are left out.
    """
    joints = [item for item in machine.joints if not isinstance(item, FollowingShapes)]
    return replace(machine, bodies=[body.as_rigid() for body in machine.bodies], joints=joints)


def to_reference(Q: np.ndarray, r: np.ndarray, c: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> None:
    """Change the motion of a mass centre (nt, .) in place to that of the reference point.

    ``r`` is the vector from the reference point to the mass centre, m.
    """
    w, wdot = v[:, 3:], vdot[:, 3:]
    turning = np.cross(w, r)
    c -= Q @ r
    v[:, :3] -= np.einsum("tij,tj->ti", Q, turning)
    vdot[:, :3] -= np.einsum("tij,tj->ti", Q, np.cross(wdot, r) + np.cross(w, turning))

"""The rigid motion of a reduced body: its mass, its part in the base functions, and the motion of points."""

from __future__ import annotations

import numpy as np

from .inertia import FloatArray
from .reduced_body import ReducedBody


def rigid_mass(body: ReducedBody) -> tuple[FloatArray, FloatArray]:
    """Return the undeformed body's rigid mass matrix (6, 6) and its coupling (N, 6) to the modes, about the origin.

    Unknowns: translation, and rotation as theta cross x; the linear mass matrix of Koppens (2.46) at alpha = 0.
    """
    skew = np.cross(np.eye(3), np.asarray(body.C1)).T  # theta -> theta x C1
    rigid = np.block([[body.mass * np.eye(3), skew], [skew.T, np.asarray(body.C3)]])
    return rigid, np.hstack([np.asarray(body.C2), np.asarray(body.C6)])


def mean_motion(body: ReducedBody) -> FloatArray:
    """Return the mean rigid motion (6, N) of the modes: translation and rotation about the origin."""
    rigid, coupled = rigid_mass(body)
    return np.linalg.pinv(rigid, rcond=1e-13, hermitian=True) @ coupled.T


def motion_at(arm: FloatArray) -> FloatArray:
    """Return (6, 6): the motion at ``arm`` (3,) from a rigid motion of the origin, u + theta cross arm and theta."""
    carried = np.eye(6)
    carried[:3, 3:] = np.cross(np.eye(3), arm).T
    return carried


def elastic_motion(body: ReducedBody, name: str) -> FloatArray:
    """Return the motion of a marker by the modes less their mean rigid motion, (6, N), or (3, N) without rotations."""
    marker = body.markers[name]
    motion = np.vstack([marker.Phi, marker.B]) - motion_at(marker.point) @ mean_motion(body)
    return motion[: 6 if marker.has_rotation else 3]

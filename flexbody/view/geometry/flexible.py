"""Flexible bodies in pictures: their surface and their deformation."""

from __future__ import annotations

import numpy as np

from ...model.joints import Joint
from ...model.sides import BodyFrame
from .parts import Flexible


def floats(connection) -> bool:
    """Return whether a connection is a joint with all free motions, which only gives coordinates."""
    return len(getattr(connection, "free", ())) == 6


def attachments(system, body_name: str) -> list[str]:
    """Return the names of the markers where joints hold a body; without joints, those of force elements.

    A floating joint holds nothing: it only gives coordinates.
    """
    holding = (joint for joint in system.joints if isinstance(joint, Joint) and not floats(joint))
    joints = [(joint.first, joint.second) for joint in holding]
    forces = [element.sides() for element in system.elements]
    for pairs in (joints, forces):
        sides = [side for pair in pairs for side in pair if isinstance(side, BodyFrame)]
        names = [side.name for side in sides if side.body.name == body_name]
        if names:
            return list(dict.fromkeys(names))
    return []


def flexible_part(body, held: list[str], scale: float) -> Flexible | None:
    """Return the drawing of a flexible body, or None if it has no surface.

    Parameters
    ----------
    body : FlexibleBody
        The body.
    held : list of str
        Names of the markers about which the deformation is enlarged.
    scale : float
        Factor on the drawn deformation.
    """
    recovery = body.turned.recovery
    if recovery is None or len(recovery.triangles) == 0:
        return None
    x, Phi = np.asarray(recovery.points), np.asarray(recovery.Phi)
    return Flexible(body.name, x, Phi, Phi - rigid_part(body, held, x)[0], recovery.triangles, scale)


def rigid_part(body, held: list[str], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return displacements (m, 3, N) and rotations (3, N) of the small rigid motion of the held markers.

    The displacements are at the points x (m, 3). The rigid motion is the least-squares fit of the displacements of the
    markers. If they do not determine a rotation (one marker, or all on one line), the mean of their own rotations is
    used.
    """
    if not held:
        return np.zeros((*x.shape, body.n_modes)), np.zeros((3, body.n_modes))
    markers = [body.turned.markers[name] for name in held]
    p = np.array([m.point for m in markers])
    u = np.array([m.Phi for m in markers])
    B = np.mean([m.B for m in markers], axis=0)
    arms = p - p.mean(axis=0)
    d = u.mean(axis=0)
    # u_k - d = theta x a_k for all k: sum of (a.a I - a a') theta = sum of a x u
    A = np.einsum("ka,ka,bc->bc", arms, arms, np.eye(3)) - arms.T @ arms
    right = np.cross(arms[:, :, None], u - d, axis=1).sum(axis=0)
    sizes, axes = np.linalg.eigh(A)
    solid = sizes > 1e-9 * max(sizes.max(), np.finfo(float).tiny)
    known = axes[:, solid] / sizes[solid] @ axes[:, solid].T @ right
    theta = known + axes[:, ~solid] @ axes[:, ~solid].T @ B
    return d + np.cross(theta[None], (x - p.mean(axis=0))[:, :, None], axis=1), theta

"""Motion of frames with small motions of their bodies: rows of a Jacobian, in Python."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Work


def frame_rows(plan: Plan, W: Work, f: int) -> np.ndarray:
    """Return the small displacement and rotation vector (6, nv), inertial, of frame ``f`` for small motions xi."""
    b = int(plan.layout.frame_body[f])
    out = np.zeros((6, plan.n_velocities))
    if b >= 0:
        out[:, plan.velocities(b)] = body_rows(W.Q[b], W.frame_p[f], plan.frame_modes(W, f))
    return out


def body_rows(Q: np.ndarray, p: np.ndarray, modes: np.ndarray) -> np.ndarray:
    """Return the rows (6, 6 + N) of a point at ``p`` with the displacements and rotations (6, N) of the modes."""
    out = np.zeros((6, 6 + modes.shape[1]))
    out[:3, :3] = out[3:, 3:6] = np.eye(3)
    out[:3, 3:6] = -skew(p)
    out[:, 6:] = modes
    out[:3], out[3:] = Q @ out[:3], Q @ out[3:]
    return out


def skew(p: np.ndarray) -> np.ndarray:
    """Return the matrix of the cross product with ``p``, (3, 3)."""
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def element_columns(plan: Plan, W: Work) -> np.ndarray:
    """Return the residual (nv, nx), in body components, for a unit force in each deformation."""
    elements, g = plan.elements, W.deformation_slope
    out = np.zeros((plan.n_velocities, elements.n_deformations))
    for e, element in enumerate(elements.elements):
        i, *_, j = plan.frames[element.name]
        first, second = frame_rows(plan, W, i), frame_rows(plan, W, j)
        own = elements.deformations(e)
        out[:, own] = first.T @ g[own, :2].reshape(-1, 6).T + second.T @ g[own, 2:].reshape(-1, 6).T
    return out

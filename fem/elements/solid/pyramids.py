"""The pyramid with five nodes, which joins bricks to tetrahedra."""

from __future__ import annotations

import numpy as np

from ..base import Element
from ..quadrature import pyramid

CORNERS = np.array(
    [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
)
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4))
FACES = ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))
_BASE = CORNERS[:4, :2]


def collapsed(xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (a, b) (q, 2) = (x, y) / (1 - z), constant along rays to the apex and 0 there, and z (q, 1)."""
    xi = np.atleast_2d(xi)
    z = xi[:, 2:]
    apex = z == 1.0
    return np.where(apex, 0.0, xi[:, :2]) / np.where(apex, 1.0, 1.0 - z), z


def rational(xi: np.ndarray) -> np.ndarray:
    """Return N_i = (1 + a a_i)(1 + b b_i)(1 - z) / 4 for the base and z for the apex, (q, 5).

    Bilinear on the base, linear on the triangles: they match bricks and tetrahedra (Bedrosian 1992).
    """
    ab, z = collapsed(xi)
    s = 1.0 + ab[:, None, :] * _BASE
    return np.hstack([0.25 * s[:, :, 0] * s[:, :, 1] * (1.0 - z), z])


def rational_gradient(xi: np.ndarray) -> np.ndarray:
    """Return the gradient (q, 5, 3) of :func:`rational`, which depends on a and b alone.

    dN_i = (a_i (1 + b b_i), b_i (1 + a a_i), a b a_i b_i - 1) / 4. It has no limit at the apex, where all rays
    meet: there the value on the axis (a = b = 0) is returned, which is the mean over the base.
    """
    ab, _ = collapsed(xi)
    a, b = ab[:, :1], ab[:, 1:]
    ai, bi = _BASE.T
    base = np.stack([ai * (1.0 + b * bi), bi * (1.0 + a * ai), a * b * ai * bi - 1.0], axis=2) / 4.0
    apex = np.broadcast_to(np.array([0.0, 0.0, 1.0]), (len(ab), 1, 3))
    return np.concatenate([base, apex], axis=1)


# Gradients and J don't depend on the height, so one point over it is exact for the stiffness; the mass needs
# degree 4 in a and b (2 of shape functions, 2 of det J) and 2 over the height.
PYRAMID5 = Element(
    name="pyramid5",
    meshio="pyramid",
    n_corners=5,
    nodes=CORNERS,
    edges=EDGES,
    N=rational,
    dN=rational_gradient,
    quadrature=pyramid(3, 2),
    stiffness_quadrature=pyramid(2, 1),
    faces=FACES,
    face_kinds=("quad4", "tri3", "tri3", "tri3", "tri3"),
)

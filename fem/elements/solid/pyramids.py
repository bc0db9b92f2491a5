"""Pyramids, linear and quadratic, which join bricks to tetrahedra."""

from __future__ import annotations

import numpy as np

from ..base import Element, quadratic_face, with_middles
from ..quadrature import pyramid

CORNERS = np.array(
    [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
)
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4))
FACES = ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))
_BASE = CORNERS[:4, :2]
#: of the middle nodes of the base: the axis of their edge, the other one, and their place on that
_ALONG, _ACROSS, _SIDE = np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]), np.array([-1.0, 1.0, 1.0, -1.0])


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


def serendipity(xi: np.ndarray) -> np.ndarray:
    """Return N (q, 13): corners of the base, apex, middles of the base's edges, middles of the upright ones.

    With h = 1 - z, A_i = 1 + a a_i, B_i = 1 + b b_i (Bedrosian 1992): corners h A_i B_i (h (A_i + B_i - 2) - 1) / 4,
    apex z (2 z - 1), upright edges z h A_i B_i, edges of the base along x h^2 (1 - a^2)(1 + b b_m) / 2, and along y
    likewise. Those of hex20 on the base and of tet10 on the triangles.
    """
    ab, z = collapsed(xi)
    h = 1.0 - z
    s = 1.0 + ab[:, None, :] * _BASE
    product = s[:, :, 0] * s[:, :, 1]
    corners = 0.25 * h * product * (h * (s.sum(axis=2) - 2.0) - 1.0)
    level = (
        0.5 * h**2 * (1.0 - np.take(ab, _ALONG, axis=1) ** 2) * (1.0 + np.take(ab, _ACROSS, axis=1) * _SIDE)
    )
    return np.hstack([corners, z * (2.0 * z - 1.0), level, z * h * product])


def serendipity_gradient(xi: np.ndarray) -> np.ndarray:
    """Return the gradient (q, 13, 3) of :func:`serendipity`; at the apex, where it has no limit, that on the axis.

    d/dx = d/da / h, d/dy = d/db / h, d/dz = (a d/da + b d/db) / h - d/dh; the division by h is done below.
    """
    ab, z = collapsed(xi)
    h = 1.0 - z
    s = 1.0 + ab[:, None, :] * _BASE
    product, total = s[:, :, 0] * s[:, :, 1], s.sum(axis=2) - 2.0
    slope = _BASE * s[:, :, ::-1]  # of the product, along a and b
    corner = 0.25 * (slope * (h * total - 1.0)[:, :, None] + product[:, :, None] * h[:, :, None] * _BASE)
    along, across = np.take(ab, _ALONG, axis=1), np.take(ab, _ACROSS, axis=1)
    bubble, edge = 1.0 - along**2, 1.0 + across * _SIDE
    level = np.empty((len(ab), 4, 2))
    k = np.arange(4)
    level[:, k, _ALONG], level[:, k, _ACROSS] = -h * along * edge, 0.5 * h * bubble * _SIDE
    level_h = h * bubble * edge
    in_plane = np.concatenate([corner, np.zeros((len(ab), 1, 2)), level, z[:, :, None] * slope], axis=1)
    by_h = np.hstack([0.25 * product * (2.0 * h * total - 1.0), 1.0 - 4.0 * z, level_h, (z - h) * product])
    upright = (in_plane @ ab[:, :, None])[..., 0] - by_h
    return np.concatenate([in_plane, upright[:, :, None]], axis=2)


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
# With straight edges and a parallelogram for its base: gradients have degree 2 in a, b and 1 over the height, shape
# functions 2 and 2. One more each for other bases, as in hex20.
PYRAMID13 = Element(
    name="pyramid13",
    meshio="pyramid13",
    n_corners=5,
    nodes=with_middles(CORNERS, EDGES),
    edges=EDGES,
    N=serendipity,
    dN=serendipity_gradient,
    quadrature=pyramid(4, 3),
    stiffness_quadrature=pyramid(3, 2),
    faces=tuple(quadratic_face(face, EDGES, 5) for face in FACES),
    face_kinds=("quad8", "tri6", "tri6", "tri6", "tri6"),
)

"""Wedges (prisms): a triangle times a height, linear and quadratic (serendipity).

The first triangle runs counter-clockwise as seen from the second, as in Abaqus and gmsh. In files of VTK the
linear wedge has its triangles the other way round; meshio turns them.
"""

from __future__ import annotations

import numpy as np

from ..base import Element, quadratic_face, with_middles
from ..quadrature import conical, triangle_3, triangle_7, wedge

CORNERS = np.array([[x, y, z] for z in (-1.0, 1.0) for x, y in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))])
EDGES = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5))
FACES = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
#: gradients of L_0 = 1 - r - s, L_1 = r, L_2 = s along r and s
_DL = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]])
_A, _B = np.array([0, 1, 2]), np.array([1, 2, 0])


def _coordinates(xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the barycentric coordinates of the triangle (q, 3) and the height (q, 1)."""
    xi = np.atleast_2d(xi)
    return np.hstack([1.0 - xi[:, :1] - xi[:, 1:2], xi[:, :2]]), xi[:, 2:]


def linear(xi: np.ndarray) -> np.ndarray:
    """Return N = L_i (1 -+ z) / 2 (q, 6)."""
    L, z = _coordinates(xi)
    return np.hstack([0.5 * L * (1.0 - z), 0.5 * L * (1.0 + z)])


def linear_gradient(xi: np.ndarray) -> np.ndarray:
    """Return the gradient (q, 6, 3) of :func:`linear`."""
    L, z = _coordinates(xi)
    in_plane = [0.5 * (1.0 + s * z)[:, :, None] * _DL for s in (-1.0, 1.0)]
    upright = np.hstack([-0.5 * L, 0.5 * L])[:, :, None]
    return np.concatenate([np.concatenate(in_plane, axis=1), upright], axis=2)


def quadratic(xi: np.ndarray) -> np.ndarray:
    """Return N (q, 15).

    Corners L_i ((2 L_i - 1)(1 -+ z) - (1 - z^2)) / 2, level edges 2 L_a L_b (1 -+ z), upright edges L_i (1 - z^2).
    """
    L, z = _coordinates(xi)
    ends = (1.0 - z, 1.0 + z)
    corners = [0.5 * L * ((2.0 * L - 1.0) * h - (1.0 - z**2)) for h in ends]
    level = [2.0 * L[:, _A] * L[:, _B] * h for h in ends]
    return np.hstack([*corners, *level, L * (1.0 - z**2)])


def quadratic_gradient(xi: np.ndarray) -> np.ndarray:
    """Return the gradient (q, 15, 3) of :func:`quadratic`."""
    L, z = _coordinates(xi)
    in_plane, upright = [], []
    for s in (-1.0, 1.0):
        h = 1.0 + s * z
        in_plane.append((0.5 * ((4.0 * L - 1.0) * h - (1.0 - z**2)))[:, :, None] * _DL)
        upright.append(0.5 * L * ((2.0 * L - 1.0) * s + 2.0 * z))
    pairs = L[:, _A, None] * _DL[_B] + L[:, _B, None] * _DL[_A]
    for s in (-1.0, 1.0):
        in_plane.append(2.0 * (1.0 + s * z)[:, :, None] * pairs)
        upright.append(2.0 * s * L[:, _A] * L[:, _B])
    in_plane.append((1.0 - z**2)[:, :, None] * _DL)
    upright.append(-2.0 * z * L)
    return np.concatenate([np.concatenate(in_plane, axis=1), np.hstack(upright)[:, :, None]], axis=2)


# straight sides: det J has degree 1 in the triangle and 2 over the height
WEDGE6 = Element(
    name="wedge6",
    meshio="wedge",
    n_corners=6,
    nodes=CORNERS,
    edges=EDGES,
    N=linear,
    dN=linear_gradient,
    quadrature=wedge(conical(2, 2), 3),
    stiffness_quadrature=wedge(triangle_3(), 2),
    faces=FACES,
    face_kinds=("tri3", "tri3", "quad4", "quad4", "quad4"),
)
WEDGE15 = Element(
    name="wedge15",
    meshio="wedge15",
    n_corners=6,
    nodes=with_middles(CORNERS, EDGES),
    edges=EDGES,
    N=quadratic,
    dN=quadratic_gradient,
    quadrature=wedge(conical(4, 2), 4),
    stiffness_quadrature=wedge(triangle_7(), 3),
    faces=tuple(quadratic_face(face, EDGES, 6) for face in FACES),
    face_kinds=("tri6", "tri6", "quad8", "quad8", "quad8"),
)

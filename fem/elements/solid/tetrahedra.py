"""Tetrahedra and triangles with linear and quadratic shape functions of the barycentric coordinates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..base import Element, quadratic_face, with_middles
from ..quadrature import conical, tetrahedron_14

TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
TRIANGLE = TETRAHEDRON[:3, :2]
TETRAHEDRON_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
TRIANGLE_EDGES = ((0, 1), (1, 2), (2, 0))
TETRAHEDRON_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))


def _barycentric(xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return L (q, dim+1) and its gradient (dim+1, dim)."""
    dim = xi.shape[1]
    L = np.hstack([1.0 - xi.sum(axis=1, keepdims=True), xi])
    return L, np.vstack([-np.ones((1, dim)), np.eye(dim)])


def linear(xi: np.ndarray) -> np.ndarray:
    """Return N_i = L_i (q, dim + 1)."""
    return _barycentric(np.atleast_2d(xi))[0]


def linear_gradient(xi: np.ndarray) -> np.ndarray:
    """Return the gradient (q, dim + 1, dim) of :func:`linear`."""
    xi = np.atleast_2d(xi)
    return np.repeat(_barycentric(xi)[1][None], len(xi), axis=0)


def quadratic(edges: tuple[tuple[int, int], ...]) -> tuple[Callable, Callable]:
    """Return N and dN: corners L_i (2 L_i - 1), edges 4 L_a L_b."""
    a, b = np.array(edges).T

    def N(xi: np.ndarray) -> np.ndarray:
        L, _ = _barycentric(np.atleast_2d(xi))
        return np.hstack([L * (2.0 * L - 1.0), 4.0 * L[:, a] * L[:, b]])

    def dN(xi: np.ndarray) -> np.ndarray:
        L, dL = _barycentric(np.atleast_2d(xi))
        corners = (4.0 * L - 1.0)[:, :, None] * dL
        middles = 4.0 * (L[:, a, None] * dL[b] + L[:, b, None] * dL[a])
        return np.concatenate([corners, middles], axis=1)

    return N, dN


# Mass: degree 7 integrates N_i N_j det J of curved elements exactly (4 + 3). Stiffness: degree 2 is enough
# for straight sides; the symmetric rule of degree 5 keeps curved elements accurate whatever their numbering.
TET4 = Element(
    name="tet4",
    meshio="tetra",
    n_corners=4,
    nodes=TETRAHEDRON,
    edges=TETRAHEDRON_EDGES,
    N=linear,
    dN=linear_gradient,
    quadrature=conical(2, 3),
    stiffness_quadrature=conical(1, 3),
    faces=TETRAHEDRON_FACES,
    face_kinds=("tri3",) * 4,
)
_N10, _dN10 = quadratic(TETRAHEDRON_EDGES)
TET10 = Element(
    name="tet10",
    meshio="tetra10",
    n_corners=4,
    nodes=with_middles(TETRAHEDRON, TETRAHEDRON_EDGES),
    edges=TETRAHEDRON_EDGES,
    N=_N10,
    dN=_dN10,
    quadrature=conical(4, 3),
    stiffness_quadrature=tetrahedron_14(),
    faces=tuple(quadratic_face(face, TETRAHEDRON_EDGES, 4) for face in TETRAHEDRON_FACES),
    face_kinds=("tri6",) * 4,
)
TRI3 = Element(
    name="tri3",
    meshio="triangle",
    n_corners=3,
    nodes=TRIANGLE,
    edges=TRIANGLE_EDGES,
    N=linear,
    dN=linear_gradient,
    quadrature=conical(2, 2),
    stiffness_quadrature=conical(2, 2),
    triangles=((0, 1, 2),),
)
_N6, _dN6 = quadratic(TRIANGLE_EDGES)
TRI6 = Element(
    name="tri6",
    meshio="triangle6",
    n_corners=3,
    nodes=with_middles(TRIANGLE, TRIANGLE_EDGES),
    edges=TRIANGLE_EDGES,
    N=_N6,
    dN=_dN6,
    quadrature=conical(4, 2),
    stiffness_quadrature=conical(4, 2),
    triangles=((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
)

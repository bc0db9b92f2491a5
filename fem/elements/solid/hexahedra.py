"""Hexahedra and quadrilaterals: products of linear or quadratic functions, and the quadratic serendipity family.

All are integrated in full. The remedy for the linear brick, which is too stiff in bending, belongs to the property
(:class:`fem.elements.solid.solid.Solid`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..base import Element, quadratic_face, with_middles
from ..quadrature import gauss

SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
CUBE = np.array([[x, y, z] for z in (-1.0, 1.0) for x, y in SQUARE])
SQUARE_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))
CUBE_EDGES = (*SQUARE_EDGES, (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
#: VTK's order of the middles of faces, low and high x, y, z, and of the centre (Abaqus begins with the centre)
CUBE_MIDDLES = (
    (0, 4, 7, 3),
    (1, 2, 6, 5),
    (0, 1, 5, 4),
    (3, 7, 6, 2),
    (0, 3, 2, 1),
    (4, 5, 6, 7),
    tuple(range(8)),
)
CUBE_FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


def product_without(factors: np.ndarray, k: int) -> np.ndarray:
    """Return the product of all factors but the k-th, over the last axis."""
    return np.prod(np.delete(factors, k, axis=-1), axis=-1)


def linear(nodes: np.ndarray) -> tuple[Callable, Callable]:
    """Return N and dN of N_i = prod_k (1 + xi_k xi_ik) / 2^dim."""
    dim = nodes.shape[1]

    def N(xi: np.ndarray) -> np.ndarray:
        return np.prod(1.0 + np.atleast_2d(xi)[:, None, :] * nodes, axis=2) / 2.0**dim

    def dN(xi: np.ndarray) -> np.ndarray:
        factors = 1.0 + np.atleast_2d(xi)[:, None, :] * nodes
        rows = [nodes[:, k] * product_without(factors, k) for k in range(dim)]
        return np.stack(rows, axis=2) / 2.0**dim

    return N, dN


def serendipity(nodes: np.ndarray, n_corners: int) -> tuple[Callable, Callable]:
    """Return N and dN of the quadratic serendipity family.

    With s_k = xi_k xi_ik: corners prod (1 + s_k) (sum s_k - dim + 1) / 2^dim, a middle node on an edge along
    j (1 - xi_j^2) prod_(k != j) (1 + s_k) / 2^(dim - 1).
    """
    dim = nodes.shape[1]
    corners, middles = nodes[:n_corners], nodes[n_corners:]
    along = np.argmin(np.abs(middles), axis=1)

    def N(xi: np.ndarray) -> np.ndarray:
        xi = np.atleast_2d(xi)[:, None, :]
        s = xi * corners
        at_corners = np.prod(1.0 + s, axis=2) * (s.sum(axis=2) - dim + 1.0) / 2.0**dim
        bubble = 1.0 - np.take(xi[:, 0], along, axis=1) ** 2
        at_middles = bubble * np.prod(1.0 + xi * middles, axis=2) / 2.0 ** (dim - 1)
        return np.hstack([at_corners, at_middles])

    def dN(xi: np.ndarray) -> np.ndarray:
        xi = np.atleast_2d(xi)[:, None, :]
        s, t = 1.0 + xi * corners, 1.0 + xi * middles
        total = s.sum(axis=2) - 2.0 * dim + 1.0
        bubble = 1.0 - np.take(xi[:, 0], along, axis=1) ** 2
        columns = []
        for k in range(dim):
            corner = corners[:, k] * (product_without(s, k) * total + np.prod(s, axis=2)) / 2.0**dim
            slope = np.where(along == k, -2.0 * xi[:, :, k], bubble * middles[:, k])
            columns.append(np.hstack([corner, slope * product_without(t, k) / 2.0 ** (dim - 1)]))
        return np.stack(columns, axis=2)

    return N, dN


def quadratic(nodes: np.ndarray) -> tuple[Callable, Callable]:
    """Return N and dN of Lagrange's biquadratic or triquadratic products.

    Factors: 1 - x^2 for a node at 0, x (x + n) / 2 for one at n = -1 or 1.
    """
    middle = nodes == 0.0

    def N(xi: np.ndarray) -> np.ndarray:
        x = np.atleast_2d(xi)[:, None, :]
        return np.prod(np.where(middle, 1.0 - x**2, 0.5 * x * (x + nodes)), axis=2)

    def dN(xi: np.ndarray) -> np.ndarray:
        x = np.atleast_2d(xi)[:, None, :]
        factors = np.where(middle, 1.0 - x**2, 0.5 * x * (x + nodes))
        slopes = np.where(middle, -2.0 * x, x + 0.5 * nodes)
        dim = nodes.shape[1]
        return np.stack([slopes[:, :, k] * product_without(factors, k) for k in range(dim)], axis=2)

    return N, dN


_N8, _dN8 = linear(CUBE)
HEX8 = Element(
    name="hex8",
    meshio="hexahedron",
    n_corners=8,
    nodes=CUBE,
    edges=CUBE_EDGES,
    N=_N8,
    dN=_dN8,
    quadrature=gauss(3, 3),
    stiffness_quadrature=gauss(2, 3),
    faces=CUBE_FACES,
    face_kinds=("quad4",) * 6,
)
_nodes20 = with_middles(CUBE, CUBE_EDGES)
_N20, _dN20 = serendipity(_nodes20, 8)
HEX20 = Element(
    name="hex20",
    meshio="hexahedron20",
    n_corners=8,
    nodes=_nodes20,
    edges=CUBE_EDGES,
    N=_N20,
    dN=_dN20,
    quadrature=gauss(4, 3),
    stiffness_quadrature=gauss(3, 3),
    faces=tuple(quadratic_face(face, CUBE_EDGES, 8) for face in CUBE_FACES),
    face_kinds=("quad8",) * 6,
)
_nodes27 = with_middles(CUBE, (*CUBE_EDGES, *CUBE_MIDDLES))
_N27, _dN27 = quadratic(_nodes27)
_centre_of = {frozenset(face): 20 + k for k, face in enumerate(CUBE_MIDDLES)}
HEX27 = Element(
    name="hex27",
    meshio="hexahedron27",
    n_corners=8,
    nodes=_nodes27,
    edges=CUBE_EDGES,
    N=_N27,
    dN=_dN27,
    quadrature=gauss(4, 3),
    stiffness_quadrature=gauss(3, 3),
    faces=tuple((*quadratic_face(f, CUBE_EDGES, 8), _centre_of[frozenset(f)]) for f in CUBE_FACES),
    face_kinds=("quad9",) * 6,
    inner=CUBE_MIDDLES,
)
_N4, _dN4 = linear(SQUARE)
QUAD4 = Element(
    name="quad4",
    meshio="quad",
    n_corners=4,
    nodes=SQUARE,
    edges=SQUARE_EDGES,
    N=_N4,
    dN=_dN4,
    quadrature=gauss(3, 2),
    stiffness_quadrature=gauss(2, 2),
    triangles=((0, 1, 2), (0, 2, 3)),
)
_nodes8 = with_middles(SQUARE, SQUARE_EDGES)
_N8s, _dN8s = serendipity(_nodes8, 4)
QUAD8 = Element(
    name="quad8",
    meshio="quad8",
    n_corners=4,
    nodes=_nodes8,
    edges=SQUARE_EDGES,
    N=_N8s,
    dN=_dN8s,
    quadrature=gauss(4, 2),
    stiffness_quadrature=gauss(3, 2),
    triangles=((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 7), (5, 6, 7)),
)
_nodes9 = with_middles(SQUARE, (*SQUARE_EDGES, (0, 1, 2, 3)))
_N9, _dN9 = quadratic(_nodes9)
QUAD9 = Element(
    name="quad9",
    meshio="quad9",
    n_corners=4,
    nodes=_nodes9,
    edges=SQUARE_EDGES,
    N=_N9,
    dN=_dN9,
    quadrature=gauss(4, 2),
    stiffness_quadrature=gauss(3, 2),
    triangles=(
        *((0, 4, 8), (4, 1, 8), (1, 5, 8), (5, 2, 8)),
        *((2, 6, 8), (6, 3, 8), (3, 7, 8), (7, 0, 8)),
    ),
    inner=((0, 1, 2, 3),),
)

"""Quadrature rules on the reference elements.

The cube is [-1, 1]^3, the simplex has its right angle in the origin and unit legs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import roots_jacobi


class Rule(NamedTuple):
    """Points (q, dim) and weights (q,); the weights sum to the volume of the reference element."""

    points: np.ndarray
    weights: np.ndarray


def _product(axes: list[tuple[np.ndarray, np.ndarray]]) -> Rule:
    points = np.stack([g.ravel() for g in np.meshgrid(*(x for x, _ in axes), indexing="ij")], axis=1)
    weights = np.ones(1)
    for _, w in axes:
        weights = np.multiply.outer(weights, w).ravel()
    return Rule(points, weights)


def gauss(n: int, dim: int) -> Rule:
    """Gauss-Legendre product with n points a side, exact to degree 2n - 1 in each coordinate."""
    return _product([np.polynomial.legendre.leggauss(n)] * dim)


def conical(n: int, dim: int) -> Rule:
    """Stroud's conical product of Gauss-Jacobi rules on the simplex: positive weights, degree 2n - 1.

    Stroud, Approximate Calculation of Multiple Integrals (1971), section 2.5: the cube is collapsed into the
    simplex, and the Jacobian of that map is the Jacobi weight.
    """
    axes = []
    for power in range(dim - 1, -1, -1):
        x, w = roots_jacobi(n, power, 0.0)
        axes.append((0.5 * (1.0 + x), w / 2.0 ** (power + 1)))
    cube = _product(axes)
    points, rest = np.empty_like(cube.points), np.ones(len(cube.weights))
    for k in range(dim):
        points[:, k] = cube.points[:, k] * rest
        rest = rest * (1.0 - cube.points[:, k])
    return Rule(points, cube.weights)


def tetrahedron_14() -> Rule:
    """Symmetric 14-point rule of degree 5 with positive weights.

    Walkington, Quadrature on simplices of arbitrary dimension (2000): twice four points on the medians, six
    on the lines through the middles of opposite edges.
    """
    a, b, c = 0.31088591926330060980, 0.092735250310891226402, 0.045503704125649649492
    wa, wb, wc = 0.018781320953002641800, 0.012248840519393658257, 0.0070910034628469110730
    points, weights = [], []
    for s, w in ((a, wa), (b, wb)):
        for k in range(4):
            barycentric = np.full(4, s)
            barycentric[k] = 1.0 - 3.0 * s
            points.append(barycentric[1:])
            weights.append(w)
    for i in range(4):
        for j in range(i + 1, 4):
            barycentric = np.full(4, c)
            barycentric[[i, j]] = 0.5 - c
            points.append(barycentric[1:])
            weights.append(wc)
    return Rule(np.array(points), np.array(weights))

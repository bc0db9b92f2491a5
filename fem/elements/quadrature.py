"""Quadrature rules on the reference elements.

The cube is [-1, 1]^3; the simplex has its right angle in the origin and unit legs; the wedge is the triangle
times [-1, 1]; the pyramid stands with its base [-1, 1]^2 on z = 0 and has its apex at z = 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Rule(NamedTuple):
    """Points (q, dim) and weights (q,); the weights sum to the volume of the reference element."""

    points: np.ndarray
    weights: np.ndarray


def _product(axes: list[tuple[np.ndarray, np.ndarray]]) -> Rule:
    """Return the product of one-dimensional rules (points, weights), one for each axis."""
    points = np.stack([g.ravel() for g in np.meshgrid(*(x for x, _ in axes), indexing="ij")], axis=1)
    weights = np.ones(1)
    for _, w in axes:
        weights = np.multiply.outer(weights, w).ravel()
    return Rule(points, weights)


def gauss(n: int, dim: int) -> Rule:
    """Return the product of Gauss-Legendre rules of n points, exact to degree 2n - 1 in each coordinate."""
    return _product([np.polynomial.legendre.leggauss(n)] * dim)


def _gauss_jacobi(n: int, power: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss points and weights (n,) on [0, 1] for the weight ``(1 - x)**power``, exact to degree 2n - 1.

    Golub and Welsch, Calculation of Gauss quadrature rules, Math. Comp. 23 (1969): the points are the eigenvalues of
    the symmetric matrix of the recurrence of the Jacobi polynomials.
    """
    k, twice = np.arange(1.0, n), 2.0 * np.arange(n) + power
    diagonal = -(power**2) / (np.maximum(twice, 1.0) * (twice + 2.0))
    beside = 2.0 * k * (k + power) / (twice[1:] * np.sqrt(twice[1:] ** 2 - 1.0))
    x, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    return 0.5 * (1.0 + x), vectors[0] ** 2 / (power + 1.0)


def conical(n: int, dim: int) -> Rule:
    """Return Stroud's conical product of Gauss-Jacobi rules on the simplex: positive weights, degree 2n - 1.

    Stroud, Approximate Calculation of Multiple Integrals (1971), section 2.5: the cube is collapsed into the
    simplex, and the Jacobian of that map is the Jacobi weight.
    """
    axes = []
    for power in range(dim - 1, -1, -1):
        axes.append(_gauss_jacobi(n, power))
    cube = _product(axes)
    points, rest = np.empty_like(cube.points), np.ones(len(cube.weights))
    for k in range(dim):
        points[:, k] = cube.points[:, k] * rest
        rest = rest * (1.0 - cube.points[:, k])
    return Rule(points, cube.weights)


def tetrahedron_14() -> Rule:
    """Return a symmetric 14-point rule of degree 5 with positive weights.

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


def triangle_3() -> Rule:
    """Return the symmetric 3-point rule of degree 2 inside the triangle (Strang and Fix 1973)."""
    a, b = 1.0 / 6.0, 2.0 / 3.0
    return Rule(np.array([[a, a], [b, a], [a, b]]), np.full(3, 1.0 / 6.0))


def triangle_7() -> Rule:
    """Return Radon's symmetric 7-point rule of degree 5 (Stroud 1971, T2: 5-1)."""
    root = np.sqrt(15.0)
    points, weights = [[1.0 / 3.0, 1.0 / 3.0]], [9.0 / 80.0]
    for s in (1.0, -1.0):
        a = (6.0 + s * root) / 21.0
        points += [[a, a], [1.0 - 2.0 * a, a], [a, 1.0 - 2.0 * a]]
        weights += [(155.0 + s * root) / 2400.0] * 3
    return Rule(np.array(points), np.array(weights))


def wedge(triangle: Rule, n: int) -> Rule:
    """Return the product of a rule on the triangle and n Gauss points over the height."""
    x, w = np.polynomial.legendre.leggauss(n)
    points = np.hstack([np.tile(triangle.points, (n, 1)), np.repeat(x, len(triangle.weights))[:, None]])
    return Rule(points, np.multiply.outer(w, triangle.weights).ravel())


def pyramid(n: int, m: int) -> Rule:
    """Return n x n Gauss points over the base times m Gauss-Jacobi points over the height.

    The cube collapses into the pyramid, (a, b, z) -> (a (1 - z), b (1 - z), z), with the Jacobian (1 - z)^2,
    which is the Jacobi weight: exact for a^i b^j z^k up to i, j = 2n - 1 and k = 2m - 1, hence for products
    of the rational shape functions, which are polynomials in a, b, z.
    """
    base = np.polynomial.legendre.leggauss(n)
    points, weights = _product([base, base, _gauss_jacobi(m, 2)])
    points[:, :2] *= 1.0 - points[:, 2:]
    return Rule(points, weights)

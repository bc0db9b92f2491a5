"""Torsion and shear of a section by finite elements: Saint-Venant's problem on triangles of six nodes.

With w the warping function of torsion about the centroid and g_y, g_z those of shear, in principal axes y, z,

    int grad N . grad w   = int z N,y - y N,z
    int grad N . grad g_z = int N z / Iy + nu s int grad N . (2 y z, z^2 / 2),     s = 1 / (2 (1 + nu) Iy)

and g_y with y and z exchanged (Love, Mathematical Theory of Elasticity, ch. XV; unit shear force over G, and no mean
twist). Love's function is g_z - nu s y^2 z / 2: in thin plates its part in y^2 would be far greater than g_z. From them
follow the torsion constant, Trefftz' shear centre (Z. angew. Math. Mech. 15, 1935: a force there and a torque do no
work on each other, which does not depend on nu) and Cowper's shear factors (J. Appl. Mech. 33, 1966, from the mean
deflection and the mean rotation of the section):

    J = int (w,y - z)^2 + (w,z + y)^2,    (y_s, z_s) = (- int w z / Iy, int w y / Iz)
    1 / (k_z A) = int z g_z / Iy - nu s (int y^2 z^2 / Iy + (Iy - Iz) / A) / 2
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from .triangles import Floats, Ints

#: Dunavant's rule of degree 4: barycentric coordinates and weights of six points
_A, _B = 0.445948490915965, 0.091576213509771
_PLACES = np.array([[1 - 2 * a if k == i else a for k in range(3)] for a in (_A, _B) for i in range(3)])
_WEIGHTS = np.repeat([0.223381589678011, 0.109951743655322], 3)
#: the six shape functions at these points, (6, 6), and their derivatives by the barycentric coordinates, (6, 6, 3)
_SIDES = ((0, 1), (1, 2), (2, 0))
_N = np.array([[*(2 * l * l - l), *(4 * l[i] * l[j] for i, j in _SIDES)] for l in _PLACES])
_DN = np.zeros((6, 6, 3))
for _q, _l in enumerate(_PLACES):
    _DN[_q, range(3), range(3)] = 4 * _l - 1
    for _k, (_i, _j) in enumerate(_SIDES):
        _DN[_q, 3 + _k, [_i, _j]] = 4 * _l[_j], 4 * _l[_i]


#: int DN DN' over a triangle of area one, (9, 36)
_DN2 = np.einsum("q,qkc,qld->cdkl", _WEIGHTS, _DN, _DN).reshape(9, 36)


class Moments(NamedTuple):
    """Integrals over the section: area, centroid (y, z), and Iy, Iz, Iyz about it."""

    A: float
    centroid: Floats
    Iy: float
    Iz: float
    Iyz: float


class Warping(NamedTuple):
    """Constants in principal axes: torsion, shear factors, shear centre (y, z), int (y, z) (y^2 + z^2) dA."""

    J: float
    ky: float
    kz: float
    shear_centre: Floats
    third: Floats


def moments(points: Floats, triangles: Ints) -> Moments:
    """Return the moments of triangles (m, 3) of points (n, 2), exact."""
    X = points[triangles]
    places, dA = _PLACES @ X, np.outer(_areas(X), _WEIGHTS)
    A = dA.sum()
    centroid = np.einsum("eq,eqi->i", dA, places) / A
    y, z = np.moveaxis(places - centroid, 2, 0)
    return Moments(float(A), centroid, *(float((dA * p).sum()) for p in (z * z, y * y, y * z)))


def warping(points: Floats, triangles: Ints, nu: float) -> Warping:
    """Return the constants of warping of triangles (m, 3) of points (n, 2) in principal axes about the centroid."""
    nodes = _nodes(len(points), triangles)
    n = int(nodes.max()) + 1
    X: Floats = points[triangles]
    area = _areas(X)
    y, z = np.moveaxis(_PLACES @ X, 2, 0)
    dA = np.outer(area, _WEIGHTS)
    # gradients of the barycentric coordinates: the opposite side turned, over twice the area
    side = np.roll(X, -2, axis=1) - np.roll(X, -1, axis=1)
    slope = np.stack([-side[..., 1], side[..., 0]], axis=2) / (2 * area[:, None, None])

    def joined(values: Floats) -> Floats:
        found: Floats = np.asarray(np.bincount(nodes.ravel(), values.ravel(), n), dtype=float)
        return found

    def of_field(along_y: Floats, along_z: Floats) -> Floats:
        field = dA[:, :, None] * np.stack([along_y, along_z], axis=2)
        along_sides = (field @ slope.transpose(0, 2, 1)).reshape(len(X), -1)  # by q and c
        return joined(along_sides @ _DN.transpose(0, 2, 1).reshape(-1, 6))

    def of_source(values: Floats) -> Floats:
        return joined((dA * values) @ _N)

    Iy, Iz, A = float((dA * z * z).sum()), float((dA * y * y).sum()), float(area.sum())
    by_y, by_z = of_source(y), of_source(z)
    sy, sz = 1 / (2 * (1 + nu) * Iz), 1 / (2 * (1 + nu) * Iy)
    loads = [
        of_field(z, -y),
        by_y / Iz + nu * sy * of_field(y * y / 2, 2 * y * z),
        by_z / Iy + nu * sz * of_field(2 * y * z, z * z / 2),
    ]
    K = area[:, None] * ((slope @ slope.transpose(0, 2, 1)).reshape(-1, 9) @ _DN2)
    rows, columns = np.repeat(nodes, 6, axis=1).ravel(), np.tile(nodes, (1, 6)).ravel()
    matrix = scipy.sparse.coo_matrix((K.ravel(), (rows, columns)), shape=(n, n)).tocsc()
    solved = np.zeros((n, 3))
    held = matrix[1:, 1:]  # the first node stays in the plane
    factor = scipy.sparse.linalg.splu(
        held, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    solved[1:] = factor.solve(np.stack(loads, axis=1)[1:])
    w, gy, gz = solved.T
    of_w = (w[nodes] @ _DN.transpose(1, 0, 2).reshape(6, -1)).reshape(-1, 6, 3) @ slope
    stress2 = (of_w[..., 0] - z) ** 2 + (
        of_w[..., 1] + y
    ) ** 2  # round-off in w has no first-order effect here
    r2, fourth = y * y + z * z, float((dA * y * y * z * z).sum())
    return Warping(
        J=float((dA * stress2).sum()),
        ky=float(1 / (A * (by_y @ gy / Iz) - nu * sy * (A * fourth / Iz + Iz - Iy) / 2)),
        kz=float(1 / (A * (by_z @ gz / Iy) - nu * sz * (A * fourth / Iy + Iy - Iz) / 2)),
        shear_centre=np.array([-(by_z @ w) / Iy, by_y @ w / Iz]),
        third=np.array([(dA * y * r2).sum(), (dA * z * r2).sum()]),
    )


def divided(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return four triangles for each, by the middles of its sides."""
    nodes = _nodes(len(points), triangles)
    a, b, c, ab, bc, ca = nodes.T
    middles = np.empty((int(nodes.max()) + 1, 2))
    middles[: len(points)] = points
    for k, (i, j) in enumerate(_SIDES):
        middles[nodes[:, 3 + k]] = 0.5 * (points[triangles[:, i]] + points[triangles[:, j]])
    return middles, np.concatenate(
        [np.stack(its, axis=1) for its in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )


def _nodes(n: int, triangles: Ints) -> Ints:
    """Return the six nodes of each triangle: corners, then the middles of the sides, numbered from n."""
    first, second = np.sort(triangles[:, _SIDES].reshape(-1, 2), axis=1).T
    middle = np.unique(first * n + second, return_inverse=True)[1].reshape(-1, 3)
    return np.hstack([triangles, n + middle])


def _areas(X: Floats) -> Floats:
    p, q = X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]
    found: Floats = 0.5 * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
    return found

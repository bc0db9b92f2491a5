"""Geometry of shell elements: nodal normals, tangent frames and derivatives along the surface.

Every element has a frame (e1, e2, n): n along the cross product of the two lines that join the middles of opposite
sides, e1 and e2 as near to these lines as a right angle allows, so that numbering the nodes from another corner turns
the frame by 90 degrees and changes nothing else. A triangle's e1 is along its first side. At any other point of a
warped or curved element the frame is that of its tangent plane, turned as little as possible from the element's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import FACES
from ..quadrature import triangle_3

Array = np.ndarray

#: sides of the linear elements, end nodes in turn
SIDES = {kind: FACES[kind].edges for kind in ("tri3", "quad4")}


def shape_functions(kind: str, xi: Array) -> tuple[Array, Array]:
    """Return N (q, nn) and dN/dxi (q, nn, 2) of an element's own functions."""
    element, xi = FACES[kind], np.atleast_2d(xi)
    return element.N(xi), element.dN(xi)


@dataclass(frozen=True)
class Surface:
    """A surface at the points of a quadrature, for all elements at once.

    ``N`` (q, nn); ``frame`` (ne, q, 3, 3) rows e1, e2, n; ``gradient`` (ne, q, nn, 2) derivatives of N along e1, e2;
    ``T`` (ne, q, 2, 2): d/d(alpha) = T[alpha, a] d/d(xi_a); ``weight`` (ne, q) area that the point stands for, m^2.
    """

    N: Array
    frame: Array
    gradient: Array
    T: Array
    weight: Array


def nodes_of(kind: str) -> Array:
    """Return the reference places (nn, 2) of an element's nodes."""
    return FACES[kind].nodes


def six(t: Array) -> Array:
    """Return symmetric tensors (..., 3, 3) as components xx yy zz yz xz xy (..., 6)."""
    return np.stack([t[..., a, b] for a, b in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))], -1)


def unit(v: Array) -> Array:
    """Return vectors (..., 3) divided by their length."""
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def cross(a: Array, b: Array) -> Array:
    """Return the vector products (..., 3) of broadcast vectors; several times faster than numpy's on many of them."""
    (a1, a2, a3), (b1, b2, b3) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    c1 = a2 * b3 - a3 * b2
    out = np.empty((*c1.shape, 3))
    out[..., 0], out[..., 1], out[..., 2] = c1, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1
    return out


def turns(arm: Array) -> Array:
    """Return the matrices (..., 3, 3) of theta -> theta x arm."""
    x, y, z = np.moveaxis(arm, -1, 0)
    out = np.zeros((*arm.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = z, -y, x
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = -z, y, -x
    return out


def normals(kind: str, X: Array) -> Array:
    """Return the unit normals (ne, nn, 3) of the element's own surface at its nodes, X (ne, nn, 3)."""
    if FACES[kind].order == 2:
        return normals_at(kind, X, FACES[kind].nodes)
    after, before = np.roll(X, -1, axis=1) - X, np.roll(X, 1, axis=1) - X
    normal = unit(cross(after, before))
    return np.repeat(normal[:, :1], 3, axis=1) if kind == "tri3" else normal


def normals_at(kind: str, X: Array, xi: Array) -> Array:
    """Return the unit normals (ne, q, 3) at reference points xi (q, 2)."""
    g = np.swapaxes(shape_functions(kind, xi)[1], 1, 2) @ X[:, None]
    return unit(cross(g[:, :, 0], g[:, :, 1]))


def element_frame(kind: str, X: Array) -> Array:
    """Return the frames (ne, 3, 3) of the elements, rows e1, e2, n, at the middle, from their corners."""
    if FACES[kind].n_corners == 3:
        g, h = X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]
        n, e1 = unit(cross(g, h)), unit(g)
        return np.stack([e1, cross(n, e1), n], 1)
    g, h = unit(X[:, 1] + X[:, 2] - X[:, 0] - X[:, 3]), unit(X[:, 2] + X[:, 3] - X[:, 0] - X[:, 1])
    n, a = unit(cross(g, h)), unit(g + h)
    b = cross(n, a)
    return np.stack([(a - b), (a + b), np.sqrt(2.0) * n], 1) / np.sqrt(2.0)


def tangents(frame: Array, n: Array) -> tuple[Array, Array]:
    """Return e1, e2 (ne, q, 3) normal to n (ne, q, 3), as near to the e1, e2 of the element's frame as they can be."""
    e1, e2 = (unit(e - np.sum(e * n, -1, keepdims=True) * n) for e in (frame[:, :, 0], frame[:, :, 1]))
    a = unit(e1 + e2)
    b = cross(n, a)
    return (a - b) / np.sqrt(2.0), (a + b) / np.sqrt(2.0)


def _inverse(a: Array) -> Array:
    """Return the inverses (..., 2, 2) of matrices; numpy's is several times slower on many small ones."""
    out = np.empty_like(a)
    out[..., 0, 0], out[..., 1, 1] = a[..., 1, 1], a[..., 0, 0]
    out[..., 0, 1], out[..., 1, 0] = -a[..., 0, 1], -a[..., 1, 0]
    return out / (a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0])[..., None, None]


def surface(kind: str, X: Array, xi: Array, weights: Array | None = None) -> Surface:
    """Return the surface at reference points xi (q, 2); ``weights`` (q,) of the quadrature, ones if left out."""
    N, dN = shape_functions(kind, xi)
    g = np.swapaxes(dN, 1, 2) @ X[:, None]
    n = cross(g[:, :, 0], g[:, :, 1])
    area = np.linalg.norm(n, axis=-1)
    n = n / area[..., None]
    e1, e2 = tangents(element_frame(kind, X)[:, None], n)
    T = _inverse(g @ np.stack([e1, e2], 3))
    gradient = dN @ np.swapaxes(T, 2, 3)
    weight = area if weights is None else area * weights
    return Surface(N, np.stack([e1, e2, n], 2), gradient, T, weight)


def gauss(kind: str, order: int) -> tuple[Array, Array]:
    """Return points (q, 2) and weights (q,): order 1-3 is n x n Gauss on quadrilaterals, 1, 3 or 6 points on triangles.

    Three points in the middle of the sides of tri3, inside tri6.
    """
    if FACES[kind].n_corners == 3:
        if order == 1:
            return np.full((1, 2), 1 / 3), np.array([0.5])
        if order == 3:
            return SIX_POINTS
        if FACES[kind].order == 2:
            return triangle_3()
        return np.array([[0.5, 0.0], [0.5, 0.5], [0.0, 0.5]]), np.full(3, 1 / 6)
    x, w = np.polynomial.legendre.leggauss(order)
    return np.stack([np.tile(x, order), np.repeat(x, order)], 1), np.tile(w, order) * np.repeat(w, order)


_SIX = [(a, 1 - 2 * a) for a in (0.445948490915965, 0.091576213509771)]
#: symmetric rule of degree 4 on triangles (Strang and Fix 1973)
SIX_POINTS = (
    np.array([p for a, b in _SIX for p in ((a, a), (b, a), (a, b))]),
    np.repeat([0.223381589678011, 0.109951743655322], 3) / 2,
)


def vector_strain(frame: Array, gradient: Array, vectors: Array) -> Array:
    """Return the strains (ne, q, 3, m) 11, 22, gamma12 of fields f_m(x) d_m.

    ``gradient`` (ne, q, m, 2) holds the derivatives of f_m along e1 and e2, ``vectors`` (ne, m, 3) the constant d_m:
    eps_ab = (e_a . u,b + e_b . u,a) / 2.
    """
    along = vectors[:, None] @ np.swapaxes(frame[:, :, :2], 2, 3)
    shear = along[..., 0] * gradient[..., 1] + along[..., 1] * gradient[..., 0]
    return np.stack([along[..., 0] * gradient[..., 0], along[..., 1] * gradient[..., 1], shear], 2)

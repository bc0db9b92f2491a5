"""Bending and transverse shear of both shell elements, by mixed interpolation of the shear strains.

The displacement of a point at distance z from the reference surface is u + z theta x V, each interpolated from the
nodes, V the normals at the nodes (the degenerated solid of Ahmad, Irons, Zienkiewicz 1970), so that the warping of a
quadrilateral is in the strains and rigid motion strains nothing. Transverse shear is interpolated from tying points:
MITC4, Dvorkin, Bathe, Eng. Comput. 1 (1984) 77-88, and MITC3+, Lee, Lee, Bathe, Comput. Struct. 138 (2014) 12-23,
whose rotations have a bubble that is condensed here. Neither locks. Both pass the patch tests for bending, twist and
shear (for shear with the bubble at rest: distributed moments hold a state without curvature, and a condensed bubble
does not carry them). Strains are linear in z; the change of the metric through the thickness (h / R
against 1) is left out.
"""

from __future__ import annotations

import numpy as np

from .geometry import SIX_POINTS, Array, Surface, cross, gauss, shape_functions, surface

_TIES = {  # tying points of the covariant shears
    "quad4": np.array([[0.0, 1.0], [0.0, -1.0], [-1.0, 0.0], [1.0, 0.0]]),
    "tri3": np.array([[1 / 6, 2 / 3], [2 / 3, 1 / 6], [1 / 6, 1 / 6]]),
}
#: distance of the points D, E, F from the middle; shear_triangle scales the result to another distance
POINT_DISTANCE = 1e-4
_MIDDLE = 1 / 3 + POINT_DISTANCE * np.array([[1, -2], [-2, 1], [1, 1]])


def curvature(X: Array, V: Array, at: Surface) -> Array:
    """Return B (ne, q, 3, 6 nn): curvatures 11, 22, 2 x 12, the part of the strains that is linear in z."""
    ne, q, nn = len(X), at.weight.shape[1], X.shape[1]
    B = np.zeros((ne, q, 3, nn, 6))
    e, f = at.frame, at.gradient
    for a, b, row in ((0, 0, 0), (1, 1, 1), (0, 1, 2), (1, 0, 2)):
        turn = cross(V[:, None], e[:, :, None, a])  # e . (theta x V) = theta . (V x e)
        B[:, :, row, :, 3:] += turn * f[..., b, None]
        slope = np.swapaxes(f[..., a, None], 2, 3) @ V[:, None]
        B[:, :, row, :, :3] += slope * f[..., b, None]
    return B.reshape(ne, q, 3, 6 * nn)


def _covariant(kind: str, X: Array, V: Array, xi: Array) -> Array:
    """Return gamma_a = x,a . (theta x V) + V . u,a at points xi as B (ne, q, 2, 6 nn)."""
    N, dN = shape_functions(kind, xi)
    ne, q, nn = len(X), len(N), X.shape[1]
    g = np.swapaxes(dN, 1, 2) @ X[:, None]
    director = N @ V
    B = np.empty((ne, q, 2, nn, 6))
    B[..., :3] = director[:, :, None, None] * dN.transpose(0, 2, 1)[None, ..., None]
    B[..., 3:] = cross(V[:, None, None], g[:, :, :, None]) * N[None, :, None, :, None]
    return B.reshape(ne, q, 2, 6 * nn)


def shear_quad(X: Array, V: Array, xi: Array, at: Surface) -> Array:
    """Return B (ne, q, 2, 24): transverse shears 13, 23 of MITC4."""
    tied = _covariant("quad4", X, V, _TIES["quad4"])
    r, s = xi.T[:, :, None]
    gamma_r = np.einsum("qk,ekd->eqd", np.hstack([1 + s, 1 - s]) / 2, tied[:, :2, 0])
    gamma_s = np.einsum("qk,ekd->eqd", np.hstack([1 - r, 1 + r]) / 2, tied[:, 2:, 1])
    return at.T @ np.stack([gamma_r, gamma_s], 2)


def _with_bubble(X: Array, V: Array, xi: Array) -> Array:
    """Return the covariant shears (ne, q, 2, 18 + 3) of MITC3+: three more columns turn the bubble node."""
    r, s = xi.T
    bubble = 27 * r * s * (1 - r - s)
    B = _covariant("tri3", X, V, xi)
    g = np.stack([X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]], 1)
    extra = cross(V[:, :1], g)[:, None] * bubble[None, :, None, None]
    theta = B.reshape(*B.shape[:3], 3, 6)
    theta[..., 3:] -= extra[..., None, :] / 3
    return np.concatenate([B, extra], -1)


def shear_triangle(X: Array, V: Array, xi: Array, at: Surface, d: Array) -> Array:
    """Return B (ne, q, 2, 21): transverse shears 13, 23 of MITC3+, the last three columns of the bubble.

    ``d`` (ne,): distance of the tying points D, E, F from the middle, which the linear part is proportional to.
    """
    A, B, C = (_with_bubble(X, V, _TIES["tri3"])[:, k] for k in range(3))
    D, E, F = (_with_bubble(X, V, _MIDDLE)[:, k] for k in range(3))
    mean_r = 2 / 3 * (B[:, 0] - B[:, 1] / 2) + (C[:, 0] + C[:, 1]) / 3
    mean_s = 2 / 3 * (A[:, 1] - A[:, 0] / 2) + (C[:, 0] + C[:, 1]) / 3
    c = (F[:, 0] - D[:, 0] - F[:, 1] + E[:, 1]) * (d / POINT_DISTANCE)[:, None]
    r, s = xi.T[:, None, :, None]
    covariant = [
        mean_r[:, None] + c[:, None] * (3 * s - 1) / 3,
        mean_s[:, None] + c[:, None] * (1 - 3 * r) / 3,
    ]
    return at.T @ np.stack(covariant, 2)


def curvature_triangle(X: Array, V: Array, xi: Array, at: Surface) -> Array:
    """Return B (ne, q, 3, 21): curvatures with the rotations' bubble in the last three columns."""
    r, s = xi.T
    B = curvature(X, V, at)
    d = 27 * np.stack([s * (1 - 2 * r - s), r * (1 - r - 2 * s)], 1)
    grad = (at.T @ d[..., None])[..., 0]
    extra = np.zeros((*B.shape[:3], 3))
    for a, b, row in ((0, 0, 0), (1, 1, 1), (0, 1, 2), (1, 0, 2)):
        extra[:, :, row] += cross(V[:, :1], at.frame[:, :, a]) * grad[..., b, None]
    theta = B.reshape(*B.shape[:3], 3, 6)
    theta[..., 3:] -= extra[..., None, :] / 3
    return np.concatenate([B, extra], -1)


def condensation(K: Array) -> Array:
    """Return C (ne, 21, 18) that gives the bubble's turn from the nodes' motion, K (ne, 21, 21): u_21 = C u_18.

    The bubble turns about two axes only; the third, along the normal, is left at rest by the pseudo-inverse.
    """
    inner = K[:, 18:, 18:]
    slave = -np.linalg.pinv(inner, rcond=1e-9, hermitian=True) @ K[:, 18:, :18]
    return np.concatenate([np.broadcast_to(np.eye(18), (len(K), 18, 18)), slave], 1)


def operators(kind: str, X: Array, V: Array, D: Array, S: Array) -> tuple[Array, Array, Array, Array]:
    """Return curvatures (ne, q, 3, d) and shears (ne, q, 2, d) at integration points, their weights and points.

    d = 6 nn: the bubble of the triangle has been expressed in the nodes, for the bending stiffness D (ne, 3, 3) in
    Nm and the shear stiffness S (ne, 2, 2) in N/m.
    """
    if kind == "quad4":
        xi, w = gauss("quad4", 2)
        at = surface(kind, X, xi, w)
        return curvature(X, V, at), shear_quad(X, V, xi, at), at.weight, xi
    kappa, gamma, weight, xi = free_triangle(X, V, D, S)
    C = condensation(quadratic(kappa, D, weight) + quadratic(gamma, S, weight))[:, None]
    return kappa @ C, gamma @ C, weight, xi


def free_triangle(X: Array, V: Array, D: Array, S: Array) -> tuple[Array, Array, Array, Array]:
    """Return the result of :func:`operators` for tri3 with three more degrees of freedom of the bubble, d = 21."""
    xi, w = SIX_POINTS
    at = surface("tri3", X, xi, w)  # exact for the product of two gradients of the cubic bubble
    # d only gives stiffness to the spin of the rotations inside the element, theta = r: with d = 1e-4, as in the paper,
    # 1e-9 of the other stiffnesses; in proportion to the thickness, that of a bending mode, without locking
    d = 0.1 * np.sqrt(np.trace(D, axis1=1, axis2=2) / np.trace(S, axis1=1, axis2=2) / at.weight.sum(1))
    gamma = shear_triangle(X, V, xi, at, np.minimum(d, 0.1))
    return curvature_triangle(X, V, xi, at), gamma, at.weight, xi


def quadratic(B: Array, D: Array, weight: Array) -> Array:
    """Return sum_q w_q B_q' D B_q, (ne, d, d)."""
    ne, q, m, d = B.shape
    DB = (D[:, None] @ B) * weight[..., None, None]
    return np.swapaxes(B.reshape(ne, q * m, d), 1, 2) @ DB.reshape(ne, q * m, d)


def forces(B: Array, D: Array, weight: Array, v: Array) -> Array:
    """Return sum_q w_q B_q' D B_q v, (ne, d), for v (ne, d)."""
    ne, q, m, d = B.shape
    B = B.reshape(ne, q * m, d)
    strain = (B @ v[..., None]).reshape(ne, q, m)
    stress = (strain @ np.swapaxes(D, 1, 2)) * weight[..., None]
    return (np.swapaxes(B, 1, 2) @ stress.reshape(ne, q * m, 1))[..., 0]

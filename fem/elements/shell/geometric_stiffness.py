"""Geometric stiffness of shells: of the membrane forces, and by the rotation of all forces with the element.

The nodal rotations are rotation vectors: a nodal moment that stays constant is semitangential. When a loaded element
turns rigidly by theta about any point, the forces F on its nodes become F + theta x F and the moments M become
M + theta x M / 2, so that a geometric stiffness must satisfy, for any state of stress,

    K_G (theta x r, theta) = (theta x F, theta x M / 2).

The work N_ab u,a . u,b / 2 of membrane forces and that of their drilling moments do so on flat elements under
uniform stress. The missing terms in other cases (bending moments, transverse shear, stress that varies, warped
quadrilaterals) are added for the rigid part of the motion, as in corotational elements (Rankin, Brogan, J.
Pressure Vessel Technol. 108 (1986) 165-174; Nour-Omid, Rankin, Comput. Methods Appl. Mech. Engrg 93 (1991) 353-384).
"""

from __future__ import annotations

import numpy as np

from .geometry import SIDES, Array, Surface, element_frame, turns
from .membrane import ALPHA


def of_membrane(at: Surface, N: Array, freedoms: int = 6) -> Array:
    """Return int N_ab f_i,a f_j,b dA on all three translations, (ne, nd, nd), from N (ne, q, 3) at the points."""
    tensor = N[..., [0, 2, 2, 1]].reshape(*N.shape[:2], 2, 2) * at.weight[..., None, None]
    scalar = (at.gradient @ tensor @ np.swapaxes(at.gradient, 2, 3)).sum(1)
    ne, nn, _ = scalar.shape
    K = np.zeros((ne, nn, freedoms, nn, freedoms))
    for c in range(3):
        K[:, :, c, :, c] = scalar
    return K.reshape(ne, freedoms * nn, freedoms * nn)


def of_sides(kind: str, X: Array, V: Array, N: Array) -> Array:
    """Return the stiffness (ne, 6 nn, 6 nn) of the drilling moments of uniform membrane forces N (ne, 3).

    They bend the sides, from node i to j, by the moments M = -3/2 L^2 / 12 n.N n on i and -M on j about the normal V
    (:mod:`.membrane`). V turns with the mean of both nodes' rotations, and the relative rotation vector of the
    nodes is, in these axes, t_i - t_j to second order; M does the work M V . (t_i x t_j) / 2 there, which cancels
    between neighbours in a plane as M does. N in the element's axes.
    """
    ne, nn, _ = X.shape
    i, j = np.array(SIDES[kind]).T
    frame = element_frame(kind, X)
    cx, cy = np.moveaxis((X[:, j] - X[:, i]) @ np.swapaxes(frame[:, :2], 1, 2), 2, 0)
    N11, N22, N12 = N.T[..., None]
    M = -ALPHA / 12 * (N11 * cy**2 + N22 * cx**2 - 2 * N12 * cx * cy)
    spin = turns((V[:, i] + V[:, j]) / 4 * M[..., None])
    K = np.zeros((ne, nn, 6, nn, 6))
    for side, (a, b) in enumerate(SIDES[kind]):
        K[:, a, 3:, b, 3:] += spin[:, side]
        K[:, b, 3:, a, 3:] -= spin[:, side]
    return K.reshape(ne, 6 * nn, 6 * nn)


def turned(K: Array, X: Array, f: Array) -> Array:
    """Return K (ne, 6 nn, 6 nn) plus the terms by which the nodal forces f (ne, 6 nn) rotate with the element.

    With R (6 nn, 3) the unit turns about the mean of the corners X (ne, nn, 3), F the changes of force that belong
    to them, and W the turn of the element, in the sense of least squares, from its nodes' translations (W R = 1)::

        K + E W + W' E' - W' (R' E) W,    E = F - K R,

    which is K where E = 0. R' E is symmetric because f is in balance. f turns exactly with the element; its work
    on motions that strain the element is that of K alone.
    """
    ne, nn, _ = X.shape
    r = X - X.mean(1, keepdims=True)
    force = f.reshape(ne, nn, 6)
    R, F = np.zeros((ne, nn, 6, 3)), np.zeros((ne, nn, 6, 3))
    R[:, :, :3], R[:, :, 3:] = turns(r), np.eye(3)
    F[:, :, :3], F[:, :, 3:] = turns(force[..., :3]), turns(force[..., 3:]) / 2
    R, F = R.reshape(ne, 6 * nn, 3), F.reshape(ne, 6 * nn, 3)
    second = np.swapaxes(r, 1, 2) @ r
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    W = np.zeros((ne, 3, nn, 6))
    W[..., :3] = np.linalg.solve(inertia, -turns(r).transpose(0, 2, 1, 3).reshape(ne, 3, 3 * nn)).reshape(
        ne, 3, nn, 3
    )
    W = W.reshape(ne, 3, 6 * nn)
    E = F - K @ R
    part = (E - np.swapaxes(W, 1, 2) @ (np.swapaxes(R, 1, 2) @ E) / 2) @ W
    return K + part + np.swapaxes(part, 1, 2)


def of_arms(force: Array, arm: Array) -> Array:
    """Return the stiffness (ne, nn, 3, 3) against the nodes' rotations of forces (ne, nn, 3) at the ends of arms.

    To second order a rotation t moves the tip of the arm a by t x a + t x (t x a) / 2, on which the force F does the
    work (t.F)(t.a) / 2 - (t.t)(F.a) / 2.
    """
    outer = force[..., :, None] * arm[..., None, :]
    inner = np.sum(force * arm, -1)[..., None, None]
    return (outer + np.swapaxes(outer, -1, -2)) / 2 - inner * np.eye(3)

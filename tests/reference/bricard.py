"""Bricard's linkage (IFToMM benchmark A04) as a machine of one coordinate, by products of rotations.

Five rods of 1 m, 1 kg and 0.1 m x 0.1 m on six hinges, gravity along -y, at rest as drawn. Turned by theta_k about
axis e_k through p_k, hinge by hinge, a point of rod k is at E_1 .. E_k x; the loop closes where E_1 .. E_6 = 1. With
the twists of the hinges where they stand, ``sum_k s_k theta_k. = 0`` has one solution: theta. = n(theta) s. Along
that curve the energy J s^2/2 + V is constant, so that ``J s. = -V_s - J_s s^2/2``.
"""

from __future__ import annotations

import functools

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

GRAVITY = 9.81
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
AXES = np.eye(3)[[1, 2, 0, 1, 2, 0]]
THIN, WIDE = 0.1**2 / 6, (1 + 0.1**2) / 12  # kg m^2, along a rod and across it
#: total energy as drawn, IFToMM A04, J
ENERGY = -29.43


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def stand(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Hinges (6, 3) and their axes (6, 3), rotations (6, 3, 3) and translations (6, 3) of what follows each hinge."""
    R, d = np.eye(3), np.zeros(3)
    points, axes, rotations, shifts = [], [], [], []
    for p, e, angle in zip(CORNERS, AXES, theta, strict=True):
        points.append(R @ p + d)
        axes.append(R @ e)
        turn = _turn(e, angle)
        d = d + R @ (p - turn @ p)
        R = R @ turn
        rotations.append(R)
        shifts.append(d)
    return np.array(points), np.array(axes), np.array(rotations), np.array(shifts)


def closed(theta: np.ndarray) -> np.ndarray:
    """The nearest angles that close the loop (Gauss-Newton)."""
    theta = np.array(theta, float)
    for _ in range(4):
        points, axes, R, d = stand(theta)
        out = R[-1]
        gap = np.concatenate(
            [d[-1], 0.5 * np.array([out[2, 1] - out[1, 2], out[0, 2] - out[2, 0], out[1, 0] - out[0, 1]])]
        )
        if np.abs(gap).max() < 1e-12:
            break
        theta -= np.linalg.lstsq(_twists(points, axes), gap, rcond=1e-6)[0]
    return theta


def _twists(points: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """(6, 6) velocity of the origin's point and angular velocity of the last side, by the hinges' rates."""
    return np.vstack([np.cross(points, axes).T, axes.T])


def along(theta: np.ndarray) -> np.ndarray:
    """The one motion of the loop, n (6,) with n[0] > 0 of length one."""
    points, axes, _, _ = stand(theta)
    n = np.linalg.svd(_twists(points, axes))[2][-1]
    return n * np.sign(n[0])


def inertia_and_height(theta: np.ndarray, n: np.ndarray) -> tuple[float, float]:
    """J, kg m^2, for theta. = n, and the potential energy, J."""
    points, axes, R, d = stand(theta)
    J = V = 0.0
    for k in range(5):
        middle, rod = (CORNERS[k] + CORNERS[k + 1]) / 2, R[k] @ (CORNERS[k + 1] - CORNERS[k])
        center = R[k] @ middle + d[k]
        spin = n[: k + 1] @ axes[: k + 1]
        speed = n[: k + 1] @ np.cross(axes[: k + 1], center - points[: k + 1])
        J += speed @ speed + WIDE * spin @ spin + (THIN - WIDE) * (rod @ spin) ** 2
        V += GRAVITY * center[1]
    return float(J), float(V)


@functools.cache
def _laid(path: float, points: int) -> list:
    """Splines of fifth order of J, V and the angles over a path of this length (rad), laid in equal steps."""
    arc = np.linspace(0, path, points + 1)
    theta, J, V = np.zeros((points + 1, 6)), np.empty(points + 1), np.empty(points + 1)
    for k in range(points + 1):
        if k:
            theta[k] = _step(theta[k - 1], arc[1])
        J[k], V[k] = inertia_and_height(theta[k], along(theta[k]))
    return [make_interp_spline(arc, values, 5) for values in (J, V, theta)]


def solution(t: np.ndarray, path: float = 7.0, points: int = 200, rtol: float = 1e-10) -> np.ndarray:
    """Angles turned about the hinges (nt, 6) along a ``path`` (rad) that is laid first, in equal steps of its length.

    J and V are splines of fifth order over it: (7/200)^6 = 2e-9, times what they bend.
    """
    fits = _laid(path, points)
    slopes = [fit.derivative() for fit in fits[:2]]

    def rhs(_, y):
        return [y[1], -(slopes[1](y[0]) + 0.5 * slopes[0](y[0]) * y[1] ** 2) / fits[0](y[0])]

    side = -np.sign(slopes[1](0.0))
    run = solve_ivp(
        lambda time, y: rhs(time, y), (t[0], t[-1]), [0.0, 0.0], "DOP853", t, rtol=rtol, atol=rtol
    )
    if side < 0 or run.y[0].max() > path:
        raise ValueError("the linkage moves out of the path that was laid")
    return fits[2](run.y[0])


def _step(theta: np.ndarray, length: float) -> np.ndarray:
    """The angles a length of arc on, by the rule of Runge and Kutta on the tangents, then closed."""
    a = along(theta)
    b = along(theta + length / 2 * a)
    c = along(theta + length / 2 * b)
    return closed(theta + length / 6 * (a + 2 * b + 2 * c + along(theta + length * c)))

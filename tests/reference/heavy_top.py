"""Heavy top with a fixed point: Euler's equations about that point in body components, with Euler parameters.

    J omegadot = - omega x J omega + m x_c x (Q' g),  qdot = (1/2) q * (0, omega),  Q = Q(q),

J about the fixed point (Steiner). The benchmark is the top of the Lie-group literature (Geradin & Cardona
2001; Bruels, Cardona & Arnold 2012): 15 kg, centre at (0, 1, 0) m, drawn upright along y with Q = 1, gravity
9.81 m/s^2 along -z. Integrated by Dormand-Prince 8. Valid for any body with a fixed point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

MASS = 15.0
INERTIA_CENTER = np.array([0.234375, 0.46875, 0.234375])  # kg m^2 about the mass centre
CENTER = np.array([0.0, 1.0, 0.0])
OMEGA0 = np.array([0.0, 150.0, -4.61538])
GRAVITY = np.array([0.0, 0.0, -9.81])
# Euler parameters at 0.2 s, Lie-group literature, confirmed by an unrelated program
EULER_02 = np.array([-0.70827915, 0.43878109, 0.5457284, 0.08939975])


@dataclass(frozen=True)
class Spin:
    """Run: t (nt,), Euler parameters (nt, 4), angular velocity in body components (nt, 3), centre (nt, 3)."""

    t: np.ndarray
    euler: np.ndarray
    omega: np.ndarray
    center: np.ndarray
    energy: np.ndarray  # J, kinetic + potential


def rotation(q: np.ndarray) -> np.ndarray:
    """(3, 3) rotation matrix of unit Euler parameters: r_inertial = Q r_body."""
    w, v = q[0], q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew


def rates(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Derivative of the Euler parameters for omega in body components."""
    return 0.5 * np.concatenate([[-q[1:] @ omega], q[0] * omega + np.cross(q[1:], omega)])


def solution(
    t: np.ndarray,
    mass: float = MASS,
    inertia: np.ndarray = INERTIA_CENTER,
    center: np.ndarray = CENTER,
    omega0: np.ndarray = OMEGA0,
    gravity: np.ndarray = GRAVITY,
    rtol: float = 1e-12,
) -> Spin:
    """Motion from Q = 1 and omega0 at t[0]; inertia (3,) or (3, 3) about the mass centre, drawn axes."""
    J = np.diag(inertia) if np.ndim(inertia) == 1 else np.asarray(inertia)
    J = J + mass * (center @ center * np.eye(3) - np.outer(center, center))

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        q, omega = y[:4] / np.linalg.norm(y[:4]), y[4:]
        moment = mass * np.cross(center, rotation(q).T @ gravity) - np.cross(omega, J @ omega)
        return np.concatenate([rates(q, omega), np.linalg.solve(J, moment)])

    start = np.concatenate([[1.0, 0, 0, 0], omega0])
    run = solve_ivp(rhs, (t[0], t[-1]), start, "DOP853", t, rtol=rtol, atol=rtol)
    q, omega = run.y[:4].T, run.y[4:].T
    q = q / np.linalg.norm(q, axis=1)[:, None]
    where = np.array([rotation(p) @ center for p in q])
    energy = 0.5 * np.einsum("ti,ij,tj->t", omega, J, omega) - mass * where @ gravity
    return Spin(np.asarray(t), q, omega, where, energy)

"""Mathematical pendulum, exactly; spherical pendulum with its constants.

Plane pendulum let go at rest at the angle theta0 from the downward vertical, k = sin(theta0/2):

    sin(theta/2) = k cd(tau | k^2),  tau = sqrt(g/l) t

(from thetadot^2 = 2 g/l (cos theta - cos theta0)). A pendulum that goes over the top, from the lowest point
with k = 2 sqrt(g/l)/thetadot0 < 1: theta/2 = am(thetadot0 t/2 | k^2).
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

LENGTH, GRAVITY = 1.0, 9.81
# horizontal, at rest, 1 m: exact, from the elliptic functions in extended precision
PERIOD = 2.3678419475762373
POSITION_10 = np.array([0.27508746257615, -0.96141920509912])


def swing(t: np.ndarray, theta0: float = np.pi / 2, length: float = LENGTH, g: float = GRAVITY) -> tuple:
    """Angle from the downward vertical (nt,) and its rate, from rest at theta0."""
    k, rate = np.sin(theta0 / 2), np.sqrt(g / length)
    sn, cn, dn, _ = ellipj(rate * np.asarray(t), k * k)
    theta = 2 * np.arcsin(k * cn / dn)
    # d/dtau cd = -(1 - k^2) sn/dn^2, and cos(theta/2) = sqrt(1-k^2)/dn
    return theta, -2 * k * rate * np.sqrt(1 - k * k) * sn / dn


def over_the_top(t: np.ndarray, thetadot0: float, length: float = LENGTH, g: float = GRAVITY) -> tuple:
    """Angle from the downward vertical (nt,), and its rate; thetadot0 > 2 sqrt(g/l)."""
    m = 4 * g / (length * thetadot0**2)
    if not m < 1:
        raise ValueError("too slow to go over the top")
    _, _, dn, am = ellipj(0.5 * thetadot0 * np.asarray(t), m)
    return 2 * am, thetadot0 * dn


def period(theta0: float = np.pi / 2, length: float = LENGTH, g: float = GRAVITY) -> float:
    """4 sqrt(l/g) K(sin^2(theta0/2))."""
    return 4 * np.sqrt(length / g) * ellipk(np.sin(theta0 / 2) ** 2)


def position(t: np.ndarray, length: float = LENGTH, g: float = GRAVITY) -> np.ndarray:
    """(nt, 2) position of the bob, y upwards, let go at rest at (length, 0)."""
    theta, _ = swing(t, np.pi / 2, length, g)
    return length * np.column_stack([np.sin(theta), -np.cos(theta)])


def tension(
    t: np.ndarray, mass: float = 1.0, theta0: float = np.pi / 2, length: float = LENGTH, g: float = GRAVITY
):
    """(nt,) force in the string, N: m l thetadot^2 + m g cos(theta)."""
    theta, rate = swing(t, theta0, length, g)
    return mass * (length * rate**2 + g * np.cos(theta))


def spherical(
    t: np.ndarray, r0: np.ndarray, v0: np.ndarray, g: float = GRAVITY, rtol: float = 1e-12
) -> tuple:
    """Bob on a sphere about the origin: positions and velocities (nt, 3), gravity along -z, v0 . r0 = 0.

    rddot = -g e_z + (tension) r with the multiplier from r.rddot + v.v = 0. For a unit mass the energy
    v.v/2 + g z and the moment of momentum about the vertical x v_y - y v_x are constant: see constants().
    """
    r0, v0 = np.asarray(r0, float), np.asarray(v0, float)
    square = r0 @ r0

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        r, v = y[:3], y[3:]
        return np.concatenate([v, np.array([0, 0, -g]) + r * (g * r[2] - v @ v) / square])

    run = solve_ivp(rhs, (t[0], t[-1]), np.concatenate([r0, v0]), "DOP853", t, rtol=rtol, atol=rtol)
    return run.y[:3].T, run.y[3:].T


def constants(r: np.ndarray, v: np.ndarray, g: float = GRAVITY) -> tuple[np.ndarray, np.ndarray]:
    """Energy and vertical moment of momentum of a unit mass, over (..., 3) positions and velocities."""
    return 0.5 * np.sum(v * v, -1) + g * r[..., 2], r[..., 0] * v[..., 1] - r[..., 1] * v[..., 0]


def heights(r0: np.ndarray, v0: np.ndarray, g: float = GRAVITY) -> np.ndarray:
    """The two turning heights: roots of 2 (E - g z)(l^2 - z^2) = h^2 within the sphere."""
    r0, v0 = np.asarray(r0, float), np.asarray(v0, float)
    square, (energy, moment) = r0 @ r0, constants(r0, v0, g)
    roots = np.roots([2 * g, -2 * energy, -2 * g * square, 2 * energy * square - moment**2])
    return np.sort(roots.real)[:2]

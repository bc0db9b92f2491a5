"""Rotations in three dimensions: Euler parameters, rotation vectors and their tangent operators.

Euler parameters ``q = (q0, q1, q2, q3)`` and the rotation matrix ``Q`` follow Koppens (B.5), (B.6), (B.13).
"""

import math

import numpy as np

from fem.common.jit import jit

from .lean import lean, lean_entry


@jit(inline="always")
def cross(a, b, out):
    """``out = a x b``; ``out`` may not be ``a`` or ``b``."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@jit(inline="always")
def dot3(a, b):
    """Return the scalar product of two 3-vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit(inline="always")
def turn(Q, x, out):
    """``out = Q x`` for a 3 x 3 matrix; ``out`` may not be ``x``."""
    for i in range(3):
        out[i] = Q[i, 0] * x[0] + Q[i, 1] * x[1] + Q[i, 2] * x[2]


@jit(inline="always")
def turn_back(Q, x, out):
    """``out = Q^T x`` for a 3 x 3 matrix; ``out`` may not be ``x``."""
    for i in range(3):
        out[i] = Q[0, i] * x[0] + Q[1, i] * x[1] + Q[2, i] * x[2]


@jit(inline="always")
def write_matrix_of_euler(q0, q1, q2, q3, Q, b):
    """``Q[b]`` = rotation matrix (3, 3) of unit Euler parameters, Koppens (B.13)."""
    Q[b, 0, 0] = q0 * q0 + q1 * q1 - q2 * q2 - q3 * q3
    Q[b, 0, 1] = 2.0 * (q1 * q2 - q0 * q3)
    Q[b, 0, 2] = 2.0 * (q1 * q3 + q0 * q2)
    Q[b, 1, 0] = 2.0 * (q1 * q2 + q0 * q3)
    Q[b, 1, 1] = q0 * q0 - q1 * q1 + q2 * q2 - q3 * q3
    Q[b, 1, 2] = 2.0 * (q2 * q3 - q0 * q1)
    Q[b, 2, 0] = 2.0 * (q1 * q3 - q0 * q2)
    Q[b, 2, 1] = 2.0 * (q2 * q3 + q0 * q1)
    Q[b, 2, 2] = q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3


@jit
def matrix_of_euler(q, Q):
    """Rotation matrix (3, 3) of unit Euler parameters, Koppens (B.13)."""
    write_matrix_of_euler(q[0], q[1], q[2], q[3], Q.reshape(1, 3, 3), 0)


@lean_entry
def turned_euler(q, theta, out):
    """Euler parameters of ``Q(q) exp(theta~)``: ``q`` turned by the rotation vector ``theta`` (body components)."""
    angle2 = dot3(theta, theta)
    if angle2 < 1e-8:
        cosine = 1.0 - angle2 / 8.0 + angle2 * angle2 / 384.0
        sine = 0.5 - angle2 / 48.0 + angle2 * angle2 / 3840.0
    else:
        angle = math.sqrt(angle2)
        cosine = math.cos(0.5 * angle)
        sine = math.sin(0.5 * angle) / angle
    x, y, z = sine * theta[0], sine * theta[1], sine * theta[2]
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    out[0] = q0 * cosine - q1 * x - q2 * y - q3 * z
    out[1] = q1 * cosine + q0 * x + q2 * z - q3 * y
    out[2] = q2 * cosine + q0 * y + q3 * x - q1 * z
    out[3] = q3 * cosine + q0 * z + q1 * y - q2 * x
    norm = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2 + out[3] ** 2)
    for i in range(4):
        out[i] /= norm


@lean
def tangent_coefficients(theta):
    """Return (s, a, b, da, db) for ``exp(theta~) = I + s theta~ + a theta~^2`` and ``T = I + a theta~ + b theta~^2``.

    ``s = sin(t)/t``, ``a = (1 - cos t)/t^2``, ``b = (t - sin t)/t^3``; ``da``, ``db`` are the derivatives of
    ``a``, ``b`` with respect to ``t``, divided by ``t``.
    """
    t2 = dot3(theta, theta)
    if t2 < 1e-2:
        # Taylor series, the first neglected term is below 1e-17
        s = 1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0)))
        a = 0.5 - t2 / 24.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0 * (1.0 - t2 / 90.0)))
        b = 1.0 / 6.0 - t2 / 120.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0 * (1.0 - t2 / 110.0)))
        da = -1.0 / 12.0 + t2 / 180.0 * (
            1.0 - t2 / 37.333333333333336 * (1.0 - t2 / 67.5 * (1.0 - t2 / 105.6))
        )
        db = -1.0 / 60.0 + t2 / 1260.0 * (1.0 - t2 / 48.0 * (1.0 - t2 / 82.5 * (1.0 - t2 / 124.8)))
        return s, a, b, da, db
    t = math.sqrt(t2)
    sine, cosine = math.sin(t), math.cos(t)
    s = sine / t
    a = (1.0 - cosine) / t2
    b = (t - sine) / (t2 * t)
    da = (s - 2.0 * a) / t2
    db = (a - 3.0 * b) / t2
    return s, a, b, da, db


@jit(inline="always")
def exponential_of(a, b, s, theta, x, turned, mapped):
    """Write ``exp(theta~) x`` and ``T x``, ``T`` the left tangent; s, a, b of :func:`tangent_coefficients`."""
    u, v, w = theta[0], theta[1], theta[2]
    x0, x1, x2 = x[0], x[1], x[2]
    f0, f1, f2 = v * x2 - w * x1, w * x0 - u * x2, u * x1 - v * x0
    g0, g1, g2 = v * f2 - w * f1, w * f0 - u * f2, u * f1 - v * f0
    turned[0], turned[1], turned[2] = x0 + s * f0 + a * g0, x1 + s * f1 + a * g1, x2 + s * f2 + a * g2
    mapped[0], mapped[1], mapped[2] = x0 + a * f0 + b * g0, x1 + a * f1 + b * g1, x2 + a * f2 + b * g2


@jit
def exponential(theta, R, T):
    """Rotation matrix ``R = exp(theta~)`` and its left tangent ``T`` (``Rdot R^T = (T thetadot)~``), (3, 3) each."""
    s, a, b, _, _ = tangent_coefficients(theta)
    unit = np.zeros(3)
    for l in range(3):
        unit[l] = 1.0
        exponential_of(a, b, s, theta, unit, R[:, l], T[:, l])
        unit[l] = 0.0


@lean_entry
def tangent_rate(theta, rate, out):
    """``out = Tdot thetadot`` for the left tangent ``T`` of ``exp(theta~)``."""
    _, _, b, da, db = tangent_coefficients(theta)
    u, v, w = theta[0], theta[1], theta[2]
    x, y, z = rate[0], rate[1], rate[2]
    along = u * x + v * y + w * z
    f0, f1, f2 = v * z - w * y, w * x - u * z, u * y - v * x
    g0, g1, g2 = v * f2 - w * f1, w * f0 - u * f2, u * f1 - v * f0
    out[0] = da * along * f0 + db * along * g0 + b * (y * f2 - z * f1)
    out[1] = da * along * f1 + db * along * g1 + b * (z * f0 - x * f2)
    out[2] = da * along * f2 + db * along * g2 + b * (x * f1 - y * f0)

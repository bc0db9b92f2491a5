"""Frames on bodies: pose, twist, bias acceleration, and loads mapped to generalized forces.

A frame rides on a material point: ``r = c + Q (x + Phi alpha)``, axes ``Q exp((B alpha)~) A``. Joints and forces
see nothing else of a body.
"""

import numpy as np

from fem.common.jit import jit

from .rotation import cross, exponential, tangent_rate, turn, turn_back


@jit
def place_frame(L, W, f, c, alpha):
    """Evaluate position, axes and ``T B`` of frame ``f``."""
    b = L.frame_body[f]
    p, r, R, A = W.frame_p[f], W.frame_r[f], W.frame_R[f], L.frame_A[f]
    x = L.frame_x[f]
    if b < 0:
        for k in range(3):
            p[k] = r[k] = x[k]
            for l in range(3):
                R[k, l] = A[k, l]
        return
    n = L.body_modes[b]
    Q = W.Q[b]
    for k in range(3):
        p[k] = x[k]
    if n == 0:
        turn(Q, p, r)
        for k in range(3):
            r[k] += c[b, k]
            for l in range(3):
                R[k, l] = Q[k, 0] * A[0, l] + Q[k, 1] * A[1, l] + Q[k, 2] * A[2, l]
        return
    at, first = L.frame_at[f], L.alpha_at[b]
    theta, E, T, EA = np.zeros(3), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for k in range(3):
        for i in range(n):
            p[k] += L.frame_modes[at + k * n + i] * alpha[first + i]
            theta[k] += L.frame_modes[at + (3 + k) * n + i] * alpha[first + i]
    exponential(theta, E, T)
    turn(Q, p, r)
    for k in range(3):
        r[k] += c[b, k]
        for l in range(3):
            EA[k, l] = E[k, 0] * A[0, l] + E[k, 1] * A[1, l] + E[k, 2] * A[2, l]
    for k in range(3):
        for l in range(3):
            R[k, l] = Q[k, 0] * EA[0, l] + Q[k, 1] * EA[1, l] + Q[k, 2] * EA[2, l]
        for i in range(n):
            value = 0.0
            for l in range(3):
                value += T[k, l] * L.frame_modes[at + (3 + l) * n + i]
            W.frame_TB[at + (3 + k) * n + i] = value


@jit
def move_frame(L, W, f, alpha, v):
    """Evaluate velocity, angular velocity and bias accelerations of frame ``f``, with ``place_frame`` done before."""
    b = L.frame_body[f]
    vel, w, acc, wacc = W.frame_v[f], W.frame_w[f], W.frame_a[f], W.frame_b[f]
    if b < 0:
        for k in range(3):
            vel[k] = w[k] = acc[k] = wacc[k] = 0.0
        return
    n, first, Q, p = L.body_modes[b], L.v_at[b], W.Q[b], W.frame_p[f]
    omega, rate = v[first + 3 : first + 6], v[first + 6 : first + 6 + n]
    drift, spin, product, second = np.zeros(3), np.zeros(3), np.empty(3), np.empty(3)
    bias, turning = np.zeros(3), np.zeros(3)
    if n > 0:
        at, a = L.frame_at[f], L.alpha_at[b]
        theta, thetadot = np.zeros(3), np.zeros(3)
        for k in range(3):
            for i in range(n):
                drift[k] += L.frame_modes[at + k * n + i] * rate[i]
                spin[k] += W.frame_TB[at + (3 + k) * n + i] * rate[i]
                theta[k] += L.frame_modes[at + (3 + k) * n + i] * alpha[a + i]
                thetadot[k] += L.frame_modes[at + (3 + k) * n + i] * rate[i]
        tangent_rate(theta, thetadot, turning)
        cross(omega, spin, product)
        for k in range(3):
            turning[k] += product[k]
    cross(omega, p, product)
    cross(omega, product, bias)
    for k in range(3):
        product[k] += drift[k]
        spin[k] += omega[k]
    turn(Q, product, vel)
    cross(omega, drift, second)
    for k in range(3):
        vel[k] += v[first + k]
        bias[k] += 2.0 * second[k]
    turn(Q, spin, w)
    turn(Q, bias, acc)
    turn(Q, turning, wacc)


@jit
def load_on_frame(L, W, f, force, moment, out):
    """``out = (frame Jacobian)^T (force, moment)`` for inertial components at frame ``f``, (6 + N,)."""
    b = L.frame_body[f]
    if b < 0:
        return
    n, Q, p = L.body_modes[b], W.Q[b], W.frame_p[f]
    local, twist, arm = np.empty(3), np.empty(3), np.empty(3)
    turn_back(Q, force, local)
    turn_back(Q, moment, twist)
    cross(p, local, arm)
    for k in range(3):
        out[k] = force[k]
        out[3 + k] = arm[k] + twist[k]
    at = L.frame_at[f]
    for i in range(n):
        value = 0.0
        for k in range(3):
            value += L.frame_modes[at + k * n + i] * local[k] + W.frame_TB[at + (3 + k) * n + i] * twist[k]
        out[6 + i] = value

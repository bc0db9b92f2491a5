"""Frames on bodies: pose, twist, bias acceleration, and loads mapped to generalized forces.

A frame rides on a material point: ``r = c + Q p``, axes ``Q exp(theta~) A``. Joints and forces see nothing else of
a body. With second-order terms (geometric stiffening, see :mod:`modal.stiffening`)::

    p     = x + Phi alpha + alpha' GF alpha / 2     Pi = Phi + GF alpha     p.     = Pi alpha.
    theta = B alpha + alpha' GM alpha / 2           Th = B + GM alpha       theta. = Th alpha.

GF and GM are kept as a few terms, each a symmetric S (N, N) and a direction: a straight beam in a plane has one.
(Loops over frames are inside the functions: passing the arrays of a system to a compiled function costs about as
much as one frame.)
"""

import numpy as np

from fem.common.jit import inner, jit

from .rotation import cross, dot3, exponential, tangent_coefficients, tangent_rate, turn, turn_back


@jit(inline="always")
def bend_frame(L, W, f, a, p, theta):
    """Add the terms of second order to ``p`` and ``theta``, and ``GF alpha`` to Pi; leave ``S alpha`` in ``W.term``."""
    n = a.size
    at = L.frame_at[f]
    for i in range(3 * n):
        W.frame_rows[at + i] = L.frame_modes[at + i]
    for m in range(L.frame_term_at[f], L.frame_term_at[f + 1]):
        S, row = L.term_at[m], L.term_row[m]
        half = 0.0
        for i in range(n):
            value = 0.0
            for j in range(n):
                value += L.term_value[S + i * n + j] * a[j]
            W.term[row + i] = value
            half += 0.5 * a[i] * value
        for k in range(3):
            p[k] += L.term_direction[m, k] * half
            theta[k] += L.term_direction[m, 3 + k] * half
            for i in range(n):
                W.frame_rows[at + k * n + i] += L.term_direction[m, k] * W.term[row + i]


@jit(inline="always")
def move_terms(L, W, f, a, rate, theta, thetadot, bias, turning):
    """Add the terms of second order to ``theta`` and its rate, and what ``alpha.`` alone accelerates."""
    n = a.size
    for m in range(L.frame_term_at[f], L.frame_term_at[f + 1]):
        S, row = L.term_at[m], L.term_row[m]
        half, first, second = 0.0, 0.0, 0.0
        for i in range(n):
            half += 0.5 * a[i] * W.term[row + i]
            first += rate[i] * W.term[row + i]
            value = 0.0
            for j in range(n):
                value += L.term_value[S + i * n + j] * rate[j]
            second += rate[i] * value
        for k in range(3):
            theta[k] += L.term_direction[m, 3 + k] * half
            thetadot[k] += L.term_direction[m, 3 + k] * first
            bias[k] += L.term_direction[m, k] * second
            turning[k] += L.term_direction[m, 3 + k] * second


@inner
def place_frames(L, W, c, alpha):
    """Evaluate position, axes, ``Pi`` and ``T Th`` of all frames."""
    theta, E, T, EA = np.empty(3), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    column = np.empty(3)
    for f in range(L.frame_body.size):
        b = L.frame_body[f]
        p, r, R, A, x = W.frame_p[f], W.frame_r[f], W.frame_R[f], L.frame_A[f], L.frame_x[f]
        if b < 0:
            for k in range(3):
                p[k] = r[k] = x[k]
                for l in range(3):
                    R[k, l] = A[k, l]
            continue
        n, Q = L.body_modes[b], W.Q[b]
        for k in range(3):
            p[k] = x[k]
            for l in range(3):
                EA[k, l] = A[k, l]
        if n > 0:
            at, first = L.frame_at[f], L.alpha_at[b]
            for k in range(3):
                theta[k] = 0.0
                for i in range(n):
                    p[k] += L.frame_modes[at + k * n + i] * alpha[first + i]
                    theta[k] += L.frame_modes[at + (3 + k) * n + i] * alpha[first + i]
            first_term, last_term = L.frame_term_at[f], L.frame_term_at[f + 1]
            if last_term > first_term:
                bend_frame(L, W, f, alpha[first : first + n], p, theta)
            exponential(theta, E, T)
            for k in range(3):
                for l in range(3):
                    EA[k, l] = E[k, 0] * A[0, l] + E[k, 1] * A[1, l] + E[k, 2] * A[2, l]
            for i in range(n):
                for l in range(3):
                    column[l] = L.frame_modes[at + (3 + l) * n + i]
                for m in range(first_term, last_term):
                    for l in range(3):
                        column[l] += L.term_direction[m, 3 + l] * W.term[L.term_row[m] + i]
                for k in range(3):
                    W.frame_rows[at + (3 + k) * n + i] = dot3(T[k], column)
        turn(Q, p, r)
        for k in range(3):
            r[k] += c[b, k]
            for l in range(3):
                R[k, l] = Q[k, 0] * EA[0, l] + Q[k, 1] * EA[1, l] + Q[k, 2] * EA[2, l]


@inner
def move_frames(L, W, alpha, v, with_bias):
    """Evaluate velocity, angular velocity and, if wanted, bias accelerations of all frames.

    Needs :func:`place_frames`.
    """
    scratch = np.empty((10, 3))
    drift, spin, product, second = scratch[0], scratch[1], scratch[2], scratch[3]
    bias, turning, theta, thetadot = scratch[4], scratch[5], scratch[6], scratch[7]
    pull, twist = scratch[8], scratch[9]
    for f in range(L.frame_body.size):
        b = L.frame_body[f]
        vel, w, acc, wacc = W.frame_v[f], W.frame_w[f], W.frame_a[f], W.frame_b[f]
        if b < 0:
            for k in range(3):
                vel[k] = w[k] = acc[k] = wacc[k] = 0.0
            continue
        n, first, Q, p = L.body_modes[b], L.v_at[b], W.Q[b], W.frame_p[f]
        omega, rate = v[first + 3 : first + 6], v[first + 6 : first + 6 + n]
        for k in range(3):
            drift[k] = spin[k] = turning[k] = theta[k] = thetadot[k] = pull[k] = twist[k] = 0.0
        if n > 0:
            at, a = L.frame_at[f], L.alpha_at[b]
            for k in range(3):
                for i in range(n):
                    drift[k] += W.frame_rows[at + k * n + i] * rate[i]
                    spin[k] += W.frame_rows[at + (3 + k) * n + i] * rate[i]
        cross(omega, p, product)
        for k in range(3):
            bias[k] = product[k] + drift[k]
        turn(Q, bias, vel)
        for k in range(3):
            vel[k] += v[first + k]
            bias[k] = omega[k] + spin[k]
        turn(Q, bias, w)
        if not with_bias:
            continue
        if n > 0:
            for k in range(3):
                for i in range(n):
                    theta[k] += L.frame_modes[at + (3 + k) * n + i] * alpha[a + i]
                    thetadot[k] += L.frame_modes[at + (3 + k) * n + i] * rate[i]
            if L.frame_term_at[f + 1] > L.frame_term_at[f]:
                move_terms(L, W, f, alpha[a : a + n], rate, theta, thetadot, pull, twist)
            tangent_rate(theta, thetadot, turning)
            # T twist, with the left tangent T = I + s theta~ + q theta~^2
            _, s, q, _, _ = tangent_coefficients(theta)
            cross(theta, twist, bias)
            cross(theta, bias, second)
            for k in range(3):
                turning[k] += twist[k] + s * bias[k] + q * second[k]
            cross(omega, spin, bias)
            for k in range(3):
                turning[k] += bias[k]
        cross(omega, product, bias)
        cross(omega, drift, second)
        for k in range(3):
            bias[k] += 2.0 * second[k] + pull[k]
        turn(Q, bias, acc)
        turn(Q, turning, wacc)


@jit(inline="always")
def load_on_frame(L, W, f, force, moment, scratch, out):
    """``out = (frame Jacobian)^T (force, moment)`` for inertial components at frame ``f``, (6 + N,).

    ``scratch`` (3, 3); the frame must be on a body, not on the ground.
    """
    n = L.body_modes[L.frame_body[f]]
    Q = W.Q[L.frame_body[f]]
    local, twist, arm = scratch[0], scratch[1], scratch[2]
    turn_back(Q, force, local)
    turn_back(Q, moment, twist)
    cross(W.frame_p[f], local, arm)
    for k in range(3):
        out[k] = force[k]
        out[3 + k] = arm[k] + twist[k]
    at = L.frame_at[f]
    for i in range(n):
        value = 0.0
        for k in range(3):
            value += W.frame_rows[at + k * n + i] * local[k] + W.frame_rows[at + (3 + k) * n + i] * twist[k]
        out[6 + i] = value

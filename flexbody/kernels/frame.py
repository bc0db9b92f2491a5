"""Frames on bodies: pose, twist, bias acceleration, and loads mapped to generalized forces.

A frame rides on a material point: ``r = c + Q p``, axes ``Q exp(theta~) A``. Joints and forces see nothing else of
a body. With second-order terms (geometric stiffening, see :mod:`modal.stiffening`)::

    p     = x + Phi alpha + alpha' GF alpha / 2     Pi = Phi + GF alpha     p.     = Pi alpha.
    theta = B alpha + alpha' GM alpha / 2           Th = B + GM alpha       theta. = Th alpha.

GF and GM are kept as a few terms, each a symmetric S (N, N) and a direction: a straight beam in a plane has one.
(Loops over frames are inside the functions: passing the arrays of a system to a compiled function costs about as
much as one frame.)
"""

from fem.common.jit import jit

from .lean import lean
from .rotation import cross, exponential_of, tangent_coefficients, tangent_rate, turn_back


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


@jit(inline="always")
def carry(L, W, c, b, f, A):
    """Position and axes of frame ``f`` from ``W.frame_p`` and its axes ``A[f]`` in the body's base."""
    Q = W.Q
    x, y, z = W.frame_p[f, 0], W.frame_p[f, 1], W.frame_p[f, 2]
    for k in range(3):
        W.frame_r[f, k] = c[b, k] + Q[b, k, 0] * x + Q[b, k, 1] * y + Q[b, k, 2] * z
    for l in range(3):
        x, y, z = A[f, 0, l], A[f, 1, l], A[f, 2, l]
        for k in range(3):
            W.frame_R[f, k, l] = Q[b, k, 0] * x + Q[b, k, 1] * y + Q[b, k, 2] * z


@lean
def place_bent(L, W, c, alpha, b, f):
    """Evaluate position, axes, ``Pi`` and ``T Th`` of frame ``f`` on the flexible body ``b``."""
    theta, column, mapped = W.scratch[0:3], W.scratch[3:6], W.scratch[6:9]
    n, at, first = L.body_modes[b], L.frame_at[f], L.alpha_at[b]
    p = W.frame_p[f]
    for k in range(3):
        p[k], theta[k] = L.frame_x[f, k], 0.0
        for i in range(n):
            p[k] += L.frame_modes[at + k * n + i] * alpha[first + i]
            theta[k] += L.frame_modes[at + (3 + k) * n + i] * alpha[first + i]
    first_term, last_term = L.frame_term_at[f], L.frame_term_at[f + 1]
    if last_term > first_term:
        bend_frame(L, W, f, alpha[first : first + n], p, theta)
    sine, second, third, _, _ = tangent_coefficients(theta)
    for l in range(3):
        exponential_of(second, third, sine, theta, L.frame_A[f, :, l], W.frame_R[f, :, l], mapped)
    for i in range(n):
        for l in range(3):
            column[l] = L.frame_modes[at + (3 + l) * n + i]
            for m in range(first_term, last_term):
                column[l] += L.term_direction[m, 3 + l] * W.term[L.term_row[m] + i]
        exponential_of(second, third, sine, theta, column, column, mapped)
        for k in range(3):
            W.frame_rows[at + (3 + k) * n + i] = mapped[k]
    carry(L, W, c, b, f, W.frame_R)


@lean
def place_frames(L, W, c, alpha):
    """Evaluate position, axes, ``Pi`` and ``T Th`` of all frames."""
    for f in range(L.frame_body.size):
        b = L.frame_body[f]
        if b < 0:
            for k in range(3):
                W.frame_p[f, k] = W.frame_r[f, k] = L.frame_x[f, k]
                for l in range(3):
                    W.frame_R[f, k, l] = L.frame_A[f, k, l]
        elif L.body_modes[b] == 0:
            for k in range(3):
                W.frame_p[f, k] = L.frame_x[f, k]
            carry(L, W, c, b, f, L.frame_A)
        else:
            place_bent(L, W, c, alpha, b, f)


@lean
def move_frames(L, W, alpha, v, with_bias):
    """Evaluate velocity, angular velocity and, if wanted, bias accelerations of all frames.

    Needs :func:`place_frames`.
    """
    Q = W.Q
    for f in range(L.frame_body.size):
        b = L.frame_body[f]
        if b < 0:
            for k in range(3):
                W.frame_v[f, k] = W.frame_w[f, k] = W.frame_a[f, k] = W.frame_b[f, k] = 0.0
            continue
        n, first = L.body_modes[b], L.v_at[b]
        x, y, z = v[first + 3], v[first + 4], v[first + 5]
        p0, p1, p2 = W.frame_p[f, 0], W.frame_p[f, 1], W.frame_p[f, 2]
        # omega x p, and what alpha. adds to velocity and rotation
        u0, u1, u2 = y * p2 - z * p1, z * p0 - x * p2, x * p1 - y * p0
        d0, d1, d2, s0, s1, s2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        at = L.frame_at[f]
        for i in range(n):
            rate = v[first + 6 + i]
            d0 += W.frame_rows[at + i] * rate
            d1 += W.frame_rows[at + n + i] * rate
            d2 += W.frame_rows[at + 2 * n + i] * rate
            s0 += W.frame_rows[at + 3 * n + i] * rate
            s1 += W.frame_rows[at + 4 * n + i] * rate
            s2 += W.frame_rows[at + 5 * n + i] * rate
        t0, t1, t2, w0, w1, w2 = u0 + d0, u1 + d1, u2 + d2, x + s0, y + s1, z + s2
        for k in range(3):
            W.frame_v[f, k] = v[first + k] + Q[b, k, 0] * t0 + Q[b, k, 1] * t1 + Q[b, k, 2] * t2
            W.frame_w[f, k] = Q[b, k, 0] * w0 + Q[b, k, 1] * w1 + Q[b, k, 2] * w2
        if not with_bias:
            continue
        u0, u1, u2 = u0 + 2.0 * d0, u1 + 2.0 * d1, u2 + 2.0 * d2
        t0, t1, t2 = y * u2 - z * u1, z * u0 - x * u2, x * u1 - y * u0
        w0, w1, w2 = y * s2 - z * s1, z * s0 - x * s2, x * s1 - y * s0
        if n > 0:
            pull, turning = W.scratch[0:3], W.scratch[3:6]
            turn_of_rates(L, W, b, f, alpha, v, pull, turning)
            t0, t1, t2 = t0 + pull[0], t1 + pull[1], t2 + pull[2]
            w0, w1, w2 = w0 + turning[0], w1 + turning[1], w2 + turning[2]
        for k in range(3):
            W.frame_a[f, k] = Q[b, k, 0] * t0 + Q[b, k, 1] * t1 + Q[b, k, 2] * t2
            W.frame_b[f, k] = Q[b, k, 0] * w0 + Q[b, k, 1] * w1 + Q[b, k, 2] * w2


@lean
def turn_of_rates(L, W, b, f, alpha, v, pull, turning):
    """``pull`` and ``turning`` = what ``alpha.`` alone accelerates at frame ``f``, in components of Q."""
    theta, thetadot, twist = W.scratch[6:9], W.scratch[9:12], W.scratch[12:15]
    first, second = W.scratch[15:18], W.scratch[18:21]
    n, at, a, r = L.body_modes[b], L.frame_at[f], L.alpha_at[b], L.v_at[b] + 6
    for k in range(3):
        theta[k] = thetadot[k] = pull[k] = twist[k] = 0.0
        for i in range(n):
            theta[k] += L.frame_modes[at + (3 + k) * n + i] * alpha[a + i]
            thetadot[k] += L.frame_modes[at + (3 + k) * n + i] * v[r + i]
    if L.frame_term_at[f + 1] > L.frame_term_at[f]:
        move_terms(L, W, f, alpha[a : a + n], v[r : r + n], theta, thetadot, pull, twist)
    tangent_rate(theta, thetadot, turning)
    # T twist, with the left tangent T = I + s theta~ + q theta~^2
    _, s, q, _, _ = tangent_coefficients(theta)
    cross(theta, twist, first)
    cross(theta, first, second)
    for k in range(3):
        turning[k] += twist[k] + s * first[k] + q * second[k]


@jit(inline="always")
def add_load(L, W, f, b, loads, k, out, at):
    """Add ``(frame Jacobian)^T`` (force, moment) at frame ``f`` on body ``b`` to ``out`` from ``at`` on.

    The load is ``loads[k]`` (2, 3), inertial.
    """
    Q = W.Q
    x, y, z = loads[k, 0, 0], loads[k, 0, 1], loads[k, 0, 2]
    u, v, w = loads[k, 1, 0], loads[k, 1, 1], loads[k, 1, 2]
    out[at] += x
    out[at + 1] += y
    out[at + 2] += z
    f0, f1, f2 = (
        Q[b, 0, 0] * x + Q[b, 1, 0] * y + Q[b, 2, 0] * z,
        Q[b, 0, 1] * x + Q[b, 1, 1] * y + Q[b, 2, 1] * z,
        Q[b, 0, 2] * x + Q[b, 1, 2] * y + Q[b, 2, 2] * z,
    )
    m0, m1, m2 = (
        Q[b, 0, 0] * u + Q[b, 1, 0] * v + Q[b, 2, 0] * w,
        Q[b, 0, 1] * u + Q[b, 1, 1] * v + Q[b, 2, 1] * w,
        Q[b, 0, 2] * u + Q[b, 1, 2] * v + Q[b, 2, 2] * w,
    )
    x, y, z = W.frame_p[f, 0], W.frame_p[f, 1], W.frame_p[f, 2]
    out[at + 3] += y * f2 - z * f1 + m0
    out[at + 4] += z * f0 - x * f2 + m1
    out[at + 5] += x * f1 - y * f0 + m2
    n, row = L.body_modes[b], L.frame_at[f]
    for i in range(n):
        out[at + 6 + i] += (
            W.frame_rows[row + i] * f0
            + W.frame_rows[row + n + i] * f1
            + W.frame_rows[row + 2 * n + i] * f2
            + W.frame_rows[row + 3 * n + i] * m0
            + W.frame_rows[row + 4 * n + i] * m1
            + W.frame_rows[row + 5 * n + i] * m2
        )


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

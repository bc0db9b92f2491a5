"""Joint coordinates: scalar functions of two frames, with gradients, rates and continuous angles.

With ``e_a(1)`` an axis of the first frame and ``e_b(2)`` one of the second:

* TRANSLATION  ``e_a(1) . (r_2 - r_1)``
* ROTATION     ``atan2(e_a . e_c, e_b . e_c)``: a, b axes of the hosting frame, c one of the other frame
* TILT         ``asin(e_a(1) . e_b(2))``, the middle one of three Bryant angles, Sol (2.2.18)
* LENGTH       ``|r_2 - r_1|``

Rotations are continuous over many turns: ``turns_of`` holds, for each, the angle around which it is taken (half a
turn to either side), and angle and rate at the last accepted step. An integrator calls :func:`expect_turns` before
it tries a step, :func:`measure_turns` of a step that it may accept, and :func:`count_turns` once it has.

Coordinates that rows and forces use come first, and are evaluated wherever these are; the other angles of joints are
only counted, so that every angle in a result has its turns however far apart states are stored.
"""

import math

import numpy as np

from fem.common.jit import inner

from .arrays import LENGTH, ROTATION, TILT, TRANSLATION
from .lean import lean, lean_entry
from .packed import coordinate_values, coordinates_of, current, directions_of, turns_of
from .rotation import cross, dot3


@inner
def place_coordinates(L, W):
    """Evaluate the coordinates that are used, with derivatives by r_first, theta_first, r_second, theta_second."""
    d, other, normal = np.empty(3), np.empty(3), np.empty(3)
    table, values, now, directions, turn = (
        coordinates_of(L), coordinate_values(L), current(W), directions_of(W), turns_of(W.more),
    )  # fmt: skip
    for k in range(now.size):
        kind, i, j = table[k, 0], table[k, 1], table[k, 2]
        a, b, c, host = table[k, 3], table[k, 4], table[k, 5], table[k, 6]
        sign, g = values[k, 0], directions[k]
        R1, R2 = W.frame_R[i], W.frame_R[j]
        if kind in (TRANSLATION, LENGTH):
            for l in range(3):
                d[l] = W.frame_r[j, l] - W.frame_r[i, l]
            value = dot3(R1[:, a], d) if kind == TRANSLATION else math.sqrt(dot3(d, d))
            for l in range(3):
                g[2, l] = R1[l, a] if kind == TRANSLATION else d[l] / value
                g[0, l] = -g[2, l]
                g[1, l] = g[3, l] = 0.0
            if kind == TRANSLATION:
                cross(R1[:, a], d, g[1])
        else:
            if kind == TILT:
                y = dot3(R1[:, a], R2[:, b])
                value = math.asin(min(max(y, -1.0), 1.0))
                cross(R2[:, b], R1[:, a], normal)
                factor = 1.0 / math.sqrt(max(1.0 - y * y, 1e-300))
            else:
                H, O = (R1, R2) if host == 0 else (R2, R1)
                y, x = dot3(H[:, a], O[:, c]), dot3(H[:, b], O[:, c])
                value = math.atan2(y, x)
                cross(O[:, c], H[:, a], normal)
                cross(O[:, c], H[:, b], other)
                for l in range(3):
                    normal[l] = x * normal[l] - y * other[l]
                factor = (1.0 if host == 0 else -1.0) / (x * x + y * y)
            factor *= sign
            for l in range(3):
                g[0, l] = g[2, l] = 0.0
                g[3, l] = factor * normal[l]
                g[1, l] = -g[3, l]
        value = sign * value - values[k, 1]
        if kind == ROTATION:
            value -= 2.0 * math.pi * np.rint((value - turn[k, 0]) / (2.0 * math.pi))
        now[k] = value


@inner
def coordinate_rate(L, W, k):
    """Return the rate of coordinate ``k``; needs ``move_frames``."""
    table = coordinates_of(L)
    g, i, j = directions_of(W)[k], table[k, 1], table[k, 2]
    return (
        dot3(g[0], W.frame_v[i])
        + dot3(g[1], W.frame_w[i])
        + dot3(g[2], W.frame_v[j])
        + dot3(g[3], W.frame_w[j])
    )


@lean
def turning(W, i, j, a, b, c, host):
    """Return a ROTATION within half a turn, its rate by the directions' rates as the hosting frame sees them, and
    the square of the sine between the axis that turns and the one turned about: one but for Bryant angles."""
    h, o = (i, j) if host == 0 else (j, i)
    R, w = W.frame_R, W.frame_w
    o0, o1, o2 = R[o, 0, c], R[o, 1, c], R[o, 2, c]
    s0, s1, s2 = w[o, 0] - w[h, 0], w[o, 1] - w[h, 1], w[o, 2] - w[h, 2]
    v0, v1, v2 = s1 * o2 - s2 * o1, s2 * o0 - s0 * o2, s0 * o1 - s1 * o0
    y = R[h, 0, a] * o0 + R[h, 1, a] * o1 + R[h, 2, a] * o2
    x = R[h, 0, b] * o0 + R[h, 1, b] * o1 + R[h, 2, b] * o2
    ydot = R[h, 0, a] * v0 + R[h, 1, a] * v1 + R[h, 2, a] * v2
    xdot = R[h, 0, b] * v0 + R[h, 1, b] * v1 + R[h, 2, b] * v2
    square = x * x + y * y
    return math.atan2(y, x), (x * ydot - y * xdot) / max(square, 1e-20), square


@lean_entry
def expect_turns(L, W, dt):
    """Take angles around what they would be a time ``dt`` after the last accepted step."""
    turn = turns_of(W.more)
    for k in range(turn.shape[0]):
        turn[k, 0] = turn[k, 1] + dt * turn[k, 2]


@lean_entry
def measure_turns(L, W, dt):
    """Measure all coordinates a time ``dt`` after the last accepted step; needs ``place`` and ``move`` (or ``drift``).

    Returns whether turns are counted for sure: the rate of no angle about a joint's own axis changes so much in this
    time that it might lie half a turn from where the mean of both rates leads.
    """
    table, sign, turn, now = coordinates_of(L), coordinate_values(L), turns_of(W.more), current(W)
    sure = True
    for k in range(turn.shape[0]):
        square = 0.0
        if k < now.size:
            value, rate = now[k], coordinate_rate(L, W, k)
            if table[k, 0] == ROTATION:
                g = directions_of(W)[k, 3]
                square = 1.0 / dot3(g, g)
        else:
            value, rate, square = turning(
                W, table[k, 1], table[k, 2], table[k, 3], table[k, 4], table[k, 5], table[k, 6]
            )
            value, rate = sign[k, 0] * value, sign[k, 0] * rate
            expected = turn[k, 1] + 0.5 * dt * (turn[k, 2] + rate)
            value += 2.0 * math.pi * np.rint((expected - value) / (2.0 * math.pi))
        # (where Bryant angles end, no step is short enough)
        if square > 0.99 and abs(dt * (rate - turn[k, 2])) > math.pi:
            sure = False
        turn[k, 3], turn[k, 4] = value, rate
    return sure


@lean_entry
def count_turns(L, W):
    """Keep angles and rates as measured last: their state is accepted."""
    turn = turns_of(W.more)
    for k in range(turn.shape[0]):
        turn[k, 0] = turn[k, 1] = turn[k, 3]
        turn[k, 2] = turn[k, 4]


@inner
def riding(e, w, bias, first, second):
    """Write first and second time derivative of a vector ``e`` that rides on a frame, the latter for zero ``vdot``."""
    turned = np.empty(3)
    cross(w, e, first)
    cross(w, first, second)
    cross(bias, e, turned)
    for l in range(3):
        second[l] += turned[l]


@inner
def product_bias(W, i, j, a, b):
    """Return value, rate and bias of the second derivative of ``e_a(i) . e_b(j)``."""
    e, f = W.frame_R[i][:, a], W.frame_R[j][:, b]
    edot, fdot, eddot, fddot = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    riding(e, W.frame_w[i], W.frame_b[i], edot, eddot)
    riding(f, W.frame_w[j], W.frame_b[j], fdot, fddot)
    bias = dot3(eddot, f) + 2.0 * dot3(edot, fdot) + dot3(e, fddot)
    return dot3(e, f), dot3(edot, f) + dot3(e, fdot), bias


@inner
def translation_bias(W, i, j, a):
    """Return the bias of the second derivative of ``e_a(i) . (r_j - r_i)``."""
    e, edot, eddot = W.frame_R[i][:, a], np.empty(3), np.empty(3)
    riding(e, W.frame_w[i], W.frame_b[i], edot, eddot)
    value = 0.0
    for l in range(3):
        value += eddot[l] * (W.frame_r[j, l] - W.frame_r[i, l])
        value += 2.0 * edot[l] * (W.frame_v[j, l] - W.frame_v[i, l])
        value += e[l] * (W.frame_a[j, l] - W.frame_a[i, l])
    return value


@inner
def coordinate_bias(L, W, k):
    """Return the second time derivative of coordinate ``k`` for zero ``vdot``; needs ``place`` and ``move``."""
    table = coordinates_of(L)
    kind, i, j = table[k, 0], table[k, 1], table[k, 2]
    a, b, c, host = table[k, 3], table[k, 4], table[k, 5], table[k, 6]
    if kind == TRANSLATION:
        value = translation_bias(W, i, j, a)
    elif kind == LENGTH:
        square, first, second, along = 0.0, 0.0, 0.0, 0.0
        for l in range(3):
            d, v = W.frame_r[j, l] - W.frame_r[i, l], W.frame_v[j, l] - W.frame_v[i, l]
            square += d * d
            first += d * v
            second += v * v
            along += d * (W.frame_a[j, l] - W.frame_a[i, l])
        length = math.sqrt(square)
        value = (second + along - (first / length) ** 2) / length
    elif kind == TILT:
        y, ydot, yddot = product_bias(W, i, j, a, b)
        cosine2 = max(1.0 - y * y, 1e-300)
        value = (yddot + y * ydot * ydot / cosine2) / math.sqrt(cosine2)
    else:
        h, o = (i, j) if host == 0 else (j, i)
        y, ydot, yddot = product_bias(W, h, o, a, c)
        x, xdot, xddot = product_bias(W, h, o, b, c)
        square = x * x + y * y
        rate = (x * ydot - y * xdot) / square
        value = (x * yddot - y * xddot - 2.0 * rate * (x * xdot + y * ydot)) / square
    return coordinate_values(L)[k, 0] * value

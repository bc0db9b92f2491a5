"""Rows of users' own constraints: functions of time and of any number of frames, recorded or called back.

Inputs of a function: the time, then for each frame ``r`` (3), ``R`` (9), and for constraints of velocities ``v`` (3)
and ``w`` (3), all inertial.
"""

import numpy as np

from fem.common.jit import inner, jit

from .arrays import HOLONOMIC
from .call import call_law
from .packed import constants_of, legs_of, rows_of, slopes_of, tapes_of
from .rotation import cross
from .tape import along, gradient

#: inputs for each frame: r, R, v, w; and what a function that is called back gets beyond them: biases of v and w
WIDTH, BIASES = 18, 6


@jit
def seeds_of(x, holonomic, out):
    """``out`` (n, 6 legs + 1) = derivatives of inputs by (r, theta) of each frame and by time.

    Of a constraint of velocities by (v, w) instead.
    """
    out[:, :] = 0.0
    unit, turned = np.zeros(3), np.empty(3)
    for leg in range(x.size // WIDTH):
        at, column = 1 + WIDTH * leg, 6 * leg
        for k in range(3):
            if not holonomic:
                out[at + 12 + k, column + k] = 1.0
                out[at + 15 + k, column + 3 + k] = 1.0
                continue
            out[at + k, column + k] = 1.0
            unit[:] = 0.0
            unit[k] = 1.0
            for axis in range(3):
                cross(unit, x[at + 3 + axis : at + 12 : 3], turned)
                for l in range(3):
                    out[at + 3 + 3 * l + axis, column + 3 + k] = turned[l]
    if holonomic:
        out[0, out.shape[1] - 1] = 1.0


@jit
def path_of(x, biases, first, second):
    """``first``, ``second`` = derivatives of inputs by time for zero ``vdot``; ``biases`` (legs, 2, 3) of v and w."""
    first[:] = 0.0
    second[:] = 0.0
    first[0] = 1.0
    e, turned, again = np.empty(3), np.empty(3), np.empty(3)
    for leg in range(x.size // WIDTH):
        at = 1 + WIDTH * leg
        w = x[at + 15 : at + 18]
        for k in range(3):
            first[at + k], second[at + k] = x[at + 12 + k], biases[leg, 0, k]
            first[at + 12 + k], first[at + 15 + k] = biases[leg, 0, k], biases[leg, 1, k]
        for axis in range(3):
            e[:] = x[at + 3 + axis : at + 12 : 3]
            cross(w, e, turned)
            for l in range(3):
                first[at + 3 + 3 * l + axis] = turned[l]
            cross(w, turned, again)
            cross(biases[leg, 1], e, turned)
            for l in range(3):
                second[at + 3 + 3 * l + axis] = again[l] + turned[l]


@inner
def user_inputs(L, W, k, t, moving, x):
    """Fill the inputs ``x`` of row ``k``, velocities zero unless ``moving``."""
    x[0] = t
    rows, legs = rows_of(L), legs_of(L)
    first = rows[k, 0]
    for leg in range(rows[k + 1, 0] - first):
        f, at = legs[first + leg], 1 + WIDTH * leg
        for l in range(3):
            x[at + l] = W.frame_r[f, l]
            x[at + 12 + l] = W.frame_v[f, l] if moving else 0.0
            x[at + 15 + l] = W.frame_w[f, l] if moving else 0.0
            for m in range(3):
                x[at + 3 + 3 * l + m] = W.frame_R[f, l, m]


@inner
def user_row(L, W, k, t):
    """Return value and partial time derivative of row ``k``; its derivatives by the frames go to ``slopes_of``."""
    rows = rows_of(L)
    first, legs = rows[k, 0], rows[k + 1, 0] - rows[k, 0]
    size = 1 + WIDTH * legs
    if rows[k, 3] != 0:
        # [0] 0 asks for the gradient; inputs; then value, gradient
        buffer = np.zeros(1 + size + BIASES * legs + 1 + 6 * legs + 1)
        user_inputs(L, W, k, t, False, buffer[1 : 1 + size])
        call_law(rows[k, 3], t, buffer)  # type: ignore[call-arg]
        out = buffer[1 + size + BIASES * legs :]
        value, slope = out[0], out[1:]
    else:
        x, seeds, slope = np.empty(size), np.empty((size, 6 * legs + 1)), np.empty(6 * legs + 1)
        user_inputs(L, W, k, t, False, x)
        seeds_of(x, L.row_kind[k] == HOLONOMIC, seeds)
        start, stop = rows[k, 2], rows[k + 1, 2]
        value = gradient(tapes_of(L)[start:stop], constants_of(L)[start:stop], x, seeds, slope)
    slopes = slopes_of(W)
    for leg in range(legs):
        for l in range(3):
            slopes[first + leg, 0, l] = slope[6 * leg + l]
            slopes[first + leg, 1, l] = slope[6 * leg + 3 + l]
    if L.row_kind[k] == HOLONOMIC:
        return value, slope[6 * legs]
    return 0.0, value  # nothing is held but velocities


@inner
def user_bias(L, W, k, t):
    """Return the second time derivative of row ``k`` for zero ``vdot`` (of a constraint of velocities the first)."""
    rows = rows_of(L)
    first, legs = rows[k, 0], rows[k + 1, 0] - rows[k, 0]
    size = 1 + WIDTH * legs
    biases, frames = np.empty((legs, 2, 3)), legs_of(L)
    for leg in range(legs):
        for l in range(3):
            biases[leg, 0, l] = W.frame_a[frames[first + leg], l]
            biases[leg, 1, l] = W.frame_b[frames[first + leg], l]
    if rows[k, 3] != 0:
        buffer = np.zeros(1 + size + BIASES * legs + 1 + 6 * legs + 1)
        buffer[0] = 1.0
        user_inputs(L, W, k, t, True, buffer[1 : 1 + size])
        buffer[1 + size : 1 + size + BIASES * legs] = biases.ravel()
        call_law(rows[k, 3], t, buffer)  # type: ignore[call-arg]
        return buffer[1 + size + BIASES * legs]
    x, one, two = np.empty(size), np.empty(size), np.empty(size)
    user_inputs(L, W, k, t, True, x)
    path_of(x, biases, one, two)
    start, stop = rows[k, 2], rows[k + 1, 2]
    _, rate, acceleration = along(tapes_of(L)[start:stop], constants_of(L)[start:stop], x, one, two)
    return acceleration if L.row_kind[k] == HOLONOMIC else rate

"""Constraint rows: residual, Jacobian in terms of the frames' motion, and acceleration bias.

Three primitive rows are enough for most joints; ``a`` and ``b`` are axes of the first and second frame:

* POINT     ``e_a . (r_2 - r_1) - s(t) = 0``
* ATTITUDE  ``e_a(1) . e_b(2) = 0``
* ANGLE     ``sin(angle - phi(t)) = 0``, the angle about ``e_z(1)`` from ``e_x(1)`` to ``e_x(2)``

Others act on any number of frames, their legs: sums of joint coordinates (COUPLING) and users' own constraints.
"""

import math

import numpy as np

from fem.common.jit import inner

from .arrays import ANGLE, COUPLING, POINT
from .call import call_law
from .coordinate import coordinate_bias, product_bias, translation_bias
from .lean import lean
from .packed import current, directions_of, factors_of, parts_of, rows_of, slopes_of
from .user import user_bias, user_row


@lean
def drive_value(L, d, t, out):
    """``out = (value, rate, acceleration)`` of drive ``d`` at time ``t``."""
    if L.drive_law[d] != 0:
        call_law(L.drive_law[d], t, out)  # type: ignore[call-arg]
    else:
        out[0] = L.drive_value[d, 0] + L.drive_value[d, 1] * t
        out[1] = L.drive_value[d, 1]
        out[2] = 0.0


@lean
def evaluate_rows(L, W, t):
    """Residuals, time derivatives and frame directions of all rows, scaled to metres; needs ``place_frames``.

    Written out in scalars: views of arrays cost more than the arithmetic.
    """
    R, r, g, drive = W.frame_R, W.frame_r, W.direction, W.scratch[:3]
    for k in range(L.row_kind.size):
        kind = L.row_kind[k]
        if kind >= COUPLING:
            continue
        i, j = L.row_frame[k, 0], L.row_frame[k, 1]
        a, b = L.row_frame[k, 2], L.row_frame[k, 3]
        value, rate = 0.0, 0.0
        if L.row_frame[k, 4] >= 0:
            drive_value(L, L.row_frame[k, 4], t, drive)
            value, rate = drive[0], drive[1]
        scale = L.row_scale[k]
        if kind == POINT:
            x, y, z = r[j, 0] - r[i, 0], r[j, 1] - r[i, 1], r[j, 2] - r[i, 2]
            e0, e1, e2 = scale * R[i, 0, a], scale * R[i, 1, a], scale * R[i, 2, a]
            W.phi[k] = e0 * x + e1 * y + e2 * z - scale * value
            W.phi_t[k] = -scale * rate
            g[k, 0, 0], g[k, 0, 1], g[k, 0, 2] = -e0, -e1, -e2
            g[k, 1, 0], g[k, 1, 1], g[k, 1, 2] = e1 * z - e2 * y, e2 * x - e0 * z, e0 * y - e1 * x
            g[k, 2, 0], g[k, 2, 1], g[k, 2, 2] = e0, e1, e2
            g[k, 3, 0] = g[k, 3, 1] = g[k, 3, 2] = 0.0
            continue
        if kind == ANGLE:
            # sin(angle - value): the axes of the first frame turned by the value
            cosine, sine = scale * math.cos(value), scale * math.sin(value)
            f0, f1, f2 = R[j, 0, 0], R[j, 1, 0], R[j, 2, 0]
            e0 = cosine * R[i, 0, 1] - sine * R[i, 0, 0]
            e1 = cosine * R[i, 1, 1] - sine * R[i, 1, 0]
            e2 = cosine * R[i, 2, 1] - sine * R[i, 2, 0]
            along = f0 * (sine * R[i, 0, 1] + cosine * R[i, 0, 0])
            along += f1 * (sine * R[i, 1, 1] + cosine * R[i, 1, 0])
            along += f2 * (sine * R[i, 2, 1] + cosine * R[i, 2, 0])
            W.phi_t[k] = -rate * along
        else:
            f0, f1, f2 = R[j, 0, b], R[j, 1, b], R[j, 2, b]
            e0, e1, e2 = scale * R[i, 0, a], scale * R[i, 1, a], scale * R[i, 2, a]
            W.phi_t[k] = 0.0
        W.phi[k] = e0 * f0 + e1 * f1 + e2 * f2
        n0, n1, n2 = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
        g[k, 0, 0] = g[k, 0, 1] = g[k, 0, 2] = 0.0
        g[k, 1, 0], g[k, 1, 1], g[k, 1, 2] = n0, n1, n2
        g[k, 2, 0] = g[k, 2, 1] = g[k, 2, 2] = 0.0
        g[k, 3, 0], g[k, 3, 1], g[k, 3, 2] = -n0, -n1, -n2


@inner
def legged_row(L, W, k, t, drive):
    """Residual, time derivative and the legs' directions of row ``k``, of the kinds from COUPLING on."""
    rows, slopes = rows_of(L), slopes_of(W)
    first, last, scale = rows[k, 0], rows[k + 1, 0], L.row_scale[k]
    if L.row_kind[k] == COUPLING:
        value, rate = -drive[0], -drive[1]
        slopes[first:last] = 0.0
        parts, factors, directions = parts_of(L), factors_of(L), directions_of(W)
        for p in range(rows[k, 1], rows[k + 1, 1]):
            c, factor = parts[p, 0], factors[p]
            value += factor * current(W)[c]
            for side in range(2):
                leg = first + parts[p, 1 + side]
                for m in range(2):
                    for l in range(3):
                        slopes[leg, m, l] += factor * directions[c, 2 * side + m, l]
    else:
        value, rate = user_row(L, W, k, t)
    W.phi[k], W.phi_t[k] = scale * value, scale * rate
    for leg in range(first, last):
        for m in range(2):
            for l in range(3):
                slopes[leg, m, l] *= scale
    for m in range(2):
        for l in range(3):
            W.direction[k, m, l] = slopes[first, m, l]
            W.direction[k, 2 + m, l] = slopes[last - 1, m, l]


@inner
def place_legged(L, W, t):
    """Evaluate all rows of the kinds from COUPLING on.

    Apart from the others: calls within their loops would cost more than the rows themselves.
    """
    drive = np.zeros(3)
    for k in range(L.row_kind.size):
        if L.row_kind[k] >= COUPLING:
            drive[0] = drive[1] = 0.0
            if L.row_frame[k, 4] >= 0:
                drive_value(L, L.row_frame[k, 4], t, drive)
            legged_row(L, W, k, t, drive)


@inner
def legged_bias(L, W, k, t):
    """Return what :func:`row_bias` does, for rows of the kinds from COUPLING on."""
    if L.row_kind[k] != COUPLING:
        return L.row_scale[k] * user_bias(L, W, k, t)
    drive = np.zeros(3)
    if L.row_frame[k, 4] >= 0:
        drive_value(L, L.row_frame[k, 4], t, drive)
    value = -drive[2]
    rows, parts, factors = rows_of(L), parts_of(L), factors_of(L)
    for p in range(rows[k, 1], rows[k + 1, 1]):
        value += factors[p] * coordinate_bias(L, W, parts[p, 0])
    return L.row_scale[k] * value


@inner
def row_bias(L, W, k, t):
    """Return the second time derivative of row ``k`` for zero ``vdot``: ``Phi.. = G vdot + bias``.

    Needs ``move_frame`` of both frames.
    """
    i, j = L.row_frame[k, 0], L.row_frame[k, 1]
    drive = np.zeros(3)
    if L.row_frame[k, 4] >= 0:
        drive_value(L, L.row_frame[k, 4], t, drive)
    scale = L.row_scale[k]
    if L.row_kind[k] == POINT:
        return scale * (translation_bias(W, i, j, L.row_frame[k, 2]) - drive[2])
    if L.row_kind[k] == ANGLE:
        cosine, sine, rate = math.cos(drive[0]), math.sin(drive[0]), drive[1]
        y, ydot, yddot = product_bias(W, i, j, 1, 0)
        x, xdot, xddot = product_bias(W, i, j, 0, 0)
        value = cosine * yddot - sine * xddot - 2.0 * rate * (sine * ydot + cosine * xdot)
        value -= drive[2] * (sine * y + cosine * x) + rate * rate * (cosine * y - sine * x)
        return scale * value
    _, _, bias = product_bias(W, i, j, L.row_frame[k, 2], L.row_frame[k, 3])
    return scale * bias

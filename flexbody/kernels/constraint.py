"""Constraint rows: residual, Jacobian in terms of the frames' motion, and acceleration bias.

Three primitive rows are enough for every joint here; ``a`` and ``b`` are axes of the first and second frame:

* POINT     ``e_a . (r_2 - r_1) - s(t) = 0``
* ATTITUDE  ``e_a(1) . e_b(2) = 0``
* ANGLE     ``sin(angle - phi(t)) = 0``, the angle about ``e_z(1)`` from ``e_x(1)`` to ``e_x(2)``
"""

import math

import numpy as np

from fem.common.jit import inner

from .arrays import ANGLE, POINT
from .call import call_law
from .frame import load_on_frame
from .rotation import cross, dot3


@inner
def drive_value(L, d, t, out):
    """``out = (value, rate, acceleration)`` of drive ``d`` at time ``t``."""
    if L.drive_law[d] != 0:
        call_law(L.drive_law[d], t, out)  # type: ignore[call-arg]
    else:
        out[0] = L.drive_value[d, 0] + L.drive_value[d, 1] * t
        out[1] = L.drive_value[d, 1]
        out[2] = 0.0


@inner
def evaluate_rows(L, W, t):
    """Residuals, time derivatives and frame directions of all rows, scaled to metres; needs ``place_frames``."""
    drive, normal, other = np.empty(3), np.empty(3), np.empty(3)
    for k in range(L.row_kind.size):
        i, j = L.row_frame[k, 0], L.row_frame[k, 1]
        a, b = L.row_axis[k, 0], L.row_axis[k, 1]
        R1, R2, g = W.frame_R[i], W.frame_R[j], W.direction[k]
        drive[0] = drive[1] = 0.0
        if L.row_drive[k] >= 0:
            drive_value(L, L.row_drive[k], t, drive)
        scale = L.row_scale[k]
        if L.row_kind[k] == POINT:
            x = W.frame_r[j, 0] - W.frame_r[i, 0]
            y = W.frame_r[j, 1] - W.frame_r[i, 1]
            z = W.frame_r[j, 2] - W.frame_r[i, 2]
            e0, e1, e2 = scale * R1[0, a], scale * R1[1, a], scale * R1[2, a]
            W.phi[k] = e0 * x + e1 * y + e2 * z - scale * drive[0]
            W.phi_t[k] = -scale * drive[1]
            g[0, 0], g[0, 1], g[0, 2] = -e0, -e1, -e2
            g[1, 0], g[1, 1], g[1, 2] = e1 * z - e2 * y, e2 * x - e0 * z, e0 * y - e1 * x
            g[2, 0], g[2, 1], g[2, 2] = e0, e1, e2
            g[3, 0] = g[3, 1] = g[3, 2] = 0.0
            continue
        if L.row_kind[k] == ANGLE:
            cosine, sine = math.cos(drive[0]), math.sin(drive[0])
            y_x, x_x = dot3(R1[:, 1], R2[:, 0]), dot3(R1[:, 0], R2[:, 0])
            W.phi[k] = scale * (cosine * y_x - sine * x_x)
            W.phi_t[k] = -scale * drive[1] * (sine * y_x + cosine * x_x)
            cross(R1[:, 1], R2[:, 0], normal)
            cross(R1[:, 0], R2[:, 0], other)
            for l in range(3):
                normal[l] = cosine * normal[l] - sine * other[l]
        else:
            W.phi[k] = scale * dot3(R1[:, a], R2[:, b])
            W.phi_t[k] = 0.0
            cross(R1[:, a], R2[:, b], normal)
        for l in range(3):
            g[0, l] = g[2, l] = 0.0
            g[1, l] = scale * normal[l]
            g[3, l] = -scale * normal[l]


@inner
def row_blocks(L, W, start, stop):
    """Write the Jacobian blocks of rows (and springs) start..stop for their bodies' velocities into ``W.G``."""
    scratch = np.empty((3, 3))
    rows = L.row_kind.size
    for k in range(start, stop):
        for side in range(2):
            b = L.row_body[k, side]
            if b >= 0:
                at = L.row_at[k, side]
                f = L.row_frame[k, side] if k < rows else L.spring_frame[k - rows, side]
                out = W.G[at : at + 6 + L.body_modes[b]]
                load_on_frame(L, W, f, W.direction[k, 2 * side], W.direction[k, 2 * side + 1], scratch, out)


@inner
def second_derivative(e, w, bias, out):
    """``out`` = second time derivative of a vector ``e`` that rides on a frame, for zero ``vdot``."""
    first, second = np.empty(3), np.empty(3)
    cross(w, e, first)
    cross(w, first, out)
    cross(bias, e, second)
    for l in range(3):
        out[l] += second[l]


@inner
def product_bias(W, i, j, a, b):
    """Return value, rate and bias of the second derivative of ``e_a(i) . e_b(j)``."""
    e, f = W.frame_R[i][:, a], W.frame_R[j][:, b]
    edot, fdot, eddot, fddot = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    cross(W.frame_w[i], e, edot)
    cross(W.frame_w[j], f, fdot)
    second_derivative(e, W.frame_w[i], W.frame_b[i], eddot)
    second_derivative(f, W.frame_w[j], W.frame_b[j], fddot)
    bias = dot3(eddot, f) + 2.0 * dot3(edot, fdot) + dot3(e, fddot)
    return dot3(e, f), dot3(edot, f) + dot3(e, fdot), bias


@inner
def row_bias(L, W, k, t):
    """Return the second time derivative of row ``k`` for zero ``vdot``: ``Phi.. = G vdot + bias``.

    Needs ``move_frame`` of both frames.
    """
    i, j = L.row_frame[k, 0], L.row_frame[k, 1]
    drive = np.zeros(3)
    if L.row_drive[k] >= 0:
        drive_value(L, L.row_drive[k], t, drive)
    scale = L.row_scale[k]
    if L.row_kind[k] == POINT:
        e = W.frame_R[i][:, L.row_axis[k, 0]]
        edot, eddot = np.empty(3), np.empty(3)
        cross(W.frame_w[i], e, edot)
        second_derivative(e, W.frame_w[i], W.frame_b[i], eddot)
        value = -drive[2]
        for l in range(3):
            value += eddot[l] * (W.frame_r[j, l] - W.frame_r[i, l])
            value += 2.0 * edot[l] * (W.frame_v[j, l] - W.frame_v[i, l])
            value += e[l] * (W.frame_a[j, l] - W.frame_a[i, l])
        return scale * value
    if L.row_kind[k] == ANGLE:
        cosine, sine, rate = math.cos(drive[0]), math.sin(drive[0]), drive[1]
        y, ydot, yddot = product_bias(W, i, j, 1, 0)
        x, xdot, xddot = product_bias(W, i, j, 0, 0)
        value = cosine * yddot - sine * xddot - 2.0 * rate * (sine * ydot + cosine * xdot)
        value -= drive[2] * (sine * y + cosine * x) + rate * rate * (cosine * y - sine * x)
        return scale * value
    _, _, bias = product_bias(W, i, j, L.row_axis[k, 0], L.row_axis[k, 1])
    return scale * bias

"""Energetic and active connections: deformations of an element, its law, and the loads on its frames.

An element has deformations ``x`` (one, or six between two frames), rates ``x.`` and directions ``g`` with
``x. = g . (v_first, w_first, v_second, w_second)``; its law gives forces ``F`` against growing deformations, and the
loads on the frames are ``-F g``: in balance and independent of rigid motion, because ``x`` is (Sol 3.4).

A law may have states, ``z. = f(t, x, x., z)`` (Sol 3.5.3). ``Work.scheme[0]`` tells how they are found:

* GIVEN    ``z`` is what the integrator says
* STEPPED  ``z - kappa f(z) = known``: what an implicit step makes of the state equation, solved element by element
* RELAXED  ``f(z) = 0``

so that an element with states enters Newton's iteration as one without, its stiffness and damping included.
"""

import math

import numpy as np

from fem.common.jit import inner, jit

from .arrays import ALONG, GIVEN, LINE, RELAXED, STEPPED
from .call import call_force_law, call_law
from .element_memory import element_direction, element_power, element_x, element_z
from .frame import load_on_frame
from .packed import current, directions_of
from .rotation import cross, dot3, tangent_coefficients, turn_back

#: columns of ``Layout.element``
GEOMETRY, FIRST, SECOND, AT, COUNT, STATE_AT, STATES, LAW, VALUE_AT, INPUT, COORDINATE = range(11)
#: cosine of the largest relative rotation of an element between two frames: 177 degrees
TURNED = -0.9986
#: smaller states count as zero: they come of a Newton's iteration that leads to zero, and have no digits in the end
TINY = 1e-200


@inner
def rotation_vector(R, out):
    """``out`` = rotation vector of ``R``, NaN where it has turned by (nearly) half a turn; returns its length."""
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    out[0], out[1], out[2] = 0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])
    sine = math.sqrt(dot3(out, out))
    angle = math.atan2(sine, cosine)
    factor = angle / sine if sine > 1e-8 else 1.0
    if not cosine > TURNED:
        factor = np.nan
    for k in range(3):
        out[k] *= factor
    return angle


@inner
def between(W, i, j, x, g):
    """Six deformations between two frames and their directions.

    ``u = R_m^T (r_2 - r_1)`` and ``theta = log(R_1^T R_2)``, with ``R_m = R_1 exp(theta~/2)`` half way between both
    frames, so that neither is preferred. With ``d = r_2 - r_1`` and ``p = theta`` in inertial components::

        theta.  = R_1^T (w_2 - w_1) - theta x (...)/2 + ...      (inverse of the left tangent of exp)
        w_m     = (w_1 + w_2)/2 - tan(|p|/4)/|p| p x (w_2 - w_1)/2
        u_k.    = e_k . (v_2 - v_1) + (e_k x d) . w_m,           e_k the axes of R_m
    """
    scratch = np.empty((6, 3))
    d, theta, half, p, first, second = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5]
    R1, R2 = W.frame_R[i], W.frame_R[j]
    R, Rm = np.empty((3, 3)), np.empty((3, 3))
    for k in range(3):
        d[k] = W.frame_r[j, k] - W.frame_r[i, k]
        for l in range(3):
            R[k, l] = R1[0, k] * R2[0, l] + R1[1, k] * R2[1, l] + R1[2, k] * R2[2, l]
    angle = rotation_vector(R, theta)
    for k in range(3):
        half[k] = 0.5 * theta[k]
        p[k] = R1[k, 0] * theta[0] + R1[k, 1] * theta[1] + R1[k, 2] * theta[2]
    sine, cosine, _, _, _ = tangent_coefficients(half)
    for k in range(3):  # the column e_k of exp(theta~/2), turned by R1
        d_k = R1[:, k]
        cross(p, d_k, first)
        cross(p, first, second)
        for l in range(3):
            Rm[l, k] = d_k[l] + 0.5 * sine * first[l] + 0.25 * cosine * second[l]
    turn_back(Rm, d, x[:3])
    # 1/t^2 (1 - t/2 cot t/2) and tan(t/4)/t
    if angle > 1e-3:
        c = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / (angle * angle)
        tau = math.tan(0.25 * angle) / angle
    else:
        c, tau = 1.0 / 12.0 + angle * angle / 720.0, 0.25 + angle * angle / 192.0
    for k in range(3):
        x[3 + k] = theta[k]
        e, a = Rm[:, k], R1[:, k]
        cross(e, d, first)
        cross(first, p, second)
        for l in range(3):
            g[k, 0, l], g[k, 2, l] = -e[l], e[l]
            g[k, 1, l] = 0.5 * (first[l] + tau * second[l])
            g[k, 3, l] = 0.5 * (first[l] - tau * second[l])
        cross(p, a, first)
        cross(p, first, second)
        for l in range(3):
            g[3 + k, 0, l] = g[3 + k, 2, l] = 0.0
            g[3 + k, 3, l] = a[l] + 0.5 * first[l] + c * second[l]
            g[3 + k, 1, l] = -g[3 + k, 3, l]


@inner
def evaluate_elements(L, W):
    """Deformations, rates and directions of all elements; needs ``place_frames`` and ``move_frames``."""
    xs, gs = element_x(W.element), element_direction(W.element)
    for e in range(L.element.shape[0]):
        i, j, at, m = L.element[e, FIRST], L.element[e, SECOND], L.element[e, AT], L.element[e, COUNT]
        x, g = xs[0, at : at + m], gs[at : at + m]
        if L.element[e, GEOMETRY] == LINE:
            length = 0.0
            for l in range(3):
                g[0, 2, l] = W.frame_r[j, l] - W.frame_r[i, l]
                length += g[0, 2, l] ** 2
            x[0] = math.sqrt(length)
            for l in range(3):
                g[0, 2, l] /= x[0]
                g[0, 0, l] = -g[0, 2, l]
                g[0, 1, l] = g[0, 3, l] = 0.0
        elif L.element[e, GEOMETRY] == ALONG:
            x[0] = current(W)[L.element[e, COORDINATE]]
            g[0] = directions_of(W)[L.element[e, COORDINATE]]
        else:
            between(W, i, j, x, g)
        for k in range(m):
            x[k] -= L.element_value[L.element[e, VALUE_AT] + 1 + k]
            xs[1, at + k] = (
                dot3(g[k, 0], W.frame_v[i])
                + dot3(g[k, 1], W.frame_w[i])
                + dot3(g[k, 2], W.frame_v[j])
                + dot3(g[k, 3], W.frame_w[j])
            )


@inner
def solve_small(A, b):
    """Solve ``A x = b`` in place by elimination with row exchanges; a singular matrix gives NaN."""
    n = b.size
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            b[k], b[best] = b[best], b[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]
            b[i] -= factor * b[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= A[k, j] * b[j]
        b[k] /= A[k, k]


@inner
def apply_law(L, W, e, t, u, mode, kappa, x, rate, z, out):
    """Call the law of element ``e``; its states ``z`` are found as ``mode`` says.

    ``out`` = forces (m,), state rates (nz,), stored energy (J), dissipated and input power (W).
    """
    m, nz, address = L.element[e, COUNT], L.element[e, STATES], L.element[e, LAW]
    p = L.element_value[L.element[e, VALUE_AT] + 1 + m :]
    call_force_law(address, t, u, x, rate, z, p, out)  # type: ignore[call-arg]
    if nz == 0 or mode == GIVEN:
        return
    known = element_z(W.element)[2, L.element[e, STATE_AT] :]
    A, b, moved, near, top = np.empty((nz, nz)), np.empty(nz), z.copy(), np.empty(out.size), np.abs(z)
    for _ in range(30):
        for i in range(nz):
            size = max(abs(z[i]), abs(known[i]), abs(kappa * out[m + i]))
            h = 1e-7 * size if size > TINY else 1e-7
            for _ in range(100):
                moved[i] = z[i] + h
                call_force_law(address, t, u, x, rate, moved, p, near)  # type: ignore[call-arg]
                change, largest = 0.0, 0.0
                for k in range(m, m + nz):
                    change, largest = max(change, abs(near[k] - out[k])), max(largest, abs(out[k]))
                # a state near zero says nothing of the size of its changes
                if not change < 1e-11 * largest:
                    break
                h *= 1e3
            moved[i] = z[i]
            for k in range(nz):
                slope = (near[m + k] - out[m + k]) / h
                A[k, i] = (1.0 if k == i else 0.0) - kappa * slope if mode == STEPPED else -slope
        for i in range(nz):
            b[i] = known[i] + kappa * out[m + i] - z[i] if mode == STEPPED else out[m + i]
        solve_small(A, b)
        done = True
        for i in range(nz):
            z[i] = z[i] + b[i] if abs(z[i] + b[i]) > TINY else 0.0
            moved[i] = z[i]
            # differences leave a factor of 1e-7 of each correction; a state that goes to zero has no size of its own
            top[i] = max(top[i], abs(z[i]))
            done = done and abs(b[i]) <= 1e-8 * abs(z[i]) + 1e-14 * top[i] + TINY
        call_force_law(address, t, u, x, rate, z, p, out)  # type: ignore[call-arg]
        if done:
            return
        if not math.isfinite(b[0]):
            break
    # a limit cycle of round-off is none: what is left is small against the state
    for i in range(nz):
        if not abs(b[i]) <= 1e-6 * abs(z[i]) + 1e-12 * top[i] + TINY:
            out[0] = np.nan
            z[i] = 0.0  # the next evaluation begins anew


@inner
def element_input(L, e, t, u):
    """``u[0]`` = the input of element ``e`` (a voltage, a pressure, ...) at time ``t``."""
    if L.element[e, INPUT] != 0:
        call_law(L.element[e, INPUT], t, u)  # type: ignore[call-arg]
    else:
        u[0] = L.element_value[L.element[e, VALUE_AT]]


@jit
def evaluate_laws(L, W, t):
    """Forces, states and powers of all elements; needs :func:`evaluate_elements`."""
    xs, zs, powers = element_x(W.element), element_z(W.element), element_power(W.element)
    u = np.zeros(3)
    W.element[2] = t
    for e in range(L.element.shape[0]):
        at, m = L.element[e, AT], L.element[e, COUNT]
        first, nz = L.element[e, STATE_AT], L.element[e, STATES]
        out = np.empty(m + nz + 3)
        element_input(L, e, t, u)
        x, rate, z = (
            xs[0, at : at + m],
            xs[1, at : at + m],
            zs[0, first : first + nz],
        )
        apply_law(L, W, e, t, u, W.element[0], W.element[1], x, rate, z, out)
        finite = True
        for k in range(m + nz):
            finite = finite and math.isfinite(out[k])
        for k in range(m):
            xs[2, at + k] = out[k]
        # what follows from one that was not finite is not its cause
        i, j = L.element[e, FIRST], L.element[e, SECOND]
        cause = W.frame_r[i, 0] + W.frame_r[j, 0] + W.frame_v[i, 0] + W.frame_v[j, 0]
        if not finite and math.isfinite(cause):
            W.element[6], W.element[7], W.element[8], W.element[9] = t, e + 1.0, x[0], rate[0]
        for k in range(nz):
            zs[1, first + k] = out[m + k]
        for k in range(3):
            powers[e, k] = out[m + nz + k]


@jit
def relax(L, W, e, t):
    """Bring the states of element ``e`` to where they stay; needs :func:`evaluate_elements`."""
    xs, zs = element_x(W.element), element_z(W.element)
    u, at, m = np.zeros(3), L.element[e, AT], L.element[e, COUNT]
    first, nz = L.element[e, STATE_AT], L.element[e, STATES]
    out = np.empty(m + nz + 3)
    element_input(L, e, t, u)
    x, rate, z = (
        xs[0, at : at + m],
        xs[1, at : at + m],
        zs[0, first : first + nz],
    )
    apply_law(L, W, e, t, u, RELAXED, 0.0, x, rate, z, out)
    if not math.isfinite(out[0]):
        z[0] = np.nan


@inner
def add_elements(L, W):
    """Subtract the loads of all elements from ``W.residual`` and add their powers; needs :func:`evaluate_laws`."""
    xs, gs, powers = element_x(W.element), element_direction(W.element), element_power(W.element)
    scratch, force, moment = np.empty((3, 3)), np.empty(3), np.empty(3)
    for e in range(L.element.shape[0]):
        at, m = L.element[e, AT], L.element[e, COUNT]
        W.power[0] += powers[e, 1]
        W.power[1] += powers[e, 2]
        for side in range(2):
            f = L.element[e, FIRST + side]
            b = L.frame_body[f]
            if b < 0:
                continue
            for l in range(3):
                force[l] = moment[l] = 0.0
                for k in range(at, at + m):
                    force[l] += xs[2, k] * gs[k, 2 * side, l]
                    moment[l] += xs[2, k] * gs[k, 2 * side + 1, l]
            size, first = 6 + L.body_modes[b], L.v_at[b]
            out = np.empty(size)
            load_on_frame(L, W, f, force, moment, scratch, out)
            for l in range(size):
                W.residual[first + l] += out[l]


@inner
def tangents(L, W, damping, stiffness, compliance):
    """Stiffness of all elements in the iteration matrix, as rows: ``stiffness dF/dx + damping dF/dx.``.

    By differences of the law with its states as they follow. The six forces of an element between two frames give
    six rows that are combined so that each has its own compliance (``K = l d l^T``).
    """
    xs, gs, zs = element_x(W.element), element_direction(W.element), element_z(W.element)
    u, t = np.zeros(3), W.element[2]
    rows, springs = L.row_kind.size, L.spring_frame.shape[0]
    for e in range(L.element.shape[0]):
        at, m = L.element[e, AT], L.element[e, COUNT]
        first, nz = L.element[e, STATE_AT], L.element[e, STATES]
        out, K = np.empty(m + nz + 3), np.zeros((m, m))
        element_input(L, e, t, u)
        z = zs[0, first : first + nz].copy()
        for part in range(2):
            weight = stiffness if part == 0 else damping
            values = xs[:2, at : at + m].copy()
            for k in range(m):
                size = 1.0 if k >= 3 or L.element[e, GEOMETRY] == ALONG else L.length[0]
                h = 1e-7 * max(abs(values[part, k]), size)
                values[part, k] += h
                for i in range(nz):
                    z[i] = zs[0, first + i]
                apply_law(L, W, e, t, u, W.element[0], W.element[1], values[0], values[1], z, out)
                values[part, k] -= h
                for i in range(m):
                    K[i, k] += weight * (out[i] - xs[2, at + i]) / h
        combine_rows(
            gs[at : at + m],
            K,
            W.direction[rows + springs + at :],
            compliance[springs + at :],
        )


@inner
def combine_rows(g, K, direction, compliance):
    """Write the rows ``l^T g`` with compliances ``1/d`` of ``K = l d l^T``; what is not positive is left out."""
    m = K.shape[0]
    for i in range(m):
        for j in range(i):
            K[i, j] = 0.5 * (K[i, j] + K[j, i])
    for k in range(m):
        pivot, whole = K[k, k], K[k, k]
        for j in range(k):
            pivot -= K[k, j] * K[k, j] * K[j, j]
        good = pivot > 1e-12 * abs(whole)
        compliance[k] = 1.0 / pivot if good else -1.0
        K[k, k] = pivot if good else 0.0
        for side in range(4):
            for l in range(3):
                direction[k, side, l] = g[k, side, l]
        for i in range(k + 1, m):
            value = K[i, k]
            for j in range(k):
                value -= K[i, j] * K[k, j] * K[j, j]
            K[i, k] = value / pivot if good else 0.0
            for side in range(4):
                for l in range(3):
                    direction[k, side, l] += K[i, k] * g[i, side, l]

"""The equations of motion of one body, Koppens (2.30) and (2.46), rigid or flexible.

Unknowns are ``c..`` (inertial), ``omega.`` (components of Q) and ``alpha..``; rigid bodies have no ``alpha``.
"""

import numpy as np

from fem.common.jit import inner, jit

from .arrays import AXIAL, C1, C2, C3, C4, C5, C6, C7, C8, D, K
from .lean import lean
from .rotation import turn, write_matrix_of_euler


@jit(inline="always")
def coefficient(L, b, which, size):
    """Return the flat coefficients ``which`` (C1 .. D) of body ``b``."""
    at = L.coefficient_at[b, which]
    return L.coefficients[at : at + size]


@lean
def place_axial(L, W, b, a):
    """Leave the stretch s, the shortening h and T alpha of every axial mode of body ``b`` in ``W.axial``.

    The strain energy has ``s h + h^2 / 2`` more, ``s = d . alpha``, ``h = alpha' T alpha / 2`` (:mod:`modal.axial`).
    """
    n = a.size
    row = L.axial_at[b]
    at = L.coefficient_at[b, AXIAL]
    for _ in range(L.body_axial[b]):
        stretch, shortening = 0.0, 0.0
        for i in range(n):
            value = 0.0
            for j in range(n):
                value += L.coefficients[at + n + i * n + j] * a[j]
            W.axial[row + 2 + i] = value
            stretch += L.coefficients[at + i] * a[i]
            shortening += 0.5 * value * a[i]
        W.axial[row], W.axial[row + 1] = stretch, shortening
        row += 2 + n
        at += n + n * n


@lean
def axial_force(L, W, b, out):
    """Add the gradient ``d h + (s + h) T alpha`` of the axial modes' energy to ``out`` (N,); see place_axial."""
    n = out.size
    row = L.axial_at[b]
    at = L.coefficient_at[b, AXIAL]
    for _ in range(L.body_axial[b]):
        shortening = W.axial[row + 1]
        force = W.axial[row] + shortening
        for i in range(n):
            out[i] += L.coefficients[at + i] * shortening + force * W.axial[row + 2 + i]
        row += 2 + n
        at += n + n * n


@lean
def axial_matrix(L, W, b, stiffness, out):
    """Add ``stiffness`` times the second derivative of the axial modes' energy to ``out`` (6 + N, 6 + N)."""
    n = L.body_modes[b]
    row = L.axial_at[b]
    at = L.coefficient_at[b, AXIAL]
    for _ in range(L.body_axial[b]):
        force = W.axial[row] + W.axial[row + 1]
        for i in range(n):
            d, t = L.coefficients[at + i], W.axial[row + 2 + i]
            for j in range(n):
                other = W.axial[row + 2 + j]
                value = d * other + t * (L.coefficients[at + j] + other)
                value += force * L.coefficients[at + n + i * n + j]
                out[6 + i, 6 + j] += stiffness * value
        row += 2 + n
        at += n + n * n


@lean
def place_bodies(L, W, q, alpha):
    """Evaluate Q of all bodies, and of the flexible ones what changes with their deformation."""
    for b in range(L.body_mass.size):
        write_matrix_of_euler(q[b, 0], q[b, 1], q[b, 2], q[b, 3], W.Q, b)
        if L.body_modes[b] > 0:  # J and D1 of rigid bodies are constant, from Plan.work
            bend_body(L, W, b, alpha)


@lean
def bend_body(L, W, b, alpha):
    """Evaluate J (2.42), D1 (2.43), D2 (2.44) and D3 (2.45) of the flexible body ``b``."""
    n = L.body_modes[b]
    J, D1 = W.J[b], W.D1[b]
    c1 = coefficient(L, b, C1, 3)
    c3 = coefficient(L, b, C3, 9)
    for k in range(3):
        D1[k] = c1[k]
        for l in range(3):
            J[k, l] = c3[3 * k + l]
    first = L.alpha_at[b]
    a = alpha[first : first + n]
    if L.body_axial[b] > 0:
        place_axial(L, W, b, a)
    c4 = coefficient(L, b, C4, 9 * n)
    c5 = coefficient(L, b, C5, 9 * n * n)
    for i in range(n):
        for k in range(3):
            for l in range(3):
                at = 9 * i + 3 * k + l
                value = c4[at]
                for j in range(n):
                    value += c5[at * n + j] * a[j]
                W.D2[first + i, k, l] = value
    for i in range(n):
        for k in range(3):
            for l in range(3):
                J[k, l] += a[i] * (W.D2[first + i, k, l] + c4[9 * i + 3 * l + k])
    c7 = coefficient(L, b, C7, 3 * n * n)
    for i in range(n):
        for k in range(3):
            value = 0.0
            for j in range(n):
                value -= c7[(i * n + j) * 3 + k] * a[j]
            W.D3[first + i, k] = value
    if L.body_mean[b] == 0:
        c2 = coefficient(L, b, C2, 3 * n)
        c6 = coefficient(L, b, C6, 3 * n)
        for i in range(n):
            for k in range(3):
                D1[k] += a[i] * c2[3 * i + k]
                W.D3[first + i, k] += c6[3 * i + k]


@jit(inline="always")
def rigid_residual(L, W, b, v, vdot):
    """Write the residual of a rigid body, Newton's and Euler's equations, into ``W.residual``.

    Written out in scalars: views of arrays cost more than the arithmetic.
    """
    at, m, J = L.v_at[b], L.body_mass[b], W.J
    for k in range(3):
        W.residual[at + k] = m * (vdot[at + k] - L.gravity[k])
    x, y, z = v[at + 3], v[at + 4], v[at + 5]
    ax, ay, az = vdot[at + 3], vdot[at + 4], vdot[at + 5]
    hx = J[b, 0, 0] * x + J[b, 0, 1] * y + J[b, 0, 2] * z
    hy = J[b, 1, 0] * x + J[b, 1, 1] * y + J[b, 1, 2] * z
    hz = J[b, 2, 0] * x + J[b, 2, 1] * y + J[b, 2, 2] * z
    W.residual[at + 3] = J[b, 0, 0] * ax + J[b, 0, 1] * ay + J[b, 0, 2] * az + y * hz - z * hy
    W.residual[at + 4] = J[b, 1, 0] * ax + J[b, 1, 1] * ay + J[b, 1, 2] * az + z * hx - x * hz
    W.residual[at + 5] = J[b, 2, 0] * ax + J[b, 2, 1] * ay + J[b, 2, 2] * az + x * hy - y * hx


@jit(inline="always")
def rigid_matrix(L, W, b, mass):
    """Write the lower triangle of ``mass M`` of a rigid body into ``W.matrix``; entries that vanish are not read."""
    at = L.matrix_at[b]
    for k in range(3):
        W.matrix[at + 7 * k] = mass * L.body_mass[b]
        for l in range(k + 1):
            W.matrix[at + 6 * (3 + k) + 3 + l] = mass * W.J[b, k, l]


@jit(inline="always")
def rigid_rows(L, W, b, v, vdot, out, at):
    """Write the six rigid rows of (2.46), inertia minus gravity, without what ``alpha.`` and ``alpha..`` add."""
    Q, D1, J, m = W.Q, W.D1, W.J, L.body_mass[b]
    x, y, z, ax, ay, az = v[at + 3], v[at + 4], v[at + 5], vdot[at + 3], vdot[at + 4], vdot[at + 5]
    d0, d1, d2 = D1[b, 0], D1[b, 1], D1[b, 2]
    # centrifugal and tangential acceleration of the first moment, in components of Q
    along, spin = x * d0 + y * d1 + z * d2, x * x + y * y + z * z
    t0 = x * along - spin * d0 + ay * d2 - az * d1
    t1 = y * along - spin * d1 + az * d0 - ax * d2
    t2 = z * along - spin * d2 + ax * d1 - ay * d0
    s0, s1, s2 = vdot[at] - L.gravity[0], vdot[at + 1] - L.gravity[1], vdot[at + 2] - L.gravity[2]
    out[at] = m * s0 + Q[b, 0, 0] * t0 + Q[b, 0, 1] * t1 + Q[b, 0, 2] * t2
    out[at + 1] = m * s1 + Q[b, 1, 0] * t0 + Q[b, 1, 1] * t1 + Q[b, 1, 2] * t2
    out[at + 2] = m * s2 + Q[b, 2, 0] * t0 + Q[b, 2, 1] * t1 + Q[b, 2, 2] * t2
    l0 = Q[b, 0, 0] * s0 + Q[b, 1, 0] * s1 + Q[b, 2, 0] * s2
    l1 = Q[b, 0, 1] * s0 + Q[b, 1, 1] * s1 + Q[b, 2, 1] * s2
    l2 = Q[b, 0, 2] * s0 + Q[b, 1, 2] * s1 + Q[b, 2, 2] * s2
    hx = J[b, 0, 0] * x + J[b, 0, 1] * y + J[b, 0, 2] * z
    hy = J[b, 1, 0] * x + J[b, 1, 1] * y + J[b, 1, 2] * z
    hz = J[b, 2, 0] * x + J[b, 2, 1] * y + J[b, 2, 2] * z
    turn0 = J[b, 0, 0] * ax + J[b, 0, 1] * ay + J[b, 0, 2] * az
    turn1 = J[b, 1, 0] * ax + J[b, 1, 1] * ay + J[b, 1, 2] * az
    turn2 = J[b, 2, 0] * ax + J[b, 2, 1] * ay + J[b, 2, 2] * az
    out[at + 3] = turn0 + y * hz - z * hy + d1 * l2 - d2 * l1
    out[at + 4] = turn1 + z * hx - x * hz + d2 * l0 - d0 * l2
    out[at + 5] = turn2 + x * hy - y * hx + d0 * l1 - d1 * l0


@jit(inline="always")
def loose_rows(L, W, b, v, vdot, out, r):
    """Add what C2, which vanishes in a mean-displacement frame, adds to the residual of body ``b`` from ``r`` on."""
    n, Q, c2 = L.body_modes[b], W.Q, L.coefficient_at[b, C2]
    rate, accel, s = W.scratch[0:3], W.scratch[3:6], W.scratch[6:9]
    for k in range(3):
        rate[k] = accel[k] = s[k] = 0.0
        for l in range(3):
            s[k] += Q[b, l, k] * (vdot[r + l] - L.gravity[l])
    for i in range(n):
        for k in range(3):
            value = L.coefficients[c2 + 3 * i + k]
            rate[k] += v[r + 6 + i] * value
            accel[k] += vdot[r + 6 + i] * value
            out[r + 6 + i] += value * s[k]
    x, y, z = v[r + 3], v[r + 4], v[r + 5]
    accel[0] += 2.0 * (y * rate[2] - z * rate[1])
    accel[1] += 2.0 * (z * rate[0] - x * rate[2])
    accel[2] += 2.0 * (x * rate[1] - y * rate[0])
    for k in range(3):
        out[r + k] += Q[b, k, 0] * accel[0] + Q[b, k, 1] * accel[1] + Q[b, k, 2] * accel[2]


@lean
def body_residual(L, W, b, alpha, v, vdot, out):
    """Write ``M vdot + bias - gravity + K alpha + D alpha.`` of body ``b`` into its part of ``out`` (nv,).

    That is (2.46) without other loads; v and vdot (nv,), alpha (na,). Adds the power of damping to ``W.power[0]``.
    """
    r, n, first = L.v_at[b], L.body_modes[b], L.alpha_at[b]
    rigid_rows(L, W, b, v, vdot, out, r)
    x, y, z, ax, ay, az = v[r + 3], v[r + 4], v[r + 5], vdot[r + 3], vdot[r + 4], vdot[r + 5]
    c7, c8 = L.coefficient_at[b, C7], L.coefficient_at[b, C8]
    stiff, damp = L.coefficient_at[b, K], L.coefficient_at[b, D]
    C, D2, D3 = L.coefficients, W.D2, W.D3
    s0, s1, s2 = 0.0, 0.0, 0.0
    for i in range(n):
        f, rate, accel = first + i, 2.0 * v[r + 6 + i], vdot[r + 6 + i]
        p0 = D2[f, 0, 0] * x + D2[f, 0, 1] * y + D2[f, 0, 2] * z
        p1 = D2[f, 1, 0] * x + D2[f, 1, 1] * y + D2[f, 1, 2] * z
        p2 = D2[f, 2, 0] * x + D2[f, 2, 1] * y + D2[f, 2, 2] * z
        d0, d1, d2 = D3[f, 0], D3[f, 1], D3[f, 2]
        s0 += rate * p0 + accel * d0
        s1 += rate * p1 + accel * d1
        s2 += rate * p2 + accel * d2
        value = d0 * ax + d1 * ay + d2 * az - (x * p0 + y * p1 + z * p2)
        damped = 0.0
        for j in range(n):
            at = i * n + j
            other = v[r + 6 + j]
            damped += C[damp + at] * other
            value += C[c8 + at] * vdot[r + 6 + j] + C[stiff + at] * alpha[first + j]
            at = c7 + 3 * at
            value -= 2.0 * other * (x * C[at] + y * C[at + 1] + z * C[at + 2])
        out[r + 6 + i] = value + damped
        W.power[0] += v[r + 6 + i] * damped
    out[r + 3] += s0
    out[r + 4] += s1
    out[r + 5] += s2
    if L.body_axial[b] > 0:
        axial_force(L, W, b, out[r + 6 : r + 6 + n])
    if L.body_mean[b] == 0:
        loose_rows(L, W, b, v, vdot, out, r)


@lean
def body_matrix(L, W, b, mass, damping, stiffness, out):
    """``out = mass M + damping D + stiffness K`` of body ``b``, (6 + N, 6 + N), symmetric.

    K is the tangent at the position of ``place_body``, the axial modes' part included.
    """
    n, m = L.body_modes[b], L.body_mass[b]
    Q, D1, J = W.Q[b], W.D1[b], W.J[b]
    for k in range(3):
        for l in range(3):
            out[k, l] = 0.0
    for k in range(3):
        out[k, k] = mass * m
        # -Q D1~, column by column: Q (e_k x D1)
        x, y, z = 0.0, 0.0, 0.0
        if k == 0:
            y, z = -D1[2], D1[1]
        elif k == 1:
            x, z = D1[2], -D1[0]
        else:
            x, y = -D1[1], D1[0]
        for l in range(3):
            out[3 + k, 3 + l] = mass * J[k, l]
            value = mass * (Q[l, 0] * x + Q[l, 1] * y + Q[l, 2] * z)
            out[l, 3 + k] = value
            out[3 + k, l] = value
    if n == 0:
        return
    first = L.alpha_at[b]
    c2 = coefficient(L, b, C2, 3 * n)
    c8, stiff, damp = coefficient(L, b, C8, n * n), coefficient(L, b, K, n * n), coefficient(L, b, D, n * n)
    mean = L.body_mean[b]
    for i in range(n):
        for k in range(3):
            value = 0.0
            if mean == 0:
                value = mass * (Q[k, 0] * c2[3 * i] + Q[k, 1] * c2[3 * i + 1] + Q[k, 2] * c2[3 * i + 2])
            out[k, 6 + i] = value
            out[6 + i, k] = value
            out[3 + k, 6 + i] = out[6 + i, 3 + k] = mass * W.D3[first + i, k]
        for j in range(n):
            at = i * n + j
            out[6 + i, 6 + j] = mass * c8[at] + damping * damp[at] + stiffness * stiff[at]
    if L.body_axial[b] > 0 and stiffness != 0.0:
        axial_matrix(L, W, b, stiffness, out)


@inner
def body_energy(L, W, b, c, alpha, v):
    """Return kinetic, strain and gravity energy (J) of body ``b``, with ``place_body`` done before."""
    n = L.body_modes[b]
    size = 6 + n
    matrix = np.empty((size, size))
    body_matrix(L, W, b, 1.0, 0.0, 0.0, matrix)
    kinetic, strain = 0.0, 0.0
    for i in range(size):
        row = 0.0
        for j in range(size):
            row += matrix[i, j] * v[j]
        kinetic += 0.5 * v[i] * row
    first = L.alpha_at[b]
    stiff = coefficient(L, b, K, n * n)
    for i in range(n):
        for j in range(n):
            strain += 0.5 * alpha[first + i] * stiff[i * n + j] * alpha[first + j]
    row = L.axial_at[b]
    for _ in range(L.body_axial[b]):
        strain += W.axial[row + 1] * (W.axial[row] + 0.5 * W.axial[row + 1])
        row += 2 + n
    moment = np.empty(3)
    turn(W.Q[b], W.D1[b], moment)
    potential = 0.0
    for k in range(3):
        potential -= L.gravity[k] * (L.body_mass[b] * c[b, k] + moment[k])
    return kinetic, strain, potential

"""The equations of motion of one body, Koppens (2.30) and (2.46), rigid or flexible.

Unknowns are ``c..`` (inertial), ``omega.`` (components of Q) and ``alpha..``; rigid bodies have no ``alpha``.
"""

import numpy as np

from fem.common.jit import inner, jit

from .arrays import AXIAL, C1, C2, C3, C4, C5, C6, C7, C8, D, K
from .rotation import cross, dot3, turn, turn_back, write_matrix_of_euler


@jit(inline="always")
def coefficient(L, b, which, size):
    """Return the flat coefficients ``which`` (C1 .. D) of body ``b``."""
    at = L.coefficient_at[b, which]
    return L.coefficients[at : at + size]


@inner
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


@inner
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


@inner
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


@inner
def place_bodies(L, W, q, alpha):
    """Evaluate Q of all bodies, and of the flexible ones what changes with their deformation."""
    for b in range(L.body_mass.size):
        write_matrix_of_euler(q[b, 0], q[b, 1], q[b, 2], q[b, 3], W.Q, b)
        if L.body_modes[b] > 0:  # J and D1 of rigid bodies are constant, from Plan.work
            bend_body(L, W, b, alpha)


@inner
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
def rigid_rows(L, W, b, v, vdot, out):
    """The six rigid rows of (2.46), inertia minus gravity, without what ``alpha.`` and ``alpha..`` add."""
    Q, D1, J, m = W.Q[b], W.D1[b], W.J[b], L.body_mass[b]
    s, first, second, total = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    omega, omegadot = v[3:6], vdot[3:6]
    # centrifugal and tangential acceleration of the first moment, in components of Q
    cross(omega, D1, first)
    cross(omega, first, second)
    cross(omegadot, D1, first)
    for k in range(3):
        total[k] = second[k] + first[k]
        s[k] = vdot[k] - L.gravity[k]
    turn(Q, total, first)
    for k in range(3):
        out[k] = m * s[k] + first[k]
    turn_back(Q, s, first)
    cross(D1, first, total)
    turn(J, omega, first)
    cross(omega, first, second)
    turn(J, omegadot, first)
    for k in range(3):
        out[3 + k] = total[k] + second[k] + first[k]


@jit(inline="always")
def body_residual(L, W, b, alpha, v, vdot, out):
    """``out = M vdot + bias - gravity + K alpha + D alpha.`` of body ``b``, (6 + N,): (2.46) without other loads."""
    rigid_rows(L, W, b, v, vdot, out)
    n = L.body_modes[b]
    if n == 0:
        return
    first = L.alpha_at[b]
    omega, omegadot, rate, accel = v[3:6], vdot[3:6], v[6:], vdot[6:]
    a = alpha[first : first + n]
    c7 = coefficient(L, b, C7, 3 * n * n)
    c8, stiff, damp = coefficient(L, b, C8, n * n), coefficient(L, b, K, n * n), coefficient(L, b, D, n * n)
    spin, product, s, local = np.zeros(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(n):
        D2, D3 = W.D2[first + i], W.D3[first + i]
        turn(D2, omega, product)
        for k in range(3):
            spin[k] += 2.0 * rate[i] * product[k] + accel[i] * D3[k]
        value = dot3(D3, omegadot) - dot3(omega, product)
        for j in range(n):
            at = i * n + j
            value += c8[at] * accel[j] + stiff[at] * a[j] + damp[at] * rate[j]
            value -= (
                2.0
                * rate[j]
                * (omega[0] * c7[3 * at] + omega[1] * c7[3 * at + 1] + omega[2] * c7[3 * at + 2])
            )
        out[6 + i] = value
    if L.body_axial[b] > 0:
        axial_force(L, W, b, out[6:])
    for k in range(3):
        out[3 + k] += spin[k]
    if L.body_mean[b] == 0:
        c2 = coefficient(L, b, C2, 3 * n)
        Q = W.Q[b]
        sum_rate, sum_accel = np.zeros(3), np.zeros(3)
        for k in range(3):
            s[k] = vdot[k] - L.gravity[k]
        turn_back(Q, s, local)
        for i in range(n):
            for k in range(3):
                sum_rate[k] += rate[i] * c2[3 * i + k]
                sum_accel[k] += accel[i] * c2[3 * i + k]
                out[6 + i] += c2[3 * i + k] * local[k]
        cross(omega, sum_rate, product)
        for k in range(3):
            sum_accel[k] += 2.0 * product[k]
        turn(Q, sum_accel, product)
        for k in range(3):
            out[k] += product[k]


@inner
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

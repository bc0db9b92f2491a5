"""Friction that follows the reaction of its joint: normal forces from the multipliers, and solutions that heed them.

The tension along a joint coordinate is ``h(s) N + viscous s``, with the rate s and ``N`` of the joint's reaction
F, M on its second body. ``e`` is the axis of the motion, and two bearings stand ``length`` apart on it::

    N = arm (preload + |F/2 + e x M / length| + |F/2 - e x M / length|) + collar |e . F| + |e . M| / key

(of F and M across e in the bearings). Reactions are linear in the multipliers, so that a system
``A [x; lambda] + [B; 0] F = b`` with ``F = h N(lambda)`` is solved with the factors of A and one response to a unit of
each such force (B a column for each): Newton's method for as many unknowns as there are such elements.
"""

import math

import numpy as np

from fem.common.jit import inner, jit

from .arrays import RUB
from .coordinate import coordinate_rate
from .frame import add_load
from .lean import lean, lean_entry
from .linear import solve
from .packed import rub_records, rub_responses, rub_system, rubs

#: columns of ``Layout.spring_frame`` after those of other forces along a coordinate
FIRST_ROW, END_ROW, HOST, AXIS, PARTNER, NUMBER = range(4, 10)
#: columns of ``Layout.spring_value`` (stribeck, viscous and creep as for given friction)
MU, MU_STATIC, SLOW, VISCOUS, CREEP, PRELOAD, ARM, COLLAR, PER_LENGTH, PER_KEY, PARTNER_FACTOR = range(11)
#: columns of the records: N, h, N as counted in the residual, derivatives of N by the multipliers of the joint's rows
SIZE, SHARE, COUNTED, SLOPE = range(4)
#: iterations for the forces of all such elements, and what they may leave
ITERATIONS, ROUND_OFF = 50, 1e-14
#: of the reaction, what counts as no force in a bearing: its direction is round-off
ZERO = 1e-13


@jit(inline="always")
def cross_of(a, b):
    """Return ``a x b`` of tuples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit(inline="always")
def dot_of(a, b):
    """Return ``a . b`` of tuples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit(inline="always")
def sized(a, least):
    """Return the length of a tuple and its direction, nothing where it is no longer than ``least``."""
    size = math.sqrt(dot_of(a, a))
    one = 1.0 / size if size > least else 0.0
    return size, (one * a[0], one * a[1], one * a[2])


@inner
def partner_rate(L, W, s):
    """Return the rate of the joint's other coordinate along which it slides at the same place, as one of this."""
    partner = L.spring_frame[s, PARTNER]
    return 0.0 if partner < 0 else L.spring_value[s, PARTNER_FACTOR] * coordinate_rate(L, W, partner)


@inner
def share_of(L, W, s):
    """Return ``h``: what the coordinate takes of N; its derivative by the rate."""
    value, rate, other = L.spring_value[s], W.spring_length[s, 1], partner_rate(L, W, s)
    slip = math.sqrt(rate * rate + other * other)
    size = value[MU] + (value[MU_STATIC] - value[MU]) * math.exp(-((slip / value[SLOW]) ** 2))
    part = math.tanh(slip / value[CREEP])
    if slip == 0.0:
        return 0.0, size / value[CREEP]
    along, across = (rate / slip) ** 2, (other / slip) ** 2
    return size * part * rate / slip, size * (
        (1.0 - part * part) / value[CREEP] * along + part / slip * across
    )


@inner
def press_one(L, W, s, multipliers, record):
    """Fill N and its derivatives for the element ``s``."""
    i, axis = L.spring_frame[s, L.spring_frame[s, HOST]], L.spring_frame[s, AXIS]
    first, last = L.spring_frame[s, FIRST_ROW], L.spring_frame[s, END_ROW]
    value, g = L.spring_value[s], W.direction
    f0, f1, f2, m0, m1, m2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(first, last):
        y = multipliers[k]
        f0, f1, f2 = f0 - y * g[k, 2, 0], f1 - y * g[k, 2, 1], f2 - y * g[k, 2, 2]
        m0, m1, m2 = m0 - y * g[k, 3, 0], m1 - y * g[k, 3, 1], m2 - y * g[k, 3, 2]
    e = (W.frame_R[i, 0, axis], W.frame_R[i, 1, axis], W.frame_R[i, 2, axis])
    F, M = (f0, f1, f2), (m0, m1, m2)
    thrust, torque = dot_of(e, F), dot_of(e, M)
    c, inverse = cross_of(e, M), value[PER_LENGTH]
    least = ZERO * (abs(f0) + abs(f1) + abs(f2) + inverse * (abs(m0) + abs(m1) + abs(m2)))
    near, to_near = sized(
        (
            0.5 * (f0 - thrust * e[0]) + inverse * c[0],
            0.5 * (f1 - thrust * e[1]) + inverse * c[1],
            0.5 * (f2 - thrust * e[2]) + inverse * c[2],
        ),
        least,
    )
    far, to_far = sized(
        (
            0.5 * (f0 - thrust * e[0]) - inverse * c[0],
            0.5 * (f1 - thrust * e[1]) - inverse * c[1],
            0.5 * (f2 - thrust * e[2]) - inverse * c[2],
        ),
        least,
    )
    record[SIZE] = value[ARM] * (value[PRELOAD] + near + far)
    record[SIZE] += value[COLLAR] * abs(thrust) + value[PER_KEY] * abs(torque)
    by_thrust = value[COLLAR] * (1.0 if thrust > 0.0 else -1.0 if thrust < 0.0 else 0.0)
    by_torque = value[PER_KEY] * (1.0 if torque > 0.0 else -1.0 if torque < 0.0 else 0.0)
    apart = cross_of((to_near[0] - to_far[0], to_near[1] - to_far[1], to_near[2] - to_far[2]), e)
    half, turned = 0.5 * value[ARM], inverse * value[ARM]
    for k in range(first, last):
        slope = 0.0
        for l in range(3):
            slope -= (half * (to_near[l] + to_far[l]) + by_thrust * e[l]) * g[k, 2, l]
            slope -= (turned * apart[l] + by_torque * e[l]) * g[k, 3, l]
        record[SLOPE + k - first] = slope


@lean_entry
def press(L, W, multipliers):
    """Find N, h and their derivatives for all such elements; needs ``place`` and ``move`` (or ``drift``)."""
    records = rub_records(W.more)
    for s in range(L.spring_frame.shape[0]):
        if L.spring_frame[s, 2] == RUB:
            record = records[L.spring_frame[s, NUMBER]]
            press_one(L, W, s, multipliers, record)
            record[SHARE] = share_of(L, W, s)[0]
            record[COUNTED] = record[SIZE]


@lean_entry
def unit_load(L, W, s, out):
    """``out`` (nv,) = what a unit of tension of spring ``s`` adds to the residual; needs ``place`` and ``move``."""
    for i in range(out.size):
        out[i] = 0.0
    k = L.row_kind.size + s
    for side in range(L.row_side_at[k], L.row_side_at[k + 1]):
        b = L.side_body[side]
        add_load(L, W, L.side_frame[side], b, W.slope, L.side_slot[side], out, L.v_at[b])


@lean
def respond(L, W):
    """Solve for the response to a unit of each such force, with the latest factors; overwrites ``W.right``."""
    X, Y = rub_responses(W.more, W.residual.size, W.right.size)
    for k in range(W.right.size):
        W.right[k] = 0.0
    for s in range(L.spring_frame.shape[0]):
        if L.spring_frame[s, 2] == RUB:
            k = L.spring_frame[s, NUMBER]
            unit_load(L, W, s, X[k])
            solve(L, W, W.right, X[k], Y[k])


@lean
def eliminate(A):
    """Solve ``A[:, :n] x = A[:, n]`` in place of the right side, by elimination with pivots; A (n, n + 1)."""
    n = A.shape[0]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        for j in range(k, n + 1):
            A[k, j], A[best, j] = A[best, j], A[k, j]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            for j in range(k + 1, n + 1):
                A[i, j] -= factor * A[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            A[k, n] -= A[k, j] * A[j, n]
        A[k, n] /= A[k, k]


@lean
def fill_system(L, W):
    """The matrix of the forces: one, and h times what N changes with the multipliers of each response."""
    A, records, Y = (
        rub_system(W.more),
        rub_records(W.more),
        rub_responses(W.more, W.residual.size, W.right.size)[1],
    )
    for s in range(L.spring_frame.shape[0]):
        if L.spring_frame[s, 2] != RUB:
            continue
        k, first = L.spring_frame[s, NUMBER], L.spring_frame[s, FIRST_ROW]
        for r in range(A.shape[0]):
            slope = 0.0
            for l in range(L.spring_frame[s, END_ROW] - first):
                slope += records[k, SLOPE + l] * Y[r, first + l]
            A[k, r] = records[k, SHARE] * slope + (1.0 if r == k else 0.0)


@lean
def add_rub(L, W, x, y):
    """Let a solution x (nv,), y (m,) of the linear system heed that these forces change with y."""
    A, records = rub_system(W.more), rub_records(W.more)
    X, Y = rub_responses(W.more, W.residual.size, W.right.size)
    fill_system(L, W)
    n = A.shape[0]
    for s in range(L.spring_frame.shape[0]):
        if L.spring_frame[s, 2] != RUB:
            continue
        k, first = L.spring_frame[s, NUMBER], L.spring_frame[s, FIRST_ROW]
        slope = 0.0
        for l in range(L.spring_frame[s, END_ROW] - first):
            slope += records[k, SLOPE + l] * y[first + l]
        A[k, n] = records[k, SHARE] * slope
    eliminate(A[:, : n + 1])
    for k in range(n):
        for i in range(x.size):
            x[i] -= A[k, n] * X[k, i]
        for i in range(y.size):
            y[i] -= A[k, n] * Y[k, i]


@lean_entry
def settle(L, W, x, multipliers):
    """Let x (nv,) and multipliers (nr,), of a system with the forces that ``residual`` counted, heed their own forces.

    Needs the responses. Adds what these forces dissipate more to ``W.power``. Where no forces are found x is NaN.
    """
    A, records = rub_system(W.more), rub_records(W.more)
    X, Y = rub_responses(W.more, W.residual.size, W.right.size)
    n = A.shape[0]
    previous = np.inf
    for k in range(n):
        A[k, n + 1] = 0.0
    for _ in range(ITERATIONS):
        for s in range(L.spring_frame.shape[0]):
            if L.spring_frame[s, 2] == RUB:
                press_one(L, W, s, multipliers, records[L.spring_frame[s, NUMBER]])
        fill_system(L, W)
        largest = 0.0
        for k in range(n):
            gained = records[k, SHARE] * (records[k, SIZE] - records[k, COUNTED])
            A[k, n] = gained - A[k, n + 1]
            largest = max(largest, abs(records[k, SHARE]) * records[k, SIZE])
        eliminate(A[:, : n + 1])
        change = 0.0
        for k in range(n):
            step = A[k, n]
            A[k, n + 1] += step
            change = max(change, abs(step))
            for i in range(x.size):
                x[i] -= step * X[k, i]
            for i in range(multipliers.size):
                multipliers[i] -= step * Y[k, i]
        if not change > ROUND_OFF * largest or (change <= 1e-9 * largest and change > 0.5 * previous):
            break
        previous = change
    else:
        change = np.nan
    for s in range(L.spring_frame.shape[0]):
        if L.spring_frame[s, 2] == RUB:
            W.power[0] += A[L.spring_frame[s, NUMBER], n + 1] * W.spring_length[s, 1]
    if not np.isfinite(change):
        for i in range(x.size):
            x[i] = np.nan


@inner
def rub_force(L, W, s):
    """Return the tension of element ``s`` and its derivative by the rate; needs :func:`press`."""
    record, rate = rub_records(W.more)[L.spring_frame[s, NUMBER]], W.spring_length[s, 1]
    share, slope = share_of(L, W, s)
    viscous = L.spring_value[s, VISCOUS]
    return share * record[SIZE] + viscous * rate, slope * record[SIZE] + viscous


@jit(inline="always")
def any_rub(W):
    """Whether there are such elements."""
    return rubs(W.more) > 0

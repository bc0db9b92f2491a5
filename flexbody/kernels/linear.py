"""Block elimination of the equations of motion with constraints.

``[M G^T; G -1/s] [x; y] = [f; g]`` is solved body by body and joint by joint. Each body's own matrix has a Cholesky
factor ``M = B B^T``; with ``Y = B^-1 G^T`` the rows' Schur complement is ``S = Y^T Y + diag(0, 1/s)``, where rows meet
only if they share a body. It is factorised in the order and with the fill that :mod:`flexbody.elimination` found once
for the system, so that the work grows linearly with the length of a chain or a tree.

Rows that depend on earlier ones show as vanishing pivots and are left out; redundant constraints are left out from the
start (``Work.active``). A spring enters as a row with compliance ``1/s``, so that stiff springs between bodies keep the
bodies' matrices apart.
"""

import math

from fem.common.jit import jit

from .lean import lean

#: a pivot below this fraction of the row's own diagonal marks a dependent row. Redundant rows are left out beforehand
#: (``Work.active``); a light body between heavy ones makes pivots of the ratio of their masses, so that only
#: singular positions should come below this
PIVOT = 1e-13
#: a pivot below this has lost half of its digits: solutions are refined
CANCELLED = 1e-7


@jit(inline="always")
def is_plain(L, b):
    """Whether body ``b`` has six velocities with its translations apart: then its sums are written out."""
    return L.body_modes[b] == 0 and L.body_mean[b] == 1


@lean
def factorise_bodies(L, W):
    """Factorise each body's matrix in place (lower triangle, reciprocal diagonal); False if one is not definite.

    In a mean-displacement frame, and of a rigid body, the translations are not coupled to the rest.
    """
    A = W.matrix
    for b in range(L.body_mass.size):
        n, at = 6 + L.body_modes[b], L.matrix_at[b]
        first = 3 * L.body_mean[b]
        for j in range(n):
            start = first if j >= first else j
            value = A[at + j * n + j]
            for k in range(start, j):
                value -= A[at + j * n + k] ** 2
            if not value > 0.0:
                return False
            pivot = 1.0 / math.sqrt(value)
            A[at + j * n + j] = pivot
            if j < first:
                continue
            for i in range(j + 1, n):
                value = A[at + i * n + j]
                for k in range(start, j):
                    value -= A[at + i * n + k] * A[at + j * n + k]
                A[at + i * n + j] = value * pivot
    return True


@jit(inline="always")
def forward_body(L, W, b, x, v):
    """``x = B^-1 x`` for body ``b``, whose part of ``x`` begins at ``v``."""
    A, at, n = W.matrix, L.matrix_at[b], 6 + L.body_modes[b]
    if is_plain(L, b):
        x3 = x[v + 3] * A[at + 21]
        x4 = (x[v + 4] - A[at + 27] * x3) * A[at + 28]
        x[v] *= A[at]
        x[v + 1] *= A[at + 7]
        x[v + 2] *= A[at + 14]
        x[v + 3], x[v + 4] = x3, x4
        x[v + 5] = (x[v + 5] - A[at + 33] * x3 - A[at + 34] * x4) * A[at + 35]
        return
    first = 3 * L.body_mean[b]
    for i in range(first):
        x[v + i] *= A[at + i * n + i]
    for i in range(first, n):
        value = x[v + i]
        for k in range(first, i):
            value -= A[at + i * n + k] * x[v + k]
        x[v + i] = value * A[at + i * n + i]


@jit(inline="always")
def backward_body(L, W, b, x, v):
    """``x = B^-T x`` for body ``b``, whose part of ``x`` begins at ``v``."""
    A, at, n = W.matrix, L.matrix_at[b], 6 + L.body_modes[b]
    if is_plain(L, b):
        x5 = x[v + 5] * A[at + 35]
        x4 = (x[v + 4] - A[at + 34] * x5) * A[at + 28]
        x[v] *= A[at]
        x[v + 1] *= A[at + 7]
        x[v + 2] *= A[at + 14]
        x[v + 3] = (x[v + 3] - A[at + 33] * x5 - A[at + 27] * x4) * A[at + 21]
        x[v + 4], x[v + 5] = x4, x5
        return
    first = 3 * L.body_mean[b]
    for i in range(n - 1, first - 1, -1):
        value = x[v + i] * A[at + i * n + i]
        x[v + i] = value
        for k in range(first, i):
            x[v + k] -= A[at + i * n + k] * value
    for i in range(first):
        x[v + i] *= A[at + i * n + i]


@lean
def forward_bodies(L, W, x):
    """``x = B^-1 x`` for all bodies, x (nv,)."""
    for b in range(L.body_mass.size):
        forward_body(L, W, b, x, L.v_at[b])


@lean
def backward_bodies(L, W, x):
    """``x = B^-T x`` for all bodies, x (nv,)."""
    for b in range(L.body_mass.size):
        backward_body(L, W, b, x, L.v_at[b])


@lean
def fill_complement(L, W):
    """``W.Y = B^-1 G^T`` and the entries of ``S = Y^T Y``."""
    Y, S = W.Y, W.S
    for i in range(S.size):
        S[i] = 0.0
    for i in range(Y.size):
        Y[i] = W.G[i]
    for b in range(L.body_mass.size):
        n = 6 + L.body_modes[b]
        start, rows = L.body_block_at[b], L.body_row_at[b + 1] - L.body_row_at[b]
        for r in range(rows):
            forward_body(L, W, b, Y, start + r * n)
        pair = L.body_pair_at[b]
        for r in range(rows):
            y = start + r * n
            if n == 6:
                y0, y1, y2, y3, y4, y5 = Y[y], Y[y + 1], Y[y + 2], Y[y + 3], Y[y + 4], Y[y + 5]
                for z in range(start, y + 1, 6):
                    value = (Y[z] * y0 + Y[z + 1] * y1) + (Y[z + 2] * y2 + Y[z + 3] * y3)
                    S[L.pair[pair]] += value + (Y[z + 4] * y4 + Y[z + 5] * y5)
                    pair += 1
                continue
            for s in range(r + 1):
                z = start + s * n
                value = 0.0
                for i in range(n):
                    value += Y[y + i] * Y[z + i]
                S[L.pair[pair]] += value
                pair += 1


@lean
def factorise_rows(L, W):
    """Factorise ``S`` in place, panel by panel; vanishing pivots leave their rows out. Returns the rank."""
    S = W.S
    rank = 0
    W.pivot[0] = 1.0
    for g in range(L.panel_at.size - 1):
        first, n = L.panel_row_at[g], L.panel_row_at[g + 1] - L.panel_row_at[g]
        below = L.below_at[g + 1] - L.below_at[g]
        at = L.panel_at[g]
        for r in range(n + below):
            row = at + r * n
            for c in range(min(r, n)):
                value = S[row + c]
                for k in range(c):
                    value -= S[row + k] * S[at + c * n + k]
                S[row + c] = value * S[at + c * n + c]
            if r < n:
                value = S[row + r]
                for k in range(r):
                    value -= S[row + k] ** 2
                if W.kept[first + r] != 0 and value > PIVOT * W.diagonal[first + r]:
                    S[row + r] = 1.0 / math.sqrt(value)
                    W.pivot[0] = min(W.pivot[0], value / W.diagonal[first + r])
                    rank += 1
                else:
                    S[row + r] = 0.0
        target = L.update_at[g]
        for r in range(n, n + below):
            row = at + r * n
            for s in range(n, r + 1):
                other = at + s * n
                value = 0.0
                for k in range(n):
                    value += S[row + k] * S[other + k]
                S[L.update[target]] -= value
                target += 1
    return rank


@lean
def factorise(L, W, compliance):
    """Factorise with the bodies' matrices in ``W.matrix`` and the rows in ``W.G``.

    ``compliance`` (ns,) holds ``1/s`` of each spring; a negative value leaves the spring out. Returns False if a
    body's matrix is not positive definite.
    """
    rows = L.row_kind.size
    if not factorise_bodies(L, W):
        return False
    fill_complement(L, W)
    for p in range(L.elimination.size):
        k, at = L.elimination[p], L.diagonal_at[p]
        W.kept[p] = 1
        if k < rows:
            W.kept[p] = W.active[k]
        else:
            W.compliance[k - rows] = max(compliance[k - rows], 0.0)
            W.S[at] += W.compliance[k - rows]
            W.kept[p] = 1 if compliance[k - rows] >= 0.0 else 0
        W.diagonal[p] = W.S[at]
    W.rank[0] = factorise_rows(L, W)
    return True


@lean
def solve_rows(L, W, z):
    """Solve ``S z = z`` in place with the factor of :func:`factorise_rows`; rows that are left out get zero."""
    S = W.S
    panels = L.panel_at.size - 1
    for g in range(panels):
        first, at = L.panel_row_at[g], L.panel_at[g]
        n = L.panel_row_at[g + 1] - first
        for r in range(n):
            value = z[first + r]
            for k in range(r):
                value -= S[at + k] * z[first + k]
            z[first + r] = value * S[at + r]
            at += n
        for r in range(L.below_at[g], L.below_at[g + 1]):
            value = 0.0
            for k in range(n):
                value += S[at + k] * z[first + k]
            z[L.below[r]] -= value
            at += n
    for g in range(panels - 1, -1, -1):
        first = L.panel_row_at[g]
        n = L.panel_row_at[g + 1] - first
        at = L.panel_at[g] + n * n
        for r in range(L.below_at[g], L.below_at[g + 1]):
            value = z[L.below[r]]
            for k in range(n):
                z[first + k] -= S[at + k] * value
            at += n
        for r in range(n - 1, -1, -1):
            at = L.panel_at[g] + r * n
            value = z[first + r] * S[at + r]
            z[first + r] = value
            for k in range(r):
                z[first + k] -= S[at + k] * value


@jit(inline="always")
def row_times(Y, at, n, x, v):
    """Product of a row at ``at`` in ``Y`` and a body's part of ``x`` at ``v``, n each."""
    value = (Y[at] * x[v] + Y[at + 1] * x[v + 1]) + (Y[at + 2] * x[v + 2] + Y[at + 3] * x[v + 3])
    value += Y[at + 4] * x[v + 4] + Y[at + 5] * x[v + 5]
    for i in range(6, n):
        value += Y[at + i] * x[v + i]
    return value


@lean
def add_rows(L, W, x, z):
    """``z += Y^T x``; x (nv,), z (m,) in the order of the elimination."""
    for b in range(L.body_mass.size):
        n, v, at = 6 + L.body_modes[b], L.v_at[b], L.body_block_at[b]
        for r in range(L.body_row_at[b], L.body_row_at[b + 1]):
            z[L.body_row[r]] += row_times(W.Y, at, n, x, v)
            at += n


@lean
def take_rows(L, W, z, x):
    """``x -= Y z``; z (m,) in the order of the elimination, x (nv,)."""
    Y = W.Y
    for b in range(L.body_mass.size):
        n, v, at = 6 + L.body_modes[b], L.v_at[b], L.body_block_at[b]
        for r in range(L.body_row_at[b], L.body_row_at[b + 1]):
            value = z[L.body_row[r]]
            for i in range(n):
                x[v + i] -= Y[at + i] * value
            at += n


@lean
def solve(L, W, right, x, y):
    """Solve for ``x`` (nv,), which holds the right side ``f`` on entry, and ``y`` (m,) with ``right`` = g."""
    z, rows = W.solution, L.row_kind.size
    forward_bodies(L, W, x)
    y.fill(0.0)
    # a light body between heavy ones costs digits: what the rows then miss is solved for again
    for _ in range(1 if W.pivot[0] > CANCELLED else 3):
        for p in range(z.size):
            k = L.elimination[p]
            z[p] = -right[k]
            if k >= rows:
                z[p] -= W.compliance[k - rows] * y[k]
        add_rows(L, W, x, z)
        solve_rows(L, W, z)
        take_rows(L, W, z, x)
        for p in range(z.size):
            y[L.elimination[p]] += z[p]
    backward_bodies(L, W, x)


@lean
def solve_rows_only(L, W, right, x, y):
    """As :func:`solve` for ``f = 0``: the smallest ``x`` in the metric of the bodies' matrices with ``G x = right``."""
    x.fill(0.0)
    if W.pivot[0] <= CANCELLED:
        solve(L, W, right, x, y)
        return
    z = W.solution
    for p in range(z.size):
        z[p] = -right[L.elimination[p]]
    solve_rows(L, W, z)
    take_rows(L, W, z, x)
    for p in range(z.size):
        y[L.elimination[p]] = z[p]
    backward_bodies(L, W, x)

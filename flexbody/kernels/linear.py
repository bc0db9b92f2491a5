"""Block elimination of the equations of motion with constraints.

``[M G^T; G -1/s] [x; y] = [f; g]`` is solved body by body: a Cholesky factor of each body's own matrix, then the
Schur complement ``S = G M^-1 G^T + diag(0, 1/s)`` by Cholesky with diagonal pivoting. Rows that depend on others
(redundant constraints) are left out from the start; in singular positions more of them show as vanishing pivots.
A spring enters as a row with compliance ``1/s``, so that stiff springs between bodies keep the bodies' matrices
apart.
"""

import math

from fem.common.jit import inner

#: a pivot below this fraction of the row's own diagonal marks a dependent row. Redundant rows are left out beforehand
#: (``Work.active``); a light body between heavy ones makes pivots of the ratio of their masses, so that only
#: singular positions should come below this
PIVOT = 1e-13


@inner
def cholesky(A):
    """Factorise a symmetric positive definite matrix in place (lower triangle). Returns False if it is not."""
    n = A.shape[0]
    for j in range(n):
        value = A[j, j]
        for k in range(j):
            value -= A[j, k] * A[j, k]
        if not value > 0.0:
            return False
        pivot = math.sqrt(value)
        A[j, j] = pivot
        for i in range(j + 1, n):
            value = A[i, j]
            for k in range(j):
                value -= A[i, k] * A[j, k]
            A[i, j] = value / pivot
    return True


@inner
def solve_factored(A, x):
    """Solve in place with the factor of :func:`cholesky`."""
    n = A.shape[0]
    for i in range(n):
        value = x[i]
        for k in range(i):
            value -= A[i, k] * x[k]
        x[i] = value / A[i, i]
    for i in range(n - 1, -1, -1):
        value = x[i]
        for k in range(i + 1, n):
            value -= A[k, i] * x[k]
        x[i] = value / A[i, i]


@inner
def pivoted_cholesky(S, order, diagonal, column):
    """Factorise a symmetric positive semidefinite matrix in place with diagonal pivoting; return its rank.

    ``order`` receives the pivots; ``diagonal`` the original diagonal, against which a pivot is judged; ``column``
    is scratch (n,).
    """
    n = S.shape[0]
    for i in range(n):
        order[i] = i
        diagonal[i] = S[i, i]
    for j in range(n):
        best, largest = j, -1.0
        for i in range(j, n):
            share = S[i, i] / diagonal[i] if diagonal[i] > 0.0 else 0.0
            if share > largest:
                best, largest = i, share
        if not largest > PIVOT:
            return j
        if best != j:
            order[j], order[best] = order[best], order[j]
            diagonal[j], diagonal[best] = diagonal[best], diagonal[j]
            for k in range(j):
                S[j, k], S[best, k] = S[best, k], S[j, k]
            for k in range(j + 1, best):
                S[k, j], S[best, k] = S[best, k], S[k, j]
            for k in range(best + 1, n):
                S[k, j], S[k, best] = S[k, best], S[k, j]
            S[j, j], S[best, best] = S[best, best], S[j, j]
        pivot = math.sqrt(S[j, j])
        S[j, j] = pivot
        for i in range(j + 1, n):
            S[i, j] /= pivot
            column[i] = S[i, j]
        for i in range(j + 1, n):
            factor = column[i]
            if factor != 0.0:
                for k in range(j + 1, i + 1):
                    S[i, k] -= factor * column[k]
    return n


@inner
def factorise(L, W, compliance):
    """Factorise with the bodies' matrices in ``W.matrix`` and the rows in ``W.G``.

    ``compliance`` (ns,) holds ``1/s`` of each spring; a negative value leaves the spring out. Returns False if a
    body's matrix is not positive definite.
    """
    rows = L.row_kind.size
    m = L.row_at.shape[0]
    for k in range(m):
        for l in range(m):
            W.S[k, l] = 0.0
    for b in range(L.body_mass.size):
        size = 6 + L.body_modes[b]
        at = L.matrix_at[b]
        A = W.matrix[at : at + size * size].reshape(size, size)
        if not cholesky(A):
            return False
        start, stop = L.body_row_at[b], L.body_row_at[b + 1]
        for r in range(start, stop):
            at = L.row_at[L.body_row[r, 0], L.body_row[r, 1]]
            for i in range(size):
                W.Y[at + i] = W.G[at + i]
            solve_factored(A, W.Y[at : at + size])
        for r in range(start, stop):
            k = L.body_row[r, 0]
            at_k = L.row_at[k, L.body_row[r, 1]]
            for s in range(start, stop):
                l = L.body_row[s, 0]
                if l <= k:
                    at_l = L.row_at[l, L.body_row[s, 1]]
                    value = 0.0
                    for i in range(size):
                        value += W.G[at_k + i] * W.Y[at_l + i]
                    W.S[k, l] += value
    for s in range(m - rows):
        if compliance[s] >= 0.0:
            W.S[rows + s, rows + s] += compliance[s]
        else:
            for k in range(m):
                W.S[rows + s, k] = W.S[k, rows + s] = 0.0
    for k in range(rows):
        if W.active[k] == 0:
            for l in range(m):
                W.S[k, l] = W.S[l, k] = 0.0
    W.rank[0] = pivoted_cholesky(W.S, W.order, W.solution, W.column)
    return True


@inner
def solve(L, W, right, x, y):
    """Solve for ``x`` (nv,), which holds the right side ``f`` on entry, and ``y`` (m,) with ``right`` = g."""
    m, rank = L.row_at.shape[0], W.rank[0]
    for b in range(L.body_mass.size):
        size = 6 + L.body_modes[b]
        at, first = L.matrix_at[b], L.v_at[b]
        solve_factored(W.matrix[at : at + size * size].reshape(size, size), x[first : first + size])
    z = W.solution
    for k in range(m):
        value = -right[k]
        for side in range(L.row_body.shape[1]):
            b = L.row_body[k, side]
            if b >= 0:
                at, first = L.row_at[k, side], L.v_at[b]
                for i in range(6 + L.body_modes[b]):
                    value += W.G[at + i] * x[first + i]
        y[k] = value
    for i in range(rank):
        value = y[W.order[i]]
        for k in range(i):
            value -= W.S[i, k] * z[k]
        z[i] = value / W.S[i, i]
    for i in range(rank - 1, -1, -1):
        value = z[i]
        for k in range(i + 1, rank):
            value -= W.S[k, i] * z[k]
        z[i] = value / W.S[i, i]
    for k in range(m):
        y[k] = 0.0
    for i in range(rank):
        y[W.order[i]] = z[i]
    for k in range(m):
        if y[k] == 0.0:
            continue
        for side in range(L.row_body.shape[1]):
            b = L.row_body[k, side]
            if b >= 0:
                at, first = L.row_at[k, side], L.v_at[b]
                for i in range(6 + L.body_modes[b]):
                    x[first + i] -= W.Y[at + i] * y[k]

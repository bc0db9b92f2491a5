"""Two right sides of the equations of motion with constraints in one pass, see :mod:`flexbody.kernels.linear`."""

from .lean import lean
from .linear import CANCELLED, backward_body, forward_body, row_times, solve, solve_rows_only


@lean
def solve_two_rows(L, W, z):
    """As :func:`solve_rows` for two right sides at once, z (m, 2)."""
    S = W.S
    panels = L.panel_at.size - 1
    for g in range(panels):
        first, at = L.panel_row_at[g], L.panel_at[g]
        n = L.panel_row_at[g + 1] - first
        for r in range(n):
            one, two = z[first + r, 0], z[first + r, 1]
            for k in range(r):
                one -= S[at + k] * z[first + k, 0]
                two -= S[at + k] * z[first + k, 1]
            z[first + r, 0], z[first + r, 1] = one * S[at + r], two * S[at + r]
            at += n
        for r in range(L.below_at[g], L.below_at[g + 1]):
            one, two = 0.0, 0.0
            for k in range(n):
                one += S[at + k] * z[first + k, 0]
                two += S[at + k] * z[first + k, 1]
            z[L.below[r], 0] -= one
            z[L.below[r], 1] -= two
            at += n
    for g in range(panels - 1, -1, -1):
        first = L.panel_row_at[g]
        n = L.panel_row_at[g + 1] - first
        at = L.panel_at[g] + n * n
        for r in range(L.below_at[g], L.below_at[g + 1]):
            one, two = z[L.below[r], 0], z[L.below[r], 1]
            for k in range(n):
                z[first + k, 0] -= S[at + k] * one
                z[first + k, 1] -= S[at + k] * two
            at += n
        for r in range(n - 1, -1, -1):
            at = L.panel_at[g] + r * n
            one, two = z[first + r, 0] * S[at + r], z[first + r, 1] * S[at + r]
            z[first + r, 0], z[first + r, 1] = one, two
            for k in range(r):
                z[first + k, 0] -= S[at + k] * one
                z[first + k, 1] -= S[at + k] * two


@lean
def solve_two(L, W, right, x, y, other, shift):
    """:func:`solve` for ``right``, x, y, and :func:`solve_rows_only` for ``other`` and ``shift``, at once.

    Two right sides cost little more than one, as long as no digits are lost.
    """
    if W.pivot[0] <= CANCELLED:
        solve(L, W, right, x, y)
        solve_rows_only(L, W, other, shift, W.unused)
        return
    z, Y = W.solutions, W.Y
    for p in range(L.elimination.size):
        k = L.elimination[p]
        z[p, 0], z[p, 1] = -right[k], -other[k]
    for b in range(L.body_mass.size):
        n, v, at = 6 + L.body_modes[b], L.v_at[b], L.body_block_at[b]
        forward_body(L, W, b, x, v)
        for r in range(L.body_row_at[b], L.body_row_at[b + 1]):
            z[L.body_row[r], 0] += row_times(Y, at, n, x, v)
            at += n
    solve_two_rows(L, W, z)
    for b in range(L.body_mass.size):
        n, v, at = 6 + L.body_modes[b], L.v_at[b], L.body_block_at[b]
        for i in range(n):
            shift[v + i] = 0.0
        for r in range(L.body_row_at[b], L.body_row_at[b + 1]):
            one, two = z[L.body_row[r], 0], z[L.body_row[r], 1]
            for i in range(n):
                x[v + i] -= Y[at + i] * one
                shift[v + i] -= Y[at + i] * two
            at += n
        backward_body(L, W, b, x, v)
        backward_body(L, W, b, shift, v)
    for p in range(L.elimination.size):
        y[L.elimination[p]] = z[p, 0]

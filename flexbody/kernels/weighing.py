"""Velocities in coordinates in which the mass matrix is one, by the factors of :mod:`flexbody.kernels.linear`."""

from .lean import lean_entry
from .linear import backward_bodies, factorise_bodies, fill_complement, forward_bodies


@lean_entry
def weighted_rows(L, W):
    """Factorise mass matrices in ``W.matrix`` as B B^T and leave ``W.Y = B^-1 G^T``; False if one is not definite."""
    if not factorise_bodies(L, W):
        return False
    fill_complement(L, W)
    return True


@lean_entry
def weigh(L, W, x, inverse):
    """``x = B^T x`` in place, whose square is ``x' M x``; with ``inverse`` ``B^-1 x``, x (nv,)."""
    if inverse:
        forward_bodies(L, W, x)
        return
    A = W.matrix
    for b in range(L.body_mass.size):
        n, at, v = 6 + L.body_modes[b], L.matrix_at[b], L.v_at[b]
        first = 3 * L.body_mean[b]
        for i in range(n):
            x[v + i] /= A[at + i * n + i]
            if i >= first:
                for k in range(i + 1, n):
                    x[v + i] += A[at + k * n + i] * x[v + k]


@lean_entry
def unweigh(L, W, x):
    """``x = B^-T x`` in place: from weighted to generalized velocities, x (nv,)."""
    backward_bodies(L, W, x)

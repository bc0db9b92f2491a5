"""The constraint Jacobian at a position: as it is, with rows of unit length, and weighted by the masses."""

from __future__ import annotations

import numpy as np
import scipy

from fem.common.errors import ConstraintError

from ..compile.plan import Plan
from ..core.structures import Work
from ..formulations.state import MachineState
from .auxiliary_mass import without_auxiliary
from .least_squares import LeastSquares, Matrix, least_squares


def jacobian(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return the constraint Jacobian G (nr, nv) at the position of a state, with rows scaled to metres."""
    plan.formulation.place(plan.layout, W, s)
    M, G = (np.empty((n, plan.n_velocities)) for n in (plan.n_velocities, plan.n_rows))
    plan.formulation.dense(plan.layout, W, M, G)
    return G


def weighted(plan: Plan, W: Work) -> tuple[scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
    """Return ``G B^-T`` and the constraint Jacobian G, (nr, nv), where ``M = B B^T`` is factorised body by body.

    Needs the position placed; leaves the factors in ``W.matrix`` for ``weigh`` and ``unweigh``.
    """
    if not plan.formulation.weighted_rows(plan.layout, W):
        raise ConstraintError(
            "a body's mass matrix is not positive definite at the start: its given deformation is beyond the theory"
        )
    order, columns, rows = plan.row_pattern
    shape = (plan.n_rows, plan.n_velocities)
    Y, G = (scipy.sparse.csr_matrix((x[order], columns, rows), shape) for x in (W.Y, W.G))
    return Y, G


def scaled(G: Matrix) -> Matrix:
    """Return a Jacobian with rows of unit length."""
    lengths = 1.0 / row_lengths(G)
    if not scipy.sparse.issparse(G):
        return lengths[:, None] * G
    return scipy.sparse.csr_matrix(
        (G.data * np.repeat(lengths, np.diff(G.indptr)), G.indices, G.indptr), G.shape
    )


def row_lengths(G: Matrix) -> np.ndarray:
    """Return the lengths (nr,) of the rows of a Jacobian, one for rows of zeros."""
    if scipy.sparse.issparse(G):
        row = np.repeat(np.arange(G.shape[0]), np.diff(G.indptr))
        lengths = np.sqrt(np.bincount(row, G.data**2, G.shape[0]))
    else:
        lengths = np.sqrt((G**2).sum(axis=1))
    return np.where(lengths > 0, lengths, 1.0)


def least_norm(G: Matrix, multipliers: np.ndarray) -> np.ndarray:
    """Return the multipliers of least norm with the same constraint forces ``G^T multipliers``."""
    return least_squares(G.T, G.T @ multipliers)


def smallest_change(
    plan: Plan, W: Work, rows: LeastSquares, miss: np.ndarray, part: np.ndarray | None = None
) -> np.ndarray:
    """Return the smallest change (nv,), in the mass metric, that removes the residuals ``miss``.

    ``rows`` are weighted rows, (.., nv). If only the coordinates ``part`` change, the rows are those of :func:`only`.
    """
    change = -rows.solve(miss)
    if part is not None:
        change[~part] = 0.0
    change = without_auxiliary(plan, rows, change)[0]
    plan.formulation.unweigh(plan.layout, W, change)
    return change


def only(rows: LeastSquares, part: np.ndarray) -> LeastSquares:
    """Return weighted rows (.., nv) without the coordinates that are not in ``part`` (nv,).

    The rigid coordinates are the first of each body, so that they keep their part of the factor of the body.
    """
    if part.all():
        return rows
    A = rows.A
    return LeastSquares(scipy.sparse.csr_matrix((A.data * part[A.indices], A.indices, A.indptr), A.shape))

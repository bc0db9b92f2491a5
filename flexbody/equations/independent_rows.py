"""Independent constraint rows: which rows of the Jacobian determine the motion, and which follow from them.

The rows are orthogonalised joint by joint in the order of the elimination (:mod:`flexbody.compile.elimination`), so
that the work grows as that of a time step: a QR factorisation of ``G^T`` by fronts (A. George, M. T. Heath, Linear
Algebra Appl. 34 (1980) 69; I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983) 302). What is left of a row is its
distance from the rows before it. Rows of which nothing is left depend on them and are left out (M. T. Heath, SIAM J.
Sci. Stat. Comput. 3 (1982) 223). Rows of which little is left wait until others of their neighbours were taken: of rows
that depend on each other those are kept that are far from each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy

from ..compile.plan import Plan
from .least_squares import RANK_TOLERANCE, LeastSquares, Matrix

#: rows of which less is left wait, at most so many at a time
WEAK_LENGTH, MAX_WAITING = 0.1, 24


class _Panel(NamedTuple):
    """Rows of joints between the same bodies, by their places in the order of the elimination."""

    own: np.ndarray
    below: (
        np.ndarray
    )  # later rows with which they share bodies, or would after the rows before were eliminated
    following: int  # the next panel among these, -1 if there is none


class _Part(NamedTuple):
    """A part of ``G^T``: its columns as places in the order of the elimination."""

    columns: np.ndarray
    values: np.ndarray


def independent_rows(plan: Plan, G: Matrix) -> np.ndarray:
    """Return which rows of a constraint Jacobian determine the motion.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    G : sparse matrix
        Constraint Jacobian with rows of length one, (nr, nv).

    Returns
    -------
    numpy.ndarray
        1 for rows that are kept and 0 for rows that depend on them, (nr,).
    """
    kept = np.zeros(plan.n_rows, dtype=np.int64)
    order, panels = plan.layout.elimination, list(_panels(plan))
    parts: list[list[_Part]] = [[] for _ in panels]
    late: list[np.ndarray] = [np.zeros(0, dtype=np.int64) for _ in panels]
    for g, part in _parts(plan, G):
        parts[g].append(part)
    where = np.zeros(len(order), dtype=np.int64)
    for g, panel in enumerate(panels):
        own = np.concatenate([panel.own, late[g]])
        columns = np.concatenate([own, panel.below])
        where[columns] = np.arange(len(columns))
        front = np.zeros((sum(len(part.values) for part in parts[g]), len(columns)), order="F")
        at = 0
        for part in parts[g]:
            front[at : at + len(part.values), where[part.columns]] = part.values
            at += len(part.values)
        parts[g].clear()
        taken, waiting, rest = _eliminate(front, len(own), panel.following >= 0)
        kept[order[own[taken]]] = 1
        if panel.following >= 0 and len(rest):
            late[panel.following] = np.concatenate([late[panel.following], own[waiting]])
            parts[panel.following].append(_Part(np.concatenate([own[waiting], panel.below]), rest))
    return kept


def rows_to_keep(plan: Plan, G: Matrix) -> np.ndarray:
    """Return which rows determine the motion, with those that the description of the machine keeps first.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    G : sparse matrix
        Constraint Jacobian with rows of length one, (nr, nv).

    Returns
    -------
    numpy.ndarray
        1 for rows that are kept and 0 for rows that depend on them, (nr,).
    """
    kept, first = independent_rows(plan, G), plan.formulation.rows_kept_first()
    left = first[kept[first] == 0]
    if not len(left):
        return kept
    # a row that is to be kept is a sum of kept rows, and replaces one of those with a share in it
    now = np.flatnonzero(kept)
    shares = LeastSquares(scipy.sparse.csr_matrix(G)[now]).solve_transposed(
        scipy.sparse.csr_matrix(G)[left].T.toarray()
    )
    others = np.flatnonzero(~np.isin(now, first))
    pivots = scipy.linalg.qr(shares[others].T, mode="r", pivoting=True)[1]
    kept[now[others[pivots[: len(left)]]]] = 0
    kept[left] = 1
    return kept


def _eliminate(front: np.ndarray, width: int, may_wait: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which of the first ``width`` columns of a front are independent, which wait, and what is left.

    What is left are the columns that wait and those beyond ``width``, orthogonal to the columns taken.
    """
    none = np.zeros(0, dtype=np.int64)
    if not len(front) or not width:
        return none, none, front[:, width:]
    R, pivots, tau, _, _ = scipy.linalg.lapack.dgeqp3(front[:, :width])
    lengths = np.abs(np.diag(R))
    independent = int(np.sum(lengths > RANK_TOLERANCE))
    rank = int(np.sum(lengths > WEAK_LENGTH))
    if not may_wait or independent - rank > MAX_WAITING:
        rank = independent
    beyond = front[:, width:]
    if beyond.shape[1]:
        beyond = scipy.linalg.lapack.dormqr("L", "T", R[:, : len(tau)], tau, beyond, 64 * beyond.shape[1])[0]
    left = np.concatenate([np.triu(R)[rank:, rank:independent], beyond[rank:]], axis=1)
    if 0 < left.shape[1] < len(left):
        left = np.triu(scipy.linalg.lapack.dgeqrf(left)[0][: left.shape[1]])
    return pivots[:rank] - 1, pivots[rank:independent] - 1, left


def _panels(plan: Plan) -> Iterator[_Panel]:
    """Yield the panels of constraint rows in their order, without the deformations of force elements."""
    L = plan.layout
    is_row = L.elimination < plan.n_rows
    panel_of = np.repeat(np.arange(len(L.panel_row_at) - 1), np.diff(L.panel_row_at))
    for first, last, start, stop in zip(
        L.panel_row_at[:-1], L.panel_row_at[1:], L.below_at[:-1], L.below_at[1:], strict=True
    ):
        own, below = np.arange(first, last), L.below[start:stop]
        below = below[is_row[below]]
        yield _Panel(own[is_row[own]], below, int(panel_of[below[0]]) if len(below) else -1)


def _parts(plan: Plan, G: Matrix) -> Iterator[tuple[int, _Part]]:
    """Yield the part of ``G^T`` of each body, and the first panel that it belongs to."""
    L, columns = plan.layout, scipy.sparse.csc_matrix(G)
    place = np.empty(len(L.elimination), dtype=np.int64)
    place[L.elimination] = np.arange(len(place))
    panel_of = np.repeat(np.arange(len(L.panel_row_at) - 1), np.diff(L.panel_row_at))
    for first, last in zip(L.v_at[:-1], L.v_at[1:], strict=True):
        entries = slice(columns.indptr[first], columns.indptr[last])
        rows = place[columns.indices[entries]]
        if not len(rows):
            continue
        mine, inside = np.unique(rows, return_inverse=True)
        values = np.zeros((last - first, len(mine)))
        across = np.repeat(np.arange(last - first), np.diff(columns.indptr[first : last + 1]))
        values[across, inside] = columns.data[entries]
        yield int(panel_of[mine[0]]), _Part(mine, values)

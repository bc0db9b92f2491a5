"""Least squares of least norm for matrices of any rank: dense if small, sparse if large.

Large matrices are those of many bodies; their rows have entries in a few columns only. The sparse method solves
``[d I, A^T; A, -d I]`` with a small ``d`` (M. A. Saunders, BIT 35 (1995) 588) repeatedly for the residual. Each time
singular values ``s`` are resolved except for the part ``d^2 / (s^2 + d^2)``; zero singular values never are.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy

#: singular values below this fraction of the largest count as zero
RANK_TOLERANCE = 1e-8
#: matrices with fewer rows or columns than this are dense: their singular values take milliseconds
LARGEST_DENSE = 100

#: dense or sparse
Matrix: TypeAlias = Any


def least_squares(A: Matrix, b: np.ndarray) -> np.ndarray:
    """Return the x of least norm that minimises ``|A x - b|``.

    Parameters
    ----------
    A : array or sparse matrix
        Matrix, (m, n).
    b : numpy.ndarray
        Right-hand side, (m,) or (m, k).

    Returns
    -------
    numpy.ndarray
        Solution, (n,) or (n, k).
    """
    if 0 in A.shape:
        return np.zeros((A.shape[1], *b.shape[1:]))
    if min(A.shape) <= LARGEST_DENSE:
        return np.linalg.lstsq(_dense(A), b, rcond=RANK_TOLERANCE)[0]
    solver = _Sparse(A)
    # what no x can meet leaves round-off over d^2 in x, where A doesn't see it: the second time all can be met
    return solver.fit(solver.A @ solver.fit(b))


def left_null_space(A: Matrix) -> np.ndarray:
    """Return orthonormal columns (m, d) that span all z with ``A^T z = 0``: the dependencies of the rows of A."""
    m = A.shape[0]
    if min(A.shape) <= LARGEST_DENSE:
        if 0 in A.shape:
            return np.eye(m)
        U, s, _ = np.linalg.svd(_dense(A))
        return U[:, int(np.sum(s > RANK_TOLERANCE * s[0])) :]
    solver, rng, tries = _Sparse(A), np.random.default_rng(0), 8
    while True:
        # what is left of random vectors spans the space once there are a few more of them than it has dimensions
        Z = rng.normal(size=(m, min(tries, m)))
        U, s, _ = np.linalg.svd(Z - A @ solver.fit(Z), full_matrices=False)
        found = int(np.sum(s > 1e-5))
        if found <= tries - 4 or tries >= m:
            return U[:, :found]
        tries *= 4


def independent_rows(dependent: np.ndarray) -> np.ndarray:
    """Return 1 for rows to keep and 0 for others, (nr,), from the dependencies (nr, d) of their rows.

    The dependencies are those of :func:`left_null_space`. A row whose part of these vectors is regular follows from the
    others.
    """
    active = np.ones(len(dependent), dtype=np.int64)
    active[scipy.linalg.qr(dependent.T, mode="r", pivoting=True)[1][: dependent.shape[1]]] = 0
    return active


class _Sparse:
    """Factors of the regularised system of a sparse matrix."""

    def __init__(self, A: Matrix) -> None:
        self.A = scipy.sparse.csr_matrix(A)
        self.largest = float(np.sqrt(self.A.multiply(self.A).sum(axis=1).max()))
        d = 10 * RANK_TOLERANCE * self.largest
        m, n = A.shape
        self.d = d
        self.factor = scipy.sparse.linalg.splu(
            scipy.sparse.bmat(
                [[d * scipy.sparse.eye(n), self.A.T], [self.A, -d * scipy.sparse.eye(m)]], format="csc"
            )
        )

    def fit(self, b: np.ndarray) -> np.ndarray:
        n, left = self.A.shape[1], np.array(b, dtype=float)
        x = np.zeros((n, *b.shape[1:]))
        for _ in range(8):
            # [d I, A^T; A, -d I] [x; -r/d] = [0; b]: x minimises |A x - b|^2 + d^2 |x|^2
            change = self.factor.solve(np.concatenate([np.zeros_like(x), left]))[:n]
            x += change
            left = b - self.A @ x
            if np.abs(change).max() <= 1e-13 * np.abs(x).max():
                break
        return x


def _dense(A: Matrix) -> np.ndarray:
    return A if isinstance(A, np.ndarray) else A.toarray()

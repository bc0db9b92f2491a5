"""Least squares of least norm for matrices of any rank: dense if small, sparse if large.

Large matrices are those of many bodies; their rows have entries in a few columns only. The sparse method solves
``[d I, A^T; A, -d I]`` with a small ``d`` (M. A. Saunders, BIT 35 (1995) 588) repeatedly for the residual. Each time
singular values ``s`` are resolved except for the part ``d^2 / (s^2 + d^2)``; zero singular values never are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy

from fem.common.blas_threads import few_threads

#: singular values below this fraction of the largest count as zero
RANK_TOLERANCE = 1e-8
#: matrices with fewer rows or columns than this are dense: their singular values take milliseconds
LARGEST_DENSE = 100
#: what round-off leaves of right-hand sides of size one that can be met is below this
ROUND_OFF = 1e-6

#: dense or sparse
Matrix: TypeAlias = Any


class LeastSquares:
    """Least squares with a matrix that is factorised once, at the first use.

    Parameters
    ----------
    A : array or sparse matrix
        Matrix, (m, n).
    """

    def __init__(self, A: Matrix) -> None:
        self.A = A

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Return the x (n,) or (n, k) of least norm that minimises ``|A x - b|``; b (m,) or (m, k)."""
        return self._factors.fit(b, False)

    def solve_transposed(self, c: np.ndarray) -> np.ndarray:
        """Return the y (m,) or (m, k) of least norm that minimises ``|A^T y - c|``; c (n,) or (n, k)."""
        return self._factors.fit(c, True)

    def rough(self, b: np.ndarray) -> np.ndarray:
        """As :meth:`solve`, to three digits or so where all of b can be met."""
        return self._factors.rough(b)

    @cached_property
    def dependencies(self) -> np.ndarray:
        """Random combinations z (m, 3) of rows with ``A^T z = 0``: rows without a part in any such z are zero in all.

        Entries are about as large as in orthonormal vectors that span all z.
        """
        # a vanishing entry of a random combination is improbable, one of three of them more so
        Z = np.random.default_rng(0).normal(size=(self.A.shape[0], 3))
        Z = Z - self.A @ self.solve(Z)
        return np.where(np.abs(Z) > ROUND_OFF, Z, 0.0)

    @cached_property
    def _factors(self) -> _Dense | _Sparse:
        return (_Dense if min(self.A.shape) <= LARGEST_DENSE else _Sparse)(self.A)


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
    return LeastSquares(A).solve(b)


class _Dense:
    """Singular value decomposition."""

    def __init__(self, A: Matrix) -> None:
        with few_threads(max(A.shape)):
            U, s, Vt = np.linalg.svd(A if isinstance(A, np.ndarray) else A.toarray(), full_matrices=False)
        rank = int(np.sum(s > RANK_TOLERANCE * s.max(initial=0.0)))
        self.U, self.s, self.Vt = U[:, :rank], s[:rank], Vt[:rank]

    def rough(self, b: np.ndarray) -> np.ndarray:
        return self.fit(b, False)

    def fit(self, b: np.ndarray, transposed: bool) -> np.ndarray:
        left, right = (self.Vt.T, self.U.T) if transposed else (self.U, self.Vt)
        return right.T @ ((left.T @ b).T / self.s).T


class _Sparse:
    """Factors of the regularised system of a sparse matrix."""

    def __init__(self, A: Matrix) -> None:
        self.A = scipy.sparse.csr_matrix(A)
        largest = float(np.sqrt(self.A.multiply(self.A).sum(axis=1).max()))
        m, n = A.shape
        self.d = d = 10 * RANK_TOLERANCE * largest
        self.factor = scipy.sparse.linalg.splu(
            scipy.sparse.bmat(
                [[d * scipy.sparse.eye(n), self.A.T], [self.A, -d * scipy.sparse.eye(m)]], format="csc"
            )
        )

    def rough(self, b: np.ndarray) -> np.ndarray:
        n = self.A.shape[1]
        return self.factor.solve(np.concatenate([np.zeros((n, *b.shape[1:])), b]))[:n]

    def fit(self, b: np.ndarray, transposed: bool) -> np.ndarray:
        A = self.A.T if transposed else self.A
        if A.shape[0] == self.A.shape[0] == 0:
            return np.zeros((A.shape[1], *b.shape[1:]))
        x = self._repeated(A, np.asarray(b, dtype=float), transposed)
        # what no x can meet leaves round-off over d^2 in x, where A doesn't see it: the second time all can be met
        return self._repeated(A, A @ x, transposed)

    def _repeated(self, A: Matrix, b: np.ndarray, transposed: bool) -> np.ndarray:
        left, x = b, np.zeros((A.shape[1], *b.shape[1:]))
        n = self.A.shape[1]
        for _ in range(8):
            # [d I, A^T; A, -d I] [x; -r/d] = [0; b]: x minimises |A x - b|^2 + d^2 |x|^2; with [c; 0], [r/d; y] is the
            # solution for A^T
            none = np.zeros_like(x)
            found = self.factor.solve(np.concatenate([left, none] if transposed else [none, left]))
            change = found[n:] if transposed else found[:n]
            x = x + change
            left = b - A @ x
            if np.abs(change).max() <= 1e-13 * np.abs(x).max():
                break
        return x

"""The common part of the factors of all libraries: checked input, right-hand sides in chunks, clear errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import scipy

from ..common.errors import InputError
from ..common.progress import progress

#: called at the start of a phase ("analysis", "factorisation") with the bytes that it is going to need
Report = Callable[[str, int | None], None]

#: right-hand sides solved at once: most of the gain of blocks (a third of the time of one by one), little memory
CHUNK_COLUMNS = 32
#: entries of a right-hand side above which a solution takes seconds and shows its progress
_PROGRESS_ENTRIES = 5_000_000


class SingularError(InputError):
    """A matrix that is singular, or not positive definite although that was stated."""


def nothing(phase: str, needed: int | None) -> None:
    """Do nothing: the default report of progress."""


class DirectFactor:
    """A factorised symmetric matrix A (n, n) of ``n`` unknowns.

    ``definite``: A was stated, and found, to be positive definite; ``memory`` in bytes of
    the factor; ``negative`` number of negative eigenvalues of A, None where the library does not report it.
    """

    name: ClassVar[str]
    n: int
    definite: bool
    memory: int
    negative: int | None = None

    def __init__(self, A: scipy.sparse.sparray | scipy.sparse.spmatrix, definite: bool) -> None:
        """Check the matrix; raises :class:`InputError` for one that is not square or not finite."""
        if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape[0] == 0:
            raise InputError(f"only a square matrix can be factorised, not one of shape {A.shape}")
        if not np.isfinite(A.sum()):
            raise InputError("the matrix to be factorised holds values that are not finite")
        self.n, self.definite = A.shape[0], definite

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.n} unknowns, {self.memory / 1e6:.3g} MB>"

    def solve(self, B: np.ndarray, show: bool | None = None) -> np.ndarray:
        """Return X with A X = B, for B (n,) or (n, k), in chunks of columns with a progress bar.

        ``show`` as in :func:`fem.common.progress.progress`; the bar comes for long solves only.
        """
        B = np.asarray(B, dtype=float)
        if B.ndim not in (1, 2) or B.shape[0] != self.n:
            raise InputError(
                f"a right-hand side for {self.n} unknowns must have that many rows, not shape {B.shape}"
            )
        if B.ndim == 1:
            return self._solve(B)
        columns = B.shape[1]
        X = np.empty(B.shape)
        if B.size < _PROGRESS_ENTRIES:
            show = False
        with progress(columns, f"solving with {self.name}", "load", show) as bar:
            for first in range(0, columns, CHUNK_COLUMNS):
                chunk = slice(first, min(first + CHUNK_COLUMNS, columns))
                X[:, chunk] = self._solve(np.asfortranarray(B[:, chunk]))
                bar.update(chunk.stop - first)
        return X

    def _solve(self, B: np.ndarray) -> np.ndarray:
        """Solve for B (n,) or (n, k) in Fortran's order, not empty."""
        raise NotImplementedError

    def failed(self, reason: str) -> InputError:
        """Return the error for a factorisation that failed."""
        return InputError(f"can't factorise a matrix of {self.n} unknowns: {reason}")

    def singular(self) -> SingularError:
        """Return the error for a matrix that is singular, or indefinite although it was stated to be definite."""
        more = ", or not positive definite, as definite=True states" if self.definite else ""
        return SingularError(f"can't factorise a matrix of {self.n} unknowns: it is singular{more}")


def upper_triangle(A: scipy.sparse.sparray | scipy.sparse.spmatrix) -> scipy.sparse.csr_array:
    """Return the sorted upper triangle of a symmetric matrix with every diagonal entry stored, 32-bit indices.

    In slices of rows, so that little more memory is needed than for the result. Its arrays read as columns
    are the lower triangle.
    """
    full = scipy.sparse.csr_array(A)
    if not full.has_canonical_format:
        full = full.copy()
        full.sum_duplicates()
    n = full.shape[0]
    step = max(1, int(4_000_000 * n / max(full.nnz, 1)))
    counts = np.zeros(n + 1, np.int64)
    diagonals = 0
    for first in range(0, n, step):
        rows, columns, _ = _slice(full, first, step)
        diagonals += np.count_nonzero(rows == columns)
        counts[first + 1 : first + step + 1] = np.bincount(
            rows[columns >= rows] - first, minlength=min(step, n - first)
        )
    if diagonals < n:
        return _with_diagonal(full)
    indptr = np.cumsum(counts)
    if indptr[-1] > np.iinfo(np.int32).max:
        raise InputError(
            f"a matrix of {n} unknowns has {indptr[-1]} entries, more than the solvers can index"
        )
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    for first in range(0, n, step):
        rows, columns, values = _slice(full, first, step)
        keep = columns >= rows
        to = slice(indptr[first], indptr[min(first + step, n)])
        indices[to], data[to] = columns[keep], values[keep]
    return scipy.sparse.csr_array((data, indices, indptr.astype(np.int32)), shape=full.shape)


def _slice(A: scipy.sparse.csr_array, first: int, step: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row numbers, column numbers and values of the entries in ``step`` rows."""
    starts = A.indptr[first : first + step + 1]
    rows = np.repeat(np.arange(first, first + len(starts) - 1), np.diff(starts))
    entries = slice(starts[0], starts[-1])
    return rows, A.indices[entries], A.data[entries]


def _with_diagonal(A: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Return the upper triangle with explicit zeros where the diagonal has no entry."""
    upper = scipy.sparse.coo_array(scipy.sparse.triu(A, format="coo"))
    diagonal = np.arange(A.shape[0])
    row, column = upper.coords
    entries = np.concatenate([upper.data, np.zeros(len(diagonal))])
    places = np.concatenate([row, diagonal]), np.concatenate([column, diagonal])
    full = scipy.sparse.csr_array(
        scipy.sparse.coo_array((entries, places), shape=A.shape)
    )  # sums doubles, keeps explicit zeros
    full.sort_indices()
    return scipy.sparse.csr_array(
        (full.data.astype(float), full.indices.astype(np.int32), full.indptr.astype(np.int32)), shape=A.shape
    )

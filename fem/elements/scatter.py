"""Compiled sums of element matrices into a sparse matrix of any degrees of freedom."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from ..common.jit import jit
from .kernel import pattern, position


@jit
def _add(dofs, matrices, indptr, indices, data):
    """Add ``matrices`` (ne, nd, nd) at the rows and columns ``dofs`` (ne, nd)."""
    for e in range(dofs.shape[0]):
        for i in range(dofs.shape[1]):
            row, p, before = dofs[e, i], 0, -2
            for j in range(dofs.shape[1]):
                column = dofs[e, j]
                # a node's freedoms follow each other, here as there
                p = p + 1 if column == before + 1 else position(indptr, indices, row, column)
                before = column
                data[p] += matrices[e, i, j]


class Sum:
    """A symmetric sparse matrix (n, n) to which element matrices are added, batch by batch."""

    def __init__(self, dofs: list[np.ndarray], n: int) -> None:
        """``dofs``: all arrays (ne, nd) of degrees of freedom that will be added at."""
        sizes = [np.full(len(group), group.shape[1]) for group in dofs]
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]))])
        flat = np.concatenate([np.zeros(0, np.int64), *(group.ravel() for group in dofs)])
        self.n = n
        self.indptr, self.indices = pattern(starts.astype(np.int64), flat.astype(np.int64), n)
        self.data = np.zeros(len(self.indices))

    def add(self, dofs: np.ndarray, matrices: np.ndarray) -> None:
        """Add element matrices (ne, nd, nd) at dofs (ne, nd)."""
        _add(dofs.astype(np.int64), np.ascontiguousarray(matrices), self.indptr, self.indices, self.data)

    def matrix(self) -> csr_array:
        """Return the sum (n, n)."""
        small = len(self.indices) < np.iinfo(np.int32).max
        kind = np.int32 if small else np.int64
        parts = (self.data, self.indices.astype(kind), self.indptr.astype(kind))
        return csr_array(parts, shape=(self.n, self.n))

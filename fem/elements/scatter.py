"""Compiled sums of element matrices into a sparse matrix of any degrees of freedom; see ``fem/core/assembly.cpp``."""

from __future__ import annotations

import numpy as np
import scipy

from ..common.compiled import function
from .solid.isotropic import pattern

_add_matrices = function("fem_add_matrices", *["int"] * 3, "indices", "input", *["indices"] * 2, "reals")


class Sum:
    """A symmetric sparse matrix (n, n) to which element matrices are added, batch by batch."""

    def __init__(self, dofs: list[np.ndarray], n: int) -> None:
        """Find the pattern.

        Parameters
        ----------
        dofs : list of arrays of int (ne, nd)
            All degrees of freedom, from 0 to n - 1, that will be added at.
        n : int
            The number of rows and columns.

        Raises
        ------
        CoreError
            The compiled core can't be loaded.
        """
        sizes = [np.full(len(group), group.shape[1]) for group in dofs]
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]))])
        flat = np.concatenate([np.zeros(0, np.int64), *(group.ravel() for group in dofs)])
        self.n = n
        self.indptr, self.indices = pattern(starts, flat, n)
        self.data = np.zeros(len(self.indices))

    def add(self, dofs: np.ndarray, matrices: np.ndarray) -> None:
        """Add element matrices.

        Parameters
        ----------
        dofs : array of int (ne, nd)
            The degrees of freedom of each element, among those that the pattern was made for.
        matrices : array (ne, nd, nd)
            Their matrices, in one unit (N/m for stiffness).

        Raises
        ------
        CoreError
            The compiled core can't be loaded.
        """
        _add_matrices(*dofs.shape, self.n, dofs, matrices, self.indptr, self.indices, self.data)

    def matrix(self) -> scipy.sparse.csr_array:
        """Return the sum (n, n)."""
        small = len(self.indices) < np.iinfo(np.int32).max
        kind = np.int32 if small else np.int64
        parts = (self.data, self.indices.astype(kind), self.indptr.astype(kind))
        return scipy.sparse.csr_array(parts, shape=(self.n, self.n))

"""CHOLMOD of SuiteSparse, through scikit-sparse 0.4."""

from __future__ import annotations

import importlib
import warnings
from types import ModuleType

import numpy as np
import scipy

from ..common.errors import InputError
from .base import DirectFactor, Report, nothing, upper_triangle
from .fill import FILL_UNCERTAINTY, estimated_fill


def module() -> ModuleType | None:
    """Return scikit-sparse's module with the interface that is used here (0.4), or None."""
    try:
        found = importlib.import_module("sksparse.cholmod")
    except (ImportError, OSError):
        return None
    return found if hasattr(getattr(found, "Factor", None), "cholesky_inplace") else None


def installed() -> bool:
    """Return whether it can be used here."""
    return module() is not None


class CholmodFactor(DirectFactor):
    """Supernodal Cholesky by CHOLMOD on METIS's ordering, for positive definite matrices.

    ``memory`` is estimated, since scikit-sparse does not report it.
    """

    name = "CHOLMOD"

    def __init__(
        self, A: scipy.sparse.sparray | scipy.sparse.spmatrix, definite: bool = True, report: Report = nothing
    ) -> None:
        """Factorise; raises InputError, of which SingularError is a kind."""
        library = module()
        if library is None:
            raise InputError("CHOLMOD needs scikit-sparse 0.4: pip install 'scikit-sparse<0.5'")
        if not definite:
            raise InputError(
                "CHOLMOD factorises positive definite matrices only; leave the choice of the solver to "
                "factorise, or use another"
            )
        super().__init__(A, definite)
        report("analysis", None)
        upper = upper_triangle(A)
        lower = scipy.sparse.csc_matrix((upper.data, upper.indices, upper.indptr), shape=upper.shape)
        self.memory = 8 * estimated_fill(scipy.sparse.csr_array(A))
        try:
            self._factor = library.analyze(lower, mode="supernodal", ordering_method="metis")
            # refused only if it can't fit even where the estimate is far too high
            report("factorisation", int(self.memory / FILL_UNCERTAINTY))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", library.CholmodWarning)  # that it is not definite: raised too
                self._factor.cholesky_inplace(lower)
        except library.CholmodNotPositiveDefiniteError:
            raise self.singular() from None
        except (library.CholmodOutOfMemoryError, MemoryError):
            raise self.failed(
                "it does not fit into memory; use a coarser mesh or a machine with more memory"
            ) from None
        self.negative = 0

    def _solve(self, B: np.ndarray) -> np.ndarray:
        return self._factor.solve_A(B)

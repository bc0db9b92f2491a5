"""MUMPS, through python-mumps."""

from __future__ import annotations

import importlib
import threading
from types import ModuleType

import numpy as np
import scipy

from ..common.errors import InputError
from .base import DirectFactor, Report, nothing, upper_triangle

_LOCK = threading.Lock()
#: MUMPS' errors for a matrix that is singular in structure, and in numbers
_SINGULAR = (-6, -10)
_NO_MEMORY = (-5, -7, -13)


def module() -> ModuleType | None:
    """Return python-mumps' module, or None where it is not installed."""
    try:
        found = importlib.import_module("mumps")
    except (ImportError, OSError):
        return None
    return found if hasattr(found, "Context") else None


def installed() -> bool:
    """Return whether it can be used here."""
    return module() is not None


class MumpsFactor(DirectFactor):
    """L D L' by MUMPS on METIS's ordering (another where it was built without)."""

    name = "MUMPS"

    def __init__(
        self, A: scipy.sparse.sparray | scipy.sparse.spmatrix, definite: bool = True, report: Report = nothing
    ) -> None:
        """Factorise; raises InputError, of which SingularError is a kind."""
        library = module()
        if library is None:
            raise InputError("MUMPS needs python-mumps: pip install python-mumps")
        super().__init__(A, definite)
        self._error = library.MUMPSError
        self._context = library.Context()
        report("analysis", None)
        with _LOCK:
            try:
                self._context.set_matrix(
                    scipy.sparse.coo_array(upper_triangle(A)), overwrite_a=True, symmetric=True
                )
                self._context.analyze(ordering="metis")
                report("factorisation", 2**20 * int(self._context.analysis_stats.est_mem_incore))
                self._context.factor(reuse_analysis=True, pivot_tol=0.0 if definite else 0.01)
            except self._error as error:
                if error.error in _SINGULAR:
                    raise self.singular() from None
                if error.error in _NO_MEMORY:
                    raise self.failed(
                        "it does not fit into memory; use a coarser mesh or a machine with more memory"
                    ) from None
                raise self.failed(str(error)) from None
        self.memory = 2**20 * int(self._context.factor_stats.memory)
        self.negative = int(self._context.mumps_instance.infog[12])
        if definite and self.negative:
            raise self.singular()

    def _solve(self, B: np.ndarray) -> np.ndarray:
        with _LOCK:
            return self._context.solve(B)

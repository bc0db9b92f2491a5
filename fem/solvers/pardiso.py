"""MKL PARDISO, called directly."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import site
import sys
import threading
import weakref
from functools import cache
from pathlib import Path

import numpy as np
import scipy

from ..common.errors import InputError
from .base import DirectFactor, Report, nothing, upper_triangle

# PARDISO shares memory pools between its instances: one call at a time. Reentrant, because the garbage collector
# may release an old factor in the thread that is just about to call
_LOCK = threading.RLock()
_ERRORS = {
    -2: "it does not fit into memory; use a coarser mesh or a machine with more memory",
    -3: "reordering failed",
}
#: PARDISO's errors for a zero pivot, and for a zero on the diagonal
_SINGULAR = (-4, -7)


def library() -> ctypes.CDLL | None:
    """Return MKL's library, or None if pypardiso is not installed or does not find it.

    Looked for where pip and conda put it; pypardiso itself asks a compiler and searches the whole environment, which
    takes half a second.
    """
    if importlib.util.find_spec("pypardiso") is None:
        return None
    # after each call its threads would wait for the next one by computing nothing, for 0.2 s: as much processor time as
    # the solutions themselves take, and nothing gained
    os.environ.setdefault("KMP_BLOCKTIME", "0")
    found = None if "PYPARDISO_MKL_RT" in os.environ else _beside_python()
    try:
        return found or importlib.import_module("pypardiso").ps.libmkl
    except (ImportError, OSError, AttributeError):
        return None


@cache
def _beside_python() -> ctypes.CDLL | None:
    for base in (sys.prefix, site.USER_BASE or sys.prefix):
        for folder in ("lib", "Library/bin"):
            for path in sorted(Path(base, folder).glob("*mkl_rt*"), reverse=True):
                try:
                    return ctypes.CDLL(str(path))
                except OSError:
                    continue
    return None


def installed() -> bool:
    """Return whether it can be used here."""
    return library() is not None


class PardisoFactor(DirectFactor):
    """Factor by MKL PARDISO: Cholesky, or L D L' with Bunch and Kaufman's pivots.

    pypardiso's own ``solve`` compares the whole matrix with a copy at every call and refines each solution
    twice, which takes two to four times as long. Memory inside MKL is released with this object.
    """

    name = "PARDISO"

    def __init__(
        self, A: scipy.sparse.sparray | scipy.sparse.spmatrix, definite: bool = True, report: Report = nothing
    ) -> None:
        """Factorise; raises InputError, of which SingularError is a kind."""
        mkl = library()
        if mkl is None:
            raise InputError("PARDISO needs pypardiso: pip install pypardiso")
        super().__init__(A, definite)
        self._pardiso = mkl["pardiso"]  # a function object of our own: its argument types are ours to set
        self._pardiso.restype = None
        self._upper = upper_triangle(A)
        self._handle = np.zeros(64, np.int64)
        self._type = 2 if definite else -2
        self._options = np.zeros(64, np.int32)  # the manual's iparm(k + 1) is options[k] here
        self._options[[0, 1, 34]] = 1, 2, 1  # own values, METIS, indices from 0
        if definite:
            # two-level factorisation: a tenth to a fifth less time, and less memory, even on two cores; it does not
            # look at the pivots of unknowns that stand alone
            self._options[23] = 1
            if not (self._upper.diagonal() > 0).all():
                raise self.singular()
        else:
            self._options[[9, 10, 12, 20]] = 8, 1, 1, 1  # perturb 1e-8, scale, match, Bunch-Kaufman
        weakref.finalize(self, _release, self._pardiso, self._handle, self._type, self.n, self._options)
        dummy = np.zeros(self.n)
        report("analysis", None)
        self._call(11, dummy, dummy)
        # iparm(16) + iparm(17), kB: permanent memory of the analysis, and of the numbers
        report("factorisation", 1024 * int(self._options[16]))
        self._call(22, dummy, dummy)
        self.memory = 1024 * (int(self._options[15]) + int(self._options[16]))
        if not definite and self._options[13] > 0:
            raise self.singular()
        self.negative = 0 if definite else int(self._options[22])

    def _call(self, phase: int, b: np.ndarray, x: np.ndarray) -> None:
        with _LOCK:
            error = _call(
                self._pardiso, self._handle, self._type, phase, self.n, self._upper, self._options, b, x
            )
        if error in _SINGULAR:
            raise self.singular()
        if error:
            raise self.failed(_ERRORS.get(error, f"PARDISO's error {error}"))

    def _solve(self, B: np.ndarray) -> np.ndarray:
        X = np.empty_like(B)
        self._call(33, np.ascontiguousarray(B) if B.ndim == 1 else B, X)
        return X


def _call(
    function, handle, mtype: int, phase: int, n: int, upper: scipy.sparse.csr_array | None, options, b, x
) -> int:
    """Call PARDISO once; ``upper`` None releases. Returns its error number."""

    def integer(value: int):
        return ctypes.byref(ctypes.c_int32(value))

    def address(array):
        return array.ctypes.data_as(ctypes.c_void_p) if array is not None else None

    error = ctypes.c_int32(0)
    a, ia, ja = (upper.data, upper.indptr, upper.indices) if upper is not None else (None, None, None)
    columns = 1 if b is None or b.ndim == 1 else b.shape[1]
    function(
        *(address(handle), integer(1), integer(1), integer(mtype), integer(phase), integer(n)),
        *(address(a), address(ia), address(ja), None, integer(columns), address(options), integer(0)),
        *(address(b), address(x), ctypes.byref(error)),
    )
    return error.value


def _release(function, handle: np.ndarray, mtype: int, n: int, options: np.ndarray) -> None:
    with _LOCK:
        _call(function, handle, mtype, -1, n, None, options, None, None)

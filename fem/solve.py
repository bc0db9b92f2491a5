"""Sparse direct solution of symmetric systems."""

from __future__ import annotations

import ctypes
import importlib
import threading
import warnings
import weakref
from typing import Protocol

import numpy as np
from scipy.sparse import coo_array, csr_array, sparray, spmatrix, triu
from scipy.sparse.linalg import splu

from .common.errors import FlexbodyWarning, InputError

# PARDISO shares memory pools between its instances: one call at a time
_PARDISO_LOCK = threading.Lock()
_PARDISO_ERRORS = {
    -2: "it does not fit into memory; use a coarser mesh or a machine with more memory",
    -3: "reordering failed",
    -4: "it is singular, or not positive definite where that was promised",
    -7: "its diagonal holds a zero",
}


class Factor(Protocol):
    """A factorised symmetric matrix: ``name`` of the solver, ``n`` unknowns, ``solve(B)``."""

    name: str
    n: int

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Return X with A X = B, for B (n,) or (n, k)."""
        ...


def factorise(A: sparray | spmatrix, definite: bool = True) -> Factor:
    """Factorise a symmetric sparse matrix (n, n) for many right-hand sides.

    ``definite=True`` promises that it is positive definite (Cholesky, half the work); otherwise L D L' with
    pivoting. PARDISO where pypardiso is installed, else SuperLU in symmetric mode, 6 to 20 times slower on
    solids, with a :class:`FlexbodyWarning` above 50 000 unknowns. A singular matrix raises
    :class:`InputError`.
    """
    if pardiso_library() is not None:
        return PardisoFactor(A, definite)
    if A.shape[0] > 50_000:
        warnings.warn(
            f"factorising {A.shape[0]} unknowns with SuperLU, because pypardiso is not installed: expect "
            "minutes and much memory; 'pip install pypardiso' (x86-64) makes it 6 to 20 times faster",
            FlexbodyWarning,
            stacklevel=2,
        )
    return SuperLUFactor(A, definite)


def pardiso_library() -> ctypes.CDLL | None:
    """Return MKL's library as pypardiso finds it, or None where it is not installed."""
    try:
        return importlib.import_module("pypardiso").ps.libmkl
    except (ImportError, OSError, AttributeError):
        return None


class SuperLUFactor:
    """Factor by scipy's SuperLU: minimum degree on A + A', diagonal pivots where large enough."""

    name = "SuperLU"

    def __init__(self, A: sparray | spmatrix, definite: bool = True) -> None:
        """Factorise."""
        self.n = _checked_size(A)
        threshold = 0.0 if definite else 0.1
        try:
            self._lu = splu(
                A.tocsc(),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=threshold,
                options={"SymmetricMode": True},
            )
        except RuntimeError as error:
            raise InputError(f"can't factorise a matrix of {self.n} unknowns: {error}") from None
        except MemoryError:
            raise InputError(
                f"can't factorise a matrix of {self.n} unknowns: {_PARDISO_ERRORS[-2]}"
            ) from None
        pivots = self._lu.U.diagonal()
        if definite and not (pivots > 0).all():
            raise InputError(f"can't factorise a matrix of {self.n} unknowns: {_PARDISO_ERRORS[-4]}")

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Return X with A X = B, for B (n,) or (n, k)."""
        return self._lu.solve(_checked_rhs(B, self.n))


class PardisoFactor:
    """Factor by MKL PARDISO, called directly.

    pypardiso's own ``solve`` compares the whole matrix with a copy at every call and refines each solution
    twice, which takes two to four times as long. Memory inside MKL is released with this object.
    """

    name = "PARDISO"

    def __init__(self, A: sparray | spmatrix, definite: bool = True) -> None:
        """Factorise."""
        library = pardiso_library()
        if library is None:
            raise InputError("PARDISO needs pypardiso: pip install pypardiso")
        self.n = _checked_size(A)
        self._pardiso = library["pardiso"]  # a function object of our own: its argument types are ours to set
        self._pardiso.restype = None
        self._upper = _upper_triangle(A)
        self._handle = np.zeros(64, np.int64)
        self._type = 2 if definite else -2
        self._options = np.zeros(64, np.int32)
        self._options[[0, 1, 34]] = 1, 2, 1  # own values, METIS, indices from 0
        if not definite:
            self._options[[9, 10, 12, 20]] = 8, 1, 1, 1  # perturb 1e-8, scale, match, Bunch-Kaufman
        weakref.finalize(self, _release, self._pardiso, self._handle, self._type, self.n, self._options)
        self._call(12, np.zeros(self.n), np.zeros(self.n))
        if definite is False and self._options[13] > 0:
            raise InputError(
                f"a matrix of {self.n} unknowns is singular: {self._options[13]} pivots had to be replaced"
            )

    def _call(self, phase: int, b: np.ndarray, x: np.ndarray) -> None:
        with _PARDISO_LOCK:
            error = _pardiso(
                self._pardiso, self._handle, self._type, phase, self.n, self._upper, self._options, b, x
            )
        if error:
            reason = _PARDISO_ERRORS.get(error, f"PARDISO's error {error}")
            raise InputError(f"can't factorise a matrix of {self.n} unknowns: {reason}")

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Return X with A X = B, for B (n,) or (n, k)."""
        b = np.asfortranarray(_checked_rhs(B, self.n))
        x = np.empty_like(b)
        if b.size:
            self._call(33, b, x)
        return np.ascontiguousarray(x)


def _pardiso(function, handle, mtype: int, phase: int, n: int, upper: csr_array | None, options, b, x) -> int:
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
    with _PARDISO_LOCK:
        _pardiso(function, handle, mtype, -1, n, None, options, None, None)


def _upper_triangle(A: sparray | spmatrix) -> csr_array:
    """Sorted upper triangle with every diagonal entry stored, as PARDISO's symmetric types want it."""
    upper = coo_array(triu(A, format="coo"))
    diagonal = np.arange(A.shape[0])
    row, column = upper.coords
    entries = np.concatenate([upper.data, np.zeros(len(diagonal))])
    rows, columns = np.concatenate([row, diagonal]), np.concatenate([column, diagonal])
    full = csr_array(
        coo_array((entries, (rows, columns)), shape=A.shape)
    )  # sums doubles, keeps explicit zeros
    full.sort_indices()
    return csr_array(
        (full.data.astype(float), full.indices.astype(np.int32), full.indptr.astype(np.int32)), shape=A.shape
    )


def _checked_size(A: sparray | spmatrix) -> int:
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape[0] == 0:
        raise InputError(f"only a square matrix can be factorised, not one of shape {A.shape}")
    if not np.isfinite(A.sum()):
        raise InputError("the matrix to be factorised holds values that are not finite")
    return A.shape[0]


def _checked_rhs(B: np.ndarray, n: int) -> np.ndarray:
    B = np.asarray(B, dtype=float)
    if B.ndim not in (1, 2) or B.shape[0] != n:
        raise InputError(f"a right-hand side for {n} unknowns must have that many rows, not shape {B.shape}")
    return B

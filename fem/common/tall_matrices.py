"""Products of tall matrices: few columns, and as many rows as a mesh has unknowns; see ``fem/core/tall.cpp``.

numpy's BLAS distributes such short work over all processors, whose synchronisation takes longer than the work: the
reduction of a mesh of 25 000 unknowns took three times as much processor time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .compiled import function

FloatArray = npt.NDArray[np.float64]

#: number of multiplications above which several processors are faster
MAX_SERIAL_PRODUCTS = 100_000_000

_inner = function("fem_tall_inner", *["int"] * 3, "input", "int", "input", "int", "reals")
_combine = function("fem_tall_combine", *["int"] * 3, "input", "int", "input", "reals")


def inner(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return A' B.

    Parameters
    ----------
    A : array (n, k)
        Any units; rows or columns may follow each other in memory.
    B : array (n, l) or (n,)
        The same.

    Returns
    -------
    array (k, l) or (k,)
        A' B, in the product of both units.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    columns = B if B.ndim == 2 else B[:, None]
    (n, k), l = A.shape, columns.shape[1]
    if n * k * l > MAX_SERIAL_PRODUCTS:
        return A.T @ B
    out = np.empty((k, l))
    _inner(n, k, l, *_stored(A), *_stored(columns), out)
    return out.reshape(k, *B.shape[1:])


def combine(A: FloatArray, S: FloatArray) -> FloatArray:
    """Return A S.

    Parameters
    ----------
    A : array (n, k)
        Any units; rows or columns may follow each other in memory.
    S : array (k, l) or (k,)
        Factors of the columns of A.

    Returns
    -------
    array (n, l) or (n,)
        A S, in the product of both units.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    columns = S if S.ndim == 2 else S[:, None]
    (n, k), l = A.shape, columns.shape[1]
    if n * k * l > MAX_SERIAL_PRODUCTS:
        return A @ S
    out = np.empty((n, l))
    _combine(n, k, l, *_stored(A), columns, out)
    return out.reshape(n, *S.shape[1:])


def orthonormal(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Q (n, k) and an upper triangle R (k, k) with A = Q R and Q' Q = I; LinAlgError for dependent columns.

    By Cholesky's factor of A' A, and again of what its rounding leaves; columns of A of about the same length.
    """
    R = np.eye(A.shape[1])
    for _ in range(2):
        triangle = np.linalg.cholesky(inner(A, A)).T
        A, R = combine(A, np.linalg.inv(triangle)), triangle @ R
    return A, R


def _stored(A: FloatArray) -> tuple[FloatArray, bool]:
    """Return A (n, k), or A' where that is how it lies in memory, and whether it is."""
    by_columns = A.flags.f_contiguous and not A.flags.c_contiguous
    return (A.T if by_columns else A), by_columns

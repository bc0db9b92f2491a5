"""Block elimination of the equations of motion with constraints, see elimination.hpp."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_factorise = function("flexbody_factorise", "struct", "struct", "input", result=bool)
_solve = function("flexbody_solve", "struct", "struct", "input", "reals", "reals")


def factorise(L: Layout, W: Work, compliance: np.ndarray) -> bool:
    """Factorise the equations with the matrices of the bodies in ``W.matrix`` and the rows in ``W.G``.

    Parameters
    ----------
    L, W : Layout, Work
        The compiled machine and its work arrays.
    compliance : numpy.ndarray
        ``1/s`` of each deformation, (m - nr,); a negative value omits it.

    Returns
    -------
    bool
        False if the matrix of a body is not positive definite.
    """
    return _factorise(L, W, compliance)


def solve(L: Layout, W: Work, right: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Solve ``[M G^T; G -1/s] [x; y] = [f; right]`` with the latest factors.

    ``x`` (nv,) holds f on entry; it and ``y`` (m,) receive the solution; right (m,).
    """
    _solve(L, W, right, x, y)

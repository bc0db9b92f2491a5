"""Velocities in coordinates in which the mass matrix is one: ``M = B B^T``, body by body."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_weighted_rows = function("flexbody_weighted_rows", "struct", "struct", result=bool)
_weigh = function("flexbody_weigh", "struct", "struct", "reals", "int")
_unweigh = function("flexbody_unweigh", "struct", "struct", "reals")


def weighted_rows(L: Layout, W: Work) -> bool:
    """Factorise mass matrices in ``W.matrix`` as B B^T and leave ``W.Y = B^-1 G^T``; False if one is not definite."""
    return _weighted_rows(L, W)


def weigh(L: Layout, W: Work, x: np.ndarray, inverse: bool) -> None:
    """``x = B^T x`` in place, whose square is ``x' M x``; with ``inverse`` ``B^-1 x``, x (nv,)."""
    _weigh(L, W, x, inverse)


def unweigh(L: Layout, W: Work, x: np.ndarray) -> None:
    """``x = B^-T x`` in place: from weighted to generalized velocities, x (nv,)."""
    _unweigh(L, W, x)

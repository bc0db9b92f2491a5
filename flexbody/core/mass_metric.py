"""Velocities in coordinates with unit mass matrix: ``M = B B^T``, body by body."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_weighted_rows = function("flexbody_weighted_rows", "struct", "struct", result=bool)
_weigh = function("flexbody_weigh", "struct", "struct", "reals", "int")
_unweigh = function("flexbody_unweigh", "struct", "struct", "reals")


def weighted_rows(L: Layout, W: Work) -> bool:
    """Factorise the mass matrices in ``W.matrix`` as B B^T and set ``W.Y = B^-1 G^T``; return False if not definite."""
    return _weighted_rows(L, W)


def weigh(L: Layout, W: Work, x: np.ndarray, inverse: bool) -> None:
    """Replace x (nv,) by ``B^T x``, whose square is ``x' M x``, or by ``B^-1 x`` if ``inverse``."""
    _weigh(L, W, x, inverse)


def unweigh(L: Layout, W: Work, x: np.ndarray) -> None:
    """Replace x (nv,) by ``B^-T x``: from weighted to generalized velocities."""
    _unweigh(L, W, x)

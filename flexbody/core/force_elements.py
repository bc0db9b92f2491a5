"""Force elements: their laws, with their states."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_evaluate_laws = function("flexbody_evaluate_laws", "struct", "struct", "real")
_relax = function("flexbody_relax", "struct", "struct", "int", "real")
_exchange_pairs = function("flexbody_exchange_pairs", "struct", "struct", "reals", result=bool)
_unit_load = function("flexbody_unit_load", "struct", "struct", "int", "int", "reals")


def evaluate_laws(L: Layout, W: Work, t: float) -> None:
    """Evaluate forces, states and powers of all elements at time t (s); needs ``move``.

    It reads deformations and rates in ``W`` alone, which every formulation computes; no formulation has laws of its
    own. ``W.law_mode`` says which states are used. Friction that follows reactions needs the normal forces in
    ``W.friction_record``.
    """
    _evaluate_laws(L, W, t)


def relax(L: Layout, W: Work, e: int, t: float) -> None:
    """Set the states of element ``e`` to their values at rest at time t (s), NaN if there are none; needs ``move``."""
    _relax(L, W, e, t)


def exchange_pairs(L: Layout, W: Work, states: np.ndarray) -> bool:
    """Let the pairs of spheres that touch have bristles among the states (nz,) where friction sticks; needs ``place``.

    Returns
    -------
    bool
        Whether other pairs have them now.
    """
    return _exchange_pairs(L, W, states)


def unit_load(L: Layout, W: Work, e: int, out: np.ndarray, which: int = 0) -> None:
    """Set ``out`` (nv,) to the residual for a unit of one force of element ``e``; needs ``place``, ``move``."""
    _unit_load(L, W, e, which, out)

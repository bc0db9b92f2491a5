"""Force elements: their laws, with states where they have some."""

from __future__ import annotations

from fem.common.compiled import function

from .structures import Layout, Work

_evaluate_laws = function("flexbody_evaluate_laws", "struct", "struct", "real")
_relax = function("flexbody_relax", "struct", "struct", "int", "real")


def evaluate_laws(L: Layout, W: Work, t: float) -> None:
    """Find forces, states and powers of all elements at time t (s), states as ``W.law_mode`` says; needs ``move``."""
    _evaluate_laws(L, W, t)


def relax(L: Layout, W: Work, e: int, t: float) -> None:
    """Bring the states of element ``e`` to where they stay at time t (s), NaN where there are none; needs ``move``."""
    _relax(L, W, e, t)

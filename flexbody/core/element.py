"""Force elements: their laws, with their states."""

from __future__ import annotations

from fem.common.compiled import function

from .structures import Layout, Work

_evaluate_laws = function("flexbody_evaluate_laws", "struct", "struct", "real")
_relax = function("flexbody_relax", "struct", "struct", "int", "real")


def evaluate_laws(L: Layout, W: Work, t: float) -> None:
    """Evaluate forces, states and powers of all elements at time t (s); needs ``move``.

    ``W.law_mode`` says which states are used.
    """
    _evaluate_laws(L, W, t)


def relax(L: Layout, W: Work, e: int, t: float) -> None:
    """Set the states of element ``e`` to their values at rest at time t (s), NaN if there are none; needs ``move``."""
    _relax(L, W, e, t)

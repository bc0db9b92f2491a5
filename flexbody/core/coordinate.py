"""Joint coordinates over many revolutions, see ``coordinate.hpp``.

The functions read frames and their velocities in ``W`` alone, which every formulation computes.
"""

from __future__ import annotations

from fem.common.compiled import function

from .structures import Layout, Work

_expect_revolutions = function("flexbody_expect_revolutions", "struct", "real")
_measure_revolutions = function("flexbody_measure_revolutions", "struct", "struct", "real", result=bool)
_count_revolutions = function("flexbody_count_revolutions", "struct")


def expect_revolutions(W: Work, dt: float) -> None:
    """Predict the angles a time ``dt`` (s) after the last accepted step; they are then measured around these."""
    _expect_revolutions(W, dt)


def measure_revolutions(L: Layout, W: Work, dt: float) -> bool:
    """Measure all coordinates a time ``dt`` (s) after the last accepted step; needs ``place`` and ``move``.

    Returns
    -------
    bool
        Whether revolutions are counted with certainty: the rate of no angle about a joint's own axis changes so much in
        this time that the angle might be half a revolution from the prediction with the mean of both rates.
    """
    return _measure_revolutions(L, W, dt)


def count_revolutions(W: Work) -> None:
    """Store the angles and rates that were measured last; their state is accepted."""
    _count_revolutions(W)

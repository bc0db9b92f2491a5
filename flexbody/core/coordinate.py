"""Joint coordinates over many turns, see ``coordinate.hpp``."""

from __future__ import annotations

from fem.common.compiled import function

from .structures import Layout, Work

_expect_turns = function("flexbody_expect_turns", "struct", "real")
_measure_turns = function("flexbody_measure_turns", "struct", "struct", "real", result=bool)
_count_turns = function("flexbody_count_turns", "struct")


def expect_turns(W: Work, dt: float) -> None:
    """Take angles around what they would be a time ``dt`` (s) after the last accepted step."""
    _expect_turns(W, dt)


def measure_turns(L: Layout, W: Work, dt: float) -> bool:
    """Measure all coordinates a time ``dt`` (s) after the last accepted step; needs ``place`` and ``move``.

    Returns whether turns are counted for sure: the rate of no angle about a joint's own axis changes so much in this
    time that it might lie half a turn from where the mean of both rates leads.
    """
    return _measure_turns(L, W, dt)


def count_turns(W: Work) -> None:
    """Keep angles and rates as measured last: their state is accepted."""
    _count_turns(W)

"""Joint coordinates that are read after each step."""

from __future__ import annotations

from fem.common.compiled import function

from .structures import Layout, Tracked, Work

_read_coordinates = function("flexbody_read_coordinates", "struct", "struct", *("input",) * 4, "struct")


def read_coordinates(L: Layout, W: Work, c, q, alpha, v, tracked: Tracked) -> None:
    """Read all coordinates at a state: c (nb, 3), q (nb, 4), alpha (na,), v (nv,)."""
    _read_coordinates(L, W, c, q, alpha, v, tracked)

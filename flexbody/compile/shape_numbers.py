"""The size of the working arrays of shapes that follow contacts."""

from __future__ import annotations

from ..core.kinds import SET_BODY, SET_CURVES, SET_SIZE
from ..core.structures import Layout


def numbers_of_set(r: int, m: int, n: int) -> int:
    """Return the size of a set in ``Work.shape``: r coordinates, m curves, n modes; see ``following_shapes.cpp``."""
    return 2 * r + 3 * r * m + m * m + 3 * m + m * n + (r - m) * (m + n)


def shape_numbers(L: Layout) -> int:
    """Return the size of ``Work.shape`` for a layout."""
    modes = L.body_modes[L.shape_set[:, SET_BODY]]
    sizes = zip(
        L.shape_set[:, SET_SIZE].tolist(), L.shape_set[:, SET_CURVES].tolist(), modes.tolist(), strict=True
    )
    return sum(numbers_of_set(*one) for one in sizes)

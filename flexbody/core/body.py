"""The equations of motion of one body, Koppens (2.46), for checks of single bodies."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_body_matrix = function("flexbody_body_matrix", "struct", "struct", "int", "real", "real", "real", "reals")


def body_matrix(
    L: Layout, W: Work, b: int, mass: float, damping: float, stiffness: float, out: np.ndarray
) -> None:
    """Set ``out`` to ``mass M + damping D + stiffness K`` of body ``b``, (6 + N, 6 + N), symmetric.

    K is the tangent stiffness at the position of ``place``, with the part of the axial modes.
    """
    _body_matrix(L, W, b, mass, damping, stiffness, out)

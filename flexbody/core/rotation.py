"""Euler parameters ``q`` (4,) and rotation matrices ``Q`` (3, 3), Koppens (B.13)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem.common.compiled import function

_matrix_of_euler = function("flexbody_matrix_of_euler", "input", "reals")
_turned_euler = function("flexbody_turned_euler", "input", "input", "reals")


def matrix_of_euler(q: ArrayLike, Q: np.ndarray) -> None:
    """Set ``Q`` (3, 3) to the rotation matrix of unit Euler parameters ``q`` (4,), Koppens (B.13)."""
    _matrix_of_euler(q, Q)


def turned_euler(q: ArrayLike, theta: ArrayLike, out: np.ndarray) -> None:
    """Set ``out`` (4,) to the Euler parameters of ``Q(q) exp(theta~)``.

    ``q`` (4,) is rotated by the rotation vector ``theta`` (3,), rad, in body components. ``out`` may be ``q``.
    """
    _turned_euler(q, theta, out)

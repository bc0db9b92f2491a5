"""The right-hand side that integrators from outside call, and the state at a step's end."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import ExplicitState, Layout, Work

_attracted_rates = function(
    "flexbody_attracted_rates", "struct", "struct", "struct", "real", "input", "real", "reals", result=bool
)
_take_state = function("flexbody_take_state", "struct", "struct", "struct", "real", "input", result=int)


def attracted_rates(L: Layout, W: Work, S: ExplicitState, t: float, y, pull: float, out: np.ndarray) -> bool:
    """``out`` (ny,) = dy/dt, constraints attracting at the rate ``pull`` (1/s); False if a mass matrix is not definite.

    Ascher, Chin and Reich, Numer. Math. 67 (1994) 131; see ``outside.cpp``. y (ny,), t in s.
    """
    return _attracted_rates(L, W, S, t, y, pull, out)


def take_state(L: Layout, W: Work, S: ExplicitState, t: float, y) -> int:
    """Take y (ny,) as the state at a step's end ``t`` (s), put it on the constraints; S holds it, with its rates.

    Returns DONE, NOT_DEFINITE where a mass matrix is not, DRIVE_JUMPED where a drive is missed by a quarter of a turn.
    """
    return _take_state(L, W, S, t, y)

"""The right-hand side that integrators from outside call, and the state at a step's end."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import ExplicitState, Layout, Work

_evaluate = function(
    "flexbody_evaluate", "struct", "struct", "struct", "real", "input", "real", "reals", "int", result=int
)


def evaluate(
    L: Layout, W: Work, S: ExplicitState, t: float, y, pull: float, out: np.ndarray, take: bool
) -> int:
    """``out`` (ny,) = dy/dt, constraints attracting at the rate ``pull`` (1/s); or ``take`` y as the end of a step.

    Returns DONE, NOT_DEFINITE where a mass matrix is not, LEAPT where a drive is missed by a quarter of a turn.
    """
    return _evaluate(L, W, S, t, y, pull, out, take)

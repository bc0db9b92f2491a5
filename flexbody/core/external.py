"""The right-hand side for integrators of other libraries, and the state at the end of a step."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import ExplicitState, Layout, Work

_fed_back_rates = function(
    "flexbody_fed_back_rates", "struct", "struct", "struct", "real", "input", "input", "reals", result=bool
)
_speed_rows = function("flexbody_speed_rows", "struct", "struct", "struct", "int", "reals", "reals")
_take_state = function(
    "flexbody_take_state", "struct", "struct", "struct", "real", "input", "int", result=int
)


def fed_back_rates(L: Layout, W: Work, S: ExplicitState, t: float, y, gain, out: np.ndarray) -> bool:
    """Set ``out`` (ny,) to dy/dt, changed by what the constraints miss.

    Parameters
    ----------
    L, W, S : Layout, Work, ExplicitState
        The compiled machine, its work arrays and its state.
    t : float
        Time, s.
    y : numpy.ndarray
        State, (ny,).
    gain : numpy.ndarray
        What is fed back, (4,), see ``Feedback`` in ``external.cpp``: errors of positions to the rates of positions,
        1/s, and of speeds, 1/s^2; errors of speeds to their rates, 1/s; the length of Euler parameters, 1/s.
    out : numpy.ndarray
        Receives dy/dt, (ny,).

    Returns
    -------
    bool
        False if a mass matrix is not positive definite.

    References
    ----------
    .. [1] U. M. Ascher, H. Chin, S. Reich, Numer. Math. 67 (1994) 131.
    .. [2] J. Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1; see ``external.cpp``.
    """
    return _fed_back_rates(L, W, S, t, y, gain, out)


def speed_rows(L: Layout, W: Work, S: ExplicitState, out: np.ndarray, miss: np.ndarray) -> None:
    """Set ``out`` (nr, n) to the derivatives of the rates of all rows by the n speeds, ``miss`` (nr,) to the rates.

    Driven speeds of a tree have no derivatives. Needs the rates at a state with their multipliers.
    """
    _speed_rows(L, W, S, out.shape[1], out, miss)


def take_state(L: Layout, W: Work, S: ExplicitState, t: float, y, closed: bool = True) -> int:
    """Set S to the state y (ny,) at the end of a step, projected onto the constraints if ``closed``, with its rates.

    Returns
    -------
    int
        DONE; NOT_DEFINITE if a mass matrix is not positive definite; DRIVE_JUMPED if the residual of a drive is a
        quarter of a revolution.
    """
    return _take_state(L, W, S, t, y, closed)

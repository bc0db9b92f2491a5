"""The explicit method of order 8 with projection, and the first-order equations that it solves."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import ExplicitSettings, ExplicitState, Layout, Tableau, Tracked, Work

_rates = function("flexbody_rates", *("struct",) * 3, "real", "input", "reals", "reals", "int", result=bool)
_keep_state = function("flexbody_keep_state", "struct")
_step_explicit = function(
    "flexbody_step_explicit", *("struct",) * 4, "real", "struct", "int", "int", "struct", result=int
)


def parts(L: Layout, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return views c (nb, 3), q (nb, 4), alpha (na,), v (nv,) of a state vector."""
    nb, na, nv = len(L.body_mass), int(L.alpha_at[-1]), int(L.v_at[-1])
    first = 7 * nb + na
    return (
        y[: 3 * nb].reshape(nb, 3),
        y[3 * nb : 7 * nb].reshape(nb, 4),
        y[7 * nb : first],
        y[first : first + nv],
    )


def rates(
    L: Layout,
    W: Work,
    S: ExplicitState,
    t: float,
    y,
    out: np.ndarray,
    multipliers: np.ndarray,
    complete: bool = True,
) -> bool:
    """Set ``out`` to dy/dt, and multipliers (m,); return False if a mass matrix is not positive definite.

    A tree needs neither frames nor multipliers for its rates: they are evaluated where these are to be ``complete``.
    """
    return _rates(L, W, S, t, y, out, multipliers, complete)


def keep_state(S: ExplicitState) -> None:
    """Take the bodies' motion for which :func:`rates` was called last as that of the state."""
    _keep_state(S)


def step_explicit(
    L: Layout, W: Work, S: ExplicitState, tableau: Tableau, t_out: float, settings: ExplicitSettings,
    max_steps: int, restart: bool, tracked: Tracked,
) -> int:  # fmt: skip
    """Advance to ``t_out`` (s), after a restart if asked for, and read the tracked joint coordinates.

    Parameters
    ----------
    L, W : Layout, Work
        The compiled machine and its work arrays.
    S : ExplicitState
        The state.
    tableau : Tableau
        Coefficients of the method.
    t_out : float
        Time, s.
    settings : ExplicitSettings
        The method.
    max_steps : int
        Largest number of steps in this call.
    restart : bool
        Whether accelerations and multipliers are made consistent first.
    tracked : Tracked
        Joint coordinates to read.

    Returns
    -------
    int
        DONE, PAUSED after ``max_steps``, or the cause of a failure.
    """
    return _step_explicit(L, W, S, tableau, t_out, settings, max_steps, restart, tracked)

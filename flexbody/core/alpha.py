"""The time loop of the generalized-alpha method."""

from __future__ import annotations

from fem.common.compiled import function

from .structures import AlphaSettings, AlphaState, AlphaTrial, Layout, Tracked, Work

_step_alpha = function(
    "flexbody_step_alpha", *("struct",) * 4, "real", "struct", "int", "int", "struct", result=int
)


def step_alpha(
    L: Layout, W: Work, S: AlphaState, X: AlphaTrial, t_out: float, settings: AlphaSettings,
    max_steps: int, restart: bool, tracked: Tracked,
) -> int:  # fmt: skip
    """Advance to ``t_out`` (s), after a restart if asked for, and read the tracked joint coordinates.

    Parameters
    ----------
    L, W : Layout, Work
        The compiled machine and its work arrays.
    S, X : AlphaState, AlphaTrial
        The state, and the step that is tried.
    t_out : float
        Time, s.
    settings : AlphaSettings
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
    return _step_alpha(L, W, S, X, t_out, settings, max_steps, restart, tracked)

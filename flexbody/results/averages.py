"""Means over time that leave out what vibrates fast."""

from __future__ import annotations

import numpy as np

from fem.common.errors import InputError

#: A mean takes at least so many stored times in its period: what vibrates faster than half their rate looks slow.
LEAST_TIMES = 8
#: Length of the weights over the period, and their harmonics (Blackman).
LENGTH, HARMONICS = 3.0, (0.42, 0.5, 0.08)
#: Times are the same within this part of the period.
SAME_TIME = 1e-6


def averaged(t: np.ndarray, values: np.ndarray, over: float) -> np.ndarray:
    """Return means of values at stored times, see :meth:`flexbody.Result.averaged`.

    Parameters
    ----------
    t : numpy.ndarray
        Times, (nt,), s.
    values : numpy.ndarray
        Values at these times, (nt, ...).
    over : float
        The period P, s.

    Returns
    -------
    numpy.ndarray
        Means, (nt, ...); NaN within 1.5 P of the first and of the last time.

    Notes
    -----
    The weights at the distance s from the middle are ``0.42 + 0.5 cos(x) + 0.08 cos(2 x)``, ``x = 2 pi s / (3 P)``.
    With ``cos(x - y) = cos x cos y + sin x sin y`` running sums over all times give the means at each.
    """
    _check_times(t, over)
    half = 0.5 * LENGTH * over
    spacing = np.diff(t)
    share = 0.5 * (np.append(spacing, 0.0) + np.append(0.0, spacing))
    angle = np.pi * (t - t[0]) / half
    parts = np.array([f(k * angle) for k in range(len(HARMONICS)) for f in (np.cos, np.sin)])
    weights = np.repeat(HARMONICS, 2)[:, None] * parts
    first, last = np.searchsorted(t, t - half), np.searchsorted(t, t + half, side="right")

    def weighed(x: np.ndarray) -> np.ndarray:
        """Return sums of x, (nt, m), with the weights about each time."""
        sums = np.zeros((len(parts), len(t) + 1, x.shape[1]))
        np.cumsum((parts * share)[:, :, None] * x, axis=1, out=sums[:, 1:])
        found: np.ndarray = np.einsum("pt,ptm->tm", weights, sums[:, last] - sums[:, first])
        return found

    columns = values.reshape(len(t), -1)
    middle = columns.mean(axis=0)  # (what is subtracted leaves no round-off in the differences of sums)
    means = middle + weighed(columns - middle) / weighed(np.ones((len(t), 1)))
    inside = half - SAME_TIME * over
    means[(t - t[0] < inside) | (t[-1] - t < inside)] = np.nan
    return means.reshape(values.shape)


def _check_times(t: np.ndarray, over: float) -> None:
    """Raise an InputError if the times are too few for a mean over this period, or don't last for it."""
    duration = float(t[-1] - t[0])
    if duration < (LENGTH - SAME_TIME) * over:
        raise InputError(
            f"Result.averaged: the stored times last {duration:.6g} s; a mean over {over:.6g} s takes "
            f"{LENGTH:g} such periods. Take a smaller over=, or a longer run"
        )
    longest = float(np.max(np.diff(t)))
    if longest * LEAST_TIMES > over * (1.0 + SAME_TIME):
        raise InputError(
            f"Result.averaged: the stored times are up to {longest:.6g} s apart; a mean over {over:.6g} s takes at "
            f"least {LEAST_TIMES} in its period, so that what vibrates faster is not taken for something slow. Run "
            f"with output_step={over / LEAST_TIMES:.3g} or less, or take a larger over="
        )

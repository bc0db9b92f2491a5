"""Derivatives of users' functions of time by differences, with step sizes that suit the function."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fem.common.errors import InputError

from .pieces import NO_CORNERS, piece_at


def differences(function: Callable, t: float, step: float, begin: float, end: float) -> tuple[float, float]:
    """Return the first and second derivative of ``function`` at ``t`` from five values within ``begin`` .. ``end``.

    They are the derivatives of the polynomial of degree 4 through the values at ``start + k step``, k = 0..4 (Newton's
    forward form). The error is O(step^4) in the middle; at the ends it is O(step^4) and O(step^3).
    """
    start = min(max(t - 2.0 * step, begin), max(end - 4.0 * step, begin))
    s = (t - start) / step
    f0, f1, f2 = function(start), function(start + step), function(start + 2.0 * step)
    f3, f4 = function(start + 3.0 * step), function(start + 4.0 * step)
    d1, d2, d3 = f1 - f0, f2 - 2.0 * f1 + f0, f3 - 3.0 * f2 + 3.0 * f1 - f0
    d4 = f4 - 4.0 * f3 + 6.0 * f2 - 4.0 * f1 + f0
    first = d1 + (s - 0.5) * d2 + (3.0 * s * s - 6.0 * s + 2.0) / 6.0 * d3
    first += (2.0 * s * s * s - 9.0 * s * s + 11.0 * s - 3.0) / 12.0 * d4
    second = d2 + (s - 1.0) * d3 + (6.0 * s * s - 18.0 * s + 11.0) / 12.0 * d4
    return first / step, second / (step * step)


def best_steps(
    function: Callable, t_end: float, order: int, corners: np.ndarray, few: bool = False
) -> np.ndarray:
    """Return the steps (n + 1,), s, for derivatives of this ``order`` between the ``corners`` (n,), s.

    Where a function with corners is a polynomial of degree 4 (such as a straight line), the step is the longest one;
    elsewhere it is :func:`best_step` of these parts.
    """
    if not len(corners):
        return np.array([best_step(function, t_end, order, few=few)])
    ends = np.concatenate([[0.0], corners, [t_end]])
    _, begin, end = np.array([piece_at(corners, t, t_end) for t in 0.5 * (ends[1:] + ends[:-1])]).T
    longest = (end - begin) / 4 * (1.0 - 1e-15)
    exact = np.array([_is_polynomial(function, *part) for part in zip(begin, longest, strict=True)])
    if exact.all():
        return longest
    step = best_step(function, t_end, order, corners, ~exact, few)
    return np.where(exact, longest, np.minimum(step, longest))


def _is_polynomial(function: Callable, begin: float, h: float) -> bool:
    """Return whether the polynomial of degree 4 through values at ``begin + k h`` gives all other values up to 4 h."""
    value = [function(begin + k * h / 2) for k in range(9)]
    size = max(map(abs, value))
    between = BETWEEN @ value[::2]
    return bool(
        np.abs(between - value[1::2]).max()
        <= POLYNOMIAL_NOISE * (size + abs(value[-1] - value[0]) * begin / h)
    )


def best_step(
    function: Callable,
    t_end: float,
    order: int,
    corners: np.ndarray = NO_CORNERS,
    which: np.ndarray | None = None,
    few: bool = False,
) -> float:
    """Return the step (s) at which the derivative of this ``order`` (1 or 2) depends least on the step.

    Steps from ``t_end / 16`` down are compared with shorter ones at times spread over the run. Only times at which the
    function changes are used. This determines the time scale of the function, however long the run is, also for a
    motion that rests most of the time (but moves for at least a hundredth of the run). The values lie between the
    ``corners`` (n,), s, where ``which`` (n + 1,) is True. ``few``: few times are compared, of a slow function.
    """
    count = FEW_COMPARED if few else TIMES_COMPARED
    times = t_end * ((np.arange(1, count + 1) * INVERSE_GOLDEN_RATIO) % 1.0)
    if which is not None:
        ends = np.concatenate([[0.0], corners, [t_end]])
        moved = np.cumsum(np.append(0.0, np.diff(ends) * which))
        times = np.interp(times / t_end * moved[-1], moved, ends)
        times = times[which[np.searchsorted(corners, times)]]
    pieces = [piece_at(corners, t, t_end)[1:] for t in times.tolist()]
    values = np.array([function(t) for t in times])
    if np.all(values == values[0]):
        return t_end / 16
    best, least = t_end / 16, math.inf
    for step in t_end / 16 * 0.5 ** np.arange(20):
        # The steps are not multiples of each other: a step that is a multiple of a period does not resolve it.
        steps = [min(step, (end - begin) / 4) for begin, end in pieces]
        wide, narrow = (
            np.array(
                [
                    differences(function, t, part * h, *piece)[order - 1]
                    for t, h, piece in zip(times, steps, pieces, strict=True)
                ]
            )
            for part in (1.0, INVERSE_GOLDEN_RATIO)
        )
        size = np.maximum(np.abs(wide), np.abs(narrow))
        # (where the function is not a number there is no difference: the run says so when it comes there)
        moving = size > 1e-3 * np.max(size, where=np.isfinite(size), initial=0.0)
        if not moving.any():
            continue
        spread = float(np.quantile(np.abs(wide - narrow)[moving], 0.8) / np.quantile(size[moving], 0.8))
        if spread < 0.5 * least:
            best, least = INVERSE_GOLDEN_RATIO * float(step), spread
        elif least < 1e-6 and spread > 1e3 * least:
            break  # round-off dominates
    return best


#: Times at which steps are compared, and those of a slow function.
TIMES_COMPARED, FEW_COMPARED = 400, 16

#: Factors of five values of a polynomial of degree 4 at s = 0, 1, 2, 3, 4 for those at 1/2, 3/2, 5/2, 7/2, and what
#: round-off leaves of them, over the size of the values.
BETWEEN = (
    np.array([[35, 140, -70, 28, -5], [-5, 60, 90, -20, 3], [3, -20, 90, 60, -5], [-5, 28, -70, 140, 35]])
    / 128
)
POLYNOMIAL_NOISE = 1e-13

#: Inverse of the golden ratio, the number that fractions approximate worst.
INVERSE_GOLDEN_RATIO = 0.6180339887498949


def continued(function: Callable, t_end: float) -> Callable:
    """Return the function continued by point reflection below 0; round-off beyond ``t_end`` is cut off."""

    def inside(t):
        if t < 0.0:
            return 2.0 * function(0.0) - function(-t)
        return function(t_end if t_end < t < t_end * (1.0 + 1e-12) else t)

    return inside


def check_derivative(
    function: Callable | None,
    rate: Callable | None,
    t_end: float,
    what: str,
    corners: np.ndarray = NO_CORNERS,
) -> None:
    """Compare a given derivative with differences of its function, and raise InputError if most times disagree.

    Times at which differences over t_end / 1000 and over a third of that disagree are not used. A deviation of ten
    percent is permitted, for derivatives of tables.
    """
    if function is None or rate is None:
        return
    times = t_end * ((np.arange(1, 12) * INVERSE_GOLDEN_RATIO) % 1.0)
    pieces = [(t, *piece_at(corners, t, t_end)[1:]) for t in times.tolist()]
    try:
        wide, narrow = (
            np.array([differences(function, t, min(t_end, 16 * (b - a)) / n, a, b)[0] for t, a, b in pieces])
            for n in (1000, 3000)
        )
        given = np.array([rate(t) for t in times])
    except Exception:
        return  # the error is reported when the function is called in the run
    size = float(np.abs(narrow).max())
    sure = np.abs(wide - narrow) <= 0.01 * size
    wrong = sure & (np.abs(given - narrow) > 0.1 * max(size, float(np.abs(given).max())))
    if sure.sum() > 3 and wrong.sum() > 0.5 * sure.sum():
        k = int(np.argmax(np.abs(given - narrow) * sure))
        raise InputError(
            f"{what}: at t = {times[k]:.6g} s it gives {given[k]:.6g}, but differences give {narrow[k]:.6g}; "
            "correct it, or leave it out"
        )

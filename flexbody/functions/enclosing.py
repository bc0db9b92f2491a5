"""Jumps of a function between two samples, enclosed by bisection between polynomials through five values beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

#: Distance of the values of a polynomial, in intervals.
APART = 0.25
#: Where polynomials meet, their distance falls below the first part of what it was; a value that is farther than the
#: second part of it from both belongs to neither.
STAYS, BETWEEN = 0.5, 0.25
#: Where the values beside a jump are off the polynomials by more than this part of it, there is another jump.
OTHER_JUMP = 0.01
#: Whether a function jumps at all is tried where it changes most: this part of the change that is left after so many
#: halvings is left after as many more.
TRIED_INTERVALS, HALVINGS, KEPT_BY_JUMP = 8, 8, 0.5

EPS = float(np.finfo(float).eps)
#: Beside a likely time of a jump the function is asked at this part of it.
BESIDE_LIKELY = 8 * EPS
NOWHERE = np.zeros(0)

#: From times (n,), s, to the values there, (n,).
Values = Callable[[np.ndarray], np.ndarray]


class Enclosed(NamedTuple):
    """What is in intervals; each (n,).

    Parameters
    ----------
    at : numpy.ndarray
        Times of jumps, s.
    size : numpy.ndarray
        Their sizes.
    found : numpy.ndarray
        In which intervals there is one jump.
    smooth : numpy.ndarray
        In which ones the polynomials meet, and values in between are near to them: the rate may jump there.
    behind : numpy.ndarray
        The first times behind the jumps, s; ``at`` are numbers of few digits that are as near as round-off.
    """

    at: np.ndarray
    size: np.ndarray
    found: np.ndarray
    smooth: np.ndarray
    behind: np.ndarray


def enclosed(
    values: Values,
    a: np.ndarray,
    b: np.ndarray,
    h: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    likely: np.ndarray = NOWHERE,
) -> Enclosed:
    """Return the jumps in intervals from a to b, one in each; all (n,).

    There is none where the polynomials through values beside the interval meet. ``h``: distance of the samples, s;
    ``first``, ``last``: the times between which the function is asked for, s; ``likely``: times of jumps, (k,), s,
    increasing, which are tried before halves.
    """
    h = np.minimum(APART * h, np.minimum((a - first) / 4, (last - b) / 4))
    found = h > 0.0
    n = len(a)
    out = Enclosed(np.zeros(n), np.zeros(n), found, np.zeros(n, dtype=bool), np.zeros(n))
    if not found.any():
        return out
    a, b, h = a[found], b[found], h[found]
    steps = np.arange(5)[:, None] * h
    left, right = (powers(list(values(t.ravel()).reshape(t.shape))) for t in (a - steps, b + steps))
    begin, end, whole, good = a.copy(), b.copy(), np.zeros(len(a)), np.ones(len(a), dtype=bool)
    smooth, tries = np.zeros(len(a), dtype=bool), _first_tries(a, b, likely)
    while (k := np.flatnonzero(good & (a < (x := _next(a, b, tries))) & (x < b))).size:
        before = polynomial([c[k] for c in left], (begin[k] - x[k]) / h[k])
        behind = polynomial([c[k] for c in right], (x[k] - end[k]) / h[k])
        value, size = values(x[k]), np.abs(behind - before)
        whole[k] = np.where(whole[k] > 0.0, whole[k], size)
        nearest = np.minimum(np.abs(value - before), np.abs(value - behind))
        apart, between = size > STAYS * whole[k], nearest > BETWEEN * size  # (may be not a number at a jump)
        good[k], smooth[k] = apart & ~between, ~apart & (nearest <= BETWEEN * whole[k])
        is_before = np.abs(value - before) < np.abs(value - behind)
        a[k], b[k] = np.where(is_before, x[k], a[k]), np.where(is_before, b[k], x[k])
    before, behind = polynomial(left, (begin - a) / h), polynomial(right, (b - end) / h)
    out.size[found] = behind - before
    rest = np.maximum(np.abs(values(a) - before), np.abs(values(b) - behind))
    good &= ~(rest > OTHER_JUMP * np.abs(behind - before))
    out.at[found] = [rounded(x, 4 * EPS * abs(x)) for x in b.tolist()]
    out.smooth[found], out.behind[found] = smooth, b
    found[found] = good
    return out


def _first_tries(a: np.ndarray, b: np.ndarray, likely: np.ndarray) -> list[np.ndarray]:
    """Return times beside the one likely time in each interval, (n,), for the last and the first try; NaN for none."""
    k = np.searchsorted(likely, a)
    one = np.searchsorted(likely, b) == k + 1
    t = np.where(one, np.append(likely, np.nan)[k], np.nan)
    return [t * (1.0 + BESIDE_LIKELY), t * (1.0 - BESIDE_LIKELY)] if one.any() else []


def _next(a: np.ndarray, b: np.ndarray, tries: list[np.ndarray]) -> np.ndarray:
    """Return the time in each interval at which the function is asked next, (n,), s: the middle if no try is left."""
    x = 0.5 * (a + b)
    if not tries:
        return x
    t = tries.pop()
    return np.where((a < t) & (t < b), t, x)


def jumps_at_all(values: Values, t: np.ndarray, f: np.ndarray) -> bool:
    """Return whether a function with values f (n,) jumps in an interval between the times t (n,) where it changes most.

    The change of a smooth function is halved with its interval.
    """
    k = np.argsort(np.abs(np.diff(f)))[-TRIED_INTERVALS:]
    a, b, at, behind = t[k], t[k + 1], f[k], f[k + 1]
    left = []
    for _ in range(2):
        for _ in range(HALVINGS):
            x = 0.5 * (a + b)
            value = values(x)
            later = np.abs(behind - value) > np.abs(value - at)
            a, b = np.where(later, x, a), np.where(later, b, x)
            at, behind = np.where(later, value, at), np.where(later, behind, value)
        left.append(np.abs(behind - at))
    return bool((left[1] > np.maximum(KEPT_BY_JUMP * left[0], 0.0)).any())


def powers(f: Sequence[Any]) -> list[Any]:
    """Return the coefficients of the polynomial through f[k] at s = k, in powers of s: Newton's forward form."""
    d1, d2, d3 = f[1] - f[0], f[2] - 2.0 * f[1] + f[0], f[3] - 3.0 * f[2] + 3.0 * f[1] - f[0]
    d4 = f[4] - 4.0 * f[3] + 6.0 * f[2] - 4.0 * f[1] + f[0]
    return [f[0], d1 - d2 / 2 + d3 / 3 - d4 / 4, d2 / 2 - d3 / 2 + 11 * d4 / 24, d3 / 6 - d4 / 4, d4 / 24]


def polynomial(c: Sequence[Any], s: Any) -> Any:
    """Return ``sum c_k s^k``."""
    value = 0.0 * s
    for x in reversed(c):
        value = value * s + x
    return value


def shifted(c: list[float], by: float) -> list[float]:
    """Return the coefficients of ``sum c_k (s + by)^k`` in powers of s."""
    out = [0.0] * len(c)
    for x in reversed(c):
        out = [x + by * out[0], *(low + by * high for low, high in pairwise(out))]
    return out


def rounded(t: float, uncertain: float) -> float:
    """Return the number with the fewest digits that differs from ``t`` by no more than ``uncertain``."""
    return next(x for digits in range(1, 18) if abs((x := float(f"{t:.{digits}g}")) - t) <= uncertain)

"""Jumps of a function between two samples, enclosed by bisection between polynomials through five values beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

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

#: From times (n,), s, to the values there, (n,).
Values = Callable[[np.ndarray], np.ndarray]


def enclosed(
    values: Values, a: np.ndarray, b: np.ndarray, h: np.ndarray, first: np.ndarray, last: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times (n,), s, and sizes (n,) of the jumps in intervals from a to b, and in which of them there is one.

    There is none where the polynomials through values beside the interval meet. ``h``: distance of the samples, s;
    ``first``, ``last``: the times between which the function is asked for, s; all (n,).
    """
    h = np.minimum(APART * h, np.minimum((a - first) / 4, (last - b) / 4))
    found = h > 0.0
    out = np.zeros(len(a)), np.zeros(len(a)), found
    if not found.any():
        return out
    a, b, h = a[found], b[found], h[found]
    steps = np.arange(5)[:, None] * h
    left, right = (powers(list(values(t.ravel()).reshape(t.shape))) for t in (a - steps, b + steps))
    begin, end, whole, good = a.copy(), b.copy(), np.zeros(len(a)), np.ones(len(a), dtype=bool)
    while (k := np.flatnonzero(good & (a < (x := 0.5 * (a + b))) & (x < b))).size:
        before = polynomial([c[k] for c in left], (begin[k] - x[k]) / h[k])
        behind = polynomial([c[k] for c in right], (x[k] - end[k]) / h[k])
        value, size = values(x[k]), np.abs(behind - before)
        whole[k] = np.where(whole[k] > 0.0, whole[k], size)
        nearest = np.minimum(np.abs(value - before), np.abs(value - behind))
        good[k] = (size > STAYS * whole[k]) & ~(
            nearest > BETWEEN * size
        )  # (it may be not a number at a jump)
        is_before = np.abs(value - before) < np.abs(value - behind)
        a[k], b[k] = np.where(is_before, x[k], a[k]), np.where(is_before, b[k], x[k])
    before, behind = polynomial(left, (begin - a) / h), polynomial(right, (b - end) / h)
    out[1][found] = behind - before
    rest = np.maximum(np.abs(values(a) - before), np.abs(values(b) - behind))
    good &= ~(rest > OTHER_JUMP * np.abs(behind - before))
    out[0][found] = [rounded(x, 4 * EPS * abs(x)) for x in b.tolist()]
    found[found] = good
    return out


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

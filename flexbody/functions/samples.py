"""Functions of time that are given at discrete times."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


class Samples:
    """A function of time that interpolates values at discrete times.

    Parameters
    ----------
    t : array_like
        Increasing times, (nt,), s.
    values : array_like
        Values, (nt,) or (nt, k).
    rates : array_like, optional
        Time derivatives of the values, (nt,) or (nt, k).

    Notes
    -----
    At the given times the function returns the given values exactly. Between them it is the cubic polynomial of values
    and rates (Hermite), or linear without rates. Outside it is the value at the nearest end.
    """

    def __init__(self, t: ArrayLike, values: ArrayLike, rates: ArrayLike | None = None):
        self.t = np.asarray(t, dtype=float)
        self.values = np.asarray(values, dtype=float)
        self.rates = None if rates is None else np.asarray(rates, dtype=float)

    def __call__(self, t: float):
        """Return the value at ``t`` (s), a number or (k,)."""
        right = int(np.searchsorted(self.t, t))
        if right == len(self.t) or self.t[right] == t or right == 0:
            value = self.values[min(right, len(self.t) - 1)]
        else:
            value = self._between(right - 1, t)
        return float(value) if np.ndim(value) == 0 else value

    def _between(self, k: int, t: float):
        h = self.t[k + 1] - self.t[k]
        s = (t - self.t[k]) / h
        a, b = self.values[k], self.values[k + 1]
        if self.rates is None:
            return a + s * (b - a)
        u, v = h * self.rates[k], h * self.rates[k + 1]
        return a + s * (u + s * (3 * (b - a) - 2 * u - v + s * (2 * (a - b) + u + v)))

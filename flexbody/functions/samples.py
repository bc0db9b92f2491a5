"""Functions of time that are given at discrete times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .pieces import Corner

#: Round-off of the difference of two numbers, over their size.
DIFFERENCE_NOISE = 8 * float(np.finfo(float).eps)


class Samples:
    """A function of time that interpolates values at discrete times by straight lines.

    Parameters
    ----------
    t : array_like
        Times, (nt,), s, increasing. At a corner or jump a time occurs twice, with the value before and behind it.
    values : array_like
        Values, (nt,) or (nt, k).
    corners : sequence of Corner, optional
        The known corners and jumps of the function.

    Notes
    -----
    At the given times the function returns the given values exactly, at a jump the one before it. Outside it is the
    value at the nearest end.
    """

    def __init__(self, t: ArrayLike, values: ArrayLike, corners: Sequence[Corner] = ()):
        self.t = np.asarray(t, dtype=float)
        self.values = np.asarray(values, dtype=float)
        self.corners = tuple(corners)

    def __call__(self, t: float):
        """Return the value at ``t`` (s), a number or (k,)."""
        right = int(np.searchsorted(self.t, t))
        if right == len(self.t) or self.t[right] == t or right == 0:
            value = self.values[min(right, len(self.t) - 1)]
        else:
            value = self._between(right - 1, t)
        return float(value) if np.ndim(value) == 0 else value

    def _between(self, k: int, t: float):
        s = (t - self.t[k]) / (self.t[k + 1] - self.t[k])
        return self.values[k] + s * (self.values[k + 1] - self.values[k])


class MotionSamples(Samples):
    """The value of a motion, or one of its derivatives, between discrete times at which all three are given.

    Parameters
    ----------
    t : array_like
        Times, (nt,), s, as of :class:`Samples`.
    motion : array_like
        Value, rate and acceleration, (nt, 3).
    order : int, optional
        Which of them the function is: 0, 1 or 2.
    corners : sequence of Corner, optional
        The known corners of the value.

    Notes
    -----
    Between two times, h apart, the value is the polynomial of degree 5 that has all six numbers (Hermite), and the
    others are its derivatives. It is composed of what the accelerations a0, a1 at both ends give, and of parts that
    vanish there and bring about the differences of rates and of values; with s from 0 to 1::

        a = a0 + s (a1 - a0) + L s (1 - s) + 2 K s (1 - s) (1 - 2 s) / h

    A part that is round-off of its difference is left out.
    """

    def __init__(self, t: ArrayLike, motion: ArrayLike, order: int = 0, corners: Sequence[Corner] = ()):
        self.motion, self.order = np.asarray(motion, dtype=float), order
        super().__init__(t, self.motion[:, order], corners)

    def _between(self, k: int, t: float):
        (x0, r0, a0), (x1, r1, a1) = self.motion[k].tolist(), self.motion[k + 1].tolist()
        h = float(self.t[k + 1] - self.t[k])
        s = (t - float(self.t[k])) / h
        L = 6.0 * _over(r1, r0, h, 0.5 * (a0 + a1))
        K = 30.0 * _over(x1, x0, h, r0 + h * (a0 / 3.0 + a1 / 6.0 + L / 12.0))
        if self.order == 2:
            return a0 + s * (a1 - a0) + s * (1.0 - s) * (L + 2.0 * K * (1.0 - 2.0 * s) / h)
        if self.order == 1:
            given = a0 + s * (0.5 * (a1 - a0) + L * (0.5 - s / 3.0))
            return r0 + s * h * given + K * (s * (1.0 - s)) ** 2
        given = 0.5 * a0 + s * ((a1 - a0) / 6.0 + L * (2.0 - s) / 12.0)
        return x0 + s * h * (r0 + s * h * given + K * s * s * (1.0 / 3.0 - s * (0.5 - s / 5.0)))


def _over(last: float, first: float, h: float, known: float) -> float:
    """Return ``(last - first) / h - known``, or 0 where it is round-off of the difference."""
    rest = (last - first) / h - known
    return rest if abs(rest) * h > DIFFERENCE_NOISE * max(abs(last), abs(first)) else 0.0

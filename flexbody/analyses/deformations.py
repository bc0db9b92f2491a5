"""Deformations of force elements along a known motion as functions of time, in polynomial pieces."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

import numpy as np

#: Positions within a piece (from 0 to 1) where it is interpolated, and where it is checked.
FITTED_AT, CHECKED_AT = (0.0, 0.5, 1.0), 0.27
#: Largest number of halvings of a piece. Where shorter pieces are needed, as at a kink of a drive, the motion itself is
#: evaluated.
MAX_HALVINGS = 5


def _powers(s: float) -> np.ndarray:
    """Return the powers (2, 6) of ``s`` that give a polynomial of degree 5 and its derivative from its coefficients."""
    k = np.arange(6)
    return np.array([s**k, k * s ** np.maximum(k - 1, 0)])


#: Coefficients of the polynomial of degree 5 by three values and derivatives.
COEFFICIENTS = np.linalg.inv(np.concatenate([_powers(s) for s in FITTED_AT]))


class Deformations:
    """Deformations and rates (2, nx) at any time between the first and the last of given times.

    Parameters
    ----------
    times : numpy.ndarray
        Times, s, between which the pieces begin.
    exact : callable
        Function ``t -> (2, nx)``, costly to evaluate.
    tolerance : float
        Relative error of the pieces.

    Notes
    -----
    A piece between two times is the polynomial of degree 5 with the values and rates at its ends and in the middle.
    It is halved until it agrees elsewhere to the tolerance.
    """

    def __init__(self, times: np.ndarray, exact: Callable[[float], np.ndarray], tolerance: float) -> None:
        self.times, self.exact, self.tolerance = list(times), exact, tolerance
        self.pieces: dict[tuple[int, int, int], np.ndarray | None] = {}
        self.size = np.zeros(0)

    def at(self, t: float) -> np.ndarray:
        """Return deformations and rates (2, nx) at a time."""
        k = min(max(bisect_right(self.times, t) - 1, 0), len(self.times) - 2)
        start, length = self.times[k], self.times[k + 1] - self.times[k]
        s, place = (t - start) / length, 0
        for depth in range(MAX_HALVINGS):
            key = (k, depth, place)
            if key not in self.pieces:
                self.pieces[key] = self._piece(start + place * length / 2**depth, length / 2**depth)
            found = self.pieces[key]
            if found is not None:
                value = _powers(s * 2**depth - place) @ found
                value[1] *= 2**depth / length
                return value
            place = min(int(s * 2 ** (depth + 1)), 2 ** (depth + 1) - 1)
        return self.exact(t)

    def _piece(self, start: float, length: float) -> np.ndarray | None:
        """Return the coefficients (6, nx) of a piece, or None if the piece does not agree with the motion elsewhere."""
        known = [self.exact(start + s * length) for s in FITTED_AT]
        scale = np.array([[1.0], [length]])
        found = COEFFICIENTS @ np.concatenate([scale * x for x in known])
        other = scale * self.exact(start + CHECKED_AT * length)
        size = np.abs([scale * x for x in known]).max(axis=(0, 1))
        self.size = np.maximum(self.size, size) if self.size.size else size
        good = np.abs(_powers(CHECKED_AT) @ found - other) <= self.tolerance * self.size
        return found if good.all() else None

"""Whether the swings of some coordinates grow during a run."""

from __future__ import annotations

import numpy as np

#: A run is divided in so many parts; swings grow if the largest of each part exceeds that before by this factor.
PARTS, FACTOR = 4, 1.25
#: number of intervals for which the largest swings are kept
INTERVALS = 64


class Swings:
    """The largest swings of n coordinates over the time of a run; a swing is the way from one extreme to the next.

    Parameters
    ----------
    n : int
        Number of coordinates.
    """

    def __init__(self, n: int) -> None:
        self._extreme, self._last, self._way = np.zeros(n), np.zeros(n), np.zeros(n)
        self._largest: list[np.ndarray] = []  # in each interval
        self._in_interval, self._filled = 1, 0  # states in an interval, and in the last one

    def add(self, x: np.ndarray) -> None:
        """Take note of the coordinates (n,) at the next time."""
        way = np.sign(x - self._last)
        self._extreme = np.where(way * self._way < 0, self._last, self._extreme)
        self._way = np.where(way == 0, self._way, way)
        self._last = x.copy()
        swing = np.abs(x - self._extreme)
        if self._largest and self._filled < self._in_interval:
            self._largest[-1] = np.maximum(self._largest[-1], swing)
            self._filled += 1
            return
        if len(self._largest) == INTERVALS:
            pairs = zip(self._largest[::2], self._largest[1::2], strict=True)
            self._largest, self._in_interval = [np.maximum(*pair) for pair in pairs], 2 * self._in_interval
        self._largest.append(swing)
        self._filled = 1

    def grow(self, weights: np.ndarray) -> bool:
        """Return whether the largest of the swings times ``weights`` (n,) grows from each part of the run to the next.

        Swings that begin large and die out, or go on as they are, do not grow.
        """
        if len(self._largest) < 2 * PARTS:
            return False
        each = (np.array(self._largest) * weights).max(axis=1, initial=0.0)
        largest = np.array([part.max() for part in np.array_split(each, PARTS)])
        return bool((largest[1:] > FACTOR * largest[:-1]).all() and largest[0] > 0.0)

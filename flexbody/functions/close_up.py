"""Samples of a function of time in a part of a run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CloseUp(NamedTuple):
    """Samples of a function at equal distances.

    Parameters
    ----------
    first, last : float
        First and last time, s.
    values : numpy.ndarray
        The values there, (n + 1, m).
    """

    first: float
    last: float
    values: np.ndarray

    @property
    def h(self) -> float:
        """Distance of the samples, s."""
        return (self.last - self.first) / (len(self.values) - 1)

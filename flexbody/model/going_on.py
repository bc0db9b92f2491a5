"""Drives with a constant rate that are switched on during a run, and go on from their coordinate there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .drives import Drive


class GoingOn:
    """The coordinate of a drive with a constant rate that was switched on at ``times`` (s), at ``values``."""

    def __init__(self, times: list[float], values: list[float], rate: float) -> None:
        self._times, self._values, self._rate = np.array(times), np.array(values), rate

    def __call__(self, t: float) -> float:
        """Return the coordinate at ``t``, s."""
        k = int(np.searchsorted(self._times, t, side="right")) - 1
        return float(self._values[k] + self._rate * (t - self._times[k]))


def going_on(drive: Drive, switched: Sequence[tuple[float, float]]) -> Drive:
    """Return a drive that was switched on at the times, s, and values ``switched``, the last of which holds."""
    rate = drive.prescribed.constants()[1]
    if rate == 0.0 and len(switched) == 1:
        return replace(drive, rate=None, value=switched[0][1])
    times, values = (list(column) for column in zip(*switched, strict=True))
    return replace(
        drive,
        rate=None,
        which=drive.coordinate,
        value=GoingOn(times, values, rate),
        velocity=lambda time: rate,
        acceleration=lambda time: 0.0,
    )

"""Pulses in functions of time, over which a long step could pass without a trace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..core.time_laws import samples
from .time_law import DRIVE_PARTS, NO_LAW, Law

#: Intervals into which a run is divided to look for pulses; one that is shorter than two of them can be missed.
INTERVALS = 8192
#: Step with which to go on from the beginning of a pulse, in intervals.
FIRST_STEP = 0.25
#: Second difference of a function that begins to change: in parts of its range, and over the largest one of so many
#: intervals before.
LEAST_BEND, BEND_RATIO, BEFORE = 1e-3, 30.0, 8
#: A function is rough if its second difference exceeds this part of its range at more than this share of the times.
ROUGH_BEND, ROUGH_SHARE = 0.5, 0.05


class Pulses(NamedTuple):
    """Where functions of time begin to change.

    Parameters
    ----------
    begins : numpy.ndarray
        The samples before and behind each beginning, (n,), s, increasing.
    step : float
        Step with which to go on from there, s.
    longest : float
        Longest step, s: not limited unless a function changes all the time.
    """

    begins: np.ndarray
    step: float
    longest: float


def find_pulses(laws: Iterable[Law], t_end: float) -> Pulses:
    """Return where laws come out of a smooth course between 0 and ``t_end`` (s), from samples of each.

    Steps of any method see a pulse that is on at one of the samples: some lengthen their steps ten thousandfold behind
    the first one, which is still before the pulse.
    Errors of a user's function are left to the run, which calls it at its own times.
    """
    step = t_end / INTERVALS
    found, rough = np.zeros(0), False
    for law in laws:
        if law.pair == NO_LAW:
            continue  # a user's constraint, which depends on more than the time
        known = law.error
        values = samples(law.pair, 0.0, step, INTERVALS + 1)
        law.error = known
        if law.parts == DRIVE_PARTS:
            values = values[:, :1]  # its rates follow from the value
        for column in values.T:
            bend = _bends(column)
            sharp = bend > ROUGH_BEND
            begins = np.flatnonzero(_begins(bend))
            rough |= bool(sharp.sum() - 2 * len(begins) > ROUGH_SHARE * INTERVALS)
            found = np.union1d(found, np.concatenate([begins + 1, begins + 2]))
    return Pulses(step * found, FIRST_STEP * step, step if rough else np.inf)


def _bends(values: np.ndarray) -> np.ndarray:
    """Return second differences (n - 2,) of samples (n,) in parts of their range; zero for what is not finite."""
    reach = np.ptp(values)
    if not (np.isfinite(reach) and reach > 0.0):
        return np.zeros(len(values) - 2)
    return np.abs(np.diff(values, 2)) / reach


def _begins(bend: np.ndarray) -> np.ndarray:
    """Return where second differences (n,) are much larger than those before them."""
    padded = np.concatenate([np.zeros(BEFORE), bend])
    before = np.lib.stride_tricks.sliding_window_view(padded, BEFORE)[: len(bend)].max(axis=1)
    return bend > np.maximum(LEAST_BEND, BEND_RATIO * before)

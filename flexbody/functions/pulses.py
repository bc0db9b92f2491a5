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
#: samples before.
LEAST_BEND, BEND_RATIO, SAMPLES_BEFORE = 1e-3, 30.0, 8
#: A function is rough if its second difference exceeds this part of its range at more than this share of the times.
ROUGH_BEND, ROUGH_SHARE = 0.5, 0.05


class Pulses(NamedTuple):
    """Where functions of time begin to change.

    Parameters
    ----------
    times : numpy.ndarray
        Times at which steps end, (n,), s, increasing: before a function begins to change, and during short pulses.
    step : float
        First step after each of them, s.
    longest : float
        Longest step of the run, s; infinite unless a function changes all the time.
    """

    times: np.ndarray
    step: float
    longest: float


#: Of a run whose steps are fixed.
NO_PULSES = Pulses(np.zeros(0), 0.0, np.inf)


def find_pulses(laws: Iterable[Law], t_end: float) -> Pulses:
    """Return where laws come out of a smooth course between 0 and ``t_end`` (s), from samples of each.

    A step ends at the sample before each beginning and at the samples behind it up to the end of a short pulse. The
    first one alone does not suffice: no force acts there yet, and a method may lengthen its steps again at once.
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
            marks = np.flatnonzero(_pulse(bend))
            rough |= bool((bend > ROUGH_BEND).sum() - len(marks) > ROUGH_SHARE * INTERVALS)
            found = np.union1d(found, np.concatenate([marks + 1, marks + 2]))
    return Pulses(step * found, FIRST_STEP * step, step if rough else np.inf)


def _bends(values: np.ndarray) -> np.ndarray:
    """Return second differences (n - 2,) of samples (n,) in parts of their range; zero for what is not finite."""
    reach = np.ptp(values)
    if not (np.isfinite(reach) and reach > 0.0):
        return np.zeros(len(values) - 2)
    return np.abs(np.diff(values, 2)) / reach


def _pulse(bend: np.ndarray) -> np.ndarray:
    """Return which second differences (n,) are those of a beginning, or of a short pulse behind it."""
    large, before = bend > LEAST_BEND, _largest_before(bend)
    begins = large & (bend > BEND_RATIO * before)
    return begins | (large & (_largest_before(begins) > 0))


def _largest_before(values: np.ndarray) -> np.ndarray:
    """Return the largest of the ``SAMPLES_BEFORE`` values before each one, (n,)."""
    padded = np.concatenate([np.zeros(SAMPLES_BEFORE), values[:-1]])
    return np.lib.stride_tricks.sliding_window_view(padded, SAMPLES_BEFORE).max(axis=1)

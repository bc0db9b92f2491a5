"""Pulses in functions of time, over which a long step could pass without a trace."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np

from .ahead import Ahead
from .close_up import CloseUp
from .close_ups import close_ups
from .periods import PARTS, longest_steps
from .time_law import DRIVE_PARTS, NO_LAW, Law

#: Intervals into which a run is divided to look for pulses; one that is shorter than two of them can be missed. (Laws
#: that are called back have longer intervals.)
INTERVALS = 8192
#: A pulse that begins gently is sudden among samples as far apart as it is long: distances of samples, in intervals.
DISTANCES = tuple(2**k for k in range(9))
#: The longest of these distances in parts with closer samples; shorter steps than this part of one find all of them.
FARTHEST_CLOSE, LEAST_NOTICED = 16, 2.0**-24
#: So many ends of steps show that a part with closer samples contains more than a pulse.
ENDS_LIMIT = 32
#: Step with which to go on from a sample, in distances of the samples.
FIRST_STEP = 0.25
#: Second difference of a function that begins to change: in parts of its range, and over the largest one of so many
#: samples before.
LEAST_BEND, BEND_RATIO, SAMPLES_BEFORE = 1e-3, 30.0, 8
#: Accelerations of a drive count that would move by more than this part of its whole motion in the run.
LEAST_SHAKING = 1e-2
#: A function is rough if its second difference exceeds this part of its range at more than this share of the times.
ROUGH_BEND, ROUGH_SHARE = 0.5, 0.05


class Pulses(NamedTuple):
    """Where functions of time begin to change.

    Parameters
    ----------
    times : numpy.ndarray
        Times at which steps end, (n,), s, increasing: before a function begins to change, and during short pulses.
    steps : numpy.ndarray
        First step after each of them, (n,), s.
    least : float
        The shortest of these steps that there can be, s.
    longest : float
        Longest step of the run, s; infinite unless a function changes all the time.
    start, end : float
        Begin and end of the run, s.
    in_parts : numpy.ndarray
        Longest steps in equal parts of the run, (n,), s: a fraction of the periods of functions that go to and fro.
    """

    times: np.ndarray
    steps: np.ndarray
    least: float
    longest: float
    start: float
    end: float
    in_parts: np.ndarray

    def longest_between(self, first: float, last: float, factor: float = 1.0) -> float:
        """Return the longest step between two times (s), with ``factor`` times the fraction of a period."""
        n, part = len(self.in_parts), (self.end - self.start) / len(self.in_parts)
        begin = min(max(int((first - self.start) / part), 0), n - 1)
        stop = min(max(math.ceil((last - self.start) / part), begin + 1), n)
        return min(self.longest, factor * float(self.in_parts[begin:stop].min()))


#: Of a run whose steps are fixed.
NO_PULSES = Pulses(np.zeros(0), np.zeros(0), 0.0, np.inf, 0.0, 1.0, np.full(1, np.inf))


class UserLaw(Protocol):
    """A law of the user, which depends on the time and on the motion."""

    @property
    def ahead(self) -> Ahead:
        """What it gives over time for one motion."""


def find_pulses(
    laws: Iterable[Law], users: Iterable[UserLaw], start: float, end: float, max_step: float
) -> Pulses:
    """Return where laws come out of a smooth course between two times (s), from samples of each.

    A step ends at the sample before each beginning and at the samples behind it up to the end of a short pulse. The
    first one alone does not suffice: no force acts there yet, and a method may lengthen its steps again at once.
    Samples that are farther apart than ``max_step`` (s) are left out: no step passes over what they show. Laws of a
    user's constraint, which depend on more than the time, are left out. Errors of a user's function are left to the
    run, which calls it at its own times.
    """
    step = (end - start) / INTERVALS
    apart = np.zeros(INTERVALS + 1, dtype=int)  # distance of the samples where a step ends, or 0
    rough, longest, ends = False, np.full(PARTS, np.inf), list[np.ndarray]()
    of_users = ((_repeated(user.ahead, start, end), None, user.ahead) for user in users)
    of_laws = ((*_over_time(law, start, end), law.ahead) for law in laws if law.pair != NO_LAW)
    for values, shaking, ahead in (*of_laws, *of_users):
        for k, column in enumerate(() if values is None else values.T):
            rough |= _mark(column, np.ptp(column), max_step / step, apart)
            longest = np.minimum(longest, longest_steps(column))
            ends += [_closer(part, k, max_step) for part in close_ups(ahead, start, end)]
        if shaking is not None:
            longest = np.minimum(longest, longest_steps(shaking))
    found = np.flatnonzero(apart)
    ends.append(np.column_stack([start + step * found, FIRST_STEP * step * apart[found]]))
    times, steps = np.unique(np.concatenate(ends), axis=0).T
    least, most = min(steps, default=FIRST_STEP * step), step if rough else np.inf
    return Pulses(times, steps, min(least, FIRST_STEP * step), most, start, end, (end - start) * longest)


def noticed(max_step: float, start: float, end: float) -> float:
    """Return the largest of few steps (s) up to ``max_step`` (s) for which the same pulses are found."""
    step = (end - start) / INTERVALS
    return float(step * 2.0 ** np.floor(np.log2(np.clip(max_step / step, LEAST_NOTICED, DISTANCES[-1]))))


def _closer(part: CloseUp, k: int, max_step: float) -> np.ndarray:
    """Return times at which steps end for a number of a law among close samples, and the steps behind them, (n, 2)."""
    column, apart = part.values[:, k], np.zeros(len(part.values), dtype=int)
    _mark(column, np.ptp(column), min(max_step / part.h, FARTHEST_CLOSE), apart)
    found = np.flatnonzero(apart)
    if len(found) > ENDS_LIMIT:
        return np.zeros((0, 2))  # jumps that follow each other are no pulse
    return np.column_stack([part.first + part.h * found, FIRST_STEP * part.h * apart[found]])


def _over_time(law: Law, start: float, end: float) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the numbers of a function of time, (n, m), and the accelerations of a drive, (n,), that may shake.

    The rates of a drive follow from its value; its accelerations count if they are exact, and could cause the part
    LEAST_SHAKING of its motion.
    """
    values = _repeated(law.ahead, start, end)
    reach = 0.0 if values is None else float(np.ptp(values, axis=0).sum())
    law.reach = reach if np.isfinite(reach) else 0.0
    if values is None or law.parts != DRIVE_PARTS:
        return values, None
    moved = LEAST_SHAKING * np.ptp(values[:, 0]) / (end - start) ** 2
    exact = law.compiled and np.ptp(values[:, 2]) > moved
    return values[:, :1], values[:, 2] if exact else None


def _repeated(ahead: Ahead, start: float, end: float) -> np.ndarray | None:
    """Return samples (n, m) of a function, or None if it gives other values in other calls."""
    values = ahead.over(start, end, INTERVALS)
    return values if ahead.repeats else None


def _mark(values: np.ndarray, reach: float, farthest: float, apart: np.ndarray) -> bool:
    """Mark where steps end for samples (n,), with the distance of those that show it; return whether they are rough.

    ``reach``: the range of the function.
    """
    if not (np.isfinite(reach) and reach > 0.0):
        return False
    rough, known = False, np.zeros(len(apart), dtype=bool)  # beginnings among samples that are closer
    closest = (len(apart) - 1) // (len(values) - 1)
    for distance in (d for d in DISTANCES if closest <= d <= max(farthest, closest)):
        bend = np.abs(np.diff(values[:: distance // closest], 2)) / reach
        large = bend > LEAST_BEND
        begins = large & (bend > BEND_RATIO * _largest_before(bend))
        starts = np.flatnonzero(begins)
        begins[starts] = [not known[k * distance : (k + 2) * distance + 1].any() for k in starts]
        known[distance * (np.flatnonzero(begins) + 1)] = True
        marks = np.flatnonzero(begins | (large & (_largest_before(begins) > 0)))
        if distance == closest:
            rough = bool((bend > ROUGH_BEND).sum() - len(marks) > ROUGH_SHARE * len(values))
        ends = distance * np.union1d(marks + 1, marks + 2)
        apart[ends] = np.where(apart[ends] > 0, np.minimum(apart[ends], distance), distance)
    return rough


def _largest_before(values: np.ndarray) -> np.ndarray:
    """Return the largest of the ``SAMPLES_BEFORE`` values before each one, (n,)."""
    padded = np.concatenate([np.zeros(SAMPLES_BEFORE), values[:-1]])
    return np.lib.stride_tricks.sliding_window_view(padded, SAMPLES_BEFORE).max(axis=1)

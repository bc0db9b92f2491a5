"""What a user's function gives over the time of a run that has not begun: which times may be asked for, and how many.

A function of time depends on nothing else. One that keeps a state between its calls (a latch), counts them or draws
random numbers gives other values when it is asked for the same times again: nothing can be found in it ahead, and the
result of a run, which asks for earlier times again where it repeats a step, can't be trusted.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fem.common.errors import warn

#: A function is slow if a call takes longer (s): then there are so many intervals between its samples.
SLOW_CALL, FEW_INTERVALS = 2e-4, 128
#: A call waits, for something else than other threads, if it takes longer than so many turns of each of them.
TURNS = 4
#: Calls that took longest, which do not count: something else may have happened in them.
LONGEST_LEFT_OUT = 3
#: What is looked for in the functions of a machine costs so many calls at most, and at least so many of each function.
#: Where a search ends there, this is told: elsewhere the digits of a run do not depend on a clock.
BUDGET, LEAST_BUDGET = 600_000, 60_000
#: A call that takes longer (s) counts more, in steps of a factor; so many steps at most.
USUAL_CALL, WEIGHT_STEP, WEIGHT_STEPS = 1.6e-5, 4.0, 5
#: Own work counts as so many calls: for each time at which values are asked for at once, and each part of the run that
#: is looked at.
AT_ONCE_COST, PART_COST = 4, 100
#: Calls that enclose jumps are counted apart, because the run takes longer for each of these: two times as many.
BUDGET_OF_JUMPS = 2 * BUDGET
#: Values that are asked for twice.
ASKED_TWICE = 9
#: Two values at one time are equal up to this part of them, or of the largest value: a function may continue an
#: iteration of its own.
SAME_VALUE = 1e-6


class Ahead:
    """A user's function of time (and of a motion that stays as it is) that is asked for values before a run.

    What is asked depends on what the function has given, and on the clock only for a function that is told as slow.

    Parameters
    ----------
    sample : callable
        From times (n,), s, to the values there, (n, m).
    what : str
        Name of the function in messages.
    of : str, optional
        What it may depend on, in messages.
    functions : sequence of callable, optional
        The user's functions behind it, which name times.

    Attributes
    ----------
    repeats : bool
        Whether it gave the same numbers again to the last digit.
    call_time : float
        The time that a call took on average over the latest run that was looked at, s.
    allowed : tuple of float
        What may be looked for in it, and what may be taken to enclose jumps, when samples of a run begin; in calls.
    left, left_for_jumps : float
        What is left of both.
    taken, taken_for_jumps : float
        What was taken of both by all searches.
    closer : Closer or None
        What it does beside the samples of that run, where that is known.
    """

    def __init__(
        self,
        sample: Callable[[np.ndarray], np.ndarray],
        what: str,
        of: str = "t",
        functions: Sequence[Callable | None] = (),
    ) -> None:
        self.sample, self._what, self._of = sample, what, of
        self.functions = tuple(one for one in functions if one is not None)
        self._told: set[str] = set()
        self.repeats, self.call_time, self._weight = True, 0.0, 1.0
        self.allowed = self.left, self.left_for_jumps = float(BUDGET), float(BUDGET_OF_JUMPS)
        self.taken = self.taken_for_jumps = 0.0
        self._asked: tuple[float, float] | None = None
        self._values: np.ndarray | None = None  # samples between the times that were asked for last
        self.closer: Any = None

    @property
    def slow(self) -> bool:
        """Whether it is called as seldom as possible."""
        return self.call_time > SLOW_CALL

    def asked(self, times: np.ndarray) -> np.ndarray:
        """Return values at times (n,), s, and count the calls."""
        self.take(len(times))
        return self.sample(times)

    def take(self, calls: int, parts: int = 0) -> None:
        """Count calls that are made at once, and parts of the run that are looked at."""
        cost = self.cost(calls) + PART_COST * parts
        self.left -= cost
        self.taken += cost

    def cost(self, calls: int) -> float:
        """Return what calls that are made at once cost."""
        return self._weight * calls + AT_ONCE_COST

    def count_for_jumps(self, cost: float) -> None:
        """Count what was taken for calls that have enclosed jumps apart, as long as there are few."""
        apart = min(cost, self.left_for_jumps)
        self.left += apart
        self.taken -= apart
        self.left_for_jumps -= apart
        self.taken_for_jumps += apart

    def intervals(self, most: int) -> int:
        """Return the number of intervals between samples."""
        return FEW_INTERVALS if self.slow else most

    def over(self, first: float, last: float, most: int) -> np.ndarray | None:
        """Return samples between two times, s, at ``most`` equal intervals or fewer, (n + 1, m).

        None if the function depends on more than the time. ``most`` is ``FEW_INTERVALS`` times a power of two.
        """
        if self._asked != (first, last):
            self._begin(first, last)
        if self._values is None:
            return None
        count, known = self.intervals(most), len(self._values) - 1
        if count > known:
            times, new = np.linspace(first, last, count + 1), np.ones(count + 1, dtype=bool)
            new[:: count // known] = False
            values = np.empty((count + 1, self._values.shape[1]))
            values[~new], values[new] = self._values, self.asked(times[new])
            self._values, known = values, count
        return self._values[:: known // count]

    def thin(self, most: int) -> None:
        """Forget samples between ``most`` intervals."""
        if self._values is not None:
            self._values = self._values[:: max(1, (len(self._values) - 1) // most)].copy()

    def known(self, first: float, last: float) -> np.ndarray | None:
        """Return the closest samples between two times, s, that were taken, (n + 1, m); None for a slow function."""
        return None if self._asked != (first, last) or self.slow else self._values

    def _begin(self, first: float, last: float) -> None:
        """Take few samples between two times, s, and see what they take and whether they depend on more."""
        times = np.linspace(first, last, FEW_INTERVALS + 1)
        values, self.call_time = self._timed(times)
        steps = min(math.ceil(math.log(max(self.call_time / USUAL_CALL, 1.0), WEIGHT_STEP)), WEIGHT_STEPS)
        self._weight, (self.left, self.left_for_jumps) = WEIGHT_STEP**steps, self.allowed
        self._asked, self._values, self.closer = (first, last), None, None
        if not self.depends_on_more(times, values):
            self._values = values

    def _timed(self, times: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the values at times (n,), s, and the mean time that a call takes, s.

        It is that of the processor, unless calls wait long: what is found must not depend on other threads, for which
        calls wait as well.
        """
        values, took = [], np.empty((len(times), 2))
        for k in range(len(times)):
            begin, worked = time.perf_counter(), time.thread_time()
            values.append(self.sample(times[k : k + 1]))
            took[k] = time.thread_time() - worked, time.perf_counter() - begin
        wait = TURNS * sys.getswitchinterval() * (threading.active_count() - 1)
        waits = float(np.median(took[:, 1])) > max(wait, SLOW_CALL)
        return np.concatenate(values), float(np.sort(took[:, int(waits)])[:-LONGEST_LEFT_OUT].mean())

    def depends_on_more(self, times: np.ndarray, values: np.ndarray) -> bool:
        """Return whether some of the values (n, m) at times (n,), s, are others when they are asked for again; warn."""
        size = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
        every = max(1, (len(times) - 1) // (ASKED_TWICE - 1))
        times, values = times[::every], values[::every]
        again = self.sample(times)
        self.repeats = np.array_equal(again, values, equal_nan=True)
        same = np.isclose(again, values, rtol=SAME_VALUE, atol=SAME_VALUE * size, equal_nan=True)
        if same.all():
            return False
        k, column = np.unravel_index(int(np.argmin(same)), same.shape)
        self._tell_more(float(times[k]), float(values[k, column]), float(again[k, column]))
        return True

    def tell_slow(self, duration: float) -> None:
        """Warn if the function is so slow that few samples were taken of a time, s."""
        if self.slow:
            self._tell(
                "slow",
                f"{self._what}: a call of its function takes {self.call_time * 1e3:.2g} ms, so that jumps and pulses "
                f"were looked for at {FEW_INTERVALS + 1} times only: a pulse that is shorter than "
                f"{duration / FEW_INTERVALS:.2g} s can be missed, and the run itself is slow. Make a table of its "
                "values first and interpolate it: np.interp, or scipy.interpolate.CubicSpline",
            )

    def tell_crowded(self) -> None:
        """Warn that there can be more jumps and pulses than those that were found."""
        self._tell(
            "crowded",
            f"{self._what}: its function jumps, or changes for short times, so often that this was not all looked for "
            "before the run. Steps over a jump are less accurate, and pulses between two steps can be missed. "
            "Run the machine in shorter parts (simulate(start=...)), bound the steps (max_step of the integrator), or "
            "give the mean of the pulses over a longer time",
        )

    def _tell_more(self, t: float, value: float, again: float) -> None:
        self._tell(
            "more",
            f"{self._what}: its function gives {value:.6g} at t = {t:.6g} s, and {again:.6g} where it is asked for the "
            f"same time again. It must depend on {self._of} alone, because a run repeats steps and asks for times in "
            "any order: what it keeps between calls or draws by chance makes the result wrong, and its jumps are not "
            "met. For what depends on the past take a sampled controller (fb.Controller with period=), an event "
            "(fb.Event) or a law with states (fb.UserLaw with rates=)",
        )

    def _tell(self, kind: str, message: str) -> None:
        """Warn once of each kind."""
        if kind not in self._told:
            self._told.add(kind)
            warn(message)

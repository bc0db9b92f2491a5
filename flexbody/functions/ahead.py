"""What a user's function gives over the time of a run that has not begun: which times may be asked for, and how many.

A function of time depends on nothing else. One that keeps a state between its calls (a latch), counts them or draws
random numbers gives other values when it is asked for the same times again: nothing can be found in it ahead, and the
result of a run, which asks for earlier times again where it repeats a step, can't be trusted.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import cached_property

import numpy as np

from fem.common.errors import warn

#: A function is slow if a call takes longer (s): then there are so many intervals between its samples.
SLOW_CALL, FEW_INTERVALS = 2e-4, 128
#: A call waits, for something else than other threads, if it takes longer than so many turns of each of them.
TURNS = 4
#: What is found in a function takes no more calls than the first number, and no longer than about so many seconds.
CALL_LIMIT, SEARCH_TIME = 2_000_000, 2.0
#: Calls from which the time of one is found, and values that are asked for twice.
CALLS_TIMED, ASKED_TWICE = 3, 9
#: One that is quicker (s) is timed over so many calls; it takes this time at least.
QUICK_CALL, MANY, LEAST_TIME = 1e-4, 64, 1e-9
#: Two values at one time are equal up to this part of them, or of the largest value: a function may continue an
#: iteration of its own.
SAME_VALUE = 1e-6

#: No samples: first and last time, s, number of intervals, values.
_NONE = (0.0, 0.0, 1, np.zeros((2, 1)))


class Ahead:
    """A user's function of time (and of a motion that stays as it is) that is asked for values before a run.

    Parameters
    ----------
    sample : callable
        From times (n,), s, to the values there, (n, m).
    what : str
        Name of the function in messages.
    of : str, optional
        What it may depend on, in messages.

    Attributes
    ----------
    repeats : bool
        Whether it gave the same numbers again to the last digit.
    """

    def __init__(self, sample: Callable[[np.ndarray], np.ndarray], what: str, of: str = "t") -> None:
        self.sample, self._what, self._of = sample, what, of
        self._told: set[str] = set()
        self._known, self.repeats = _NONE, True

    @cached_property
    def call_time(self) -> float:
        """The time that a call takes, s; the least of a few.

        It is that of the processor, unless a call waits long: what is found must not depend on other threads, for which
        a call waits as well.
        """
        wait = TURNS * sys.getswitchinterval() * threading.active_count()

        def timed(count: int) -> float:
            times = np.zeros(count)
            begin, worked = time.perf_counter(), time.thread_time()
            self.sample(times)
            worked, passed = time.thread_time() - worked, time.perf_counter() - begin
            return (passed if passed > wait * count else worked) / count

        one = min(timed(1) for _ in range(CALLS_TIMED))
        return max(one if one > QUICK_CALL else min(timed(MANY) for _ in range(CALLS_TIMED)), LEAST_TIME)

    @property
    def calls(self) -> int:
        """How often the function may be called."""
        return int(min(CALL_LIMIT, SEARCH_TIME / self.call_time))

    @property
    def slow(self) -> bool:
        """Whether it is called as seldom as possible."""
        return self.call_time > SLOW_CALL

    def intervals(self, most: int) -> int:
        """Return the number of intervals between samples."""
        return FEW_INTERVALS if self.slow else most

    def over(self, first: float, last: float, most: int) -> np.ndarray | None:
        """Return samples between two times, s, at ``most`` equal intervals or fewer, (n + 1, m).

        None if the function depends on more than the time.
        """
        count = self.intervals(most)
        begin, end, known, values = self._known
        if (begin, end) == (first, last) and known % count == 0:
            return values[:: known // count]
        times = np.linspace(first, last, count + 1)
        values = self.sample(times)
        self._known = _NONE
        if self.depends_on_more(times, values):
            return None
        self._known = first, last, count, values
        return values

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

    def tell_crowded(self, found: int) -> None:
        """Warn that there are more jumps than the number that was ``found``."""
        self._tell(
            "crowded",
            f"{self._what}: its function jumps so often that not all of its jumps can be found before the run ({found} "
            "are): steps that pass over a jump are less accurate, and pulses between two steps can be missed. Run the "
            "machine in shorter parts (simulate(start=...)), or give the mean of the pulses over a longer time",
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

"""One event in a run: the sign of its function from step to step, and the time at which it changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy

from fem.common.errors import ConvergenceError, InputError
from fem.common.numbers import is_number, shown

from ..formulations.state import MachineState
from ..model.events import Event, Rebound, Switch

#: Accuracy of the time of an event, over the step in which it lies.
TIME_ACCURACY = 1e-11
#: After an event its function must exceed this part of its largest value before the next one is looked for.
LEAVING_PART = 1e-9
#: The part of its largest value by which a function that jumps with its own switch is off zero behind it; others stay
#: at zero but for the accuracy of their time.
SMALLEST_JUMP = 1e-6
#: An event that occurs so often within this part of the run chatters.
CHATTER_COUNT, CHATTER_TIME = 10, 1e-6
#: Halvings of a step in which a rebound is looked for that lies inside it.
MAX_HALVINGS = 40


#: What ends chattering, in messages: of a rebound, and of a switch.
RESTS = (
    "Its times accumulate, as those of a ball that comes to rest. End the run before (then=fb.EndRun() at a small "
    "speed), or let a force act in place of the event (fb.Limit)"
)
SLIDES = (
    "What it switches drives its function back through zero at once, as a relay does. Let a force that is continuous "
    "act in its place, such as F tanh(v / v0), or switch on and off at two levels that differ"
)


class WatchMemory(NamedTuple):
    """What an :class:`EventWatch` goes on from: its signs, its largest value, and the last times of its event (s)."""

    sides: tuple[int, int]
    largest: float
    times: tuple[float, ...]


class EventWatch:
    """The sign of an event's function as a run goes on.

    Parameters
    ----------
    event : Event
        The event.
    read : callable
        From a state of the machine to the object that the event's function takes.
    duration : float
        Duration of the run, s.
    """

    def __init__(self, event: Event, read: Callable[[MachineState], Any], duration: float) -> None:
        self.event, self._read, self._duration = event, read, duration
        self._signs = event.signs
        self._side, self._expected, self._largest = 0, 0, 0.0
        self._times: deque[float] = deque(maxlen=CHATTER_COUNT)

    def value(self, s: MachineState) -> float:
        """Return the event's function at a state of the machine.

        Raises
        ------
        fem.InputError
            It fails, or returns anything but a finite number.
        """
        where = f"event '{self.event.name}' at t = {s.t:.6g} s"
        try:
            found = self.event.function(self._read(s))
        except Exception as error:
            raise InputError(f"{where}: its function fails: {type(error).__name__}: {error}") from error
        if not is_number(found):
            difference = " that passes through zero, such as a - b in place of a > b"
            raise InputError(
                f"{where}: its function returns {shown(found)}; it must return one finite number"
                f"{difference * isinstance(found, bool | np.bool_)}"
            )
        return float(found)

    def begin(self, value: float) -> None:
        """Take the value with which a run, or its rest after a jump of the state, begins."""
        self._largest = max(self._largest, abs(value))
        if self._side == 0 and self._expected == 0:
            self._side = int(np.sign(value))

    @property
    def sides(self) -> tuple[int, int]:
        """The sign, and the one that is expected after a rebound."""
        return self._side, self._expected

    @sides.setter
    def sides(self, value: tuple[int, int]) -> None:
        self._side, self._expected = value

    @property
    def memory(self) -> WatchMemory:
        """All that the watch goes on from."""
        return WatchMemory(self.sides, self._largest, tuple(self._times))

    @memory.setter
    def memory(self, kept: WatchMemory) -> None:
        self.sides, self._largest = kept.sides, kept.largest
        self._times = deque(kept.times, maxlen=CHATTER_COUNT)

    def look(self, before: float, value: float) -> bool:
        """Take the value at the end of a step, and return whether the event lies in the step."""
        self._largest = max(self._largest, abs(value))
        if self._side == 0:
            # (a rebound goes to a known side; elsewhere a joint may hold the function at zero, but for round-off)
            rebounds = self._expected and isinstance(self.event.then, Rebound)
            if abs(value) <= (0.0 if rebounds else LEAVING_PART * self._largest):
                return False
            side = int(np.sign(value))
            if self._expected in (0, side) or not (rebounds or side in self._signs):
                self._side = side
                return False
            self._side = self._expected
            return True
        if value * self._side > 0.0:
            return False
        if -self._side in self._signs:
            return True
        self._side = -self._side if value else 0
        return False

    def locate(self, value_at: Callable[[float], float], t0: float, g0: float, t1: float, g1: float) -> float:
        """Return the time (s) of the zero between ``t0`` and ``t1``, with the values ``g0`` and ``g1``."""
        if g1 == 0.0:
            return t1
        start = t0
        if not g0 * self._side > 0.0:  # from a rebound that ends in this step
            for k in range(1, MAX_HALVINGS):
                start = t0 + (t1 - t0) * 0.5**k
                g0 = value_at(start)
                if g0 * self._side > 0.0:
                    break
            else:
                return t0
        accuracy = max(TIME_ACCURACY * (t1 - t0), 4 * np.finfo(float).eps * abs(t1))
        known = {start: g0, t1: g1}
        return float(
            scipy.optimize.brentq(
                lambda t: known[t] if t in known else value_at(t), start, t1, xtol=accuracy, rtol=1e-15
            )
        )

    def switched(self, before: tuple[int, int], value: float) -> None:
        """Return to the signs ``before`` a step that a switch at another event cuts short at this ``value``.

        A function that is zero there has passed zero together with that event: it is expected on the side to which the
        step led it.
        """
        side = self._side
        self.sides = before
        if side and side != before[0] and abs(value) <= LEAVING_PART * self._largest:
            self.sides = 0, side

    def behind_own_switch(self, value: float) -> None:
        """Take the value behind the switch of this event: a function that jumps with it has not passed zero again."""
        if abs(value) > SMALLEST_JUMP * self._largest:
            self.sides = int(np.sign(value)), 0

    def occurred(self, t: float) -> None:
        """Take note of the event at ``t``, s.

        Raises
        ------
        fem.ConvergenceError
            The event chatters.
        """
        then, side = self.event.then, self._side
        self._expected = side if isinstance(then, Rebound) else -side if isinstance(then, Switch) else 0
        self._side = 0
        self._times.append(t)
        if self.event.then.passes or len(self._times) < CHATTER_COUNT:
            return
        if t - self._times[0] < CHATTER_TIME * self._duration:
            raise ConvergenceError(
                f"the run stops at t = {t:.6g} s: event '{self.event.name}' chatters, it has occurred "
                f"{CHATTER_COUNT} times in {t - self._times[0]:.3g} s. {SLIDES if isinstance(then, Switch) else RESTS}"
            )

    def again(self, value: float) -> None:
        """Begin anew with a value: the run has gone back in time."""
        self._side = self._expected = 0
        self.begin(value)

"""The samples of controllers in a run: when they are, what is measured, and how outputs change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from fem.common.errors import InputError, warn
from fem.common.foreseen import check_work

from ..compile.plan import Plan
from ..core.force_elements import evaluate_laws
from ..formulations.state import MachineState
from ..functions.time_law import error_text
from ..integrators.base import Run
from ..model.forces.controller import Controller
from ..model.system import System
from .linear.force_law_states import hold
from .runaway import refuse_runaway

#: Seconds that a sample takes at least (66 us were measured for one mass and one controller), and samples that a run
#: has without a warning.
SAMPLE_SECONDS, MANY_SAMPLES = 5e-5, 1e6
#: Part of a period within which a time counts as that of a sample.
SAMPLE_TOLERANCE = 1e-9


def check_samples(system: System, duration: float) -> None:
    """Warn of a controller with very many samples in a run of that duration (s); InputError if it would not end."""
    for one in system.forces:
        if not isinstance(one, Controller) or one.period is None:
            continue
        count = duration / one.period
        check_work(count, SAMPLE_SECONDS, f"{one.label}: the number of samples of period={one.period:g} s")
        if count > MANY_SAMPLES:
            warn(
                f"{one.label}: period is {one.period:g} s and the run {duration:g} s long: {count:.3g} samples, which "
                f"take {count * SAMPLE_SECONDS / 60:.3g} minutes at least; give a longer period"
            )


class Sampling:
    """The samples of all controllers of a machine.

    The states of a sampled controller with m outputs are: the number of samples so far; its outputs; how often these
    were set; the states of its law; outputs that wait for their time, the oldest first.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    read : callable
        From a state of the machine to the object that users' functions take.
    """

    def __init__(self, plan: Plan, read: Callable[[MachineState], Any]) -> None:
        self._plan, self._read = plan, read
        self._sampled = [
            _Sampled(plan, e, element)
            for e, element in enumerate(plan.elements.elements)
            if isinstance(element, Controller) and element.period is not None
        ]
        self._W = plan.work() if self._sampled else None
        self._acted, self._next = np.inf, -np.inf  # when they acted last, and act next
        self._near = min((one.near for one in self._sampled), default=0.0)

    def next(self, run: Run, t_out: float) -> float:
        """Return the time of the next sample or change of an output before ``t_out``, s; ``t_out`` without one."""
        if not self._sampled:
            return t_out
        # a run may have gone back, and a Stepper may have been restored
        if not self._acted <= run.t <= self._next + self._near:
            self._plan_next(run.t, run.state.law_states)
        return self._next if self._next < t_out - self._near else t_out

    @property
    def active(self) -> bool:
        """Whether the machine has sampled controllers."""
        return bool(self._sampled)

    def _plan_next(self, t: float, z: np.ndarray) -> None:
        self._acted = t
        self._next = min(one.next(t, z[one.states]) for one in self._sampled)

    def act(self, run: Run) -> bool:
        """Take the samples that are due at the time of the run, and set outputs; return whether any changed.

        Raises
        ------
        fem.InputError
            A function of the user fails.
        fem.ConvergenceError
            The loop is unstable, and has driven a body faster than light.
        """
        if not self._sampled:
            return False
        s = run.state
        due = [one for one in self._sampled if one.next(s.t, s.law_states[one.states]) <= s.t]
        if not due:
            return False
        assert self._W is not None
        refuse_runaway(self._plan, run)
        hold(self._plan, self._W, s)
        evaluate_laws(self._plan.layout, self._W, s.t)
        z, t = s.law_states.copy(), s.t
        for one in due:
            target = self._W.law_input[one.number, 0]
            one.act(t, z[one.states], target, self._W.signal, lambda: self._read(s.copy()))
        run.change_law_states(z)
        self._plan_next(t, z)
        return True


class _Sampled:
    """One controller with its place among the states."""

    def __init__(self, plan: Plan, e: int, controller: Controller) -> None:
        self.number, self._controller = e, controller
        self.states = plan.elements.states(e)
        self._first = plan.elements.signals.at[controller.name]
        self._m, self._waiting = len(controller.outputs), controller.n_waiting or 0
        self._targets, self._period = np.array(controller.targets), float(controller.period or 0.0)
        self.near = SAMPLE_TOLERANCE * self._period

    def _due(self, t: float, z: np.ndarray) -> tuple[float, float]:
        """Return the times of the next sample and of the next change of the outputs, s, in ``t`` where they are due."""
        period, count, done = self._period, z[0], z[1 + self._m]
        sample = max(count * period, np.ceil(t / period * (1 - SAMPLE_TOLERANCE)) * period)
        change = done * period + self._controller.delay if done < count else np.inf
        return t if abs(sample - t) <= self.near else sample, t if change <= t + self.near else change

    def next(self, t: float, z: np.ndarray) -> float:
        """Return the time at which the controller acts next, s; ``t`` if now."""
        return min(self._due(t, z))

    def act(
        self, t: float, z: np.ndarray, target: float, signals: np.ndarray, state: Callable[[], Any]
    ) -> None:
        """Change the states ``z`` at ``t``, s, with what is measured then."""
        m, w = self._m, self._waiting
        sample, change = (time <= t for time in self._due(t, z))
        own = slice(2 + m, z.size - m * w)
        waiting = z[z.size - m * w :].reshape(w, m)
        if change:
            z[1 : 1 + m] = waiting[0]
            waiting[:-1] = waiting[1:].copy()
            z[1 + m] += 1
        if not sample:
            return
        errors = self._errors(t, target, signals, state)
        outputs, states = self._update(t, z[0] == 0, errors, z[own].copy())
        missed = round(t / self._period) - z[0]  # samples before the run, or while it was off
        z[0] += missed + 1
        z[1 + m] += missed
        z[own] = states
        if w:
            waiting[int(z[0] - z[1 + m]) - 1] = outputs
        else:
            z[1 : 1 + m] = outputs
            z[1 + m] = z[0]

    def _errors(self, t: float, target: float, signals: np.ndarray, state: Callable[[], Any]) -> np.ndarray:
        places = self._controller.inputs
        values = signals[self._first : self._first + len(places)].copy()
        for k, place in enumerate(places):
            if place.function is not None:
                measure = partial(_measured, place.function, state)
                values[k] = self._called(t, "the function that measures", measure)
        targets = self._targets.copy()
        targets[0] = target
        return targets - values

    def _update(self, t: float, first: bool, e: np.ndarray, x: np.ndarray):
        controller = self._controller
        found = self._called(t, "its law", lambda: controller.law.update(t, self._period, first, e, x))
        if found.outputs.shape != (self._m,) or not np.isfinite(found.outputs).all():
            raise InputError(
                f"{controller.label} at t = {t:.6g} s: its law returns the outputs {found.outputs.tolist()} for the "
                f"errors {e.tolist()}; it must return {self._m} finite numbers"
            )
        return found

    def _called(self, t: float, what: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Exception as error:
            raise InputError(
                f"{self._controller.label} at t = {t:.6g} s: {what} fails with {error_text(error)}"
            ) from error


def _measured(function: Callable[[Any], float], state: Callable[[], Any]) -> float:
    return float(function(state()))

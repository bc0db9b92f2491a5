"""A run of the explicit method that continues with the implicit one where that is cheaper."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fem.common.errors import FlexbodyError

from ..core.kinds import DONE, PAUSED
from ..core.structures import Counts, DriveMisses, Tracked
from ..equations.consistent_start import consistent_start
from ..equations.start import Start
from ..formulations.state import MachineState
from .base import TRIAL_INTERVALS, Ringing, Within, no_counts
from .explicit import Explicit, ExplicitRun
from .generalized_alpha import AlphaRun, GeneralizedAlpha

logger = logging.getLogger("flexbody")


def implicit_work(counts: Counts) -> float:
    """Return the work of the implicit method, in iterations."""
    return float(counts.iterations + counts.factorisations)


class _Place(NamedTuple):
    """State of a run at an output, the work done by its forces (J), and its number of evaluations."""

    state: MachineState
    work_done: np.ndarray
    iterations: int


class HandingOver:
    """A run of the explicit method that continues with the implicit one if it fails or becomes too expensive."""

    def __init__(
        self,
        run: ExplicitRun,
        implicit: GeneralizedAlpha,
        start: Start,
        t_end: float,
        output_step: float | None,
    ) -> None:
        self._run: ExplicitRun | AlphaRun = run
        self._implicit, self._start, self._ends = implicit, start, (t_end, output_step)
        self.plan, self.times = run.plan, run.times
        self.work_rate, self.why = np.inf, ""
        self._before, self._work_done = no_counts(), np.zeros(2)
        self._safe = self._copy(run)

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`flexbody.integrators.base.Run`."""
        run = self._run
        status = run.advance(t_out, max_steps)
        if not isinstance(run, ExplicitRun):
            return status
        if status not in (DONE, PAUSED):
            return self._hand_over("the explicit method failed", status)
        if run.counts.rank_losses > 0:
            return self._hand_over("the constraints lost rank", status)
        elapsed = run.t - self._start.t + 2 * TRIAL_INTERVALS * (self.times[1] - self.times[0])
        cost = self.plan.formulation.evaluation_cost(self.plan.layout)
        if cost * run.counts.iterations > self.work_rate * elapsed:
            if self._implicit_is_cheaper(run, cost):
                return self._hand_over("the system became stiffer than at the start", status)
            self.work_rate *= 2.0
        if status == DONE:
            self._safe = self._copy(run)
        return status

    def restart(self) -> None:
        """Make accelerations and multipliers consistent with the state."""
        self._run.restart()

    def change_velocities(self, change: np.ndarray) -> None:
        """Add a change (nv,) to the velocities of the bodies, which keeps the joints closed; a restart follows."""
        self._run.change_velocities(change)

    def change_law_states(self, values: np.ndarray) -> None:
        """Set the states of force laws (nz,), and make accelerations and multipliers consistent with them."""
        self._run.change_law_states(values)
        if isinstance(self._run, ExplicitRun):
            self._safe = self._copy(self._run)

    @staticmethod
    def _copy(run: ExplicitRun) -> _Place:
        return _Place(run.state.copy(), run.work_done.copy(), run.counts.iterations)

    def _implicit_is_cheaper(self, run: ExplicitRun, cost: float) -> bool:
        """Return whether the implicit method comes from the last output to the present time with less work."""
        work = cost * (run.counts.iterations - self._safe.iterations)
        following = self._following()
        while following is not None and following.t < run.t:
            if implicit_work(following.counts) >= work or following.advance(run.t, 8) not in (DONE, PAUSED):
                return False
        return following is not None

    def _following(self) -> AlphaRun | None:
        """Return a run of the implicit method from the last output on, or None if there is no consistent start."""
        t_end, interval = self._ends[0], float(self.times[1] - self.times[0])
        method = replace(self._implicit, max_step=self._implicit.max_step or interval)
        try:
            found = consistent_start(self.plan, self._safe.state, quiet=True)
            first = replace(found, active=self.work.active.copy(), rank=self._start.rank)
            # (the output times are self.times, not those of the new run)
            return method.begin(self.plan, first, t_end, None)
        except FlexbodyError:
            return None

    def _hand_over(self, reason: str, status: int) -> int:
        """Continue with the implicit method from the last output; return ``status`` if that is not possible.

        The run does not continue from the last state of the explicit method, which may be close to a singular position.
        """
        safe, following = self._safe, self._following()
        if following is None:
            return status
        self._before = self.counts
        self._work_done = safe.work_done
        self.why += f"; implicit from t = {safe.state.t:.6g} s on, because {reason}"
        logger.info("generalized-alpha from t = %.6g s on, because %s", safe.state.t, reason)
        self._run = following
        return PAUSED

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        return self._run.name

    @property
    def keeps_energy(self) -> bool:
        """As the run in progress; a run that was handed over has damping at its end."""
        return self._run.keeps_energy

    @property
    def damps_vibrations(self) -> bool:
        """Whether the method that runs at present damps vibrations."""
        return self._run.damps_vibrations

    @property
    def ringing(self) -> Ringing | None:
        """The vibration that determined most steps of the method that runs at present."""
        return self._run.ringing

    @property
    def work(self):
        """Working arrays of the compiled core."""
        return self._run.work

    @property
    def counts(self) -> Counts:
        """Counts of both methods together."""
        now = self._run.counts
        return Counts(**{name: getattr(self._before, name) + getattr(now, name) for name in Counts._fields})

    @property
    def bad_row(self) -> int:
        """Constraint row with the largest residual in a failed step."""
        return self._run.bad_row

    @property
    def misses(self) -> DriveMisses:
        """Errors of the driven coordinates."""
        return self._run.misses

    @property
    def t(self) -> float:
        """Time, s."""
        return self._run.t

    @property
    def step(self) -> float:
        """Last step, s."""
        return self._run.step

    @property
    def state(self) -> MachineState:
        """The state at ``t``."""
        return self._run.state

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        return self._work_done + self._run.work_done

    @property
    def memory(self) -> tuple[np.ndarray, ...]:
        """All arrays that the rest of the run depends on."""
        return self._run.memory

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance, from a restart if ``restart`` is True, and read the joint coordinates."""
        return self._run.proceed(t_out, max_steps, restart, tracked)

    @property
    def method(self) -> Explicit | GeneralizedAlpha:
        """The integrator that makes the steps at present."""
        return self._run.method

    def remember(self) -> None:
        """Keep the beginning of the next step."""
        self._run.remember()

    def within(self, t: float) -> Within:
        """Return the state at a time inside the last step."""
        state, work_done = self._run.within(t)
        return Within(state, self._work_done + work_done)

    def look_ahead(self, t_out: float) -> None:
        """Look for pulses up to ``t_out`` (s)."""
        self._run.look_ahead(t_out)

    def fit(self, interval: float) -> None:
        """Choose a fixed step, or limit a variable step, to advance by ``interval`` (s)."""
        self._run.fit(interval)

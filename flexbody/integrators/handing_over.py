"""A run of the explicit or the implicit method that continues with the other one where that is cheaper."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fem.common.errors import FlexbodyError

from ..core.kinds import DONE, PAUSED
from ..core.structures import Counts, DriveMisses, Tracked
from ..equations.consistent_start import consistent_start
from ..equations.start import Start
from ..formulations.state import MachineState
from .base import TRIAL_INTERVALS, Run, Striking, Within
from .explicit import Explicit, ExplicitRun
from .generalized_alpha import PART_AT_DEFAULT, AlphaRun, GeneralizedAlpha
from .independent_rows import IndependentRows
from .method_work import STABILITY_LIMIT, implicit_work, least_explicit_work, work_in
from .not_followed import NotFollowed
from .ringing import Ringing

logger = logging.getLogger("flexbody")


#: A run of the implicit method is looked at each time when it has taken this part of a second, if it goes on for as
#: long as the second number (s). Where it doesn't foresee what vibrations will be compared with, and an explicit method
#: would follow some between two outputs to the end, this part of the run must have passed.
LOOK_EVERY, WORTH_WHILE, MOVED = 0.03, 0.1, 0.1
#: It is looked at behind each so many steps, and at output times. The explicit method goes on if the least work that it
#: can take is below the second number times that of the implicit one, whose steps may grow.
LOOK_STEPS, CLEARLY_LESS = 32, 0.5
#: Behind so many jumps of inputs the choice of the explicit method is examined: the implicit one takes 1200 steps
#: behind the first jump of an arm, which has hardly moved then, and three behind the hundredth.
FEW_JUMPS = 50
#: Events are examined behind every step, which takes about so many seconds: most of the time of a small machine's run.
EXAMINED_IN = 1e-4


def following(
    method: GeneralizedAlpha | Explicit,
    run: ExplicitRun | AlphaRun,
    state: MachineState,
    start: Start,
    t_end: float,
    interval: float,
    fitted: bool = False,
) -> ExplicitRun | AlphaRun | None:
    """Return a run of a method that goes on from a state of another run.

    Parameters
    ----------
    method : GeneralizedAlpha or Explicit
        The method.
    run : ExplicitRun or AlphaRun
        The other run.
    state : MachineState
        A state of it.
    start : Start
        Where the other run began.
    t_end : float
        End of the run, s.
    interval : float
        The longest step, s, where the method has none.
    fitted : bool
        Whether steps fit into that interval instead.

    Returns
    -------
    ExplicitRun or AlphaRun or None
        The run; None if there is no consistent start.
    """
    if not fitted:
        method = replace(method, max_step=method.max_step or interval)
    try:
        found = consistent_start(run.plan, state, quiet=True)
        first = replace(found, active=run.work.active.copy(), rank=start.rank)
        # (the output times are those of the other run)
        other = method.begin(run.plan, first, t_end, None)
        if fitted:
            other.fit(interval)
        return other
    except FlexbodyError:
        return None


class _Place(NamedTuple):
    """State of a run to which it may go back, with all that belongs to it.

    The work done by its forces (J) and the largest of these (ne, 4), its evaluations and its steps.
    """

    state: MachineState
    work_done: np.ndarray
    peaks: np.ndarray
    iterations: int
    steps: int


def _made(run: ExplicitRun | AlphaRun) -> int:
    """Return the number of steps that a run has made, rejected ones included."""
    return run.counts.steps + run.counts.rejected


class HandingOver:
    """A run that continues with the other method where that is cheaper.

    The explicit method hands over if it fails or becomes too expensive. The implicit method hands over if it follows
    vibrations with far shorter steps than the explicit one needs to be stable; after a return it keeps the run. What it
    has measured it keeps behind events (:meth:`again`).

    Parameters
    ----------
    run : ExplicitRun or AlphaRun
        The run to begin with.
    implicit, explicit : GeneralizedAlpha, Explicit
        Both methods.
    start : Start
        The consistent start.
    t_end : float
        End of the run, s.
    highest : float
        Highest frequency of the bodies, rad/s. That of force elements is found on the way.
    """

    def __init__(
        self,
        run: ExplicitRun | AlphaRun,
        implicit: GeneralizedAlpha,
        explicit: Explicit,
        start: Start,
        t_end: float,
        highest: float,
    ) -> None:
        self._run: ExplicitRun | AlphaRun = run
        self._implicit, self._explicit, self._start, self._t_end = implicit, explicit, start, t_end
        self.plan, self.times, self._highest = run.plan, run.times, highest
        self.work_rate, self.why = np.inf, ""
        self._before: Counts | None = None  # of the methods that have handed over
        self._handed = False  # whether one has, and ``why`` says so
        self._compares = True  # whether both methods are compared before the next steps
        self._work_done = np.zeros(2)
        self._safe, self._begun = self._copy(run), start.t
        self._may_become_explicit, self._damped, self._remembers = True, False, False
        self._lost_rank = False  # before the last event
        # of inputs, behind the start; whether the method was chosen before they were many
        self._jumps, self._settling = 0, False
        self._look_after, self._looked = work_in(LOOK_EVERY, run.plan), (start.t, 0.0)
        self._spent = 0.0  # work of the present method before the last event
        # behind how many of its steps events were examined, and the work of that for each
        self._examined, self._examination = 0, work_in(EXAMINED_IN, run.plan)
        self._rows, self._losses = IndependentRows(run.plan, start.rank), 0
        self._interval, self._fitted = float(run.times[1] - run.times[0]), False

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`flexbody.integrators.base.Run`."""
        return self._go(lambda run, most: run.advance(t_out, most), max_steps)

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance, from a restart if ``restart`` is True, and read the joint coordinates."""
        self._jumps += restart and self.t > self._start.t
        return self._go(lambda run, most: run.proceed(t_out, most, restart, tracked), max_steps)

    def _go(self, make_steps: Callable[[ExplicitRun | AlphaRun, int], int], max_steps: int) -> int:
        """Make steps with the present method, and look whether the other one is cheaper.

        The caller's number of steps depends on the clock. The methods are compared at output times and behind each
        LOOK_STEPS steps alone, so that all runs of a machine are the same.
        """
        if isinstance(self._run, AlphaRun) and self._compares:
            self._highest = max(self._highest, self._run.stiffest)  # (of contacts that are closed)
            self._look(self._run)
        run = self._run
        self._examined += self._remembers
        status = make_steps(run, min(max_steps, LOOK_STEPS - _made(run) % LOOK_STEPS))
        self._compares = status != PAUSED or _made(run) % LOOK_STEPS == 0
        if not isinstance(run, ExplicitRun):
            return status
        if self._rows.exchange(run):
            self._losses = run.counts.rank_losses
            status = DONE if status == DONE else PAUSED
        if status not in (DONE, PAUSED):
            return self._hand_over("the explicit method failed", status)
        if run.counts.rank_losses > self._losses:
            return self._hand_over("the constraints lost rank", status)
        elapsed = run.t - self._begun + 2 * TRIAL_INTERVALS * self._interval
        cost = self.plan.formulation.evaluation_cost(self.plan.layout)
        settled = self._settling and self._jumps >= FEW_JUMPS
        work = cost * (self._spent + run.counts.iterations) + self._examination * self._examined
        if self._compares and (settled or work > self.work_rate * elapsed):
            if self._implicit_is_cheaper(run, cost):
                return self._hand_over("it took less work than the explicit method in a trial there", status)
            self.work_rate *= 1.0 if settled else 2.0
            self._settling &= not settled
        if status == DONE:
            self._safe = self._copy(run)
        return status

    def _look(self, run: AlphaRun) -> None:
        """Continue with the explicit method if the implicit one follows vibrations for too much work."""
        since, before = self._looked
        work = self._spent + implicit_work(run.counts) + self._examination * self._examined
        lost_rank = self._lost_rank or run.counts.rank_losses > 0
        if not self._may_become_explicit or work - before < self._look_after or lost_rank:
            return
        if not run.t > since:
            return
        rate = (work - before) / (run.t - since)
        self._looked = run.t, work
        self._look_after *= 1.5
        examination = self._examination if self._remembers else 0.0
        # (not the work of short steps behind the start or a blow, if the next ones are longer)
        work_of_step = implicit_work(run.counts) / max(run.counts.steps, 1) + examination
        rate = min(rate, work_of_step / run.next_step)
        least = least_explicit_work(self.plan, self._highest, self._interval, examination)
        blind = self._implicit.unresolved_vibrations() < PART_AT_DEFAULT
        begun = run.t - self._start.t < MOVED * (self._t_end - self._start.t)
        if begun and blind and run.stiffest * self._interval > STABILITY_LIMIT:
            return
        if least > CLEARLY_LESS * rate or rate * (self._t_end - run.t) < work_in(WORTH_WHILE, self.plan):
            return
        following = self._following(self._explicit, run.state)
        if following is None:
            return
        self._settling = self._jumps < FEW_JUMPS
        self._become_explicit(following, rate)

    def _become_explicit(self, following: ExplicitRun | AlphaRun, rate: float) -> None:
        """Continue with a run of the explicit method, as long as its work per second is below ``rate``."""
        self.work_rate, self._may_become_explicit, self._damped = rate, False, True
        what = "followed vibrations" if self._highest > 0 else "took many short steps"
        self._continue(following, self._copy(self._run), f"the implicit method {what}")
        self._safe, self._begun = self._copy(following), following.t

    def restart(self) -> None:
        """Make accelerations and multipliers consistent with the state."""
        self._run.restart()

    def change_velocities(self, change: np.ndarray) -> None:
        """Add a change (nv,) to the velocities of the bodies, which keeps the joints closed; a restart follows."""
        self._run.change_velocities(change)
        self._keep()

    def go_behind(self, t: float, change: np.ndarray | None, work: float) -> None:
        """Go on behind a corner of a function of time; see :class:`flexbody.integrators.base.Run`."""
        self._run.go_behind(t, change, work)
        self._keep()

    def change_law_states(self, values: np.ndarray) -> None:
        """Set the states of force laws (nz,), and make accelerations and multipliers consistent with them."""
        self._run.change_law_states(values)
        self._keep()

    def put_in(self, work: float) -> None:
        """Add to the input energy, J."""
        self._run.put_in(work)
        self._keep()

    def again(self, start: Start, t_end: float, output_step: float | None) -> HandingOver:
        """Return a run that goes on from another start, behind an event, with what was measured so far."""
        run = copy.copy(self)
        run._spent = self._all_spent()
        run._lost_rank = self._lost_rank or self.counts.rank_losses > 0
        run._before, run._work_done = None, np.zeros(2)
        run._rows, run._losses = IndependentRows(self.plan, start.rank), 0
        run._run = self._run.again(start, t_end, output_step)  # type: ignore[assignment]
        run._keep()
        return run

    def learn(self, before: Run) -> None:
        """Take what was measured before an event; see :class:`flexbody.integrators.base.Run`."""
        self._run.learn(before._run if isinstance(before, HandingOver) else before)
        if not (isinstance(before, HandingOver) and isinstance(self._run, AlphaRun)):
            return
        self._remembers = before._remembers
        if isinstance(before._run, AlphaRun):
            if before._may_become_explicit:
                self._spent, self._examined = before._all_spent(), before._examined
                self._looked, self._look_after = before._looked, before._look_after
        elif before._damped:
            following = self._following(self._explicit, self._run.state)
            if following is not None:
                self._become_explicit(following, before.work_rate)
                self.why, self._handed = before.why, before._handed

    def _all_spent(self) -> float:
        """Return the work of the present method behind an event that comes now."""
        counts = self._run.counts
        return self._spent + (
            implicit_work(counts) if isinstance(self._run, AlphaRun) else float(counts.iterations)
        )

    @property
    def standing(self) -> dict[str, Any]:
        """The method, what was measured, and where to go back to; a run that is set to it has them again."""
        return dict(vars(self))

    @standing.setter
    def standing(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)

    def _keep(self) -> None:
        """Let the explicit method go back to the present state, should it fail."""
        if isinstance(self._run, ExplicitRun):
            self._safe = self._copy(self._run)

    @staticmethod
    def _copy(run: ExplicitRun | AlphaRun) -> _Place:
        counts = run.counts
        return _Place(
            run.state.copy(), run.work_done.copy(), run.work.peak.copy(), counts.iterations, counts.steps
        )

    def _implicit_is_cheaper(self, run: ExplicitRun, cost: float) -> bool:
        """Return whether the implicit method comes from the last output to the present time with less work."""
        beside = self._examination if self._remembers else 0.0
        steps = run.counts.steps - self._safe.steps
        work = cost * (run.counts.iterations - self._safe.iterations) + beside * steps
        following = self._following(self._implicit, self._safe.state)
        while following is not None and following.t < run.t:
            counts = following.counts
            if implicit_work(counts) + beside * counts.steps >= work or following.advance(run.t, 8) not in (
                DONE,
                PAUSED,
            ):
                return False
        return following is not None

    def _following(
        self, method: GeneralizedAlpha | Explicit, state: MachineState
    ) -> ExplicitRun | AlphaRun | None:
        """Return a run of a method from a state on, or None if there is no consistent start."""
        return following(method, self._run, state, self._start, self._t_end, self._interval, self._fitted)

    def _hand_over(self, reason: str, status: int) -> int:
        """Continue with the implicit method from the last output; return ``status`` if that is not possible.

        The run does not continue from the last state of the explicit method, which may be close to a singular position.
        """
        following = self._following(self._implicit, self._safe.state)
        if following is None:
            return status
        self._continue(following, self._safe, reason)
        self._may_become_explicit = False
        return PAUSED

    def _continue(self, following: ExplicitRun | AlphaRun, place: _Place, reason: str) -> None:
        """Continue with another run from a place of the present one."""
        self._before, self._spent, self._examined = self.counts, 0.0, 0
        self._work_done = self._work_done + place.work_done
        following.work.peak[:] = place.peaks
        first, name = (
            ("implicit", "explicit") if isinstance(following, ExplicitRun) else ("explicit", "implicit")
        )
        begun = self.why if self._handed else f"{first} to t = {following.t:.6g} s, because {self.why}"
        self.why, self._handed = f"{begun}; {name} from t = {following.t:.6g} s on, because {reason}", True
        logger.info("%s from t = %.6g s on, because %s", following.name, following.t, reason)
        following.lost_before = self.not_followed
        self._run = following
        self._rows, self._losses = IndependentRows(self.plan, self._start.rank), 0
        if self._remembers:
            following.remember()

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        return self._run.name

    @property
    def keeps_energy(self) -> bool:
        """As the run in progress, unless a method with damping came before."""
        return self._run.keeps_energy and not self._damped

    @property
    def is_explicit(self) -> bool:
        """Whether the method that runs at present is explicit."""
        return self._run.is_explicit

    @property
    def damps_vibrations(self) -> bool:
        """Whether a method of the run damps vibrations."""
        return self._run.damps_vibrations or self._damped

    @property
    def top_speeds(self) -> np.ndarray:
        """Largest speeds at steps of the method that runs at present."""
        return self._run.top_speeds

    @property
    def fixed(self) -> bool:
        """False: the error chooses the steps."""
        return False

    @property
    def ringing(self) -> Ringing | None:
        """The vibration that determined most steps of the method that runs at present."""
        return self._run.ringing

    @property
    def striking(self) -> Striking:
        """The force elements that set in in most steps of the method that runs at present."""
        return self._run.striking

    @property
    def lost_before(self) -> list[NotFollowed]:
        """What earlier runs have not followed."""
        return self._run.lost_before

    @lost_before.setter
    def lost_before(self, lost: list[NotFollowed]) -> None:
        self._run.lost_before = lost

    @property
    def tolerance(self) -> float:
        """The tolerance of the implicit method."""
        return self._implicit.tolerance

    @property
    def largest_tolerance(self) -> float:
        """The largest tolerance of the method that runs at present, or that of the implicit method."""
        return max(self._run.largest_tolerance, self.tolerance)

    @property
    def stiffest(self) -> float:
        """Highest frequency of a force element of the method that runs at present, rad/s."""
        return self._run.stiffest

    @property
    def not_followed(self) -> list[NotFollowed]:
        """Vibrations of force elements that neither method has followed."""
        return self._run.not_followed

    @property
    def work(self):
        """Working arrays of the compiled core."""
        return self._run.work

    @property
    def counts(self) -> Counts:
        """Counts of both methods together."""
        now = self._run.counts
        return now if self._before is None else now.plus(self._before)

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

    def remember(self) -> None:
        """Keep the beginning of the next step."""
        self._remembers = True
        self._run.remember()

    def within(self, t: float) -> Within:
        """Return the state at a time inside the last step."""
        found = self._run.within(t)
        return found._replace(work_done=self._work_done + found.work_done)

    def look_ahead(self, t_out: float) -> None:
        """Look for pulses up to ``t_out`` (s), behind which a machine that is stepped goes on for as long again."""
        self._t_end = max(self._t_end, t_out + float(self.times[-1] - self.times[0]))
        self._run.look_ahead(t_out)

    def fit(self, interval: float) -> None:
        """Limit a variable step to advance by ``interval`` (s)."""
        self._interval, self._fitted = interval, True
        self._run.fit(interval)

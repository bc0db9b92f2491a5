"""The choice between the implicit and the explicit method, by a short trial of both where both will do."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy

from fem.common.errors import FlexbodyError

from ..core.kinds import C8, DONE, LAST_ANGLE, PAUSED, D, K
from ..core.structures import Counts, DriveMisses, Tracked
from ..forces import Element, SpringDamper
from ..initial import Start, consistent_start
from ..layout import Plan
from .base import check_positive, no_counts
from .explicit import Explicit, ExplicitRun
from .generalized_alpha import AlphaRun, GeneralizedAlpha

logger = logging.getLogger("flexbody")

#: an explicit step costs 13 evaluations, each with new factors about three iterations of the implicit method
EVALUATIONS, WEIGHT = 13, 3.0
#: the explicit method is taken where it does with this part of the implicit one's work
CLEARLY = 0.5
#: the trial lasts for so many output intervals, or implicit steps
INTERVALS, TRIAL_STEPS = 10, 2000
#: iterations times unknowns of runs (about a second) below which a choice costs as much as it saves
WORTH = 3e6
#: the explicit method is stable up to this product of step and frequency
STABLE = 6.0


@dataclass(frozen=True)
class Automatic:
    """The program chooses: :class:`GeneralizedAlpha`, or :class:`Explicit` where that is clearly cheaper.

    rtol : as for :class:`GeneralizedAlpha`; the explicit method runs with a tenth of it, which gives errors that are
    at least as small. A short trial of both decides, counted in evaluations, so that the same machine is always
    run by the same method. Without a trial the implicit one is taken

    * for redundant joints, whose rank may change on the way;
    * for friction, stops, force elements with laws of their own and functions that can't be compiled: they are stiff,
      jump, or cost too much;
    * where the highest frequency of a flexible body leaves an explicit method too many steps;
    * for short runs, which take no second either way.

    A run that turns out stiffer than its beginning, or loses rank on the way, goes on with the implicit method.
    ``result.statistics`` says in ``method`` and ``why`` what was chosen.
    """

    rtol: float = 1e-5

    def __post_init__(self) -> None:
        check_positive("Automatic", {"rtol": self.rtol})

    def begin(
        self, plan: Plan, start: Start, t_end: float, output_step: float | None
    ) -> AlphaRun | ExplicitRun | HandingOver:
        """Return a run from a consistent start, of the method that is chosen."""
        implicit, explicit = GeneralizedAlpha(rtol=self.rtol), Explicit(rtol=max(0.1 * self.rtol, 1e-13))
        against = reason_against(plan, start)
        if against is None:
            trial = _Trial(plan, start, t_end, output_step)
            against = trial.compare(implicit, explicit)
        if against is None:
            run = HandingOver(
                explicit.begin(plan, start, t_end, output_step), implicit, start, t_end, output_step
            )
            run.work_rate, run.why = trial.allowed, trial.why
            logger.info("%s: %s", run.name, run.why)
            return run
        chosen = implicit.begin(plan, start, t_end, output_step)
        chosen.why = against
        logger.info("%s: %s", chosen.name, chosen.why)
        return chosen


def reason_against(plan: Plan, start: Start) -> str | None:
    """Return why the explicit method won't do for this machine, in words; None where nothing speaks against it."""
    L = plan.layout
    if start.rank < plan.n_rows:
        return (
            f"{plan.n_rows - start.rank} of the {plan.n_rows} constraints are redundant, and may not stay so"
        )
    for force in plan.system.forces:
        if isinstance(force, Element):
            return f"{force.label} may be stiff or jump"
    springs = [force for force in plan.system.forces if isinstance(force, SpringDamper)]
    if len(springs) < len(L.spring_frame):
        return "friction or stops of a joint are stiff"
    if any(not law.compiled for law in plan.laws):
        name = next(law.what for law in plan.laws if not law.compiled)
        return f"{name} can't be compiled, and the explicit method evaluates it more often"
    if np.any(L.row_callback != 0):
        return "a constraint of the user's can't be compiled, and the explicit method evaluates it more often"
    return None


class _Work(NamedTuple):
    """What a method got done in a trial: reached time, s; work between half of it and all of it; whether it failed."""

    t: float
    half: float
    rate: float  # work per second of motion, in iterations of the implicit method
    good: bool


class _Trial:
    """The first output intervals of a run by both methods."""

    def __init__(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> None:
        self.plan, self.start, self.t_end, self.output_step = plan, start, t_end, output_step
        self.allowed, self.why = np.inf, ""

    def compare(self, implicit: GeneralizedAlpha, explicit: Explicit) -> str | None:
        """Return why the explicit method isn't taken, or None; ``why`` then says why it is."""
        run = implicit.begin(self.plan, self.start, self.t_end, self.output_step)
        interval = float(run.times[1] - run.times[0])
        duration = self.t_end - self.start.t
        one = self._work(run, lambda counts: float(counts.iterations + counts.factorisations), TRIAL_STEPS)
        if not one.good:
            return "the trial at the start failed"
        if one.rate * duration * (self.plan.n_velocities + self.plan.n_rows) < WORTH:
            return "a short run: another method would not save a second"
        frequency, body = fastest(self.plan)
        least = EVALUATIONS * WEIGHT * max(1.0 / interval, frequency / STABLE)
        if least > CLEARLY * one.rate:
            cause = (
                f"vibrations of '{body}' at {frequency:.3g} rad/s" if frequency * interval > STABLE
                else f"states stored every {interval:.3g} s"
            )  # fmt: skip
            return f"{cause} would make an explicit method cost {least / one.rate:.2g} times as much"
        other = explicit.begin(self.plan, self.start, self.t_end, self.output_step)
        steps = int(CLEARLY * one.rate * (one.t - self.start.t) / (EVALUATIONS * WEIGHT)) + 1
        two = self._work(other, lambda counts: WEIGHT * float(counts.iterations), steps, one.t)
        if other.counts.rank_losses > 0:
            return "the constraints lose rank on the way"
        if not two.good or two.t < one.t or two.rate > CLEARLY * one.rate:
            return "in a trial an explicit method was not clearly cheaper"
        self.allowed = one.rate
        self.why = (
            f"nothing here is stiff: in a trial to t = {one.t:.3g} s the explicit method took "
            f"{two.rate / one.rate:.2g} times the work of the implicit one"
        )
        return None

    def _work(self, run, spent, steps: int, until: float = np.inf) -> _Work:
        """Run through the trial; the work is that of its second half, since the first steps are guesses."""
        marks = [(run.t, 0.0)]
        for t_out in run.times[1 : INTERVALS + 1]:
            status = PAUSED
            while status == PAUSED:
                made = run.counts.steps + run.counts.rejected
                if made >= steps or run.t >= until:
                    break
                status = run.advance(min(t_out, until), min(32, steps - made))
                marks.append((run.t, spent(run.counts)))
            if status not in (DONE, PAUSED):
                return _Work(run.t, 0.0, np.inf, False)
        t, work = np.array(marks).T
        half = 0.5 * (t[0] + t[-1])
        late = work[-1] - np.interp(half, t, work)
        return _Work(float(t[-1]), float(half), float(late / max(t[-1] - half, 1e-300)), bool(t[-1] > t[0]))


def fastest(plan: Plan) -> tuple[float, str]:
    """Return the highest frequency or damping rate of a free flexible body, rad/s, and its name; 0 without one."""
    L = plan.layout
    top, name = 0.0, ""
    for b, n in enumerate(L.body_modes):
        if n == 0:
            continue
        at = L.coefficient_at[b]
        mass, stiffness, damping = (L.coefficients[at[k] : at[k] + n * n].reshape(n, n) for k in (C8, K, D))
        mass, stiffness, damping = (0.5 * (x + x.T) for x in (mass, stiffness, damping))
        square, rate = (
            scipy.linalg.eigh(x, mass, eigvals_only=True, subset_by_index=(n - 1, n - 1))[0]
            for x in (stiffness, damping)
        )
        found = max(np.sqrt(max(square, 0.0)), rate)
        if found > top:
            top, name = float(found), plan.system.bodies[b].name
    return top, name


class _Place(NamedTuple):
    """A state of a run at an output: time, (c, q, alpha, v), coupled coordinates, states of laws, work done."""

    t: float
    state: tuple[np.ndarray, ...]
    turns: np.ndarray
    states: np.ndarray
    work_done: np.ndarray


class HandingOver:
    """A run of the explicit method that goes on with the implicit one where it gets stuck or too dear."""

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
            return self._hand_over("it got stuck", status)
        if run.counts.rank_losses > 0:
            return self._hand_over("the constraints lost rank", status)
        elapsed = run.t - self._start.t + 2 * INTERVALS * (self.times[1] - self.times[0])
        if WEIGHT * run.counts.iterations > self.work_rate * elapsed:
            return self._hand_over("it became stiffer than at the start", status)
        if status == DONE:
            self._safe = self._copy(run)
        return status

    def restart(self) -> None:
        """Make accelerations and multipliers consistent with the state."""
        self._run.restart()

    @staticmethod
    def _copy(run: ExplicitRun) -> _Place:
        c, q, alpha, v, _, _ = (x.copy() for x in run.state)
        turns = run.work.turn[:, LAST_ANGLE].copy()
        return _Place(run.t, (c, q, alpha, v), turns, run.states.copy(), run.work_done.copy())

    def _hand_over(self, reason: str, status: int) -> int:
        """Go on with the implicit method from the last output; ``status`` stays where that can't be done.

        Not from where the explicit one is: it may have gone up to a singular position, which leaves its mark.
        """
        safe = self._safe
        t_end, interval = self._ends[0], float(self.times[1] - self.times[0])
        method = replace(self._implicit, max_step=self._implicit.max_step or interval)
        try:
            found = consistent_start(self.plan, safe.state, safe.t, safe.turns, safe.states, quiet=True)
            first = replace(found, active=self.work.active.copy(), rank=self._start.rank)
            # (its own times of output are not asked for: self.times are)
            following = method.begin(self.plan, first, t_end, None)
        except FlexbodyError:
            return status
        self._before = self.counts
        self._work_done = safe.work_done
        self.why += f"; from t = {safe.t:.6g} s on implicit, for {reason}"
        logger.info("from t = %.6g s on generalized-alpha, for %s", safe.t, reason)
        self._run = following
        return PAUSED

    @property
    def name(self) -> str:
        """The method, for :class:`flexbody.Statistics`."""
        return self._run.name

    @property
    def work(self):
        """Scratch of the compiled core."""
        return self._run.work

    @property
    def counts(self) -> Counts:
        """Counts of both methods together."""
        now = self._run.counts
        return Counts(**{name: getattr(self._before, name) + getattr(now, name) for name in Counts._fields})

    @property
    def bad_row(self) -> int:
        """Constraint row with the largest residual where a step failed."""
        return self._run.bad_row

    @property
    def misses(self) -> DriveMisses:
        """What drives were missed by."""
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
    def state(self) -> tuple[np.ndarray, ...]:
        """(c, q, alpha, v, vdot, multipliers) at ``t``."""
        return self._run.state

    @property
    def states(self) -> np.ndarray:
        """States of force laws at ``t``, (nz,)."""
        return self._run.states

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        return self._work_done + self._run.work_done

    @property
    def memory(self) -> tuple[np.ndarray, ...]:
        """All arrays that the rest of the run depends on."""
        return self._run.memory

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance, if asked for from a restart, and read the joint coordinates."""
        return self._run.proceed(t_out, max_steps, restart, tracked)

    def fit(self, interval: float) -> None:
        """Choose a fixed step, or bound a chosen one."""
        self._run.fit(interval)

"""Automatic choice between the implicit and the explicit method by a short trial of both."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import percent

from ..compile.plan import Plan
from ..core.kinds import DONE, PAUSED
from ..equations.start import Start
from ..functions.time_law import DRIVE_PARTS, Law
from ..model.forces.controller import Controller
from .base import TRIAL_INTERVALS, check_positive
from .explicit import Explicit, ExplicitRun
from .generalized_alpha import DEFAULT_RTOL, PART_AT_DEFAULT, AlphaRun, GeneralizedAlpha
from .handing_over import HandingOver
from .method_work import (
    EVALUATIONS_OF_A_STEP,
    STABILITY_LIMIT,
    fastest,
    implicit_work,
    least_explicit_work,
    work_in,
)
from .unresolved import Comparison

logger = logging.getLogger("flexbody")

#: The explicit method is chosen if its work is below this fraction of the work of the implicit method.
WORK_RATIO = 0.5
#: The default tolerance of machines in which nothing vibrates.
RIGID_RTOL = 1e-6
#: Beside forces that set in or jump the tolerance of the explicit method is smaller, by this factor: its long steps are
#: less exact there (a ball that bounces 18 times loses 4e-3, 3e-4 and 2e-5 of its energy at 1e-6, 1e-7 and 1e-8).
PART_BESIDE_BLOWS = 1e-2
#: It is smaller by the first factor too where it is chosen for vibrations below the second part of the way of the
#: machine: its errors are relative to that (24 % of a force of 6 N at 385 Hz beside 0.1 m/s).
PART_FOR_SMALL, SMALL_VIBRATION = 1e-2, 1e-3
#: In runs that take at least so many seconds the work decides.
LONG = 1.0
#: The trial lasts for this number of implicit steps at most.
TRIAL_STEPS = 2000
#: A short run with fewer iterations of the implicit method for each output follows no vibration.
MANY_PER_OUTPUT = 40.0
#: In a short run the implicit method is compared with the explicit one behind these parts of it.
COMPARED_AT = 0.04, 0.09, 0.14
#: The explicit method is cheap up to so many evaluations, little more than a step, for each of the stored states, of
#: which there are so many by default. It is chosen then if a deformation would be wrong by the last number at the end.
FEW_PER_OUTPUT, USUAL_OUTPUTS, NOTED_ERROR = 20.0, 500, 0.02
#: Smaller errors are not told as numbers.
LEAST_TOLD = 1e-4
#: Stored states show the peaks of a vibration to 5 % if a period has so many.
STATES_OF_A_PERIOD = 10.0
#: It may cost so many times the work of the implicit method, but not more than the second number of seconds, if a
#: deformation would be wrong by the last number.
DEARER, SHORT, LARGE_ERROR = 30.0, 0.5, 0.2


@check_arguments
@dataclass(frozen=True)
class Automatic:
    """Automatic choice of the method: :class:`GeneralizedAlpha`, or :class:`Explicit` where that is the better choice.

    Parameters
    ----------
    rtol : float, optional
        Relative tolerance as for :class:`GeneralizedAlpha`. The explicit method uses a tenth of it, which gives errors
        that are not larger; by default 1e-6. For rigid bodies without force elements it is 1e-6 by default: there
        nothing vibrates, the motion alone chooses the steps, and they are few.

    Notes
    -----
    A short trial of both methods decides. Its cost is counted in evaluations, so that the same machine is always
    computed by the same method. Without a trial the implicit method is used

    * for friction, stops, contacts, tables, motors, users' laws and functions that can't be compiled, except those of
      drives: they may be stiff, have jumps, or are expensive;
    * if the highest frequency of a flexible body forces the explicit method to take too many steps;
    * for rigid bodies without force elements in runs that take less than about a second;
    * at tolerances below the default, if elastic force elements vibrate faster than states are stored: beside a motion
      that grows the implicit method passes over such vibrations, the explicit one can't. At the default the trial
      knows, because the implicit method foresees the motion.

    In runs that take less than about a second accuracy decides, if the implicit method does not follow vibrations all
    the time. At 4, 9 and 14 % of the run both methods continue for a hundredth of it. The difference of their
    deformations, which are compared with the largest and with 1e-4 of the way of the machine, tells what the implicit
    method will leave unresolved at the end. The explicit method is chosen

    * for 2 %, if it costs little more than a step for each stored state;
    * for 20 %, if it costs at most 30 times the work, and not more than about half a second.

    Its tolerance is a hundredth of the usual one then, if the deformations are below a thousandth of the way of the
    machine. Otherwise ``why`` tells what is left unresolved.

    If the explicit method takes more work than was expected and the implicit one is cheaper then, or if the constraints
    lose rank, the run continues with the implicit method. If the implicit method follows vibrations for long, with
    steps far below the limit of stability of the explicit method, the run continues with that one, except for
    controllers and functions that can't be compiled. It does so behind events and in a :class:`Stepper` too, and sooner
    there: events are examined behind each step, which takes most of the time of a small machine.
    ``result.statistics`` contains the method at the end of the run (``method``) and the reasons (``why``).

    Examples
    --------
    >>> import flexbody as fb
    >>> integrator = fb.Automatic(rtol=1e-6)
    """

    rtol: float | None = None

    def __post_init__(self) -> None:
        if self.rtol is not None:
            check_positive("Automatic", {"rtol": self.rtol})

    def begin(
        self, plan: Plan, start: Start, t_end: float, output_step: float | None
    ) -> AlphaRun | ExplicitRun | HandingOver:
        """Return a run of the chosen method from a consistent start.

        Parameters
        ----------
        plan : Plan
            The compiled system.
        start : Start
            The consistent start.
        t_end : float
            End of the run, s.
        output_step : float or None
            Distance of the output times, s.

        Returns
        -------
        Run
            The run, see :class:`flexbody.integrators.base.Run`.
        """
        # the separating force of teeth is no spring
        vibrates = plan.n_modes > 0 or any(one.teeth is None for one in plan.elements.elements)
        rtol = self.rtol or (DEFAULT_RTOL if vibrates else RIGID_RTOL)
        implicit = GeneralizedAlpha(rtol=None if vibrates and self.rtol is None else rtol)
        explicit = Explicit(rtol=max(0.1 * rtol, 1e-13))
        if not plan.formulation.implicit:
            only = explicit.begin(plan, start, t_end, output_step)
            only.why = "its description takes explicit methods alone"
            return only
        against = reason_against(plan)
        run: AlphaRun | ExplicitRun | None = None
        if against is None:
            trial = _Trial(plan, start, t_end, output_step)
            against = trial.compare(implicit, explicit)
            run = trial.back_at_start()
        if against is None:
            explicit = replace(explicit, rtol=max(trial.share * explicit.rtol, 1e-13))
            run = explicit.begin(plan, start, t_end, output_step)
        run = run or implicit.begin(plan, start, t_end, output_step)
        calls_back = any(map(_is_expensive, plan.laws)) or np.any(plan.layout.row_callback != 0)
        if calls_back or _is_controlled(plan):
            run.why = against or trial.why
            logger.info("%s: %s", run.name, run.why)
            return run
        if not all(law.elastic for law in plan.elements.laws):
            explicit = Explicit(rtol=max(PART_BESIDE_BLOWS * explicit.rtol, 1e-13))
        chosen = HandingOver(run, implicit, explicit, start, t_end, fastest(plan)[0])
        chosen.why = against or trial.why
        if against is None:
            chosen.work_rate = trial.allowed
        logger.info("%s: %s", chosen.name, chosen.why)
        return chosen


def reason_against(plan: Plan) -> str | None:
    """Return a sentence that says why the explicit method is not suitable for this system, or None."""
    L = plan.layout
    for element, law in zip(plan.elements.elements, plan.elements.laws, strict=True):
        if not law.elastic:
            return f"{element.label} may be stiff or have jumps"
    if expensive := [law for law in plan.laws if _is_expensive(law)]:
        return f"{expensive[0].what} can't be compiled, and the explicit method evaluates it more often"
    if np.any(L.row_callback != 0):
        return "a user's constraint can't be compiled, and the explicit method evaluates it more often"
    return None


def _few_states(run: AlphaRun, interval: float) -> str:
    """Return what is added to the reasons where states are stored too seldom for the vibrations of force elements."""
    if not run.stiffest * interval > 2.0 * np.pi / STATES_OF_A_PERIOD:
        return ""
    period = 2.0 * np.pi / run.stiffest
    return (
        f"; states are stored every {interval:.3g} s, and miss peaks of vibrations of force elements at up to "
        f"{1.0 / period:.3g} Hz (output_step={period / 20.0:.1g} shows them)"
    )


def _is_expensive(law: Law) -> bool:
    """Return whether calls of a function cost much; that of a drive is called thousands of times for its corners."""
    return not law.compiled and law.parts != DRIVE_PARTS


def _is_controlled(plan: Plan) -> bool:
    return any(isinstance(element, Controller) for element in plan.elements.elements)


class _Work(NamedTuple):
    """Work of a method in a trial: reached time (s), half of it (s), work per second after that, and success."""

    t: float
    half: float
    rate: float  # work per second of motion, in iterations of the implicit method
    good: bool


class _Trial:
    """The first output intervals of a run, computed by both methods."""

    def __init__(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> None:
        self.plan, self.start, self.t_end, self.output_step = plan, start, t_end, output_step
        self.allowed, self.why, self.share = np.inf, "", 1.0
        self._run: AlphaRun | None = None  # of the implicit method, and its memory at the start
        self._at_start: list[np.ndarray] = []

    def back_at_start(self) -> AlphaRun | None:
        """Return the run of the implicit method as it was before the trial."""
        if self._run is not None:
            for array, first in zip(self._run.memory, self._at_start, strict=True):
                array[...] = first
        return self._run

    def compare(self, implicit: GeneralizedAlpha, explicit: Explicit) -> str | None:
        """Return why the explicit method is not chosen, or None; ``why`` then says why it is chosen."""
        run = self._run = implicit.begin(self.plan, self.start, self.t_end, self.output_step)
        self._at_start = [array.copy() for array in run.memory]
        interval = float(run.times[1] - run.times[0])
        duration = self.t_end - self.start.t
        one = self._work(run, implicit_work, TRIAL_STEPS)
        if not one.good:
            return "the trial at the start failed"
        if one.rate * duration >= work_in(LONG, self.plan):
            return self._cheaper(run, implicit, explicit, one)
        if one.rate * interval >= MANY_PER_OUTPUT and self._cheaper(run, implicit, explicit, one) is None:
            return None
        return self._vibrations_of_a_short_run(run, explicit, one)

    def _vibrations_of_a_short_run(self, run: AlphaRun, explicit: Explicit, one: _Work) -> str | None:
        """Return why the explicit method is not chosen for a short run, or None if it resolves what matters."""
        against, plan = (
            "judged by its beginning the run is short: another method would not save a second",
            self.plan,
        )
        if plan.n_modes == 0 and not np.any(run.compliance > 0.0):
            return against
        interval, duration = float(run.times[1] - run.times[0]), self.t_end - self.start.t
        step_cost = EVALUATIONS_OF_A_STEP * plan.formulation.evaluation_cost(plan.layout)
        few = FEW_PER_OUTPUT / EVALUATIONS_OF_A_STEP * step_cost / min(interval, duration / USUAL_OUTPUTS)
        most = min(max(few, DEARER * one.rate), work_in(SHORT, plan) / duration)
        least = least_explicit_work(plan, max(fastest(plan)[0], run.stiffest), interval)
        if least > 2.0 * most:  # (a joint may slow the fastest vibration of a body)
            dearer = f"cost at least {least / one.rate:.2g} times as much"
            return f"{against}, and one that resolves all vibrations would {dearer}"
        comparison, error, work, size = Comparison(run, explicit, self.start, self.t_end), 1.0, 0.0, 0.0
        for part in COMPARED_AT:
            found = comparison.look(self.start.t + part * duration, most / step_cost)
            if found is None:
                return f"{against}, and one that resolves all vibrations would cost too much"
            error, work = min(error, found.error), max(work, step_cost * found.steps)
            size = max(size, found.size)
            worth_it = error >= NOTED_ERROR if work <= few else work <= most and error >= LARGE_ERROR
            if not worth_it:
                left = (
                    f"about {percent(error)}" if error >= LEAST_TOLD else f"less than {percent(LEAST_TOLD)}"
                )
                return f"{against}, and this one leaves {left} of the vibrations unresolved"
        self.share = PART_FOR_SMALL if size < SMALL_VIBRATION else 1.0
        self.allowed = most * self.share**-0.125  # (a method of order 8)
        self.why = (
            f"it resolves the vibrations, of which an implicit method would leave about {percent(error)} unresolved in "
            f"this short run, for {work / one.rate:.2g} times the work{_few_states(run, interval)}"
        )
        return None

    def _cheaper(
        self, run: AlphaRun, implicit: GeneralizedAlpha, explicit: Explicit, one: _Work
    ) -> str | None:
        """Return why the explicit method is not chosen, or None if it is clearly cheaper."""
        interval = float(run.times[1] - run.times[0])
        frequency, body = fastest(self.plan)
        cost = self.plan.formulation.evaluation_cost(self.plan.layout)
        least = least_explicit_work(self.plan, frequency, interval)
        if least > WORK_RATIO * one.rate:
            cause = (
                f"vibrations of '{body}' at {frequency:.3g} rad/s" if frequency * interval > STABILITY_LIMIT
                else f"states stored every {interval:.3g} s"
            )  # fmt: skip
            return f"{cause} would make an explicit method cost {least / one.rate:.2g} times as much"
        other = explicit.begin(self.plan, self.start, self.t_end, self.output_step)
        steps = int(WORK_RATIO * one.rate * (one.t - self.start.t) / (EVALUATIONS_OF_A_STEP * cost)) + 1
        two = self._work(other, lambda counts: cost * float(counts.iterations), steps, one.t)
        if other.counts.rank_losses > 0:
            return "the constraints lose rank on the way"
        if not two.good or two.t < one.t or two.rate > WORK_RATIO * one.rate:
            return "in a trial an explicit method was not clearly cheaper"
        # at tight tolerances the implicit method doesn't foresee what vibrations will be compared with, and the trial
        # doesn't know what the run will cost when the machine has moved
        blind = 0.0 < implicit.unresolved_vibrations() < PART_AT_DEFAULT
        if blind and run.stiffest * interval > STABILITY_LIMIT:
            return (
                f"a force element vibrates at {run.stiffest:.3g} rad/s, faster than states are stored; an explicit "
                "method would follow that to the end"
            )
        self.allowed = one.rate
        self.why = (
            f"nothing here is stiff: in a trial to t = {one.t:.3g} s the explicit method took "
            f"{two.rate / one.rate:.2g} times the work of the implicit one{_few_states(run, interval)}"
        )
        return None

    def _work(self, run, spent, steps: int, until: float = np.inf) -> _Work:
        """Run the trial and return its work, measured in its second half because the first steps have guessed sizes."""
        marks = [(run.t, 0.0)]
        for t_out in run.times[1 : TRIAL_INTERVALS + 1]:
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

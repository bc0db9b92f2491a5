"""The Python loop around the compiled steps of a run: output, progress, interrupts, errors."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import numpy as np

from fem.common.errors import ConvergenceError, few, percent, warn
from fem.common.progress import progress

from ..compile.plan import Plan
from ..core.kinds import DONE, PAUSED
from ..files.unfinished_file import Stream
from ..integrators.base import Run
from ..results.peaks import peaks_by_name
from ..results.record import Record, Statistics
from .aliases import AliasWatch
from .control_loops import MANY_STEPS, control_loops
from .deep_contacts import DepthWatch
from .deflections import DeflectionWatch
from .law_errors import raise_law_errors
from .lost_energy import warn_of_lost_energy
from .ringing_remedies import described, is_the_motion, what_to_do
from .run import Recording, check_state, fail, statistics, warn_of_growth
from .segment import Segment
from .vibrations_told import or_less_work, told_vibrations

logger = logging.getLogger("flexbody")

#: A run of no more steps, in all and for each output, is cheap whatever they follow.
FEW_STEPS, FEW_STEPS_PER_OUTPUT = 5000, 20

#: Blows are told if there are more of them, and they take fewer steps than this each: more are asked for by the
#: tolerance.
MANY_BLOWS, PER_BLOW = 20, 300
#: What is told of several bodies that rebound for long.
REBOUND = (
    "Where several bodies rebound for long, their motion may be chaotic: if a run at another rtol gives other ways and "
    "times, means and energies alone are reproducible. For these integrator=fb.GeneralizedAlpha(rtol=1e-4) takes fewer "
    "steps"
)

#: a chunk of compiled steps lasts about this long (s), so that progress and interrupts are prompt
CHUNK_SECONDS = 0.1


class Recorder:
    """The Python loop around the compiled steps: output, progress, interrupts, errors."""

    def __init__(self, plan: Plan, segment: Segment, fixed: bool, stream: Stream | None) -> None:
        self.plan, self.segment, self.fixed, self.stream = plan, segment, fixed, stream
        self.deflections, self._aliases, self._depths = DeflectionWatch(plan), AliasWatch(), DepthWatch()
        self._times = segment.run.times
        self.states = Recording(
            plan, len(self._times) + 1, *([stream.array] if stream else [])
        )  # 1: an interrupt
        self.seconds, self._chunk, self._made = 0.0, 32, 0  # processor time, s; steps in one call, and so far
        self.choice_seconds = 0.0  # before the loop
        self.interrupted = self.ended = False
        self.peaks = np.zeros((len(plan.elements.elements), 4))  # at the last stored state, as Work.peak
        self._told = self.fixed  # of steps without end; fixed ones are asked for
        # when they are counted from, s, and which number is too many
        self._since, self._many = self.run.t, float(MANY_STEPS)

    @property
    def run(self) -> Run:
        """The run of the integrator."""
        return self.segment.run

    def go(self, t_end: float, show: bool | None) -> None:
        """Run to the end, or to an interrupt, which keeps the states so far."""
        try:
            self.segment.sampling.act(self.run)
            self._store()
            with progress(t_end - self.segment.start.t, "simulating", "s", show) as bar:
                self._loop(bar)
        except KeyboardInterrupt:
            self.interrupted = True
            logger.warning("interrupted at t = %.6g s; what was computed is kept", self.run.t)

    def _loop(self, bar) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):  # what is not finite has an error of its own
            for t_out in self._times[1:].tolist():
                self._reach(t_out, bar)
                self._check_bounds()
                self._store()
                check_state(self.plan, self.segment.start, self.run, self.segment.work)

    def _reach(self, t_out: float, bar) -> None:
        """Advance to an output time, with the samples of controllers and the corners of functions on the way."""
        while self.run.t < t_out:
            self.segment.corners.pass_by(self.run)
            stop = self.segment.next_stop(t_out)
            if self.segment.stops:
                self._fit(stop)
            if not self.segment.sampling.active:
                self._count_from_here()
            self._advance(stop, bar)
            if self.segment.sampling.act(self.run):
                self._count_from_here()

    def _count_from_here(self) -> None:
        """Count anew the steps to the next output or, of a machine with sampled controllers, the next sample."""
        self._since, self._many = self.run.t, self.run.counts.steps + float(MANY_STEPS)

    def _fit(self, t_out: float) -> None:
        """Let fixed steps end at a time, s."""
        if self.fixed and self.run.t < t_out:
            self.run.fit(t_out - self.run.t)

    def _advance(self, t_out: float, bar) -> None:
        """Advance the run to an output time, in several chunks if it takes long."""
        run, status = self.run, PAUSED
        while status == PAUSED:
            wall, cpu, t = time.perf_counter(), time.thread_time(), run.t
            status = run.advance(t_out, self._chunk)
            self.seconds += time.thread_time() - cpu
            raise_law_errors(self.plan)
            self.segment.jumps.examine(run.misses)
            if self.segment.rows.exchange(run) and status != DONE:
                status = PAUSED
            counts = run.counts
            before, self._made = self._made, counts.steps + counts.rejected
            if self._made - before >= self._chunk:
                spent = max(time.perf_counter() - wall, 1e-6)
                self._chunk = int(np.clip(self._chunk * CHUNK_SECONDS / spent, 8, 4 * self._chunk))
            bar.update(run.t - t)
            if counts.steps > self._many and not self._told:
                self._told = True
                warn_of_growth(self.plan, run, self._since)
        if status != DONE:
            fail(self.plan, run, status, self.fixed)

    def _check_bounds(self) -> None:
        try:
            self.segment.bounds.check(self.run)
        except ConvergenceError:
            self.ended = True  # the state beyond is no result
            raise

    def _store(self) -> None:
        s = self.states.store(self.run)
        self.peaks[:] = self.run.work.peak
        self._watch()
        self.deflections.look(s.t, s.all_alpha)
        if self.stream is not None:
            self.stream.mark(self.states.arrays, self.states.filled)

    def _watch(self) -> None:
        for watch in (self._aliases, self._depths):
            watch.look(self.run, self.segment.plan)

    def _warn_of_vibrations(self, cost: Statistics) -> None:
        """Warn if most of many steps were spent on vibrations."""
        many = cost.steps > max(FEW_STEPS, FEW_STEPS_PER_OUTPUT * len(self._times))
        steps, striking, found = self.run.counts.steps, self.run.counts.striking, self.run.striking
        if many and striking > 0.5 * steps and found.blows > MANY_BLOWS and striking < PER_BLOW * found.blows:
            several = found.bodies > 1
            warn(
                f"{percent(striking / steps)} of {cost.steps} steps follow {found.blows} blows, most of them of "
                f"{few(found.labels)}. "
                + (REBOUND if several else "Losses end them (dissipation= of a contact)")
            )
        ringing = self.run.ringing
        if many and cost.vibrating > 0.5 * cost.steps and ringing is not None:
            plan, start, stored = self.segment.plan, self.segment.start, self.states.stored
            aside = "" if is_the_motion(plan, ringing, stored) else ", not the motion"
            loops = control_loops(plan.system, {})
            warn(
                f"{percent(cost.vibrating / cost.steps)} of {cost.steps} steps follow vibrations{aside}: "
                f"{described(plan, self.run.state, ringing)}. {loops}{'. ' * bool(loops)}"
                f"{what_to_do(plan, self.run, start, stored)}{or_less_work(plan, self.run)}"
            )

    def _tell_what_is_lost(self, cost: Statistics) -> Statistics:
        """Warn of vibrations of elements and bodies that were not followed, and add them to the reasons."""
        told = told_vibrations(self.plan, self.run, self.segment.start, self.states.stored)
        return replace(cost, why=f"{cost.why}; {told}") if told else cost

    def _cost(self, spent: float) -> Statistics:
        """Return the cost of the run; ``spent`` is its processor time, s."""
        return statistics(self.plan, self.segment.start, self.run, self.seconds, spent, self.interrupted)

    def _record(self, cost: Statistics) -> Record:
        """Return the stored states."""
        found = self.states.record(self.plan, cost, self.segment.start.undetermined)
        return self._with_peaks(found)

    def _with_peaks(self, found: Record) -> Record:
        """Return a record with the largest forces up to its last state."""
        names = [element.name for element in self.plan.elements.elements]
        return replace(found, peaks=peaks_by_name(names, self.peaks))

    def finish(self, cpu: float) -> Record:
        """Return, and save, the states so far with the cost since processor time ``cpu``.

        After an early end the last state is included.
        """
        if not self.ended and (self.states.filled == 0 or self.run.t > self.states.last):
            self._store()
        cost = replace(self._cost(time.thread_time() - cpu), choice_seconds=self.choice_seconds)
        self._warn_of_vibrations(cost)
        cost = self._tell_what_is_lost(cost)
        self.deflections.warn()
        self._depths.warn()
        self._aliases.warn(float(self._times[1] - self._times[0]))
        record = self._record(cost)
        warn_of_lost_energy(record, self.run)
        return record if self.stream is None else self.stream.complete(record)

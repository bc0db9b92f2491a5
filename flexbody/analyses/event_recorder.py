"""The loop around the steps of a run with events: each step is examined, and the run goes on behind an event."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fem.common.errors import ConstraintError, ConvergenceError

from ..compile.plan import Plan
from ..core.kinds import DONE, PAUSED
from ..core.structures import Counts
from ..equations.consistent_start import consistent_start
from ..equations.start import Start
from ..formulations.state import STATE_ARRAYS, MachineState
from ..integrators import Integrator
from ..integrators.base import Run, Within, no_counts
from ..integrators.independent_rows import IndependentRows
from ..model.events import EndRun, Event, Onset, Rebound, Switch
from ..results.occurrences import Occurrence
from ..results.record import Record, Statistics
from ..results.stored_states import record_of
from .bounds import Bounds
from .drive_jumps import DriveJumps
from .event_watch import EventWatch
from .law_errors import raise_law_errors
from .rebound import rebound
from .recorder import Recorder
from .run import check_redundant, fail, statistics
from .sampling import Sampling
from .switching import Switchboard, driven_values

#: A joint that is switched on may be open by this part of the machine's length.
GAP_TOLERANCE = 1e-6


class EventRecorder(Recorder):
    """A run with events.

    Parameters
    ----------
    events : sequence of Event
        The events.
    board : Switchboard
        What is on, and the machine with everything.
    method : Integrator
        The integrator that was asked for.
    plan, start, run, fixed
        As for :class:`Recorder`: the part of the machine that is on at the start, its start and its run.
    read : callable
        From a state of the machine to the object that the functions of events take.
    """

    def __init__(
        self,
        events: Sequence[Event],
        board: Switchboard,
        method: Integrator,
        plan: Plan,
        start: Start,
        run: Run,
        fixed: bool,
        read: Callable[[MachineState], Any],
    ) -> None:
        super().__init__(board.plan, start, run, fixed, None, Sampling(plan, read))
        self._board, self._method = board, method
        self._times, self._duration = run.times, float(run.times[-1] - run.times[0])
        self._read = read
        self._watches = [EventWatch(event, read, self._duration) for event in events]
        self._switched_off, self._why = tuple(sorted(board.off)), run.why
        self._counts, self._work_done, self._off_grid = no_counts(), np.zeros(2), False
        self._occurrences: list[Occurrence] = []
        self._parts: list[tuple[int, Plan]] = []
        self._values: list[float] = []
        self._enter(plan, start, run)

    def _enter(self, plan: Plan, start: Start, run: Run) -> None:
        """Go on with a run of the part that is on."""
        self.part, self.start, self.run = plan, start, run
        self.work, self.jumps, self.rows = plan.work(), DriveJumps(plan), IndependentRows(plan, start.rank)
        self.bounds = Bounds(plan, start, self.work)
        self.sampling = Sampling(plan, lambda s: self._read(self._board.of_whole(s)))
        self._parts.append((self.states.filled, plan))

    # ---- the loop --------------------------------------------------------------------------------

    def _loop(self, bar) -> None:
        self._values = [watch.value(self._state()) for watch in self._watches]
        for watch, value in zip(self._watches, self._values, strict=True):
            watch.begin(value)
        for t_out in self._times[1:]:
            if self._off_grid:
                self.run.fit(t_out - self.run.t)
            while self.run.t < t_out:
                before, stop = self.run.t, self.sampling.next(self.run, t_out)
                if stop < t_out:
                    self._fit(stop)
                    self._off_grid = self.fixed
                self._step(stop)
                bar.update(self.run.t - before)
                if self.run.t < before:
                    self._forget()
                elif self.run.t > before and self._examine(before, t_out):
                    return
                if self.sampling.act(self.run):
                    self._values = [watch.value(self._state()) for watch in self._watches]
                    self._fit(t_out)
            if self.run.t > self.states.last:
                self._check_bounds()
                self._store()
            check_redundant(self.part, self.start, self.run, self.work)

    def _step(self, t_out: float) -> None:
        """Try one step towards ``t_out``, s."""
        run, cpu = self.run, time.thread_time()
        run.remember()
        with np.errstate(divide="ignore", invalid="ignore"):
            status = run.advance(t_out, 1)
        self.seconds += time.thread_time() - cpu
        raise_law_errors(self.part)
        self.jumps.examine(run.misses)
        if not (self.rows.exchange(run) or status in (DONE, PAUSED)):
            fail(self.part, run, status, self.fixed)

    def _examine(self, before: float, t_out: float) -> bool:
        """Look for events in the step since ``before`` (s); return whether the run ends with one of them."""
        values = [watch.value(self._state()) for watch in self._watches]
        memory, found = [watch.memory for watch in self._watches], []
        for watch, old, new in zip(self._watches, self._values, values, strict=True):
            if watch.look(old, new):
                at = lambda t, watch=watch: watch.value(self._within(t).state)  # noqa: E731
                found.append((watch.locate(at, before, old, self.run.t, new), watch, new))
        found.sort(key=lambda one: one[0])
        for t, watch, new in found:
            place = self._within(t)
            self._keep(place)
            # where an event ends the run or can't be carried out, nothing behind it belongs to the result
            self.ended = not watch.event.then.passes
            watch.occurred(t)
            if watch.event.then.passes:
                watch.begin(new)
                self._note(watch.event, t)
                continue
            for other, sides in zip(self._watches, memory, strict=True):
                if other is not watch and not any(other is one and s < t for s, one, _ in found):
                    other.memory = sides
            if isinstance(watch.event.then, EndRun):
                self._note(watch.event, t)
                return True
            self._change(watch, place)
            self.ended = False
            self._values = [one.value(self._state()) for one in self._watches]
            if self.fixed and self.run.t < t_out:
                self._off_grid = True
                self.run.fit(t_out - self.run.t)
            return False
        self._values = values
        return False

    def _forget(self) -> None:
        """Remove what was stored after the present time: the run has gone back to continue with another method."""
        times = self.states.arrays["t"]
        while self.states.filled > 1 and times[self.states.filled - 1] > self.run.t:
            self.states.filled -= 1
        self._occurrences = [one for one in self._occurrences if one.row < self.states.filled]
        self._values = [watch.value(self._state()) for watch in self._watches]
        for watch, value in zip(self._watches, self._values, strict=True):
            watch.again(value)

    # ---- at an event -----------------------------------------------------------------------------

    def _change(self, watch: EventWatch, place: Within) -> None:
        """Change the motion or the machine at an event, and go on with a new run."""
        event, t = watch.event, place.state.t
        try:
            start = self._behind(watch, self._board.of_part(place.state))
        except ConstraintError as error:
            raise ConvergenceError(
                f"the run stops at t = {t:.6g} s: event '{event.name}' can't be carried out: {error}"
            ) from error
        self._counts, self._work_done = self._all_counts(), place.work_done
        switches = isinstance(event.then, Switch)
        method = self._method if switches else self.run.method
        interval = float(self._times[1] - self._times[0])
        plan = self._board.part if switches else self.part
        # as long as the whole run, so that its tolerances are the same; the output times are those of the first run
        self._enter(plan, start, method.begin(plan, start, t + self._duration, interval))
        self._store()
        self._note(event, t)

    def _behind(self, watch: EventWatch, s: MachineState) -> Start:
        """Return the consistent state behind an event that happens at ``s``."""
        event = watch.event
        if isinstance(event.then, Onset):
            return consistent_start(self.part, s, quiet=True)
        if isinstance(event.then, Rebound):
            start = consistent_start(self.part, s, quiet=True)

            def gap(near: MachineState) -> float:
                return watch.value(self._board.of_whole(near))

            v = rebound(self.part, start, gap, event.then.restitution, event.name)
            return consistent_start(
                self.part, replace(s, c=start.c, q=start.q, all_alpha=start.all_alpha, v=v), quiet=True
            )
        assert isinstance(event.then, Switch)
        whole = self._board.of_whole(s)
        values = driven_values(self.plan.system, event.then.on, self._read(whole).coordinate)
        self._board.switch(event.then.on, event.then.off, whole, values)
        part = self._board.part
        start = consistent_start(part, self._board.of_part(whole), quiet=True)
        if start.position_correction > GAP_TOLERANCE * part.layout.length:
            raise ConvergenceError(
                f"the run stops at t = {s.t:.6g} s: event '{event.name}' switches on {', '.join(event.then.on)}, which "
                f"is open there by up to {start.position_correction:.3g} m; a joint must be closed where it is "
                "switched on, and a drive that follows a function of time must meet its coordinate"
            )
        return start

    def _note(self, event: Event, t: float) -> None:
        """Record that an event has occurred; the last stored state is the one behind it."""
        on, off = (event.then.on, event.then.off) if isinstance(event.then, Switch) else ((), ())
        self._occurrences.append(
            Occurrence(event.name, float(t), event.then.verb, self.states.filled - 1, tuple(on), tuple(off))
        )

    # ---- states ----------------------------------------------------------------------------------

    def _state(self) -> MachineState:
        """Return the present state of the whole machine."""
        return self._board.of_whole(self.run.state)

    def _within(self, t: float) -> Within:
        """Return the state of the whole machine at a time inside the last step."""
        if t >= self.run.t:
            return Within(self._state(), self._work_done + self.run.work_done)
        found = self.run.within(t)
        return Within(self._board.of_whole(found.state), self._work_done + found.work_done)

    def _keep(self, place: Within) -> None:
        """Store a state."""
        if place.state.t > self.states.last:
            self.states.store(place)
            self.deflections.look(place.state.t, place.state.all_alpha)

    def _store(self) -> None:
        self.states.store(self._within(self.run.t))
        self.deflections.look(self.run.t, self.run.state.all_alpha)

    # ---- the result ------------------------------------------------------------------------------

    def _all_counts(self) -> Counts:
        """Return the counts of all runs together."""
        now = self.run.counts
        return Counts(**{name: getattr(self._counts, name) + getattr(now, name) for name in Counts._fields})

    def _cost(self, spent: float) -> Statistics:
        found = statistics(self.part, self.start, self.run, self.seconds, spent, self.interrupted)
        all_counts = self._all_counts()
        counts = {name: getattr(all_counts, name) for name in Counts._fields if hasattr(found, name)}
        return replace(found, **counts, why=self._why)

    def _record(self, cost: Statistics) -> Record:
        found = self.states.record(self._board.recorded(), cost, self.start.undetermined)
        energies = found.energies.copy()
        ends = [first for first, _ in self._parts[1:]] + [len(found.t)]
        for (first, part), end in zip(self._parts, ends, strict=True):
            if part.system is not self.plan.system and end > first:
                energies[first:end] = self._energies(part, found, first, end)
        for one in self._occurrences:
            k = one.row
            if k > 0 and found.t[k] == found.t[k - 1]:
                # what a blow takes is dissipated; what a part brings that is switched on is put in
                jump = float(energies[k, :3].sum() - energies[k - 1, :3].sum())
                energies[k:, 4 if jump > 0 else 3] += abs(jump)
        return replace(
            found, energies=energies, events=tuple(self._occurrences), switched_off=self._switched_off
        )

    def _energies(self, part: Plan, found: Record, first: int, end: int) -> np.ndarray:
        """Return the energies of stored states in which only a part of the machine was on."""
        states = [self._board.mapped_to(part, found.state_at(k)) for k in range(first, end)]
        arrays = {name: np.array([getattr(s, name) for s in states]) for name in STATE_ARRAYS}
        arrays |= {"t": found.t[first:end], "work": found.energies[first:end, 3:]}
        return record_of(part, arrays, found.statistics, ()).energies

"""The events of a run: each step is examined, and the run goes on behind an event with a new segment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from fem.common.errors import ConstraintError, ConvergenceError

from ..compile.plan import Plan
from ..core.structures import Counts
from ..equations.consistent_start import consistent_start
from ..equations.start import Start
from ..formulations.state import STATE_ARRAYS, MachineState
from ..integrators import Integrator
from ..integrators.base import Run, Within, no_counts
from ..model.events import EndRun, Event, Onset, Rebound, Switch
from ..results.occurrences import Occurrence
from ..results.peaks import together
from ..results.record import Record, Statistics
from ..results.stored_states import record_of, with_blows
from .event_watch import EventWatch, WatchMemory
from .rebound import rebound
from .run import Recording, statistics
from .segment import Segment
from .state_of_run import NOTHING, StateOfRun, reader_of
from .switching import BoardMemory, Switchboard, driven_values

#: A joint that is switched on may be open by this part of the machine's length.
GAP_TOLERANCE = 1e-6


class Keep(Protocol):
    """Stores a state at an event; ``behind`` the event it is stored though there is one at this time already."""

    def __call__(self, place: Within, *, behind: bool) -> int:
        """Return the number of the last stored state."""


class LoopMemory(NamedTuple):
    """What an :class:`EventLoop` returns to; the arrays of its segment are kept elsewhere."""

    segment: Segment
    ended: bool
    watches: tuple[WatchMemory, ...]
    values: list[float]
    counts: Counts
    work_done: np.ndarray
    peaks: np.ndarray
    occurrences: tuple[Occurrence, ...]
    parts: tuple[tuple[int, Plan], ...]
    board: BoardMemory
    standing: Any


class EventLoop:
    """The events of a run.

    Parameters
    ----------
    events : sequence of Event
        The events.
    board : Switchboard
        What is on, and the machine with everything.
    method : Integrator
        The integrator that was asked for.
    plan, start, run
        As for :class:`Segment`: the part of the machine that is on at the start, its start and its run.
    duration, interval : float
        Duration of the run, and time between its outputs, s.
    keep : Keep
        Stores a state.
    note : callable, optional
        Takes note of an event; the state behind it is the last that was stored.

    Attributes
    ----------
    segment : Segment
        The present segment.
    ended : bool
        Whether nothing behind the last event belongs to the result: it ended the run, or can't be carried out.
    occurrences : list of Occurrence
        The events so far.
    """

    def __init__(
        self,
        events: Sequence[Event],
        board: Switchboard,
        method: Integrator,
        plan: Plan,
        start: Start,
        run: Run,
        *,
        duration: float,
        interval: float | None,
        keep: Keep,
        note: Callable[[Occurrence], None] | None = None,
    ) -> None:
        self._board, self._method = board, method
        self._duration, self._interval, self._keep, self._tell = duration, interval, keep, note
        self._reader, self._read_plan = reader_of(board.whole), board.whole
        self.segment = Segment(plan, start, run, self._read_part)
        self._watches = [EventWatch(event, self._read, duration) for event in events]
        self._switched_off = tuple(sorted(board.off))
        self._counts, self._work_done = no_counts(), np.zeros(2)
        self._peaks = np.zeros((len(board.plan.elements.elements), 4))  # of earlier segments
        self.ended, self._end = False, Within(run.state, self._work_done, self._peaks)
        self.occurrences: list[Occurrence] = []
        self._parts = [(0, plan)]
        self._values: list[float] = []

    # ---- the steps -------------------------------------------------------------------------------

    def begin(self) -> None:
        """Evaluate the functions of the events at the start."""
        self.refresh()
        for watch, value in zip(self._watches, self._values, strict=True):
            watch.begin(value)

    def refresh(self) -> None:
        """Evaluate the functions of the events again, where an output of a controller or an input has changed."""
        self._values = [watch.value(self.state()) for watch in self._watches]

    def examine(self, before: float) -> bool:
        """Look for events in the step since ``before`` (s).

        Returns
        -------
        bool
            Whether the run can't go on as it is: it has ended, or goes on with another segment from the event.
        """
        run = self.segment.run
        values = [watch.value(self.state()) for watch in self._watches]
        sides, found = [watch.sides for watch in self._watches], []
        for watch, old, new in zip(self._watches, self._values, values, strict=True):
            if watch.look(old, new):
                at = lambda t, watch=watch: watch.value(self.within(t).state)  # noqa: E731
                found.append((watch.locate(at, before, old, run.t, new), watch, new))
        found.sort(key=lambda one: one[0])
        for t, watch, new in found:
            place = self.within(t)
            row = self._keep(place, behind=False)
            # where an event ends the run or can't be carried out, nothing behind it belongs to the result
            self.ended = not watch.event.then.passes
            watch.occurred(t)
            if watch.event.then.passes:
                watch.begin(new)
                self._note(watch.event, t, row)
                continue
            for other, kept in zip(self._watches, sides, strict=True):
                passed = [s for s, one, _ in found if one is other]
                if other is watch or any(s < t for s in passed):
                    continue
                if isinstance(watch.event.then, Switch) and not passed:
                    other.switched(kept, other.value(place.state))
                else:
                    other.sides = kept
            if isinstance(watch.event.then, EndRun):
                self._note(watch.event, t, row)
                self._end = place
                return True
            self._change(watch, place)
            self.ended = False
            self.refresh()
            if isinstance(watch.event.then, Switch):
                watch.behind_own_switch(self._values[self._watches.index(watch)])
            return True
        self._values = values
        return False

    def go_back(self, states: Recording) -> None:
        """Forget what happened after the present time: the run has gone back to continue with another method.

        Parameters
        ----------
        states : Recording
            The stored states.
        """
        states.forget_after(self.segment.run.t)
        self.occurrences = [one for one in self.occurrences if one.t <= self.segment.run.t]
        self.refresh()
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
        self._counts, self._work_done, self._peaks = self._all_counts(), place.work_done, place.peaks
        plan = self._board.part if isinstance(event.then, Switch) else self.segment.plan
        self._enter(plan, start)
        row = self._keep(self.within(self.segment.run.t), behind=True)
        self._parts.append((row, plan))
        self._note(event, t, row)

    def stand_at_end(self) -> None:
        """Let the run stand at the event that has ended it, and not at the end of the step in which it lies."""
        s = self._board.of_part(self._end.state)
        self._counts, self._work_done = self._all_counts(), self._end.work_done
        self._peaks = self._end.peaks
        plan = self.segment.plan
        self._enter(plan, consistent_start(plan, s, quiet=True))

    def _enter(self, plan: Plan, start: Start) -> None:
        """Begin a segment: the method is chosen anew for another machine, and goes on as it is for the same one."""
        # as long as the whole run, so that its tolerances are the same; the output times are those of the first run
        before, spans = self.segment.run, (start.t + self._duration, self._interval)
        if plan is self.segment.plan:
            run = before.again(start, *spans)
        else:
            run = self._method.begin(plan, start, *spans)
            run.why, run.lost_before = run.why or before.why, before.not_followed
            run.learn(before)
        self.segment = Segment(plan, start, run, self._read_part)

    def _behind(self, watch: EventWatch, s: MachineState) -> Start:
        """Return the consistent state behind an event that happens at ``s``."""
        event = watch.event
        if isinstance(event.then, Onset):
            return consistent_start(self.segment.plan, s, quiet=True)
        if isinstance(event.then, Rebound):
            start = consistent_start(self.segment.plan, s, quiet=True)

            def gap(near: MachineState) -> float:
                return watch.value(self._board.of_whole(near))

            v = rebound(self.segment.plan, start, gap, event.then.restitution, event.name)
            return consistent_start(
                self.segment.plan,
                replace(s, c=start.c, q=start.q, all_alpha=start.all_alpha, v=v),
                quiet=True,
            )
        assert isinstance(event.then, Switch)
        whole = self._board.of_whole(s)
        values = driven_values(self._board.plan.system, event.then.on, self._read(whole).coordinate)
        self._board.switch(event.then.on, event.then.off, whole, values)
        part = self._board.part
        start = consistent_start(part, self._board.of_part(whole), quiet=True)
        if start.position_correction > GAP_TOLERANCE * part.layout.length:
            miss = f"by up to {start.position_correction:.3g} m"
            if not event.then.on:
                raise ConvergenceError(
                    f"the run stops at t = {s.t:.6g} s: at event '{event.name}' joints that stay on are open {miss}: "
                    "the steps are too long for what vibrates there. Give a smaller step=, or none"
                )
            raise ConvergenceError(
                f"the run stops at t = {s.t:.6g} s: event '{event.name}' switches on {', '.join(event.then.on)}, which "
                f"is open there {miss}; a joint must be closed where it is switched on, and a drive that follows a "
                "function of time must meet its coordinate"
            )
        return start

    def _note(self, event: Event, t: float, row: int) -> None:
        """Record that an event has occurred; the stored state ``row`` is the one behind it."""
        on, off = (event.then.on, event.then.off) if isinstance(event.then, Switch) else ((), ())
        found = Occurrence(event.name, float(t), event.then.verb, row, tuple(on), tuple(off))
        self.occurrences.append(found)
        if self._tell is not None:
            self._tell(found)

    # ---- states ----------------------------------------------------------------------------------

    def _read(self, s: MachineState) -> StateOfRun:
        """Return a state of the whole machine as the object that users' functions take."""
        if self._read_plan is not self._board.whole:
            self._reader, self._read_plan = reader_of(self._board.whole), self._board.whole
        return self._reader(s, self._board.off)

    def _read_part(self, s: MachineState) -> StateOfRun:
        return self._read(self._board.of_whole(s))

    def state(self) -> MachineState:
        """Return the present state of the whole machine."""
        return self._board.of_whole(self.segment.run.state)

    def within(self, t: float) -> Within:
        """Return the state of the whole machine at a time inside the last step, with work and largest forces so far.

        Parameters
        ----------
        t : float
            Time, s.

        Returns
        -------
        Within
            State, work and largest forces.
        """
        run = self.segment.run
        found = run.within(t) if t < run.t else Within(run.state, run.work_done, run.work.peak)
        rows = self._board.rows_of(self.segment.plan)
        return Within(
            self._board.of_whole(found.state),
            self._work_done + found.work_done,
            together(self._peaks, found.peaks, rows),
        )

    @property
    def memory(self) -> LoopMemory:
        """What the loop returns to, beside the arrays of its segment."""
        return LoopMemory(
            self.segment,
            self.ended,
            tuple(watch.memory for watch in self._watches),
            self._values,
            self._counts,
            self._work_done,
            self._peaks,
            tuple(self.occurrences),
            tuple(self._parts),
            self._board.memory,
            self.segment.run.standing,
        )

    @memory.setter
    def memory(self, kept: LoopMemory) -> None:
        self.segment, self.ended, self._values = kept.segment, kept.ended, kept.values
        self._counts, self._work_done, self._board.memory = kept.counts, kept.work_done, kept.board
        self._peaks = kept.peaks
        self.segment.run.standing = kept.standing
        self.occurrences, self._parts = list(kept.occurrences), list(kept.parts)
        for watch, memory in zip(self._watches, kept.watches, strict=True):
            watch.memory = memory

    # ---- the result ------------------------------------------------------------------------------

    def _all_counts(self) -> Counts:
        """Return the counts of all segments together."""
        now = self.segment.run.counts
        return Counts(**{name: getattr(self._counts, name) + getattr(now, name) for name in Counts._fields})

    def cost(self, seconds: float, spent: float, interrupted: bool) -> Statistics:
        """Return the cost of all segments together.

        Parameters
        ----------
        seconds, spent : float
            Processor time in the compiled loop and in total, s.
        interrupted : bool
            Whether the user has interrupted the run.

        Returns
        -------
        Statistics
            The cost.
        """
        one = self.segment
        found = statistics(one.plan, one.start, one.run, seconds, spent, interrupted)
        all_counts = self._all_counts()
        counts = {name: getattr(all_counts, name) for name in Counts._fields if hasattr(found, name)}
        return replace(found, **counts)

    def completed(self, found: Record) -> Record:
        """Return a record of the whole machine with the events, and with the energies of the parts that were on.

        Parameters
        ----------
        found : Record
            The stored states.

        Returns
        -------
        Record
            The record.
        """
        energies = found.energies.copy()
        ends = [first for first, _ in self._parts[1:]] + [len(found.t)]
        for (first, part), end in zip(self._parts, ends, strict=True):
            if part.system is not self._board.plan.system and end > first:
                energies[first:end] = self._energies(part, found, first, end)
        rows = [one.row for one in self.occurrences]
        blows = [k for k in rows if k > 0 and found.t[k] == found.t[k - 1]]
        return replace(
            found,
            energies=with_blows(energies, blows),
            events=tuple(self.occurrences),
            switched_off=self._switched_off,
        )

    def of_part(self, found: Record) -> Record:
        """Return a record of the whole machine with the energies of the part that is on.

        Parameters
        ----------
        found : Record
            States of the present segment.

        Returns
        -------
        Record
            The record.
        """
        if self.segment.plan.system is self._board.plan.system:
            return found
        return replace(found, energies=self._energies(self.segment.plan, found, 0, len(found.t)))

    def energies_of(self, place: Within) -> np.ndarray:
        """Return the kinetic, strain and potential energy (3,), J, of what is on in the present segment.

        Parameters
        ----------
        place : Within
            A state of the whole machine, with the work done.
        """
        part = self.segment.plan
        s = (
            self._board.mapped_to(part, place.state)
            if part.system is not self._board.plan.system
            else place.state
        )
        arrays = {name: getattr(s, name)[None] for name in STATE_ARRAYS}
        arrays |= {"t": np.array([s.t]), "work": place.work_done[None]}
        return record_of(part, arrays, NOTHING, ()).energies[0, :3]

    def _energies(self, part: Plan, found: Record, first: int, end: int) -> np.ndarray:
        """Return the energies of stored states in which only a part of the machine was on."""
        states = [self._board.mapped_to(part, found.state_at(k)) for k in range(first, end)]
        arrays = {name: np.array([getattr(s, name) for s in states]) for name in STATE_ARRAYS}
        arrays |= {"t": found.t[first:end], "work": found.energies[first:end, 3:]}
        return record_of(part, arrays, found.statistics, ()).energies

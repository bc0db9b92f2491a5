"""The loop around the steps of a run with events."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import DONE, PAUSED
from ..equations.start import Start
from ..files.unfinished_file import Stream
from ..integrators import Integrator
from ..integrators.base import Run, Within
from ..model.events import Event
from ..results.occurrences import Occurrence
from ..results.record import Record, Statistics
from .event_loop import EventLoop
from .law_errors import raise_law_errors
from .recorder import Recorder
from .run import check_state, fail
from .switching import Switchboard


class EventRecorder(Recorder):
    """A run with events.

    Parameters
    ----------
    events, board, method, plan, start, run
        As for :class:`EventLoop`.
    fixed : bool
        Whether the steps are fixed.
    stream : Stream or None
        The file to which the states are written.
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
        stream: Stream | None,
    ) -> None:
        times = run.times
        spans = dict(duration=float(times[-1] - times[0]), interval=float(times[1] - times[0]))
        self._events = EventLoop(
            events, board, method, plan, start, run, **spans, keep=self._keep, note=self._note
        )
        super().__init__(board.plan, self._events.segment, fixed, stream)
        self._board, self._off_grid = board, False

    def _loop(self, bar) -> None:
        self._events.begin()
        for t_out in self._times[1:]:
            if self._off_grid:
                self.run.fit(t_out - self.run.t)
            while self.run.t < t_out:
                if self.segment.corners.pass_by(self.run):
                    self._events.refresh()
                    self._fit(t_out)
                before, stop = self.run.t, self.segment.next_stop(t_out)
                if stop < t_out:
                    self._fit(stop)
                    self._off_grid = self.fixed
                self._step(stop)
                bar.update(self.run.t - before)
                if self.run.t < before:
                    self._events.go_back(self.states)
                elif self.run.t > before and self._changed(before, t_out):
                    return
                if self.segment.sampling.act(self.run):
                    self._events.refresh()
                    self._fit(t_out)
            if self.run.t > self.states.last:
                self._check_bounds()
                self._store()
            check_state(self.segment.plan, self.segment.start, self.run, self.segment.work)

    def _step(self, t_out: float) -> None:
        """Try one step towards ``t_out``, s."""
        run, cpu = self.run, time.thread_time()
        run.remember()
        with np.errstate(divide="ignore", invalid="ignore"):
            status = run.advance(t_out, 1)
        self.seconds += time.thread_time() - cpu
        raise_law_errors(self.segment.plan)
        self.segment.jumps.examine(run.misses)
        if not (self.segment.rows.exchange(run) or status in (DONE, PAUSED)):
            fail(self.segment.plan, run, status, self.fixed)

    def _changed(self, before: float, t_out: float) -> bool:
        """Examine the step since ``before`` (s), and return whether the run ends in it."""
        try:
            changed = self._events.examine(before)
        finally:
            self.segment, self.ended = self._events.segment, self._events.ended
        if changed and not self.ended and self.fixed and self.run.t < t_out:
            self._off_grid = True
            self.run.fit(t_out - self.run.t)
        return self.ended

    def _keep(self, place: Within, *, behind: bool) -> int:
        if behind or place.state.t > self.states.last:
            self.states.store(place)
            self.peaks[:] = place.peaks
            self._watch()
            self.deflections.look(place.state.t, place.state.all_alpha)
            if self.stream is not None:
                energies = self._events.energies_of(place) if self.stream.switches else None
                self.stream.mark(self.states.arrays, self.states.filled, energies)
        return self.states.filled - 1

    def _note(self, event: Occurrence) -> None:
        if self.stream is not None:
            self.stream.note(event, self._board.switched)

    def _store(self) -> None:
        self._keep(self._events.within(self.run.t), behind=True)

    # ---- the result ------------------------------------------------------------------------------

    def _cost(self, spent: float) -> Statistics:
        return self._events.cost(self.seconds, spent, self.interrupted)

    def _record(self, cost: Statistics) -> Record:
        found = self.states.record(self._board.recorded(), cost, self.segment.start.undetermined)
        return self._with_peaks(self._events.completed(found))

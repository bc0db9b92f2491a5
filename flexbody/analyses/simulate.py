"""Dynamics: from a system to its motion."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import replace

import numpy as np

from fem.common.errors import ConvergenceError, FileError, InputError
from fem.common.progress import progress

from ..compile.plan import Plan, make_plan
from ..core.kinds import DONE, PAUSED
from ..equations.consistent_start import Start, consistent_start
from ..files.result_file import check_place
from ..files.unfinished_file import Stream
from ..integrators import Automatic, GeneralizedAlpha, Integrator, SciPy, Sundials
from ..integrators.base import Run
from ..integrators.independent_rows import IndependentRows
from ..model.plausibility import warn_beforehand, warn_of_stretch
from ..model.system import System, check_system
from ..rotation import finite
from .drive_jumps import DriveJumps
from .result import Result
from .run import Recording, check_redundant, fail, raise_law_errors, statistics
from .starts import Starting, beginning

logger = logging.getLogger("flexbody")

#: a chunk of compiled steps lasts about this long (s), so that progress and interrupts are prompt
CHUNK_SECONDS = 0.1


def simulate(
    machine: System,
    t_end: float,
    *,
    start: Starting | None = None,
    integrator: Integrator | None = None,
    step: float | None = None,
    output_step: float | None = None,
    save: str | os.PathLike | None = None,
    show_progress: bool | None = None,
) -> Result:
    """Integrate the equations of motion from t = 0 to ``t_end`` (s).

    start : :class:`AsDrawn` (the default), :class:`QuasiStatic` or :class:`Equilibrium`; or a state or a result of
    an earlier run, which goes on from there at its time. integrator : :class:`GeneralizedAlpha` (implicit, for any
    machine), :class:`Explicit` (of order 8, where nothing is stiff), :class:`SciPy` or :class:`Sundials` (other
    people's, to compare with); by default :class:`Automatic`, which chooses between the first two: generalized-alpha
    with ``rtol=1e-5``, unless a short trial shows the explicit method to be twice as cheap. ``result.statistics`` says
    in ``method`` and ``why`` what was chosen. All choose their steps by the error. step : fixed time step (s), short
    for ``integrator=GeneralizedAlpha(step=...)``; it is shortened a little to divide the run. output_step : time
    between stored states (s), by default a 500th of the run, or every step of a fixed-step run if those are fewer.
    save : HDF5 file for the result. While the run goes on, ``NAME.unfinished.h5`` beside it takes each state as it is
    computed; whatever happens, that file opens with all states so far (:func:`load_result`), and it is replaced by
    the complete one when the run ends, also where a step fails. States then live in the file, not in memory.
    show_progress : a progress bar; by default where standard error is a terminal.

    The start is made consistent with the joints. An interrupt (Ctrl-C) ends the run and returns, and saves, what
    was computed. Raises :class:`fem.ConstraintError` where the system can't be assembled, and
    :class:`fem.ConvergenceError` where a step fails, :class:`fem.InputError` where a law does; the error's
    ``result`` holds the run so far.
    """
    check_system(machine, "simulate")
    if not (finite(t_end) and t_end > 0):
        raise InputError(f"t_end is {t_end!r}; give the end of the run in seconds, above zero")
    method = _method(integrator, step)
    if save is not None:
        check_place(save)
    cpu = time.thread_time()  # other machines may run in other threads
    warn_beforehand(machine)
    plan = make_plan(machine, t_end)
    first = consistent_start(plan, beginning(plan, start, t_end))
    warn_of_stretch(machine, first.undetermined)
    run = method.begin(plan, first, t_end, output_step)
    run.why = run.why or ("a fixed step was asked for" if integrator is None else "it was asked for")
    stream = Stream(save, plan, first, run.times) if save is not None else None
    recorder = _Recorder(plan, first, run, getattr(method, "step", None) is not None, stream)
    try:
        recorder.go(t_end, show_progress)
    except (ConvergenceError, InputError) as error:
        try:
            error.result = recorder.finish(cpu)  # type: ignore[union-attr]
        except FileError as unsaved:
            error.result = unsaved.result  # type: ignore[union-attr, attr-defined]
        raise
    except BaseException:
        if stream is not None:
            stream.close()
        raise
    return recorder.finish(cpu)


def _method(integrator: Integrator | None, step: float | None) -> Integrator:
    """Return the integrator that is meant; InputError where one that finds its own steps is given a step."""
    if integrator is not None and not isinstance(integrator, Integrator):
        raise InputError(
            f"integrator is {integrator!r}; give one such as fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit() or "
            "fb.Automatic()"
        )
    if step is None:
        return integrator or Automatic()
    if isinstance(integrator, SciPy | Sundials):
        name = type(integrator).__name__
        raise InputError(f"step={step:g}: {name} chooses its steps; give {name}(max_step=) to bound them")
    if integrator is None or isinstance(integrator, Automatic):
        integrator = GeneralizedAlpha()
    return replace(integrator, step=step)


class _Recorder:
    """The Python around the compiled chunks: output, progress, interrupts, errors."""

    def __init__(self, plan: Plan, start: Start, run: Run, fixed: bool, stream: Stream | None) -> None:
        self.plan, self.start, self.run, self.fixed, self.stream = plan, start, run, fixed, stream
        self.work, self.jumps = plan.work(), DriveJumps(plan)
        self.rows = IndependentRows(plan, start.rank)
        foreseen = len(run.times) + 1  # and the state where an interrupt comes
        self.states = Recording(plan, foreseen, *([stream.array] if stream else []))
        self.seconds = 0.0
        self.interrupted = False

    def go(self, t_end: float, show: bool | None) -> None:
        """Run to the end, or to an interrupt, which keeps what was computed."""
        try:
            self._store()
            with progress(t_end - self.start.t, "simulating", "s", show) as bar:
                self._loop(bar)
        except KeyboardInterrupt:
            self.interrupted = True
            logger.warning("interrupted at t = %.6g s; what was computed is kept", self.run.t)

    def _loop(self, bar) -> None:
        run, steps = self.run, 32
        for t_out in run.times[1:]:
            status = PAUSED
            while status == PAUSED:
                wall, cpu, t, made = time.perf_counter(), time.thread_time(), run.t, self._steps()
                status = run.advance(t_out, steps)
                self.seconds += time.thread_time() - cpu
                raise_law_errors(self.plan)
                self.jumps.look_at(run.misses)
                if self.rows.exchange(run) and status != DONE:
                    status = PAUSED
                if self._steps() - made >= steps:
                    steps = int(
                        np.clip(steps * CHUNK_SECONDS / max(time.perf_counter() - wall, 1e-6), 8, 4 * steps)
                    )
                bar.update(run.t - t)
            if status != DONE:
                fail(self.plan, run, status, self.fixed)
            self._store()
            check_redundant(self.plan, self.start, run, self.work)

    def _steps(self) -> int:
        return self.run.counts.steps + self.run.counts.rejected

    def _store(self) -> None:
        self.states.store(self.run)
        if self.stream is not None:
            self.stream.mark(self.states.filled)

    def finish(self, cpu: float) -> Result:
        """Return, and save, what has been computed since processor time ``cpu``; of an early end its last state too."""
        if self.states.filled == 0 or self.run.t > self.states.last:
            self._store()
        spent = time.thread_time() - cpu
        cost = statistics(self.plan, self.start, self.run, self.seconds, spent, self.interrupted)
        result = self.states.result(self.plan, cost, self.start.undetermined)
        if self.stream is None:
            return result
        try:
            return self.stream.complete(result)
        except FileError as error:  # the disk is full, the folder has gone: the run is not lost
            error.result = result  # type: ignore[attr-defined]
            raise

"""Dynamics: from a system to its motion."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import replace

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import ConvergenceError, FileError, InputError, percent, warn
from fem.common.files import check_place
from fem.common.progress import progress
from fem.common.values import Positive

from ..compile.plan import Plan
from ..core.kinds import DONE, PAUSED
from ..equations.consistent_start import consistent_start
from ..equations.locked import warn_of_locked
from ..equations.start import Start
from ..files.unfinished_file import Stream
from ..formulations import Formulation
from ..integrators import Automatic, GeneralizedAlpha, Integrator, SciPy, Sundials
from ..integrators.base import Run
from ..integrators.independent_rows import IndependentRows
from ..model.plausibility import warn_beforehand, warn_of_stretch
from ..model.system import System, check_system
from ..results.record import Statistics
from .compiled import compiled
from .deflections import DeflectionWatch
from .description_choice import choose_description
from .drive_jumps import DriveJumps
from .law_errors import raise_law_errors
from .lost_energy import warn_of_lost_energy
from .result import Result
from .run import Recording, check_redundant, fail, statistics
from .starting_blow import warn_of_blow
from .starts import Starting, beginning

logger = logging.getLogger("flexbody")

#: A run of no more steps, in all and for each output, is cheap whatever they follow.
FEW_STEPS, FEW_STEPS_PER_OUTPUT = 5000, 20

#: What ends the ringing of a rigid and of a flexible body.
REMEDIES = (
    "begin in equilibrium (start=fb.Equilibrium()), give the force elements that hold it damping",
    "begin with its static deformation (start=fb.QuasiStatic()), give it a damping_ratio, use fewer axial modes",
)

#: a chunk of compiled steps lasts about this long (s), so that progress and interrupts are prompt
CHUNK_SECONDS = 0.1


@check_arguments(own=("machine", "description", "t_end", "step", "output_step", "start", "integrator"))
def simulate(
    machine: System,
    t_end: float,
    *,
    start: Starting | None = None,
    integrator: Integrator | None = None,
    step: float | None = None,
    description: Formulation | None = None,
    output_step: float | None = None,
    save: str | os.PathLike | None = None,
    show_progress: bool | None = None,
) -> Result:
    """Integrate the equations of motion of a machine from t = 0 to ``t_end``.

    Parameters
    ----------
    machine : System
        The machine.
    t_end : float
        End of the run, s.
    start : AsDrawn, QuasiStatic, Equilibrium, State or Result, optional
        The initial state: :class:`AsDrawn` (the default), :class:`QuasiStatic` or :class:`Equilibrium`; or a state or
        result of an earlier run, which is continued from its time.
    integrator : GeneralizedAlpha, Explicit, SciPy, Sundials or Automatic, optional
        :class:`GeneralizedAlpha` is implicit and suits all machines; :class:`Explicit` has order 8 and suits machines
        that are not stiff; :class:`SciPy` and :class:`Sundials` call other libraries, for comparison. The default
        :class:`Automatic` chooses between the first two: generalized-alpha, unless a short trial shows that the
        explicit method takes at most half the time. All choose their steps by the estimated error: :class:`Automatic`
        with ``rtol=1e-5``, or 1e-6 for rigid bodies without force elements.
    step : float, optional
        Fixed time step, s; short for ``integrator=GeneralizedAlpha(step=...)``. It is reduced slightly so that the run
        is a whole number of steps.
    description : Absolute, Relative or AutomaticDescription, optional
        How the equations of motion are written; by default :class:`Absolute`.
    output_step : float, optional
        Time between stored states, s; by default a 500th of the run, or every step of a run with fixed steps if these
        are fewer.
    save : path_like, optional
        HDF5 file for the result.
    show_progress : bool, optional
        Whether a progress bar is shown; by default if standard error is a terminal.

    Returns
    -------
    Result
        The motion at the stored times. ``result.statistics`` gives the integrator in ``method`` and the reason for the
        choice in ``why``.

    Raises
    ------
    fem.ConstraintError
        The machine cannot be assembled.
    fem.ConvergenceError
        A step fails; ``error.result`` holds the run up to there.
    fem.InputError
        An argument is not valid, or a force law or function of time fails; in a run, ``error.result`` holds the run up
        to there.
    fem.FileError
        The file cannot be written; ``error.result`` holds the run.

    Notes
    -----
    The start is made consistent: positions, velocities and accelerations satisfy the constraints and their
    derivatives.

    An interrupt (Ctrl-C) ends the run; the states computed so far are returned and saved.

    With ``save``, each state is written to ``NAME.unfinished.h5`` when it is computed, and is not kept in memory.
    :func:`load_result` reads this file at any time. When the run ends, also by a failed step, the complete file
    replaces it.

    Examples
    --------
    A pendulum that is released in horizontal position:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(pendulum, t_end=0.5, show_progress=False)
    >>> result
    <Result: 501 states to t = 0.5 s, 1 bodies, 1 joints and drives>
    >>> round(float(result.coordinate(hinge)[-1]), 2)
    2.4
    >>> result.energy.balance_error < 1e-4
    True
    """
    check_system(machine, "simulate")
    if not Positive.takes(t_end):
        raise InputError(f"t_end is {t_end!r}; give the end of the run in seconds, above zero")
    method = _method(integrator, step)
    if save is not None:
        check_place(save)
    cpu = time.thread_time()  # other machines may run in other threads
    warn_beforehand(machine)
    plan = compiled(machine, t_end, description)
    given = beginning(plan, start, t_end)
    first = consistent_start(plan, given)
    warn_of_blow(plan, given, first)
    warn_of_stretch(machine, first.undetermined)
    warn_of_locked(plan, first.rank)
    _check_step(method, t_end - first.t)
    plan, why = choose_description(plan, first, method, t_end, output_step)
    run = method.begin(plan, first, t_end, output_step)
    run.why = run.why or ("a fixed step was asked for" if integrator is None else "it was asked for")
    run.why += f"; {why}" if why else ""
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
    """Return the chosen integrator; raise InputError if an integrator that chooses its steps is given a step."""
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


def _check_step(method: Integrator, duration: float) -> None:
    """Raise InputError if a fixed step is longer than the run (s)."""
    step = getattr(method, "step", None)
    if step is not None and step > duration * (1 + 1e-9):
        raise InputError(
            f"step is {step:g} s, which is longer than the run, {duration:g} s; reduce it to a small part of the "
            "fastest motion, or leave it out: then the error chooses the steps"
        )


class _Recorder:
    """The Python loop around the compiled steps: output, progress, interrupts, errors."""

    def __init__(self, plan: Plan, start: Start, run: Run, fixed: bool, stream: Stream | None) -> None:
        self.plan, self.start, self.run, self.fixed, self.stream = plan, start, run, fixed, stream
        self.work, self.jumps, self.deflections = plan.work(), DriveJumps(plan), DeflectionWatch(plan)
        self.rows = IndependentRows(plan, start.rank)
        foreseen = len(run.times) + 1  # and the state where an interrupt comes
        self.states = Recording(plan, foreseen, *([stream.array] if stream else []))
        self.seconds = 0.0
        self.interrupted = False

    def go(self, t_end: float, show: bool | None) -> None:
        """Run to the end, or to an interrupt, which keeps the states so far."""
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
                # what is not finite has an error of its own
                with np.errstate(divide="ignore", invalid="ignore"):
                    status = run.advance(t_out, steps)
                self.seconds += time.thread_time() - cpu
                raise_law_errors(self.plan)
                self.jumps.examine(run.misses)
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
        self.deflections.look(self.run.t, self.run.state.all_alpha)
        if self.stream is not None:
            self.stream.mark(self.states.filled)

    def _warn_of_vibrations(self, cost: Statistics) -> None:
        """Warn if most of many steps were spent on vibrations."""
        many = cost.steps > max(FEW_STEPS, FEW_STEPS_PER_OUTPUT * len(self.run.times))
        ringing = self.run.ringing
        if many and cost.vibrating > 0.5 * cost.steps and ringing is not None:
            warn(
                f"{percent(cost.vibrating / cost.steps)} of {cost.steps} steps follow vibrations, not the motion: body "
                f"'{ringing.body}' vibrates at about {ringing.frequency:.3g} Hz by {ringing.amplitude:.2g} m. If "
                f"that doesn't matter, {REMEDIES[ringing.flexible]}, or let the method damp and skip it: "
                "integrator=fb.GeneralizedAlpha(rho_inf=0.5, vibrations=0.01)"
            )

    def finish(self, cpu: float) -> Result:
        """Return, and save, the states so far with the cost since processor time ``cpu``.

        After an early end the last state is included.
        """
        if self.states.filled == 0 or self.run.t > self.states.last:
            self._store()
        spent = time.thread_time() - cpu
        cost = statistics(self.plan, self.start, self.run, self.seconds, spent, self.interrupted)
        self._warn_of_vibrations(cost)
        self.deflections.warn()
        result = self.states.result(self.plan, cost, self.start.undetermined)
        if self.run.damps_vibrations:
            warn_of_lost_energy(result.t, result.energy)
        if self.stream is None:
            return result
        try:
            return self.stream.complete(result)
        except FileError as error:  # the disk is full, the folder has gone: the run is not lost
            error.result = result  # type: ignore[attr-defined]
            raise

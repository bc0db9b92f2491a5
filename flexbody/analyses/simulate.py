"""Dynamics: from a system to its motion."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import ConvergenceError, FileError, InputError, warn
from fem.common.files import check_file
from fem.common.hdf5 import ENDINGS
from fem.common.values import Positive

from ..compile.plan import Plan
from ..equations.start import Start
from ..files.unfinished_file import Stream
from ..formulations import Formulation
from ..integrators import (
    Automatic,
    Baumgarte,
    GeneralizedAlpha,
    Hybrid,
    Integrator,
    Partitioned,
    SciPy,
    Sundials,
)
from ..model.events import Event, Switch, check_events
from ..model.plausibility import check_known_times, warn_beforehand
from ..model.system import System, check_system
from .compiled import compiled
from .contact_events import contact_events
from .continuing import earlier_state, met, off_at_start
from .description_choice import choose_description
from .earlier_state import description_from
from .event_recorder import EventRecorder
from .recorder import Recorder
from .result import Result, State
from .sampling import check_samples
from .segment import Segment
from .starts import Starting, begun
from .state_of_run import reader_of
from .switching import Switchboard

logger = logging.getLogger("flexbody")

#: States may be stored at distances that differ from what was asked for by this part.
SAME_OUTPUT_STEP = 0.25


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
    events: Sequence[Event] = (),
    switched_off: Sequence[Any] | None = None,
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
    integrator : GeneralizedAlpha, Explicit, SciPy, Sundials, Partitioned, Baumgarte, Hybrid or Automatic, optional
        :class:`GeneralizedAlpha` is implicit and suits all machines; :class:`Explicit` has order 8 and suits machines
        that are not stiff; :class:`SciPy` and :class:`Sundials` call other libraries, for comparison. The default
        :class:`Automatic` chooses between the first two by a short trial: generalized-alpha, unless the explicit method
        takes at most half the time, or resolves vibrations in a short run that the other would leave unresolved.
        All choose their steps by the estimated error: :class:`Automatic` with ``rtol=1e-5``, or 1e-6 for rigid bodies
        without force elements.
    step : float, optional
        Fixed time step, s; short for ``integrator=GeneralizedAlpha(step=...)``. It is reduced slightly so that the run
        is a whole number of steps.
    description : Absolute, Relative or AutomaticDescription, optional
        How the equations of motion are written; by default that of the result or state in ``start``, and
        :class:`Absolute` for a new run.
    output_step : float, optional
        Time between stored states, s; by default a 500th of the run, or every step of a run with fixed steps if these
        are fewer. Fixed steps are stored at their ends: the distance is a multiple of them, and a warning tells if it
        is off by more than a quarter. Peaks lie between the states: of a vibration they show the amplitude to 1 % where
        a period has 20 states, and to 5 % where it has 10. ``result.statistics.why`` says where the states are too few
        for a vibration of a force element that is followed; a warning tells of vibrations that they show as other ones.
    events : list of Event, optional
        Events of the run: the times at which functions of the state pass through zero, and what then
        happens. ``result.events`` lists them.
    switched_off : list of joint, drive, force or str, optional
        Joints, drives and forces that are off when the run begins, until a :class:`Switch` switches them on; by default
        none, and in a run that goes on from an earlier one those that are off there. A drive with a constant rate, or
        one that an event has switched on, goes on from its coordinate.
    save : path_like, optional
        HDF5 file for the result, ``.h5`` or ``.hdf5``.
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

    With ``save``, each state is written to ``NAME.unfinished.h5`` when it is computed. :func:`load_result` reads this
    file at any time; it is never larger than the complete one. When the run ends, also by a failed step, the complete
    file replaces it. Results of more than 1 GB lie in a temporary file beside it, not in memory.

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
    check_file(save, ENDINGS, "the result")
    cpu = time.thread_time()  # other machines may run in other threads
    warn_beforehand(machine)
    check_known_times(machine, t_end)
    description = description_from(description, start)
    events = [*events, *contact_events(machine)]
    board = _switchboard(machine, t_end, description, events, switched_off, earlier_state(start))
    watched = bool(events) or board.part is not board.plan
    plan = board.part
    first = begun(plan, start, t_end)
    _check_step(method, t_end - first.t)
    check_samples(machine, t_end - first.t)
    began = time.thread_time()
    plan, why = choose_description(plan, first, method, t_end, output_step)
    run = method.begin(plan, first, t_end, output_step)
    run.why = run.why or ("a fixed step was asked for" if integrator is None else "it was asked for")
    run.why += f"; {why}" if why else ""
    fixed = getattr(method, "step", None) is not None
    if fixed and output_step is not None:
        _warn_of_output_step(output_step, run.times)
    stream = None if save is None else _stream(save, board, events, plan, first, run.times)
    recorder: Recorder
    if watched:
        recorder = EventRecorder(events, board, method, plan, first, run, fixed, stream)
    else:
        recorder = Recorder(plan, Segment(plan, first, run, reader_of(plan)), fixed, stream)
    recorder.choice_seconds = time.thread_time() - began
    try:
        recorder.go(t_end, show_progress)
    except (ConvergenceError, InputError) as error:
        try:
            error.result = _finished(recorder, cpu)  # type: ignore[union-attr]
        except FileError as unsaved:
            error.result = unsaved.result  # type: ignore[union-attr, attr-defined]
        raise
    except BaseException:
        if stream is not None:
            stream.close()
        raise
    return _finished(recorder, cpu)


def _warn_of_output_step(output_step: float, times: np.ndarray) -> None:
    """Warn if states are stored at other times (s) than was asked for, because fixed steps do not end there."""
    stored = float(times[1] - times[0])
    if abs(stored - output_step) > SAME_OUTPUT_STEP * output_step:
        warn(
            f"output_step is {output_step:g} s, but states are stored every {stored:.4g} s, at the ends of fixed "
            "steps; nothing is interpolated between them. Give a step that output_step is a multiple of, or none: "
            "variable steps end at the output times"
        )


def _stream(
    save: str | os.PathLike,
    board: Switchboard,
    events: Sequence[Event],
    plan: Plan,
    first: Start,
    times: np.ndarray,
) -> Stream:
    """Return the file of a run."""
    if board.part is not board.plan or any(isinstance(event.then, Switch) for event in events):
        return Stream(save, board.plan, first, times, sorted(board.off), board.switched)
    return Stream(save, board.plan if events else plan, first, times)


def _finished(recorder: Recorder, cpu: float) -> Result:
    """Return what was stored since processor time ``cpu`` as a result; an error of its file keeps it too."""
    try:
        return Result.of(recorder.finish(cpu))
    except FileError as error:  # the disk is full, the folder has gone: the run is not lost
        error.result = Result.of(error.result)  # type: ignore[attr-defined]
        raise


def _switchboard(
    machine: System,
    t_end: float,
    description: Formulation | None,
    events: Sequence[Event],
    switched_off: Sequence[Any] | None,
    earlier: State | None,
) -> Switchboard:
    """Return the compiled machine, and what of it is on when the run begins."""
    off = off_at_start(machine, switched_off, earlier)
    check_events(machine, events, off)
    plan = compiled(machine, t_end, description)
    return Switchboard(plan, t_end, description, off, met(machine, earlier))


def _method(integrator: Integrator | None, step: float | None) -> Integrator:
    """Return the chosen integrator; raise InputError if an integrator that chooses its steps is given a step."""
    if isinstance(integrator, type) and issubclass(integrator, Integrator):
        raise InputError(
            f"integrator is the class {integrator.__name__}; write fb.{integrator.__name__}(), with parentheses"
        )
    if integrator is not None and not isinstance(integrator, Integrator):
        raise InputError(
            f"integrator is {integrator!r}; give one such as fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit() or "
            "fb.Automatic()"
        )
    if step is None:
        return integrator or Automatic()
    if isinstance(integrator, Partitioned | Baumgarte | Hybrid):
        integrator = integrator.integrator
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

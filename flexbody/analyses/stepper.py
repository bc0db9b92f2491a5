"""Stepping a machine from outside: for controllers, co-simulation and learning."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import ConvergenceError, InputError, listing
from fem.common.foreseen import check_steps
from fem.common.values import Positive

from ..compile.plan import Plan, make_plan
from ..core.kinds import DONE, PAUSED
from ..equations.impulses import impulses
from ..formulations import Formulation
from ..formulations.state import STATE_ARRAYS
from ..integrators import Automatic, Explicit, GeneralizedAlpha
from ..integrators.base import Run, Within
from ..integrators.generalized_alpha import DEFAULT_RTOL
from ..model.events import Event, check_events
from ..model.plausibility import warn_beforehand
from ..model.system import Connection, System, check_system, measured
from ..results.instant import Instant
from ..results.occurrences import Occurrence
from ..results.peaks import peaks_by_name
from ..results.record import Record
from .compiled import compiled
from .contact_events import contact_events
from .continuing import earlier_state, met, off_at_start
from .control_loops import MANY_STEPS
from .deflections import DeflectionWatch
from .earlier_state import description_from
from .event_loop import EventLoop
from .law_errors import raise_law_errors
from .lost_energy import warn_of_lost_energy
from .result import Result
from .run import Recording, check_state, fail, warn_of_growth
from .segment import Segment
from .snapshot import Snapshot
from .starts import Starting, begun
from .stepper_inputs import StepperInputs
from .switching import Switchboard, machine_part

#: Compiled steps between two checks for a keyboard interrupt.
CHUNK_STEPS = 2000


@check_arguments
class Stepper(Instant):
    """A machine that is advanced in time step by step, with inputs that are set between the steps.

    Parameters
    ----------
    machine : System
        The machine, with inputs (:class:`Input`) in its loads, actuators and drives.
    start : AsDrawn, QuasiStatic, Equilibrium, State or Result, optional
        The initial state, as for :func:`flexbody.simulate`.
    integrator : Automatic, GeneralizedAlpha or Explicit, optional
        The integrator; by default :class:`Automatic` with ``rtol=1e-5``, as in :func:`flexbody.simulate`. It judges by
        the horizon what a method costs.
    step : float, optional
        Fixed time step, s; by default steps are chosen by the estimated error.
    horizon : float
        Time, s, over which functions of time in the machine are examined at once to find how fast they vary and where
        pulses begin. It does not limit the run: the next such time is examined when the run comes to it. Corners of
        functions of drives, where their rates or accelerations jump, are found in the first such time only.
    record : bool
        Whether the state at the end of every advance is stored for :meth:`result`.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default that of the result or state in ``start``, and
        :class:`Absolute` for a new run.
    events : list of Event, optional
        Events of the run, as for :func:`flexbody.simulate`.
    switched_off : list of joint, drive, force or str, optional
        Joints, drives and forces that are off at the start, as for :func:`flexbody.simulate`.

    Raises
    ------
    fem.InputError
        An argument is not valid, or an input prescribes a position, which cannot jump.
    fem.ConstraintError
        The machine cannot be assembled.

    Notes
    -----
    An input keeps its value until it is set again (zero-order hold). If inputs jump, accelerations and reactions jump
    with them: the integrator restarts from consistent values, so that its order and the energy balance are kept.
    Between the jumps it takes as many steps as its accuracy needs.

    The state is read at time ``t``: positions and velocities at that time; accelerations and reactions at the end of
    the last advance, with the inputs that were set then.

    With events each step is examined in Python, which takes longer. An advance that comes to an event goes on behind
    it to its end, with a restart as where inputs jump; only :class:`EndRun` ends it there, and the run with it
    (``ended``). The states at and behind events are stored too.

    Examples
    --------
    A bar that a controller turns to 1 rad:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> elbow = fb.Revolute("elbow", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> motor = fb.PointMoment("motor", bar, (0, fb.Input("torque"), 0))
    >>> sim = fb.Stepper(fb.System([bar], [elbow], [motor]))
    >>> for _ in range(200):
    ...     angle, rate = sim.coordinate(elbow), sim.coordinate_rate(elbow)
    ...     sim["torque"] = -8.0 * (angle - 1.0) - 1.8 * rate
    ...     t = sim.advance(0.01)
    >>> round(sim.coordinate(elbow), 3)
    1.0
    >>> sim.result()
    <Result: 201 states to t = 2 s, 1 bodies, 1 joints and drives>
    """

    def __init__(
        self,
        machine: System,
        *,
        start: Starting | None = None,
        integrator: Automatic | GeneralizedAlpha | Explicit | None = None,
        step: float | None = None,
        horizon: float = 1.0,
        record: bool = True,
        description: Formulation | None = None,
        events: Sequence[Event] = (),
        switched_off: Sequence[Any] | None = None,
    ) -> None:
        check_system(machine, "Stepper")
        if not Positive.takes(horizon):
            raise InputError(f"horizon is {horizon!r}; give a time in seconds, above zero")
        method = Automatic(rtol=DEFAULT_RTOL) if integrator is None else integrator
        if not isinstance(method, Automatic | GeneralizedAlpha | Explicit):
            raise InputError(
                f"a Stepper steps with Automatic, GeneralizedAlpha or Explicit, not with {method!r}"
            )
        if step is not None:
            method = replace(GeneralizedAlpha() if isinstance(method, Automatic) else method, step=step)
        self._method, self._step = method, None if isinstance(method, Automatic) else method.step
        warn_beforehand(machine)
        self._earlier = earlier_state(start)
        self._given = [*events, *contact_events(machine)]
        self._off = off_at_start(machine, switched_off, self._earlier)
        check_events(machine, self._given, self._off)
        self.system, self._horizon, self._recorded, self._from = machine, horizon, record, start
        self._inputs, self._description = StepperInputs(machine), description_from(description, start)
        self._begin()

    def _begin(self) -> None:
        """Compile the machine and find its start."""
        machine = self._inputs.reading_machine()
        whole = compiled(machine, self._horizon, self._description)
        rest = met(machine, self._earlier), self._inputs
        self._board = Switchboard(whole, self._horizon, self._description, self._off, *rest)
        plan = self._board.part
        start = begun(plan, self._from, np.inf)
        run = self._method.begin(plan, start, start.t + self._horizon, None)
        given = self._given, self._board, self._method, plan, start, run
        self._loop = EventLoop(*given, duration=self._horizon, interval=None, keep=self._keep)
        self._enter(self._loop.segment)
        self._segment.sampling.act(run)
        self._deflections = DeflectionWatch(plan)
        self._begun, self._seconds, self._cpu = start.t, 0.0, time.process_time()
        self._interval = 0.0
        self._now: Result | None = None
        self._states = Recording(whole, 64 if self._recorded else 1)
        self._loop.begin()
        self._store()
        self._first = self.save()

    def __repr__(self) -> str:
        return f"<Stepper at t = {self.t:.6g} s, inputs {listing(self.inputs) or 'none'}>"

    # ---- the run ---------------------------------------------------------------------------------

    def reset(self) -> None:
        """Return to the start: all inputs have their initial values, and nothing is stored.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
        >>> sim = fb.Stepper(fb.System([bar]))
        >>> sim.advance(0.5)
        0.5
        >>> sim.reset()
        >>> sim.t
        0.0
        """
        self.restore(self._first)
        self._states.filled = 0
        self._inputs.shorten(0)
        self._deflections = DeflectionWatch(self._segment.plan)
        self._seconds, self._cpu = 0.0, time.process_time()
        self._store()

    @check_arguments
    def set(self, **inputs: ArrayLike) -> None:
        """Set inputs by name; they keep these values. ``sim["name"] = value`` does the same.

        Parameters
        ----------
        **inputs : array_like
            Numbers, or three components (3,).

        Raises
        ------
        fem.InputError
            The machine has no such input, or the value is not finite.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03))
        >>> sim = fb.Stepper(fb.System([bar], forces=[fb.PointForce("push", bar, (fb.Input("force"), 0, 0))]))
        >>> sim.set(force=2.0)
        >>> sim["force"]
        2.0
        """
        for name, value in inputs.items():
            self[name] = value

    def __setitem__(self, name: str, value: ArrayLike) -> None:
        self._inputs.set(name, value, self.t)

    @check_arguments
    def __getitem__(self, name: str) -> float | np.ndarray:
        """Return the value of an input."""
        value = self._inputs.value(name)
        return float(value) if value.shape == () else value.copy()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs of the machine."""
        return self._inputs.names

    @check_arguments(own=("dt",))
    def advance(self, dt: float) -> float:
        """Advance the machine by a time with the present inputs.

        Parameters
        ----------
        dt : float
            Time, s, above zero.

        Returns
        -------
        float
            The new time, s.

        Raises
        ------
        fem.ConvergenceError
            A step fails; ``error.result`` holds the run up to there.
        fem.InputError
            ``dt`` is not valid, or a force law fails; ``error.result`` holds the run up to there.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
        >>> sim = fb.Stepper(fb.System([bar]))
        >>> sim.advance(0.5)
        0.5
        >>> sim.position(bar).round(6).tolist()
        [0.5, 0.0, 0.0]
        """
        if not Positive.takes(dt):
            raise InputError(f"advance: dt is {dt!r}; give a time in seconds, above zero")
        if self._step is not None:
            check_steps(dt, float(self._step), "step")
        if self._loop.ended:
            raise InputError(
                f"advance: the run has ended at t = {self.t:.6g} s with event '{self.events[-1].name}'; reset() begins "
                "it again, and restore() returns to a saved state before it"
            )
        t_out, restart = self.t + dt, self._inputs.changed
        if not t_out > self.t:
            raise InputError(
                f"advance: dt is {dt:g} s, which is lost in the round-off of the time, {self.t:g} s; give a longer one"
            )
        if restart:
            self._apply_inputs()
        self._run.look_ahead(t_out)
        self._segment.corners.read()
        if dt != self._interval:
            self._run.fit(dt)
            self._interval = dt
        self._now = None
        begun = time.thread_time()
        status = self._to(t_out, restart)
        self._segment.jumps.examine(self._run.misses)
        self._inputs.changed = False
        self._seconds += time.thread_time() - begun
        segment, run = self._segment, self._run
        if status != DONE:
            self._with_result(fail, segment.plan, run, status, self._step is not None, self._inputs.values)
        if self._deflections.first is None and self._deflections.look(run.t, run.state.all_alpha):
            self._deflections.warn(self._inputs.values)
        self._with_result(segment.bounds.check, run)
        if not self._loop.ended:  # the state at its last event is stored
            self._store()
        if segment.start.rank < segment.plan.n_rows:
            self._with_result(check_state, segment.plan, segment.start, run, segment.work)
        return run.t

    def save(self) -> Snapshot:
        """Return the complete state of the run; :meth:`restore` returns to it exactly.

        Returns
        -------
        Snapshot
            The state, for this Stepper only. It serves to try several futures, as in model-predictive control.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03))
        >>> sim = fb.Stepper(fb.System([bar], forces=[fb.PointForce("push", bar, (fb.Input("force"), 0, 0))]))
        >>> before = sim.save()
        >>> sim.set(force=2.0)
        >>> t = sim.advance(1.0)
        >>> sim.position(bar).round(6).tolist()
        [1.0, 0.0, 0.0]
        >>> sim.restore(before)
        >>> sim.t
        0.0
        """
        arrays = tuple(array.copy() for array in self._memory())
        changed, filled = self._inputs.changed, self._states.filled
        return Snapshot(self.t, arrays, self._inputs.copy(), changed, filled, self._loop.memory, self)

    @check_arguments
    def restore(self, state: Snapshot) -> None:
        """Return to a state of :meth:`save`, as its example shows; what was stored after it is removed.

        Parameters
        ----------
        state : Snapshot
            A state that :meth:`save` of the same Stepper has returned.

        Raises
        ------
        fem.InputError
            ``state`` is of another Stepper.
        """
        if not isinstance(state, Snapshot) or state.owner is not self:
            raise InputError("restore() takes what save() of the same Stepper returned")
        self._loop.memory = state.events
        if self._segment is not self._loop.segment:
            self._enter(self._loop.segment)
        for array, value in zip(self._memory(), state.arrays, strict=True):
            array[...] = value
        self._inputs.restore(state.inputs, state.inputs_changed)
        self._board.steer()
        self._states.filled = min(self._states.filled, state.n_stored)
        self._inputs.shorten(self._states.filled)
        self._now, self._interval, self._peaks = None, 0.0, self._loop.within(self.t).peaks

    def _memory(self) -> tuple[np.ndarray, ...]:
        """Return all arrays that the rest of the run depends on, not copied."""
        tracked, motions = self._segment.coordinates.arrays.memory(), self._inputs.motions.values()
        return (*self._run.memory, *tracked, self._segment.rows.memory, *motions)

    def result(self) -> Result:
        """Return the run up to the present time.

        Returns
        -------
        Result
            The stored states. Its inputs are functions of time, constant between the advances.

        Raises
        ------
        fem.InputError
            The Stepper was made with ``record=False``.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
        >>> sim = fb.Stepper(fb.System([bar]))
        >>> for _ in range(4):
        ...     t = sim.advance(0.5)
        >>> sim.result().t.tolist()
        [0.0, 0.5, 1.0, 1.5, 2.0]
        """
        if not self._recorded:
            raise InputError("this Stepper was made with record=False; it keeps no states")
        t = self._states.arrays["t"][: self._states.filled].copy()
        machine = machine_part(self._inputs.recorded_machine(t), (), self._board.switched_drives())
        plan = make_plan(machine, float(t[-1]) or self._horizon, self._description)
        record = self._loop.completed(self._record(self._states, plan))
        names = [element.name for element in plan.elements.elements]
        record = replace(record, peaks=peaks_by_name(names, self._peaks))
        warn_of_lost_energy(record, self._run)
        found = Result.of(record)
        return replace(found, **{name: getattr(found, name).copy() for name in ("t", *STATE_ARRAYS)})

    # ---- reading ---------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time, s."""
        return self._run.t

    @property
    def now(self) -> Result:
        """The present state as a result of one instant, with energies."""
        recording = Recording(self._board.whole, 1)
        recording.store(self._loop.within(self.t))
        return Result.of(self._loop.of_part(self._record(recording, self._board.whole)))

    @property
    def instant(self) -> Result:
        """The present state as :attr:`now`, computed faster, without energies."""
        if self._now is None:
            s = self._loop.state()
            now: dict[str, Any] = {name: np.array([getattr(s, name)]) for name in ("t", *STATE_ARRAYS)}
            cost = self._loop.cost(self._seconds, 0.0, interrupted=False)
            self._now = Result(
                self._board.whole, **now, energies=np.zeros((1, 5)), statistics=cost, stages=self._stages
            )
        return self._now

    @property
    def events(self) -> tuple[Occurrence, ...]:
        """The events so far in the order of their times, as in ``result().events``."""
        return tuple(self._loop.occurrences)

    @property
    def ended(self) -> bool:
        """Whether an event has ended the run.

        Examples
        --------
        >>> import flexbody as fb
        >>> ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 1))
        >>> down = fb.Event("down", lambda state: state.position(ball)[2], then=fb.EndRun())
        >>> sim = fb.Stepper(fb.System([ball], gravity=(0, 0, -9.81)), events=[down])
        >>> while not sim.ended:
        ...     t = sim.advance(0.1)
        >>> round(t, 6)
        0.451524
        """
        return self._loop.ended

    @check_arguments
    def coordinate(self, joint: Connection | str, which: str | None = None) -> float:
        """Return a joint coordinate, zero in the drawn configuration.

        Parameters
        ----------
        joint : joint, drive or str
            The joint or its name.
        which : str, optional
            Name of the coordinate; by default the first.

        Returns
        -------
        float
            An angle, rad, continuous over many revolutions, or a length, m.

        Examples
        --------
        >>> import flexbody as fb
        >>> wheel = fb.RigidBody("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2), angular_velocity=(0, 0, 10))
        >>> axle = fb.Revolute("axle", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
        >>> sim = fb.Stepper(fb.System([wheel], [axle]))
        >>> t = sim.advance(2.0)
        >>> round(sim.coordinate(axle), 6), round(sim.coordinate_rate(axle), 6)
        (20.0, 10.0)
        """
        found, which = measured(self.system, joint, which)
        value = self._segment.coordinates.value(found.name, which)
        return float(self.instant.coordinate(found.name, which)[0]) if value is None else value

    @check_arguments
    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> float:
        """Return the rate of a joint coordinate.

        Parameters
        ----------
        joint : joint, drive or str
            The joint or its name.
        which : str, optional
            Name of the coordinate; by default the first.

        Returns
        -------
        float
            The rate, rad/s or m/s.
        """
        found, which = measured(self.system, joint, which)
        rate = self._segment.coordinates.rate(found.name, which)
        return float(self.instant.coordinate_rate(found.name, which)[0]) if rate is None else rate

    # ---- inside ----------------------------------------------------------------------------------

    @property
    def _run(self) -> Run:
        return self._segment.run

    def _enter(self, segment: Segment) -> None:
        """Go on with a segment."""
        self._segment = segment
        self._stages: dict = {}  # frames that results of one instant have compiled for reading

    def _to(self, t_out: float, restart: bool) -> int:
        """Advance to ``t_out``, s, with samples of controllers and corners on the way; ``restart`` first if True."""
        status = DONE
        while status == DONE and self._run.t < t_out and not self._loop.ended:
            if self._segment.corners.pass_by(self._run):
                self._interval, restart = 0.0, False
                if self._given:
                    self._loop.refresh()
            status = self._to_stop(self._segment.next_stop(t_out), restart)
            restart = False
            if status == DONE and not self._loop.ended:
                self._with_result(self._sample)
        return status

    def _to_stop(self, t_out: float, restart: bool) -> int:
        """Advance to ``t_out``, s, before which no controller takes a sample and no function has a corner."""
        status, since = PAUSED, self._run.t
        many, chunk = self._run.counts.steps + float(MANY_STEPS), 1 if self._given else CHUNK_STEPS
        if self._segment.stops and since < t_out:
            self._run.fit(t_out - since)
        while status == PAUSED:
            run, before = self._run, self._run.t
            if self._given:
                run.remember()
            status = run.proceed(t_out, chunk, restart, self._segment.coordinates.arrays)
            if run.counts.steps > many and self._step is None:
                many = np.inf
                warn_of_growth(self._segment.plan, run, since, self._inputs.values)
            restart = False
            if self._segment.rows.exchange(run) and status != DONE:
                status = PAUSED
            if self._segment.plan.laws or self._segment.plan.elements.pointers:
                self._with_result(raise_law_errors, self._segment.plan)
            if self._given and run.t < before:
                self._loop.go_back(self._states)
                self._inputs.shorten(self._states.filled)
            elif self._given and run.t > before and self._changed(before, t_out):
                status = DONE if self._loop.ended or self._run.t >= t_out else PAUSED
        return status

    def _changed(self, before: float, t_out: float) -> bool:
        """Return whether the step since ``before`` (s) has an event behind which another segment begins."""
        if not self._with_result(self._loop.examine, before):
            return False
        if self._loop.ended:
            self._with_result(self._loop.stand_at_end)
        self._enter(self._loop.segment)
        self._interval = 0.0
        if self._run.t < t_out:
            self._run.fit(t_out - self._run.t)
        return True

    def _sample(self) -> None:
        if self._segment.sampling.act(self._run) and self._given:
            self._loop.refresh()

    def _apply_inputs(self) -> None:
        """Pass the values of the inputs to the machine; if the rate of a drive jumps, velocities jump too."""
        plan, run = self._segment.plan, self._run
        if self._inputs.apply(self.t):
            self._board.steer()
            change, work = impulses(plan, run.state)
            run.change_velocities(change)
            run.put_in(work)
        at_start = self._states.filled == 1 and run.t == self._begun
        if at_start or self._given:
            run.proceed(run.t, 1, True, self._segment.coordinates.arrays)
        if at_start:  # the start is stored again, with these inputs
            self._states.filled = 0
            self._inputs.shorten(0)
            self._store()
        if self._given:
            self._loop.refresh()

    def _store(self) -> None:
        self._keep(self._loop.within(self.t), behind=True)

    def _keep(self, place: Within, *, behind: bool) -> int:
        if self._recorded and (behind or place.state.t > self._states.last):
            self._states.store(place)
            self._inputs.store(place.state.t)
            self._peaks = place.peaks
        return self._states.filled - 1

    def _record(self, states: Recording, plan: Plan) -> Record:
        cost = self._loop.cost(self._seconds, time.process_time() - self._cpu, interrupted=False)
        return states.record(plan, cost, self._segment.start.undetermined)

    def _with_result(self, action: Callable, *arguments: Any) -> Any:
        """Call a function; an error that it raises receives the run so far as ``result``."""
        try:
            return action(*arguments)
        except (ConvergenceError, InputError) as error:
            if self._recorded:
                error.result = self.result()  # type: ignore[union-attr]
            raise

"""Stepping a machine from outside: for controllers, co-simulation and learning."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import ConvergenceError, InputError, listing, warn
from fem.common.foreseen import check_steps
from fem.common.values import Positive

from ..compile.plan import make_plan
from ..core.kinds import DONE, PAUSED
from ..equations.consistent_start import consistent_start, impulses
from ..equations.locked import warn_of_locked
from ..formulations import Formulation
from ..formulations.state import STATE_ARRAYS
from ..integrators import Explicit, GeneralizedAlpha
from ..integrators.independent_rows import IndependentRows
from ..model.forces.contact import Contact
from ..model.forces.tooth_contact import ToothContact
from ..model.plausibility import warn_beforehand, warn_of_stretch
from ..model.system import Connection, System, check_system, measured
from ..results.instant import Instant
from .bounds import Bounds
from .compiled import compiled
from .control_loops import MANY_STEPS
from .deflections import DeflectionWatch
from .drive_jumps import DriveJumps
from .earlier_state import description_from
from .law_errors import raise_law_errors
from .result import Result
from .run import Recording, check_redundant, fail, statistics, warn_of_growth
from .sampling import Sampling
from .starting_blow import warn_of_blow
from .starts import Starting, beginning
from .state_of_run import reader_of
from .stepper_inputs import StepperInputs
from .tracked_coordinates import TrackedCoordinates

#: Compiled steps between two checks for a keyboard interrupt.
CHUNK_STEPS = 2000


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A complete state of a :class:`Stepper`, to which the Stepper can return.

    Parameters
    ----------
    t : float
        Time, s.
    arrays : tuple of numpy.ndarray
        All arrays that the rest of the run depends on.
    inputs : mapping of str to numpy.ndarray
        Values of the inputs.
    inputs_changed : bool
        Whether inputs were set after the last advance.
    n_stored : int
        Number of stored states.
    owner : Stepper
        The Stepper.

    Examples
    --------
    Two futures from one state:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03))
    >>> sim = fb.Stepper(fb.System([bar], forces=[fb.PointForce("push", bar, (fb.Input("force"), 0, 0))]))
    >>> now = sim.save()
    >>> ends = []
    >>> for force in (1.0, 2.0):
    ...     sim.restore(now)
    ...     sim["force"] = force
    ...     t = sim.advance(1.0)
    ...     ends.append(round(float(sim.position(bar)[0]), 6))
    >>> ends
    [0.5, 1.0]
    """

    t: float
    arrays: tuple[np.ndarray, ...]
    inputs: Mapping[str, np.ndarray]
    inputs_changed: bool
    n_stored: int
    owner: object

    def __repr__(self) -> str:
        return (
            f"<Snapshot at t = {self.t:.6g} s, inputs {listing(self.inputs)}, {self.n_stored} stored states>"
        )


@check_arguments
class Stepper(Instant):
    """A machine that is advanced in time step by step, with inputs that are set between the steps.

    Parameters
    ----------
    machine : System
        The machine, with inputs (:class:`Input`) in its loads, actuators and drives.
    start : AsDrawn, QuasiStatic, Equilibrium, State or Result, optional
        The initial state, as for :func:`flexbody.simulate`.
    integrator : GeneralizedAlpha or Explicit, optional
        The integrator; by default :class:`GeneralizedAlpha`.
    step : float, optional
        Fixed time step, s; by default steps are chosen by the estimated error.
    horizon : float
        Time, s, over which functions of time in the machine are examined to find how fast they vary. It does not
        limit the run.
    record : bool
        Whether the state at the end of every advance is stored for :meth:`result`.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default that of the result or state in ``start``, and
        :class:`Absolute` for a new run.

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

    A Stepper finds no events (:class:`Event`); look at the state between the advances instead.

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
        integrator: GeneralizedAlpha | Explicit | None = None,
        step: float | None = None,
        horizon: float = 1.0,
        record: bool = True,
        description: Formulation | None = None,
    ) -> None:
        check_system(machine, "Stepper")
        if not Positive.takes(horizon):
            raise InputError(f"horizon is {horizon!r}; give a time in seconds, above zero")
        method = GeneralizedAlpha() if integrator is None else integrator
        if not isinstance(method, GeneralizedAlpha | Explicit):
            raise InputError(f"a Stepper steps with GeneralizedAlpha or Explicit, not with {method!r}")
        self._method = method if step is None else replace(method, step=step)
        warn_beforehand(machine)
        if sudden := [
            one.name for one in machine.elements if isinstance(one, Contact | ToothContact) and one.events
        ]:
            warn(
                f"a Stepper finds no events: the onset and loss of {listing(sudden)} (events=True) are followed by the "
                "steps, as without events=True"
            )
        self.system, self._horizon, self._recorded, self._from = machine, horizon, record, start
        self._inputs, self._description = StepperInputs(machine), description_from(description, start)
        self.reset()

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
        self._inputs.reset()
        machine = self._inputs.reading_machine()
        self._plan = compiled(machine, self._horizon, self._description)
        given = beginning(self._plan, self._from, np.inf)
        self._start = consistent_start(self._plan, given)
        warn_of_blow(self._plan, given, self._start)
        warn_of_stretch(self.system, self._start.undetermined)
        warn_of_locked(self._plan, self._start.rank)
        self._run = self._method.begin(self._plan, self._start, self._start.t + self._horizon, None)
        self._coordinates = TrackedCoordinates(self._plan, self._start, self._run.state)
        self._jumps, self._deflections = DriveJumps(self._plan), DeflectionWatch(self._plan)
        self._rows = IndependentRows(self._plan, self._start.rank)
        self._bounds = Bounds(self._plan, self._start, self._plan.work())
        self._sampling = Sampling(self._plan, reader_of(self._plan))
        self._sampling.act(self._run)
        self._seconds, self._cpu = 0.0, time.process_time()
        self._interval = 0.0
        self._now: Result | None = None
        self._stages: dict = {}  # frames that results of one instant have compiled for reading
        self._states = Recording(self._plan, 64 if self._recorded else 1)
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
        if (step := self._method.step) is not None:
            check_steps(dt, float(step), "step")
        run, t_out = self._run, self._run.t + dt
        restart = self._inputs.changed
        if restart:
            self._apply_inputs()
            if self._states.filled == 1 and run.t == self._start.t:
                self._begin_again()
        if dt != self._interval:
            run.fit(dt)
            self._interval = dt
        self._now = None
        begun = time.thread_time()
        status = self._to(self._sampling.next(run, t_out), restart)
        while status == DONE and run.t < t_out:
            self._with_result(self._sampling.act, run)
            status = self._to(self._sampling.next(run, t_out), False)
        if status == DONE:
            self._with_result(self._sampling.act, run)
        self._jumps.examine(run.misses)
        self._inputs.changed = False
        self._seconds += time.thread_time() - begun
        if status != DONE:
            fixed = self._method.step is not None
            self._with_result(fail, self._plan, run, status, fixed, self._inputs.values)
        if self._deflections.first is None and self._deflections.look(run.t, run.state.all_alpha):
            self._deflections.warn(self._inputs.values)
        self._with_result(self._bounds.check, run)
        self._store()
        if self._start.rank < self._plan.n_rows:
            self._with_result(check_redundant, self._plan, self._start, run, self._plan.work())
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
        return Snapshot(self.t, arrays, self._inputs.copy(), changed, filled, self)

    @check_arguments
    def restore(self, state: Snapshot) -> None:
        """Return to a state of :meth:`save`; what was stored after it is removed.

        Parameters
        ----------
        state : Snapshot
            A state that :meth:`save` of the same Stepper has returned.

        Raises
        ------
        fem.InputError
            ``state`` is of another Stepper.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
        >>> sim = fb.Stepper(fb.System([bar]))
        >>> start = sim.save()
        >>> t = sim.advance(1.0)
        >>> sim.restore(start)
        >>> sim.position(bar).tolist()
        [0.0, 0.0, 0.0]
        """
        if not isinstance(state, Snapshot) or state.owner is not self:
            raise InputError("restore() takes what save() of the same Stepper returned")
        for array, value in zip(self._memory(), state.arrays, strict=True):
            array[...] = value
        self._inputs.restore(state.inputs, state.inputs_changed)
        self._states.filled = min(self._states.filled, state.n_stored)
        self._inputs.shorten(self._states.filled)
        self._now, self._interval = None, 0.0

    def _memory(self) -> tuple[np.ndarray, ...]:
        """Return all arrays that the rest of the run depends on, not copied."""
        tracked, drives = self._coordinates.arrays.memory(), self._plan.layout.drive_value
        return (*self._run.memory, *tracked, self._rows.memory, drives)

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
        machine = self._inputs.recorded_machine(t)
        plan = make_plan(machine, float(t[-1]) or self._horizon, self._description)
        spent = time.process_time() - self._cpu
        cost = statistics(self._plan, self._start, self._run, self._seconds, spent, interrupted=False)
        found = Result.of(self._states.record(plan, cost, self._start.undetermined))
        return replace(found, **{name: getattr(found, name).copy() for name in ("t", *STATE_ARRAYS)})

    # ---- reading ---------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time, s."""
        return self._run.t

    @property
    def now(self) -> Result:
        """The present state as a result of one instant, with energies."""
        recording = Recording(self._plan, 1)
        recording.store(self._run)
        cost = statistics(self._plan, self._start, self._run, self._seconds, 0.0, interrupted=False)
        return Result.of(recording.record(self._plan, cost, self._start.undetermined))

    @property
    def instant(self) -> Result:
        """The present state as :attr:`now`, computed faster, without energies."""
        if self._now is None:
            cost = statistics(self._plan, self._start, self._run, self._seconds, 0.0, interrupted=False)
            s = self._run.state
            now: dict[str, Any] = {name: np.array([getattr(s, name)]) for name in ("t", *STATE_ARRAYS)}
            self._now = Result(
                self._plan, **now, energies=np.zeros((1, 5)), statistics=cost, stages=self._stages
            )
        return self._now

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
        >>> round(sim.coordinate(axle), 6)
        20.0
        """
        found, which = measured(self.system, joint, which)
        value = self._coordinates.value(found.name, which)
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

        Examples
        --------
        >>> import flexbody as fb
        >>> wheel = fb.RigidBody("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2), angular_velocity=(0, 0, 10))
        >>> axle = fb.Revolute("axle", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
        >>> sim = fb.Stepper(fb.System([wheel], [axle]))
        >>> round(sim.coordinate_rate(axle), 6)
        10.0
        """
        found, which = measured(self.system, joint, which)
        rate = self._coordinates.rate(found.name, which)
        return float(self.instant.coordinate_rate(found.name, which)[0]) if rate is None else rate

    # ---- inside ----------------------------------------------------------------------------------

    def _to(self, t_out: float, restart: bool) -> int:
        """Advance to ``t_out``, s, from a restart if ``restart`` is True."""
        run, status = self._run, PAUSED
        since, many = run.t, run.counts.steps + float(MANY_STEPS)
        if self._sampling.active and run.t < t_out:
            run.fit(t_out - run.t)
        while status == PAUSED:
            status = run.proceed(t_out, CHUNK_STEPS, restart, self._coordinates.arrays)
            if run.counts.steps > many and self._method.step is None:
                many = np.inf
                warn_of_growth(self._plan, run, since, self._inputs.values)
            restart = False
            if self._rows.exchange(run) and status != DONE:
                status = PAUSED
            if self._plan.laws or self._plan.elements.pointers:
                self._with_result(raise_law_errors, self._plan)
        return status

    def _apply_inputs(self) -> None:
        """Pass the values of the inputs to the machine; if the rate of a drive jumps, velocities jump too."""
        if self._inputs.apply(self._plan, self.t):
            change, work = impulses(self._plan, self._run.state)
            self._run.change_velocities(change)
            self._run.work_done[1] += work

    def _begin_again(self) -> None:
        """Store the start again, with the inputs that are set there."""
        self._run.proceed(self._run.t, 1, True, self._coordinates.arrays)
        self._states.filled = 0
        self._inputs.shorten(0)
        self._store()

    def _store(self) -> None:
        if self._recorded:
            self._states.store(self._run)
            self._inputs.store()

    def _with_result(self, action: Callable, *arguments: Any) -> None:
        """Call a function; an error that it raises receives the run so far as ``result``."""
        try:
            action(*arguments)
        except (ConvergenceError, InputError) as error:
            if self._recorded:
                error.result = self.result()  # type: ignore[union-attr]
            raise

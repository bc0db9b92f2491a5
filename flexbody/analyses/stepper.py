"""Stepping a machine from outside: for controllers, co-simulation and learning."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import ConvergenceError, InputError, listing
from fem.common.numbers import finite

from ..compile.plan import make_plan
from ..core.kinds import DONE, PAUSED
from ..core.structures import Tracked
from ..equations.consistent_start import consistent_start, impulses
from ..formulations import Formulation
from ..functions.inputs import PiecewiseConstant, PiecewiseLinear, Signal, SignalReader
from ..integrators import Explicit, GeneralizedAlpha
from ..integrators.independent_rows import IndependentRows
from ..model.drives import Drive
from ..model.input_fields import inputs_of, replace_signals, signals
from ..model.joints import Joint
from ..model.joints.coordinates import SLIDE_Z, TURN_Z
from ..model.plausibility import warn_beforehand, warn_of_stretch
from ..model.system import Connection, System, check_system, measured, prescribed_by
from ..results.instant import Instant
from .drive_jumps import DriveJumps
from .result import Result
from .run import Recording, check_redundant, fail, raise_law_errors, statistics
from .starts import Starting, beginning

#: compiled steps between two looks at the keyboard
CHUNK_STEPS = 2000


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A complete state of a :class:`Stepper`, see :meth:`Stepper.save`."""

    t: float
    arrays: tuple[np.ndarray, ...]
    inputs: Mapping[str, np.ndarray]
    filled: int
    dirty: bool
    owner: object


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
    description : Absolute, optional
        How the equations of motion are written; by default :class:`Absolute`.

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
        if not (finite(horizon) and horizon > 0):
            raise InputError(f"horizon is {horizon!r}; give a time in seconds, above zero")
        method = GeneralizedAlpha() if integrator is None else integrator
        if not isinstance(method, GeneralizedAlpha | Explicit):
            raise InputError(f"a Stepper steps with GeneralizedAlpha or Explicit, not with {method!r}")
        self._method = method if step is None else replace(method, step=step)
        warn_beforehand(machine)
        self.system, self._horizon, self._recorded, self._from = machine, horizon, record, start
        self._inputs, self._description = inputs_of(machine), description
        self.reset()

    def __repr__(self) -> str:
        return f"<Stepper at t = {self.t:.6g} s, inputs {listing(self._inputs) or 'none'}>"

    # ---- the run ---------------------------------------------------------------------------------

    def reset(self) -> None:
        """Return to the start: all inputs have their initial values, and nothing is stored."""
        self._values = {name: np.array(part.initial_value) for name, part in self._inputs.items()}
        self._wires: list[SignalReader] = []
        joints = [self._joint(joint) for joint in self.system.joints]
        forces = [replace_signals(force, self._wire) for force in self.system.forces]
        changed = replace(self.system, joints=joints, forces=forces)
        self._plan = make_plan(changed, self._horizon, self._description)
        self._start = consistent_start(self._plan, beginning(self._plan, self._from, np.inf))
        warn_of_stretch(self.system, self._start.undetermined)
        self._run = self._method.begin(self._plan, self._start, self._start.t + self._horizon, None)
        self._rates = self._rate_inputs()
        self._tracked, self._jumps = self._coordinates(), DriveJumps(self._plan)
        self._rows = IndependentRows(self._plan, self._start.rank)
        self._seconds, self._cpu = 0.0, time.process_time()
        self._interval, self._dirty = 0.0, False
        self._now: Result | None = None
        self._stages: dict = {}  # frames that results of one instant have compiled for reading
        self._states = Recording(self._plan, 64 if self._recorded else 1)
        self._history: dict[str, list[np.ndarray]] = {name: [] for name in self._inputs}
        self._read_coordinates()
        self._store()

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
        """
        for name, value in inputs.items():
            self[name] = value

    def __setitem__(self, name: str, value: ArrayLike) -> None:
        if name not in self._values:
            raise InputError(f"this machine has no input {name!r}; it has {listing(self._inputs) or 'none'}")
        old = self._values[name]
        try:
            new = np.array(value, dtype=float)
        except (TypeError, ValueError):
            new = np.full(1, np.nan)
        if new.shape == (1,) and old.shape == ():
            new = new[0]
        if np.shape(new) != old.shape or not np.isfinite(new).all():
            kind = "a finite number" if old.shape == () else "three finite components"
            raise InputError(f"input '{name}' at t = {self.t:.6g} s is set to {value!r}; it must be {kind}")
        if not np.array_equal(new, old):
            self._values[name] = np.asarray(new)
            self._dirty = True

    def __getitem__(self, name: str) -> float | np.ndarray:
        """Return the value of an input."""
        if name not in self._values:
            raise InputError(f"this machine has no input {name!r}; it has {listing(self._inputs) or 'none'}")
        value = self._values[name]
        return float(value) if value.shape == () else value.copy()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs of the machine."""
        return tuple(self._inputs)

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
        """
        if not (finite(dt) and dt > 0):
            raise InputError(f"advance: dt is {dt!r}; give a time in seconds, above zero")
        run, t_out = self._run, self._run.t + dt
        if self._dirty:
            self._apply()
            if self._states.filled == 1 and run.t == self._start.t:
                self._begin_again()
        if dt != self._interval:
            run.fit(dt)
            self._interval = dt
        restart, status = self._dirty, PAUSED
        self._now = None
        begun = time.thread_time()
        while status == PAUSED:
            status = run.proceed(t_out, CHUNK_STEPS, restart, self._tracked)
            restart = False
            if self._rows.exchange(run) and status != DONE:
                status = PAUSED
            if self._plan.laws or self._plan.elements.pointers:
                self._guarded(raise_law_errors, self._plan)
        self._jumps.look_at(run.misses)
        self._dirty = False
        self._seconds += time.thread_time() - begun
        if status != DONE:
            fixed = self._method.step is not None
            self._guarded(fail, self._plan, run, status, fixed)
        self._store()
        if self._start.rank < self._plan.n_rows:
            self._guarded(check_redundant, self._plan, self._start, run, self._plan.work())
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
        arrays = tuple(
            array.copy() for array in (*self._run.memory, *self._tracked.memory(), self._rows.memory)
        )
        drives = self._plan.layout.drive_value.copy()
        inputs = {name: value.copy() for name, value in self._values.items()}
        return Snapshot(self.t, (*arrays, drives), inputs, self._states.filled, self._dirty, self)

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
        """
        if not isinstance(state, Snapshot) or state.owner is not self:
            raise InputError("restore() takes what save() of the same Stepper returned")
        arrays = (
            *self._run.memory,
            *self._tracked.memory(),
            self._rows.memory,
            self._plan.layout.drive_value,
        )
        for array, value in zip(arrays, state.arrays, strict=True):
            array[...] = value
        self._values = {name: value.copy() for name, value in state.inputs.items()}
        for wire in self._wires:
            wire.update(self._values)
        self._states.filled = min(self._states.filled, state.filled)
        for history in self._history.values():
            del history[self._states.filled :]
        self._dirty, self._now, self._interval = state.dirty, None, 0.0

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
        """
        if not self._recorded:
            raise InputError("this Stepper was made with record=False; it keeps no states")
        n = self._states.filled
        t = self._states.arrays["t"][:n].copy()
        history = {name: np.array(values[:n]) for name, values in self._history.items()}

        def held(source: Signal) -> PiecewiseConstant:
            rows = [source.value({name: history[name][k] for name in source.names}) for k in range(n)]
            return PiecewiseConstant(t, np.array(rows))

        forces = [replace_signals(force, held) for force in self.system.forces]
        joints = [self._driven(joint, history, t) for joint in self.system.joints]
        changed = replace(self.system, joints=joints, forces=forces)
        plan = make_plan(changed, float(t[-1]) or self._horizon, self._description)
        spent = time.process_time() - self._cpu
        cost = statistics(self._plan, self._start, self._run, self._seconds, spent, interrupted=False)
        found = self._states.result(plan, cost, self._start.undetermined)
        names = ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers", "states", "turns")
        return replace(found, **{name: getattr(found, name).copy() for name in names})

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
        return recording.result(self._plan, cost, self._start.undetermined)

    @property
    def instant(self) -> Result:
        """The present state as :attr:`now`, computed faster, without energies."""
        if self._now is None:
            cost = statistics(self._plan, self._start, self._run, self._seconds, 0.0, interrupted=False)
            s = self._run.state
            t, c, q, alpha, v, vdot, multipliers, states, turns = (np.array([x]) for x in vars(s).values())
            motion = t, c, q, alpha, v, vdot, multipliers
            none = np.zeros((1, 5))
            self._now = Result(self._plan, *motion, none, cost, (), turns, states, self._stages)
        return self._now

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
        """
        found, which = measured(self.system, joint, which)
        k = self._numbers.get((found.name, which))
        if k is None:
            return float(self.instant.coordinate(found.name, which)[0])
        return float(self._tracked.value[k] - self._zeros[k])

    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> float:
        """Return the rate of a joint coordinate, rad/s or m/s; arguments as for :meth:`coordinate`."""
        found, which = measured(self.system, joint, which)
        k = self._numbers.get((found.name, which))
        return float(
            self.instant.coordinate_rate(found.name, which)[0] if k is None else self._tracked.rate[k]
        )

    # ---- inside ----------------------------------------------------------------------------------

    def _wire(self, source: Signal) -> SignalReader:
        wire = SignalReader(source, self._values)
        self._wires.append(wire)
        return wire

    def _joint(self, joint: Connection) -> Connection:
        """Return a joint or drive with numbers in place of inputs; raise InputError if an input is not possible."""
        for name, source in signals(joint):
            if not isinstance(joint, Drive) or name != "rate":
                raise InputError(
                    f"{joint.label}: {name} is {source!r}, an input, which may jump; a position can't. Give the "
                    "input as rate=, or let a spring-damper-actuator follow it"
                )
        return replace_signals(joint, lambda source: float(source.value(self._values)))

    def _driven(self, joint: Connection, history: dict[str, np.ndarray], t: np.ndarray) -> Connection:
        """Return a drive whose rate is an input as a drive that follows the values that were set."""
        for _, source in signals(joint):
            rates = np.array([source.value({n: history[n][k] for n in source.names}) for k in range(len(t))])
            values = np.concatenate([[0.0], np.cumsum(rates[1:] * np.diff(t))])
            assert isinstance(joint, Drive)
            path, held = PiecewiseLinear(t, values, rates), PiecewiseConstant(t, rates)
            zero = PiecewiseConstant(t, np.zeros(len(t)))
            return replace(
                joint, rate=None, value=path, which=joint.coordinate, velocity=held, acceleration=zero
            )
        return joint

    def _rate_inputs(self) -> list[tuple[int, Signal]]:
        """Return the drives, by their number, whose rates are inputs."""
        relations = [joint for joint in self.system.joints if prescribed_by(joint) is not None]
        return [(k, source) for k, item in enumerate(relations) for _, source in signals(item)]

    def _apply(self) -> None:
        """Pass the values of the inputs to loads and drives; if the rate of a drive jumps, velocities jump too."""
        for wire in self._wires:
            wire.update(self._values)
        jump = False
        for k, source in self._rates:
            value = self._plan.layout.drive_value[k]
            rate = float(source.value(self._values))
            if rate != value[1]:
                value[:] = value[0] + (value[1] - rate) * self.t, rate
                jump = True
        if jump:
            change, work = impulses(self._plan, self._run.state)
            v = self._run.state.v
            v += change
            self._run.work_done[1] += work

    def _coordinates(self) -> Tracked:
        """Return arrays for angles about z axes and slides along them; others are rare and read from ``now``."""
        self._numbers: dict[tuple[str, str], int] = {}
        self._zeros: list[float] = []
        bodies = self.system.bodies_by_name()
        frames: list[tuple[int, ...]] = []
        counted: list[int] = []
        for joint in self.system.joints:
            if not isinstance(joint, Joint):
                continue
            for which, coordinate in joint.coordinates.items():
                if coordinate in (TURN_Z, SLIDE_Z):
                    self._numbers[joint.name, which] = len(frames)
                    frames.append(self._plan.frames[joint.name][:2])
                    key = joint.name, which
                    counted.append(self._plan.coordinates.index(key) if coordinate == TURN_Z else -1)
                    self._zeros.append(joint.reference(which, bodies))
        n = len(frames)
        pairs = np.array(frames, dtype=np.int64).reshape(-1, 2)
        return Tracked(
            frame=pairs, number=np.array(counted, dtype=np.int64), value=np.zeros(n), rate=np.zeros(n)
        )

    def _read_coordinates(self) -> None:
        """Read the joint coordinates at the start."""
        if len(self._tracked.value):
            s, work = self._run.state, self._plan.work(self._start.revolutions)
            self._plan.formulation.read_coordinates(self._plan.layout, work, s, self._tracked)

    def _begin_again(self) -> None:
        """Store the start again, with the inputs that are set there."""
        self._run.proceed(self._run.t, 1, True, self._tracked)
        self._states.filled = 0
        for history in self._history.values():
            history.clear()
        self._store()

    def _store(self) -> None:
        if not self._recorded:
            return
        self._states.store(self._run)
        for name, values in self._history.items():
            values.append(self._values[name])

    def _guarded(self, action, *arguments) -> None:
        """Call a function; an error that it raises receives the run so far as ``result``."""
        try:
            action(*arguments)
        except (ConvergenceError, InputError) as error:
            if self._recorded:
                error.result = self.result()  # type: ignore[union-attr]
            raise

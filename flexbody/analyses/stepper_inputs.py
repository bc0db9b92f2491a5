"""The inputs of a machine that is stepped: their present values, what reads them, and the values that were set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, listing
from fem.common.names import with_match
from fem.common.numbers import floats

from ..compile.plan import Plan
from ..functions.inputs import PiecewiseConstant, PiecewiseLinear, Signal, SignalReader
from ..model.input_fields import inputs_of, replace_signals, signals
from ..model.system import Connection, System

Values = dict[str, np.ndarray]


class StepperInputs:
    """The inputs of a machine with their values.

    Parameters
    ----------
    machine : System
        The machine, with inputs (:class:`flexbody.Input`) in its loads, actuators and drives.

    Attributes
    ----------
    values : dict of str to numpy.ndarray
        The present values.
    motions : dict of str to numpy.ndarray
        Value at t = 0 and rate, (2,), of the motion of each drive whose rate is an input, as it is at present.
    changed : bool
        Whether a value has changed since the last advance.
    """

    def __init__(self, machine: System) -> None:
        self._machine, self._inputs = machine, inputs_of((*machine.joints, *machine.forces))
        self.values: Values = {name: np.array(part.initial_value) for name, part in self._inputs.items()}
        self.changed = False
        self._readers: list[SignalReader] = []
        self._history: dict[str, list[np.ndarray]] = {name: [] for name in self._inputs}
        self._rates = {
            joint.name: source
            for joint in self._machine.joints
            for field, source in signals(joint)
            if field == "rate"
        }
        self.motions = {name: np.array([0.0, float(source)]) for name, source in self._rates.items()}
        self._positions: dict[str, list[float]] = {name: [] for name in self._rates}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(self._inputs)

    def value(self, name: str) -> np.ndarray:
        """Return the present value of an input, () or (3,)."""
        if name not in self.values:
            raise InputError(
                f"this machine has no input {with_match(name, self.names)}; it has {listing(self.names) or 'none'}"
            )
        return self.values[name]

    def set(self, name: str, value: ArrayLike, t: float) -> None:
        """Set an input at the time ``t``, s."""
        old, new = self.value(name), floats(value)
        if new is not None and new.shape == (1,) and old.shape == ():
            new = new[0]
        if new is None or np.shape(new) != old.shape or not np.isfinite(new).all():
            kind = "a finite number" if old.shape == () else "three finite components"
            raise InputError(f"input '{name}' at t = {t:.6g} s is set to {value!r}; it must be {kind}")
        if not np.array_equal(new, old):
            self.values[name] = np.asarray(new)
            self.changed = True

    # ---- in the machine --------------------------------------------------------------------------

    def reading_machine(self) -> System:
        """Return the machine whose loads and actuators read the present values of the inputs.

        Drives have numbers in place of inputs, see :meth:`apply`.
        """
        joints = [self._with_numbers(joint) for joint in self._machine.joints]
        forces = [replace_signals(force, self._reader) for force in self._machine.forces]
        return replace(self._machine, joints=joints, forces=forces)

    def _reader(self, source: Signal) -> SignalReader:
        reader = SignalReader(source, self.values)
        self._readers.append(reader)
        return reader

    def _with_numbers(self, joint: Connection) -> Connection:
        """Return a joint or drive with numbers in place of inputs; raise InputError if an input is not possible."""
        for name, source in signals(joint):
            if name != "rate":  # only drives have one
                raise InputError(
                    f"{joint.label}: {name} is {source!r}, an input, which may jump; a position can't. Give the "
                    "input as rate=, or let a spring-damper-actuator follow it"
                )
        return replace_signals(joint, lambda source: float(source.value(self.values)))

    def apply(self, t: float) -> bool:
        """Pass the values to loads at the time ``t``, s, and return whether the rate of a drive jumps: see `drive`."""
        for reader in self._readers:
            reader.update(self.values)
        jump = False
        for name, source in self._rates.items():
            motion, rate = self.motions[name], float(source.value(self.values))
            if rate != motion[1]:
                motion[:] = motion[0] + (motion[1] - rate) * t, rate
                jump = True
        return jump

    def drive(self, plan: Plan) -> None:
        """Pass the motions of drives whose rates are inputs to a plan of the machine, or of a part of it."""
        driven = (joint.name for joint in plan.system.joints if joint.prescribed is not None)
        for name, value in zip(driven, plan.layout.drive_value, strict=True):
            if name in self.motions:
                value[:] = self.motions[name]

    def begin_at(self, t: float, coordinates: Mapping[str, float]) -> None:
        """Let the drives that are switched on at ``t``, s, go on from their coordinates, which are given by name."""
        for name in self.motions.keys() & coordinates.keys():
            motion = self.motions[name]
            motion[0] = coordinates[name] - motion[1] * t

    # ---- saved values and history ----------------------------------------------------------------

    def copy(self) -> Values:
        """Return a copy of the present values."""
        return {name: value.copy() for name, value in self.values.items()}

    def restore(self, values: Mapping[str, np.ndarray], changed: bool) -> None:
        """Return to values of :meth:`copy`."""
        self.values = {name: value.copy() for name, value in values.items()}
        self.changed = changed
        for reader in self._readers:
            reader.update(self.values)

    def store(self, t: float) -> None:
        """Store the present values, and the coordinates of drives at ``t``, s."""
        for name, values in self._history.items():
            values.append(self.values[name])
        for name, (value, rate) in self.motions.items():
            self._positions[name].append(float(value + rate * t))

    def shorten(self, n: int) -> None:
        """Keep the first ``n`` stored values only."""
        for values in self._history.values():
            del values[n:]
        for positions in self._positions.values():
            del positions[n:]

    def recorded_machine(self, t: np.ndarray) -> System:
        """Return the machine whose loads and drives are functions of time, with the values stored at ``t`` (n,), s.

        A value holds from the time before up to its own time.
        """

        def constant(source: Signal) -> PiecewiseConstant:
            return PiecewiseConstant(t, self._stored(source, len(t)))

        forces = [replace_signals(force, constant) for force in self._machine.forces]
        joints = [self._driven(joint, t, constant) for joint in self._machine.joints]
        return replace(self._machine, joints=joints, forces=forces)

    def _stored(self, source: Signal, n: int) -> np.ndarray:
        """Return the first ``n`` stored values of a signal, (n,) or (n, 3)."""
        return np.array([source.value({x: self._history[x][k] for x in source.names}) for k in range(n)])

    def _driven(self, joint: Any, t: np.ndarray, constant: Callable) -> Connection:
        """Return a drive whose rate is an input as a drive with the position that follows from the stored rates."""
        for _, source in signals(joint):
            rates, values = self._stored(source, len(t)), np.array(self._positions[joint.name][: len(t)])
            return replace(
                joint,
                rate=None,
                value=PiecewiseLinear(t, values, rates),
                which=joint.coordinate,
                velocity=constant(source),
                acceleration=PiecewiseConstant(t, np.zeros(len(t))),
            )
        return joint

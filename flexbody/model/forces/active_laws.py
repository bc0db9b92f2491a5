"""Active laws: hydraulic actuators, electric motors, position servos (Sol 3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .law import ForceLaw, Input, check_input, check_numbers, check_start


class _OneState(ForceLaw):
    """A law with one state and a field ``start``."""

    start: float | None
    #: name and unit of the state
    state: ClassVar[tuple[str, str]]

    def state_names(self, turns: bool) -> list[tuple[str, str]]:
        """Return name and unit of the state."""
        return [self.state]

    @property
    def n_states(self) -> int:
        """One."""
        return 1

    def start_states(self) -> np.ndarray | None:
        """Return the given value, or None."""
        return None if self.start is None else np.array([float(self.start)])


@dataclass(frozen=True, eq=False)
class HydraulicActuator(ForceLaw):
    """A piston under a given pressure: it pushes the ends apart with ``area * pressure``, Sol (3.5.6).

    area : effective area, m^2 (for an angle: displacement per radian, m^3). pressure : Pa, a number or a function of
    time; the difference between both sides of the piston.
    """

    area: float
    pressure: Input

    function: ClassVar = "pressure"
    input: ClassVar = "pressure"

    def numbers(self) -> list[float]:
        """Return the area."""
        return [self.area]

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        return check_numbers(self, label, positive=("area",)) + check_input(self, label)


@dataclass(frozen=True, eq=False)
class HydraulicCylinder(_OneState):
    """A piston on compressible oil, fed by a flow: ``p. = E/V (flow - area x. - leakage p)``; it pushes apart.

    area : m^2. volume : of the oil, m^3. bulk_modulus : of the oil, Pa. flow : m^3/s, a number or a function of time.
    leakage : m^3/s per Pa. start : pressure at t = 0, Pa; None for that which stays.
    """

    area: float
    volume: float
    flow: Input
    bulk_modulus: float = 1.4e9
    leakage: float = 0.0
    start: float | None = 0.0

    function: ClassVar = "cylinder"
    state: ClassVar = ("pressure", "Pa")
    input: ClassVar = "flow"

    def numbers(self) -> list[float]:
        """Return area, E/V, leakage."""
        return [self.area, self.bulk_modulus / self.volume, self.leakage]

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        found = check_numbers(self, label, ("area", "volume", "bulk_modulus"), ("leakage",))
        if self.start is None and self.leakage == 0:
            found.append(
                f"{label}: without leakage no pressure stays by itself; give start= (Pa) or leakage="
            )
        return found + check_input(self, label) + check_start(self.start, 1, label)


@dataclass(frozen=True, eq=False)
class ElectricMotor(_OneState):
    """A direct-current motor: ``inductance i. = voltage - resistance i - constant x.``, torque ``constant i``.

    Sol (3.5.7)-(3.5.8), with the signs that balance the energy. A positive current drives the joint's angle (or the
    slide, or the length) forwards. constant : torque per current = back-e.m.f. per rate, Nm/A = Vs/rad.
    resistance : ohm. inductance : H. voltage : V, a number or a function of time. start : current at t = 0, A; None
    for that which stays.
    """

    constant: float
    resistance: float
    inductance: float
    voltage: Input
    start: float | None = 0.0

    function: ClassVar = "motor"
    state: ClassVar = ("current", "A")
    input: ClassVar = "voltage"

    def numbers(self) -> list[float]:
        """Return c, R, L."""
        return [self.constant, self.resistance, self.inductance]

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        found = check_numbers(self, label, positive=("constant", "resistance", "inductance"))
        return found + check_input(self, label) + check_start(self.start, 1, label)


@dataclass(frozen=True, eq=False)
class PositionServo(_OneState):
    """A motor with an amplifier that steers it to a target: voltage ``gain (target - x) - rate_gain x.``, Sol (3.5.9).

    gain : V/rad (V/m). target : rad (m), a number or a function of time. rate_gain : Vs/rad. limit : largest voltage,
    V. Else as :class:`ElectricMotor`.
    """

    constant: float
    resistance: float
    inductance: float
    gain: float
    target: Input
    rate_gain: float = 0.0
    limit: float = np.inf
    start: float | None = 0.0

    function: ClassVar = "servo"
    state: ClassVar = ("current", "A")
    input: ClassVar = "target"

    def numbers(self) -> list[float]:
        """Return c, R, L, gain, rate gain, limit."""
        return [self.constant, self.resistance, self.inductance, self.gain, self.rate_gain, self.limit]

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        names = ("constant", "resistance", "inductance", "gain")
        found = check_numbers(self, label, names, ("rate_gain",))
        if not (isinstance(self.limit, float | int) and self.limit > 0):
            found.append(f"{label}: limit is {self.limit!r}; it must be a voltage above zero")
        return found + check_input(self, label) + check_start(self.start, 1, label)

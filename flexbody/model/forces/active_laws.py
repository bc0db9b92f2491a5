"""Force laws of actuators: hydraulic actuators, electric motors and position servos (Sol 3.5)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

import numpy as np

from fem.common.numbers import is_number
from fem.common.values import Extended

from .law import ForceLaw, Input, check_input, check_numbers, check_start
from .symbol import Symbol


class _OneState(ForceLaw):
    """A force law with one state and a field ``start``."""

    start: float | None
    #: Name and unit of the state.
    state: ClassVar[tuple[str, str]]

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return name and unit of the state."""
        return [self.state]

    @property
    def n_states(self) -> int:
        """Number of states: 1."""
        return 1

    def start_states(self) -> np.ndarray | None:
        """Return the given initial state, or None for its stationary value."""
        return None if self.start is None else np.array([float(self.start)])


@dataclass(frozen=True, eq=False)
class HydraulicActuator(ForceLaw):
    """A piston with a given pressure, which pushes the ends apart with ``area * pressure``, Sol (3.5.6).

    Parameters
    ----------
    area : float
        Effective area of the piston, m^2. For an angle: displacement per radian, m^3.
    pressure : float, callable or Input
        Pressure difference between both sides of the piston, Pa: a number or a function of time (s).

    Examples
    --------
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(0.01, 0.01, 0.01))
    >>> guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="z")
    >>> law = fb.HydraulicActuator(area=1e-3, pressure=1e5)  # 100 N
    >>> machine = fb.System([block], [guide], [fb.ForceElement("jack", fb.Along(guide), law)], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(machine, t_end=0.1, show_progress=False)
    >>> float(result.acceleration(block)[0, 2].round(6))
    40.19
    """

    area: float
    _: KW_ONLY
    pressure: Input

    function: ClassVar = "pressure"
    symbols: ClassVar = (Symbol("hydraulic"),)
    input: ClassVar = "pressure"

    def numbers(self) -> list[float]:
        """Return the area."""
        return [self.area]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        return check_numbers(self, label, positive=("area",)) + check_input(self, label)


@dataclass(frozen=True, eq=False)
class HydraulicCylinder(_OneState):
    """A piston on compressible oil with a given oil flow; it pushes the ends apart.

    Parameters
    ----------
    area : float
        Effective area of the piston, m^2.
    volume : float
        Volume of the oil, m^3.
    flow : float, callable or Input
        Oil flow into the cylinder, m^3/s: a number or a function of time (s).
    bulk_modulus : float, optional
        Bulk modulus of the oil, Pa.
    leakage : float, optional
        Leakage flow per pressure, m^3/(s Pa).
    start : float or None, optional
        Pressure at t = 0, Pa. None means the stationary pressure. A run that starts from a state, a result or in
        equilibrium begins with the pressure of that state instead.

    Notes
    -----
    The state is the pressure p, with ``dp/dt = E/V (flow - area dx/dt - leakage p)``; E is the bulk modulus, V the
    volume and x the deformation. The force that pushes the ends apart is ``area p``.

    Examples
    --------
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(0.01, 0.01, 0.01))
    >>> guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="z")
    >>> law = fb.HydraulicCylinder(area=1e-3, volume=1e-4, flow=1e-4, start=19620.0)  # it carries 19.62 N
    >>> machine = fb.System([block], [guide], [fb.ForceElement("lift", fb.Along(guide), law)], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(machine, t_end=0.1, show_progress=False)
    >>> float(result.coordinate(guide)[-1].round(3))  # flow / area = 0.1 m/s
    0.01
    """

    area: float
    volume: float
    _: KW_ONLY
    flow: Input
    bulk_modulus: float = 1.4e9
    leakage: float = 0.0
    start: float | None = 0.0

    function: ClassVar = "cylinder"
    symbols: ClassVar = (Symbol("hydraulic"),)
    state: ClassVar = ("pressure", "Pa")
    input: ClassVar = "flow"
    settling: ClassVar = "Give it leakage=, without which each pressure stays or none does"

    def numbers(self) -> list[float]:
        """Return area, E/V and leakage."""
        return [self.area, self.bulk_modulus / self.volume, self.leakage]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = check_numbers(self, label, ("area", "volume", "bulk_modulus"), ("leakage",))
        if self.start is None and self.leakage == 0:
            found.append(
                f"{label}: without leakage the stationary pressure is not determined; give start= (Pa) or leakage="
            )
        return found + check_input(self, label) + check_start(self.start, 1, label)


@dataclass(frozen=True, eq=False)
class ElectricMotor(_OneState):
    """A direct-current motor.

    Parameters
    ----------
    constant : float
        Motor constant c: torque per current, which equals back-e.m.f. per angular velocity, Nm/A = Vs/rad.
    resistance : float
        Resistance R of the windings, ohm.
    inductance : float
        Inductance L of the windings, H.
    voltage : float, callable or Input
        Voltage, V: a number or a function of time (s).
    start : float or None, optional
        Current at t = 0, A. None means the stationary current. A run that starts from a state, a result or in
        equilibrium begins with the current of that state instead.

    Notes
    -----
    The state is the current i, with ``L di/dt = voltage - R i - c dx/dt``; the torque is ``c i``. These are Sol
    (3.5.7)-(3.5.8) with the signs that balance the energy. A positive current drives the coordinate of the joint (or
    the length of the line) in the positive direction.

    Examples
    --------
    >>> import flexbody as fb
    >>> rotor = fb.RigidBody("rotor", mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    >>> shaft = fb.Revolute("shaft", fb.GROUND, rotor, point=(0, 0, 0), axis="z")
    >>> law = fb.ElectricMotor(constant=0.1, resistance=1.0, inductance=1e-3, voltage=12.0)
    >>> machine = fb.System([rotor], [shaft], [fb.ForceElement("motor", fb.Along(shaft), law)], gravity=(0, 0, 0))
    >>> result = fb.simulate(machine, t_end=2.0, show_progress=False)
    >>> float(result.coordinate_rate(shaft)[-1].round(1))  # voltage / constant, rad/s
    120.0
    """

    constant: float
    resistance: float
    inductance: float
    _: KW_ONLY
    voltage: Input
    start: float | None = 0.0

    function: ClassVar = "motor"
    symbols: ClassVar = (Symbol("motor"),)
    place: ClassVar = "Along(joint)"
    state: ClassVar = ("current", "A")
    input: ClassVar = "voltage"

    def numbers(self) -> list[float]:
        """Return c, R and L."""
        return [self.constant, self.resistance, self.inductance]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = check_numbers(self, label, positive=("constant", "resistance", "inductance"))
        return found + check_input(self, label) + check_start(self.start, 1, label)


@dataclass(frozen=True, eq=False)
class PositionServo(_OneState):
    """A direct-current motor with an amplifier that controls its position, Sol (3.5.9).

    Parameters
    ----------
    constant : float
        Motor constant c: torque per current, Nm/A = Vs/rad.
    resistance : float
        Resistance of the windings, ohm.
    inductance : float
        Inductance of the windings, H.
    gain : float
        Voltage per position error, V/rad (V/m).
    target : float, callable or Input
        Desired position, rad (m): a number or a function of time (s).
    rate_gain : float, optional
        Voltage per velocity, Vs/rad (Vs/m).
    limit : float, optional
        Largest voltage, V; unlimited by default.
    start : float or None, optional
        Current at t = 0, A. None means the stationary current. A run that starts from a state, a result or in
        equilibrium begins with the current of that state instead.

    Notes
    -----
    The voltage is ``gain (target - x) - rate_gain dx/dt``, limited to ``-limit`` ... ``limit``. The motor equations are
    those of :class:`ElectricMotor`.

    Examples
    --------
    >>> import flexbody as fb
    >>> rotor = fb.RigidBody("rotor", mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    >>> shaft = fb.Revolute("shaft", fb.GROUND, rotor, point=(0, 0, 0), axis="z")
    >>> law = fb.PositionServo(0.1, 1.0, 1e-3, gain=50.0, target=0.5, rate_gain=2.0)
    >>> machine = fb.System([rotor], [shaft], [fb.ForceElement("servo", fb.Along(shaft), law)], gravity=(0, 0, 0))
    >>> result = fb.simulate(machine, t_end=1.0, show_progress=False)
    >>> float(result.coordinate(shaft)[-1].round(4))
    0.5
    """

    constant: float
    resistance: float
    inductance: float
    _: KW_ONLY
    gain: float
    target: Input
    rate_gain: float = 0.0
    limit: Annotated[float, Extended] = np.inf
    start: float | None = 0.0

    function: ClassVar = "servo"
    symbols: ClassVar = (Symbol("motor"),)
    place: ClassVar = "Along(joint)"
    state: ClassVar = ("current", "A")
    input: ClassVar = "target"

    @property
    def targets(self) -> tuple[tuple[str, float], ...]:
        """The desired position by its name, if it is a number."""
        target = self.target
        return () if callable(target) or not is_number(target) else (("target", float(target)),)

    def numbers(self) -> list[float]:
        """Return c, R, L, gain, rate gain and limit."""
        return [self.constant, self.resistance, self.inductance, self.gain, self.rate_gain, self.limit]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        names = ("constant", "resistance", "inductance", "gain")
        found = check_numbers(self, label, names, ("rate_gain",))
        if not (Extended.takes(self.limit) and self.limit > 0):
            found.append(f"{label}: limit is {self.limit!r}; it must be a voltage above zero")
        return found + check_input(self, label) + check_start(self.start, 1, label)

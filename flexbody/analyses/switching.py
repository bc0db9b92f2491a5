"""The machine of a run whose joints, drives and forces are switched: the part that is on, and states of both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fem.common.errors import InputError

from ..compile.plan import Plan, make_plan
from ..formulations import Formulation
from ..formulations.state import MachineState
from ..model.drives import Drive
from ..model.going_on import going_on
from ..model.system import System
from .stepper_inputs import StepperInputs


class BoardMemory(NamedTuple):
    """What a :class:`Switchboard` returns to; see its fields of these names."""

    part: Plan
    whole: Plan
    off: frozenset[str]
    held: dict[str, Drive]
    known: np.ndarray
    switched: dict[str, tuple[tuple[float, float], ...]]


class Switchboard:
    """The machine with everything, and what of it is on.

    Parameters
    ----------
    plan : Plan
        The compiled machine with everything.
    duration : float
        Duration of the run, s.
    description : Formulation or None
        How the equations of motion are written.
    off : collection of str
        Names of what is off.
    met : mapping of str to (float, float), optional
        Time, s, and coordinate from which drives go on at the start, by their names.
    inputs : StepperInputs, optional
        The inputs of a machine that is stepped, which set the rates of drives.

    Attributes
    ----------
    part : Plan
        The compiled machine of what is on.
    whole : Plan
        The compiled machine with everything, in which drives go on from where they were switched on.
    """

    def __init__(
        self,
        plan: Plan,
        duration: float,
        description: Formulation | None,
        off: Collection[str],
        met: Mapping[str, tuple[float, float]] | None = None,
        inputs: StepperInputs | None = None,
    ) -> None:
        self.plan, self._duration, self._description = plan, duration, description
        self.off, self._inputs = set(off), inputs
        self._held: dict[str, Drive] = {}  # drives that go on from where they were switched on
        self._known = np.array(plan.counted_coordinates, dtype=float)
        self._switched: dict[str, list[tuple[float, float]]] = {}  # when and where these were
        for name, (t, value) in (met or {}).items():
            self._go_on(name, t, value)
        self.part, self.whole = self._compiled(), self._with_held()
        self.steer()

    def recorded(self) -> Plan:
        """Return the compiled machine with everything; drives have the values that they had in the run."""
        held = self.switched_drives()
        if not held:
            return self.plan
        return make_plan(machine_part(self.plan.system, (), held), self._duration, self._description)

    def switched_drives(self) -> dict[str, Drive]:
        """Return the drives that were switched on and went on from their coordinates, by name."""
        drives = {joint.name: joint for joint in self.plan.system.joints if isinstance(joint, Drive)}
        return {name: going_on(drives[name], switched) for name, switched in self._switched.items()}

    @property
    def switched(self) -> dict[str, tuple[tuple[float, float], ...]]:
        """When (s) and where drives went on that were switched on, by their names."""
        return {name: tuple(times) for name, times in self._switched.items()}

    @property
    def memory(self) -> BoardMemory:
        """What the board returns to."""
        return BoardMemory(
            self.part, self.whole, frozenset(self.off), dict(self._held), self._known, self.switched
        )

    @memory.setter
    def memory(self, kept: BoardMemory) -> None:
        self.part, self.whole = kept.part, kept.whole
        self.off, self._held = set(kept.off), dict(kept.held)
        self._known = kept.known
        self._switched = {name: list(times) for name, times in kept.switched.items()}

    def switch(
        self, on: Collection[str], off: Collection[str], state: MachineState, values: dict[str, float]
    ) -> None:
        """Switch joints, drives and forces; drives go on from ``values``, the coordinates of their joints by name."""
        for name in set(on) & self.off & values.keys():
            self._go_on(name, state.t, float(values[name]))
        self.off = (self.off - set(on)) | set(off)
        self.part, self.whole = self._compiled(), self._with_held()
        self.steer()

    def _go_on(self, name: str, t: float, value: float) -> None:
        """Let a drive go on from a value at ``t``, s, unless a function of time gives its motion."""
        if self._inputs is not None and name in self._inputs.motions:
            self._inputs.begin_at(t, {name: value})
            return
        drive = next(joint for joint in self.plan.system.joints if joint.name == name)
        if isinstance(drive, Drive) and not callable(drive.value):
            before = self._switched.setdefault(name, [(0.0, drive.start())])
            before.append((t, value))
            self._held[name] = going_on(drive, before[-1:])

    def _with_held(self) -> Plan:
        """Return the compiled machine with everything, in which drives go on from where they were switched on."""
        if not self._held:
            return self.plan
        return make_plan(machine_part(self.plan.system, (), self._held), self._duration, self._description)

    def _compiled(self) -> Plan:
        whole = self.plan
        if hasattr(self, "part"):
            whole.share(self.part)
        if not self.off and not self._held:
            return whole
        part = make_plan(machine_part(whole.system, self.off, self._held), self._duration, self._description)
        part.share(whole)
        return part

    def steer(self) -> None:
        """Pass the present rates of drives that are inputs to the machine."""
        if self._inputs is not None:
            for plan in (self.part, self.whole):
                self._inputs.drive(plan)

    def of_part(self, s: MachineState) -> MachineState:
        """Return a state of the whole machine as one of the part that is on; new law states are NaN."""
        return self.mapped_to(self.part, s)

    def rows_of(self, part: Plan) -> np.ndarray | slice:
        """Return the force elements of a part of the machine among those of the whole one, (m,)."""
        if part is self.plan:
            return slice(None)
        names = {element.name: e for e, element in enumerate(self.plan.elements.elements)}
        return np.array([names[element.name] for element in part.elements.elements], dtype=np.int64)

    def mapped_to(self, part: Plan, s: MachineState) -> MachineState:
        """Return a state of the whole machine as one of a part of it."""
        if part is self.plan:
            return s
        return _mapped(self.plan, part, s, np.full(part.elements.n_states, np.nan), part.counted_coordinates)

    def of_whole(self, s: MachineState) -> MachineState:
        """Return a state of the part that is on as one of the whole machine; reactions of what is off are zero."""
        if self.part is self.plan:
            return s
        found = _mapped(self.part, self.plan, s, np.zeros(self.plan.elements.n_states), self._known)
        self._known = found.counted_coordinates
        return found


def machine_part(machine: System, off: Collection[str], held: dict[str, Drive] | None = None) -> System:
    """Return the machine without what is off.

    Raises
    ------
    fem.InputError
        What is on needs what is off.
    """
    joints = [(held or {}).get(joint.name, joint) for joint in machine.joints if joint.name not in off]
    forces = [force for force in machine.forces if force.name not in off]
    try:
        return replace(machine, joints=joints, forces=forces)
    except InputError as error:
        raise InputError(
            f"with {', '.join(sorted(off))} switched off: {error}. Switch what acts on a joint off together with it"
        ) from None


def _mapped(
    source: Plan, target: Plan, s: MachineState, law_states: np.ndarray, counted: np.ndarray
) -> MachineState:
    """Return a state of one plan as one of another plan with the same bodies; what is new has the values given."""
    multipliers = np.zeros(target.n_rows)
    for name, rows in target.rows.items():
        if name in source.rows:
            multipliers[rows] = s.multipliers[source.rows[name]]
    z, angles = law_states.copy(), counted.copy()
    at = {element.name: source.elements.states(e) for e, element in enumerate(source.elements.elements)}
    for e, element in enumerate(target.elements.elements):
        if element.name in at:
            z[target.elements.states(e)] = s.law_states[at[element.name]]
    known = dict(zip(source.coordinates, s.counted_coordinates, strict=True))
    for k, key in enumerate(target.coordinates):
        angles[k] = known.get(key, angles[k])
    return replace(s, multipliers=multipliers, law_states=z, counted_coordinates=angles)


def driven_values(machine: System, names: Collection[str], coordinate) -> dict[str, float]:
    """Return the coordinates of the drives among ``names``; ``coordinate(joint, which)`` reads one."""
    return {
        joint.name: float(coordinate(joint.joint.name, joint.coordinate))
        for joint in machine.joints
        if isinstance(joint, Drive) and joint.name in names
    }

"""The events of contacts: where their gaps pass through zero, a run begins anew."""

from __future__ import annotations

from ..core.kinds import PER_POINT
from ..equations.state import move_state
from ..model.events import Event, Onset
from ..model.forces.contact import Contact
from ..model.system import System
from .state_of_run import StateOfRun


class _Gap:
    """The gap at a point of a contact as a function of the state."""

    def __init__(self, name: str, point: int) -> None:
        self.name, self.point = name, point

    def __call__(self, state: StateOfRun) -> float:
        plan = state.plan
        stages = state.stages
        if "gaps" not in stages:
            stages["gaps"] = plan.work()
        move_state(plan, stages["gaps"], state.numbers)
        number = [element.name for element in plan.elements.elements].index(self.name)
        at = plan.elements.deformations(number).start + PER_POINT * self.point
        return float(stages["gaps"].deformation[at])


def contact_events(machine: System) -> list[Event]:
    """Return an event for each point of the contacts of a machine that ask for it."""
    found = []
    for element in machine.elements:
        if not isinstance(element, Contact) or not element.events:
            continue
        points = element.geometry.n_points
        for k in range(points):
            name = element.name if points == 1 else f"{element.name} {k + 1}"
            found.append(Event(name, _Gap(element.name, k), then=Onset()))
    return found

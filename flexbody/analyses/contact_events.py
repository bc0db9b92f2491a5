"""The events of contacts: where their gaps pass through zero, a run begins anew."""

from __future__ import annotations

from ..core.kinds import PER_POINT
from ..equations.state import move_state
from ..model.events import Event, Onset
from ..model.forces.contact import Contact
from ..model.forces.tooth_contact import ToothContact
from ..model.system import System
from .state_of_run import StateOfRun


class _Gap:
    """A gap of a contact, one of its deformations, as a function of the state."""

    def __init__(self, name: str, deformation: int) -> None:
        self.name, self.deformation = name, deformation

    def __call__(self, state: StateOfRun) -> float:
        plan = state.plan
        stages = state.stages
        if "gaps" not in stages:
            stages["gaps"] = plan.work()
        move_state(plan, stages["gaps"], state.numbers)
        number = [element.name for element in plan.elements.elements].index(self.name)
        at = plan.elements.deformations(number).start + self.deformation
        return float(stages["gaps"].deformation[at])


def contact_events(machine: System) -> list[Event]:
    """Return an event for each gap of the contacts of a machine that ask for it."""
    found = []
    for element in machine.elements:
        if not isinstance(element, Contact | ToothContact) or not element.events:
            continue
        gaps = range(0, element.count, PER_POINT if isinstance(element, Contact) else 1)
        for k, deformation in enumerate(gaps):
            name = element.name if len(gaps) == 1 else f"{element.name} {k + 1}"
            found.append(Event(name, _Gap(element.name, deformation), then=Onset()))
    return found

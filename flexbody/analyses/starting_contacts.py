"""Contacts and stops at the start of a run: those that throw bodies apart, and those too stiff to be resolved."""

from __future__ import annotations

import numpy as np

from fem.common.errors import InputError, warn

from ..compile.plan import Plan
from ..formulations.state import MachineState
from ..model.forces.contact import ContactElement
from ..model.forces.limit import Limit
from ..model.sides import Body
from ..results.force_elements import histories
from .state_of_run import StateOfRun

#: an overlap below this part of the smallest shape is an indentation that is meant
LARGEST_INDENTATION = 0.01
#: a stop that is passed by less than this part of its range, or of the machine's length or a radian, is preloaded
LARGEST_PRELOAD = 0.05
#: gravity that an overlap is compared with where a machine has none, m/s^2
LEAST_GRAVITY = 9.81
#: a penetration below this part of the way that a body moves is refused: there a default run of a bouncing ball loses
#: 2e-4 of its energy, at a tenth of it up to 0.6 %, and at a hundredth the ball may fall through the floor
RESOLVED_PART = 1e-7


def check_stiffness(plan: Plan, drawn: MachineState) -> None:
    """Raise InputError for contacts that the energies of the machine press in by less than steps can resolve.

    The energies are the kinetic one as drawn, and that of a fall by the machine's length. The way is this length, or
    less where the run is too short for it.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    drawn : MachineState
        The drawn state.
    """
    if not (contacts := _contacts(plan)):
        return
    energies, length = np.empty(3), float(plan.layout.length)
    plan.formulation.observe(plan.layout, plan.work(), drawn, energies)
    fall = float(np.linalg.norm(plan.system.gravity)) * length
    for contact in contacts:
        masses = [side.body.mass for side in contact.touched_sides if isinstance(side.body, Body)]
        mass = max(masses, default=0.0)
        energy = energies[0] + mass * fall
        way = min(length, plan.t_end * np.sqrt(2.0 * energy / mass)) if mass > 0.0 else length
        least, depth = RESOLVED_PART * way, contact.overlap(energy)
        if energy > 0.0 and depth < least:
            n = float(contact.exponent)
            most = contact.stiffness * (depth / least) ** (n + 1)
            raise InputError(
                f"{contact.label}: stiffness is {contact.stiffness:g}, and the energies of this machine, "
                f"{energy:.3g} J, press its shapes into each other by {depth:.1e} m only. Steps can't resolve less "
                f"than 1e-7 of the way of a body, {way:.3g} m. Give at most stiffness={most:.1e}, or fb.Rolling "
                "or a joint for what stays in touch"
            )


def warn_of_overlap(plan: Plan, drawn: MachineState) -> None:
    """Warn of contacts whose overlap throws their bodies farther apart than a fall by their own size.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    drawn : MachineState
        The drawn state.
    """
    if not (contacts := _contacts(plan)):
        return
    found = histories(StateOfRun(plan, drawn).instant)
    gravity = max(float(np.linalg.norm(plan.system.gravity)), LEAST_GRAVITY)
    for contact in contacts:
        energy = float(found[contact.name].stored[0])
        sizes = [size for shape in contact.shapes for size in shape.sizes if size > 0.0]
        masses = [
            side.body.mass
            for side in contact.touched_sides
            if isinstance(side.body, Body) and not side.massless
        ]
        if not sizes or not masses:
            continue
        size, mass, overlap = min(sizes), min(masses), contact.overlap(energy)
        speed = np.sqrt(2 * energy / mass)
        if overlap > LARGEST_INDENTATION * size and speed > np.sqrt(2 * gravity * size):
            warn(
                f"{contact.label}: its shapes are drawn up to {overlap:.3g} m inside each other, and the smallest of "
                f"them is {size:.3g} m. The {energy:.3g} J that the contact stores there throw the bodies apart, one "
                f"of {mass:.3g} kg at up to {speed:.3g} m/s. Draw them apart, or give fb.Equilibrium() as the start"
            )


def warn_of_passed_limits(plan: Plan) -> None:
    """Warn of stops whose range leaves out the drawn position.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    """
    for stop in plan.system.elements:
        if not isinstance(stop, Limit) or stop.which == "gap":  # a gap is not relative to the drawn position
            continue
        depth, unit = max(stop.lower, -stop.upper), "rad" if stop.is_angle else "m"
        size = min(stop.upper - stop.lower, 1.0 if stop.is_angle else float(plan.layout.length))
        if depth > LARGEST_PRELOAD * size:
            force = f"{stop.stiffness * depth**stop.exponent:.3g} {'N m' if stop.is_angle else 'N'}"
            warn(
                f"{stop.label}: its range is {stop.lower:g} .. {stop.upper:g} {unit}, and the drawn position, which is "
                f"0, lies outside: the run begins with {force} of the stop. Ends of the range are relative to the "
                "drawn position; correct them, or draw the machine inside the range"
            )


def _contacts(plan: Plan) -> list[ContactElement]:
    return [element for element in plan.system.elements if isinstance(element, ContactElement)]

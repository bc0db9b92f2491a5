"""The histories of the force elements in a run."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match

from ..core.kinds import (
    CONTACT,
    ELEMENT_DISSIPATED,
    ELEMENT_INPUT,
    ELEMENT_STORED,
    HISTORY_DEFORMATION,
    HISTORY_FORCE,
    HISTORY_RATE,
    REACTION_FRICTION,
    SLIP,
    SLIP_FORCES,
)
from ..model.forces import Force
from ..model.forces.tooth_contact import ToothContact
from .contacts import ContactValues, contact_values
from .contacts_history import contacts_history
from .controllers import controller_histories
from .element_history import COMPONENTS as COMPONENTS
from .element_history import ElementHistory
from .occurrences import is_on
from .peaks import with_peaks
from .record import Record, computed_once, observed_forces, pressed_frames


@dataclass(frozen=True, eq=False, repr=False)
class ContactHistory(ElementHistory):
    """The history of a contact; SI units.

    Attributes
    ----------
    force : numpy.ndarray
        Normal force, positive where the bodies press on each other, the sum over all points of contact, (nt,), N.
    friction : numpy.ndarray
        Size of the friction force, (nt,), N.
    gap, rate : numpy.ndarray
        Gap between the shapes, negative where they overlap, (nt,), m, and its rate, m/s; of several points the nearest.
        ``deformation`` is the gap, too.
    point : numpy.ndarray
        Where the contact presses, (nt, 3), m; the nearest point where nothing touches.

    Notes
    -----
    All else is as in :class:`ElementHistory`: ``second[:, :3]`` is the whole force on the second body.

    Examples
    --------
    >>> import flexbody as fb
    >>> ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 0.2))
    >>> floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e7)
    >>> result = fb.simulate(fb.System([ball], forces=[floor], gravity=(0, 0, -9.81)), 0.1, show_progress=False)
    >>> result.element("floor").gap[:1]
    array([0.1])
    """

    friction: np.ndarray = field(default_factory=lambda: np.zeros(0))
    point: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def gap(self) -> np.ndarray:
        """Gap between the shapes, (nt,), m."""
        return self.deformation

    @property
    def units(self) -> dict[str, str]:
        """Units by name: also of the friction and the gap."""
        return super().units | {"friction": "N", "gap": "m"}


@dataclass(frozen=True, eq=False, repr=False)
class SlipHistory(ElementHistory):
    """The history of a contact that rolls with slip; SI units.

    Attributes
    ----------
    normal : numpy.ndarray
        Normal force, (nt,), N; zero where the contact pulls.
    along, across : numpy.ndarray
        Forces against the slip along the direction of rolling and across it, (nt,), N; ``force`` is their resultant.
    moment : numpy.ndarray
        Moment about the normal against the spin, (nt,), Nm.
    slip_along, slip_across : numpy.ndarray
        Velocity of the second surface over the first in both directions, (nt,), m/s; ``rate`` is their resultant.
    spin : numpy.ndarray
        Angular velocity of the second body over the first about the normal, (nt,), rad/s.
    speed : numpy.ndarray
        Speed of rolling, (nt,), m/s: the mean speed of both surfaces against the middle of the wheel.

    Notes
    -----
    All else is as in :class:`ElementHistory`: ``second[:, :3]`` is the force against slip on the second body.

    Examples
    --------
    >>> import flexbody as fb
    >>> ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 0.1), velocity=(1, 0, 0))
    >>> lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), slip=fb.Coulomb(mu=0.2))
    >>> result = fb.simulate(fb.System([ball], [lane], gravity=(0, 0, -9.81)), 0.01, show_progress=False)
    >>> result.element("lane").force[:1].round(3)
    array([1.962])
    """

    normal: np.ndarray = field(default_factory=lambda: np.zeros(0))
    along: np.ndarray = field(default_factory=lambda: np.zeros(0))
    across: np.ndarray = field(default_factory=lambda: np.zeros(0))
    moment: np.ndarray = field(default_factory=lambda: np.zeros(0))
    slip_along: np.ndarray = field(default_factory=lambda: np.zeros(0))
    slip_across: np.ndarray = field(default_factory=lambda: np.zeros(0))
    spin: np.ndarray = field(default_factory=lambda: np.zeros(0))
    speed: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def units(self) -> dict[str, str]:
        """Units by name: also of the normal force, of both directions and of the spin."""
        forces = {"normal": "N", "along": "N", "across": "N", "moment": "N m"}
        return (
            super().units
            | forces
            | {"slip_along": "m/s", "slip_across": "m/s", "spin": "rad/s", "speed": "m/s"}
        )


def element(record: Record, which: Force | str) -> ElementHistory:
    """Return the history of a spring or force element, by object or name.

    Raises
    ------
    fem.InputError
        The machine has no such element.
    """
    numbers = {one.name: e for e, one in enumerate(record.plan.elements.elements)}
    name = which if isinstance(which, str) else getattr(which, "name", None)
    if name not in numbers:
        asked = called(which) if name is None else with_match(name, numbers)
        raise InputError(f"this system has no spring or force element {asked}; it has {listing(numbers)}")
    return _of_number(record, numbers[name])


def histories(record: Record) -> dict[str, ElementHistory]:
    """Return the histories of all springs and force elements of a run by name."""
    return {one.name: _of_number(record, e) for e, one in enumerate(record.plan.elements.elements)}


@computed_once
def _kept(record: Record) -> dict[int, ElementHistory]:
    """Return the histories that were asked for, by the number of the element: an event asks for one in each step."""
    return {}


def _of_number(record: Record, e: int) -> ElementHistory:
    """Return the history of element ``e``."""
    kept = _kept(record)
    if e not in kept:
        element = record.plan.elements.elements[e]
        found = with_peaks(_of_element(record, e), record.peaks)
        kept[e] = controller_histories(record, {element.name: found}).get(element.name, found)
    return kept[e]


def _of_element(record: Record, e: int) -> ElementHistory:
    """Return the history of element ``e`` without its peaks."""
    plan, nt = record.plan, len(record.t)
    L, element, law = plan.layout, plan.elements.elements[e], plan.elements.laws[e]
    part = plan.elements.deformations(e)
    observed, directions, powers, normal, pressed, _ = observed_forces(record)
    x, g, power = observed[:, :, part].copy(), directions[:, part].copy(), powers[:, e].copy()
    angle = element.is_angle
    z, names = record.law_states[:, plan.elements.states(e)], tuple(law.state_names(angle))
    if (k := L.element[e, REACTION_FRICTION]) >= 0:
        z, names = normal[:, [k]], (("normal", "N m" if angle else "N"),)
    off = ~is_on(element.name, nt, record.events, record.switched_off)
    x[off, HISTORY_FORCE] = 0.0
    power[off] = 0.0
    out = _history(x, g, power, z, record.t, element.name, angle, names)
    if element.kind == SLIP:
        out = _slip(out)
    if isinstance(element, ToothContact):
        out = _between_flanks(out)
    if element.kind == CONTACT:
        out = _contact(out, contact_values(record, element, x, g))
    groups = pressed_frames(L)
    if (count := len(groups.get(e, ()))) > 0:
        at = sum(len(group) for other, group in groups.items() if other < e)
        loads = pressed[:, at : at + count].copy()
        loads[off, :, :6] = 0.0
        if element.count > 0:  # their loads follow from the forces along the deformations
            loads[..., :6] = np.stack([out.first, out.second], axis=1)
        out = contacts_history(out, element, loads)
    return out


def _history(x, g, power, z: np.ndarray, *about) -> ElementHistory:
    deformation, rate, force = (x[:, row] for row in (HISTORY_DEFORMATION, HISTORY_RATE, HISTORY_FORCE))
    # loads on the bodies: against the growth of the deformations
    loads = -np.einsum("tk,tksl->tsl", force, g)
    if force.shape[1] == 1:
        force, deformation, rate = force[:, 0], deformation[:, 0], rate[:, 0]
    first, second = loads[:, :2].reshape(-1, 6), loads[:, 2:].reshape(-1, 6)
    powers = (power[:, ELEMENT_STORED], power[:, ELEMENT_DISSIPATED], power[:, ELEMENT_INPUT])
    return ElementHistory(force, deformation, rate, z, *powers, first, second, *about)


def _slip(history: ElementHistory) -> SlipHistory:
    """Return the history of a contact that rolls, from that of its four rates."""
    own = {part.name: getattr(history, part.name) for part in fields(history)}
    forces, rates = history.force.T, history.rate.T
    own |= {
        "force": np.hypot(*forces[:2]),
        "rate": np.hypot(*rates[:2]),
        "deformation": np.zeros(len(history.t)),
    }
    own |= {"state": history.state[:, :0], "states": ()}
    names = ("along", "across", "moment", "slip_along", "slip_across", "spin", "speed")
    values = (*forces[:SLIP_FORCES], *rates)
    return SlipHistory(**own, normal=history.state[:, 0], **dict(zip(names, values, strict=True)))


def _contact(history: ElementHistory, found: ContactValues) -> ContactHistory:
    """Return the history of a contact, from that of its deformations."""
    own = {part.name: getattr(history, part.name) for part in fields(history)}
    own |= {"force": found.normal, "deformation": found.gap, "rate": found.rate}
    return ContactHistory(**own, friction=found.friction, point=found.point)


def _between_flanks(history: ElementHistory) -> ElementHistory:
    """Return the history of teeth with backlash, from that of the gaps of both flanks: force and way from the middle.

    The gap of the first flank shrinks where the first wheel drives in the positive sense.
    """
    first, second = history.deformation.T
    force = history.force[:, 1] - history.force[:, 0]
    rate = 0.5 * (history.rate[:, 1] - history.rate[:, 0])
    return replace(history, force=force, deformation=0.5 * (second - first), rate=rate)

"""A machine: bodies, joints, forces and gravity, checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments, problems_of
from fem.common.errors import InputError, called, listing, warn, with_article
from fem.common.names import with_match
from fem.common.numbers import is_number, vector
from fem.common.signatures import Described

from .drives import Drive
from .flexible_body import FlexibleBody
from .forces import Element, Force, ForceLaw, Load
from .input_fields import input_problems
from .joints import Connection, Interaction, Joint
from .massless_body import MasslessBody
from .sides import Body, Ground, Side

__all__ = ["Connection", "Force", "System", "check_system", "measured", "refuse_forces"]

Item = TypeVar("Item", Body, Connection)

#: Gravity above this, a hundred times that of the earth, gives a warning (m/s^2); so does that of the earth in units
#: other than m/s^2.
LARGEST_GRAVITY = 981.0
GRAVITY_IN = {"mm/s^2": 9806.65, "in/s^2": 386.089, "ft/s^2": 32.174}

#: The lists of a system: the types of their entries, and the names of these types in messages.
LISTS: dict[str, tuple[Any, str]] = {
    "bodies": (Body, "RigidBody or FlexibleBody"),
    "joints": (Connection, "joint, drive, coupling or constraint"),
    "forces": (Force, "force"),
}


def check_system(system: Any, verb: str) -> None:
    """Raise :class:`fem.InputError` if the argument of the function ``verb`` is not a System."""
    if not isinstance(system, System):
        raise InputError(
            f"{verb} needs a System, but its argument is {called(system)}; write fb.System(bodies=[...], "
            "joints=[...], forces=[...])"
        )


def refuse_forces(system: System, verb: str) -> None:
    """Raise :class:`fem.InputError` if the analysis ``verb`` can't take some forces of a system."""
    if found := [text for force in system.forces if (text := force.obstacle(verb))]:
        raise InputError("; ".join(found))


def measured(system: System, joint: Connection | str, which: str | None) -> tuple[Joint, str]:
    """Return a joint and the name of one of its coordinates.

    Parameters
    ----------
    system : System
        The system.
    joint : Connection or str
        A joint or its name; a drive stands for the coordinate that it drives.
    which : str or None
        Name of the coordinate; None stands for the first one.

    Raises
    ------
    fem.InputError
        If there is no such coordinate.
    """
    found, host = system.joint(joint), system.host_of(joint)
    names = found.measures()
    if host is None or not names:
        raise InputError(f"{(host or found).label} has no joint coordinate; name a joint that has one")
    which = names[0] if which is None else which
    if not isinstance(which, str) or which not in host.coordinates:
        raise InputError(
            f"{host.label} has no coordinate {with_match(which, host.coordinates)}; it has {listing(host.coordinates)}"
        )
    return host, which


def _misplaced(what: str, item: Any) -> str:
    """Return a sentence about an entry of the wrong type or name in a list of a system; "" if it is right."""
    if isinstance(item, Ground):
        return f"{what}= contains GROUND, which every system has; leave it out"
    kind, words = LISTS[what]
    if not isinstance(item, kind):
        right = next((other for other, (kind, _) in LISTS.items() if isinstance(item, kind)), None)
        if right is not None:
            return f"{what}= contains {called(item)}, which belongs in {right}="
        if isinstance(item, ForceLaw):
            return f"{what}= contains {called(item)}, a law; use it in ForceElement(name, {item.place}, law)"
        if isinstance(item, type):
            return f"{what}= contains the class {item.__name__}; create an object of it: {item.__name__}('name', ...)"
        if isinstance(item, (tuple, list)) and item and all(isinstance(part, kind) for part in item):
            return f"{what}= contains a {type(item).__name__} with {called(item[0])}; unpack it: {what}=[..., *these]"
        return f"{what}= contains {called(item)}, which is not a {words}"
    if not (isinstance(item.name, str) and item.name.strip()):
        kind = with_article(type(item).__name__)
        return f"{what}= contains {kind} whose name is {called(item.name)}; give a string that is not empty"
    return ""


def _massless_among(items: Iterable[Interaction]) -> list[MasslessBody]:
    """Return the sides of joints and forces that are massless bodies."""
    return [side for item in items for side in item.sides() if isinstance(side, MasslessBody)]


def _named(items: Sequence[Item], which: object, kind: str) -> Item:
    """Return the item with the name that is given, or with the name of an object; raise InputError without one."""
    name = which if isinstance(which, str) else getattr(which, "name", None)
    for item in items:
        if item.name == name:
            return item
    names = [item.name for item in items]
    asked = with_match(name, names) if name is not None else called(which)
    raise InputError(f"this system has no {kind} {asked}; it has {listing(names)}")


def _not_among(what: str, names: Collection[str]) -> str:
    if not names:
        return f"and the system has no {what}"
    return f"which is not among the system's {what} {listing(names)}"


def gravity_doubt(gravity: np.ndarray) -> str:
    """Return what is odd about the size of gravity (3,), m/s^2; "" below :data:`LARGEST_GRAVITY`, but for ft and in."""
    size = float(np.linalg.norm(gravity))
    unit = next((u for u, g in GRAVITY_IN.items() if abs(size / g - 1.0) < 2e-3), None)
    if unit is None and not size > LARGEST_GRAVITY:
        return ""
    given = f"gravity = ({', '.join(f'{x:g}' for x in gravity)}) m/s^2"
    if unit is None:
        return f"{given} is {size / 9.81:.3g} times that of the earth; all input is in SI: m, kg, s, N"
    true = ", ".join(f"{x:.4g}" for x in gravity * (9.80665 / GRAVITY_IN[unit]) + 0.0)
    return f"{given} looks like {unit}; give gravity=({true}). All input is in SI: m, kg, s, N"


@dataclass(frozen=True, eq=False, repr=False)
class System(Described):
    """A machine in its drawn configuration.

    Parameters
    ----------
    bodies : sequence of RigidBody or FlexibleBody
        The bodies. GROUND is not listed.
    joints : sequence, optional
        Joints, drives, couplings, gears, racks and constraints.
    forces : sequence, optional
        Loads, springs, force elements, friction and limits.
    gravity : array_like, optional
        Gravitational acceleration, (3,), m/s^2, inertial components.

    Raises
    ------
    fem.InputError
        If the system can't be built; the message lists all problems.

    Notes
    -----
    A system is a frozen value. All parts are identified by their names: if a body is replaced by another body with the
    same name (``dataclasses.replace``), all joints and forces use the new body.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> pendulum.body("bar").mass
    1.0
    """

    bodies: Sequence[Body]
    joints: Sequence[Connection] = ()
    forces: Sequence[Force] = ()
    _: KW_ONLY
    gravity: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for what in ("bodies", "joints", "forces"):
            items = getattr(self, what)
            if hasattr(items, "name"):
                raise InputError(
                    f"{what}= is {items.name!r}, not a list; give a list: {what}=[{items.name}, ...]"
                )
            try:
                object.__setattr__(self, what, tuple(items))
            except TypeError:
                raise InputError(
                    f"{what}= is {called(items)}, not a list; give a list: {what}=[...]"
                ) from None
        found = self._problems()
        if found:
            raise InputError("this system can't be built:\n  - " + "\n  - ".join(found))
        object.__setattr__(self, "bodies", (*self.bodies, *self._held_massless(self.joints)))
        self._put_references()
        if doubt := gravity_doubt(vector(self.gravity, "gravity")):
            warn(doubt)

    def _put_references(self) -> None:
        """Give each massless body without a centre its place in the middle of the joints that hold it."""
        if not any(isinstance(body, MasslessBody) and body.placeless for body in self.bodies):
            return
        known = self._named_bodies
        frames = [frame for joint in self.joints for frame in joint.frames(known)]

        def placed(body: Body) -> Body:
            places = [frame.drawn(known) for frame in frames if frame.body == body.name]
            if isinstance(body, MasslessBody) and body.placeless and places:
                return body.about(np.mean(places, axis=0))
            return body

        object.__setattr__(self, "bodies", tuple(placed(body) for body in self.bodies))
        self.__dict__.pop("_named_bodies", None)

    def __repr__(self) -> str:
        """Return one line with the numbers of parts."""
        bodies = "1 body" if len(self.bodies) == 1 else f"{len(self.bodies)} bodies"
        modes = f" with {self.n_modes} modal coordinates" if self.n_modes else ""
        forces = "1 force" if len(self.forces) == 1 else f"{len(self.forces)} forces"
        joints = "1 joint" if len(self.joints) == 1 else f"{len(self.joints)} joints and drives"
        return f"<System: {bodies}{modes}, {joints}, {forces}>"

    @check_arguments(own=("which",))
    def body(self, which: Side | str) -> Body:
        """Return a body of this system.

        Parameters
        ----------
        which : str or body
            Name of the body, or an object with that name.

        Returns
        -------
        RigidBody or FlexibleBody
            The body.

        Raises
        ------
        fem.InputError
            If the system has no body with that name.
        """
        return _named(self.bodies, which, "body")

    @check_arguments(own=("which",))
    def joint(self, which: Connection | str) -> Connection:
        """Return a joint, drive, coupling or constraint of this system.

        Parameters
        ----------
        which : str or joint
            Name of the joint, or an object with that name.

        Returns
        -------
        Joint, Drive, Coupler, Gear, Rack or Constraint
            The joint.

        Raises
        ------
        fem.InputError
            If the system has no joint with that name.
        """
        name = which if isinstance(which, str) else getattr(which, "name", None)
        force = next((force for force in self.forces if isinstance(name, str) and force.name == name), None)
        if force is not None and all(joint.name != name for joint in self.joints):
            raise InputError(
                f"{force.label} is not a joint, and has no reaction or coordinate; {force.where_it_is_read}"
            )
        return _named(self.joints, which, "joint")

    @check_arguments(own=("which",))
    def host_of(self, which: Connection | str) -> Joint | None:
        """Return the joint of this system at which an entry acts: the joint itself, or the joint of a drive.

        Parameters
        ----------
        which : str or joint
            Name of the joint or drive, or an object with that name.

        Returns
        -------
        Joint or None
            The joint; None for couplings and constraints.

        Raises
        ------
        fem.InputError
            If the system has no joint with that name.
        """
        found = self.joint(which)
        return found.host if found.host in (None, found) else self.joint(found.host).host

    @property
    def flexible_bodies(self) -> tuple[FlexibleBody, ...]:
        """The flexible bodies, in their order."""
        return tuple(body for body in self.bodies if isinstance(body, FlexibleBody))

    @property
    def proper_joints(self) -> tuple[Joint, ...]:
        """The joints, without drives, couplings and constraints, in their order."""
        return tuple(item for item in self.joints if isinstance(item, Joint))

    @property
    def hinge_joints(self) -> tuple[Any, ...]:
        """The joints and users' own joints, which can be hinges of a tree, in their order."""
        return tuple(item for item in self.joints if item.hinge_coordinates is not None)

    @property
    def drives(self) -> tuple[Drive, ...]:
        """The drives, in their order."""
        return tuple(item for item in self.joints if isinstance(item, Drive))

    @property
    def loads(self) -> tuple[Load, ...]:
        """The loads among the forces, in their order."""
        return tuple(force for force in self.forces if isinstance(force, Load))

    @property
    def elements(self) -> tuple[Element, ...]:
        """The springs, friction, stops and other force elements among the forces, in their order."""
        return tuple(force for force in self.forces if isinstance(force, Element))

    def _held_massless(self, joints: Iterable[Connection]) -> list[MasslessBody]:
        """Return the massless bodies that joints hold and that are not among the bodies, each once."""
        listed = {body.name for body in self.bodies}
        return list({side.name: side for side in _massless_among(joints) if side.name not in listed}.values())

    @property
    def massless_bodies(self) -> tuple[MasslessBody, ...]:
        """The massless bodies that springs alone hold, each once, in the order of the springs."""
        found = {side.name: side for side in _massless_among(self.elements)}
        return tuple(side for name, side in found.items() if name not in self._named_bodies)

    def bodies_by_name(self) -> dict[str, Body]:
        """Return the bodies of this system by name.

        Returns
        -------
        dict of str to body
            The bodies by name.
        """
        return dict(self._named_bodies)

    @cached_property
    def _named_bodies(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    @cached_property
    def _named_joints(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.proper_joints}

    def _problems(self) -> list[str]:
        found = [said for what in LISTS for item in getattr(self, what) if (said := _misplaced(what, item))]
        if found:
            return found
        if all(body.massless for body in self.bodies):
            found.append(f"it has no bodies{' with mass' if self.bodies else ''}; give bodies=[...]")
        wrong = [problem for body in self.bodies for problem in problems_of(body, f"body '{body.name}'")]
        found += wrong
        connections = (*self.joints, *self.forces)
        for kind, items in (("bodies", self.bodies), ("joints, drives or forces", connections)):
            double = [name for name, count in Counter(i.name for i in items).items() if count > 1]
            if double:
                found.append(
                    f"several {kind} have the name {listing(double)}; give each of them its own name"
                )
        if "ground" in {body.name for body in self.bodies}:
            found.append("a body has the name 'ground', which is the name of the inertial body; rename it")
        own = [input_problems(item) or problems_of(item, item.label) for item in connections]
        found += [problem for problems in own for problem in problems]
        sound = [item for item, problems in zip(connections, own, strict=True) if not problems]
        held = self._held_massless(item for item in sound if isinstance(item, Connection))
        bodies = {body.name: body for body in (*self.bodies, *held)}
        wrong += (named := self._massless_problems(sound, bodies))
        found += named
        for item in sound:
            found += self._strangers(item, bodies) or ([] if wrong else self._frame_problems(item, bodies))
        forces = {force.name: force for force in self.forces}
        found += [] if found else [text for force in self.forces for text in force.force_problems(forces)]
        found += [] if found else self._held_twice()
        try:
            vector(self.gravity, "gravity")
        except InputError as error:
            found.append(
                f"{error}" + "; give its components, such as (0, 0, -9.81)" * is_number(self.gravity)
            )
        return found

    def _massless_problems(self, items: Iterable[Interaction], bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the massless bodies that joints and springs name as sentences."""
        items = list(items)
        held = {side.name for side in _massless_among(item for item in items if isinstance(item, Connection))}
        known: dict[str, MasslessBody] = {}
        found = []
        for side in _massless_among(items):
            other = known.setdefault(side.name, side)
            body = bodies.get(side.name, side)
            # (a body of that name takes the place of one that joints hold, as of any other)
            if not isinstance(body, MasslessBody) and side.name not in held:
                found.append(f"a body and a massless body have the name {side.name!r}; rename one of them")
            elif not np.array_equal(np.asarray(other.center), np.asarray(side.center)):
                found.append(
                    f"two massless bodies have the name {side.name!r}, with the centres {other.center} and "
                    f"{side.center}; rename one of them"
                )
        return list(dict.fromkeys(found))

    def _held_twice(self) -> list[str]:
        """Return as sentences which constraints are in the system beside the forces that take their place."""
        held = {(type(item), item.name) for item in self.joints}
        return [
            f"{force.label} takes the place of {item.label}; leave {item.name!r} out of joints="
            for force in self.forces
            for item in force.stands_for()
            if (type(item), item.name) in held
        ]

    def _strangers(self, item: Interaction, bodies: Mapping[str, Body]) -> list[str]:
        """Return as sentences which bodies, markers or joints an item uses that are not in the system."""
        if terms := item.uses():
            joints = self._named_joints
            missing = [term.joint for term in terms if term.joint.name not in joints]
            if missing:
                return [
                    f"{item.label} {item.verb} {missing[0].label}, {_not_among('joints', joints)}; add it to joints="
                ]
            return item.joint_problems(joints)  # the joint of that name in the system may be another one
        for side in item.sides():
            if isinstance(side, MasslessBody) and side.name not in bodies:
                if not item.finds_places:
                    return [f"{item.label} acts on {side.unheld()}"]
                continue
            if side.moves and side.body.name not in bodies:
                return [
                    f"{item.label} uses body '{side.body.name}', {_not_among('bodies', bodies)}; add it to bodies="
                ]
            try:
                side.on(bodies)
            except InputError as error:
                return [f"{item.label}: {error}"]
        return []

    def _frame_problems(self, item: Interaction, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of an item on the bodies of this system, which have no problems themselves."""
        if not item.uses():
            return item.frame_problems(bodies)
        joints = self._named_joints
        found = (
            joints[term.joint.name].rotation_problems(term.which, bodies, item.label) for term in item.uses()
        )
        return next((problems for problems in found if problems), item.placement_problems(joints, bodies))

    @property
    def n_modes(self) -> int:
        """Number of modal coordinates of all bodies together."""
        return int(np.sum([body.n_modes for body in self.bodies]))

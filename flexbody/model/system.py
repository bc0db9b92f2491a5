"""A machine: bodies, joints, forces and gravity, checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing, with_article

from ..functions.inputs import unheard
from ..functions.prescribed_motion import Prescribed
from ..rotation import vector
from .bodies import Body, BodyFrame, FlexibleBody, Ground, RigidBody
from .constraints import Constraint
from .drives import Drive
from .forces import (
    ElectricMotor,
    Element,
    JointForce,
    PointForce,
    PointMoment,
    PositionServo,
    SpringDamper,
)
from .forces.law import ForceLaw
from .joints import Coupler, Distance, Gear, Joint, Rack, Term
from .joints.base import Side

Relation = Drive | Coupler | Gear | Rack
Connection = Joint | Relation | Constraint
Force = PointForce | PointMoment | SpringDamper | JointForce | Element

#: what belongs where in a system, and how messages call it
LISTS: dict[str, tuple[Any, str]] = {
    "bodies": (RigidBody | FlexibleBody, "RigidBody or FlexibleBody"),
    "joints": (Connection, "joint or drive (nor a coupling or constraint)"),
    "forces": (Force, "force"),
}


def check_system(system: Any, verb: str) -> None:
    """Raise :class:`fem.InputError` where ``verb`` was given something else than a system."""
    if not isinstance(system, System):
        raise InputError(
            f"{verb} takes a System and was given {called(system)}; write fb.System(bodies=[...], joints=[...], "
            "forces=[...])"
        )


def _terms(item: Relation | JointForce | Element) -> tuple[Term, ...]:
    """Return the joint coordinates that a drive, coupling or joint force uses."""
    if isinstance(item, JointForce):
        return (Term(item.joint, item.coordinate),)
    if isinstance(item, Element):
        assert item.coordinate is not None
        return (Term(*item.coordinate),)
    return item.couplings[0]


def prescribed_by(item: Connection) -> Prescribed | None:
    """Return what a drive, coupling or driven rod prescribes; None for joints and constraints."""
    return item.prescribed if isinstance(item, Relation | Distance) else None


def used_joints(item: Relation | JointForce | Element) -> list[Joint]:
    """Return the joints whose coordinates a drive, coupling or joint force uses."""
    return [term.joint for term in _terms(item)]


def measured(system: System, joint: Connection | str, which: str | None) -> tuple[Joint, str]:
    """Return the joint and the name of the coordinate that are meant; of a drive those that it drives.

    InputError where there is none.
    """
    found = system.joint(joint)
    if isinstance(found, Drive):
        which = which or found.coordinate
        found = system.joint(found.joint)
    if not isinstance(found, Joint) or not found.coordinates:
        raise InputError(f"{found.label} has no joint coordinate")
    which = next(iter(found.coordinates)) if which is None else which
    if not isinstance(which, str) or which not in found.coordinates:
        raise InputError(
            f"{found.label} has no coordinate {called(which)}; it has {listing(found.coordinates)}"
        )
    return found, which


def _misplaced(what: str, item: Any) -> str:
    """Return what is wrong with the kind or the name of something in a list of a system; "" if nothing is."""
    if isinstance(item, Ground):
        return f"{what}= holds GROUND, which is always there; leave it out"
    kind, words = LISTS[what]
    if not isinstance(item, kind):
        right = next((other for other, (kind, _) in LISTS.items() if isinstance(item, kind)), None)
        if right is not None:
            return f"{what}= holds {called(item)}, which belongs in {right}="
        if isinstance(item, ForceLaw):
            place = "Along(joint)" if isinstance(item, ElectricMotor | PositionServo) else "Line(a, b)"
            return f"{what}= holds {called(item)}, a law; put it in a force: ForceElement(name, {place}, law)"
        if isinstance(item, type):
            return f"{what}= holds the class {item.__name__}; make one of it: {item.__name__}('name', ...)"
        return f"{what}= holds {called(item)}, which is no {words}"
    if not (isinstance(item.name, str) and item.name.strip()):
        return f"{what}= holds {with_article(type(item).__name__)} whose name is {called(item.name)}; give it a word"
    return ""


def _not_among(what: str, names) -> str:
    if not names:
        return f"and the system has no {what}"
    return f"which is not among the system's {what} {listing(names)}"


@dataclass(frozen=True, eq=False)
class System:
    """A machine in its drawn position.

    bodies : rigid and flexible bodies. joints : kinematic connections and drives. forces : loads and springs.
    gravity : acceleration (3,), m/s^2. Everything is known by its name: a body replaced by one of the same
    name (``dataclasses.replace``) takes its place in all joints and forces.

    Raises :class:`fem.InputError` listing all that is wrong.
    """

    bodies: Sequence[Body]
    joints: Sequence[Connection] = ()
    forces: Sequence[Force] = ()
    gravity: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for what in ("bodies", "joints", "forces"):
            items = getattr(self, what)
            if hasattr(items, "name"):
                raise InputError(f"{what}= is {items.name!r}; give a list: {what}=[{items.name}, ...]")
            try:
                object.__setattr__(self, what, tuple(items))
            except TypeError:
                raise InputError(f"{what}= is {called(items)}; give a list: {what}=[...]") from None
        found = self._problems()
        if found:
            raise InputError("this system can't be built:\n  - " + "\n  - ".join(found))

    def body(self, which: Body | str) -> Body:
        """Return a body of this system by its name, or by an object of that name."""
        return self._find(self.bodies, which, "body")

    def joint(self, which: Connection | str) -> Connection:
        """Return a joint or drive of this system by its name, or by an object of that name."""
        return self._find(self.joints, which, "joint")

    def bodies_by_name(self) -> dict[str, Body]:
        """Return the bodies by name."""
        return {body.name: body for body in self.bodies}

    @staticmethod
    def _find(items, which, kind: str):
        name = which if isinstance(which, str) else getattr(which, "name", None)
        for item in items:
            if item.name == name:
                return item
        asked = repr(name) if name is not None else called(which)
        raise InputError(f"this system has no {kind} {asked}; it has {listing(i.name for i in items)}")

    def _problems(self) -> list[str]:
        found = [said for what in LISTS for item in getattr(self, what) if (said := _misplaced(what, item))]
        if found:
            return found
        if not self.bodies:
            found.append("it has no bodies")
        for body in self.bodies:
            found += body.problems()
        connections = (*self.joints, *self.forces)
        for kind, items in (("bodies", self.bodies), ("joints, drives or forces", connections)):
            double = [name for name, count in Counter(i.name for i in items).items() if count > 1]
            if double:
                found.append(f"several {kind} are called {listing(double)}; give each its own name")
        if "ground" in {body.name for body in self.bodies}:
            found.append("a body is called 'ground', the name of the inertial body")
        sound = not any(body.problems() for body in self.bodies)
        for item in (*self.joints, *self.forces):
            found += (
                unheard(item)
                or item.problems()
                or self._strangers(item)
                or (self._frame_problems(item) if sound else [])
            )
        try:
            vector(self.gravity, "gravity")
        except InputError as error:
            found.append(str(error))
        return found

    def _strangers(self, item: Connection | Force) -> list[str]:
        """Bodies, markers or joints that an item uses and the system doesn't hold."""
        bodies = self.bodies_by_name()
        if isinstance(item, Relation | JointForce) or (isinstance(item, Element) and item.coordinate):
            joints = {joint.name: joint for joint in self.joints if isinstance(joint, Joint)}
            used = {joint.name: joint for joint in used_joints(item)}
            verb = "drives" if isinstance(item, Drive) else "acts on"
            missing = [joint for name, joint in used.items() if name not in joints]
            if missing:
                return [
                    f"{item.label} {verb} {missing[0].label}, {_not_among('joints', joints)}; add it to joints="
                ]
            # the system's joint of that name may be another one
            lacking = [
                f"{item.label}: {joints[term.joint.name].label} has no {term.which}; it has "
                f"{listing(joints[term.joint.name].coordinates)}"
                for term in _terms(item)
                if term.which not in joints[term.joint.name].coordinates
            ]
            if isinstance(item, Drive) or (isinstance(item, JointForce) and not lacking):
                return replace(item, joint=joints[item.joint.name]).problems()
            return lacking
        sides: tuple[Side, ...]
        if isinstance(item, Constraint):
            sides = item.sides
        elif isinstance(item, PointForce | PointMoment):
            sides = (item.at,)
        else:
            sides = item.sides() if isinstance(item, Element) else (item.first, item.second)
        for side in sides:
            body = side.body if isinstance(side, BodyFrame) else side
            if isinstance(body, Ground):
                continue
            if body.name not in bodies:
                return [
                    f"{item.label} uses body '{body.name}', {_not_among('bodies', bodies)}; add it to bodies="
                ]
            if isinstance(side, BodyFrame):
                try:
                    bodies[body.name][side.name]
                except InputError as error:
                    return [f"{item.label}: {error}"]
        return []

    def _frame_problems(self, item: Connection | Force) -> list[str]:
        """What is wrong with an item on the bodies of this system, all of which are there and sound."""
        if isinstance(item, Relation | JointForce) or (isinstance(item, Element) and item.coordinate):
            return self._attitude_problems(item)
        return item.frame_problems(self.bodies_by_name())

    def _attitude_problems(self, item: Relation | JointForce | Element) -> list[str]:
        """Joint coordinates that need the rotation of a frame which has none."""
        for term in _terms(item):
            joint = self.joint(term.joint)
            assert isinstance(joint, Joint)
            bare = joint.without_rotation(self.bodies_by_name())
            needed = joint.coordinates[term.which].turning_sides
            if side := next((side for k, side in enumerate(bare) if side is not None and k in needed), None):
                return [
                    f"{item.label}: {side!r} has too few nodes to define a rotation, which {term.which} of "
                    f"{joint.label} needs; use a larger node set"
                ]
        return []

    @property
    def n_modes(self) -> int:
        """Number of modal coordinates of all bodies."""
        return int(np.sum([body.n_modes for body in self.bodies]))

"""The base classes of what acts between bodies, and of the joints.

:class:`Interaction` is the base of everything in the lists ``joints`` and ``forces`` of a system. A :class:`Connection`
is an entry of ``joints``: a joint, drive, coupling or constraint. A :class:`Joint` states its primitive constraints and
its free motions once. The global description uses the constraints and the relative description uses the free motions.
The constraint Jacobian G and the matrix H of the free motions satisfy ``G H = 0``; a test checks this for every joint
on rigid and flexible frames.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match
from fem.common.signatures import Described

from ...core.hinge import columns
from ...core.kinds import ATTITUDE, POINT, SCREW, SHIFT, TURN
from ...functions.function_pointers import drive_law
from ...functions.prescribed_motion import Prescribed
from ...functions.time_law import Law
from ..rigid_motion import Motions, ends_moved
from ..sides import Body, FrameData, Side
from .coordinates import ANGLES, Coordinate
from .rows import Free, Row, UserRow


class Term(NamedTuple):
    """A joint coordinate times a factor: one term of a sum.

    Parameters
    ----------
    joint : Joint
        The joint.
    which : str
        Name of its coordinate.
    factor : float, optional
        Factor of the coordinate.
    """

    joint: Joint
    which: str
    factor: float = 1.0

    @property
    def coordinate(self) -> Coordinate:
        """The joint coordinate of this term."""
        return self.joint.coordinates[self.which]


class Interaction(Described, ABC):
    """What acts between bodies; base class of :class:`Connection` and :class:`Force`.

    Attributes
    ----------
    name : str
        Name, unique in the system.
    """

    name: str
    #: What it does to the joints that it uses, for messages.
    verb: ClassVar[str] = "acts on"
    #: Whether it may act on a massless body that no joint holds, whose place its force determines.
    finds_places: ClassVar[bool] = False

    @property
    @abstractmethod
    def label(self) -> str:
        """Kind and name, for messages."""

    @property
    @abstractmethod
    def default_quantity(self) -> str:
        """What a plot of it alone shows: the name of a reader in :mod:`flexbody.results.tables`."""

    def sides(self) -> tuple[Side, ...]:
        """Return the sides that it acts on by itself; none if it acts through the coordinates of joints.

        Returns
        -------
        tuple
            The sides.
        """
        return ()

    def uses(self) -> tuple[Term, ...]:
        """Return the joint coordinates that it acts on, as terms of a sum; none if it acts on sides.

        Returns
        -------
        tuple of Term
            The terms. The reaction of a coupling acts on the second body of the joint in the last term.
        """
        return ()

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:
        """Return the frames of its own, each on the body of that name in ``bodies``.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of FrameData
            The frames: two of a joint, none of a drive or coupling.
        """
        return ()

    def angles(self) -> tuple[tuple[str, float], ...]:
        """Return the parameters that are angles given as numbers.

        Returns
        -------
        tuple of (str, float)
            Name and value (rad) of each.
        """
        return ()

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return the same item on bodies that are drawn elsewhere: its points and directions move with its sides.

        Here for ``first_point`` and ``second_point``; a class with other points or directions adds to it.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name, where they were drawn.
        motions : mapping of str to RigidMotion
            The motions of the bodies by name.

        Returns
        -------
        Interaction
            An item with the same name.
        """
        changes = ends_moved(self, [side.body.name for side in self.sides()], motions)
        return replace(self, **changes) if changes else self  # type: ignore[type-var]

    @abstractmethod
    def problems(self) -> list[str]:
        """Return the problems of the description by itself as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """

    def joint_problems(self, joints: Mapping[str, Joint]) -> list[str]:
        """Return as sentences which coordinates it uses that the joints of a system do not have.

        Parameters
        ----------
        joints : mapping of str to Joint
            The joints of the system by name, which may differ from those in the description.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = [(term.which, joints[term.joint.name]) for term in self.uses()]
        return [
            f"{self.label}: {joint.label} has no coordinate {with_match(which, joint.coordinates)}; "
            f"it has {listing(joint.coordinates)}"
            for which, joint in found
            if which not in joint.coordinates
        ]

    def placement_problems(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[str]:
        """Return as sentences what is wrong with the drawn positions of the joints that it uses.

        Parameters
        ----------
        joints : mapping of str to Joint
            The joints of the system by name.
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of its frames on the bodies of a system as sentences.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []


@lru_cache
def _words(kind: type) -> str:
    """Return the name of a class in words, such as "point-on-line"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower()


class Connection(Interaction):
    """An entry of ``System(joints=[...])``; base class of joints, drives, couplings and constraints.

    A subclass is a frozen dataclass. Its fields are what a file of results stores.
    """

    #: The coordinates of its own by name, which only joints have.
    coordinates: ClassVar[Mapping[str, Coordinate]] = {}
    #: Whether its rows are always called back, though its function is recorded.
    called_back: ClassVar[bool] = False

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def label(self) -> str:
        """Kind and name, for messages."""
        return f"{_words(type(self))} '{self.name}'"

    @property
    def shapes(self) -> tuple[Any, ...]:
        """The shapes that roll on each other; none for other classes."""
        return ()

    @property
    def hinge_coordinates(self) -> int | None:
        """Number of its free motions as a joint of a tree; None for what doesn't join two bodies."""
        return None

    def hinge_law(self, rows: Sequence[UserRow]) -> Any:
        """Return the motion of a user's joint as a hinge of a tree, a law; None for all others.

        Parameters
        ----------
        rows : sequence of UserRow
            Its rows, see :meth:`user_rows`.

        Returns
        -------
        HingeMotionLaw or None
            The law.
        """
        return None

    @property
    def host(self) -> Joint | None:
        """The joint whose frames it has: itself for a joint, the driven joint for a drive; None for others."""
        return None

    def measures(self) -> tuple[str, ...]:
        """Return the names of the coordinates of its host that it stands for; none without a host.

        Returns
        -------
        tuple of str
            The names; the first is meant where no name is given.
        """
        return ()

    # ---- constraints ----------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[Row, ...]:
        """The primitive constraints."""
        return ()

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The sums of joint coordinates that the rows of kind COUPLING hold at the prescribed value, or at zero."""
        terms = self.uses()
        return (terms,) if terms else ()

    def sums(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> tuple[tuple[Term, ...], ...]:
        """Return the couplings as they hold in a system; those of teeth follow from its drawn joints.

        Parameters
        ----------
        joints : mapping of str to Joint
            The joints of the system by name.
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of tuple of Term
            The sums, in the order of ``couplings``.
        """
        return self.couplings

    def user_rows(self, poses: Sequence[tuple[np.ndarray, np.ndarray]], length: float) -> list[UserRow]:
        """Return the components of a user's function, recorded in the drawn configuration; none for other classes.

        Parameters
        ----------
        poses : sequence of (numpy.ndarray, numpy.ndarray)
            Axes (1, 3, 3) and positions (1, 3), m, of the frames in the drawn configuration.
        length : float
            Characteristic length of the system, m.

        Returns
        -------
        list of UserRow
            One row for each component of the function.
        """
        return []

    def stored_operations(
        self, recorded: list[tuple[np.ndarray, np.ndarray]]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the operations of a user's function that a file stores.

        Parameters
        ----------
        recorded : list of tuple of numpy.ndarray
            Those of the rows of :meth:`user_rows`.

        Returns
        -------
        list of tuple of numpy.ndarray
            Operations (n, 3) and constants (n,) of each number that the function returns.
        """
        return recorded

    # ---- prescribed motion ----------------------------------------------------------------------

    @property
    def prescribed(self) -> Prescribed | None:
        """The prescribed value of the sum of coordinates; None for a joint or constraint without one."""
        return None

    @property
    def given(self) -> str:
        """Name of the parameter that gives a prescribed motion or a user's function; "" without one."""
        return ""

    @property
    def unit(self) -> str:
        """Unit of the prescribed value."""
        return "m or rad"

    @property
    def driven(self) -> Term | None:
        """The coordinate that a drive prescribes; None for all others."""
        return None

    def law(self, t_end: float) -> Law | None:
        """Return the compiled function of time for a run to ``t_end`` (s), or None if there is none.

        Parameters
        ----------
        t_end : float
            End of the run, s.

        Returns
        -------
        Law or None
            The compiled function, or None for a constant.
        """
        motion = self.prescribed
        if motion is None or not callable(motion.value):
            return None
        return drive_law(motion.value, motion.velocity, motion.acceleration, t_end, self.label)

    def rotates_bodies(self) -> bool:
        """Return whether it is a drive that rotates something during a run.

        Returns
        -------
        bool
            False, unless a drive says otherwise.
        """
        return False

    # ---- reaction -------------------------------------------------------------------------------

    @property
    def reaction_kind(self) -> str:
        """What its reaction is: "moment" (N m) if it acts on an angle, else "reaction" (a force, N)."""
        terms = self.uses()
        return "moment" if terms and terms[-1].coordinate.is_angle else "reaction"

    @property
    def default_quantity(self) -> str:
        """The reader of results that a plot of it alone shows."""
        return self.reaction_kind

    # ---- files ----------------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """Return what a file of results stores: the fields that are not functions, without the name.

        Returns
        -------
        dict of str
            Numbers, strings, arrays, sides, joints, or sequences of them.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "name"}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if not callable(value)}

    @classmethod
    def loaded(cls, name: str, given: Mapping[str, Any]) -> Connection:
        """Return an entry from its name, what :meth:`saved` has stored, and functions that repeat stored values.

        Parameters
        ----------
        name : str
            Name of the entry.
        given : mapping of str
            The stored fields and functions by name.

        Returns
        -------
        Connection
            The entry.
        """
        return cls(name, **given)


@dataclass(frozen=True, eq=False)
class Joint(Connection):
    """A kinematic connection of two bodies; base class of all joints.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides. A flexible body is always joined at a named frame, ``body["name"]``.

    Notes
    -----
    A joint coordinate is zero in the drawn configuration, and angles are continuous over many revolutions.
    ``coordinates`` maps the names of the coordinates to their definitions.
    """

    name: str
    first: Side
    second: Side

    rows: ClassVar[tuple[Row, ...]] = ()
    free: ClassVar[tuple[Free, ...]] = ()
    #: Whether it can carry a body in a tree; False where no regular coordinates describe its free motions.
    carries: ClassVar[bool] = True
    #: Why not, as the end of a sentence.
    why_cut: ClassVar[str] = "its free motions have no regular coordinates"
    #: Whether its rotation translates the second side along the axis too.
    threaded: ClassVar[bool] = False
    #: The joint coordinates by name. They can be read, driven and coupled.
    coordinates: ClassVar[Mapping[str, Coordinate]] = {}

    @property
    def label(self) -> str:
        """Kind and name of this joint, for messages."""
        return f"{_words(type(self))} joint '{self.name}'"

    @property
    def hinge_coordinates(self) -> int:
        """Number of its free motions."""
        return 6 - len(self.rows)

    @property
    def host(self) -> Joint:
        """The joint itself."""
        return self

    @property
    def unit(self) -> str:
        """Unit of a prescribed length."""
        return "m"

    @property
    def default_quantity(self) -> str:
        """The coordinates of the joint, or its reaction if it has none but the angles of a free rotation."""
        plain = any(c not in ANGLES.values() for c in self.coordinates.values())
        return "coordinate" if plain else self.reaction_kind

    def sides(self) -> tuple[Side, Side]:
        """Return the first and the second side."""
        return self.first, self.second

    def measures(self) -> tuple[str, ...]:
        """Return the names of all coordinates of this joint."""
        return tuple(self.coordinates)

    def frame_axes(self) -> np.ndarray:
        """Return the axes of both frames in the drawn configuration, by default the inertial axes.

        Returns
        -------
        numpy.ndarray
            Axes x, y, z as columns in the inertial base, (3, 3).
        """
        return np.eye(3)

    def frame_points(self, bodies: Mapping[str, Body]) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return the positions of both frames in the drawn configuration; None for a side that is a named frame.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of numpy.ndarray or None
            Positions, (3,), m, inertial base.
        """
        raise NotImplementedError

    def zero(self, which: str, drawn: float) -> float:
        """Return the reference value of a coordinate, given its value in the drawn configuration.

        Parameters
        ----------
        which : str
            Name of the coordinate.
        drawn : numpy.ndarray
            Vector from the first end to the second end in the drawn configuration, (3,), m.

        Returns
        -------
        float
            The value that the coordinate measures from, m or rad.
        """
        return drawn

    def reference(self, which: str, bodies: Mapping[str, Body]) -> float:
        """Return the reference value that is subtracted from a coordinate.

        Parameters
        ----------
        which : str
            Name of the coordinate.
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        float
            Reference value, rad or m.
        """
        coordinate = self.coordinates[which]
        if coordinate.is_angle:
            return 0.0
        places = []
        for frame in self.frames(bodies):
            places += [frame.A[None], frame.drawn(bodies)[None]]
        return self.zero(which, float(coordinate.value(*places)[0]))

    @property
    def lead(self) -> float:
        """Translation along the axis per rad, m, of a threaded joint; zero for others."""
        return 0.0

    @property
    def is_ball(self) -> bool:
        """Whether all rotations are free, so that Euler parameters describe them."""
        return sum(free.rotation for free in self.free) == 3

    @property
    def free_coordinates(self) -> tuple[Coordinate | None, ...]:
        """The joint coordinate whose rate each free motion is; None for the rotations of a ball joint."""
        return tuple(None if free.rotation and self.is_ball else free.coordinate for free in self.free)

    @property
    def motion_titles(self) -> tuple[str, ...]:
        """What the free motions are: the names of their joint coordinates, or words."""
        names = {coordinate: name for name, coordinate in self.coordinates.items()}
        pairs = zip(self.free, self.free_coordinates, strict=True)
        return tuple(free.title if rate is None else names.get(rate, free.title) for free, rate in pairs)

    def motion_rows(self) -> np.ndarray:
        """Return the free motions for the compiled core.

        Returns
        -------
        numpy.ndarray
            Rows of ``Tree.motion``, (n, 3): kind, axis, and the frame that the axis belongs to.
        """
        turn = SCREW if self.threaded else TURN
        found = [(turn if free.rotation else SHIFT, free.axis, free.side) for free in self.free]
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def motions(self, R1: np.ndarray, R2: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the matrix H of the free motions.

        Parameters
        ----------
        R1, R2 : numpy.ndarray
            Axes of both frames, (3, 3), columns, inertial base. With the rates of the axes, dH/dt is returned.
        d : numpy.ndarray
            Vector from the point of the first frame to the point of the second frame, (3,), m.

        Returns
        -------
        numpy.ndarray
            H, (6, n): velocity of the second point (rows 0 to 2) and angular velocity of the second frame (rows 3 to 5)
            for each free motion, while the first frame is at rest. A rotation does not move the second point.
        """
        return columns(self.motion_rows(), self.lead, R1, R2)

    def which_problems(self, label: str, which: str | None) -> list[str]:
        """Return the problems of the name of a coordinate of this joint as sentences.

        Parameters
        ----------
        label : str
            What uses the coordinate, for messages.
        which : str or None
            The name; None stands for the only coordinate.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        have = self.coordinates
        if not have:
            return [f"{label}: {self.label} has no coordinate"]
        if which is None and len(have) > 1:
            return [
                f"{label}: {self.label} has the coordinates {listing(have)}; give the name of one of them"
            ]
        if which is not None and not (isinstance(which, str) and which in have):
            return [
                f"{label}: {self.label} has no coordinate {with_match(which, have)}; it has {listing(have)}"
            ]
        return []

    def undrivable(self, which: str) -> str:
        """Return why a drive can't prescribe a coordinate of this joint, as a sentence; "" if it can.

        Parameters
        ----------
        which : str
            Name of the coordinate.

        Returns
        -------
        str
            The reason, or "".
        """
        return ""

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return both frames, each on the body of that name in ``bodies``.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of FrameData
            The first and the second frame.
        """
        axes, (one, other) = self.frame_axes(), self.frame_points(bodies)
        return self.first.frame(bodies, one, axes), self.second.frame(bodies, other, axes)

    def problems(self) -> list[str]:
        """Return the problems of this joint by itself as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        if found := self._side_problems():
            return found
        try:
            self.frame_axes()
            return self._place_problems()
        except InputError as error:
            return [str(error)]

    def _place_problems(self) -> list[str]:
        """Return the problems of the position of this joint as sentences, or raise InputError for the first one."""
        return []

    def _side_problems(self) -> list[str]:
        """Return the problems of the two sides of this joint as sentences."""
        if not all(isinstance(side, Side) for side in self.sides()):
            return [
                f"{self.label} joins {called(self.first)} and {called(self.second)}; give a body, body['name'] or "
                "GROUND for each side"
            ]
        found = []
        if self.first.body.name == self.second.body.name:
            found.append(
                f"{self.label} joins '{self.first.body.name}' to itself; give two bodies, or fb.GROUND as one of them"
            )
        faults = [side.fault() for side in self.sides()]
        return found + [f"{self.label} is joined to {fault}" for fault in faults if fault]

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the named frames of this joint on the bodies of a system, as sentences."""
        attitude = any(row.kind == ATTITUDE for row in self.rows)
        # The axes of the first frame are also used if only one or two components of the point are constrained.
        axes = attitude or sum(row.kind == POINT for row in self.rows) in (1, 2)
        return [
            f"{self.label}: {side!r} has too few nodes to define a rotation; use a larger node set or a spherical joint"
            for side, needed in zip(self.sides(), (axes, attitude), strict=True)
            if needed and not side.has_rotation(bodies)
        ]

    def rotation_problems(self, which: str, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return a sentence if a coordinate needs the rotation of a frame that has none.

        Parameters
        ----------
        which : str
            Name of the coordinate.
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Kind and name of what uses the coordinate.

        Returns
        -------
        list of str
            The problem; empty if there is none.
        """
        needed = self.coordinates[which].turning_sides
        bare = [side for k, side in enumerate(self.sides()) if k in needed and not side.has_rotation(bodies)]
        return [
            f"{label}: {side!r} has too few nodes to define a rotation, but the coordinate {which} of {self.label} "
            "needs one; use a larger node set"
            for side in bare[:1]
        ]

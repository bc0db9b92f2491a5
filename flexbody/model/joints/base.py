"""The base class of the joints: two frames, primitive constraints and free motions.

A joint states each of these once. The global description uses the constraints and the relative description uses the
free motions. The constraint Jacobian G and the matrix H of the free motions satisfy ``G H = 0``; a test checks this for
every joint on rigid and flexible frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing
from fem.common.numbers import vector

from ...core.kinds import ATTITUDE, POINT
from ...core.rotation import axes_from_z, direction
from ..bodies import Body, BodyFrame, FlexibleBody, Ground
from ..sides import FrameData, Side
from .coordinates import Coordinate, X, Y, Z


class Row(NamedTuple):
    """One primitive constraint between the two frames of a joint.

    Parameters
    ----------
    kind : int
        POINT, ATTITUDE or COUPLING of :mod:`flexbody.core.kinds`.
    first : int
        Axis (0, 1, 2) of the first frame. For a COUPLING: the index of the sum in ``couplings``.
    second : int, optional
        Axis (0, 1, 2) of the second frame.
    """

    kind: int
    first: int
    second: int = 0


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


class Free(NamedTuple):
    """One free motion of the second frame relative to the first: a rotation or a translation along an axis.

    Parameters
    ----------
    rotation : bool
        True for a rotation, False for a translation.
    axis : int
        The axis (0, 1, 2).
    side : int, optional
        The frame that the axis belongs to: 0 for the first frame, 1 for the second.
    """

    rotation: bool
    axis: int
    side: int = 0


def points(*axes: int) -> tuple[Row, ...]:
    """Return the rows that hold the second point fixed along these axes of the first frame."""
    return tuple(Row(POINT, axis) for axis in axes)


#: The z axes stay parallel.
PARALLEL = (Row(ATTITUDE, X, Z), Row(ATTITUDE, Y, Z))
#: The frames stay parallel.
ALIGNED = (Row(ATTITUDE, X, Y), Row(ATTITUDE, Y, Z), Row(ATTITUDE, Z, X))


def body_of(side: Side) -> Body | Ground:
    """Return the body of one side of a joint."""
    return side.body


@dataclass(frozen=True, eq=False)
class Joint:
    """A kinematic connection of two bodies; base class of all joints.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides. A flexible body is always joined at a named frame, ``body["name"]``.
    point : array_like, optional
        Position of the joint in the drawn configuration, (3,), m, inertial base. It is needed unless one side is a
        named frame.
    axis : str or array_like, optional
        The z axis of the joint in the drawn configuration: "x", "y", "z", with a sign ("-z"), or a vector (3,).

    Notes
    -----
    A joint coordinate is zero in the drawn configuration, and angles are continuous over many turns. ``coordinates``
    maps the names of the coordinates to their definitions.
    """

    name: str
    first: Side
    second: Side
    _: KW_ONLY
    point: ArrayLike | None = None
    axis: str | ArrayLike = "z"

    rows: ClassVar[tuple[Row, ...]] = ()
    free: ClassVar[tuple[Free, ...]] = ()
    #: The joint coordinates by name. They can be read, driven and coupled.
    coordinates: ClassVar[Mapping[str, Coordinate]] = {}

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The sums of joint coordinates that the rows of kind COUPLING hold at zero."""
        return ()

    def frame_axes(self) -> np.ndarray:
        """Return the axes of both frames in the drawn configuration.

        Returns
        -------
        numpy.ndarray
            Axes x, y, z as columns in the inertial base, (3, 3).
        """
        return axes_from_z(direction(self.axis, f"{self.label}: axis"))

    def zero(self, which: str, drawn: float) -> float:
        """Return the reference value of a coordinate, given its value in the drawn configuration.

        Parameters
        ----------
        which : str
            Name of the coordinate.
        drawn : numpy.ndarray
            Vector from the first end to the second end in the drawn configuration, (3,), m.
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
        if coordinate.turns:
            return 0.0
        places = []
        for frame in self.frames(bodies):
            start = bodies[frame.body].start if frame.body in bodies else 0.0
            places += [frame.A[None], (frame.x + start)[None]]
        return self.zero(which, float(coordinate.value(*places)[0]))

    def motions(self, R1: np.ndarray, R2: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the matrix H of the free motions.

        Parameters
        ----------
        R1, R2 : numpy.ndarray
            Axes of both frames, (3, 3), columns, inertial base.
        d : numpy.ndarray
            Vector from the point of the first frame to the point of the second frame, (3,), m.

        Returns
        -------
        numpy.ndarray
            H, (6, n): velocity of the second point (rows 0 to 2) and angular velocity of the second frame (rows 3 to 5)
            for each free motion, while the first frame is at rest.
        """
        columns = []
        for free in self.free:
            e = (R1, R2)[free.side][:, free.axis]
            arm = d if free.side == 0 else np.zeros(3)
            columns.append(np.concatenate([np.cross(e, arm), e] if free.rotation else [e, np.zeros(3)]))
        return np.array(columns).reshape(-1, 6).T

    @property
    def label(self) -> str:
        """Kind and name of this joint, for messages."""
        return f"{type(self).__name__.lower()} joint '{self.name}'"

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
        axes = self.frame_axes()
        return self._frame(self.first, axes, bodies), self._frame(self.second, axes, bodies)

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
            if self._needs_point():
                self._joint_point({})
            elif self.point is not None:
                found.append(
                    f"{self.label} has point={self.point!r} and a named frame on both sides ({self.first!r}, "
                    f"{self.second!r}). The named frames give its position; leave point= out"
                )
        except InputError as error:
            found.append(str(error))
        return found

    def _side_problems(self) -> list[str]:
        """Return the problems of the two sides of this joint as sentences."""
        if not all(isinstance(side, Side) for side in (self.first, self.second)):
            return [
                f"{self.label} joins {called(self.first)} and {called(self.second)}; give a body, body['name'] or "
                "GROUND for each side"
            ]
        found, first, second = [], self.first.body, self.second.body
        if first.name == second.name:
            found.append(f"{self.label} joins '{first.name}' to itself")
        for side in (self.first, self.second):
            if isinstance(side, FlexibleBody):
                found.append(
                    f"{self.label} is joined to the flexible body '{side.name}' without the name of an interface or "
                    f"marker; write {side.name}['...'] with one of {listing(side.reduced.markers)}"
                )
        return found

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the named frames of this joint on the bodies of a system, as sentences.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = []
        attitude = any(row.kind == ATTITUDE for row in self.rows)
        # The axes of the first frame are also used if only one or two components of the point are constrained.
        axes = attitude or sum(row.kind == POINT for row in self.rows) in (1, 2)
        for side, needed in zip(self.without_rotation(bodies), (axes, attitude), strict=True):
            if side is not None and needed:
                found.append(
                    f"{self.label}: {side!r} has too few nodes to define a rotation; use a larger node set or a "
                    "spherical joint"
                )
        return found

    def without_rotation(self, bodies: Mapping[str, Body]) -> list[BodyFrame | None]:
        """Return for each side its frame if that frame has too few nodes to define a rotation, otherwise None.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        list of BodyFrame or None
            One entry for each side.
        """
        out: list[BodyFrame | None] = []
        for side in (self.first, self.second):
            body = bodies[side.body.name] if isinstance(side, BodyFrame) else None
            bare = isinstance(body, FlexibleBody) and not body.reduced.markers[side.name].has_rotation  # type: ignore[union-attr]
            out.append(side if bare else None)  # type: ignore[arg-type]
        return out

    def _needs_point(self) -> bool:
        return not (isinstance(self.first, BodyFrame) and isinstance(self.second, BodyFrame))

    def _joint_point(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the point of the joint in the drawn configuration, (3,), m, from ``point`` or from a named frame."""
        if self.point is not None:
            return vector(self.point, f"{self.label}: point")
        for side in (self.second, self.first):
            if isinstance(side, BodyFrame):
                body = bodies.get(side.body.name, side.body)
                return body.start + body.marker(side.name)[0]
        raise InputError(
            f"{self.label} has no position; give point=(x, y, z), or a named frame body['name'] on one side"
        )

    def _frame(self, side: Side, axes: np.ndarray, bodies: Mapping[str, Body]) -> FrameData:
        if isinstance(side, BodyFrame):
            body = bodies[side.body.name]
            x, Phi, B = body.marker(side.name)
            return FrameData(body.name, x, axes, Phi, B, body.second_order(side.name))
        none = np.zeros((3, 0))
        if isinstance(side, Ground):
            return FrameData(side.name, self._joint_point(bodies), axes, none, none)
        body = bodies[side.name]
        return FrameData(body.name, self._joint_point(bodies) - body.start, axes, none, none)

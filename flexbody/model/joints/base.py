"""What every joint has: two frames, primitive constraints, free motions.

A joint states each of these once; the global description takes the constraints, the relative one the free
motions, and ``G H = 0`` ties them together (tested for every joint on rigid and flexible frames).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing

from ...core.kinds import ATTITUDE, POINT
from ...rotation import axes_from_z, direction, vector
from ..bodies import Body, BodyFrame, FlexibleBody, Ground, RigidBody
from .coordinates import Coordinate, X, Y, Z


class Row(NamedTuple):
    """One primitive constraint: kind (POINT, ATTITUDE), axis of the first frame, axis of the second frame.

    Of a COUPLING, ``first`` is the number of the sum of joint coordinates in ``couplings``.
    """

    kind: int
    first: int
    second: int = 0


class Term(NamedTuple):
    """A joint coordinate by its name, times a factor."""

    joint: Joint
    which: str
    factor: float = 1.0

    @property
    def coordinate(self) -> Coordinate:
        """What is measured."""
        return self.joint.coordinates[self.which]


class Free(NamedTuple):
    """One free motion of the second frame relative to the first: a rotation or a translation along an axis.

    ``side`` tells whose axis it is: 0 for the first frame's, 1 for the second's.
    """

    rotation: bool
    axis: int
    side: int = 0


def points(*axes: int) -> tuple[Row, ...]:
    """Rows that hold the second point fixed along these axes of the first frame."""
    return tuple(Row(POINT, axis) for axis in axes)


#: the z axes stay parallel
PARALLEL = (Row(ATTITUDE, X, Z), Row(ATTITUDE, Y, Z))
#: the frames stay parallel
ALIGNED = (Row(ATTITUDE, X, Y), Row(ATTITUDE, Y, Z), Row(ATTITUDE, Z, X))

Side = Body | Ground | BodyFrame


class FrameData(NamedTuple):
    """A frame of a joint or force on its body, in the body's base: all that the layout needs."""

    body: str
    x: np.ndarray  # (3,) from the body's reference point
    A: np.ndarray  # (3, 3) axes, columns
    Phi: np.ndarray  # (3, N)
    B: np.ndarray  # (3, N)
    G: np.ndarray | None = None  # (6, N, N) second order of place and rotation vector


def body_of(side: Side) -> Body | Ground:
    """Return the body of a joint's side."""
    return side.body if isinstance(side, BodyFrame) else side


@dataclass(frozen=True, eq=False)
class Joint:
    """A kinematic connection of ``first`` and ``second``.

    Each side is ``GROUND``, a rigid body, or a named frame ``body["name"]``; a flexible body is always joined
    at a named interface. point : where a body without a named frame is joined (global, as drawn, m); may be
    left out if a side is a named frame. axis : the joint's z axis as drawn, "x", "y", "z" or a vector.
    """

    name: str
    first: Side
    second: Side
    point: ArrayLike | None = None
    axis: str | ArrayLike = "z"

    rows: ClassVar[tuple[Row, ...]] = ()
    free: ClassVar[tuple[Free, ...]] = ()
    #: the joint coordinates by their names, to be read, driven and coupled; zero as drawn
    coordinates: ClassVar[Mapping[str, Coordinate]] = {}

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The sums of joint coordinates that the rows of kind COUPLING hold at zero."""
        return ()

    def frame_axes(self) -> np.ndarray:
        """Axes of both frames as drawn, columns x, y, z in the inertial base, (3, 3)."""
        return axes_from_z(direction(self.axis, f"{self.label}: axis"))

    def zero(self, which: str, drawn: float) -> float:
        """Return what a coordinate is measured from, given its value as drawn."""
        return drawn

    def reference(self, which: str, bodies: Mapping[str, Body]) -> float:
        """Return what a coordinate is measured from, rad or m."""
        coordinate = self.coordinates[which]
        if coordinate.turns:
            return 0.0
        places = []
        for frame in self.frames(bodies):
            start = bodies[frame.body].start if frame.body in bodies else 0.0
            places += [frame.A[None], (frame.x + start)[None]]
        return self.zero(which, float(coordinate.value(*places)[0]))

    def motions(self, R1: np.ndarray, R2: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the free motions H (6, n): velocity of the second frame's point, angular velocity; first at rest.

        R1, R2 : axes of both frames (3, 3), inertial. d : from the first frame's point to the second's (3,).
        """
        columns = []
        for free in self.free:
            e = (R1, R2)[free.side][:, free.axis]
            arm = d if free.side == 0 else np.zeros(3)
            columns.append(np.concatenate([np.cross(e, arm), e] if free.rotation else [e, np.zeros(3)]))
        return np.array(columns).reshape(-1, 6).T

    @property
    def label(self) -> str:
        """How messages call this joint."""
        return f"{type(self).__name__.lower()} joint '{self.name}'"

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return both frames, with the bodies of the system looked up by name."""
        axes = self.frame_axes()
        return self._frame(self.first, axes, bodies), self._frame(self.second, axes, bodies)

    def problems(self) -> list[str]:
        """What is wrong with this joint by itself, as sentences."""
        if found := self._side_problems():
            return found
        try:
            self.frame_axes()
            if self._needs_point():
                self._joint_point({})
            elif self.point is not None:
                found.append(
                    f"{self.label} has point={self.point!r} and a named frame on both sides ({self.first!r}, "
                    f"{self.second!r}), which say where it is; leave point= out"
                )
        except InputError as error:
            found.append(str(error))
        return found

    def _side_problems(self) -> list[str]:
        """What is wrong with what this joint joins."""
        first, second = body_of(self.first), body_of(self.second)
        if not all(isinstance(b, RigidBody | FlexibleBody | Ground) for b in (first, second)):
            return [
                f"{self.label} joins {called(self.first)} and {called(self.second)}; give bodies, body['name'] or "
                "GROUND"
            ]
        found = []
        if first.name == second.name:
            found.append(f"{self.label} joins '{first.name}' to itself")
        for side in (self.first, self.second):
            if isinstance(side, FlexibleBody):
                found.append(
                    f"{self.label} is fixed to the flexible body '{side.name}' at no named place; write "
                    f"{side.name}['...'] with one of {listing(side.reduced.markers)}"
                )
        return found

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """What is wrong with this joint's named frames on the bodies of a system, as sentences."""
        found = []
        attitude = any(row.kind == ATTITUDE for row in self.rows)
        # the first frame's axes matter too where only one or two of the point's components are held
        axes = attitude or sum(row.kind == POINT for row in self.rows) in (1, 2)
        for side, needed in zip(self.without_rotation(bodies), (axes, attitude), strict=True):
            if side is not None and needed:
                found.append(
                    f"{self.label}: {side!r} has too few nodes to define a rotation; use a larger "
                    "node set, or a "
                    "spherical joint"
                )
        return found

    def without_rotation(self, bodies: Mapping[str, Body]) -> list[BodyFrame | None]:
        """Return, for each side, its frame if that has too few nodes to define a rotation."""
        out: list[BodyFrame | None] = []
        for side in (self.first, self.second):
            body = bodies[side.body.name] if isinstance(side, BodyFrame) else None
            bare = isinstance(body, FlexibleBody) and not body.reduced.markers[side.name].has_rotation  # type: ignore[union-attr]
            out.append(side if bare else None)  # type: ignore[arg-type]
        return out

    def _needs_point(self) -> bool:
        return not (isinstance(self.first, BodyFrame) and isinstance(self.second, BodyFrame))

    def _joint_point(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the joint's global point as drawn: given, or that of a named frame on the system's body."""
        if self.point is not None:
            return vector(self.point, f"{self.label}: point")
        for side in (self.second, self.first):
            if isinstance(side, BodyFrame):
                body = bodies.get(side.body.name, side.body)
                return body.start + body.marker(side.name)[0]
        raise InputError(f"{self.label} needs point=(x, y, z), or a named frame body['name'] on one side")

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

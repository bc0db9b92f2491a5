"""The joints, each as its primitive constraints and its free motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called

from ...core.kinds import ATTITUDE, COUPLING
from ...functions.function_pointers import Law
from ...functions.prescribed_motion import Motion, Prescribed
from ...rotation import axes_from_z, direction, finite, vector
from ..bodies import Body, BodyFrame, Ground, RigidBody
from .base import ALIGNED, PARALLEL, FrameData, Free, Joint, Row, Term, points
from .coordinates import ANGLES, CROSS_1, CROSS_2, DISTANCE, SLIDE_X, SLIDE_Y, SLIDE_Z, TURN_Z, X, Y, Z


def _plane_axes(joint: Planar | PointOnPlane | Floating) -> np.ndarray:
    """Return the axes of a joint with a normal and, where it is given, a direction across it."""
    normal = direction(joint.axis, f"{joint.label}: axis")
    if joint.along is None:
        return axes_from_z(normal)
    along = direction(joint.along, f"{joint.label}: along")
    if abs(along @ normal) > 1e-9:
        raise InputError(f"{joint.label}: along={joint.along!r} is not perpendicular to axis={joint.axis!r}")
    return axes_from_z(normal, along)


_TURNS = tuple(Free(True, axis, 1) for axis in (X, Y, Z))


@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """Holds the frames together: no free motion."""

    rows: ClassVar = points(X, Y, Z) + ALIGNED


@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """A hinge about ``axis`` through ``point``: one free rotation."""

    rows: ClassVar = points(X, Y, Z) + PARALLEL
    free: ClassVar = (Free(True, Z),)
    coordinates: ClassVar = {"angle": TURN_Z}


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball joint: two points coincide, Koppens (4.9); three free rotations.

    Its coordinates are the Bryant angles angle_x, angle_y, angle_z of the second body relative to the first: turns
    about x, then the new y, then the newest z axis of the joint (of ``axis``); they are regular while angle_y stays
    within a quarter of a turn.
    """

    rows: ClassVar = points(X, Y, Z)
    free: ClassVar = _TURNS
    coordinates: ClassVar = ANGLES


@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A Cardan joint: ``axes = (a, b)``, the first fixed in the first body, the second in the second body.

    The axes must be perpendicular as drawn and stay so. Its coordinates are angle_1 about the first axis and angle_2
    about the second.
    """

    axes: tuple[str | ArrayLike, str | ArrayLike] = ("y", "z")

    rows: ClassVar = (*points(X, Y, Z), Row(ATTITUDE, Z, X))
    free: ClassVar = (Free(True, Z), Free(True, X, 1))
    coordinates: ClassVar = {"angle_1": CROSS_1, "angle_2": CROSS_2}

    def frame_axes(self) -> np.ndarray:
        """Axes as drawn, (3, 3): z is the first body's axis, x the second body's."""
        if not (isinstance(self.axis, str) and self.axis == "z"):
            raise InputError(f"{self.label} has axis={self.axis!r}; a universal joint has two: axes=(a, b)")
        if not (isinstance(self.axes, tuple | list | np.ndarray) and len(self.axes) == 2):
            raise InputError(
                f"{self.label}: axes is {called(self.axes)}; give two, one on each body, such as ('y', 'z')"
            )
        first = direction(self.axes[0], f"{self.label}: axes[0]")
        second = direction(self.axes[1], f"{self.label}: axes[1]")
        if abs(first @ second) > 1e-9:
            angle = np.degrees(np.arccos(np.clip(first @ second, -1, 1)))
            raise InputError(
                f"{self.label}: its axes stand at {angle:.4g} degrees as drawn; they must be at 90: "
                "give the second "
                "one perpendicular to the first"
            )
        return axes_from_z(first, second)


@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """Rotation about and sliding along ``axis`` of the first body."""

    rows: ClassVar = points(X, Y) + PARALLEL
    free: ClassVar = (Free(True, Z), Free(False, Z))
    coordinates: ClassVar = {"angle": TURN_Z, "slide": SLIDE_Z}


@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """Sliding along ``axis`` of the first body, without rotation: Koppens (4.12)-(4.14)."""

    rows: ClassVar = points(X, Y) + ALIGNED
    free: ClassVar = (Free(False, Z),)
    coordinates: ClassVar = {"slide": SLIDE_Z}


@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """Motion in a plane of the first body; ``axis`` is its normal, ``along`` (if given) the direction of x.

    Its coordinates are the angle about the normal, and x and y in the plane.
    """

    along: str | ArrayLike | None = None

    rows: ClassVar = points(Z) + PARALLEL
    free: ClassVar = (Free(False, X), Free(False, Y), Free(True, Z))
    coordinates: ClassVar = {"angle": TURN_Z, "x": SLIDE_X, "y": SLIDE_Y}

    def frame_axes(self) -> np.ndarray:
        """Axes as drawn, (3, 3)."""
        return _plane_axes(self)


@dataclass(frozen=True, eq=False)
class PointOnLine(Joint):
    """The second body's point stays on the line of the first body through ``point`` along ``axis``."""

    rows: ClassVar = points(X, Y)
    free: ClassVar = (Free(False, Z), *_TURNS)
    coordinates: ClassVar = {"slide": SLIDE_Z, **ANGLES}


@dataclass(frozen=True, eq=False)
class PointOnPlane(Joint):
    """The second body's point stays in the plane of the first body through ``point``; ``axis`` is its normal.

    ``along`` (if given) is the direction of x in the plane.
    """

    along: str | ArrayLike | None = None

    rows: ClassVar = points(Z)
    free: ClassVar = (Free(False, X), Free(False, Y), *_TURNS)
    coordinates: ClassVar = {"x": SLIDE_X, "y": SLIDE_Y, **ANGLES}

    def frame_axes(self) -> np.ndarray:
        """Axes as drawn, (3, 3)."""
        return _plane_axes(self)


@dataclass(frozen=True, eq=False)
class Floating(Joint):
    """Holds nothing, and names how the second body stands to the first: x, y, z and three Bryant angles.

    To drive, couple, hold back or just read the relative (from the ground: the absolute) place and attitude of a
    body or of a named frame. Places are along the axes of the first body as drawn, unless ``axis`` and ``along``
    (the direction of x) say otherwise.
    """

    along: str | ArrayLike | None = None

    free: ClassVar = (*(Free(False, axis) for axis in (X, Y, Z)), *_TURNS)
    coordinates: ClassVar = {"x": SLIDE_X, "y": SLIDE_Y, "z": SLIDE_Z, **ANGLES}

    def frame_axes(self) -> np.ndarray:
        """Axes as drawn, (3, 3)."""
        return _plane_axes(self)


@dataclass(frozen=True, eq=False)
class Screw(Joint):
    """A screw along ``axis`` of the first body: ``slide = pitch / (2 pi) angle``.

    pitch : advance in one turn, m; below zero for a left-hand thread.
    """

    pitch: float = field(kw_only=True)

    rows: ClassVar = (*points(X, Y), *PARALLEL, Row(COUPLING, 0))
    coordinates: ClassVar = {"angle": TURN_Z, "slide": SLIDE_Z}

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The thread."""
        return ((Term(self, "slide"), Term(self, "angle", -self.pitch / (2 * np.pi))),)

    def motions(self, R1: np.ndarray, R2: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the turn with its advance, (6, 1)."""
        e = R1[:, Z]
        return np.concatenate([np.cross(e, d) + self.pitch / (2 * np.pi) * e, e])[:, None]

    def problems(self) -> list[str]:
        """What is wrong with this joint by itself, as sentences."""
        if not finite(self.pitch):
            return [f"{self.label}: pitch is {self.pitch!r}; it is a number, the advance in one turn in m"]
        return super().problems()


@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """A massless bar between two points, Sol (3.3.37): their distance stays as drawn, or follows a function of time.

    first_point, second_point : the ends on rigid bodies or the ground, global as drawn (``point`` stays unused).
    length : m, if it is not that as drawn; the start then moves the bodies. Or a function of time: a rod that is
    driven, such as an actuator with position control, whose ``result.reaction`` is the load that it needs; velocity,
    acceleration : its derivatives, where you have them, as for a :class:`Drive`.

    Its coordinates are "distance", less the length (of a driven rod the length itself), and the Bryant angles of the
    second body relative to the first. Where the bar points has no coordinate of its own: ``result.position(bar,
    relative_to=bar, frame=bar)`` gives it in the first body's base, and a :class:`Floating` joint between the same
    points names its components x, y, z, to be read, driven, coupled or held back.
    """

    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None
    length: Motion | None = None
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None

    rows: ClassVar = (Row(COUPLING, 0),)
    free: ClassVar = (Free(True, X), Free(True, Y), *_TURNS)
    coordinates: ClassVar = {"distance": DISTANCE, **ANGLES}

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The length of the bar."""
        return ((Term(self, "distance"),),)

    def motions(self, R1: np.ndarray, R2: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return two turns of the bar about its first end and three of the second body, (6, 5)."""
        across = axes_from_z(d / np.linalg.norm(d))[:, :2].T
        swings = [np.concatenate([np.cross(e, d), np.zeros(3)]) for e in across]
        turns = [np.concatenate([np.zeros(3), e]) for e in np.eye(3)]
        return np.array([*swings, *turns]).T

    def zero(self, which: str, drawn: float) -> float:
        """Return what the bar's length is measured from, m: the whole of a driven one from nothing."""
        if which != "distance" or self.length is None:
            return drawn
        return 0.0 if callable(self.length) else float(self.length)

    @property
    def prescribed(self) -> Prescribed | None:
        """What the length follows; None where it is constant."""
        return (
            Prescribed(self.length, 0.0, self.velocity, self.acceleration) if callable(self.length) else None
        )

    def law(self, t_end: float) -> Law | None:
        """Return the compiled law of a function of time for a run to ``t_end`` (s), or None."""
        return None if self.prescribed is None else self.prescribed.law(t_end, self.label)

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return both ends, with the bodies of the system looked up by name."""
        axes = self.frame_axes()
        first, second = (self._end(side) for side in (0, 1))
        return first._frame(self.first, axes, bodies), second._frame(self.second, axes, bodies)

    def _end(self, side: int) -> Joint:
        """Return this joint with the point of one of its ends."""
        point = (self.first_point, self.second_point)[side]
        return (
            replace(self, point=point, second=self.first)
            if side == 0
            else replace(self, point=point, first=self.second)
        )

    def problems(self) -> list[str]:
        """What is wrong with this joint by itself, as sentences."""
        found = []
        if self.point is not None:
            found.append(f"{self.label} has two ends and no point=; give first_point= and second_point=")
        for what, side in (("first", self.first), ("second", self.second)):
            point = getattr(self, f"{what}_point")
            if isinstance(side, BodyFrame) and point is not None:
                found.append(
                    f"{self.label} has {what}_point={point!r} and a named frame {side!r}; give one of them"
                )
            elif isinstance(side, RigidBody | Ground) and point is None:
                found.append(
                    f"{self.label} needs {what}_point=(x, y, z) on '{side.name}', or a named frame there"
                )
            elif point is not None:
                try:
                    vector(point, f"{self.label}: {what}_point")
                except InputError as error:
                    found.append(str(error))
        return found + self._length_problems() or self._side_problems()

    def _length_problems(self) -> list[str]:
        """What is wrong with the length, as sentences."""
        first = self.length
        if callable(first):
            try:
                first = first(0.0)
            except Exception:  # said where the function is compiled
                return []
        given = f"gives {first!r} m at t = 0" if callable(self.length) else f"is {first!r}"
        if self.length is not None and not (finite(first) and first > 0):  # type: ignore[operator]
            return [f"{self.label}: length {given}; it must be above zero, or left out"]
        motion = Prescribed(
            1.0 if self.length is None else self.length, 0.0, self.velocity, self.acceleration
        )
        return motion.problems(self.label, "length")

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """What is wrong with the ends on the bodies of a system, as sentences."""
        ends = [
            frame.x + (bodies[frame.body].start if frame.body in bodies else 0)
            for frame in self.frames(bodies)
        ]
        if np.linalg.norm(ends[1] - ends[0]) > 1e-9 * max(1e-3, float(np.abs(ends).max())):
            return []
        return [
            f"{self.label}: its ends coincide as drawn, at {np.round(ends[0], 9).tolist()} m; use a Spherical joint"
        ]

"""The joints, each stated as primitive constraints and free motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.numbers import finite, vector

from ...core.kinds import ATTITUDE, COUPLING
from ...core.rotation import axes_from_z, direction
from ...functions.function_pointers import Law
from ...functions.prescribed_motion import Motion, Prescribed
from ..bodies import Body, BodyFrame, Ground, RigidBody
from .base import ALIGNED, PARALLEL, FrameData, Free, Joint, Row, Term, points
from .coordinates import ANGLES, CROSS_1, CROSS_2, DISTANCE, SLIDE_X, SLIDE_Y, SLIDE_Z, TURN_Z, X, Y, Z


def _plane_axes(joint: Planar | PointOnPlane | Floating) -> np.ndarray:
    """Return the axes of a joint that has a normal and optionally a direction perpendicular to it."""
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
    """A rigid connection of two frames: no free motion.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        Position in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        The z axis of the joint, used for the components of its reaction in its own frame.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> clamp = fb.Fixed("clamp", fb.GROUND, bar, point=(0, 0, 0))
    """

    rows: ClassVar = points(X, Y, Z) + ALIGNED


@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """A hinge about ``axis`` through ``point``: one free rotation.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        A point on the hinge axis in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Hinge axis in the drawn configuration: "x", "y", "z" (default) or a vector (3,).

    Notes
    -----
    The coordinate is "angle" (rad), positive for a right-handed rotation of the second body about the axis.

    Examples
    --------
    >>> import flexbody as fb
    >>> crank = fb.RigidBody("crank", mass=0.9, inertia=(1e-4, 2e-3, 2e-3), center=(0.05, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    >>> list(hinge.coordinates)
    ['angle']
    """

    rows: ClassVar = points(X, Y, Z) + PARALLEL
    free: ClassVar = (Free(True, Z),)
    coordinates: ClassVar = {"angle": TURN_Z}


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball joint: two points coincide, Koppens (4.9); three free rotations.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        Centre of the ball in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        The z axis of the frames that the Bryant angles refer to.

    Notes
    -----
    The coordinates are the Bryant angles "angle_x", "angle_y" and "angle_z" (rad) of the second body relative to the
    first, Sol (2.2.18): rotations about x, then about the rotated y, then about the final z axis of the joint. They are
    regular while "angle_y" is between -pi/2 and pi/2.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> ball = fb.Spherical("ball", fb.GROUND, bar, point=(0, 0, 0))
    """

    rows: ClassVar = points(X, Y, Z)
    free: ClassVar = _TURNS
    coordinates: ClassVar = ANGLES


@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A universal (Cardan) joint: two perpendicular axes, one fixed in each body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        Intersection of the axes in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axes : tuple of two axes, optional
        The axis fixed in the first body and the axis fixed in the second body. They must be perpendicular in the drawn
        configuration and remain perpendicular. Use this parameter instead of ``axis``.

    Notes
    -----
    The coordinates are "angle_1" about the first axis and "angle_2" about the second axis (rad).

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> cross = fb.Universal("cross", fb.GROUND, bar, point=(0, 0, 0), axes=("y", "z"))
    """

    _: KW_ONLY
    axes: tuple[str | ArrayLike, str | ArrayLike] = ("y", "z")

    rows: ClassVar = (*points(X, Y, Z), Row(ATTITUDE, Z, X))
    free: ClassVar = (Free(True, Z), Free(True, X, 1))
    coordinates: ClassVar = {"angle_1": CROSS_1, "angle_2": CROSS_2}

    def frame_axes(self) -> np.ndarray:
        """Return the axes in the drawn configuration.

        Returns
        -------
        numpy.ndarray
            Axes as columns, (3, 3): z is the axis of the first body and x is the axis of the second body.

        Raises
        ------
        fem.InputError
            If ``axis`` is given, or ``axes`` does not hold two perpendicular directions.
        """
        if not (isinstance(self.axis, str) and self.axis == "z"):
            raise InputError(
                f"{self.label} has axis={self.axis!r}; a universal joint has two axes: give axes=(a, b)"
            )
        if not (isinstance(self.axes, tuple | list | np.ndarray) and len(self.axes) == 2):
            raise InputError(
                f"{self.label}: axes is {called(self.axes)}; give two axes, one for each body, such as ('y', 'z')"
            )
        first = direction(self.axes[0], f"{self.label}: axes[0]")
        second = direction(self.axes[1], f"{self.label}: axes[1]")
        if abs(first @ second) > 1e-9:
            angle = np.degrees(np.arccos(np.clip(first @ second, -1, 1)))
            raise InputError(
                f"{self.label}: the angle between its axes is {angle:.4g} degrees as drawn and must be 90 degrees; "
                "give a second axis that is perpendicular to the first"
            )
        return axes_from_z(first, second)


@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """A cylindrical joint: rotation about and translation along ``axis`` of the first body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        A point on the axis in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Axis in the drawn configuration: "x", "y", "z" (default) or a vector (3,).

    Notes
    -----
    The coordinates are "angle" (rad) and "slide" (m).
    """

    rows: ClassVar = points(X, Y) + PARALLEL
    free: ClassVar = (Free(True, Z), Free(False, Z))
    coordinates: ClassVar = {"angle": TURN_Z, "slide": SLIDE_Z}


@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """A prismatic joint: translation along ``axis`` of the first body without rotation, Koppens (4.12)-(4.14).

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        A point on the axis in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Direction of the translation in the drawn configuration: "x", "y", "z" (default) or a vector (3,).

    Notes
    -----
    The coordinate is "slide" (m).

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> guide = fb.Prismatic("guide", fb.GROUND, bar, point=(0, 0, 0), axis="x")
    """

    rows: ClassVar = points(X, Y) + ALIGNED
    free: ClassVar = (Free(False, Z),)
    coordinates: ClassVar = {"slide": SLIDE_Z}


@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """A planar joint: motion in a plane of the first body, with rotation about the normal of the plane.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        A point in the plane in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Normal of the plane in the drawn configuration: "x", "y", "z" (default) or a vector (3,).
    along : str or array_like, optional
        Direction of the coordinate x, perpendicular to ``axis``. By default it follows the inertial axis that is
        closest to the plane.

    Notes
    -----
    The coordinates are "angle" about the normal (rad), and "x" and "y" in the plane (m).
    """

    _: KW_ONLY
    along: str | ArrayLike | None = None

    rows: ClassVar = points(Z) + PARALLEL
    free: ClassVar = (Free(False, X), Free(False, Y), Free(True, Z))
    coordinates: ClassVar = {"angle": TURN_Z, "x": SLIDE_X, "y": SLIDE_Y}

    def frame_axes(self) -> np.ndarray:
        """Return the axes in the drawn configuration, (3, 3), columns."""
        return _plane_axes(self)


@dataclass(frozen=True, eq=False)
class PointOnLine(Joint):
    """A point of the second body stays on a line of the first body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The body of the line and the body of the point.
    point : array_like, optional
        The point in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Direction of the line in the drawn configuration: "x", "y", "z" (default) or a vector (3,).

    Notes
    -----
    The coordinates are "slide" along the line (m) and the Bryant angles "angle_x", "angle_y", "angle_z" (rad).
    """

    rows: ClassVar = points(X, Y)
    free: ClassVar = (Free(False, Z), *_TURNS)
    coordinates: ClassVar = {"slide": SLIDE_Z, **ANGLES}


@dataclass(frozen=True, eq=False)
class PointOnPlane(Joint):
    """A point of the second body stays in a plane of the first body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The body of the plane and the body of the point.
    point : array_like, optional
        The point in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Normal of the plane in the drawn configuration: "x", "y", "z" (default) or a vector (3,).
    along : str or array_like, optional
        Direction of the coordinate x, perpendicular to ``axis``.

    Notes
    -----
    The coordinates are "x" and "y" in the plane (m) and the Bryant angles "angle_x", "angle_y", "angle_z" (rad).
    """

    _: KW_ONLY
    along: str | ArrayLike | None = None

    rows: ClassVar = points(Z)
    free: ClassVar = (Free(False, X), Free(False, Y), *_TURNS)
    coordinates: ClassVar = {"x": SLIDE_X, "y": SLIDE_Y, **ANGLES}

    def frame_axes(self) -> np.ndarray:
        """Return the axes in the drawn configuration, (3, 3), columns."""
        return _plane_axes(self)


@dataclass(frozen=True, eq=False)
class Floating(Joint):
    """A joint without constraints: it defines coordinates for the position and attitude of the second body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides. With GROUND as the first side the coordinates are absolute.
    point : array_like, optional
        The point in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        The z axis of the frames in the drawn configuration.
    along : str or array_like, optional
        The x axis of the frames in the drawn configuration, perpendicular to ``axis``.

    Notes
    -----
    The coordinates are "x", "y", "z" (m) along the axes of the first body and the Bryant angles "angle_x", "angle_y",
    "angle_z" (rad). They can be read, driven, coupled, and loaded by forces.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> place = fb.Floating("place", fb.GROUND, bar, point=(0.3, 0, 0))
    >>> list(place.coordinates)
    ['x', 'y', 'z', 'angle_x', 'angle_y', 'angle_z']
    """

    _: KW_ONLY
    along: str | ArrayLike | None = None

    free: ClassVar = (*(Free(False, axis) for axis in (X, Y, Z)), *_TURNS)
    coordinates: ClassVar = {"x": SLIDE_X, "y": SLIDE_Y, "z": SLIDE_Z, **ANGLES}

    def frame_axes(self) -> np.ndarray:
        """Return the axes in the drawn configuration, (3, 3), columns."""
        return _plane_axes(self)


@dataclass(frozen=True, eq=False)
class Screw(Joint):
    """A screw joint along ``axis`` of the first body: ``slide = pitch / (2 pi) angle``.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    point : array_like, optional
        A point on the axis in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Axis in the drawn configuration: "x", "y", "z" (default) or a vector (3,).
    pitch : float
        Translation for one turn, m, keyword-only; below zero for a left-hand thread.

    Notes
    -----
    The coordinates are "angle" (rad) and "slide" (m).

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> thread = fb.Screw("thread", fb.GROUND, bar, point=(0, 0, 0), axis="x", pitch=2e-3)
    """

    _: KW_ONLY
    pitch: float

    rows: ClassVar = (*points(X, Y), *PARALLEL, Row(COUPLING, 0))
    coordinates: ClassVar = {"angle": TURN_Z, "slide": SLIDE_Z}

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The constrained sum of slide and angle, as a tuple with one entry."""
        return ((Term(self, "slide"), Term(self, "angle", -self.pitch / (2 * np.pi))),)

    def motions(self, R1: np.ndarray, R2: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the matrix H (6, 1) of the free motion: a rotation with its translation along the axis.

        Parameters
        ----------
        R1, R2 : numpy.ndarray
            Axes of both frames, (3, 3), columns, inertial base.
        d : numpy.ndarray
            Vector from the point of the first frame to the point of the second frame, (3,), m.

        Returns
        -------
        numpy.ndarray
            H, (6, 1).
        """
        e = R1[:, Z]
        return np.concatenate([np.cross(e, d) + self.pitch / (2 * np.pi) * e, e])[:, None]

    def problems(self) -> list[str]:
        """Return the problems of this joint by itself as sentences."""
        if not finite(self.pitch):
            return [
                f"{self.label}: pitch is {self.pitch!r}; it must be a number, the translation for one turn in m"
            ]
        return super().problems()


@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """A massless rod between two points, Sol (3.3.37): their distance is constant or a given function of time.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    first_point, second_point : array_like, optional
        Ends of the rod on rigid bodies or the ground in the drawn configuration, (3,), m, inertial base. A side that is
        a named frame needs none. ``point`` is not used.
    length : float or callable, optional
        Length of the rod, m. By default it is the drawn length; for another number the start moves the bodies. A
        function of time (s) describes a driven rod, for example an actuator with position control.
    velocity, acceleration : callable, optional
        First and second derivative of ``length`` (m/s, m/s^2), as for a :class:`Drive`.

    Notes
    -----
    The coordinates are "distance" (m) and the Bryant angles "angle_x", "angle_y", "angle_z" (rad) of the second body
    relative to the first. "distance" is the distance of both points minus the length; for a driven rod it is the
    distance itself. The load that a driven rod needs is its ``result.reaction``.

    The direction of the rod has no coordinates. ``result.position(rod, relative_to=rod, frame=rod)`` gives it in the
    base of the first body. A :class:`Floating` joint between the same points gives its components x, y, z, which can be
    read, driven, coupled, and loaded by forces.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> rod = fb.Distance("rod", fb.GROUND, bar, first_point=(0, 0, 1), second_point=(0.6, 0, 0))
    """

    _: KW_ONLY
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
        """The constrained distance, as a tuple with one entry."""
        return ((Term(self, "distance"),),)

    def motions(self, R1: np.ndarray, R2: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Return the matrix H (6, 5): two rotations of the rod about its first end, three of the second body.

        Parameters
        ----------
        R1, R2 : numpy.ndarray
            Axes of both frames, (3, 3), columns, inertial base.
        d : numpy.ndarray
            Vector from the first end to the second end, (3,), m.

        Returns
        -------
        numpy.ndarray
            H, (6, 5).
        """
        across = axes_from_z(d / np.linalg.norm(d))[:, :2].T
        swings = [np.concatenate([np.cross(e, d), np.zeros(3)]) for e in across]
        turns = [np.concatenate([np.zeros(3), e]) for e in np.eye(3)]
        return np.array([*swings, *turns]).T

    def zero(self, which: str, drawn: float) -> float:
        """Return the reference value of the distance, m; it is zero for a driven rod."""
        if which != "distance" or self.length is None:
            return drawn
        return 0.0 if callable(self.length) else float(self.length)

    @property
    def prescribed(self) -> Prescribed | None:
        """The prescribed length as a function of time; None if the length is constant."""
        return (
            Prescribed(self.length, 0.0, self.velocity, self.acceleration) if callable(self.length) else None
        )

    def law(self, t_end: float) -> Law | None:
        """Return the compiled function of time for a run to ``t_end`` (s), or None if the length is constant."""
        return None if self.prescribed is None else self.prescribed.law(t_end, self.label)

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return both ends of the rod, each on the body of that name in ``bodies``."""
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
        """Return the problems of this joint by itself as sentences."""
        found = []
        if self.point is not None:
            found.append(
                f"{self.label} has point={self.point!r}, but a rod has two ends; give first_point= and second_point="
            )
        for what, side in (("first", self.first), ("second", self.second)):
            point = getattr(self, f"{what}_point")
            if isinstance(side, BodyFrame) and point is not None:
                found.append(
                    f"{self.label} has {what}_point={point!r} and the named frame {side!r}; give only one of them"
                )
            elif isinstance(side, RigidBody | Ground) and point is None:
                found.append(
                    f"{self.label} has no end on '{side.name}'; give {what}_point=(x, y, z) or a named frame"
                )
            elif point is not None:
                try:
                    vector(point, f"{self.label}: {what}_point")
                except InputError as error:
                    found.append(str(error))
        return found + self._length_problems() or self._side_problems()

    def _length_problems(self) -> list[str]:
        """Return the problems of the length as sentences."""
        first = self.length
        if callable(first):
            try:
                first = first(0.0)
            except Exception:  # the error is reported when the function is compiled
                return []
        shown = f"is {first!r} m at t = 0" if callable(self.length) else f"is {first!r}"
        if self.length is not None and not (finite(first) and first > 0):  # type: ignore[operator]
            return [f"{self.label}: length {shown}; it must be above zero (m), or be left out"]
        motion = Prescribed(
            1.0 if self.length is None else self.length, 0.0, self.velocity, self.acceleration
        )
        return motion.problems(self.label, "length")

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the ends on the bodies of a system as sentences."""
        ends = [
            frame.x + (bodies[frame.body].start if frame.body in bodies else 0)
            for frame in self.frames(bodies)
        ]
        if np.linalg.norm(ends[1] - ends[0]) > 1e-9 * max(1e-3, float(np.abs(ends).max())):
            return []
        return [
            f"{self.label}: its ends coincide as drawn, at {np.round(ends[0], 9).tolist()} m; use a Spherical joint"
        ]

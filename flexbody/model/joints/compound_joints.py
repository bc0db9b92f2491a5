"""Joints that are no lower pairs, each stated as primitive constraints and free motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.numbers import is_number, vector

from ...core.kinds import ATTITUDE
from ...core.rotation import axes_from_z, direction
from ...functions.prescribed_motion import Motion, Prescribed
from ..rigid_motion import AT_REST, Motions
from ..sides import Body
from .base import Joint, Term
from .coordinates import ANGLES, CROSS_1, CROSS_2, DISTANCE, SLIDE_X, SLIDE_Y, SLIDE_Z, X, Y, Z
from .placed_joint import AxisJoint, DirectedJoint, PlacedJoint
from .rows import SUM, TURNS, Free, Row, points


@dataclass(frozen=True, eq=False)
class Universal(PlacedJoint):
    """A universal (Cardan) joint: two perpendicular axes, one fixed in each body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
    point : array_like, optional
        Intersection of the axes in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axes : tuple of two axes, optional
        The axis fixed in the first body and the axis fixed in the second body. They must be perpendicular in the drawn
        configuration and remain perpendicular.

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
            If ``axes`` does not hold two perpendicular directions.
        """
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

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Universal:
        """Return this joint on bodies that are drawn elsewhere; each axis moves with its body."""
        axes = self.frame_axes()
        one, other = (motions.get(side.body.name, AT_REST).R for side in self.sides())
        first, second = one @ axes[:, 2], other @ axes[:, 0]
        return replace(super().redrawn(bodies, motions), axes=(first, second - first * (first @ second)))


@dataclass(frozen=True, eq=False)
class PointOnLine(AxisJoint):
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

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> slot = fb.PointOnLine("slot", fb.GROUND, bar, point=(0, 0, 0), axis="x")
    >>> list(slot.coordinates)
    ['slide', 'angle_x', 'angle_y', 'angle_z']
    """

    rows: ClassVar = points(X, Y)
    free: ClassVar = (Free(False, Z), *TURNS)
    coordinates: ClassVar = {"slide": SLIDE_Z, **ANGLES}


@dataclass(frozen=True, eq=False)
class PointOnPlane(DirectedJoint):
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

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> floor = fb.PointOnPlane("floor", fb.GROUND, bar, point=(0, 0, 0), axis="z", along="x")
    >>> list(floor.coordinates)
    ['x', 'y', 'angle_x', 'angle_y', 'angle_z']
    """

    rows: ClassVar = points(Z)
    free: ClassVar = (Free(False, X), Free(False, Y), *TURNS)
    coordinates: ClassVar = {"x": SLIDE_X, "y": SLIDE_Y, **ANGLES}


@dataclass(frozen=True, eq=False)
class Floating(DirectedJoint):
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

    free: ClassVar = (*(Free(False, axis) for axis in (X, Y, Z)), *TURNS)
    coordinates: ClassVar = {"x": SLIDE_X, "y": SLIDE_Y, "z": SLIDE_Z, **ANGLES}


@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """A massless rod between two points, Sol (3.3.37): their distance is constant or a given function of time.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
    first_point, second_point : array_like, optional
        Ends of the rod on rigid bodies or the ground in the drawn configuration, (3,), m, inertial base. A side that is
        a named frame needs none.
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

    rows: ClassVar = SUM
    free: ClassVar = (Free(True, X), Free(True, Y), *TURNS)
    carries: ClassVar = False
    why_cut: ClassVar = "the direction of a rod has no regular coordinates"
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

    @property
    def given(self) -> str:
        """The name "length" if the length is a function of time, else ""."""
        return "length" if callable(self.length) else ""

    def frame_points(self, bodies: Mapping[str, Body]) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return both ends of the rod; None for a side that is a named frame."""
        first, second = (
            None if point is None else vector(point, f"{self.label}: {what}")
            for what, point in (("first_point", self.first_point), ("second_point", self.second_point))
        )
        return first, second

    def undrivable(self, which: str) -> str:
        """Return that the rod prescribes its own length."""
        if which != "distance":
            return ""
        return (
            f"{self.label} prescribes its own length. For a rod whose length is a function of time write "
            "Distance(..., length=lambda t: 1.0 + 0.1 * np.sin(t)), in m; its reaction is the load"
        )

    def problems(self) -> list[str]:
        """Return the problems of this joint by itself as sentences."""
        return self._side_problems() or self._end_problems() + self._length_problems()

    def _end_problems(self) -> list[str]:
        """Return the problems of both ends as sentences."""
        found = []
        for what, side in zip(("first", "second"), self.sides(), strict=True):
            point = getattr(self, f"{what}_point")
            if side.named and point is not None:
                found.append(
                    f"{self.label} has {what}_point={point!r} and the named frame {side!r}; give only one of them"
                )
            elif not side.named and point is None:
                found.append(
                    f"{self.label} has no end on '{side.name}'; give {what}_point=(x, y, z) or a named frame"
                )
        try:
            self.frame_points({})
        except InputError as error:
            found.append(str(error))
        return found

    def _length_problems(self) -> list[str]:
        """Return the problems of the length as sentences."""
        first = self.length
        if callable(first):
            try:
                first = first(0.0)
            except Exception:  # the error is reported when the function is compiled
                return []
        shown = f"is {first!r} m at t = 0" if callable(self.length) else f"is {first!r}"
        if self.length is not None and not (is_number(first) and first > 0):  # type: ignore[operator]
            return [f"{self.label}: length {shown}; it must be above zero (m), or be left out"]
        motion = Prescribed(
            1.0 if self.length is None else self.length, 0.0, self.velocity, self.acceleration
        )
        return motion.problems(self.label, "length")

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the ends on the bodies of a system as sentences."""
        ends = [frame.drawn(bodies) for frame in self.frames(bodies)]
        if np.linalg.norm(ends[1] - ends[0]) > 1e-9 * max(1e-3, float(np.abs(ends).max())):
            return []
        return [
            f"{self.label}: its ends coincide as drawn, at {np.round(ends[0], 9).tolist()} m; use a Spherical joint"
        ]

"""The lower pairs, each stated as primitive constraints and free motions."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from fem.common.numbers import is_number

from ...core.kinds import COUPLING
from .base import Term
from .coordinates import ANGLES, SLIDE_X, SLIDE_Y, SLIDE_Z, TURN_Z, X, Y, Z
from .placed_joint import AxisJoint, DirectedJoint, PlacedJoint
from .rows import ALIGNED, PARALLEL, TURNS, Free, Row, points


@dataclass(frozen=True, eq=False)
class Fixed(AxisJoint):
    """A rigid connection of two frames: no free motion.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
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
class Revolute(AxisJoint):
    """A hinge about ``axis`` through ``point``: one free rotation.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
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
class Prismatic(AxisJoint):
    """A prismatic joint: translation along ``axis`` of the first body without rotation, Koppens (4.12)-(4.14).

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
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
class Cylindrical(AxisJoint):
    """A cylindrical joint: rotation about and translation along ``axis`` of the first body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
    point : array_like, optional
        A point on the axis in the drawn configuration, (3,), m; it is needed unless one side is a named frame.
    axis : str or array_like, optional
        Axis in the drawn configuration: "x", "y", "z" (default) or a vector (3,).

    Notes
    -----
    The coordinates are "angle" (rad) and "slide" (m).

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> sleeve = fb.Cylindrical("sleeve", fb.GROUND, bar, point=(0, 0, 0), axis="x")
    >>> list(sleeve.coordinates)
    ['angle', 'slide']
    """

    rows: ClassVar = points(X, Y) + PARALLEL
    free: ClassVar = (Free(True, Z), Free(False, Z))
    coordinates: ClassVar = {"angle": TURN_Z, "slide": SLIDE_Z}


@dataclass(frozen=True, eq=False)
class Screw(AxisJoint):
    """A screw joint along ``axis`` of the first body: ``slide = pitch / (2 pi) angle``.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
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
    free: ClassVar = (Free(True, Z),)
    threaded: ClassVar = True
    coordinates: ClassVar = {"angle": TURN_Z, "slide": SLIDE_Z}

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The constrained sum of slide and angle, as a tuple with one entry."""
        return ((Term(self, "slide"), Term(self, "angle", -self.lead)),)

    @property
    def lead(self) -> float:
        """Translation along the axis per rad, m."""
        return self.pitch / (2 * np.pi)

    def problems(self) -> list[str]:
        """Return the problems of this joint by itself as sentences."""
        if not is_number(self.pitch):
            return [
                f"{self.label}: pitch is {self.pitch!r}; it must be a number, the translation for one turn in m"
            ]
        return super().problems()


@dataclass(frozen=True, eq=False)
class Planar(DirectedJoint):
    """A planar joint: motion in a plane of the first body, with rotation about the normal of the plane.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
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

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> table = fb.Planar("table", fb.GROUND, bar, point=(0, 0, 0), axis="z", along="x")
    >>> list(table.coordinates)
    ['angle', 'x', 'y']
    """

    rows: ClassVar = points(Z) + PARALLEL
    free: ClassVar = (Free(False, X), Free(False, Y), Free(True, Z))
    coordinates: ClassVar = {"angle": TURN_Z, "x": SLIDE_X, "y": SLIDE_Y}


@dataclass(frozen=True, eq=False)
class Spherical(PlacedJoint):
    """A ball joint: two points coincide, Koppens (4.9); three free rotations.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``.
    point : array_like, optional
        Centre of the ball in the drawn configuration, (3,), m; it is needed unless one side is a named frame.

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
    free: ClassVar = TURNS
    coordinates: ClassVar = ANGLES

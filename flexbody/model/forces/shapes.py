"""Shapes that touch each other: planes, spheres, cylinders and boxes, each carried by a body or the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.numbers import floats, is_number
from fem.common.signatures import Described
from fem.common.values import NotNegative, Positive

from ...core import kinds
from ...core.rotation import axes_from_z, direction
from ..rigid_motion import AT_REST, Motions
from ..sides import Body, FrameData, Side
from .place import frame_at, point_problems, side_problems


class Shape(Described):
    """A shape on a side of a contact: the base class of planes, spheres, cylinders, boxes and wheels.

    Notes
    -----
    A subclass is a frozen dataclass with ``side``, ``point``, ``sizes`` and ``axes``.
    """

    side: Side
    point: ArrayLike | None
    #: Kind of the shape in the compiled core.
    kind: ClassVar[int]
    #: Number of points that may touch another surface.
    n_points: ClassVar[int] = 1
    #: Whether the shape has an orientation.
    turns: ClassVar[bool] = True

    @property
    def sizes(self) -> tuple[float, ...]:
        """The sizes of the shape for the compiled core, m, at most three."""
        raise NotImplementedError

    def axes(self) -> np.ndarray:
        """Return the axes of the shape in the drawn configuration.

        Returns
        -------
        numpy.ndarray
            Axes as columns, (3, 3).
        """
        return np.eye(3)

    def turned(self, R: np.ndarray) -> dict[str, Any]:
        """Return the fields that a rotation of the body changes.

        Parameters
        ----------
        R : numpy.ndarray
            Rotation matrix, (3, 3).

        Returns
        -------
        dict
            New values by field.
        """
        return {}

    def frame(self, bodies: Mapping[str, Body], label: str) -> FrameData:
        """Return the frame of the shape on its body.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the contact in messages.

        Returns
        -------
        FrameData
            The frame.
        """
        return frame_at(self.side, self.point, bodies, label)._replace(A=self.axes())

    def redrawn(self, motions: Motions) -> Self:
        """Return this shape on a body that is drawn elsewhere.

        Parameters
        ----------
        motions : mapping of str to RigidMotion
            The motions of the bodies by name.

        Returns
        -------
        Shape
            The shape.
        """
        motion = motions.get(self.side.body.name, AT_REST)
        at = {} if self.point is None else {"point": motion.point(self.point)}
        return replace(self, **at, **self.turned(motion.R))  # type: ignore[type-var]

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of the shape on the bodies of a system.

        Parameters
        ----------
        bodies : mapping of str to Body
            The bodies by name.
        label : str
            The contact, for messages.

        Returns
        -------
        list of str
            The problems as sentences.
        """
        if not self.turns or self.side.has_rotation(bodies):
            return []
        return [
            f"{label}: {self.side!r} has too few nodes to define a rotation, which a {type(self).__name__} needs; use "
            "a larger node set, or a Sphere"
        ]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this shape as sentences.

        Parameters
        ----------
        label : str
            Name of the contact in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        where = f"{label}: {type(self).__name__}"
        found = side_problems(self.side, self.point, where) + point_problems(self.point, f"{where}: point")
        try:
            self.axes()
        except InputError as error:
            found.append(f"{label}: {error}")
        return found + self.size_problems(where)

    def size_problems(self, where: str) -> list[str]:
        """Return the problems of the sizes as sentences; ``where`` names the shape.

        Parameters
        ----------
        where : str
            Name of contact and shape in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []


class RoundShape(Shape):
    """A shape with circular sections about an axis, its field ``axis``: base class."""

    axis: str | ArrayLike

    def axes(self) -> np.ndarray:
        """Return the axes of the shape, (3, 3), columns; z is its own axis."""
        return axes_from_z(direction(self.axis, f"{type(self).__name__}: axis"))

    def turned(self, R: np.ndarray) -> dict[str, Any]:
        """Return the axis after a rotation."""
        return {"axis": R @ self.axes()[:, 2]}


def length_problems(shape: Shape, where: str, *names: str) -> list[str]:
    """Return a sentence for each field of a shape that is not a number above zero; ``where`` names the shape."""
    values = {name: getattr(shape, name) for name in names}
    return [
        f"{where}: {name} is {value!r}; it must be a number above zero"
        for name, value in values.items()
        if not (is_number(value) and value > 0)
    ]


@dataclass(frozen=True, eq=False)
class Plane(Shape):
    """A half-space: what lies below the plane is solid.

    Parameters
    ----------
    side : RigidBody, BodyFrame or GROUND
        What carries it.
    normal : str or array_like, optional
        Outward normal in the drawn configuration: "x", "y", "z", with a sign ("-z"), or a vector (3,).
    point : array_like, optional
        A point of the plane in the drawn configuration, (3,), m; by default the origin on the ground, the centre of
        mass of a body, or the position of a named frame.

    Examples
    --------
    >>> import flexbody as fb
    >>> floor = fb.Plane(fb.GROUND, normal="z")
    """

    side: Side
    normal: str | ArrayLike = "z"
    _: KW_ONLY
    point: ArrayLike | None = None

    kind: ClassVar = kinds.PLANE
    sizes: ClassVar = ()

    def axes(self) -> np.ndarray:
        """Return the axes of the plane, (3, 3), columns; z is the normal."""
        return axes_from_z(direction(self.normal, "Plane: normal"))

    def turned(self, R: np.ndarray) -> dict[str, Any]:
        """Return the normal after a rotation."""
        return {"normal": R @ self.axes()[:, 2]}


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A sphere, or a point (radius 0).

    Parameters
    ----------
    side : RigidBody, BodyFrame or GROUND
        What carries it.
    radius : float
        Radius, m; 0 for a point.
    point : array_like, optional
        Centre in the drawn configuration, (3,), m; by default the centre of mass of a rigid body, the origin on the
        ground, or the position of a named frame.

    Examples
    --------
    >>> import flexbody as fb
    >>> ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 0.1))
    >>> surface = fb.Sphere(ball, 0.1)
    """

    side: Side
    radius: Annotated[float, NotNegative]
    _: KW_ONLY
    point: ArrayLike | None = None

    kind: ClassVar = kinds.SPHERE
    turns: ClassVar = False

    @property
    def sizes(self) -> tuple[float, ...]:
        """The radius, m."""
        return (float(self.radius),)

    def size_problems(self, where: str) -> list[str]:
        """Return the problem of the radius as a sentence."""
        if is_number(self.radius) and self.radius >= 0:
            return []
        return [f"{where}: radius is {self.radius!r}; it must be a number, not below zero"]


@dataclass(frozen=True, eq=False)
class Cylinder(RoundShape):
    """A solid circular cylinder with flat ends.

    Parameters
    ----------
    side : RigidBody, BodyFrame or GROUND
        What carries it.
    radius, length : float
        Radius, and length along the axis, m.
    axis : str or array_like, optional
        Axis in the drawn configuration: "x", "y", "z", or a vector (3,).
    point : array_like, optional
        Centre in the drawn configuration, (3,), m; by default as for :class:`Sphere`.

    Examples
    --------
    >>> import flexbody as fb
    >>> log = fb.RigidBody("log", mass=1.0, inertia=(0.1, 0.1, 5e-3), center=(0, 0, 0.1))
    >>> surface = fb.Cylinder(log, 0.1, 0.6, axis="y")
    """

    side: Side
    radius: Annotated[float, Positive]
    length: Annotated[float, Positive]
    _: KW_ONLY
    axis: str | ArrayLike = "z"
    point: ArrayLike | None = None

    kind: ClassVar = kinds.CYLINDER
    n_points: ClassVar = 8

    @property
    def sizes(self) -> tuple[float, ...]:
        """Radius and length, m."""
        return float(self.radius), float(self.length)

    def size_problems(self, where: str) -> list[str]:
        """Return the problems of radius and length as sentences."""
        return length_problems(self, where, "radius", "length")


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A solid box.

    Parameters
    ----------
    side : RigidBody, BodyFrame or GROUND
        What carries it.
    size : array_like
        Lengths of its sides, (3,), m.
    orientation : array_like, optional
        Directions of its sides in the drawn configuration as rows, (3, 3). By default the inertial axes.
    point : array_like, optional
        Centre in the drawn configuration, (3,), m; by default as for :class:`Sphere`.

    Examples
    --------
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0, 0, 0.1))
    >>> surface = fb.Box(block, (0.4, 0.3, 0.2))
    """

    side: Side
    size: ArrayLike
    _: KW_ONLY
    orientation: ArrayLike | None = None
    point: ArrayLike | None = None

    kind: ClassVar = kinds.BOX
    n_points: ClassVar = 8

    @property
    def sizes(self) -> tuple[float, ...]:
        """Lengths of the sides, m."""
        return tuple(float(length) for length in np.asarray(self.size, dtype=float))

    def axes(self) -> np.ndarray:
        """Return the directions of the sides, (3, 3), columns."""
        given = floats(np.eye(3) if self.orientation is None else self.orientation)
        if given is None or given.shape != (3, 3) or not np.allclose(given @ given.T, np.eye(3), atol=1e-9):
            raise InputError(
                f"Box: orientation is {self.orientation!r}; give three perpendicular unit vectors"
            )
        if np.linalg.det(given) < 0:
            raise InputError("Box: orientation is left-handed; reverse one of its directions")
        return given.T

    def turned(self, R: np.ndarray) -> dict[str, Any]:
        """Return the directions of the sides after a rotation."""
        return {"orientation": (R @ self.axes()).T}

    def size_problems(self, where: str) -> list[str]:
        """Return the problem of the sides as a sentence."""
        size = floats(self.size)
        if size is not None and size.shape == (3,) and np.isfinite(size).all() and (size > 0).all():
            return []
        return [f"{where}: size is {self.size!r}; give three lengths above zero"]

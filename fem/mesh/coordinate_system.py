"""Coordinate systems of files: rectangular, cylindrical and spherical."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.numbers import numbers

#: below this distance from the axis, over the size of the numbers, the direction around it is not defined
_ON_AXIS = 1e-12


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class CoordinateSystem:
    """A rectangular coordinate system: x, y, z. The base of the cylindrical and the spherical one.

    Parameters
    ----------
    origin : (3,), m
        Origin.
    axes : array (3, 3)
        Rows are the directions of x, y and z in global components, at right angles.

    Raises
    ------
    InputError
        The axes are not at right angles.

    Examples
    --------
    >>> import fem
    >>> moved = fem.CoordinateSystem((0.0, 0.0, 0.1))
    >>> moved.points([[2.0, 1.0, 0.5]]).round(9).tolist()
    [[2.0, 1.0, 0.6]]
    """

    #: in messages
    kind: ClassVar[str] = "rectangular"
    origin: tuple[float, float, float] | np.ndarray = (0.0, 0.0, 0.0)
    axes: tuple | np.ndarray = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        """Check the axes, which are normalised."""
        what = f"of a {self.kind} system (fem.CoordinateSystem, fem.CylindricalSystem or fem.SphericalSystem)"
        origin = numbers(self.origin, (3,), f"origin= {what}")
        axes = numbers(self.axes, (3, 3), f"axes= {what}, three directions,")
        length = np.linalg.norm(axes, axis=1, keepdims=True)
        axes = axes / np.where(length > 0, length, 1.0)
        if not np.allclose(axes @ axes.T, np.eye(3), atol=1e-6) or np.linalg.det(axes) < 0:
            raise InputError("axes= of a coordinate system must be x, y and z at right angles, right-handed")
        for name, value in (("origin", origin), ("axes", axes)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Return one line."""
        place = ", ".join(f"{x:.6g}" for x in self.origin)
        return f"<{type(self).__name__}: origin ({place}) m>"

    @check_arguments
    def points(self, coordinates: np.ndarray) -> np.ndarray:
        """Return points from their coordinates in this system.

        Parameters
        ----------
        coordinates : array (n, 3), m and degrees
            Coordinates in the order of the system; angles in degrees.

        Returns
        -------
        array (n, 3), m
            Points, global axes.
        """
        coordinates = np.atleast_2d(np.asarray(coordinates, dtype=float))
        a, b, c = numbers(coordinates, (len(coordinates), 3), "coordinates").T
        return self.origin + self._local(a, b, c) @ self.axes

    @check_arguments
    def axes_at(self, point: np.ndarray) -> np.ndarray:
        """Return the directions of the three coordinates at a point.

        Parameters
        ----------
        point : array (3,), m
            Point, global axes.

        Returns
        -------
        array (3, 3)
            Rows are unit vectors; on the axis of a cylindrical or spherical system the radial direction is its x axis.
        """
        point = numbers(point, (3,), "the point")
        return self._directions(self.axes @ (point - self.origin)) @ self.axes

    def _local(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        """Return x, y, z (n, 3) in this system, m, of three coordinates (n,)."""
        return np.column_stack([a, b, c])

    def _directions(self, point: np.ndarray) -> np.ndarray:
        """Return the directions (3, 3) of the coordinates at a point, both in this system."""
        return np.eye(3)

    def _around(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Return the distance from the axis, m, and cosine and sine of the angle about it, 1 and 0 on the axis."""
        from_axis = float(np.hypot(x, y))
        scale = max(abs(x), abs(y), abs(z), float(np.abs(self.origin).max()))
        c, s = (x / from_axis, y / from_axis) if from_axis > _ON_AXIS * scale else (1.0, 0.0)
        return from_axis, c, s


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class CylindricalSystem(CoordinateSystem):
    """A cylindrical coordinate system: r, theta, z; theta in degrees from the x axis about z.

    Parameters
    ----------
    origin, axes
        As of :class:`CoordinateSystem`.

    Examples
    --------
    >>> import fem
    >>> drum = fem.CylindricalSystem((0.0, 0.0, 0.1))
    >>> drum.points([[2.0, 90.0, 0.5]]).round(9).tolist()
    [[0.0, 2.0, 0.6]]
    """

    kind: ClassVar[str] = "cylindrical"

    def _local(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return np.column_stack([a * np.cos(np.radians(b)), a * np.sin(np.radians(b)), c])

    def _directions(self, point: np.ndarray) -> np.ndarray:
        _, c, s = self._around(*point)
        return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class SphericalSystem(CoordinateSystem):
    """A spherical coordinate system: r, theta, phi; theta in degrees from z, phi in degrees from x about z.

    Parameters
    ----------
    origin, axes
        As of :class:`CoordinateSystem`.

    Examples
    --------
    >>> import fem
    >>> ball = fem.SphericalSystem()
    >>> ball.points([[2.0, 90.0, 90.0]]).round(9).tolist()
    [[0.0, 2.0, 0.0]]
    """

    kind: ClassVar[str] = "spherical"

    def _local(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        theta, phi = np.radians(b), np.radians(c)
        from_axis = a * np.sin(theta)
        return np.column_stack([from_axis * np.cos(phi), from_axis * np.sin(phi), a * np.cos(theta)])

    def _directions(self, point: np.ndarray) -> np.ndarray:
        from_axis, c, s = self._around(*point)
        theta = np.arctan2(from_axis, point[2])
        ct, st = np.cos(theta), np.sin(theta)
        return np.array([[st * c, st * s, ct], [ct * c, ct * s, -st], [-s, c, 0.0]])

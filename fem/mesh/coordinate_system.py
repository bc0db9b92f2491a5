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
        """Return the directions of the three coordinates at a point, or at several.

        Parameters
        ----------
        point : array (3,) or (n, 3), m
            Points, global axes.

        Returns
        -------
        array (3, 3) or (n, 3, 3)
            Rows are unit vectors; on the axis of a cylindrical or spherical system the radial direction is its x axis.
        """
        shape = (3,) if np.ndim(point) < 2 else (len(point), 3)
        point = numbers(point, shape, "the point")
        axes = np.asarray(self.axes)
        found: np.ndarray = self._directions((point - self.origin) @ axes.T) @ axes
        return found

    def _local(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        """Return x, y, z (n, 3) in this system, m, of three coordinates (n,)."""
        return np.column_stack([a, b, c])

    def _directions(self, point: np.ndarray) -> np.ndarray:
        """Return the directions (..., 3, 3) of the coordinates at points (..., 3), both in this system."""
        return np.broadcast_to(np.eye(3), (*point.shape, 3))

    def _around(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the distances (...,) from the axis, m, and cosine and sine about it, 1 and 0 on the axis."""
        from_axis = np.hypot(point[..., 0], point[..., 1])
        scale = np.maximum(np.abs(point).max(axis=-1), np.abs(self.origin).max())
        on_axis = from_axis <= _ON_AXIS * scale
        c, s = (point[..., k] / np.where(on_axis, 1.0, from_axis) for k in range(2))
        return from_axis, np.where(on_axis, 1.0, c), np.where(on_axis, 0.0, s)


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
        _, c, s = self._around(point)
        return _stacked([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


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
        from_axis, c, s = self._around(point)
        theta = np.arctan2(from_axis, point[..., 2])
        ct, st = np.cos(theta), np.sin(theta)
        return _stacked([[st * c, st * s, ct], [ct * c, ct * s, -st], [-s, c, 0.0]])


def _stacked(rows: list[list[np.ndarray | float]]) -> np.ndarray:
    """Return rows of numbers (...,) as matrices (..., 3, 3)."""
    entries = np.broadcast_arrays(*(entry for row in rows for entry in row))
    return np.stack(entries, axis=-1).reshape(*entries[0].shape, 3, 3)

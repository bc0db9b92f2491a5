"""Coordinate systems of files: rectangular, cylindrical and spherical."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.numbers import numbers

#: the coordinates of each kind; angles in degrees
KINDS = {
    "rectangular": ("x", "y", "z"),
    "cylindrical": ("r", "theta", "z"),
    "spherical": ("r", "theta", "phi"),
}
#: below this distance from the axis, over the size of the numbers, the direction around it is not defined
_ON_AXIS = 1e-12


@check_arguments
@dataclass(frozen=True, eq=False)
class CoordinateSystem:
    """A rectangular, cylindrical or spherical coordinate system.

    Parameters
    ----------
    kind : str
        "rectangular" (x, y, z); "cylindrical" (r, theta, z), theta in degrees from the x axis about z; "spherical"
        (r, theta, phi), theta in degrees from the z axis, phi in degrees from the x axis about z.
    origin : (3,), m
        Origin.
    axes : array (3, 3)
        Rows are the directions of x, y and z in global components, at right angles.

    Raises
    ------
    InputError
        The kind is unknown, or the axes are not at right angles.

    Examples
    --------
    >>> import fem
    >>> drum = fem.CoordinateSystem("cylindrical", (0.0, 0.0, 0.1))
    >>> drum.points([[2.0, 90.0, 0.5]]).round(9).tolist()
    [[0.0, 2.0, 0.6]]
    """

    kind: str = "rectangular"
    origin: tuple[float, float, float] | np.ndarray = (0.0, 0.0, 0.0)
    axes: tuple | np.ndarray = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        """Check the kind and the axes, which are normalised."""
        if self.kind not in KINDS:
            raise InputError(f"there is no coordinate system {self.kind!r}; there are {', '.join(KINDS)}")
        origin = numbers(self.origin, (3,), "origin= of a coordinate system")
        axes = numbers(self.axes, (3, 3), "axes= of a coordinate system, three directions,")
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
        return f"<CoordinateSystem: {self.kind}, origin ({place}) m>"

    @check_arguments
    def points(self, coordinates: np.ndarray) -> np.ndarray:
        """Return points from their coordinates in this system.

        Parameters
        ----------
        coordinates : array (n, 3), m and degrees
            Coordinates in the order of the kind.

        Returns
        -------
        array (n, 3), m
            Points, global axes.
        """
        coordinates = np.atleast_2d(np.asarray(coordinates, dtype=float))
        a, b, c = numbers(coordinates, (len(coordinates), 3), "coordinates").T
        if self.kind == "cylindrical":
            local = np.column_stack([a * np.cos(np.radians(b)), a * np.sin(np.radians(b)), c])
        elif self.kind == "spherical":
            theta, phi = np.radians(b), np.radians(c)
            from_axis = a * np.sin(theta)
            local = np.column_stack([from_axis * np.cos(phi), from_axis * np.sin(phi), a * np.cos(theta)])
        else:
            local = np.column_stack([a, b, c])
        return self.origin + local @ self.axes

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
        if self.kind == "rectangular":
            return np.array(self.axes)
        x, y, z = self.axes @ (point - self.origin)
        from_axis = np.hypot(x, y)
        scale = max(abs(x), abs(y), abs(z), float(np.abs(self.origin).max()))
        c, s = (x / from_axis, y / from_axis) if from_axis > _ON_AXIS * scale else (1.0, 0.0)
        if self.kind == "cylindrical":
            return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ self.axes
        theta = np.arctan2(from_axis, z)
        ct, st = np.cos(theta), np.sin(theta)
        return np.array([[st * c, st * s, ct], [ct * c, ct * s, -st], [-s, c, 0.0]]) @ self.axes

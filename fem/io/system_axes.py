"""Directions of a file's coordinate systems at places: of materials, of degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..mesh.coordinate_system import CoordinateSystem


@dataclass(frozen=True)
class SystemAxes:
    """The directions of a system at places, for ``fem.Solid(axes=)``.

    ``length``: the file's unit of length in m; ``latitude``: whether the directions of a spherical system are those of
    radius, longitude and latitude, as in Abaqus and ANSYS, in place of radius, angle from z, and longitude; ``about``
    and ``degrees``: a rotation about one of the directions, 0 to 2, that comes on top.
    """

    system: CoordinateSystem
    length: float = 1.0
    latitude: bool = False
    about: int = 0
    degrees: float = 0.0

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Return the directions (n, 3, 3), as rows, at points (n, 3) in m."""
        return self.at(np.asarray(points) / self.length)

    def at(self, point: np.ndarray) -> np.ndarray:
        """Return the directions (3, 3) or (n, 3, 3), as rows, at points (3,) or (n, 3) in the file's units."""
        axes = self.system.axes_at(point)
        if self.latitude and self.system.kind == "spherical":
            axes = np.stack([axes[..., 0, :], axes[..., 2, :], -axes[..., 1, :]], axis=-2)
        return turned_about(axes, self.about, self.degrees)


@dataclass(frozen=True)
class SystemAxis:
    """One of the directions 0 to 2 at places, for ``fem.LayeredShell(axis=)``."""

    axes: SystemAxes
    which: int = 0

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Return the direction (n, 3) at points (n, 3) in m."""
        return self.axes(points)[:, self.which]


def turned_about(axes: np.ndarray, k: int, degrees: float) -> np.ndarray:
    """Return axes (..., 3, 3), as rows, turned about axis k."""
    turned, (i, j) = np.array(axes), ((k + 1) % 3, (k + 2) % 3)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    first, second = axes[..., i, :], axes[..., j, :]
    turned[..., i, :], turned[..., j, :] = c * first + s * second, c * second - s * first
    return turned

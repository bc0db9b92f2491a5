"""The joints, each as its primitive constraints and its free motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError

from ..kernels.arrays import ATTITUDE
from ..rotation import axes_from_z, direction
from .base import ALIGNED, PARALLEL, Free, Joint, Row, X, Y, Z, points

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
    coordinates: ClassVar = ("angle",)


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball joint: two points coincide, Koppens (4.9); three free rotations."""

    rows: ClassVar = points(X, Y, Z)
    free: ClassVar = _TURNS


@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A Cardan joint: ``axes = (a, b)``, the first fixed in the first body, the second in the second body.

    The axes must be perpendicular as drawn and stay so.
    """

    axes: tuple[str | ArrayLike, str | ArrayLike] = ("y", "z")

    rows: ClassVar = (*points(X, Y, Z), Row(ATTITUDE, Z, X))
    free: ClassVar = (Free(True, Z), Free(True, X, 1))

    def frame_axes(self) -> np.ndarray:
        """Axes as drawn, (3, 3): z is the first body's axis, x the second body's."""
        if not (isinstance(self.axis, str) and self.axis == "z"):
            raise InputError(f"{self.label} has axis={self.axis!r}; a universal joint has two: axes=(a, b)")
        if isinstance(self.axes, str) or len(self.axes) != 2:
            raise InputError(
                f"{self.label}: axes is {self.axes!r}; give two, one on each body, such as ('y', 'z')"
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
    coordinates: ClassVar = ("angle", "slide")


@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """Sliding along ``axis`` of the first body, without rotation: Koppens (4.12)-(4.14)."""

    rows: ClassVar = points(X, Y) + ALIGNED
    free: ClassVar = (Free(False, Z),)
    coordinates: ClassVar = ("slide",)


@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """Motion in a plane of the first body; ``axis`` is its normal."""

    rows: ClassVar = points(Z) + PARALLEL
    free: ClassVar = (Free(False, X), Free(False, Y), Free(True, Z))
    coordinates: ClassVar = ("angle",)


@dataclass(frozen=True, eq=False)
class PointOnLine(Joint):
    """The second body's point stays on the line of the first body through ``point`` along ``axis``."""

    rows: ClassVar = points(X, Y)
    free: ClassVar = (Free(False, Z), *_TURNS)
    coordinates: ClassVar = ("slide",)

"""Base classes of joints at a point: without an axis, with an axis, and with a second direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.numbers import vector

from ...core.rotation import axes_from_z, direction
from ..rigid_motion import AT_REST, Motions
from ..sides import Body
from .base import Joint


@dataclass(frozen=True, eq=False)
class PlacedJoint(Joint):
    """A joint at a point; base class.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides. A flexible body is always joined at a named frame, ``body["name"]``.
    point : array_like, optional
        Position of the joint in the drawn configuration, (3,), m, inertial base. It is needed unless one side is a
        named frame.
    """

    _: KW_ONLY
    point: ArrayLike | None = None

    def frame_points(self, bodies: Mapping[str, Body]) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return the point of the joint for each side that is not a named frame."""
        first, second = (None if side.named else self._joint_point(bodies) for side in self.sides())
        return first, second

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this joint on bodies that are drawn elsewhere; its point moves with the second side.

        Constraints of position hold the point of the second side. If this side is a named frame, the point moves with
        the first side.
        """
        if all(side.named for side in self.sides()):
            return self
        side = self.first if self.second.named else self.second
        motion = motions.get(side.body.name, AT_REST)
        return replace(self, point=motion.point(self._joint_point(bodies)))

    def _place_problems(self) -> list[str]:
        if not all(side.named for side in self.sides()):
            self._joint_point({})
        elif self.point is not None:
            return [
                f"{self.label} has point={self.point!r} and a named frame on both sides ({self.first!r}, "
                f"{self.second!r}). The named frames give its position; leave point= out"
            ]
        return []

    def _joint_point(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the point of the joint in the drawn configuration, (3,), m, from ``point`` or from a named frame."""
        if self.point is not None:
            return vector(self.point, f"{self.label}: point")
        for side in (self.second, self.first):
            if side.named:
                return side.drawn(bodies)
        raise InputError(
            f"{self.label} has no position; give point=(x, y, z), or a named frame body['name'] on one side"
        )


@dataclass(frozen=True, eq=False)
class AxisJoint(PlacedJoint):
    """A joint at a point with an axis; base class.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides. A flexible body is always joined at a named frame, ``body["name"]``.
    point : array_like, optional
        Position of the joint in the drawn configuration, (3,), m, inertial base. It is needed unless one side is a
        named frame.
    axis : str or array_like, optional
        The z axis of the joint in the drawn configuration: "x", "y", "z", with a sign ("-z"), or a vector (3,).
    """

    _: KW_ONLY
    axis: str | ArrayLike = "z"

    def frame_axes(self) -> np.ndarray:
        """Return the axes in the drawn configuration, (3, 3), columns; z is the axis of the joint."""
        return axes_from_z(direction(self.axis, f"{self.label}: axis"))

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this joint on bodies that are drawn elsewhere; its axis moves with the first side."""
        R = motions.get(self.first.body.name, AT_REST).R
        return replace(super().redrawn(bodies, motions), axis=R @ self.frame_axes()[:, 2])


@dataclass(frozen=True, eq=False)
class DirectedJoint(AxisJoint):
    """A joint at a point with an axis and a second direction; base class.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides. A flexible body is always joined at a named frame, ``body["name"]``.
    point : array_like, optional
        Position of the joint in the drawn configuration, (3,), m, inertial base. It is needed unless one side is a
        named frame.
    axis : str or array_like, optional
        The z axis of the joint in the drawn configuration: "x", "y", "z", with a sign ("-z"), or a vector (3,).
    along : str or array_like, optional
        The x axis of the joint in the drawn configuration, perpendicular to ``axis``. By default it follows the
        inertial axis that is closest to the plane perpendicular to ``axis``.
    """

    _: KW_ONLY
    along: str | ArrayLike | None = None

    def frame_axes(self) -> np.ndarray:
        """Return the axes in the drawn configuration, (3, 3), columns; z is ``axis`` and x is ``along``."""
        if self.along is None:
            return super().frame_axes()
        normal = direction(self.axis, f"{self.label}: axis")
        along = direction(self.along, f"{self.label}: along")
        if abs(along @ normal) > 1e-9:
            raise InputError(f"{self.label}: along={self.along!r} is not perpendicular to axis={self.axis!r}")
        return axes_from_z(normal, along)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this joint on bodies that are drawn elsewhere; both directions move with the first side."""
        R = motions.get(self.first.body.name, AT_REST).R
        return replace(super().redrawn(bodies, motions), along=R @ self.frame_axes()[:, 0])

"""Geometry of force elements: a line between two points, a coordinate of a joint, or six deformations of two frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import called
from fem.common.numbers import is_number
from fem.common.signatures import Described

from ...core.kinds import ALONG, BETWEEN, LINE
from ..joints.base import Joint
from ..rigid_motion import AT_REST, Motions, ends_moved
from ..sides import Body, FrameData, Side
from .place import ends_apart, frame_at, point_problems, side_problems


class Geometry(Described):
    """What a force element deforms: two frames, and one or six deformations between them; base class."""

    #: Kind of the geometry in the compiled core.
    kind: ClassVar[int]
    #: Number of deformations.
    count: ClassVar[int] = 1

    @property
    def coordinate(self) -> tuple[Joint, str] | None:
        """The joint and the name of its coordinate that is the deformation, or None."""
        return None

    def sides(self) -> tuple[Side, Side]:
        """Return both sides.

        Returns
        -------
        tuple
            The first and the second side.
        """
        raise NotImplementedError

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the element in messages.

        Returns
        -------
        tuple of FrameData
            The frames.
        """
        raise NotImplementedError

    def with_joint(self, joint: Joint) -> Geometry:
        """Return this geometry for another joint; itself if it belongs to none.

        Parameters
        ----------
        joint : Joint
            The joint.

        Returns
        -------
        Geometry
            The geometry.
        """
        return self

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this geometry on bodies that are drawn elsewhere; its points move with its sides.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name, where they were drawn.
        motions : mapping of str to RigidMotion
            The motions of the bodies by name.

        Returns
        -------
        Geometry
            A geometry of this class.
        """
        changes = ends_moved(self, [side.body.name for side in self.sides()], motions)
        return replace(self, **changes) if changes else self  # type: ignore[type-var]

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the geometric measures without deformation, (count,).

        Parameters
        ----------
        drawn : numpy.ndarray
            Vector from the first end to the second end in the drawn configuration, (3,), m.

        Returns
        -------
        numpy.ndarray
            Measures without deformation, (count,), m or rad.
        """
        raise NotImplementedError

    def problems(self, label: str) -> list[str]:
        """Return the problems of this geometry as sentences.

        Parameters
        ----------
        label : str
            Name of the element in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        raise NotImplementedError

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of this geometry on the bodies of a system as sentences.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the element in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []


@dataclass(frozen=True, eq=False)
class Line(Geometry):
    """The line between two points; the deformation is its length minus ``free_length``.

    Parameters
    ----------
    first, second : RigidBody, BodyFrame, MasslessBody or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``; also a :class:`MasslessBody` between springs.
    free_length : float, optional
        Undeformed length, m; by default the length in the drawn configuration.
    first_point, second_point : array_like, optional
        Ends on rigid bodies (by default the centre of mass) or the ground (by default the origin) in the drawn
        configuration, (3,), m, inertial base.

    Examples
    --------
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(0.01, 0.01, 0.01))
    >>> guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="z")
    >>> line = fb.Line(fb.GROUND, block, first_point=(0, 0, 1))
    >>> spring = fb.ForceElement("spring", line, fb.Linear(stiffness=2000.0))
    >>> machine = fb.System([block], [guide], [spring], gravity=(0, 0, -9.81))
    >>> float(fb.equilibrium(machine).position(block)[2].round(6))
    -0.00981
    """

    first: Side
    second: Side
    _: KW_ONLY
    free_length: float | None = None
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None

    kind: ClassVar = LINE

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.first, self.second

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        return (
            frame_at(self.first, self.first_point, bodies, label),
            frame_at(self.second, self.second_point, bodies, label),
        )

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the undeformed length, (1,), m."""
        free = float(np.linalg.norm(drawn)) if self.free_length is None else float(self.free_length)
        return np.array([free])

    def problems(self, label: str) -> list[str]:
        """Return the problems of this geometry as sentences."""
        found = side_problems(self.first, self.first_point, label)
        found += side_problems(self.second, self.second_point, label)
        if self.free_length is not None and not (is_number(self.free_length) and self.free_length >= 0):
            found.append(f"{label}: free_length is {self.free_length!r}; it must be a number, not below zero")
        found += point_problems(self.first_point, f"{label}: first_point")
        found += point_problems(self.second_point, f"{label}: second_point")
        return found

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of this geometry on the bodies of a system as sentences."""
        return ends_apart(self.frames(bodies, label), bodies, label)


@dataclass(frozen=True, eq=False)
class Along(Geometry):
    """A coordinate of a joint; the deformation is the coordinate minus ``free_value``.

    Parameters
    ----------
    joint : Joint
        A joint of the system.
    which : str, optional
        Name of the coordinate, such as "angle" or "slide"; needed if the joint has several.
    free_value : float, optional
        Value of the coordinate without deformation, rad or m. (The lengths of lines have ``free_length``.)

    Notes
    -----
    Joint coordinates are zero in the drawn configuration, and angles are continuous over many revolutions.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> motor = fb.ForceElement("motor", fb.Along(hinge), fb.ElectricMotor(0.1, 1.0, 1e-3, voltage=12.0))
    """

    joint: Joint
    which: str | None = None
    _: KW_ONLY
    free_value: float = 0.0

    kind: ClassVar = ALONG

    @property
    def coordinate(self) -> tuple[Joint, str]:
        """The joint and the name of its coordinate."""
        return self.joint, self.which or next(iter(self.joint.coordinates))

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.joint.first, self.joint.second

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return the frames of the joint."""
        return self.joint.frames(bodies)

    def with_joint(self, joint: Joint) -> Along:
        """Return this geometry for another joint."""
        return replace(self, joint=joint)

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the undeformed value of the coordinate, (1,), rad or m."""
        return np.array([float(self.free_value)])

    def problems(self, label: str) -> list[str]:
        """Return the problems of this geometry as sentences."""
        if not isinstance(self.joint, Joint):
            return [f"{label} acts along {called(self.joint)}; give a joint"]
        found = self.joint.which_problems(label, self.which)
        if not is_number(self.free_value):
            found.append(f"{label}: free_value is {self.free_value!r}; it must be a number")
        return found


@dataclass(frozen=True, eq=False)
class Between(Geometry):
    """The six deformations between two frames that are parallel in the drawn configuration.

    Parameters
    ----------
    first, second : RigidBody, BodyFrame, MasslessBody or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``; also a :class:`MasslessBody` between springs.
    first_point, second_point : array_like, optional
        Ends on rigid bodies or the ground in the drawn configuration, (3,), m, inertial base.
    axes : array_like, optional
        Axes x, y, z of both frames in the drawn configuration as rows, (3, 3). By default the inertial axes.

    Notes
    -----
    The deformations are a displacement (m) in the axes half-way between both frames, and the rotation vector (rad) from
    one frame to the other, below half a turn. Their size does not depend on which end is first, nor on rigid motion.
    All six are zero in the drawn configuration.

    Examples
    --------
    The bending moment of a joint of rubber, which depends on the whole rotation:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> ends = fb.Between(fb.GROUND, bar, first_point=(0, 0, 0), second_point=(0, 0, 0))
    >>> def rubber(t, x, rate):
    ...     turned = x[3] ** 2 + x[4] ** 2 + x[5] ** 2
    ...     moments = [(200.0 + 900.0 * turned) * one for one in x[3:]]
    ...     return [1e6 * x[0], 1e6 * x[1], 1e6 * x[2], *moments]
    >>> joint = fb.ForceElement("joint", ends, fb.UserLaw(rubber, components=6))
    >>> machine = fb.System([bar], forces=[joint], gravity=(0, 0, -9.81))
    >>> angle = fb.equilibrium(machine).result.element("joint").deformation[0, 4]
    >>> bool(abs(200.0 * angle + 900.0 * angle**3 - 9.81 * 0.3 * np.cos(angle)) < 1e-6)  # its moment is the weight's
    True
    """

    first: Side
    second: Side
    _: KW_ONLY
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None
    axes: ArrayLike | None = None

    kind: ClassVar = BETWEEN
    count: ClassVar = 6

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.first, self.second

    def ends(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return both ends with inertial axes in the drawn configuration.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the element in messages.

        Returns
        -------
        tuple of FrameData
            The frames.
        """
        return (
            frame_at(self.first, self.first_point, bodies, label),
            frame_at(self.second, self.second_point, bodies, label),
        )

    def drawn_axes(self, bodies: Mapping[str, Body], label: str) -> np.ndarray:
        """Return the axes of both frames in the drawn configuration.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the element in messages.

        Returns
        -------
        numpy.ndarray
            Axes as columns, (3, 3).
        """
        return np.eye(3) if self.axes is None else np.asarray(self.axes, float).T

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        axes = self.drawn_axes(bodies, label)
        first, second = self.ends(bodies, label)
        return first._replace(A=axes), second._replace(A=axes)

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the drawn displacement in the axes of the frames, and zero rotation, (6,)."""
        return np.concatenate([self.drawn_axes({}, "").T @ drawn, np.zeros(3)])

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this geometry on bodies that are drawn elsewhere; its axes move with the first side."""
        R = motions.get(self.first.body.name, AT_REST).R
        axes = (np.eye(3) if self.axes is None else np.asarray(self.axes, float)) @ R.T
        return replace(super().redrawn(bodies, motions), axes=axes)

    def problems(self, label: str) -> list[str]:
        """Return the problems of this geometry as sentences."""
        found = []
        for side, point in ((self.first, self.first_point), (self.second, self.second_point)):
            found += side_problems(side, point, label) + point_problems(point, f"{label}: point")
        return found + self.axes_problems(label)

    def axes_problems(self, label: str) -> list[str]:
        """Return the problems of the axes as sentences.

        Parameters
        ----------
        label : str
            Name of the element in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        if self.axes is None:
            return []
        try:
            axes = np.asarray(self.axes, dtype=float)
        except (TypeError, ValueError):
            axes = np.zeros(0)
        if axes.shape != (3, 3) or not np.allclose(axes @ axes.T, np.eye(3), atol=1e-9):
            return [f"{label}: axes is {self.axes!r}; give three perpendicular unit vectors"]
        return [f"{label}: axes is left-handed; reverse one of its axes"] if np.linalg.det(axes) < 0 else []

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of both frames on the bodies of a system as sentences."""
        return [
            f"{label}: {side!r} has too few nodes to define a rotation; use a larger node set, or use springs along "
            "lines"
            for side in self.sides()
            if not side.has_rotation(bodies)
        ]

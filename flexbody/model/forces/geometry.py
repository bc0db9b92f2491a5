"""Geometry of force elements: the line between two points, or the coordinate of a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.numbers import finite, vector

from ...core.kinds import ALONG, LINE
from ..bodies import Body
from ..joints.base import FrameData, Joint, Side
from ..joints.couplings import which_problems
from .loads_and_springs import ends_apart, frame_at, side_problems


@dataclass(frozen=True, eq=False)
class Line:
    """The line between two points; the deformation is its length minus ``free_length``.

    Parameters
    ----------
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    free_length : float, optional
        Undeformed length, m; by default the length in the drawn configuration.
    first_point, second_point : array_like, optional
        Ends on rigid bodies (by default the centre of mass) or the ground (by default the origin) in the drawn
        configuration, (3,), m, inertial base.
    """

    first: Side
    second: Side
    _: KW_ONLY
    free_length: float | None = None
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None

    kind: ClassVar[int] = LINE
    coordinate: ClassVar[None] = None

    def sides(self) -> tuple[Side, Side]:
        """Return both sides.

        Returns
        -------
        tuple
            The first and the second side.
        """
        return self.first, self.second

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
        return (
            frame_at(self.first, self.first_point, bodies, label),
            frame_at(self.second, self.second_point, bodies, label),
        )

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the undeformed length, (1,), m.

        Parameters
        ----------
        drawn : numpy.ndarray
            Vector from the first end to the second end in the drawn configuration, (3,), m.

        Returns
        -------
        numpy.ndarray
            Undeformed value, (1,), m or rad.
        """
        free = float(np.linalg.norm(drawn)) if self.free_length is None else float(self.free_length)
        return np.array([free])

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
        found = side_problems(self.first, self.first_point, label)
        found += side_problems(self.second, self.second_point, label)
        if self.free_length is not None and not (finite(self.free_length) and self.free_length >= 0):
            found.append(f"{label}: free_length is {self.free_length!r}; it must be a number, not below zero")
        for what in ("first_point", "second_point"):
            try:
                if getattr(self, what) is not None:
                    vector(getattr(self, what), f"{label}: {what}")
            except InputError as error:
                found.append(str(error))
        return found

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
        return ends_apart(self.frames(bodies, label), bodies, label)


@dataclass(frozen=True, eq=False)
class Along:
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
    Joint coordinates are zero in the drawn configuration, and angles are continuous over many turns.

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

    kind: ClassVar[int] = ALONG

    @property
    def coordinate(self) -> tuple[Joint, str]:
        """The joint and the name of its coordinate."""
        return self.joint, self.which or next(iter(self.joint.coordinates))

    def sides(self) -> tuple[Side, Side]:
        """Return both sides.

        Returns
        -------
        tuple
            The first and the second side.
        """
        return self.joint.first, self.joint.second

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return the frames of the joint.

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
        return self.joint.frames(bodies)

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the undeformed value of the coordinate, (1,), rad or m.

        Parameters
        ----------
        drawn : numpy.ndarray
            Vector from the first end to the second end in the drawn configuration, (3,), m.

        Returns
        -------
        numpy.ndarray
            Undeformed value, (1,), m or rad.
        """
        return np.array([float(self.free_value)])

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
        if not isinstance(self.joint, Joint):
            return [f"{label} acts along {called(self.joint)}; give a joint"]
        found = which_problems(label, self.joint, self.which)
        if not finite(self.free_value):
            found.append(f"{label}: free_value is {self.free_value!r}; it must be a number")
        return found

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return an empty list: the joint checks its own frames.

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

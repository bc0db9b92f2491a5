"""What a force element is stretched along: the line between two points, or a joint's coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called

from ...core.kinds import ALONG, LINE
from ...rotation import finite, vector
from ..bodies import Body
from ..joints.base import FrameData, Joint, Side
from ..joints.couplings import which_problems
from .loads_and_springs import ends_apart, frame_at, side_problems


@dataclass(frozen=True, eq=False)
class Line:
    """The line between two points; the deformation is its length less ``free_length`` (m, as drawn if not given).

    first_point, second_point : global points (as drawn) on rigid bodies or the ground.
    """

    first: Side
    second: Side
    free_length: float | None = None
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None

    kind: ClassVar[int] = LINE
    coordinate: ClassVar[None] = None

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
        """Return the length (1,) without deformation; ``drawn`` (3,) from the first end to the second."""
        free = float(np.linalg.norm(drawn)) if self.free_length is None else float(self.free_length)
        return np.array([free])

    def problems(self, label: str) -> list[str]:
        """What is wrong with this geometry, as sentences."""
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
        """What is wrong with this geometry on the bodies of a system, as sentences."""
        return ends_apart(self.frames(bodies, label), bodies, label)


@dataclass(frozen=True, eq=False)
class Along:
    """A coordinate of a joint of the system; the deformation is it less its value ``free`` (rad or m).

    which : the coordinate's name, where the joint has several, such as "angle" or "slide" (zero as drawn, angles
    continuous over many turns).
    """

    joint: Joint
    which: str | None = None
    free: float = 0.0

    kind: ClassVar[int] = ALONG

    @property
    def coordinate(self) -> tuple[Joint, str]:
        """The joint, and the name of its coordinate."""
        return self.joint, self.which or next(iter(self.joint.coordinates))

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.joint.first, self.joint.second

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return the frames of the joint."""
        return self.joint.frames(bodies)

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the coordinate (1,) without deformation."""
        return np.array([float(self.free)])

    def problems(self, label: str) -> list[str]:
        """What is wrong with this geometry, as sentences."""
        if not isinstance(self.joint, Joint):
            return [f"{label} acts along {called(self.joint)}; give a joint"]
        found = which_problems(label, self.joint, self.which)
        if not finite(self.free):
            found.append(f"{label}: free is {self.free!r}; it must be a number")
        return found

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return nothing: the joint looks after its frames."""
        return []

"""Force elements: a geometry and a law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fem.common.errors import called

from ..bodies import Body
from ..joints.base import FrameData, Joint, Side
from .geometry import Along, Line
from .law import ForceLaw, Input
from .passive_laws import Linear


class Element:
    """An energetic or active connection of two frames, Koppens 4.2, Sol 3.4-3.5. See the subclasses."""

    name: str
    #: number of deformations
    count: ClassVar[int] = 1

    @property
    def label(self) -> str:
        """How messages call this element."""
        return f"{type(self).__name__} '{self.name}'"

    #: the geometry in the compiled core
    kind: int

    @property
    def coordinate(self) -> tuple[Joint, str] | None:
        """The joint and the name of its coordinate that it acts along, if it does."""
        return None

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the law."""
        raise NotImplementedError

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        raise NotImplementedError

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        raise NotImplementedError

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return what the geometry measures without deformation, (count,); ``drawn`` (3,) from end to end."""
        raise NotImplementedError

    def problems(self) -> list[str]:
        """What is wrong with this element, as sentences."""
        raise NotImplementedError

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """What is wrong with this element on the bodies of a system, as sentences."""
        return []


@dataclass(frozen=True, eq=False)
class ForceElement(Element):
    """A law along one deformation.

    along : a :class:`Line` between two points, or :class:`Along` a joint's coordinate. law : such as :class:`Linear`,
    :class:`SpringTable`, :class:`ViscoElastic`, :class:`ElectricMotor`, :class:`UserLaw`. Its force acts against a
    growing deformation: a positive one pulls the ends together.
    """

    name: str
    along: Line | Along
    law: ForceLaw

    @property
    def kind(self) -> int:  # type: ignore[override]
        """The geometry in the compiled core."""
        return self.along.kind

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the law."""
        return self.law

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.along.sides()

    @property
    def coordinate(self) -> tuple[Joint, str] | None:
        """The joint and the name of its coordinate that it acts along, if it does."""
        return self.along.coordinate

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        return self.along.frames(bodies, self.label)

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return what the geometry measures without deformation, (1,)."""
        return self.along.reference(drawn)

    def problems(self) -> list[str]:
        """What is wrong with this element, as sentences."""
        if not isinstance(self.along, Line | Along):
            return [
                f"{self.label}: along is {called(self.along)}; give a Line(first, second), or Along(joint)"
            ]
        if not isinstance(self.law, ForceLaw):
            return [
                f"{self.label}: law is {called(self.law)}; give a law such as Linear(stiffness=...) or UserLaw(force)"
            ]
        return self.along.problems(self.label) + self.law.problems(self.label)

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """What is wrong with this element on the bodies of a system, as sentences."""
        return self.along.frame_problems(bodies, self.label)


def torsion_spring(
    name: str,
    joint: Joint,
    stiffness: float = 0.0,
    damping: float = 0.0,
    free_angle: float = 0.0,
    moment: Input = 0.0,
) -> ForceElement:
    """Return a spring, damper and motor about the axis of a joint with one angle, the torsional form of Koppens (4.3).

    Moment ``stiffness (angle - free_angle) + damping angle. + moment`` against the angle: it turns the second body
    back. stiffness : Nm/rad. damping : Nms/rad. free_angle : rad, zero as drawn. moment : Nm, a number or a function
    of time.
    """
    return ForceElement(name, Along(joint, "angle", free_angle), Linear(stiffness, damping, moment))

"""Force elements: a geometry and a force law."""

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
    """A connection of two frames with a force law; base class, Koppens 4.2, Sol 3.4-3.5."""

    name: str
    #: Number of deformations.
    count: ClassVar[int] = 1

    @property
    def label(self) -> str:
        """Kind and name of this element, for messages."""
        return f"{type(self).__name__} '{self.name}'"

    #: Kind of geometry in the compiled core.
    kind: int

    @property
    def coordinate(self) -> tuple[Joint, str] | None:
        """The joint and the name of the joint coordinate that the element acts along, or None."""
        return None

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the force law of the element.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        ForceLaw
            The law.
        """
        raise NotImplementedError

    def sides(self) -> tuple[Side, Side]:
        """Return both sides.

        Returns
        -------
        tuple
            The first and the second side.
        """
        raise NotImplementedError

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of FrameData
            The frames.
        """
        raise NotImplementedError

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the geometric measures of the undeformed element, (count,).

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

    def problems(self) -> list[str]:
        """Return the problems of this element as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        raise NotImplementedError

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of this element on the bodies of a system as sentences.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []


@dataclass(frozen=True, eq=False)
class ForceElement(Element):
    """A force law along one deformation.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    along : Line or Along
        Geometry: a :class:`Line` between two points, or :class:`Along` the coordinate of a joint.
    law : ForceLaw
        For example :class:`Linear`, :class:`SpringTable`, :class:`ViscoElastic`, :class:`ElectricMotor` or
        :class:`UserLaw`.

    Notes
    -----
    The force acts against an increasing deformation: a positive force pulls the ends together. Its history is
    ``result.element(name)``.

    Examples
    --------
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(0.01, 0.01, 0.01), center=(0, 0, -0.5))
    >>> line = fb.Line(fb.GROUND, block, first_point=(0, 0, 0))
    >>> spring = fb.ForceElement("spring", line, fb.Linear(stiffness=500.0, damping=4.0))
    >>> machine = fb.System([block], forces=[spring], gravity=(0, 0, -9.81))
    """

    name: str
    along: Line | Along
    law: ForceLaw

    @property
    def kind(self) -> int:  # type: ignore[override]
        """Kind of geometry in the compiled core."""
        return self.along.kind

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the force law."""
        return self.law

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.along.sides()

    @property
    def coordinate(self) -> tuple[Joint, str] | None:
        """The joint and the name of the joint coordinate that the element acts along, or None."""
        return self.along.coordinate

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        return self.along.frames(bodies, self.label)

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the length or coordinate of the undeformed element, (1,), m or rad."""
        return self.along.reference(drawn)

    def problems(self) -> list[str]:
        """Return the problems of this element as sentences."""
        if not isinstance(self.along, Line | Along):
            return [
                f"{self.label}: along is {called(self.along)}; give a Line(first, second) or Along(joint)"
            ]
        if not isinstance(self.law, ForceLaw):
            return [
                f"{self.label}: law is {called(self.law)}; give a law such as Linear(stiffness=...) or UserLaw(force)"
            ]
        return self.along.problems(self.label) + self.law.problems(self.label)

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of this element on the bodies of a system as sentences."""
        return self.along.frame_problems(bodies, self.label)


def torsion_spring(
    name: str,
    joint: Joint,
    *,
    stiffness: float = 0.0,
    damping: float = 0.0,
    free_value: float = 0.0,
    moment: Input = 0.0,
) -> ForceElement:
    """Return a spring, damper and actuator about the axis of a joint with one angle, Koppens (4.3) for rotation.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        A joint with the coordinate "angle".
    stiffness : float, optional
        Torsional stiffness, Nm/rad.
    damping : float, optional
        Torsional damping, Nms/rad.
    free_value : float, optional
        Angle without spring moment, rad; the angle is zero in the drawn configuration.
    moment : float, callable or Input, optional
        Moment of the actuator, Nm: a number or a function of time (s).

    Returns
    -------
    ForceElement
        The element ``ForceElement(name, Along(joint, "angle", free_value), Linear(stiffness, damping, force=moment))``.

    Notes
    -----
    The moment is ``stiffness (angle - free_value) + damping d(angle)/dt + moment``. It acts against the angle: a
    positive moment turns the second body back.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> spring = fb.torsion_spring("spring", hinge, stiffness=20.0, damping=0.1)
    """
    return ForceElement(
        name, Along(joint, "angle", free_value=free_value), Linear(stiffness, damping, force=moment)
    )

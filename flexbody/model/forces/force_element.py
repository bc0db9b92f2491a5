"""Force elements: a geometry and a force law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fem.common.arguments import field_problems
from fem.common.errors import called

from ...core.kinds import BETWEEN, LINE
from ..joints.base import Joint, Term
from ..rigid_motion import Motions
from ..sides import Body, FrameData, Side
from .force import Force, TimeFunction
from .geometry import Along, Geometry
from .law import ForceLaw
from .symbol import Symbol
from .wiring import Wiring


class Element(Force):
    """A connection of two frames: a geometry and a force law; base class, Koppens 4.2, Sol 3.4-3.5.

    Notes
    -----
    A subclass is a frozen dataclass that gives ``geometry`` and ``force_law``. All else follows from these two.
    """

    default_quantity: ClassVar = "element"

    @property
    def where_it_is_read(self) -> str:
        """How a result gives the force, for messages."""
        return f"result.element('{self.name}') gives its force and its loads on both bodies"

    @property
    def geometry(self) -> Geometry:
        """What the element deforms: its frames and deformations."""
        raise NotImplementedError

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

    @property
    def kind(self) -> int:
        """Kind of geometry in the compiled core."""
        return self.geometry.kind

    @property
    def finds_places(self) -> bool:  # type: ignore[override]
        """Whether it may act on a massless body that no joint holds."""
        return self.kind in (LINE, BETWEEN)

    @property
    def count(self) -> int:
        """Number of deformations."""
        return self.geometry.count

    @property
    def coordinate(self) -> tuple[Joint, str] | None:
        """The joint and the name of the joint coordinate that the element acts along, or None."""
        return self.geometry.coordinate

    @property
    def teeth(self) -> Joint | None:
        """The seat of the pitch point, if the force is a part of that of teeth; None for all others."""
        return None

    @property
    def rolling(self) -> Any:
        """The contact whose surfaces slip, if the force is that of their slip; None for all others."""
        return None

    @property
    def wiring(self) -> Wiring | None:
        """What a controller measures and acts on, anywhere in the machine; None for all others."""
        return None

    @property
    def counted(self) -> tuple[Term, ...]:
        """The angles of both wheels, if the geometry is that of common tangents; none for all others."""
        return ()

    @property
    def free_axis(self) -> int:
        """The axis about which six deformations measure no rotation, 0 to 2, or ``ALL_AXES``, or -1."""
        return -1

    @property
    def is_angle(self) -> bool:
        """Whether the one deformation of the element is an angle."""
        return self.coordinate is not None and self.coordinate[0].coordinates[self.coordinate[1]].is_angle

    @property
    def unit(self) -> str:
        """Unit of the force: "N", "N m", or "N, N m" for six deformations."""
        return "N, N m" if self.count > 1 else "N m" if self.is_angle else "N"

    @property
    def input_names(self) -> tuple[str, ...]:
        """Name of the input channel of a linearised machine: the input of the law, otherwise a force beside it."""
        if self.why_no_input:
            return ()
        return (f"{self.name} {self.force_law({}).input or 'force'}",)

    @property
    def why_no_input(self) -> str:
        """Why the force can't be an input of a linearised machine, as the end of a sentence; "" if it can."""
        if self.count > 1:
            return f"which has {self.count} forces; an input must be one force"
        if not self.force_law({}).is_input:
            return "whose force follows from the motion; add a ForceElement beside it for the input"
        return ""

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.geometry.sides()

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        return self.geometry.frames(bodies, self.label)

    def time_function(self, bodies: Mapping[str, Body]) -> TimeFunction | None:
        """Return the input of the law as a function of time, or None if it is a number."""
        law = self.force_law(bodies)
        return TimeFunction(f"{self.label}: {law.input}", 1, "SI") if callable(law.given_input) else None

    def symbols(self, bodies: Mapping[str, Body]) -> tuple[Symbol, ...]:
        """Return the symbols that the element consists of in pictures.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of Symbol
            The symbols; by default those of its law.
        """
        return self.force_law(bodies).symbols

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
        return self.geometry.reference(drawn)

    def angles(self) -> tuple[tuple[str, float], ...]:
        """Return the desired angle of a law that controls an angle, if it is a number."""
        return self.force_law({}).targets if self.is_angle else ()

    def problems(self) -> list[str]:
        """Return the problems of the geometry and of the law as sentences."""
        law = self.force_law({})
        of_law = law.problems(self.label) or field_problems(law, self.label)
        return self.geometry.problems(self.label) + (of_law or self._count_problems(law))

    def _count_problems(self, law: ForceLaw) -> list[str]:
        """Return a sentence if geometry and law differ in the number of deformations."""
        if law.count == self.count:
            return []
        instead = (
            "give a Line(first, second) or Along(joint)" if law.count == 1
            else "give a Between(first, second), or another law"
        )  # fmt: skip
        return [
            f"{self.label}: {called(self.geometry)} has {_deformations(self.count)}, but {called(law)} is a law of "
            f"{_deformations(law.count)}; {instead}"
        ]

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of this element on the bodies of a system as sentences."""
        return self.geometry.frame_problems(bodies, self.label)


def _deformations(count: int) -> str:
    return "one deformation" if count == 1 else f"{count} deformations"


@dataclass(frozen=True, eq=False)
class JointElement(Element):
    """A law along one coordinate of a joint; base class of friction and stops.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        The joint.
    which : str, optional
        Name of the coordinate; needed if the joint has several.
    """

    name: str
    joint: Joint
    _: KW_ONLY
    which: str | None = None

    @property
    def geometry(self) -> Along:
        """The coordinate of the joint."""
        return Along(self.joint, self.which)

    def with_joint(self, joint: Joint) -> JointElement:
        """Return this element along the same coordinate of another joint."""
        return replace(self, joint=joint)

    def problems(self) -> list[str]:
        """Return the problems of the coordinate, otherwise those of the law, as sentences."""
        return self.geometry.problems(self.label) or self.force_law({}).problems(self.label)


@dataclass(frozen=True, eq=False)
class ForceElement(Element):
    """A force law along one deformation, or between two frames.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    along : Line, Along or Between
        Geometry: a :class:`Line` between two points, :class:`Along` the coordinate of a joint, or the six deformations
        :class:`Between` two frames.
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
    along: Geometry
    law: ForceLaw

    @property
    def geometry(self) -> Geometry:
        """The line, the joint coordinate, or both frames."""
        return self.along

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the force law."""
        return self.law

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> ForceElement:
        """Return this element on bodies that are drawn elsewhere."""
        return replace(self, along=self.along.redrawn(bodies, motions))

    def with_joint(self, joint: Joint) -> ForceElement:
        """Return this element along the coordinate of another joint."""
        return replace(self, along=self.along.with_joint(joint))

    def problems(self) -> list[str]:
        """Return the problems of this element as sentences."""
        if not isinstance(self.along, Geometry):
            return [
                f"{self.label}: along is {called(self.along)}; give a Line(first, second) or Along(joint)"
            ]
        if not isinstance(self.law, ForceLaw):
            return [
                f"{self.label}: law is {called(self.law)}; give a law such as Linear(stiffness=...) or UserLaw(force)"
            ]
        return super().problems()

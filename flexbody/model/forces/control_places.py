"""Where controllers measure and act: joint coordinates, lines, points, rotations, inputs of other elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import singledispatch
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called
from fem.common.numbers import floats

from ...core.kinds import OF_COORDINATE, OF_FUNCTION, OF_INPUT, OF_LINE, OF_POINT, OF_TURN
from ..joints.base import Term
from ..rigid_motion import AT_REST, Motions
from ..sides import GROUND, Body, FrameData, Side
from .geometry import Along, Line
from .place import frame_at, point_problems, side_problems
from .wiring import PlaceData


class ControlPlace:
    """A place where a controller measures or acts; base class."""

    #: Kind of the place in the compiled core.
    kind: ClassVar[int]
    #: Whether its rate is measured in place of its value.
    is_rate: ClassVar[bool] = False
    #: Whether its value is known; of a rotation only the rate is.
    has_value: ClassVar[bool] = True
    #: Whether a controller can act there, and measure there.
    acts: ClassVar[bool] = True
    measures: ClassVar[bool] = True

    #: Name of the element whose input it is.
    input_of: str | None = None
    #: The function of a user that measures it.
    function: Callable[[Any], float] | None = None

    @property
    def zero(self) -> float:
        """The value that counts as zero."""
        return 0.0

    @property
    def unit(self) -> tuple[str, str]:
        """Units of what is measured and of a load."""
        return "m", "N"

    @property
    def term(self) -> Term | None:
        """The joint coordinate that it is, or None."""
        return None

    @property
    def data(self) -> PlaceData:
        """What the compiled core must know of it."""
        return PlaceData(
            self.kind, len(self.sides()), self.term, self.is_rate, float(self.zero), self.input_of
        )

    @property
    def line(self) -> Along | Line | None:
        """The coordinate or line that it is, with a given value that counts as zero; None for others."""
        return None

    def line_is(self, other: Along | Line | None) -> bool:
        """Return whether it is, or is the rate of, a coordinate or line.

        Parameters
        ----------
        other : Along, Line or None
            The coordinate or line.

        Returns
        -------
        bool
            Whether both are the same.
        """
        return False

    def sides(self) -> tuple[Side, ...]:
        """Return the sides of its frames.

        Returns
        -------
        tuple
            No side, or two.
        """
        return ()

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:
        """Return its frames.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the controller in messages.

        Returns
        -------
        tuple of FrameData
            No frame, or two.
        """
        return ()

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Any:
        """Return the same place, as a user gives it, on bodies that are drawn elsewhere.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name, where they were drawn.
        motions : mapping of str to RigidMotion
            The motions of the bodies by name.

        Returns
        -------
        object
            The place.
        """
        return self

    def problems(self, label: str) -> list[str]:
        """Return the problems of the place as sentences.

        Parameters
        ----------
        label : str
            Name of the controller in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of the place on the bodies of a system as sentences.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the controller in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []


@dataclass(frozen=True, eq=False)
class _Directed(ControlPlace):
    """A direction that is fixed to another body or the ground; base class of both places below."""

    side: Side
    direction: ArrayLike
    _: KW_ONLY
    relative_to: Side = GROUND

    def sides(self) -> tuple[Side, ...]:
        """Return the body that the direction is fixed to, and the other side."""
        return self.relative_to, self.side

    def _axes(self) -> np.ndarray:
        """Return axes as columns, (3, 3), the third along the direction."""
        n = np.asarray(self.direction, dtype=float)
        n = n / np.linalg.norm(n)
        x = np.cross(np.eye(3)[int(np.argmin(np.abs(n)))], n)
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(n, x), n])

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:
        """Return the frame with the direction, and that of the other side."""
        base = frame_at(self.relative_to, None, bodies, label)
        return base._replace(A=self._axes()), frame_at(self.side, getattr(self, "point", None), bodies, label)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Any:
        """Return the same place on bodies that are drawn elsewhere."""
        R = motions.get(self.relative_to.body.name, AT_REST).R
        return replace(self, direction=tuple(R @ np.asarray(self.direction, dtype=float)))

    def problems(self, label: str) -> list[str]:
        """Return the problems of the sides and the direction as sentences."""
        found = side_problems(self.side, getattr(self, "point", None), label)
        found += side_problems(self.relative_to, None, label)
        n = floats(self.direction)
        if n is None or n.shape != (3,) or not np.isfinite(n).all() or not np.any(n):
            found.append(
                f"{label}: direction is {self.direction!r}; give three numbers that are not all zero"
            )
        return found

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return a sentence about each frame whose rotation is needed and not defined."""
        needed = [self.relative_to] if self.kind == OF_POINT else [self.relative_to, self.side]
        return [
            f"{label}: {side!r} has too few nodes to define a rotation; use a larger node set"
            for side in needed
            if not side.has_rotation(bodies)
        ]


@check_arguments
@dataclass(frozen=True, eq=False)
class PointAlong(_Directed):
    """The position of a point along a direction, which a controller measures; or a force there.

    Parameters
    ----------
    side : RigidBody or BodyFrame
        The body or the named frame ``body["name"]`` with the point.
    direction : array_like
        The direction, (3,), inertial components in the drawn configuration.
    point : array_like, optional
        Point on a rigid body in the drawn configuration, (3,), m; by default its centre of mass.
    relative_to : RigidBody, BodyFrame or GROUND, optional
        The frame to which the direction is fixed, and from whose origin positions are measured; by default the
        inertial base. A force has its reaction there.

    Examples
    --------
    >>> import flexbody as fb
    >>> mass = fb.RigidBody("mass", mass=2.0, inertia=(0.1, 0.1, 0.1))
    >>> height = fb.PointAlong(mass, (0, 0, 1))
    >>> hover = fb.Controller("hover", height, fb.PID(kp=50.0, kd=20.0), acts_on=height, target=0.2)
    """

    point: ArrayLike | None = None

    kind: ClassVar = OF_POINT

    def problems(self, label: str) -> list[str]:
        """Return the problems of the sides, the direction and the point as sentences."""
        return super().problems(label) + point_problems(self.point, f"{label}: point")

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Any:
        """Return the same place on bodies that are drawn elsewhere."""
        found = super().redrawn(bodies, motions)
        if self.point is None:
            return found
        return replace(found, point=motions.get(self.side.body.name, AT_REST).point(self.point))


@check_arguments
@dataclass(frozen=True, eq=False)
class TurnAbout(_Directed):
    """The angular velocity of a body about a direction, which a controller measures; or a moment about it.

    Parameters
    ----------
    side : RigidBody or BodyFrame
        The body or the named frame ``body["name"]``.
    direction : array_like
        The direction, (3,), inertial components in the drawn configuration.
    relative_to : RigidBody, BodyFrame or GROUND, optional
        The frame to which the direction is fixed, and to which the angular velocity is relative; by default the
        inertial base. A moment has its reaction there.

    Examples
    --------
    >>> import flexbody as fb
    >>> body = fb.RigidBody("body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    >>> spin = fb.TurnAbout(body, (0, 0, 1))
    >>> governor = fb.Controller("governor", spin, fb.PID(kp=0.5), acts_on=spin, target=10.0)  # rad/s
    """

    kind: ClassVar = OF_TURN
    is_rate: ClassVar = True
    has_value: ClassVar = False

    @property
    def unit(self) -> tuple[str, str]:
        """Units of what is measured and of a moment."""
        return "rad/s", "N m"


@check_arguments(own=("of",))
@dataclass(frozen=True, eq=False)
class Rate(ControlPlace):
    """The rate of what a controller measures.

    Parameters
    ----------
    of : Along, Line or PointAlong
        The place.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> angle = fb.Along(hinge)
    >>> governor = fb.Controller("governor", fb.Rate(angle), fb.PID(kp=2.0), acts_on=angle, target=5.0)
    """

    of: Along | Line | PointAlong

    def __post_init__(self) -> None:
        if faults := self.problems("Rate"):
            raise InputError("; ".join(faults))

    acts: ClassVar = False
    is_rate: ClassVar = True

    @property
    def place(self) -> ControlPlace:
        """The place whose rate it is."""
        return place_of(self.of)

    def line_is(self, other: Along | Line | None) -> bool:
        """Return whether it is the rate of a coordinate or line."""
        return self.place.line_is(other)

    @property
    def kind(self) -> int:  # type: ignore[override]
        """Kind of the place."""
        return self.place.kind

    @property
    def unit(self) -> tuple[str, str]:
        """Units of what is measured and of a load."""
        return f"{self.place.unit[0]}/s", self.place.unit[1]

    @property
    def term(self) -> Term | None:
        """The joint coordinate that it is, or None."""
        return self.place.term

    def sides(self) -> tuple[Side, ...]:
        """Return the sides of the place."""
        return self.place.sides()

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:
        """Return the frames of the place."""
        return self.place.frames(bodies, label)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Rate:
        """Return the rate of the place on bodies that are drawn elsewhere."""
        return Rate(self.place.redrawn(bodies, motions))

    def problems(self, label: str) -> list[str]:
        """Return the problems of the place as sentences."""
        if not (self.place.kind in (OF_COORDINATE, OF_LINE, OF_POINT) and not self.place.is_rate):
            return [f"{label} measures the rate of {called(self.of)}; give an Along, a Line or a PointAlong"]
        return self.place.problems(label)

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of the place on the bodies of a system as sentences."""
        return self.place.frame_problems(bodies, label)


# ---- places as users give them -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _OfCoordinate(ControlPlace):
    along: Along

    kind: ClassVar = OF_COORDINATE

    @property
    def zero(self) -> float:
        """The value that counts as zero."""
        return float(self.along.free_value)

    @property
    def unit(self) -> tuple[str, str]:
        """Units of what is measured and of a load."""
        joint, which = self.along.coordinate
        return ("rad", "N m") if joint.coordinates[which].is_angle else ("m", "N")

    @property
    def line(self) -> Along:
        """The coordinate."""
        return self.along

    def line_is(self, other: Along | Line | None) -> bool:
        """Return whether it is a coordinate."""
        if not isinstance(other, Along) or other.free_value != self.along.free_value:
            return False
        joint, which = other.coordinate
        return (joint.name, which) == (self.term.joint.name, self.term.which)

    @property
    def term(self) -> Term:
        """The joint coordinate."""
        return Term(*self.along.coordinate)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Along:
        """Return the coordinate itself."""
        return self.along

    def problems(self, label: str) -> list[str]:
        """Return the problems of the coordinate as sentences."""
        return self.along.problems(label)


@dataclass(frozen=True, eq=False)
class _OfLine(ControlPlace):
    given: Line

    kind: ClassVar = OF_LINE

    @property
    def zero(self) -> float:
        """The free length, or 0."""
        return float(self.given.free_length or 0.0)

    @property
    def line(self) -> Line:
        """The line, whose length counts from zero unless its free length is given."""
        return self.given if self.given.free_length is not None else replace(self.given, free_length=0.0)

    def line_is(self, other: Along | Line | None) -> bool:
        """Return whether it is a line: the same ends, and the same free length."""
        if not isinstance(other, Line) or float(other.free_length or 0.0) != self.zero:
            return False
        names = ("first", "second", "first_point", "second_point")
        return all(getattr(self.given, name) is getattr(other, name) for name in names)

    def sides(self) -> tuple[Side, ...]:
        """Return both sides."""
        return self.given.sides()

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:
        """Return the frames at both ends."""
        return self.given.frames(bodies, label)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Line:
        """Return the line on bodies that are drawn elsewhere."""
        return self.given.redrawn(bodies, motions)

    def problems(self, label: str) -> list[str]:
        """Return the problems of the line as sentences."""
        return self.given.problems(label)

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of the line on the bodies of a system as sentences."""
        return self.given.frame_problems(bodies, label)


@dataclass(frozen=True, eq=False)
class _OfInput(ControlPlace):
    input_of: str | None

    kind: ClassVar = OF_INPUT
    measures: ClassVar = False

    @property
    def unit(self) -> tuple[str, str]:
        """No units: the element knows them."""
        return "", ""

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> str | None:
        """Return the name of the element."""
        return self.input_of


@dataclass(frozen=True, eq=False)
class _OfFunction(ControlPlace):
    function: Callable[[Any], float] | None

    kind: ClassVar = OF_FUNCTION
    acts: ClassVar = False

    @property
    def unit(self) -> tuple[str, str]:
        """No units: the function knows them."""
        return "", ""

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Any:
        """Return the function."""
        return self.function


@dataclass(frozen=True, eq=False)
class _Unknown(ControlPlace):
    given: Any

    acts: ClassVar = False
    measures: ClassVar = False
    kind: ClassVar = OF_FUNCTION

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Any:
        """Return what was given."""
        return self.given


@singledispatch
def place_of(given: Any) -> ControlPlace:
    """Return what a user gives as a place: an Along, Line, PointAlong, TurnAbout, Rate, function, or name."""
    return _OfFunction(given) if callable(given) else _Unknown(given)


@place_of.register
def _(given: ControlPlace) -> ControlPlace:
    return given


@place_of.register
def _(given: Along) -> ControlPlace:
    return _OfCoordinate(given)


@place_of.register
def _(given: Line) -> ControlPlace:
    return _OfLine(given)


@place_of.register
def _(given: str) -> ControlPlace:
    return _OfInput(given)

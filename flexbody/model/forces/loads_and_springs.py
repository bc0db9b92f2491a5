"""Point forces and moments, and the spring-damper-actuator of Koppens 4.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing

from ...functions.function_pointers import Law, load_law, scalar_law
from ...rotation import finite, vector
from ..bodies import Body, BodyFrame, FlexibleBody, Ground, RigidBody
from ..joints.base import FrameData, Side
from .law import instead


def frame_at(side: Side, point: ArrayLike | None, bodies: Mapping[str, Body], label: str) -> FrameData:
    """Return the frame where a force acts: a named one, or a global point of a rigid body or the ground."""
    if isinstance(side, BodyFrame):
        body = bodies[side.body.name]
        x, Phi, B = body.marker(side.name)
        return FrameData(body.name, x, np.eye(3), Phi, B, body.second_order(side.name))
    none = np.zeros((3, 0))
    start = np.zeros(3) if isinstance(side, Ground) else bodies[side.name].start
    place = start if point is None else vector(point, f"{label}: point")
    return FrameData(side.name, place - start, np.eye(3), none, none)


def side_problems(side: Side, point: ArrayLike | None, label: str) -> list[str]:
    """What is wrong with the place where a force acts."""
    if isinstance(side, FlexibleBody):
        return [
            f"{label} acts on the flexible body '{side.name}' at no named place; write "
            f"{side.name}['...'] with one "
            f"of {listing(side.reduced.markers)}"
        ]
    if not isinstance(side, RigidBody | BodyFrame | Ground):
        return [f"{label} acts on {called(side)}; give a body, body['name'] or GROUND"]
    if isinstance(side, BodyFrame) and point is not None:
        return [f"{label} has a point {point!r} and a named frame {side!r}; give one of them"]
    return []


def ends_apart(ends: tuple[FrameData, FrameData], bodies: Mapping[str, Body], label: str) -> list[str]:
    """Sentences about a line between two points that coincide as drawn."""
    points = [f.x + (bodies[f.body].start if f.body in bodies else 0) for f in ends]
    if np.linalg.norm(points[1] - points[0]) > 1e-9 * max(1e-3, float(np.abs(points).max())):
        return []
    return [
        f"{label}: its two ends coincide as drawn, at {np.round(points[0], 9).tolist()} m, so it has no direction; "
        "give first_point= and second_point=, or move one end"
    ]


@dataclass(frozen=True, eq=False)
class _Load:
    """A load at a frame. See the subclasses."""

    name: str
    at: Side
    value: ArrayLike | Callable[[float], ArrayLike]
    point: ArrayLike | None = None
    follows: bool = False

    @property
    def label(self) -> str:
        """How messages call this load."""
        return f"{type(self).__name__} '{self.name}'"

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """What is wrong with this load's frame on the bodies of a system, as sentences."""
        return []

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:
        """Return the frame that the load acts on."""
        return (frame_at(self.at, self.point, bodies, self.label),)

    def law(self, t_end: float) -> Law | None:
        """Return the compiled law of a function of time, or None for a constant."""
        return load_law(self.value, t_end, self.label) if callable(self.value) else None

    def constant(self) -> np.ndarray:
        """Return the constant components (3,), zero for a function of time."""
        return np.zeros(3) if callable(self.value) else vector(self.value, f"{self.label}: value")

    def problems(self) -> list[str]:
        """What is wrong with this load, as sentences."""
        found = side_problems(self.at, self.point, self.label)
        if isinstance(self.at, Ground):
            found.append(f"{self.label} acts on the ground, which nothing moves; give a body")
        try:
            self.constant()
            if self.point is not None:
                vector(self.point, f"{self.label}: point")
        except InputError as error:
            found.append(str(error))
        return found


class PointForce(_Load):
    """A force (N) at a named frame, or at the global ``point`` (as drawn) of a rigid body (else its centre).

    value : three inertial components, or a function of time that gives them; with ``follows=True`` components
    in the body's base, so that the force turns with the body.
    """


class PointMoment(_Load):
    """A moment (Nm) at a named frame or on a rigid body; ``value`` and ``follows`` as for a force."""

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """What is wrong with this moment's frame on the bodies of a system, as sentences."""
        body = bodies[self.at.body.name] if isinstance(self.at, BodyFrame) else None
        if isinstance(body, FlexibleBody) and not body.reduced.markers[self.at.name].has_rotation:
            return [
                f"{self.label}: {self.at!r} has too few nodes to define a rotation; use a larger node set"
            ]
        return []


@dataclass(frozen=True, eq=False)
class SpringDamper:
    """A massless spring, damper and actuator along the line between two points, Koppens (4.2)-(4.8).

    Tension ``F = stiffness (l - free_length) + damping l. + force``; positive pulls the points together.
    stiffness : N/m. damping : Ns/m. free_length : m, as drawn where not given. force : N, a number or a
    function of time. first_point, second_point : global points (as drawn) on rigid bodies or the ground.
    """

    name: str
    first: Side
    second: Side
    stiffness: float = 0.0
    damping: float = 0.0
    free_length: float | None = None
    force: float | Callable[[float], float] = 0.0
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None

    @property
    def label(self) -> str:
        """How messages call this element."""
        return f"SpringDamper '{self.name}'"

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        return (
            frame_at(self.first, self.first_point, bodies, self.label),
            frame_at(self.second, self.second_point, bodies, self.label),
        )

    def law(self, t_end: float) -> Law | None:
        """Return the compiled law of the actuator, or None for a constant force."""
        return scalar_law(self.force, t_end, f"{self.label}: force") if callable(self.force) else None

    def problems(self) -> list[str]:
        """What is wrong with this element, as sentences."""
        found = side_problems(self.first, self.first_point, self.label)
        found += side_problems(self.second, self.second_point, self.label)
        for what in ("stiffness", "damping", "free_length"):
            value = getattr(self, what)
            if not (what == "free_length" and value is None) and not (finite(value) and value >= 0):
                more = instead(what, value).replace("law=", "ForceElement(name, Line(first, second), ")
                found.append(
                    f"{self.label}: {what} is {value!r}; it must be a number, not below zero"
                    + more
                    + ")" * bool(more)
                )
        if not callable(self.force) and not finite(self.force):
            found.append(f"{self.label}: force is {self.force!r}; it must be a number or a function of time")
        for what in ("first_point", "second_point"):
            try:
                if getattr(self, what) is not None:
                    vector(getattr(self, what), f"{self.label}: {what}")
            except InputError as error:
                found.append(str(error))
        return found

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """What is wrong with this element on the bodies of a system, as sentences."""
        return ends_apart(self.frames(bodies), bodies, self.label)

"""Point forces and moments, and the spring-damper-actuator of Koppens 4.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing
from fem.common.numbers import finite, vector

from ...functions.function_pointers import Law, load_law, scalar_law
from ..bodies import Body, BodyFrame, FlexibleBody, Ground, RigidBody
from ..joints.base import FrameData, Side
from .law import instead


def frame_at(side: Side, point: ArrayLike | None, bodies: Mapping[str, Body], label: str) -> FrameData:
    """Return the frame where a force acts: a named frame, or a global point of a rigid body or the ground."""
    if isinstance(side, BodyFrame):
        body = bodies[side.body.name]
        x, Phi, B = body.marker(side.name)
        return FrameData(body.name, x, np.eye(3), Phi, B, body.second_order(side.name))
    none = np.zeros((3, 0))
    start = np.zeros(3) if isinstance(side, Ground) else bodies[side.name].start
    place = start if point is None else vector(point, f"{label}: point")
    return FrameData(side.name, place - start, np.eye(3), none, none)


def side_problems(side: Side, point: ArrayLike | None, label: str) -> list[str]:
    """Return the problems of the place where a force acts as sentences."""
    if isinstance(side, FlexibleBody):
        return [
            f"{label} acts on the flexible body '{side.name}' without the name of an interface or marker; write "
            f"{side.name}['...'] with one of {listing(side.reduced.markers)}"
        ]
    if not isinstance(side, RigidBody | BodyFrame | Ground):
        return [f"{label} acts on {called(side)}; give a body, body['name'] or GROUND"]
    if isinstance(side, BodyFrame) and point is not None:
        return [f"{label} has the point {point!r} and the named frame {side!r}; give only one of them"]
    return []


def ends_apart(ends: tuple[FrameData, FrameData], bodies: Mapping[str, Body], label: str) -> list[str]:
    """Return a sentence if the two ends of a line coincide in the drawn configuration."""
    points = [f.x + (bodies[f.body].start if f.body in bodies else 0) for f in ends]
    if np.linalg.norm(points[1] - points[0]) > 1e-9 * max(1e-3, float(np.abs(points).max())):
        return []
    return [
        f"{label}: its two ends coincide as drawn, at {np.round(points[0], 9).tolist()} m, so its direction is not "
        "defined; give first_point= and second_point=, or move one end"
    ]


@dataclass(frozen=True, eq=False)
class _Load:
    """A load at a frame; base class."""

    name: str
    at: Side
    value: ArrayLike | Callable[[float], ArrayLike]
    _: KW_ONLY
    point: ArrayLike | None = None
    follows: bool = False

    @property
    def label(self) -> str:
        """Kind and name of this load, for messages."""
        return f"{type(self).__name__} '{self.name}'"

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the frame of this load on the bodies of a system as sentences.

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

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:
        """Return the frame that the load acts on, as a tuple with one entry.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of FrameData
            The frames.
        """
        return (frame_at(self.at, self.point, bodies, self.label),)

    def law(self, t_end: float) -> Law | None:
        """Return the compiled function of time for a run to ``t_end`` (s), or None if the load is constant.

        Parameters
        ----------
        t_end : float
            End of the run, s.

        Returns
        -------
        Law or None
            The compiled function, or None for a constant.
        """
        return load_law(self.value, t_end, self.label) if callable(self.value) else None

    def constant(self) -> np.ndarray:
        """Return the constant components, (3,); zero for a function of time.

        Returns
        -------
        numpy.ndarray
            Components, (3,), N or Nm.
        """
        return np.zeros(3) if callable(self.value) else vector(self.value, f"{self.label}: value")

    def problems(self) -> list[str]:
        """Return the problems of this load as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = side_problems(self.at, self.point, self.label)
        if isinstance(self.at, Ground):
            found.append(f"{self.label} acts on the ground, which can't move; give a body")
        try:
            self.constant()
            if self.point is not None:
                vector(self.point, f"{self.label}: point")
        except InputError as error:
            found.append(str(error))
        return found


class PointForce(_Load):
    """A force at a point of a body.

    Parameters
    ----------
    name : str
        Name of the load, unique in the system.
    at : RigidBody or BodyFrame
        The body or the named frame ``body["name"]`` that the force acts on.
    value : array_like or callable
        Force, (3,), N, or a function of time (s) that returns it. The components are inertial unless ``follows`` is
        True.
    point : array_like, optional
        Point on a rigid body in the drawn configuration, (3,), m, inertial base; by default its centre of mass.
    follows : bool, optional
        True: the components refer to the base of the body, so that the force rotates with the body.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> push = fb.PointForce("push", bar, lambda t: (0.0, 0.0, 10.0 * t), point=(0.6, 0, 0))
    """


class PointMoment(_Load):
    """A moment on a body.

    Parameters
    ----------
    name : str
        Name of the load, unique in the system.
    at : RigidBody or BodyFrame
        The body or the named frame ``body["name"]`` that the moment acts on.
    value : array_like or callable
        Moment, (3,), Nm, or a function of time (s) that returns it. The components are inertial unless ``follows`` is
        True.
    point : array_like, optional
        Point on a rigid body in the drawn configuration, (3,), m; it does not change the effect of a moment.
    follows : bool, optional
        True: the components refer to the base of the body, so that the moment rotates with the body.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> torque = fb.PointMoment("torque", bar, (0.0, 2.0, 0.0))
    """

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the frame of this moment on the bodies of a system as sentences."""
        body = bodies[self.at.body.name] if isinstance(self.at, BodyFrame) else None
        if isinstance(body, FlexibleBody) and not body.reduced.markers[self.at.name].has_rotation:
            return [
                f"{self.label}: {self.at!r} has too few nodes to define a rotation; use a larger node set"
            ]
        return []


@dataclass(frozen=True, eq=False)
class SpringDamper:
    """A massless spring, damper and actuator along the line between two points, Koppens (4.2)-(4.8).

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    stiffness : float, optional
        Stiffness, N/m.
    damping : float, optional
        Damping, Ns/m.
    free_length : float, optional
        Undeformed length, m; by default the length in the drawn configuration.
    force : float or callable, optional
        Force of the actuator, N: a number or a function of time (s).
    first_point, second_point : array_like, optional
        Ends on rigid bodies (by default the centre of mass) or the ground (by default the origin) in the drawn
        configuration, (3,), m, inertial base.

    Notes
    -----
    The tension is ``F = stiffness (l - free_length) + damping dl/dt + force``, where l is the length. A positive
    tension pulls the points together.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> spring = fb.SpringDamper("spring", fb.GROUND, bar, stiffness=500.0, damping=4.0, first_point=(0.3, 0, 1))
    """

    name: str
    first: Side
    second: Side
    _: KW_ONLY
    stiffness: float = 0.0
    damping: float = 0.0
    free_length: float | None = None
    force: float | Callable[[float], float] = 0.0
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None

    @property
    def label(self) -> str:
        """Kind and name of this element, for messages."""
        return f"SpringDamper '{self.name}'"

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
        return (
            frame_at(self.first, self.first_point, bodies, self.label),
            frame_at(self.second, self.second_point, bodies, self.label),
        )

    def law(self, t_end: float) -> Law | None:
        """Return the compiled function of time of the actuator, or None if its force is constant.

        Parameters
        ----------
        t_end : float
            End of the run, s.

        Returns
        -------
        Law or None
            The compiled function, or None for a constant.
        """
        return scalar_law(self.force, t_end, f"{self.label}: force") if callable(self.force) else None

    def problems(self) -> list[str]:
        """Return the problems of this element as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = side_problems(self.first, self.first_point, self.label)
        found += side_problems(self.second, self.second_point, self.label)
        for what in ("stiffness", "damping", "free_length"):
            value = getattr(self, what)
            if not (what == "free_length" and value is None) and not (finite(value) and value >= 0):
                more = instead(what, value).replace("law=", "ForceElement(name, Line(first, second), ")
                found.append(
                    f"{self.label}: {what} is {value!r}; it must be a number not below zero"
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
        return ends_apart(self.frames(bodies), bodies, self.label)

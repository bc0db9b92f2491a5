"""Loads: forces and moments at one frame, given by a vector or a function of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.numbers import vector

from ...core.kinds import FORCE_BODY, FORCE_INERTIAL, MOMENT_BODY, MOMENT_INERTIAL
from ...functions.function_pointers import load_law
from ...functions.time_law import Law
from ..rigid_motion import AT_REST, Motions
from ..sides import Body, FrameData, Side
from .force import Force, TimeFunction
from .place import frame_at, point_problems, side_problems


@dataclass(frozen=True, eq=False)
class Load(Force):
    """A load at a frame; base class of :class:`PointForce` and :class:`PointMoment`."""

    name: str
    at: Side
    value: ArrayLike | Callable[[float], ArrayLike]
    _: KW_ONLY
    point: ArrayLike | None = None
    follows: bool = False

    default_quantity: ClassVar = "load"
    where_it_is_read: ClassVar = "result.table(load) gives it over time"
    #: Whether the load is a moment.
    is_moment: ClassVar[bool]
    #: Kinds of the load in the compiled core: with inertial components, and with those of the body.
    kinds: ClassVar[tuple[int, int]]

    @property
    def kind(self) -> int:
        """Kind of the load in the compiled core."""
        return self.kinds[bool(self.follows)]

    @property
    def unit(self) -> str:
        """Unit of the load: "N" or "N m"."""
        return "N m" if self.is_moment else "N"

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the three components as input channels of a linearised machine."""
        word = "moment" if self.is_moment else "force"
        return tuple(f"{self.name} {word} {axis}" for axis in "xyz")

    def sides(self) -> tuple[Side, ...]:
        """Return the side that the load acts on, as a tuple with one entry."""
        return (self.at,)

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:
        """Return the frame that the load acts on, as a tuple with one entry."""
        return (frame_at(self.at, self.point, bodies, self.label),)

    def time_function(self, bodies: Mapping[str, Body]) -> TimeFunction | None:
        """Return the load as a function of time, or None if it is constant."""
        return TimeFunction(self.label, 3, self.unit) if callable(self.value) else None

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

    def wrench(self, bodies: Mapping[str, Body]) -> tuple[np.ndarray, ...]:
        """Return the arrays of a distributed load that follows, none of a point force or moment.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of numpy.ndarray
            See :meth:`flexbody.model.forces.body_load.FollowingLoad.wrench`.
        """
        return ()

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this load on a body that is drawn elsewhere; a load that follows the body is rotated with it."""
        motion = motions.get(self.at.body.name, AT_REST)
        point = None if self.point is None else motion.point(self.point)
        value: Any = self.value
        if self.follows:
            given = self.value
            value = (
                (lambda t: motion.R @ np.asarray(given(t), dtype=float))
                if callable(given)
                else tuple(motion.R @ np.asarray(given, dtype=object))
            )
        return replace(self, point=point, value=value)

    def problems(self) -> list[str]:
        """Return the problems of this load as sentences."""
        found = side_problems(self.at, self.point, self.label)
        if not found and not self.at.moves:
            found.append(f"{self.label} acts on the ground, which can't move; give a body")
        try:
            self.constant()
        except InputError as error:
            found.append(str(error))
        return found + point_problems(self.point, f"{self.label}: point")


@dataclass(frozen=True, eq=False)
class PointForce(Load):
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
        True: the force turns with what it acts on, from the drawn configuration on: with the body, and on a flexible
        body with the rotation that the deformation gives a named frame (with the base of the body, where that frame has
        none).

    Notes
    -----
    A function of time is called at thousands of times before the run, to find its jumps, pulses and periods (a copy of
    it, if it can be copied): it must not act on anything else. A pulse that is shorter than a 4000th of the run is
    found at times that the function names: numbers in its code, in the variables, attributes and tables that it reads
    (also of modules and classes; not what a property or another descriptor computes), their sums, differences, products
    and ratios, and multiples up to some thousand in the run, as in ``1e3 if 3.0 < t < 3.001 else 0`` or ``t % 0.5 <
    1e-4``. Of a long table those times are asked for at which a table of values beside it stands out. Many jumps below
    a thousandth of the function's range do not end steps. A warning says where not all was looked for: jumps and pulses
    are too many, or some are too short.
    Another short pulse can be missed; give ``max_step`` of the integrator, which bounds the steps.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> push = fb.PointForce("push", bar, lambda t: (0.0, 0.0, 10.0 * t), point=(0.6, 0, 0))
    """

    is_moment: ClassVar = False
    kinds: ClassVar = (FORCE_INERTIAL, FORCE_BODY)


@dataclass(frozen=True, eq=False)
class PointMoment(Load):
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
        True: the moment turns with what it acts on, as :class:`PointForce`.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> torque = fb.PointMoment("torque", bar, (0.0, 2.0, 0.0))
    """

    is_moment: ClassVar = True
    kinds: ClassVar = (MOMENT_INERTIAL, MOMENT_BODY)

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the frame of this moment on the bodies of a system as sentences."""
        if not self.at.has_rotation(bodies):
            return [
                f"{self.label}: {self.at!r} has too few nodes to define a rotation; use a larger node set"
            ]
        return []

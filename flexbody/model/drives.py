"""Drives: joint coordinates prescribed as functions of time (rheonomic constraints)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match
from fem.common.numbers import is_number

from ..core.kinds import ANGLE
from ..functions.antiderivative import Antiderivative
from ..functions.prescribed_motion import Motion, Prescribed
from .joints.base import Connection, Joint, Term
from .joints.coordinates import TURN_Z
from .joints.rows import SUM, Row

#: Parameters of a drive that can give its motion.
MOTION_PARAMETERS = ("rate", "value")


@dataclass(frozen=True, eq=False)
class Drive(Connection):
    """A prescribed joint coordinate: a constraint that depends on time.

    Give either ``rate`` or ``value``.

    Parameters
    ----------
    name : str
        Name of the drive, unique in the system.
    joint : Joint
        The driven joint.
    rate : float or callable, optional
        Rate of the coordinate, rad/s or m/s: a number or a function of time (s), such as a profile of speed. The
        coordinate is zero at t = 0; the drive has the integral of the function as ``value`` and it as ``velocity``.
    value : float or callable, optional
        Value of the coordinate, rad or m: a number or a function of time (s).
    velocity, acceleration : callable, optional
        First and second derivative of the function of time. By default they are determined from the function: exactly
        if it is made of elementary functions, otherwise (if it uses ``if``, looks up data, or is not a plain function)
        by differences, which are taken beside the corners of the function.
    which : str, optional
        Name of the driven coordinate. A joint with several coordinates needs it, such as "slide" of a cylindrical joint
        or "angle_x" of a spherical joint. Use a :class:`Floating` joint to drive the absolute position or
        attitude of a body.

    Notes
    -----
    Joint coordinates are zero in the drawn configuration. The function is evaluated at times between 0 and the end of
    the run, thousands of times before it begins, and must not act on anything else. The reaction of a drive is the
    driving load.

    The function may have corners, as a ramp, ``max(0, ...)`` or a table of straight lines has (up to 2000 in a run,
    and apart by a thousandth of it or more; of two that are closer to each other than a 2000th, both may be
    missed). A step ends at each. Where the rate jumps, the machine takes an impulse::

        M dv + G^T p = 0        G dv = jump of the prescribed rates

    and the energy that the drive gives in it is part of its work; a warning says when. Where the acceleration jumps, as
    for a trapezoidal speed, reactions jump.

    Examples
    --------
    >>> import flexbody as fb
    >>> import numpy as np
    >>> crank = fb.RigidBody("crank", mass=0.9, inertia=(1e-4, 2e-3, 2e-3), center=(0.05, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    >>> motor = fb.Drive("motor", hinge, value=lambda t: 2.0 * t**2)
    >>> times, speeds = [0.0, 1.0, 3.0, 4.0], [0.0, 20.0, 20.0, 0.0]  # s, rad/s
    >>> profile = fb.Drive("motor", hinge, rate=lambda t: np.interp(t, times, speeds))
    >>> round(profile.value(4.0), 9)  # rad
    60.0
    """

    name: str
    joint: Joint
    _: KW_ONLY
    rate: Motion | None = None
    value: Motion | None = None
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None
    which: str | None = None

    verb: ClassVar[str] = "drives"

    def __post_init__(self) -> None:
        """Take a rate that is a function of time as the derivative of its integral."""
        if self.rate is not None and isinstance(self.value, Antiderivative):  # a copy with another rate
            vars(self).update(value=None, velocity=None)
        if callable(self.rate) and self.value is None and self.velocity is None:
            vars(self).update(rate=None, value=Antiderivative(self.rate, self.label), velocity=self.rate)

    @property
    def host(self) -> Joint:
        """The driven joint."""
        return self.joint

    @property
    def driven(self) -> Term:
        """The driven coordinate."""
        return Term(self.joint, self.coordinate)

    @property
    def unit(self) -> str:
        """Unit of the driven coordinate."""
        return self.driven.coordinate.unit

    def uses(self) -> tuple[Term, ...]:
        """Return the driven coordinate."""
        return (self.driven,)

    def measures(self) -> tuple[str, ...]:
        """Return the name of the driven coordinate."""
        return (self.coordinate,)

    @property
    def coordinate(self) -> str:
        """Name of the driven joint coordinate."""
        if self.which is not None:
            return self.which
        return next(iter(self.joint.coordinates), "")

    @property
    def given(self) -> str:
        """Name of the parameter that gives the motion: "rate" or "value"."""
        return next((name for name in MOTION_PARAMETERS if getattr(self, name) is not None), "")

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rheonomic constraint, as a tuple with one row."""
        plain = self.joint.coordinates[self.coordinate] == TURN_Z
        return (Row(ANGLE, 2, 2),) if plain else SUM

    @property
    def prescribed(self) -> Prescribed:
        """The prescribed value of the coordinate."""
        if self.rate is not None and not callable(self.rate):
            return Prescribed(0.0, float(self.rate))
        return Prescribed(0.0 if self.value is None else self.value, 0.0, self.velocity, self.acceleration)

    def start(self) -> float:
        """Return the coordinate at t = 0, rad or m.

        Returns
        -------
        float
            The value, rad or m.

        Raises
        ------
        fem.InputError
            If the function of time does not return one finite number at t = 0.
        """
        motion = self.prescribed.value
        first = motion(0.0) if callable(motion) else motion
        if not is_number(first):
            raise InputError(
                f"{self.label}: its function of time returns {first!r} at t = 0; it must return one finite number"
            )
        return float(first)

    def angles(self) -> tuple[tuple[str, float], ...]:
        """Return the value of the coordinate if it is an angle; of a function of time that at t = 0."""
        value, coordinate = self.value, self.joint.coordinates.get(self.coordinate)
        if value is None or coordinate is None or not coordinate.is_angle:
            return ()
        if not callable(value):
            return (("value", value),)
        try:
            return (("value at t = 0", self.start()),)
        except Exception:  # it is told where the run calls the function
            return ()

    def rotates_bodies(self) -> bool:
        """Return whether the coordinate is an angle with a rate other than zero or a function of time."""
        coordinate = self.joint.coordinates.get(self.coordinate)
        if coordinate is None or not coordinate.is_angle:
            return False
        return self.rate != 0.0 if self.rate is not None else callable(self.prescribed.value)

    def joint_problems(self, joints: Mapping[str, Joint]) -> list[str]:
        """Return the problems of this drive on the joint of that name in a system as sentences."""
        return replace(self, joint=joints[self.joint.name]).problems()

    def problems(self) -> list[str]:
        """Return the problems of this drive as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        given = [n for n in MOTION_PARAMETERS if getattr(self, n) is not None]
        if len(given) != 1:
            return [
                f"{self.label} has {' and '.join(f'{n}=' for n in given) or 'no motion'}; give either rate= or value="
            ]
        if not isinstance(self.joint, Joint):
            itself = "; give the joint itself, not its name" * isinstance(self.joint, str)
            return [f"{self.label} must drive a joint, not {called(self.joint)}{itself}"]
        have = self.joint.coordinates
        if not have:
            return [f"{self.label}: {self.joint.label} has no coordinate to drive; drive another joint"]
        if self.which is None and len(have) > 1:
            return [
                f"{self.label}: {self.joint.label} has the coordinates {listing(have)}; choose one with which="
            ]
        if not isinstance(self.coordinate, str) or self.coordinate not in have:
            return [
                f"{self.label}: {self.joint.label} has no coordinate {with_match(self.coordinate, have)}; "
                f"it has {listing(have)}"
            ]
        if reason := self.joint.undrivable(self.coordinate):
            return [f"{self.label}: {reason}"]
        if callable(self.rate):
            return [f"{self.label}: rate is a function, and velocity= is another one; leave out velocity="]
        if self.rate is not None and not is_number(self.rate):
            return [f"{self.label}: rate is {self.rate!r}; it must be a number"]
        derivatives = (self.velocity, self.acceleration)
        if self.rate is not None and derivatives != (None, None):
            return Prescribed(self.rate, 0.0, *derivatives).problems(self.label, "rate")
        return self.prescribed.problems(self.label, given[0])

"""Drives: joint coordinates prescribed as functions of time (rheonomic constraints)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fem.common.errors import InputError, called, listing

from ..core.kinds import ANGLE, COUPLING
from ..functions.function_pointers import Law
from ..functions.prescribed_motion import Motion, Prescribed
from ..rotation import finite
from .joints.base import Joint, Row, Term
from .joints.coordinates import TURN_Z
from .joints.joints import Distance

GIVEN = ("rate", "angle", "position", "value")


@dataclass(frozen=True, eq=False)
class Drive:
    """Prescribes a joint's coordinate, which is zero as drawn. Give exactly one of

    rate : constant rate of the coordinate, rad/s or m/s, from zero at t = 0.
    value : the coordinate, rad or m, a number or a function of time.
    angle, position : the same for the coordinates that are called "angle" and "slide".

    which : name of the driven coordinate; rate and value need it where the joint has several (a spherical joint's
    "angle_x", a planar joint's "x"; of a body's absolute place or attitude those of a :class:`Floating` joint).
    velocity, acceleration : the function's first and second derivative, where you have them; otherwise they
    are found by differentiating the function, exactly where it is made of elementary functions, else (where it
    decides with ``if``, looks up data, or is no plain function) by differences. The function is asked for times
    between 0 and the end of the run.
    """

    name: str
    joint: Joint
    rate: float | None = None
    angle: Motion | None = None
    position: Motion | None = None
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None
    value: Motion | None = None
    which: str | None = None

    @property
    def label(self) -> str:
        """How messages call this drive."""
        return f"drive '{self.name}'"

    @property
    def coordinate(self) -> str:
        """Name of the driven joint coordinate."""
        if self.which is not None:
            return self.which
        if self.angle is not None or self.position is not None:
            return "angle" if self.angle is not None else "slide"
        return next(iter(self.joint.coordinates), "")

    @property
    def given(self) -> str:
        """The word by which the motion is given: rate, angle, position or value."""
        return next((name for name in GIVEN if getattr(self, name) is not None), "")

    @property
    def rows(self) -> tuple[Row, ...]:
        """The one rheonomic constraint."""
        plain = self.joint.coordinates[self.coordinate] == TURN_Z
        return (Row(ANGLE, 2, 2) if plain else Row(COUPLING, 0),)

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The driven coordinate."""
        return ((Term(self.joint, self.coordinate),),)

    @property
    def prescribed(self) -> Prescribed:
        """What the coordinate follows."""
        if self.rate is not None:
            return Prescribed(0.0, float(self.rate))
        return Prescribed(getattr(self, self.given), 0.0, self.velocity, self.acceleration)

    def start(self) -> float:
        """Return the coordinate at t = 0."""
        motion = self.prescribed.value
        first = motion(0.0) if callable(motion) else motion
        if not finite(first):
            raise InputError(
                f"{self.label}: its function of time gives {first!r} at t = 0; it must give one number"
            )
        return float(first)

    def law(self, t_end: float) -> Law | None:
        """Return the compiled law of a function of time for a run to ``t_end`` (s), or None."""
        return self.prescribed.law(t_end, self.label)

    def problems(self) -> list[str]:
        """What is wrong with this drive, as sentences."""
        given = [n for n in GIVEN if getattr(self, n) is not None]
        if len(given) != 1:
            return [
                f"{self.label} is given {' and '.join(f'{n}=' for n in given) or 'no motion'}; give "
                f"exactly one of {', '.join(f'{n}=' for n in GIVEN)}"
            ]
        if not isinstance(self.joint, Joint):
            return [f"{self.label} must drive a joint, not {called(self.joint)}"]
        have = self.joint.coordinates
        if not have:
            return [f"{self.label}: {self.joint.label} has no coordinate to drive; drive another joint"]
        if self.which is None and given[0] in ("rate", "value") and len(have) > 1:
            mend = ("use angle= or position=, or " if "angle" in have else "") + "name it with which="
            return [f"{self.label}: {self.joint.label} has the coordinates {listing(have)}; {mend}"]
        if not isinstance(self.coordinate, str) or self.coordinate not in have:
            return [f"{self.label}: {self.joint.label} has no {self.coordinate}; it has {listing(have)}"]
        if isinstance(self.joint, Distance) and self.coordinate == "distance":
            return [
                f"{self.label}: {self.joint.label} holds its length. For a rod whose length follows a function give it "
                "that function: Distance(..., length=lambda t: 1.0 + 0.1 * np.sin(t)), in m; its reaction is the load"
            ]
        if self.rate is not None and (callable(self.rate) or not finite(self.rate)):
            return [f"{self.label}: rate is {self.rate!r}; it must be a number"]
        derivatives = (self.velocity, self.acceleration)
        if self.rate is not None and derivatives != (None, None):
            return Prescribed(self.rate, 0.0, *derivatives).problems(self.label, "rate")
        return self.prescribed.problems(self.label, given[0])

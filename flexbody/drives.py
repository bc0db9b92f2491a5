"""Drives: joint coordinates prescribed as functions of time (rheonomic constraints)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fem.common.errors import listing

from .joints.base import FrameData, Joint, Row
from .kernels.arrays import ANGLE, POINT
from .laws import Law, drive_law
from .rotation import finite

Motion = float | Callable[[float], float]


@dataclass(frozen=True, eq=False)
class Drive:
    """Prescribes a joint's coordinate, which is zero as drawn. Give exactly one of

    rate : constant rate of the joint's one coordinate, rad/s or m/s, from zero at t = 0.
    angle : the rotation about the joint's axis, rad, a number or a function of time.
    position : the slide along the joint's axis, m, a number or a function of time.

    velocity, acceleration : the function's first and second derivative, where you have them; otherwise they
    are taken by differences. The function is asked for times between 0 and the end of the run.
    """

    name: str
    joint: Joint
    rate: float | None = None
    angle: Motion | None = None
    position: Motion | None = None
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None

    @property
    def label(self) -> str:
        """How messages call this drive."""
        return f"drive '{self.name}'"

    @property
    def coordinate(self) -> str:
        """The driven joint coordinate, "angle" or "slide"."""
        if self.rate is not None:
            return self.joint.coordinates[0]
        return "angle" if self.angle is not None else "slide"

    @property
    def rows(self) -> tuple[Row, ...]:
        """The one rheonomic constraint."""
        return (Row(ANGLE, 2, 2) if self.coordinate == "angle" else Row(POINT, 2),)

    @property
    def motion(self) -> Motion:
        """The prescribed coordinate: a number or a function of time (rate drives: see ``value``)."""
        motion = self.angle if self.angle is not None else self.position
        assert motion is not None
        return motion

    def value(self) -> tuple[float, float]:
        """Value at t = 0 and rate, for drives that need no law."""
        if self.rate is not None:
            return 0.0, float(self.rate)
        return (0.0, 0.0) if callable(self.motion) else (float(self.motion), 0.0)

    def law(self, t_end: float) -> Law | None:
        """Return the compiled law of a function of time for a run to ``t_end`` (s), or None."""
        if self.rate is not None or not callable(self.motion):
            return None
        return drive_law(self.motion, self.velocity, self.acceleration, t_end, self.label)

    def frames(self, bodies) -> tuple[FrameData, FrameData]:
        """Return the frames of the driven joint."""
        return self.joint.frames(bodies)

    def problems(self) -> list[str]:
        """What is wrong with this drive, as sentences."""
        given = [n for n in ("rate", "angle", "position") if getattr(self, n) is not None]
        if len(given) != 1:
            return [
                f"{self.label} is given {' and '.join(f'{n}=' for n in given) or 'no motion'}; give "
                "exactly one of "
                "rate=, angle=, position="
            ]
        if not isinstance(self.joint, Joint):
            return [f"{self.label} must drive a joint, not {self.joint!r}"]
        have = self.joint.coordinates
        if not have or (self.rate is not None and len(have) > 1):
            why = "has no coordinate to drive" if not have else f"has the coordinates {listing(have)}"
            mend = (
                "drive a revolute, cylindrical, prismatic or planar joint"
                if not have
                else "use angle= or position="
            )
            return [f"{self.label}: {self.joint.label} {why}; {mend}"]
        if self.coordinate not in have:
            return [f"{self.label}: {self.joint.label} has no {self.coordinate}; it has {listing(have)}"]
        found = []
        number = self.rate if self.rate is not None else self.motion
        if (self.rate is not None or not callable(number)) and not finite(number):
            kinds = "a number" if self.rate is not None else "a number or a function of time"
            found.append(f"{self.label}: {given[0]} is {number!r}; it must be {kinds}")
        for what in ("velocity", "acceleration"):
            if getattr(self, what) is not None and not (callable(number) and callable(getattr(self, what))):
                found.append(f"{self.label}: {what}= is the derivative of a function of time, and a function")
        if self.acceleration is not None and self.velocity is None:
            found.append(f"{self.label} has acceleration= and no velocity=; give both, or neither")
        return found

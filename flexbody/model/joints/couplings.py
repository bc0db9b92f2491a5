"""Couplings of joint coordinates: gears, racks, and any linear combination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fem.common.errors import called, listing

from ...core.kinds import COUPLING
from ...functions.function_pointers import Law
from ...functions.prescribed_motion import Motion, Prescribed
from ...rotation import finite
from .base import Joint, Row, Term


@dataclass(frozen=True, eq=False)
class Coupler:
    """Holds a sum of joint coordinates times factors: ``sum_i factor_i coordinate_i = value``.

    terms : ``(joint, factor)`` where the joint has one coordinate, ``(joint, name, factor)`` where it has several.
    value : a number or a function of time; the default 0 keeps the sum as drawn. velocity, acceleration : its
    derivatives, as for a :class:`Drive`. Angles count over all turns. The coordinates are those of joints of the
    system, also of several bodies; a sum that mixes angles and lengths has factors with units.

    Its reaction is the load on the second body of the last term's joint; ``result.reaction(coupler, body=...)`` gives
    that on each body that it acts on.
    """

    name: str
    terms: Sequence[tuple]
    value: Motion = 0.0
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None

    rows: ClassVar = (Row(COUPLING, 0),)

    @property
    def label(self) -> str:
        """How messages call this coupling."""
        return f"{type(self).__name__.lower()} '{self.name}'"

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The one sum."""
        return (tuple(_term(term) for term in self.terms),)

    @property
    def prescribed(self) -> Prescribed:
        """What the sum follows."""
        return Prescribed(self.value, 0.0, self.velocity, self.acceleration)

    def law(self, t_end: float) -> Law | None:
        """Return the compiled law of a function of time for a run to ``t_end`` (s), or None."""
        return self.prescribed.law(t_end, self.label)

    def problems(self) -> list[str]:
        """What is wrong with this coupling, as sentences."""
        if not isinstance(self.terms, Sequence) or not len(self.terms):
            return [
                f"{self.label}: terms is {self.terms!r}; give a list of (joint, factor) or (joint, name, factor)"
            ]
        found = [problem for term in self.terms for problem in self._term_problems(term)]
        found = found or twice(self.label, self.couplings[0], "add up the factors of its terms")
        return found or self.prescribed.problems(self.label, "value")

    def _term_problems(self, term) -> list[str]:
        if not (isinstance(term, tuple | list) and len(term) in (2, 3) and isinstance(term[0], Joint)):
            return [f"{self.label}: a term is {called(term)}; give (joint, factor) or (joint, name, factor)"]
        joint, factor = term[0], term[-1]
        if not finite(factor) or not factor:
            return [f"{self.label}: the factor of {joint.label} is {factor!r}; it must be a number, not zero"]
        return which_problems(self.label, joint, term[1] if len(term) == 3 else None)


def which_problems(label: str, joint: Joint, which: str | None) -> list[str]:
    """What is wrong with the name of a joint coordinate, as sentences; None names the only one."""
    have = joint.coordinates
    if not have:
        return [f"{label}: {joint.label} has no coordinate"]
    if which is None and len(have) > 1:
        return [f"{label}: {joint.label} has the coordinates {listing(have)}; name one"]
    if which is not None and not (isinstance(which, str) and which in have):
        return [f"{label}: {joint.label} has no coordinate {called(which)}; it has {listing(have)}"]
    return []


def _term(term) -> Term:
    which = term[1] if len(term) == 3 else next(iter(term[0].coordinates))
    return Term(term[0], which, float(term[-1]))


@dataclass(frozen=True, eq=False)
class Gear:
    """A pair of gears, each on its own joint: the angles turn in a constant ratio.

    ratio : teeth of the second gear over those of the first. External gears turn against each other, ``internal``
    ones the same way, both seen along the axes of their joints. For planetary gears let both joints have the
    carrier as their first body; for bevel gears let both axes point away from where they meet. Where a joint has
    several coordinates the one called "angle" is meant. The reaction is the moment on the second gear, or with
    ``result.reaction(gear, body=...)`` that on the first or on what carries both; it acts about the axes, not at the
    teeth, whose forces sideways on the bearings are left out.
    """

    name: str
    first: Joint
    second: Joint
    ratio: float
    internal: bool = False

    rows: ClassVar = (Row(COUPLING, 0),)
    prescribed: ClassVar = Prescribed(0.0)

    @property
    def label(self) -> str:
        """How messages call this gear."""
        return f"gear '{self.name}'"

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The ratio of the angles."""
        factor = -float(self.ratio) if self.internal else float(self.ratio)
        return ((Term(self.first, "angle"), Term(self.second, "angle", factor)),)

    def law(self, t_end: float) -> None:
        """Return nothing: a gear's ratio is constant."""

    def problems(self) -> list[str]:
        """What is wrong with this gear, as sentences."""
        found = [
            f"{self.label} works on {called(joint)}; give two joints with an angle, such as revolute ones"
            for joint in (self.first, self.second)
            if not isinstance(joint, Joint) or "angle" not in joint.coordinates
        ]
        if not finite(self.ratio) or not self.ratio > 0:
            found.append(
                f"{self.label}: ratio is {self.ratio!r}; it must be above zero (internal=True turns the sign)"
            )
        return found or twice(self.label, self.couplings[0], "give the joints of two wheels")


@dataclass(frozen=True, eq=False)
class Rack:
    """A pinion on one joint and a rack on another: ``slide = radius * angle``.

    radius : of the pinion's pitch circle, m; its sign says which way the rack moves for a positive angle about the
    pinion's axis. pinion : a joint with the coordinate "angle". rack : one with the coordinate "slide" (or ``which``,
    such as the "x" of a planar joint, which may be the pinion's own: a wheel that rolls).
    """

    name: str
    pinion: Joint
    rack: Joint
    radius: float
    which: str = "slide"

    rows: ClassVar = (Row(COUPLING, 0),)
    prescribed: ClassVar = Prescribed(0.0)

    @property
    def label(self) -> str:
        """How messages call this rack."""
        return f"rack '{self.name}'"

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """The slide less what the pinion unrolls."""
        return ((Term(self.pinion, "angle", -float(self.radius)), Term(self.rack, self.which)),)

    def law(self, t_end: float) -> None:
        """Return nothing: a rack's ratio is constant."""

    def problems(self) -> list[str]:
        """What is wrong with this rack, as sentences."""
        found = [
            f"{self.label}: {what} is {called(joint)}; give a joint with the coordinate '{needed}'"
            for what, joint, needed in (("pinion", self.pinion, "angle"), ("rack", self.rack, self.which))
            if not isinstance(joint, Joint) or needed not in joint.coordinates
        ]
        if not finite(self.radius) or not abs(self.radius) > 0:
            found.append(f"{self.label}: radius is {self.radius!r} m; it must be a number, not zero")
        return found or twice(self.label, self.couplings[0], "give the pinion's angle and the rack's slide")


def twice(label: str, terms: Sequence[Term], mend: str) -> list[str]:
    """What is wrong with a coupling that has a coordinate twice, as sentences: it would hold it, or do nothing."""
    counts = Counter((term.joint.name, term.which) for term in terms)
    return [
        f"{label} has {term.which} of {term.joint.label} twice, and couples it to itself; {mend}"
        for term in {(term.joint.name, term.which): term for term in terms}.values()
        if counts[term.joint.name, term.which] > 1
    ]


def scale(terms: Sequence[Term], length: float) -> float:
    """Return what makes the largest factor of a sum one, its angles taken at ``length`` (m)."""
    sizes = [abs(term.factor) / (length if term.coordinate.turns else 1.0) for term in terms]
    return 1.0 / float(np.max(sizes))

"""Forces along joint coordinates, and stops at the ends of their range."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.kinds import STOP
from ...rotation import finite
from ..joints.base import Joint
from ..joints.couplings import which_problems


@dataclass(frozen=True, eq=False)
class JointForce:
    """A force (or moment) along one coordinate of a joint. See the subclasses."""

    name: str
    joint: Joint

    @property
    def kind(self) -> int:
        """The law: one of the laws of springs in ``core/kinds.py``."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """How messages call this element."""
        return f"{type(self).__name__} '{self.name}'"

    @property
    def coordinate(self) -> str:
        """Name of the joint coordinate."""
        return self.which or next(iter(self.joint.coordinates))  # type: ignore[attr-defined]

    def constants(self) -> tuple[float, ...]:
        """The numbers of the law, see ``core/force.hpp``."""
        raise NotImplementedError

    def problems(self) -> list[str]:
        """What is wrong with this element, as sentences."""
        if not isinstance(self.joint, Joint):
            return [f"{self.label} acts on {self.joint!r}; give a joint"]
        return which_problems(self.label, self.joint, self.which) or self._number_problems()  # type: ignore[attr-defined]

    def _number_problems(self) -> list[str]:
        return []

    def _check(self, above: tuple[str, ...], least: tuple[str, ...]) -> list[str]:
        """Return what is not a number above zero, or not below zero."""
        found = []
        for names, word, good in (
            (above, "above zero", lambda x: x > 0),
            (least, "not below zero", lambda x: x >= 0),
        ):
            for name in names:
                value = getattr(self, name)
                if not (finite(value) and good(value)):
                    found.append(f"{self.label}: {name} is {value!r}; it must be a number, {word}")
        return found


@dataclass(frozen=True, eq=False)
class Limit(JointForce):
    """Stops at both ends of a joint coordinate's range: ``F = stiffness delta^exponent (1 + dissipation delta.)``.

    K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440: delta is by how much the stop is overrun, and the load
    grows and falls without a jump. lower, upper : ends of the range (m, rad; from the drawn position; angles count
    over many turns); one may be left out. stiffness : load at an overlap of one, N/m^exponent. dissipation : s/m (for
    an angle s/rad); a body that arrives at speed v leaves at v (1 - 2/3 dissipation v) while that is near v. which :
    the coordinate, where the joint has several.
    """

    lower: float = float("-inf")
    upper: float = float("inf")
    stiffness: float = 0.0
    exponent: float = 1.5
    dissipation: float = 0.0
    which: str | None = None

    @property
    def kind(self) -> int:
        """The law."""
        return STOP

    def constants(self) -> tuple[float, ...]:
        """Lower and upper end, stiffness, exponent, dissipation."""
        return float(self.lower), float(self.upper), self.stiffness, self.exponent, self.dissipation

    def _number_problems(self) -> list[str]:
        found = self._check(("stiffness", "exponent"), ("dissipation",))
        try:
            lower, upper = float(self.lower), float(self.upper)
        except (TypeError, ValueError):
            return [*found, f"{self.label}: the range is {self.lower!r} .. {self.upper!r}; give numbers"]
        if not lower < upper or (lower, upper) == (float("-inf"), float("inf")):
            found.append(
                f"{self.label}: the range is {lower:g} .. {upper:g}; give lower= below upper=, or one of them"
            )
        return found

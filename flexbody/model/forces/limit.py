"""Stops at the ends of the range of a joint coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

from fem.common.values import Extended

from ..sides import Body
from .force_element import JointElement
from .law import ForceLaw, check_numbers
from .symbol import Symbol


@dataclass(frozen=True, eq=False)
class Stop(ForceLaw):
    """Stops at both ends of a range of the deformation; see :class:`Limit`.

    Parameters
    ----------
    lower, upper : float, optional
        Ends of the range, m or rad. One of both may be left out.
    stiffness : float
        Force at a penetration of one unit, N/m^exponent (Nm/rad^exponent).
    exponent : float, optional
        Exponent of the penetration.
    dissipation : float, optional
        Dissipation coefficient, s/m (s/rad).
    """

    lower: Annotated[float, Extended] = float("-inf")
    upper: Annotated[float, Extended] = float("inf")
    _: KW_ONLY
    stiffness: float = 0.0
    exponent: float = 1.5
    dissipation: float = 0.0

    function: ClassVar = "stop"
    sets_in: ClassVar = True
    is_input: ClassVar = False
    place: ClassVar = "Along(joint)"

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """A stop at both ends of the range."""
        return (Symbol("stop", (float(self.lower), float(self.upper))),)

    def numbers(self) -> list[float]:
        """Return lower and upper end, stiffness, exponent and dissipation."""
        return [float(self.lower), float(self.upper), self.stiffness, self.exponent, self.dissipation]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = check_numbers(self, label, ("stiffness", "exponent"), ("dissipation",))
        try:
            lower, upper = float(self.lower), float(self.upper)
        except (TypeError, ValueError):
            return [*found, f"{label}: the range is {self.lower!r} .. {self.upper!r}; give numbers"]
        if not lower < upper or (lower, upper) == (float("-inf"), float("inf")):
            found.append(
                f"{label}: the range is {lower:g} .. {upper:g}; give lower= below upper=, or one of them"
            )
        return found


@dataclass(frozen=True, eq=False)
class Limit(JointElement):
    """Stops at both ends of the range of a joint coordinate.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        The joint.
    lower, upper : float, optional
        Ends of the range, m or rad, relative to the drawn configuration. Angles are continuous over many revolutions.
        One of both may be left out.
    stiffness : float
        Force at a penetration of one unit, N/m^exponent (Nm/rad^exponent).
    exponent : float, optional
        Exponent n of the penetration.
    dissipation : float, optional
        Dissipation coefficient d, s/m (s/rad). A body that arrives with velocity v leaves with about
        ``v (1 - 2/3 d v)``, as long as ``d v`` is small.
    which : str, optional
        Name of the coordinate; needed if the joint has several.

    Notes
    -----
    The force is ``F = stiffness delta^n (1 + d d(delta)/dt)``, where delta is the penetration beyond the end of the
    range [1]_. It starts and ends without a jump.

    References
    ----------
    .. [1] K. H. Hunt, F. R. E. Crossley, "Coefficient of restitution interpreted as damping in vibroimpact", J. Appl.
       Mech. 42 (1975) 440.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> stop = fb.Limit("stop", hinge, lower=-0.5, upper=0.5, stiffness=1e5, dissipation=0.1)
    """

    _: KW_ONLY
    lower: Annotated[float, Extended] = float("-inf")
    upper: Annotated[float, Extended] = float("inf")
    stiffness: float = 0.0
    exponent: float = 1.5
    dissipation: float = 0.0

    def force_law(self, bodies: Mapping[str, Body]) -> Stop:
        """Return the law of the stops."""
        return Stop(
            self.lower,
            self.upper,
            stiffness=self.stiffness,
            exponent=self.exponent,
            dissipation=self.dissipation,
        )

    def angles(self) -> tuple[tuple[str, float], ...]:
        """Return both ends of the range of an angle."""
        return (("lower", self.lower), ("upper", self.upper)) if self.is_angle else ()

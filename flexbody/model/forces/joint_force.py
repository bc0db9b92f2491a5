"""Forces along joint coordinates, and stops at the ends of their range."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from fem.common.numbers import finite

from ..joints.base import Joint
from ..joints.couplings import which_problems


@dataclass(frozen=True, eq=False)
class JointForce:
    """A force (or moment) along one coordinate of a joint; base class of :class:`Friction` and :class:`Limit`."""

    name: str
    joint: Joint

    @property
    def label(self) -> str:
        """Kind and name of this element, for messages."""
        return f"{type(self).__name__} '{self.name}'"

    @property
    def coordinate(self) -> str:
        """Name of the joint coordinate."""
        return self.which or next(iter(self.joint.coordinates))  # type: ignore[attr-defined]

    def constants(self) -> tuple[float, ...]:
        """Return the numbers of the law; see ``core/force.hpp``.

        Returns
        -------
        tuple of float
            The numbers of the law.
        """
        raise NotImplementedError

    def problems(self) -> list[str]:
        """Return the problems of this element as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        if not isinstance(self.joint, Joint):
            return [f"{self.label} acts on {self.joint!r}; give a joint instead"]
        return which_problems(self.label, self.joint, self.which) or self._number_problems()  # type: ignore[attr-defined]

    def _number_problems(self) -> list[str]:
        return []

    def _check(self, above: tuple[str, ...], least: tuple[str, ...]) -> list[str]:
        """Return as sentences which fields ``above`` are not above zero and which fields ``least`` are negative."""
        found = []
        for names, word, good in (
            (above, "above zero", lambda x: x > 0),
            (least, "not below zero", lambda x: x >= 0),
        ):
            for name in names:
                value = getattr(self, name)
                if not (finite(value) and good(value)):
                    found.append(f"{self.label}: {name} is {value!r}; it must be a number {word}")
        return found


@dataclass(frozen=True, eq=False)
class Limit(JointForce):
    """Stops at both ends of the range of a joint coordinate.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        The joint.
    lower, upper : float, optional
        Ends of the range, m or rad, relative to the drawn configuration. Angles are continuous over many turns. One of
        both may be left out.
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
    lower: float = float("-inf")
    upper: float = float("inf")
    stiffness: float = 0.0
    exponent: float = 1.5
    dissipation: float = 0.0
    which: str | None = None

    def constants(self) -> tuple[float, ...]:
        """Return lower and upper end, stiffness, exponent and dissipation."""
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

"""The spring, damper and actuator along the line between two points, Koppens 4.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass

from numpy.typing import ArrayLike

from ..sides import Body, Side
from .force_element import Element
from .geometry import Line
from .passive_laws import Linear


@dataclass(frozen=True, eq=False)
class SpringDamper(Element):
    """A massless spring, damper and actuator along the line between two points, Koppens (4.2)-(4.8).

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    first, second : RigidBody, BodyFrame, MasslessBody or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``; also a :class:`MasslessBody` between springs.
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
    tension pulls the points together. It is the :class:`ForceElement` with a :class:`Line` and the law :class:`Linear`.

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
    def geometry(self) -> Line:
        """The line between both ends."""
        return Line(
            self.first, self.second,
            free_length=self.free_length, first_point=self.first_point, second_point=self.second_point,
        )  # fmt: skip

    def force_law(self, bodies: Mapping[str, Body]) -> Linear:
        """Return the linear law."""
        return Linear(self.stiffness, self.damping, force=self.force)

    def problems(self) -> list[str]:
        """Return the problems of this element as sentences."""
        return [_with_element(problem) for problem in super().problems()]


def _with_element(problem: str) -> str:
    """Return a sentence about the law in which another law that it proposes stands in a ForceElement."""
    words, given, law = problem.partition("law=")
    return f"{words}ForceElement(name, Line(first, second), {law})" if given else problem

"""A cylindrical hole in a body, in which a pin, a piston or a ball has play."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

from numpy.typing import ArrayLike

from fem.common.values import Positive

from ...core import kinds
from ..sides import Side
from .shapes import RoundShape, length_problems


@dataclass(frozen=True, eq=False)
class HollowCylinder(RoundShape):
    """A cylindrical hole, open at both ends: what lies around it is solid.

    Parameters
    ----------
    side : RigidBody, BodyFrame or GROUND
        What carries it.
    radius, length : float
        Radius of the hole, and its length along the axis, m.
    axis : str or array_like, optional
        Axis in the drawn configuration: "x", "y", "z", or a vector (3,).
    point : array_like, optional
        Centre in the drawn configuration, (3,), m; by default as for :class:`Sphere`.

    Notes
    -----
    :class:`Contact` of a hollow cylinder and a :class:`Cylinder` is a pin with play. The pin may shift, tilt and leave
    the hole. It touches at both ends of the part that lies in the hole, each with the full ``stiffness``; a pin that is
    parallel to the hole thus presses with ``2 stiffness delta^n``. With the radii R and r and the distance d of the
    axes at such an end ::

        gap = R - r - |d|

    The tilt theta of a pin changes the true gap by less than ``r theta^2 / 2``, which is left out; theta is at most
    ``2 (R - r) / length``. Axial stops are planes: ``fb.Contact(..., fb.Plane(...), fb.Cylinder(...))``. A
    :class:`Sphere` in a hollow cylinder touches its wall and its edges.

    Examples
    --------
    >>> import flexbody as fb
    >>> rod = fb.RigidBody("rod", mass=0.2, inertia=(1e-5, 2e-4, 2e-4), center=(0, 0, -0.1))
    >>> hole = fb.HollowCylinder(rod, radius=10.5e-3, length=0.02, axis="y", point=(0, 0, 0))
    >>> pin = fb.Cylinder(fb.GROUND, radius=10e-3, length=0.03, axis="y")
    >>> play = fb.Contact("play", hole, pin, stiffness=5e9, restitution=0.9, impact_speed=0.1)
    >>> machine = fb.System([rod], forces=[play], gravity=(0, 0, -9.81))
    """

    side: Side
    radius: Annotated[float, Positive]
    length: Annotated[float, Positive]
    _: KW_ONLY
    axis: str | ArrayLike = "z"
    point: ArrayLike | None = None

    kind: ClassVar = kinds.HOLLOW_CYLINDER

    @property
    def sizes(self) -> tuple[float, ...]:
        """Radius and length, m."""
        return float(self.radius), float(self.length)

    def size_problems(self, where: str) -> list[str]:
        """Return the problems of radius and length as sentences."""
        return length_problems(self, where, "radius", "length")

"""Wheels that roll: discs with a sharp or a rounded rim, and cones."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

from numpy.typing import ArrayLike

from fem.common.numbers import is_number
from fem.common.values import NotNegative, Positive

from ..core import kinds
from .forces.shapes import RoundShape, length_problems
from .sides import Side


@dataclass(frozen=True, eq=False)
class Wheel(RoundShape):
    """A wheel: a disc with a sharp or a rounded rim, which rolls on a plane; see :class:`Rolling`.

    Parameters
    ----------
    side : RigidBody, BodyFrame or GROUND
        What carries it.
    radius : float
        Radius of the tread, m, from the axis to the outermost points.
    rim : float, optional
        Radius of the rounded rim in a section through the axis, m; 0, the default, is a sharp edge. The surface is then
        a torus, as that of the tyre of a bicycle.
    axis : str or array_like, optional
        Axis in the drawn configuration: "x", "y", "z", or a vector (3,).
    point : array_like, optional
        Centre in the drawn configuration, (3,), m; by default as for :class:`Sphere`.

    Examples
    --------
    >>> import flexbody as fb
    >>> body = fb.RigidBody("front", mass=3.0, inertia=(0.14, 0.28, 0.14), center=(0, 0, 0.35))
    >>> tyre = fb.Wheel(body, radius=0.35, rim=0.02, axis="y")
    """

    side: Side
    radius: Annotated[float, Positive]
    _: KW_ONLY
    rim: Annotated[float, NotNegative] = 0.0
    axis: str | ArrayLike = "z"
    point: ArrayLike | None = None

    kind: ClassVar = kinds.WHEEL

    @property
    def sizes(self) -> tuple[float, ...]:
        """Radius and radius of the rim, m."""
        return float(self.radius), float(self.rim)

    def size_problems(self, where: str) -> list[str]:
        """Return the problems of both radii as sentences."""
        if not (is_number(self.radius) and self.radius > 0):
            return [f"{where}: radius is {self.radius!r}; it must be a number above zero"]
        if not (is_number(self.rim) and 0 <= self.rim <= self.radius):
            return [f"{where}: rim is {self.rim!r}; it must be a number from 0 to radius, {self.radius!r}"]
        return []


@dataclass(frozen=True, eq=False)
class Cone(RoundShape):
    """A coned wheel, such as that of a railway vehicle, which rolls on a rail; see :class:`Rolling`.

    Parameters
    ----------
    side : RigidBody, BodyFrame or GROUND
        What carries it.
    radius : float
        Radius of the tread at ``point``, m.
    slope : float
        Growth of the radius along the axis, m/m: the conicity, below zero where the radius decreases along the axis.
    axis : str or array_like, optional
        Axis in the drawn configuration: "x", "y", "z", or a vector (3,).
    point : array_like, optional
        Point of the axis in the drawn configuration, (3,), m; by default as for :class:`Sphere`.

    Examples
    --------
    >>> import flexbody as fb
    >>> wheelset = fb.RigidBody("wheelset", mass=1200.0, inertia=(700.0, 100.0, 700.0), center=(0, 0, 0.46))
    >>> left = fb.Cone(wheelset, radius=0.46, slope=-0.05, axis="y", point=(0, 0.75, 0.46))
    >>> right = fb.Cone(wheelset, radius=0.46, slope=0.05, axis="y", point=(0, -0.75, 0.46))
    """

    side: Side
    radius: Annotated[float, Positive]
    slope: float
    _: KW_ONLY
    axis: str | ArrayLike = "z"
    point: ArrayLike | None = None

    kind: ClassVar = kinds.CONE

    @property
    def sizes(self) -> tuple[float, ...]:
        """Radius, m, and slope."""
        return float(self.radius), float(self.slope)

    def size_problems(self, where: str) -> list[str]:
        """Return the problems of radius and slope as sentences."""
        if not (is_number(self.slope) and abs(self.slope) < 1.0):
            return [f"{where}: slope is {self.slope!r}; it must be a number between -1 and 1, in m/m"]
        return length_problems(self, where, "radius")

"""Contact of a body's surface, given by the points of a mesh, with a plane, sphere, cylinder or box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from fem.common.errors import called
from fem.common.short_repr import short_repr
from fem.common.values import Positive

from ...core.kinds import BOX, BRISTLES, CYLINDER, PLANE, SPHERE, SURFACE
from ..rigid_motion import Motions
from ..sides import Body, FrameData, Side
from .contact import BRISTLE_SIZE, ContactElement
from .geometry import Geometry
from .law import ForceLaw
from .shapes import Shape
from .surface import Surface
from .symbol import Symbol

#: kinds of shapes that a surface may touch
TOUCHED = (PLANE, SPHERE, CYLINDER, BOX)


@dataclass(frozen=True, eq=False)
class SurfaceOnShape(Geometry):
    """The motion of a shape seen from a surface.

    Parameters
    ----------
    surface : Surface
        The surface.
    other : Shape
        The shape.
    """

    surface: Surface
    other: Shape

    kind: ClassVar = SURFACE

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of deformations: six for a rigid body, none for a flexible one, of which each point has a frame."""
        return 0 if self.surface.bends else 6

    def sides(self) -> tuple[Side, Side]:
        """Return the sides of the surface and of the shape."""
        return self.surface.side, self.other.side

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:  # type: ignore[override]
        """Return the frames of the surface, then that of the shape."""
        return (*self.surface.frames(bodies, label), self.other.frame(bodies, label))

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> SurfaceOnShape:
        """Return this surface and this shape on bodies that are drawn elsewhere."""
        return SurfaceOnShape(self.surface.redrawn(motions), self.other.redrawn(motions))

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return zeros, (count,): only rates of the motion are needed."""
        return np.zeros(self.count)

    def problems(self, label: str) -> list[str]:
        """Return the problems of surface and shape as sentences."""
        if not isinstance(self.surface, Surface):
            return [f"{label}: surface is {called(self.surface)}; give fb.Surface.of(body, mesh)"]
        if not isinstance(self.other, Shape) or self.other.kind not in TOUCHED:
            return [f"{label}: other is {called(self.other)}; give a Plane, Sphere, Cylinder or Box"]
        found = self.surface.problems(label) + self.other.problems(label)
        if not found and self.other.side.body.name == self.surface.body.name:
            found = [
                f"{label}: surface and other are both on {self.surface.side!r}; give a shape on another body"
            ]
        return found

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of the shape on the bodies of a system as sentences."""
        return self.other.frame_problems(bodies, label)


@dataclass(frozen=True, eq=False)
class _SurfaceLaw(ForceLaw):
    geometry: SurfaceOnShape
    values: tuple[float, ...]  # stiffness, exponent, dissipation, friction
    origin: np.ndarray | None  # of the frame of a rigid body, drawn
    presliding: float  # 0 for friction that does not stick

    function: ClassVar = "contact"
    sets_in: ClassVar = True
    state_size: ClassVar = BRISTLE_SIZE
    is_input: ClassVar = False
    symbols: ClassVar = (Symbol("contact"),)

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of deformations."""
        return self.geometry.count

    def numbers(self) -> list[float]:
        """Return the numbers of the surface; their columns are in ``core/kinds.py``, from SURFACE_POINTS on."""
        other = self.geometry.other
        sizes = [float(other.kind), *other.sizes, *([0.0] * (3 - len(other.sizes)))]
        leaves, points = self.geometry.surface.numbers(self.origin)
        return [len(points) / 6, len(leaves) / 5, *self.values, self.presliding, *sizes, *leaves, *points]

    @property
    def n_states(self) -> int:
        """Number of components of the bristles of all points, if friction sticks."""
        return BRISTLES * len(self.geometry.surface.points) if self.presliding else 0

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return the names of the components of each bristle."""
        return [(f"bristle {k + 1} {axis}", "") for k in range(self.n_states // BRISTLES) for axis in "xyz"]


@dataclass(frozen=True, eq=False)
class SurfaceContact(ContactElement):
    """Contact of the surface of a body, of any form, with a plane, sphere, cylinder or box.

    Parameters
    ----------
    name : str
        Name, unique in the system.
    surface : Surface
        The points of the surface with their areas, see :meth:`Surface.of`.
    other : Plane, Sphere, Cylinder or Box
        The shape that the surface may touch.
    stiffness : float
        Pressure at a penetration of one unit, N/m^(2 + exponent).
    exponent : float, optional
        Exponent of the penetration; 1 by default.
    dissipation, restitution, impact_speed : float, optional
        The normal force, as of :class:`Contact`; the restitution is that of a flat face.
    mu, mu_static, stribeck_velocity, regularisation_velocity, presliding : float, optional
        The friction, as of :class:`Contact`; with ``presliding`` each point has a bristle.

    Notes
    -----
    The surface is an elastic foundation (K. L. Johnson, "Contact Mechanics", 4.3): each point of it presses for itself,
    with the law of :class:`Contact` for its part of the area. The force thus does not depend on the mesh, if its
    triangles are small beside the area of contact. A layer of thickness h on a hard body, with Young's modulus E and
    Poisson's ratio nu, has the stiffness ``(1 - nu) E / ((1 + nu) (1 - 2 nu) h)``.

    Points of a flexible body move with its base functions, to first order; each costs about as much as a frame, so take
    those that may touch (``box=`` of :meth:`Surface.of`). Points of a rigid body are looked at in groups of 16, the
    leaves of SciPy's k-d tree, and only where a group may touch the shape. A corner or an edge of a shape that lies
    between the points of a coarse surface is not seen. Steps follow the contact by error control; none is longer than
    the fastest point needs to cross half of the shape.

    ``result.element(name)`` gives the force on both and where it presses, stored energy and dissipated power.

    Examples
    --------
    >>> import fem
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(5e-3, 5e-3, 5e-3), center=(0, 0, 0.05))
    >>> mesh = fem.box((0.1, 0.1, 0.1), (4, 4, 4), origin=(-0.05, -0.05, 0))
    >>> floor = fb.SurfaceContact("floor", fb.Surface.of(block, mesh), fb.Plane(fb.GROUND), stiffness=1e9, mu=0.5)
    >>> machine = fb.System([block], forces=[floor], gravity=(0, 0, -9.81))
    """

    name: str
    surface: Surface
    other: Shape
    _: KW_ONLY
    exponent: Annotated[float, Positive] = 1.0

    __repr__ = short_repr

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shape that the surface may touch."""
        return (self.other,)

    @property
    def touched_sides(self) -> tuple[Side, ...]:
        """The sides of the surface and of the shape."""
        return self.geometry.sides()

    @property
    def geometry(self) -> SurfaceOnShape:
        """The surface and the shape."""
        return SurfaceOnShape(self.surface, self.other)

    def overlap(self, energy: float) -> float:
        """Return the penetration of the whole surface that stores an energy, m."""
        return super().overlap(energy / self.surface.size)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> SurfaceContact:
        """Return this contact on bodies that are drawn elsewhere."""
        moved = self.geometry.redrawn(bodies, motions)
        return replace(self, surface=moved.surface, other=moved.other)

    def force_law(self, bodies: Mapping[str, Body]) -> _SurfaceLaw:
        """Return the law of the contact."""
        origin = None if self.surface.bends else self.surface.frames(bodies, self.label)[0].drawn(bodies)
        return _SurfaceLaw(self.geometry, self.law_numbers(), origin, self.length_of_bristles)

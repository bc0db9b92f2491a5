"""Contacts among many spheres, and between these and other shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from fem.common.errors import called
from fem.common.short_repr import short_repr

from ...core.kinds import CLOUD, PAIR_STATES
from ..rigid_motion import Motions
from ..sides import Body, FrameData, Side
from .contact import BRISTLE_SIZE, ContactElement
from .geometry import Geometry
from .law import ForceLaw
from .shapes import Shape, Sphere
from .symbol import Symbol

#: Pairs of spheres that have bristles at once, for each sphere: no packing has more than 8 + 4 sqrt(3) contacts of each
#: in the mean, each of two spheres (G. Kuperberg, O. Schramm, Math. Res. Lett. 1 (1994) 339).
PAIRS_OF_SPHERE = 8
#: And of a sphere with other shapes: a sphere in a corner touches three.
PAIRS_WITH_OTHERS = 3
#: So many pairs have room in any case: a few spheres may touch many other shapes.
ROOM_IN_ANY_CASE = 100


@dataclass(frozen=True, eq=False)
class ShapeCloud(Geometry):
    """Spheres and other shapes, without deformations.

    Parameters
    ----------
    spheres, others : sequence of Shape
        The shapes.
    """

    spheres: Sequence[Sphere]
    others: Sequence[Shape]

    kind: ClassVar = CLOUD
    count: ClassVar = 0

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes, spheres first."""
        return (*self.spheres, *self.others)

    def sides(self) -> tuple[Side, ...]:  # type: ignore[override]
        """Return the sides of all shapes."""
        return tuple(shape.side for shape in self.shapes)

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:  # type: ignore[override]
        """Return the frames of all shapes."""
        return tuple(shape.frame(bodies, label) for shape in self.shapes)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> ShapeCloud:
        """Return these shapes on bodies that are drawn elsewhere."""
        parts = ([shape.redrawn(motions) for shape in part] for part in (self.spheres, self.others))
        return ShapeCloud(*parts)  # type: ignore[arg-type]

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return no measures, (0,)."""
        return np.zeros(0)

    def problems(self, label: str) -> list[str]:
        """Return the problems of all shapes as sentences."""
        for what, part, kind in (("spheres", self.spheres, Sphere), ("others", self.others, Shape)):
            if not isinstance(part, Sequence) or not all(isinstance(shape, kind) for shape in part):
                wrong = (
                    next((s for s in part if not isinstance(s, kind)), None)
                    if isinstance(part, Sequence)
                    else part
                )
                return [
                    f"{label}: {what} has {called(wrong)}; give a list of shapes such as fb.Sphere(body, radius)"
                ]
        if len(self.spheres) < 1 or len(self.shapes) < 2:
            return [f"{label} has {len(self.shapes)} shapes; give a sphere and another shape at least"]
        found = [problem for shape in self.shapes for problem in shape.problems(label)]
        points = [k for k, sphere in enumerate(self.spheres) if not found and not sphere.radius > 0]
        if points:
            found.append(f"{label}: sphere {points[0]} has the radius 0; give one above zero")
        return found

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of all shapes on the bodies of a system as sentences."""
        return [text for shape in self.shapes for text in shape.frame_problems(bodies, label)]


@dataclass(frozen=True, eq=False)
class _CloudLaw(ForceLaw):
    cloud: ShapeCloud
    values: tuple[float, ...]  # stiffness, exponent, dissipation, friction
    presliding: float  # 0 for friction that does not stick

    function: ClassVar = "contact"
    sets_in: ClassVar = True
    count: ClassVar = 0
    state_size: ClassVar = BRISTLE_SIZE
    is_input: ClassVar = False
    symbols: ClassVar = (Symbol("contact"),)

    def numbers(self) -> list[float]:
        """Return the numbers of the cloud; their columns are in ``core/kinds.py``, from CLOUD_SPHERES on."""
        spheres, others = self.cloud.spheres, self.cloud.others
        sizes = [[float(one.kind), *one.sizes, *([0.0] * (3 - len(one.sizes)))] for one in others]
        radii = [float(sphere.radius) for sphere in spheres]
        return [
            float(len(spheres)),
            float(len(others)),
            *self.values,
            self.presliding,
            *radii,
            *(x for row in sizes for x in row),
        ]

    @property
    def n_states(self) -> int:
        """Number of states of all pairs that may have a bristle at once, if friction sticks."""
        n, others = len(self.cloud.spheres), len(self.cloud.others)
        every = n * (n - 1) // 2 + n * others
        usual = PAIRS_OF_SPHERE * n + n * min(PAIRS_WITH_OTHERS, others)
        return PAIR_STATES * min(every, max(usual, ROOM_IN_ANY_CASE)) if self.presliding else 0

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return the names of each pair and of the components of its bristle."""
        pairs = range(1, self.n_states // PAIR_STATES + 1)
        return [
            (f"pair {k}" if axis == "" else f"bristle {k} {axis}", "") for k in pairs for axis in ("", *"xyz")
        ]


@dataclass(frozen=True, eq=False)
class Contacts(ContactElement):
    """Contacts among many spheres, and of each of them with other shapes.

    Parameters
    ----------
    name : str
        Name, unique in the system.
    spheres : list of Sphere
        The spheres; each may touch each other one.
    others : list of Plane, Cylinder, HollowCylinder, Box or Sphere, optional
        Shapes that the spheres may touch, but that do not touch each other.
    stiffness, exponent, dissipation, restitution, impact_speed : float, optional
        The normal force, as of :class:`Contact`; ``stiffness`` is needed.
    mu, mu_static, stribeck_velocity, regularisation_velocity, presliding : float, optional
        The friction, as of :class:`Contact`.

    Notes
    -----
    The law is that of :class:`Contact`. Shapes of one rigid body do not press on each other, so that several spheres
    may give a body its form. Pairs that may touch are found by a grid of cells, so that the cost grows with the number
    of spheres. Steps follow the contacts by error control; in each, the fastest sphere moves by the smallest radius at
    most. ``result.element(name)`` gives stored energy and dissipated power.

    With ``presliding`` each pair that touches has a bristle, from the end of the step in which it meets until it has
    straightened behind the contact. There is room for all pairs of a few shapes, and for eight times as many pairs as
    there are spheres and three with other shapes for each, more than a packing has. Beyond, friction of a pair does not
    stick, and the run warns.

    Examples
    --------
    >>> import flexbody as fb
    >>> balls = [fb.RigidBody(f"b{k}", 1.0, (4e-3, 4e-3, 4e-3), center=(0, 0, 0.1 + 0.3 * k)) for k in range(3)]
    >>> spheres = [fb.Sphere(ball, 0.1) for ball in balls]
    >>> touch = fb.Contacts("touch", spheres, [fb.Plane(fb.GROUND)], stiffness=1e6)
    >>> result = fb.simulate(fb.System(balls, forces=[touch], gravity=(0, 0, -9.81)), 0.5, show_progress=False)
    >>> result.energy.balance_error < 1e-4
    True
    """

    name: str
    spheres: Sequence[Sphere]
    others: Sequence[Shape] = field(default=())

    __repr__ = short_repr

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes, spheres first."""
        return self.geometry.shapes

    @property
    def geometry(self) -> ShapeCloud:
        """The shapes."""
        return ShapeCloud(self.spheres, self.others)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Contacts:
        """Return these contacts on bodies that are drawn elsewhere."""
        cloud = self.geometry.redrawn(bodies, motions)
        return replace(self, spheres=cloud.spheres, others=cloud.others)

    def force_law(self, bodies: Mapping[str, Body]) -> _CloudLaw:
        """Return the law of the contacts."""
        return _CloudLaw(self.geometry, self.law_numbers(), self.length_of_bristles)

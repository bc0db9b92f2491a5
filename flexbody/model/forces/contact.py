"""Contact of two shapes: one-sided forces with Hunt and Crossley's damping, and Coulomb friction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy

from fem.common.errors import called
from fem.common.numbers import is_number
from fem.common.values import NotNegative, Positive

from ...core.kinds import BOX, BRISTLES, CONTACT, CYLINDER, HOLLOW_CYLINDER, PER_POINT, PLANE, SPHERE
from ..flexible_body import FlexibleBody
from ..rigid_motion import Motions
from ..sides import Body, FrameData, Side
from .force_element import Element
from .geometry import Geometry
from .law import ForceLaw, check_numbers
from .shapes import Shape
from .symbol import Symbol

#: Size of a bristle in units of full friction: an error of rtol of it moves nothing by more than presliding.
BRISTLE_SIZE = 100.0
#: Surfaces that gaps are measured from, and the shapes whose points may touch them.
TOUCHED_BY = {
    PLANE: (SPHERE, CYLINDER, BOX), SPHERE: (SPHERE,), CYLINDER: (SPHERE,), BOX: (SPHERE,),
    HOLLOW_CYLINDER: (SPHERE, CYLINDER),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ShapePair(Geometry):
    """The gaps and slips between two shapes.

    Parameters
    ----------
    first, second : Plane, Sphere, Cylinder, HollowCylinder or Box
        The shapes.
    """

    first: Shape
    second: Shape

    kind: ClassVar = CONTACT

    @property
    def host_is_second(self) -> bool:
        """Whether gaps are measured from the surface of the second shape."""
        return self.second.kind not in TOUCHED_BY.get(self.first.kind, ())

    @property
    def host(self) -> Shape:
        """The shape that gaps are measured from."""
        return self.second if self.host_is_second else self.first

    @property
    def guest(self) -> Shape:
        """The shape whose points may touch the host."""
        return self.first if self.host_is_second else self.second

    @property
    def n_points(self) -> int:
        """Number of points that may touch; a pin touches a hollow cylinder at two points of its axis."""
        in_hollow = self.host.kind == HOLLOW_CYLINDER and self.guest.kind == CYLINDER
        return 2 if in_hollow else self.guest.n_points

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of deformations: a gap and three components of the slip at each point."""
        return PER_POINT * self.n_points

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.first.side, self.second.side

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return the frames of both shapes."""
        return self.first.frame(bodies, label), self.second.frame(bodies, label)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> ShapePair:
        """Return these shapes on bodies that are drawn elsewhere."""
        return replace(self, first=self.first.redrawn(motions), second=self.second.redrawn(motions))

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return zeros, (count,): gaps are not counted from a reference."""
        return np.zeros(self.count)

    def numbers(self) -> list[float]:
        """Return kind and sizes of host and guest, and which is which, for the compiled core."""
        parts = [
            [float(shape.kind), *shape.sizes, *([0.0] * (3 - len(shape.sizes)))]
            for shape in (self.host, self.guest)
        ]
        return [*parts[0], *parts[1], float(self.host_is_second)]

    def problems(self, label: str) -> list[str]:
        """Return the problems of both shapes as sentences."""
        shapes = (self.first, self.second)
        wrong = [shape for shape in shapes if not isinstance(shape, Shape)]
        if wrong:
            return [f"{label} has {called(wrong[0])} as a shape; give fb.Plane(...), fb.Sphere(...), ..."]
        if self.guest.kind not in TOUCHED_BY.get(self.host.kind, ()):
            names = " and ".join(type(shape).__name__ for shape in shapes)
            return [
                f"{label}: contact of {names} is not available; a Sphere touches every shape, a Box or a Cylinder a "
                "Plane, and a Cylinder a HollowCylinder. Put spheres where the others touch"
            ]
        found = [problem for shape in shapes for problem in shape.problems(label)]
        return found or self._body_problems(label) or self._play_problems(label)

    def _body_problems(self, label: str) -> list[str]:
        """Return as a sentence that both shapes are on one body that does not deform, or on the ground."""
        one, other = (shape.side.body for shape in (self.first, self.second))
        if one.name != other.name or isinstance(one, FlexibleBody):
            return []
        return [f"{label} has both shapes on '{one.name}', where they can't move; put one on another body"]

    def _play_problems(self, label: str) -> list[str]:
        """Return as a sentence that a pin or ball does not fit into a hollow cylinder."""
        if self.host.kind != HOLLOW_CYLINDER:
            return []
        inner, outer = self.guest.sizes[0], self.host.sizes[0]
        if inner < outer:
            return []
        return [
            f"{label}: the radius of its {type(self.guest).__name__} is {inner:g} m, and that of the HollowCylinder "
            f"{outer:g} m: a play of {outer - inner:g} m. Give the HollowCylinder a radius above {inner:g} m"
        ]

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of both shapes on the bodies of a system as sentences."""
        return [text for shape in (self.first, self.second) for text in shape.frame_problems(bodies, label)]


@dataclass(frozen=True, eq=False)
class _ContactLaw(ForceLaw):
    pair: ShapePair
    values: tuple[float, ...]  # stiffness, exponent, dissipation, friction

    presliding: float  # 0 for friction that does not stick

    function: ClassVar = "contact"
    sets_in: ClassVar = True
    state_size: ClassVar = BRISTLE_SIZE
    is_input: ClassVar = False
    symbols: ClassVar = (Symbol("contact"),)

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of deformations."""
        return self.pair.count

    def numbers(self) -> list[float]:
        """Return the numbers of the law; their columns are in ``core/kinds.py``, from HOST_SHAPE on."""
        return [*self.pair.numbers(), *self.values, float(self.pair.n_points), self.presliding]

    @property
    def n_states(self) -> int:
        """Number of components of the bristles of all points, if friction sticks."""
        return BRISTLES * self.pair.n_points if self.presliding else 0

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return name and unit of each component of a bristle."""
        points = range(1, self.pair.n_points + 1) if self.presliding else ()
        return [
            (f"bristle {k} {axis}" if len(points) > 1 else f"bristle {axis}", "")
            for k in points
            for axis in "xyz"
        ]


@dataclass(frozen=True, eq=False)
class ContactElement(Element):
    """An element with the law of contact; base class of :class:`Contact`, :class:`Contacts`, :class:`SurfaceContact`.

    Parameters
    ----------
    stiffness : float
        Force at a penetration of one unit, N/m^exponent.
    exponent, dissipation, restitution, impact_speed : float, optional
        The normal force.
    mu, mu_static, stribeck_velocity, regularisation_velocity, presliding : float, optional
        The friction.
    """

    _: KW_ONLY
    stiffness: Annotated[float, Positive]
    exponent: Annotated[float, Positive] = 1.5
    dissipation: Annotated[float, NotNegative] = 0.0
    restitution: float | None = None
    impact_speed: float | None = None
    mu: Annotated[float, NotNegative] = 0.0
    mu_static: float | None = None
    stribeck_velocity: Annotated[float, Positive] = 1e-2
    regularisation_velocity: Annotated[float, Positive] = 1e-3
    presliding: Annotated[float, Positive] | None = None

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All shapes."""
        raise NotImplementedError

    @property
    def touched_sides(self) -> tuple[Side, ...]:
        """The sides of all that may touch."""
        return tuple(shape.side for shape in self.shapes)

    def overlap(self, energy: float) -> float:
        """Return the penetration of one point that stores an energy.

        Parameters
        ----------
        energy : float
            Energy, J.

        Returns
        -------
        float
            Penetration, m.
        """
        n = float(self.exponent)
        return float(((n + 1) * energy / self.stiffness) ** (1 / (n + 1)))

    def law_numbers(self) -> tuple[float, ...]:
        """Return stiffness, exponent, dissipation and the five numbers of friction.

        Returns
        -------
        tuple of float
            The numbers.
        """
        given = self.restitution is not None and self.impact_speed is not None
        d = dissipation_for(self.restitution, self.impact_speed) if given else self.dissipation  # type: ignore[arg-type]
        static = self.mu if self.mu_static is None else self.mu_static
        friction = (self.mu, static, self.stribeck_velocity, 0.0, self.regularisation_velocity)
        return tuple(map(float, (self.stiffness, self.exponent, d, *friction)))

    @property
    def length_of_bristles(self) -> float:
        """The displacement in which the friction of bodies that stick builds up, m; 0 for friction without memory."""
        return 0.0 if self.presliding is None else float(self.presliding)

    def problems(self) -> list[str]:
        """Return the problems of shapes and law as sentences."""
        positive = ("stiffness", "exponent", "stribeck_velocity", "regularisation_velocity")
        found = self.geometry.problems(self.label) + check_numbers(
            self, self.label, positive, ("dissipation", "mu")
        )
        static = self.mu_static
        if static is not None and is_number(self.mu) and not (is_number(static) and static >= self.mu):
            found.append(
                f"{self.label}: mu_static is {static!r}; it must be at least mu, {self.mu!r}, or be left out"
            )
        if self.presliding is not None and not (is_number(self.presliding) and self.presliding > 0):
            found.append(
                f"{self.label}: presliding is {self.presliding!r}; it must be a number above zero, in m, or be left out"
            )
        return found + restitution_problems(self)


@dataclass(frozen=True, eq=False)
class Contact(ContactElement):
    """Contact of two shapes: it presses where they overlap, and never pulls.

    Parameters
    ----------
    name : str
        Name of the contact, unique in the system.
    first, second : Plane, Sphere, Cylinder, HollowCylinder or Box
        The shapes, each carried by a body or the ground. A sphere touches every shape; a box or a cylinder touches a
        plane, at its corners or its rims, and a cylinder is a pin with play in a :class:`HollowCylinder`.
    stiffness : float
        Force at a penetration of one unit, N/m^exponent, at each point of contact.
    exponent : float, optional
        Exponent n of the penetration; 1.5 is Hertz' law.
    dissipation : float, optional
        Dissipation coefficient d, s/m.
    restitution, impact_speed : float, optional
        Speed of separation over that of approach, above 0 and at most 1, and the speed of approach (m/s) at which it
        holds; they give ``dissipation``.
    mu : float, optional
        Coefficient of sliding friction.
    mu_static : float, optional
        Coefficient of static friction; by default equal to ``mu``.
    stribeck_velocity : float, optional
        Velocity at which the difference between static and sliding friction has fallen to 1/e, m/s.
    regularisation_velocity : float, optional
        Slip at which friction reaches 76 % of its full value, m/s; bodies that stick still creep more slowly than this,
        without ``presliding``.
    presliding : float, optional
        Displacement in which the friction of bodies that stick builds up, m, such as 1e-6: they do not creep then. By
        default friction has no memory.
    events : bool, optional
        Whether onset and loss of the contact are events of a run: they are found inside the step, and the integrator
        begins anew there, so that no step contains the kink of the force. ``result.events`` lists them. For few
        contacts, since each step is then made from Python; without it steps follow from error control.

    Notes
    -----
    With the penetration ``delta`` and the slip ``s``, the normal force and the friction against the slip are [1]_ ::

        N = stiffness delta^n (1 + d d(delta)/dt)
        F = N (mu + (mu_static - mu) exp(-(s/v_stribeck)^2)) tanh(s/v_regularisation)

    With ``presliding`` d, sticking is exact [3]_: surfaces hold on to each other by bristles, which bend by d until
    friction is full, and come back. With zeta the bending over d and the regularisation velocity v ::

        F = N (mu + (mu_static - mu) exp(-(s/v_stribeck)^2)) ((1 - T) zeta + T s/|s|),   T = tanh(|s|/v)
        d (1 + |s|/(10 v)) zeta' = s - a max(0, e . s) e,   e = zeta/|zeta|,   a = max(0, 5 |zeta| - 4)

    Below 80 % of full friction the bristles are elastic, also under loads that alternate. A body that slides has full
    friction until it stands still. v is then a damping: it lets a body that has stopped swing out. ``result.element``
    has the bristles too. In :func:`equilibrium` friction does not act, with or without them.

    Both act on both bodies at one point, in the middle of the overlap. The dissipation that gives the restitution e at
    the speed of approach v follows from the motion of one mass, for every exponent, stiffness and mass [2]_::

        d v (1 + e) = ln((1 + d v) / (1 - e d v))

    At lower speeds the restitution is higher, at higher speeds lower.

    A step never passes over an obstacle: it is shorter than the time in which the present speed closes the gap and
    crosses half of the obstacle. Of two bodies of radius R and modulus E/(1 - nu^2), Hertz' stiffness is 4/3 E*
    sqrt(R*), with 1/E* and 1/R* the sums of the reciprocals of both. Contact between general meshes is not available.

    A rod whose hard foot slides ahead of it has no acceleration, or several, if ``mu`` is large (Painlevé's paradox).
    On a contact, which has a stiffness, it always has one: friction pulls the foot into the floor, the forces grow as
    exp(t sqrt(stiffness / m)) until the foot sticks, and the rod is thrown up as by a blow.

    ``result.element(name)`` gives the normal force, the friction and the gap.

    References
    ----------
    .. [1] K. H. Hunt, F. R. E. Crossley, "Coefficient of restitution interpreted as damping in vibroimpact", J. Appl.
       Mech. 42 (1975) 440.
    .. [2] Y. Gonthier, J. McPhee, C. Lange, J.-C. Piedboeuf, "A regularized contact model with asymmetric damping and
       dwell-time dependent friction", Multibody Syst. Dyn. 11 (2004) 209.
    .. [3] P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, "Single state elastoplastic friction models", IEEE Trans.
       Autom. Control 47 (2002) 787.

    Examples
    --------
    >>> import flexbody as fb
    >>> ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 0.2))
    >>> floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e7, mu=0.3)
    >>> machine = fb.System([ball], forces=[floor], gravity=(0, 0, -9.81))
    """

    name: str
    first: Shape
    second: Shape
    _: KW_ONLY
    events: bool = False

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Both shapes."""
        return self.first, self.second

    @property
    def geometry(self) -> ShapePair:
        """The pair of shapes."""
        return ShapePair(self.first, self.second)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Contact:
        """Return this contact on bodies that are drawn elsewhere."""
        pair = self.geometry.redrawn(bodies, motions)
        return replace(self, first=pair.first, second=pair.second)

    def force_law(self, bodies: Mapping[str, Body]) -> _ContactLaw:
        """Return the law of the contact."""
        return _ContactLaw(self.geometry, self.law_numbers(), self.length_of_bristles)


def restitution_problems(element: Any) -> list[str]:
    """Return the problems of the restitution and the speed of approach of a force element as sentences."""
    e, v = element.restitution, element.impact_speed
    if e is None and v is None:
        return []
    found = []
    if not (is_number(e) and 0.0 < float(e) <= 1.0):
        found.append(
            f"{element.label}: restitution is {e!r}; it must be a number above 0 and at most 1. With restitution 0 a "
            "contact would need an infinite dissipation; give a small number"
        )
    if not (is_number(v) and float(v) > 0.0):
        found.append(
            f"{element.label}: impact_speed is {v!r}; give the speed of approach in m/s at which the restitution holds"
        )
    if is_number(element.dissipation) and element.dissipation > 0.0:
        found.append(
            f"{element.label}: give either dissipation= or restitution= with impact_speed=, not both"
        )
    return found


def dissipation_for(restitution: float, speed: float) -> float:
    """Return the dissipation d (s/m) with ``d v (1 + e) = ln((1 + d v)/(1 - e d v))``, Gonthier et al. (2004)."""
    e = float(restitution)
    if 1.0 - e < 1e-5:  # 3/2 (1 - e), to the order of (1 - e)^2
        return 1.5 * (1.0 - e) / float(speed)

    def miss(y: float) -> float:
        # y = -ln(1 - e d v), which has an upper bound of a usual size where e is small
        x = -np.expm1(-y) / e
        return float(np.log1p(x) + y - x * (1.0 + e))

    y = scipy.optimize.brentq(miss, -np.log1p(-0.5 * e * (1.0 - e)), (1.0 + e) / e, xtol=1e-15, rtol=1e-14)
    return float(-np.expm1(-y) / e) / float(speed)

"""Gears and racks: couplings by teeth, whose force acts at the pitch point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.numbers import is_number, vector

from ..sides import Body
from .base import Connection, Joint, Term
from .couplings import Coupling, twice
from .pitch_point import Pair
from .teeth import Bar, Mesh, Placed, gear_mesh, rack_mesh, turning

#: The pressure angle of most gears, rad: 20 degrees (ISO 53).
PRESSURE_ANGLE = float(np.radians(20.0))
#: Largest pressure or helix angle, rad.
LARGEST_ANGLE = 1.2


@dataclass(frozen=True, eq=False)
class Toothed(Coupling):
    """A coupling by teeth, whose force acts at the pitch point; base class of :class:`Gear` and :class:`Rack`.

    A subclass has the field ``pressure_angle`` and gives :meth:`_drawn_mesh`.
    """

    def mesh(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> Mesh | None:
        """Return the teeth as drawn, or None if the coupling has none.

        Parameters
        ----------
        joints : mapping of str to Joint
            The joints of the system by name.
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        Mesh or None
            The teeth; None if the moments act about the axes alone.

        Raises
        ------
        fem.InputError
            The drawn joints do not show where the teeth touch.
        """
        if not self.has_teeth:
            return None
        first, second = (Placed.of(joints[term.joint.name], bodies) for term in self.uses())
        return self._drawn_mesh(first, second)

    def sums(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> tuple[tuple[Term, ...], ...]:
        """Return the motion along the teeth as a sum; without teeth that of the coordinates."""
        mesh = self.mesh(joints, bodies)
        return self.couplings if mesh is None else (mesh.terms,)

    @property
    def has_teeth(self) -> bool:
        """Whether the forces act at teeth, and not as moments about the axes alone."""
        return self.pressure_angle is not None  # type: ignore[attr-defined]

    def _drawn_mesh(self, first: Placed, second: Placed) -> Mesh:
        raise NotImplementedError

    @classmethod
    def loaded(cls, name: str, given: Mapping[str, Any]) -> Connection:
        """Return the coupling that a file holds; files that know no teeth hold one without."""
        return super().loaded(name, {"pressure_angle": None, **given})

    def placement_problems(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[str]:
        """Return as a sentence why the teeth of the drawn joints do not touch; empty if they do."""
        try:
            self.mesh(joints, bodies)
        except InputError as error:
            return [str(error)]
        return []

    def _angle_problems(self) -> list[str]:
        found = []
        if self.pressure_angle is not None and not _between(self.pressure_angle, 0.0, LARGEST_ANGLE):  # type: ignore[attr-defined]
            found.append(
                f"{self.label}: pressure_angle is {self.pressure_angle!r}; it must be an angle in rad from 0 to "  # type: ignore[attr-defined]
                f"{LARGEST_ANGLE:g}, such as np.radians(20), or None for moments about the axes alone"
            )
        helix = getattr(self, "helix_angle", 0.0)
        if not _between(helix, -LARGEST_ANGLE, LARGEST_ANGLE):
            found.append(
                f"{self.label}: helix_angle is {helix!r}; it must be an angle in rad between -{LARGEST_ANGLE:g} and "
                f"{LARGEST_ANGLE:g}"
            )
        return found


def _between(x: object, lowest: float, highest: float) -> bool:
    return is_number(x) and lowest <= x <= highest  # type: ignore[operator]


@dataclass(frozen=True, eq=False)
class Gear(Toothed):
    """A pair of gear wheels, each on its own joint: spur, helical, internal or bevel gears.

    Parameters
    ----------
    name : str
        Name of the gear, unique in the system.
    first, second : Joint
        The joints of the two wheels: the carrier (housing) as first body, the wheel as second. The gear uses their
        coordinate "angle", or "angle_z" of a joint without it, such as a :class:`Floating` joint for a wheel that
        elastic bearings or a flexible shaft hold.
    ratio : float
        Number of teeth of the second wheel divided by that of the first, above zero.
    internal : bool, optional
        False (default): external gears, which turn in opposite directions. True: one wheel has internal teeth, and both
        turn in the same direction. The directions are seen along the axes of the joints.
    pressure_angle : float or None, optional
        Normal pressure angle, rad; by default 20 degrees. 0: the teeth do not push the wheels apart. None: no teeth;
        the moments act about the axes, and nothing loads the bearings.
    helix_angle : float, optional
        Helix angle at the pitch cylinder, of bevel gears the spiral angle at the pitch point, rad; above zero if the
        first wheel is right-handed, seen along the axis of its joint.
    flank : int, optional
        0 (default): the flank in contact follows the sign of the transmitted force, without backlash. 1 or -1: the
        teeth touch on one flank, as if the load on the first wheel had this sign all the time; then the constraint
        acts along the line of action.
    point : array_like, optional
        The pitch point in the drawn configuration, (3,), m: the middle of the teeth where they touch. By default it is
        half way between the points of both joints along parallel axes. For bevel gears it is needed unless both joints
        have their points in the middle planes of their wheels.

    Notes
    -----
    The pitch radii follow from the drawn distance a of parallel axes, ``r_1 = a / (1 + ratio)``, of internal gears
    ``r_1 = a / |1 - ratio|``, and ``r_2 = ratio r_1``. The pitch cones of bevel gears meet in the intersection of the
    axes, whose angle is Sigma: ``tan(delta_1) = sin(Sigma) / (ratio + cos(Sigma))``.

    The constraint is ``angle_1 + ratio angle_2 = 0``, for internal gears ``angle_1 - ratio angle_2 = 0``, with terms
    that are zero if the bearings do not give way: the motion of both wheels at the pitch point, so that the force bends
    an elastic shaft. The tooth force acts on both wheels at the pitch point [1]_:

    ===================  ==========================================================================
    tangential           ``F_t = T_1 / r_1``
    axial                ``F_t tan(beta)``; it changes its sign with F_t
    separating           ``F_n = |F_t| tan(alpha_n) / cos(beta)``, normal to the pitch surfaces
    ===================  ==========================================================================

    F_n is radial for parallel axes. For bevel gears it has the radial part ``F_n cos(delta)`` and the axial part
    ``F_n sin(delta)`` on each wheel, away from the intersection.

    By default F_n always separates the wheels. It does no work on rigid bearings. Where bearings give way, the small
    rotation by which a tooth follows the distance of the axes, ``tan(alpha)`` times its change over the pitch radius,
    is neglected, and the energy balance counts the work of F_n as (negative) dissipation. With ``flank`` 1 or -1 this
    rotation is part of the constraint, which does no work at all; a load of the other sign would pull the wheels
    together. Use it for vibrations of loaded gears on elastic shafts.

    For a planetary gear, let both joints have the carrier as their first body. Antiparallel axes are possible: seen
    along its own axis, each wheel then turns the other way.

    The reaction is the load on the second wheel, about the point of its joint. ``result.reaction(gear, body=...)``
    gives the load on the first wheel; ``frame=`` the body of the carrier gives the components on a moving carrier.
    Gears whose axes neither are parallel nor intersect need ``pressure_angle=None``.

    References
    ----------
    .. [1] R. G. Budynas, J. K. Nisbett, Shigley's Mechanical Engineering Design, 9th ed. (2011), sections 13-14 to
       13-16, equations (13-35) to (13-40); ISO 21771:2007 for the angles.

    Examples
    --------
    >>> import flexbody as fb
    >>> one, two = (fb.RigidBody(name, 1.0, (1e-3, 1e-3, 2e-3)) for name in ("one", "two"))
    >>> first = fb.Revolute("first", fb.GROUND, one, point=(0, 0, 0), axis="z")
    >>> second = fb.Revolute("second", fb.GROUND, two, point=(0.3, 0, 0), axis="z")
    >>> gear = fb.Gear("gear", first, second, ratio=2.0)
    """

    name: str
    first: Joint
    second: Joint
    _: KW_ONLY
    ratio: float
    internal: bool = False
    pressure_angle: float | None = PRESSURE_ANGLE
    helix_angle: float = 0.0
    flank: int = 0
    point: ArrayLike | None = None

    def uses(self) -> tuple[Term, ...]:
        """Return the terms of the sum: the angles of both wheels."""
        factor = -float(self.ratio) if self.internal else float(self.ratio)
        return (Term(self.first, turning(self.first)), Term(self.second, turning(self.second), factor))

    def _drawn_mesh(self, first: Placed, second: Placed) -> Mesh:
        point = None if self.point is None else vector(self.point, f"{self.label}: point")
        angles = (self.pressure_angle or 0.0, self.helix_angle)
        pair = Pair(self.name, self.label, float(self.ratio), self.internal, *angles, self.flank, point)
        return gear_mesh(pair, first, second)

    def problems(self) -> list[str]:
        """Return the problems of this gear as sentences."""
        found = [
            f"{self.label} acts on {called(joint)}; give two joints with an angle, such as revolute joints"
            for joint in (self.first, self.second)
            if not isinstance(joint, Joint) or turning(joint) not in joint.coordinates
        ]
        if not is_number(self.ratio) or not self.ratio > 0:
            found.append(
                f"{self.label}: ratio is {self.ratio!r}; it must be above zero (internal=True changes the sign)"
            )
        found += self._angle_problems()
        if self.flank not in (-1, 0, 1):
            found.append(f"{self.label}: flank is {self.flank!r}; it must be 1, -1, or 0 for both")
        if self.point is not None:
            try:
                vector(self.point, f"{self.label}: point")
            except InputError as error:
                found.append(str(error))
        return found or twice(self.label, self.uses(), "give the joints of two wheels")


@dataclass(frozen=True, eq=False)
class Rack(Toothed):
    """A rack and pinion: ``slide = radius * angle``.

    Parameters
    ----------
    name : str
        Name of the rack, unique in the system.
    pinion : Joint
        A joint with the coordinate "angle": the housing as first body, the pinion as second.
    rack : Joint
        A joint with the coordinate ``which``, between the housing and the rack. If its second body is the housing, the
        pinion travels along the rack. It may be the joint of the pinion itself: a planar joint with ``which="x"`` then
        describes a rolling wheel, which has no teeth.
    radius : float
        Radius of the pitch circle of the pinion, m. Its sign gives the direction in which the rack moves for a positive
        angle about the axis of the pinion.
    which : str, optional
        Name of the coordinate of the rack, such as "x" of a planar joint.
    pressure_angle : float or None, optional
        Pressure angle, rad; by default 20 degrees. 0: the teeth do not push the rack away. None: no teeth; force and
        moment act along the coordinates, and nothing loads the bearings of the pinion.

    Notes
    -----
    The tooth force acts at the pitch point, in the plane of the pinion that contains the point of its joint: F_t along
    the rack, and ``|F_t| tan(pressure_angle)`` apart, whatever the sign of F_t (Shigley's Mechanical Engineering
    Design, 9th ed., section 13-14). :class:`Gear` says what holds on elastic bearings. The reaction is the load on the
    rack, about the point of its joint.

    Examples
    --------
    >>> import flexbody as fb
    >>> pinion = fb.RigidBody("pinion", 1.0, (1e-3, 1e-3, 2e-3))
    >>> bar = fb.RigidBody("bar", 1.0, (1e-3, 1e-3, 1e-3), center=(0, -0.1, 0))
    >>> axle = fb.Revolute("axle", fb.GROUND, pinion, point=(0, 0, 0), axis="z")
    >>> guide = fb.Prismatic("guide", fb.GROUND, bar, point=(0, -0.1, 0), axis="x")
    >>> rack = fb.Rack("rack", axle, guide, radius=0.1)
    >>> machine = fb.System([pinion, bar], [axle, guide, rack, fb.Drive("motor", axle, rate=2.0)])
    >>> result = fb.kinematics(machine, t_end=1.0, show_progress=False)
    >>> float(result.coordinate(guide)[-1].round(6))
    0.2
    """

    name: str
    pinion: Joint
    rack: Joint
    _: KW_ONLY
    radius: float
    which: str = "slide"
    pressure_angle: float | None = PRESSURE_ANGLE

    def uses(self) -> tuple[Term, ...]:
        """Return the terms of the sum: the angle of the pinion and the coordinate of the rack."""
        return (Term(self.pinion, turning(self.pinion), -float(self.radius)), Term(self.rack, self.which))

    @property
    def has_teeth(self) -> bool:
        """Whether the forces act at teeth; a wheel that rolls on its own joint has none."""
        return self.pressure_angle is not None and self.rack.name != self.pinion.name

    def _drawn_mesh(self, first: Placed, second: Placed) -> Mesh:
        bar = Bar(self.name, self.label, float(self.radius), self.which, self.pressure_angle or 0.0)
        return rack_mesh(bar, first, second)

    def problems(self) -> list[str]:
        """Return the problems of this rack as sentences."""
        found = [
            f"{self.label}: {what} is {called(joint)}; give a joint with the coordinate '{needed}'"
            for what, joint, needed in (("pinion", self.pinion, "angle"), ("rack", self.rack, self.which))
            if not isinstance(joint, Joint)
            or (turning(joint) if what == "pinion" else needed) not in joint.coordinates
        ]
        if not is_number(self.radius) or not abs(self.radius) > 0:
            found.append(f"{self.label}: radius is {self.radius!r} m; it must be a number other than zero")
        found += self._angle_problems()
        return found or twice(self.label, self.uses(), "give the pinion's angle and the rack's slide")

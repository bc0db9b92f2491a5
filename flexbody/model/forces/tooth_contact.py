"""Teeth with backlash: contact of both flanks of a gear or rack along their lines of action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from fem.common.errors import InputError, called
from fem.common.values import NotNegative, Positive

from ..joints.base import Joint, Term
from ..joints.gears import Gear, Rack, Toothed
from ..joints.pitch_point import ALIGNMENT_TOLERANCE
from ..joints.teeth import Mesh, Placed
from ..rigid_motion import Motions
from ..sides import Body, FrameData, Side
from .contact import dissipation_for, restitution_problems
from .law import check_numbers
from .symbol import Symbol
from .tangents import BevelTeeth, TangentElement, TangentLaw, Tangents

#: Backlash in parts of the pitch circle of the smaller wheel, at most: the whole pitch of a wheel with ten teeth.
LARGEST_BACKLASH = 0.1


class _Flanks(TangentLaw):
    """Its values are stiffness, exponent and dissipation."""

    function: ClassVar = "flanks"
    count: ClassVar = 2
    symbols: ClassVar = (Symbol("contact"),)


@dataclass(frozen=True, eq=False)
class ToothContact(TangentElement):
    """Teeth with backlash: both flanks of a gear or rack press along their lines of action, and never pull.

    Parameters
    ----------
    name : str
        Name of the contact, unique in the system.
    gear : Gear or Rack
        The teeth. It is no entry of the system itself: the wheels are free within the backlash.
    backlash : float
        Circumferential backlash, m: the way on the pitch circle from flank to flank. The drawn configuration is the
        middle of it.
    stiffness : float
        Force at a penetration of one unit along the line of action, N/m^exponent.
    exponent : float, optional
        Exponent n of the penetration; the stiffness of teeth is nearly constant, n = 1.
    dissipation : float, optional
        Dissipation coefficient d, s/m.
    restitution, impact_speed : float, optional
        Speed of separation over that of approach, above 0 and at most 1, and the speed of approach (m/s) at which it
        holds; they give ``dissipation`` as for :class:`Contact`.
    events : bool, optional
        Whether onset and loss of the contact of each flank are events of a run, as for :class:`Contact`.

    Notes
    -----
    Involute teeth touch on the common tangent of their base circles, of radius ``r_b = r cos(alpha_t)``, wherever the
    axes are. With the distance D of the axes and the working pressure angle alpha, ``cos(alpha) = (r_b1 + r_b2) / D``,
    the gap of a flank of spur gears is (internal gears: differences of the radii, and the opposite sign)::

        gap = j_n / 2 + D sin(alpha) - (r_b1 + r_b2) alpha -+ (r_b1 angle_1 + r_b2 angle_2) - (the same as drawn)

    and ``j_n = backlash cos(alpha_t) cos(beta_b)`` from flank to flank. The angles are those against the line of
    centres. So the gaps and the directions of the forces follow elastic bearings without neglect; that a wheel tilts is
    taken into account to the first order. The force of a flank with the penetration ``delta = -gap`` is
    ``stiffness delta^n (1 + dissipation d(delta)/dt)``, Hunt and Crossley's law (see :class:`Contact`). The force does
    no work on the carrier and loads no body but both wheels. The stiffness of steel wheels is about 20 N/mm per um for
    each mm of face width (ISO 6336-1).

    The lines of action of bevel gears lie on a sphere. Their flanks press at the pitch point, along the normal of the
    teeth there; with axes as drawn the gap follows the angles as above, with ``r_b = r cos(alpha_t)`` at the pitch
    point, as it does for spherical involutes. Displacements and tilts of the wheels against their carrier, the body
    that both joints start from, are taken into account to the first order.

    ``result.element(name)`` gives ``force``, the force along the line of action, positive where the first wheel drives
    in the positive sense, and ``deformation``, the position between both flanks, 0 in the middle and ``j_n / 2`` where
    this flank begins to touch. Friction of the teeth is not available.

    References
    ----------
    .. [1] ISO 21771:2007, Gears - Cylindrical involute gears and gear pairs - Concepts and geometry.

    Examples
    --------
    >>> import flexbody as fb
    >>> one, two = (fb.RigidBody(name, 1.0, (1e-3, 1e-3, 2e-3)) for name in ("one", "two"))
    >>> first = fb.Revolute("first", fb.GROUND, one, point=(0, 0, 0), axis="z")
    >>> second = fb.Revolute("second", fb.GROUND, two, point=(0.3, 0, 0), axis="z")
    >>> gear = fb.Gear("gear", first, second, ratio=2.0)
    >>> teeth = fb.ToothContact("teeth", gear, backlash=1e-4, stiffness=2e8, dissipation=0.5)
    >>> machine = fb.System([one, two], [first, second], [teeth])
    """

    name: str
    gear: Gear | Rack
    _: KW_ONLY
    backlash: Annotated[float, NotNegative]
    stiffness: Annotated[float, Positive]
    exponent: Annotated[float, Positive] = 1.0
    dissipation: Annotated[float, NotNegative] = 0.0
    restitution: float | None = None
    impact_speed: float | None = None
    events: bool = False

    count: ClassVar = 2

    @property
    def joints(self) -> tuple[Joint, Joint]:
        """The joints of both wheels, or of pinion and rack."""
        first, second = self.gear.uses()
        return first.joint, second.joint

    @property
    def counted(self) -> tuple[Term, ...]:
        """The angles of the wheels; of a rack that of the pinion twice."""
        first, second = self.gear.uses()
        return (first, first if isinstance(self.gear, Rack) else second)

    def stands_for(self) -> tuple[Gear | Rack, ...]:
        """Return the gear or rack, which would leave no backlash."""
        return (self.gear,)

    def uses(self) -> tuple[Term, ...]:
        """Return the angles of both wheels, or angle and way of pinion and rack."""
        return self.gear.uses()

    def sides(self) -> tuple[Side, Side]:
        """Return both wheels, or pinion and rack."""
        first, second = self.joints
        if isinstance(self.gear, Rack) and second.second.body.name == first.first.body.name:
            return first.second, second.first
        return first.second, second.second

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> ToothContact:
        """Return this contact on bodies that are drawn elsewhere."""
        names = ("pinion", "rack") if isinstance(self.gear, Rack) else ("first", "second")
        moved = {name: joint.redrawn(bodies, motions) for name, joint in zip(names, self.joints, strict=True)}
        return replace(self, gear=replace(self.gear, **moved))  # type: ignore[arg-type]

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:  # type: ignore[override]
        """Return the frames of the first wheel, of the carriers of both, and of the second wheel or rack."""
        axes = self.tangents(bodies).axes
        (carrier, wheel), pair = (joint.frames(bodies) for joint in self.joints)
        rack_is_first = self.sides()[1] is self.joints[1].first
        other_carrier, other = pair[::-1] if rack_is_first else pair
        return tuple(frame._replace(A=axes) for frame in (wheel, carrier, other_carrier, other))

    def place(self, bodies: Mapping[str, Body]) -> FrameData:
        """Return the frame of the carrier at the pitch point.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        FrameData
            The frame.
        """
        mesh = self.gear.mesh({joint.name: joint for joint in self.joints}, bodies)
        assert mesh is not None
        return mesh.pitch_frame(bodies)

    def tangents(self, bodies: Mapping[str, Body]) -> Tangents | BevelTeeth:
        """Return the lines of action as drawn.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        Tangents or BevelTeeth
            The lines of action; the first one is that of a first wheel which drives in the positive sense.

        Raises
        ------
        fem.InputError
            The drawn joints do not show where the teeth touch.
        """
        joints = {joint.name: joint for joint in self.joints}
        mesh = self.gear.mesh(joints, bodies)
        assert mesh is not None
        placed = [Placed.of(joint, bodies) for joint in self.joints]
        if isinstance(self.gear, Rack):
            found: Tangents | BevelTeeth = _of_rack(
                self.gear, mesh, placed, self.sides()[1] is self.joints[1].first
            )
        elif np.linalg.norm(np.cross(placed[0].axis.z, placed[1].axis.z)) > ALIGNMENT_TOLERANCE:
            found = _of_bevels(self.gear, mesh, placed)
        else:
            found = _of_wheels(self.gear, mesh, placed)
        self._check_backlash(found.radii)
        return found

    def _check_backlash(self, base_radii: tuple[float, float]) -> None:
        """Raise InputError for a backlash that no teeth on wheels with these base radii (m, 0 of a rack) can have."""
        alpha, beta = float(self.gear.pressure_angle or 0.0), float(getattr(self.gear, "helix_angle", 0.0))
        base = min(abs(radius) for radius in base_radii if radius)
        circle = 2 * np.pi * base / np.cos(np.arctan2(np.tan(alpha), np.cos(beta)))
        if self.backlash > LARGEST_BACKLASH * circle:
            raise InputError(
                f"backlash is {self.backlash:g} m and the smaller pitch circle {circle:.4g} m long: even the pitch of "
                f"ten teeth is only {LARGEST_BACKLASH * circle:.4g} m, and backlash is a small part of a pitch. Give "
                "it in m, such as 1e-4"
            )

    @property
    def normal_backlash(self) -> float:
        """The sum of the gaps of both flanks along the line of action, m: ``backlash cos(alpha_t) cos(beta_b)``."""
        helix = getattr(self.gear, "helix_angle", 0.0)
        # cos(alpha_t) cos(beta_b) = cos(alpha_n) cos(beta), ISO 21771
        return float(self.backlash * np.cos(self.gear.pressure_angle or 0.0) * np.cos(helix))

    def force_law(self, bodies: Mapping[str, Body]) -> _Flanks:
        """Return the law of both flanks."""
        given = self.restitution is not None and self.impact_speed is not None
        d = dissipation_for(self.restitution, self.impact_speed) if given else self.dissipation  # type: ignore[arg-type]
        law = float(self.stiffness), float(self.exponent), float(d)
        if not bodies:
            return _Flanks((), law)
        found = self.tangents(bodies)
        own = found.own_numbers() if isinstance(found, BevelTeeth) else ()
        return _Flanks(tuple(found.numbers(-0.5 * self.normal_backlash)), (*law, *own))

    def problems(self) -> list[str]:
        """Return the problems of this contact as sentences."""
        if not isinstance(self.gear, Toothed):
            return [f"{self.label} is a contact of {called(self.gear)}; give an fb.Gear or an fb.Rack"]
        found = [f"{self.label}: {text}" for text in self.gear.problems()]
        found += check_numbers(
            self, self.label, ("stiffness", "exponent"), ("backlash", "dissipation")
        ) + restitution_problems(self)
        if self.gear.pressure_angle is None or not self.gear.has_teeth:
            found.append(f"{self.label}: {self.gear.label} has no teeth; give it a pressure_angle")
        if isinstance(self.gear, Gear) and self.gear.flank != 0:
            found.append(
                f"{self.label}: {self.gear.label} has flank={self.gear.flank}; a contact has both flanks"
            )
        return found


def _of_wheels(gear: Gear, mesh: Mesh, placed: list[Placed]) -> Tangents:
    """Return the lines of action of two wheels with parallel axes."""
    one, two = (item.axis for item in placed)
    P, z, same = mesh.seats[-1].points[0], one.z, bool(one.z @ two.z > 0)
    ends = one.second, two.second
    first, second = (end + z * (z @ (P - end)) for end in ends)
    x = (second - first) / np.linalg.norm(second - first)
    external = gear.internal != same
    alpha, beta = float(gear.pressure_angle or 0.0), float(gear.helix_angle)
    base = np.cos(np.arctan2(np.tan(alpha), np.cos(beta)))
    radii = [float(base * np.linalg.norm(P - center)) for center in (first, second)]
    outward = 1.0 if external else -1.0
    return Tangents(
        np.stack([x, np.cross(z, x), z], axis=1),
        (first, second),
        ends,
        (radii[0], -outward * radii[1]),
        1.0 if same else -1.0,
        outward,
        (-outward, outward),
        slant=float(np.sin(beta) * np.cos(alpha)),
    )


def _of_bevels(gear: Gear, mesh: Mesh, placed: list[Placed]) -> BevelTeeth:
    """Return the flanks of two wheels whose axes intersect."""
    (carrier, one), (_, two) = ((item.axis.first, item.axis) for item in placed)
    P, axes = mesh.seats[-1].points[0], mesh.seats[-1].axes
    n, t, b = axes.T
    arms = P - one.second, P - two.second
    alpha, beta = float(gear.pressure_angle or 0.0), float(gear.helix_angle)
    # the first flank is that of a first wheel which turns in the positive sense
    sign = float(np.sign(t @ np.cross(one.z, arms[0])))
    across = np.cos(alpha) * (np.cos(beta) * t - np.sin(beta) * b)
    normals = sign * across + np.sin(alpha) * n, -sign * across + np.sin(alpha) * n
    base = np.cos(np.arctan2(np.tan(alpha), np.cos(beta)))
    radii = [
        float(base * np.linalg.norm(np.cross(a.z, arm))) for a, arm in zip((one, two), arms, strict=True)
    ]
    ends, spins = (one.second, two.second), (one.z, two.z)
    return BevelTeeth(axes, P, carrier, ends, spins, normals, (radii[0], radii[1]))


def _of_rack(gear: Rack, mesh: Mesh, placed: list[Placed], rack_is_first: bool) -> Tangents:
    """Return the lines of action of a pinion and its rack."""
    pinion, guide = (item.axis for item in placed)
    x, z = mesh.seats[-1].axes[:, 0], pinion.z
    point = guide.first if rack_is_first else guide.second
    base = float(np.cos(gear.pressure_angle or 0.0))
    ends = pinion.second, point
    radius = base * abs(float(gear.radius))
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    return Tangents(axes, ends, ends, (radius, 0.0), 1.0, 1.0, (-1.0, 1.0), rack_sine=base)

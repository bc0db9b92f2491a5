"""Belts over pulleys: elastic spans along the common tangents of two pulleys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called
from fem.common.numbers import is_number, vector
from fem.common.values import NotNegative, Positive

from ..joints.base import Joint, Term
from ..joints.pitch_point import ALIGNMENT_TOLERANCE
from ..joints.teeth import Placed, turning
from ..rigid_motion import AT_REST, Motions
from ..sides import Body, FrameData, Side
from .law import check_numbers
from .symbol import Symbol
from .tangents import TangentElement, TangentLaw, Tangents


class _Pull(TangentLaw):
    """Its values are stiffness, damping and pretension."""

    function: ClassVar = "belt"
    symbols: ClassVar = (Symbol("belt"),)


@dataclass(frozen=True, eq=False)
class BeltSpan(TangentElement):
    """The elastic part of a belt or rope between two pulleys, on which it does not slip; see :func:`belt`.

    Parameters
    ----------
    name : str
        Name of the span, unique in the system.
    first, second : Joint
        The joints of the pulleys that the belt leaves and reaches: what carries the pulley as first body, the pulley as
        second. Their axes are parallel and point in the same direction.
    radii : tuple of float
        Radii of both pulleys, m; below zero for a pulley that lies on the other side of the belt.
    stiffness : float
        Axial stiffness E A of the belt, N: the force for a strain of one.
    pretension : float, optional
        Tension as drawn, N.
    damping_time : float, optional
        Damping over stiffness, s.
    side : int, optional
        -1, the default: seen against the axis, pulleys with positive radii are on the left of a belt that runs from the
        first pulley to the second. 1: on the right.
    point : array_like, optional
        A point of the plane of the belt as drawn, (3,), m; by default the point of the first joint.

    Notes
    -----
    With the growth x of the span, its drawn length L and ``k = stiffness / L`` the tension is
    ``pretension + k (x + damping_time dx/dt)``, and zero where the span is slack. The stiffness of a span is that of
    its drawn length.

    ``result.element(name)`` gives the tension ``force`` and the growth ``deformation``.

    Examples
    --------
    A rope that is wound on a drum turns a wheel:

    >>> import flexbody as fb
    >>> drum, wheel = (fb.RigidBody(name, 5.0, (0.1, 0.1, 0.1)) for name in ("drum", "wheel"))
    >>> winch = fb.Revolute("winch", fb.GROUND, drum, point=(0, 0, 0), axis="z")
    >>> axle = fb.Revolute("axle", fb.GROUND, wheel, point=(1.0, 0, 0), axis="z")
    >>> rope = fb.BeltSpan("rope", winch, axle, (0.1, 0.2), stiffness=1e6, pretension=100.0)
    >>> machine = fb.System([drum, wheel], [winch, axle], [rope])
    """

    name: str
    first: Joint
    second: Joint
    radii: tuple[float, float]
    _: KW_ONLY
    stiffness: Annotated[float, Positive]
    pretension: Annotated[float, NotNegative] = 0.0
    damping_time: Annotated[float, NotNegative] = 0.0
    side: int = -1
    point: ArrayLike | None = None

    count: ClassVar = 1

    @property
    def joints(self) -> tuple[Joint, Joint]:
        """The joints of both pulleys."""
        return self.first, self.second

    @property
    def counted(self) -> tuple[Term, ...]:
        """The angles of both pulleys."""
        return tuple(Term(joint, turning(joint)) for joint in self.joints)

    def uses(self) -> tuple[Term, ...]:
        """Return the angles of both pulleys."""
        return self.counted

    def sides(self) -> tuple[Side, Side]:
        """Return both pulleys."""
        return self.first.second, self.second.second

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> BeltSpan:
        """Return this span on bodies that are drawn elsewhere; its point moves with what carries the first pulley."""
        first, second = (joint.redrawn(bodies, motions) for joint in self.joints)
        carrier = motions.get(self.first.first.body.name, AT_REST)
        point = None if self.point is None else carrier.point(vector(self.point, f"{self.label}: point"))
        return replace(self, first=first, second=second, point=point)

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:  # type: ignore[override]
        """Return the frames of the first pulley, of what carries both, and of the second pulley."""
        axes = self.tangents(bodies).axes
        (carrier, pulley), (other_carrier, other) = (joint.frames(bodies) for joint in self.joints)
        return tuple(frame._replace(A=axes) for frame in (pulley, carrier, other_carrier, other))

    def tangents(self, bodies: Mapping[str, Body]) -> Tangents:
        """Return the line of the span as drawn.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        Tangents
            The line.

        Raises
        ------
        fem.InputError
            The axes are not parallel, or the pulleys overlap.
        """
        one, two = (Placed.of(joint, bodies).axis for joint in self.joints)
        z, ends = one.z, (one.second, two.second)
        if np.linalg.norm(two.z - z) > ALIGNMENT_TOLERANCE:
            raise InputError(
                f"the axes of {self.first.label} and {self.second.label} are not parallel, or point in opposite "
                "directions; give both joints the same axis"
            )
        plane = ends[0] if self.point is None else vector(self.point, f"{self.label}: point")
        first, second = (end + z * (z @ (plane - end)) for end in ends)
        distance = float(np.linalg.norm(second - first))
        radii = tuple(float(radius) for radius in self.radii)
        if not abs(radii[0]) + abs(radii[1]) < distance:
            raise InputError(
                f"pulleys of the radii {abs(radii[0]):g} m and {abs(radii[1]):g} m overlap at a distance of "
                f"{distance:.4g} m; move them apart, or correct the radii"
            )
        x = (second - first) / distance
        axes = np.stack([x, np.cross(z, x), z], axis=1)
        return Tangents(axes, (first, second), ends, (radii[0], radii[1]), 1.0, 1.0, (float(self.side),))

    def touched(self, bodies: Mapping[str, Body]) -> tuple[np.ndarray, np.ndarray]:
        """Return the points where the belt leaves the first pulley and reaches the second as drawn, each (3,), m.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of numpy.ndarray
            Both points.
        """
        line = self.tangents(bodies)
        (first, second), (r1, r2) = line.centers, line.radii
        sine = (r1 - r2) / float(np.linalg.norm(second - first))
        m = line.axes @ np.array([sine, self.side * np.sqrt(1 - sine**2), 0.0])
        return first + r1 * m, second + r2 * m

    def place(self, bodies: Mapping[str, Body]) -> FrameData:
        """Return the frame of what carries the second pulley where the belt reaches the pulley as drawn.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        FrameData
            The frame.
        """
        carrier = self.second.frames(bodies)[0]
        return carrier._replace(x=carrier.x + self.touched(bodies)[1] - carrier.drawn(bodies))

    def force_law(self, bodies: Mapping[str, Body]) -> _Pull:
        """Return the law of the span."""
        if not bodies:
            return _Pull((), (float(self.stiffness), 0.0, float(self.pretension)))
        a, b = self.touched(bodies)
        k = float(self.stiffness) / float(np.linalg.norm(b - a))
        numbers = tuple(self.tangents(bodies).numbers(0.0))
        return _Pull(numbers, (k, k * float(self.damping_time), float(self.pretension)))

    def problems(self) -> list[str]:
        """Return the problems of this span as sentences."""
        found = [
            f"{self.label} runs over {called(joint)}; give joints with an angle, such as revolute joints"
            for joint in self.joints
            if not isinstance(joint, Joint) or turning(joint) not in joint.coordinates
        ]
        if not found:
            found += self._order_problems()
        found += check_numbers(self, self.label, ("stiffness",), ("pretension", "damping_time"))
        if len(self.radii) != 2 or not all(is_number(r) and abs(r) > 0 for r in self.radii):
            found.append(f"{self.label}: radii is {self.radii!r}; give two radii other than zero, m")
        if self.side not in (-1, 1):
            found.append(f"{self.label}: side is {self.side!r}; it must be -1 or 1")
        return found

    def _order_problems(self) -> list[str]:
        """Return a sentence if the pulleys can't be the second bodies of their joints."""
        one, two = (joint.second.body for joint in self.joints)
        if one.name != two.name and all(isinstance(body, Body) for body in (one, two)):
            return []
        both = " and ".join(
            f"'{body.name}'" if isinstance(body, Body) else "the ground" for body in (one, two)
        )
        return [
            f"{self.label} runs over {both}, the second bodies of {self.first.label} and {self.second.label}; let both "
            "joints have what carries the pulley as first body, and the pulley as second"
        ]


@check_arguments
def belt(
    name: str,
    pulleys: Sequence[Joint],
    radii: Sequence[float],
    *,
    stiffness: Annotated[float, Positive],
    pretension: Annotated[float, NotNegative] = 0.0,
    damping_time: Annotated[float, NotNegative] = 0.0,
    point: ArrayLike | None = None,
) -> tuple[BeltSpan, ...]:
    """Return the spans of an endless belt over two or more pulleys, on which it does not slip.

    Parameters
    ----------
    name : str
        Name of the belt: its spans are called "NAME 1", "NAME 2" and so on, the first one from the first pulley to the
        second.
    pulleys : sequence of Joint
        The joints of the pulleys in their order along the belt: what carries the pulley as first body, the pulley as
        second. Their axes are parallel and point in the same direction.
    radii : sequence of float
        Radii of the pulleys to the middle of the belt, m; below zero for pulleys that press on the belt from outside,
        and for one of two pulleys of a crossed belt.
    stiffness : float
        Axial stiffness E A of the belt, N: the force for a strain of one.
    pretension : float, optional
        Tension as drawn, N.
    damping_time : float, optional
        Damping over stiffness, s.
    point : array_like, optional
        A point of the plane of the belt as drawn, (3,), m; by default each span lies in the plane through the point of
        the joint of its first pulley.

    Returns
    -------
    tuple of BeltSpan
        The spans, for ``System(forces=[*belt, ...])``.

    Notes
    -----
    Each span is an elastic thread along the common tangent of its pulleys, wherever they move; it pulls and never
    pushes. The pulleys may be carried by several bodies, such as the arm of a tensioner. The line between two pulleys
    may turn by less than half a turn against each of these bodies.

    The belt does not slip, and creep, by which the tight side moves faster than the slack side by (T_1 - T_2) /
    stiffness, is left out. Dry friction holds a belt only while the tensions on both sides of a pulley with the wrap
    angle phi obey ``T_1 / T_2 < exp(mu phi)`` (Euler and Eytelwein); :func:`belt_grip` gives the mu that this needs.
    The belt has no mass: centrifugal tension and vibrations across a span are left out.

    Examples
    --------
    A belt with a pretension of 200 N loads both shafts by 400 N:

    >>> import flexbody as fb
    >>> bodies = [fb.RigidBody(n, 1.0, (0.01,) * 3, center=(x, 0, 0)) for n, x in (("one", 0.0), ("two", 0.5))]
    >>> shafts = [fb.Revolute(b.name, fb.GROUND, b, point=b.center, axis="z") for b in bodies]
    >>> spans = fb.belt("belt", shafts, (0.1, 0.1), stiffness=1e5, pretension=200.0)
    >>> state = fb.equilibrium(fb.System(bodies, [*shafts, fb.Drive("hold", shafts[0], value=0.0)], [*spans]))
    >>> state.reaction("two").force.round(6) + 0.0
    array([400.,   0.,   0.])
    """
    if len(pulleys) < 2 or len(radii) != len(pulleys):
        raise InputError(
            f"belt '{name}' has {len(pulleys)} pulleys and {len(radii)} radii; give two or more, and as many"
        )
    side = _side(pulleys)
    following = [*range(1, len(pulleys)), 0]
    return tuple(
        BeltSpan(
            f"{name} {k + 1}", pulleys[k], pulleys[n], (float(radii[k]), float(radii[n])), stiffness=stiffness,
            pretension=pretension, damping_time=damping_time, side=side, point=point,
        )
        for k, n in enumerate(following)
    )  # fmt: skip


def _side(pulleys: Sequence[Joint]) -> int:
    """Return -1 for pulleys in counterclockwise order about their axis as drawn, otherwise 1."""
    bodies = {
        side.body.name: side.body
        for joint in pulleys
        for side in joint.sides()
        if isinstance(side.body, Body)
    }
    axes = [Placed.of(joint, bodies).axis for joint in pulleys]
    x = np.array([axis.second for axis in axes])
    area = np.cross(x, np.roll(x, -1, axis=0)).sum(axis=0) @ axes[0].z
    return 1 if area < -1e-9 * float(np.ptp(x, axis=0).max()) ** 2 else -1

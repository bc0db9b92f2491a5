"""Where two shapes touch that roll on each other: their gap, and the point and the directions of the contact.

The host is the larger one: a plane, or a cylinder or sphere that the guest runs on or in. All formulas are closed, so
that they are recorded and differentiated exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .forces.shapes import Cylinder, Plane, Shape, Sphere
from .joints.recorded_rows import View
from .wheels import Cone, Wheel

#: Hosts, and what may roll on them.
ROLLS_ON: dict[type, tuple[type, ...]] = {
    Plane: (Sphere, Wheel, Cylinder),
    Cylinder: (Sphere, Cylinder, Cone),
    Sphere: (Sphere,),
}
#: Sine of the angle between a wheel and its plane below which it counts as lying.
LEAST_TILT = 1e-3


class Touch(NamedTuple):
    """The contact of two shapes at one instant; all vectors in inertial components.

    Attributes
    ----------
    gap : float
        Distance of the surfaces, m.
    held : list of float
        Further quantities that are zero where they touch along a line: products of directions.
    point : numpy.ndarray
        Point of contact, (3,), m.
    normal : numpy.ndarray
        Unit normal from the host to the guest, (3,).
    along, across : numpy.ndarray
        Unit tangents, (3,): the direction in which a wheel or cylinder rolls, and the one perpendicular to it.
    """

    gap: Any
    held: list[Any]
    point: np.ndarray
    normal: np.ndarray
    along: np.ndarray
    across: np.ndarray


@dataclass(frozen=True)
class RollingPair:
    """Two shapes as drawn.

    Attributes
    ----------
    host, guest : Shape
        The shapes.
    reverse : bool
        Whether the host is the second one.
    side : float
        1 for a guest outside of a round host, -1 for one inside.
    basis : tuple of tuple of float
        Normal and two tangents as drawn, in the base of the host.
    """

    host: Shape
    guest: Shape
    reverse: bool
    side: float
    basis: tuple[tuple[float, ...], ...]

    @property
    def is_line(self) -> bool:
        """Whether they touch along a line."""
        return isinstance(self.guest, Cylinder)

    @property
    def resists_spin(self) -> bool:
        """Whether rolling without slip leaves no rotation about the normal that the other rows permit."""
        return self.is_line and isinstance(self.host, Plane)

    def touch(self, views: Sequence[View]) -> Touch:
        """Return the contact for the views of the first and the second shape."""
        a, b = views[::-1] if self.reverse else views
        if isinstance(self.host, Plane):
            return self._on_plane(a, b)
        if isinstance(self.guest, Cone):
            return self._on_rail(a, b)
        return self._on_cylinder(a, b) if isinstance(self.host, Cylinder) else self._on_sphere(a, b)

    def slip(self, views: Sequence[View], touch: Touch) -> list[Any]:
        """Return the velocity of the second surface over the first along both tangents, m/s, and its spin, rad/s."""
        first, second = views
        assert first.v is not None
        assert first.w is not None
        assert second.v is not None
        assert second.w is not None
        v = second.v + np.cross(second.w, touch.point - second.r)
        v = v - first.v - np.cross(first.w, touch.point - first.r)
        return [touch.along @ v, touch.across @ v, touch.normal @ (second.w - first.w)]

    def speed(self, views: Sequence[View], touch: Touch) -> Any:
        """Return the speed of rolling, m/s: the mean speed of both surfaces against the middle of the guest."""
        host, guest = views[::-1] if self.reverse else views
        assert host.v is not None
        assert host.w is not None
        assert guest.v is not None
        assert guest.w is not None
        of_host = host.v + np.cross(host.w, touch.point - host.r) - guest.v
        of_guest = np.cross(guest.w, touch.point - guest.r)
        return -0.5 * (touch.along @ (of_host + of_guest))

    def _on_plane(self, a: View, b: View) -> Touch:
        n, u = a.R[:, 2], b.R[:, 2]
        height, radius = n @ (b.r - a.r), self.guest.sizes[0]
        if isinstance(self.guest, Sphere):
            return Touch(height - radius, [], b.r - radius * n, n, a.R[:, 0], a.R[:, 1])
        lean = n @ u
        tilt = np.sqrt(1.0 - lean * lean)
        along = np.cross(u, n) / tilt
        across = np.cross(n, along)
        if isinstance(self.guest, Cylinder):
            return Touch(height - radius, [lean], b.r - radius * n, n, along, across)
        rim = self.guest.sizes[1]
        middle = radius - rim  # from the axis to the middle of the rim
        point = b.r - middle / tilt * (n - lean * u) - rim * n
        return Touch(height - middle * tilt - rim, [], point, n, along, across)

    def _on_cylinder(self, a: View, b: View) -> Touch:
        e, d = a.R[:, 2], b.r - a.r
        d = d - (e @ d) * e
        distance = np.sqrt(d @ d)
        n, radius = self.side / distance * d, self.guest.sizes[0]
        gap = self.side * (distance - self.host.sizes[0]) - radius
        held = [a.R[:, 0] @ b.R[:, 2], a.R[:, 1] @ b.R[:, 2]] if self.is_line else []
        return Touch(gap, held, b.r - radius * n, n, np.cross(e, n), e)

    def _on_rail(self, a: View, b: View) -> Touch:
        """Return the contact of a cone with a round rail: where the axis of the rail is nearest to the cone."""
        e, u, q = a.R[:, 2], b.R[:, 2], a.r - b.r
        radius, slope = self.guest.sizes
        # distance of the axis at the place t from that of the cone: (h^2 + k2 (t - t0)^2)^0.5
        start, way = q - (u @ q) * u, e - (u @ e) * u
        k2, turned = way @ way, slope * (u @ e)
        t0 = -(start @ way) / k2
        h = np.sqrt(start @ start - (start @ way) * (start @ way) / k2)
        x = q + (t0 + turned * h / np.sqrt(k2 * (k2 - turned * turned))) * e
        out = x - (u @ x) * u
        distance, cosine = np.sqrt(out @ out), 1.0 / np.sqrt(1.0 + slope * slope)
        n = -cosine * (out / distance - slope * u)
        gap = cosine * (distance - radius - slope * (u @ x)) - self.host.sizes[0]
        along = np.cross(u, n) / cosine
        return Touch(gap, [], b.r + x + self.host.sizes[0] * n, n, along, np.cross(n, along))

    def _on_sphere(self, a: View, b: View) -> Touch:
        d = b.r - a.r
        distance = np.sqrt(d @ d)
        n, radius = self.side / distance * d, self.guest.sizes[0]
        gap = self.side * (distance - self.host.sizes[0]) - radius
        drawn, *tangents = (a.R @ np.array(axis) for axis in self.basis)
        # the rotation that takes the drawn normal to the normal the shortest way
        both = (drawn + n) / (1.0 + drawn @ n)
        along, across = (axis - (axis @ n) * both for axis in tangents)
        return Touch(gap, [], b.r - radius * n, n, along, across)


def pair_of(first: Shape, second: Shape) -> tuple[Shape, Shape] | None:
    """Return host and guest of two shapes, None if they can't roll on each other."""
    if type(first) is type(second):
        pair = (second, first) if second.sizes[0] > first.sizes[0] else (first, second)
    else:
        pair = (first, second) if type(second) in ROLLS_ON.get(type(first), ()) else (second, first)
    return pair if type(pair[1]) in ROLLS_ON.get(type(pair[0]), ()) else None


def drawn_pair(first: Shape, second: Shape, poses: Sequence[tuple[np.ndarray, np.ndarray]]) -> RollingPair:
    """Return the pair of two shapes that are drawn with axes (1, 3, 3) and positions (1, 3), m."""
    pair = pair_of(first, second)
    assert pair is not None
    host, guest = pair
    reverse = host is second
    (A, a), (_, b) = ((R[0], r[0]) for R, r in (poses[::-1] if reverse else poses))
    d = A.T @ (b - a)
    if isinstance(host, Plane) or isinstance(guest, Cone):
        return RollingPair(host, guest, reverse, 1.0, ())
    if isinstance(host, Cylinder):
        d[2] = 0.0
    distance = float(np.linalg.norm(d))
    side = 1.0 if distance > host.sizes[0] else -1.0
    normal = side * d / distance if distance > 0 else np.eye(3)[0]
    least = np.eye(3)[int(np.argmin(np.abs(normal)))]
    along = np.cross(least, normal)
    along /= np.linalg.norm(along)
    basis = tuple(tuple(axis.tolist()) for axis in (normal, along, np.cross(normal, along)))
    return RollingPair(host, guest, reverse, side, basis)

"""Where two shapes touch that roll on each other: their gap, and the point and the directions of the contact.

The host is the larger one: a plane, a rail, or a cylinder, sphere or cone that the guest runs on or in. The formulas
compare nothing, so that they are recorded and differentiated exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .forces.shapes import Cylinder, Plane, Shape, Sphere
from .joints.recorded_rows import View
from .rails import Rail
from .wheels import Cone, Wheel

#: Hosts, and what may roll on them.
ROLLS_ON: dict[type, tuple[type, ...]] = {
    Plane: (Sphere, Wheel, Cylinder, Cone),
    Cylinder: (Sphere, Wheel, Cylinder, Cone),
    Sphere: (Sphere, Wheel),
    Cone: (Sphere,),
    Rail: (Sphere, Wheel, Cylinder, Cone),
}
#: Sine of the angle between the plane of a wheel and the surface under it below which the wheel counts as lying.
LEAST_TILT = 1e-3
#: Newton's iterations for the place where a wheel touches a cylinder; four leave round-off at the leans of the tests.
ITERATIONS = 6


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
        if isinstance(self.host, Rail):
            return False
        return isinstance(self.guest, Cylinder) or (
            isinstance(self.guest, Cone) and isinstance(self.host, Plane)
        )

    @property
    def resists_spin(self) -> bool:
        """Whether rolling without slip leaves no rotation about the normal that the other rows permit."""
        return self.is_line and isinstance(self.host, Plane)

    def touch(self, views: Sequence[View]) -> Touch:
        """Return the contact for the views of the first and the second shape."""
        a, b = views[::-1] if self.reverse else views
        if isinstance(self.host, Plane):
            return self._on_plane(a, b)
        if isinstance(self.host, Rail):
            return self._on_line(a, b) if isinstance(self.guest, Sphere) else self._round_on_line(a, b)
        if isinstance(self.guest, Cone):
            return self._across_cylinder(a, b)
        if isinstance(self.guest, Wheel):
            return self._of_wheel(a, b)
        if isinstance(self.host, Cone):
            return self._in_funnel(a, b)
        return self._on_cylinder(a, b) if isinstance(self.host, Cylinder) else self._on_sphere(a, b)

    def tilt(self, views: Sequence[View]) -> float:
        """Return the sine of the angle between the plane of a wheel and the surface that it touches; 0 if it lies."""
        guest = views[0 if self.reverse else 1]
        with np.errstate(all="ignore"):
            normal = np.asarray(self.touch(views).normal, dtype=float)
        return float(np.nan_to_num(np.linalg.norm(np.cross(normal, guest.R[:, 2]))))

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
        if isinstance(self.guest, Cone):
            slope = self.guest.sizes[1]
            point = b.r - radius / tilt * (n - lean * u)
            return Touch(
                height - radius * tilt, [lean - slope / np.sqrt(1.0 + slope * slope)], point, n, along, across
            )
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

    def _of_wheel(self, a: View, b: View) -> Touch:
        """Return the contact of a wheel on or in a cylinder or sphere.

        It is where the middle line of the rim, ``b.r + middle m``, is nearest to the surface: of a sphere in the
        direction m of its centre, or away from it. Of a cylinder with the axis e the distance from this axis is least
        or largest there, ``q . m' = middle (e . m)(e . m')`` with the derivative m' by the angle x from that
        direction, which Newton's method finds. Where the wheel would touch at two places, the derivative of this
        equation changes its sign, and its square root is NaN.
        """
        u, (radius, rim), q = b.R[:, 2], self.guest.sizes, b.r - a.r
        middle = radius - rim
        in_cylinder = isinstance(self.host, Cylinder)
        if in_cylinder:
            e = a.R[:, 2]
            q = q - (e @ q) * e
        w = q - (u @ q) * u
        size = np.sqrt(w @ w)
        m = -self.side / size * w
        if in_cylinder:
            k, x = np.cross(u, m), 0.0
            one, two = e @ m, e @ k
            for _ in range(ITERATIONS):
                c, s = np.cos(x), np.sin(x)
                axial, turned = one * c + two * s, two * c - one * s
                curved = np.sqrt(size * c - self.side * middle * (turned * turned - axial * axial))
                x = x - (size * s - self.side * middle * axial * turned) / (curved * curved)
            m = np.cos(x) * m + np.sin(x) * k
        d = q + middle * m
        if in_cylinder:
            d = d - (e @ d) * e
        distance = np.sqrt(d @ d)
        n = self.side / distance * d
        along = np.cross(u, n)
        along = along / np.sqrt(along @ along)
        gap = self.side * (distance - self.host.sizes[0]) - rim
        return Touch(gap, [], b.r + middle * m - rim * n, n, along, np.cross(n, along))

    def _in_funnel(self, a: View, b: View) -> Touch:
        """Return the contact of a ball in or on a cone."""
        (size, slope), radius = self.host.sizes, self.guest.sizes[0]
        e, d = a.R[:, 2], b.r - a.r
        z = e @ d
        d = d - z * e
        distance, cosine = np.sqrt(d @ d), 1.0 / np.sqrt(1.0 + slope * slope)
        n = self.side * cosine * (d / distance - slope * e)
        gap = self.side * cosine * (distance - size - slope * z) - radius
        along = np.cross(e, d) / distance
        return Touch(gap, [], b.r - radius * n, n, along, np.cross(n, along))

    def _on_line(self, a: View, b: View) -> Touch:
        """Return the contact of a ball with a line, whose frame is where it is nearest to the ball."""
        d = b.r - a.r
        distance = np.sqrt(d @ d)
        n, along, radius = d / distance, a.R[:, 2], self.guest.sizes[0]
        along = along - (along @ n) * n  # a section that is sheared is not perpendicular to the line
        along = along / np.sqrt(along @ along)
        gap = distance - self.host.sizes[0] - radius
        return Touch(gap, [], b.r - radius * n, n, along, np.cross(n, along))

    def _round_on_line(self, a: View, b: View) -> Touch:
        """Return the contact of a wheel, cylinder or cone with a line, whose frame is where it is nearest to them.

        The distance of the line is that of ``core/kinematics/round_distance.hpp``, and its gradient is the normal.
        """
        u, d, radius = b.R[:, 2], a.r - b.r, self.guest.sizes[0]
        h = u @ d
        out = d - h * u
        q = np.sqrt(out @ out)
        if isinstance(self.guest, Wheel):
            rim = self.guest.sizes[1]
            beyond = q - (radius - rim)
            distance = np.sqrt(beyond * beyond + h * h)
            n = -(beyond / q * out + h * u) / distance
            distance = distance - rim
        else:
            slope = self.guest.sizes[1] if isinstance(self.guest, Cone) else 0.0
            cosine = 1.0 / np.sqrt(1.0 + slope * slope)
            distance = cosine * (q - radius - slope * h)
            n = -cosine * (out / q - slope * u)
        along = np.cross(u, n)
        along = along / np.sqrt(along @ along)
        rail = self.host.sizes[0]
        return Touch(distance - rail, [], a.r + rail * n, n, along, np.cross(n, along))

    def _across_cylinder(self, a: View, b: View) -> Touch:
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
    if isinstance(host, Plane | Rail) or isinstance(guest, Cone):
        return RollingPair(host, guest, reverse, 1.0, ())
    surface = host.sizes[0]
    if isinstance(host, Cone):
        surface += host.sizes[1] * d[2]
    if isinstance(host, Cone | Cylinder):
        d[2] = 0.0
    distance = float(np.linalg.norm(d))
    side = 1.0 if distance > surface else -1.0
    normal = side * d / distance if distance > 0 else np.eye(3)[0]
    least = np.eye(3)[int(np.argmin(np.abs(normal)))]
    along = np.cross(least, normal)
    along /= np.linalg.norm(along)
    basis = tuple(tuple(axis.tolist()) for axis in (normal, along, np.cross(normal, along)))
    return RollingPair(host, guest, reverse, side, basis)

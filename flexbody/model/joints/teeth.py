"""The teeth of gears and racks: pitch point, line of action, and the joint coordinates that move along it.

The tooth force acts at the pitch point P. With t the common direction of motion of both pitch surfaces, b the line in
which they touch, n their normal from the first wheel to the second, and beta the helix angle, its part that changes
its sign with the transmitted force is ``F_t d`` with ``d = t - tan(beta) b``. Its coupling is

    d . (u_2(P) - u_1(P)) = 0

with the displacements u of both wheels at P relative to their carrier. Each is a sum of joint coordinates,

    d . u(P) = d . u + (rho x d) . phi,    rho = P - origin,

of the displacement u of the wheel's origin and its rotation phi. With bearings that do not give way this is the sum of
the angles times the pitch radii; the virtual power of the tooth force is the change of this sum, whatever gives way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from fem.common.errors import InputError

from ...core.kinds import TILT
from ...core.rotation import axes_from_z
from ..sides import Body, FrameData, Side
from .base import Joint, Term
from .coordinates import SLIDE_X, SLIDE_Y, SLIDE_Z, Coordinate, X, Y, Z
from .pitch_point import ALIGNMENT_TOLERANCE, ALONE, Axis, Contact, Pair, contact_of

#: coefficients that are smaller, relative to the largest, are round-off
NEGLIGIBLE_COEFFICIENT = 1e-12


@dataclass(frozen=True, eq=False)
class Seat(Joint):
    """The place of a wheel or rack on its carrier: coordinates without constraints, which are zero on rigid bearings.

    Parameters
    ----------
    name : str
        Name; not one of the joints of a system.
    first, second : RigidBody, BodyFrame or GROUND
        The carrier, and the wheel or rack.
    axes : numpy.ndarray
        Axes of both frames as columns, (3, 3); z is the axis of a wheel.
    points : tuple of numpy.ndarray
        Positions of both frames in the drawn configuration, (3,), m.
    """

    axes: np.ndarray
    points: tuple[np.ndarray, np.ndarray]

    coordinates: ClassVar = {
        "x": SLIDE_X,
        "y": SLIDE_Y,
        "z": SLIDE_Z,
        # small rotations; those about x and y do not change while a wheel rotates about z
        "tilt_x": Coordinate(TILT, Y, Z, sign=-1.0),
        "tilt_y": Coordinate(TILT, X, Z),
        "tilt_z": Coordinate(TILT, Y, X),
    }

    def frame_axes(self) -> np.ndarray:
        """Return the axes of both frames in the drawn configuration."""
        return self.axes

    def frame_points(self, bodies: Mapping[str, Body]) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of both frames in the drawn configuration."""
        return self.points

    def along(self, d: np.ndarray, factor: float) -> Iterator[Term]:
        """Yield the terms of ``factor d . u`` with the displacement u of the origin; d (3,)."""
        for which, part in zip("xyz", self.axes.T @ d, strict=True):
            yield Term(self, which, factor * float(part))

    def rotated(self, moment: np.ndarray, factor: float, spins: bool) -> Iterator[Term]:
        """Yield the terms of ``factor moment . phi``, of a wheel that ``spins`` without the one about its axis."""
        names = ("tilt_x", "tilt_y") if spins else ("tilt_x", "tilt_y", "tilt_z")
        for which, part in zip(names, self.axes.T @ moment, strict=False):
            yield Term(self, which, factor * float(part))


class Mesh(NamedTuple):
    """The teeth of a gear or rack as drawn.

    Parameters
    ----------
    terms : tuple of Term
        The sum of joint coordinates that the teeth hold at zero.
    seats : tuple of Seat
        The seats that these terms use, and last that of the pitch point on the carrier, whose x axis is the normal n of
        the pitch surfaces, y the direction t of motion, and z the line b in which they touch.
    wheels : tuple of Side
        The first and the second wheel, or pinion and rack.
    points : tuple of numpy.ndarray
        The positions of their joints, (3,), m.
    lever : float
        Separating force for a unit of the multiplier of the sum.
    offset : numpy.ndarray
        Pitch point relative to its seat, in the axes of the seat, (3,), m.
    doubt : str
        Why the pitch point may be another one; "" if it is certain.
    """

    terms: tuple[Term, ...]
    seats: tuple[Seat, ...]
    wheels: tuple[Side, Side]
    points: tuple[np.ndarray, np.ndarray]
    lever: float
    offset: np.ndarray
    doubt: str

    def pitch_frame(self, bodies: Mapping[str, Body]) -> FrameData:
        """Return the frame of the carrier at the pitch point, each body being the one of that name in ``bodies``."""
        frame = self.seats[-1].frames(bodies)[0]
        return frame._replace(x=frame.x + frame.A @ self.offset)


class Placed(NamedTuple):
    """A joint with its axis as drawn."""

    joint: Joint
    axis: Axis

    @classmethod
    def of(cls, joint: Joint, bodies: Mapping[str, Body]) -> Placed:
        """Return the joint with its axis as drawn on the bodies of that name."""
        one, two = joint.frames(bodies)
        return cls(joint, Axis(joint.frame_axes()[:, Z], one.drawn(bodies), two.drawn(bodies)))


class Bar(NamedTuple):
    """What a user gives of a rack; see :class:`flexbody.Rack`."""

    name: str
    label: str
    radius: float
    which: str
    pressure_angle: float


def turning(joint: Joint) -> str:
    """Return the name of the coordinate that is the angle of a wheel: "angle", or "angle_z" of a free joint."""
    return "angle" if "angle" in joint.coordinates else "angle_z"


def gear_mesh(gear: Pair, first: Placed, second: Placed) -> Mesh:
    """Return the teeth of a pair of gear wheels.

    Parameters
    ----------
    gear : Pair
        What the user gives.
    first, second : Placed
        The joints of its wheels.

    Raises
    ------
    fem.InputError
        The drawn joints are not those of a pair of wheels.
    """
    carrier, other = first.joint.first, second.joint.first
    if carrier.body.name != other.body.name:
        raise InputError(
            f"{gear.label}: its wheels are carried by '{carrier.body.name}' and '{other.body.name}'; let both joints "
            f"have the same first body (the carrier or housing). {ALONE}"
        )
    contact = contact_of(gear, first.axis, second.axis)
    tangent = float(np.tan(gear.pressure_angle) / np.cos(gear.helix_angle))
    d = contact.t - np.tan(gear.helix_angle) * contact.b + gear.flank * tangent * contact.n
    arms = contact.P - first.axis.second, contact.P - second.axis.second
    radius = float(np.linalg.norm(np.cross(first.axis.z, arms[0])))
    factor = float(gear.ratio) if not gear.internal else -float(gear.ratio)
    terms = [Term(first.joint, turning(first.joint)), Term(second.joint, turning(second.joint), factor)]
    seats = []
    for k, (wheel, arm, sign) in enumerate(zip((first, second), arms, (1.0, -1.0), strict=True)):
        axes = axes_from_z(wheel.axis.z, contact.n)
        place = wheel.axis.second
        seat = Seat(f"{gear.name}, seat {k + 1}", carrier, wheel.joint.second, axes, (place, place))
        terms += seat.along(d, sign / radius)
        terms += seat.rotated(np.cross(arm, d), sign / radius, True)
        seats.append(seat)
    if carrier.address != other.address:
        # the angle of the second wheel is measured from a frame that rotates relative to that of the first
        axes = axes_from_z(second.axis.z)
        seat = Seat(f"{gear.name}, carrier", carrier, other, axes, (second.axis.first, second.axis.first))
        seats.append(seat)
        terms.append(Term(seat, "tilt_z", factor))
    lever = 0.0 if gear.flank else tangent / radius
    return _mesh(gear.name, terms, seats, contact, first, second, lever)


def _mesh(
    name: str,
    terms: list[Term],
    seats: list[Seat],
    contact: Contact,
    first: Placed,
    second: Placed,
    lever: float,
    rack: Side | None = None,
) -> Mesh:
    """Return a mesh without the terms that are round-off."""
    carrier = first.joint.first
    largest = max(abs(term.factor) for term in terms if not term.coordinate.is_angle)
    size = max(float(np.linalg.norm(contact.P - first.axis.second)), 1e-300)
    kept = [
        term for term in terms
        if abs(term.factor) > NEGLIGIBLE_COEFFICIENT * largest * (size if term.coordinate.is_angle else 1.0)
    ]  # fmt: skip
    # the angle of the last joint stands last: the reaction is that on its wheel
    kept.sort(key=lambda term: term.joint is second.joint)
    axes = np.stack([contact.n, contact.t, np.cross(contact.n, contact.t)], axis=1)
    at = first.axis.first if carrier.named else contact.P
    wheels = first.joint.second, second.joint.second if rack is None else rack
    pitch = Seat(f"{name}, pitch point", carrier, wheels[0], axes, (contact.P, contact.P))
    used = {term.joint.name for term in kept}
    return Mesh(
        tuple(kept),
        (*(seat for seat in seats if seat.name in used), pitch),
        wheels,
        (first.axis.second, second.axis.second),
        lever,
        axes.T @ (contact.P - at),
        contact.doubt,
    )


def rack_mesh(rack: Bar, pinion: Placed, guide: Placed) -> Mesh:
    """Return the teeth of a rack and pinion.

    The body of the rack is the second one of its joint; or the first one, if the second is the carrier of the pinion,
    which then moves along the rack.

    Parameters
    ----------
    rack : Bar
        What the user gives.
    pinion, guide : Placed
        The joints of the pinion and of the rack.

    Raises
    ------
    fem.InputError
        The drawn joints are not those of a rack and pinion.
    """
    carrier = pinion.joint.first
    host = carrier.body.name
    names = guide.joint.first.body.name, guide.joint.second.body.name
    if host not in names:
        raise InputError(
            f"{rack.label}: its pinion is carried by '{host}', which {guide.joint.label} between '{names[0]}' and "
            f"'{names[1]}' does not guide; let the rack slide on the carrier of the pinion. {ALONE}"
        )
    coordinate = guide.joint.coordinates[rack.which]
    e = coordinate.sign * guide.joint.frame_axes()[:, coordinate.a]
    if coordinate.kind != SLIDE_X.kind or abs(e @ pinion.axis.z) > ALIGNMENT_TOLERANCE:
        raise InputError(
            f"{rack.label}: {rack.which} of {guide.joint.label} is not a straight motion perpendicular to the axis of "
            f"its pinion. {ALONE}"
        )
    sign = 1.0 if names[0] == host else -1.0
    arm = sign * float(rack.radius) * np.cross(e, pinion.axis.z)
    P = pinion.axis.second + arm
    contact = Contact(P, sign * e, pinion.axis.z, arm / abs(float(rack.radius)))
    terms = [Term(pinion.joint, turning(pinion.joint), -float(rack.radius))]
    place = pinion.axis.second
    wheel = Seat(
        f"{rack.name}, seat 1",
        carrier,
        pinion.joint.second,
        axes_from_z(pinion.axis.z, contact.n),
        (place, place),
    )
    terms += wheel.along(contact.t, -1.0)
    terms += wheel.rotated(np.cross(arm, contact.t), -1.0, True)
    bar = Seat(
        f"{rack.name}, seat 2", guide.joint.first, guide.joint.second, axes_from_z(pinion.axis.z, e),
        (guide.axis.second, guide.axis.second),
    )  # fmt: skip
    terms += bar.rotated(np.cross(P - guide.axis.second, e), 1.0, False)
    terms.append(Term(guide.joint, rack.which))
    body = guide.joint.second if sign > 0 else guide.joint.first
    lever = float(np.tan(rack.pressure_angle))
    return _mesh(rack.name, terms, [wheel, bar], contact, pinion, guide, lever, body)

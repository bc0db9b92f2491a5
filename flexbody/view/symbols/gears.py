"""Gears and racks on their bodies: toothed wheels and bars whose pitch circles touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from ...core.kinds import TRANSLATION
from ...model.forces.belt import BeltSpan
from ...model.forces.tooth_contact import ToothContact
from ...model.joints import Joint
from ...model.joints.coordinates import Coordinate
from ...model.joints.gears import Gear, Rack
from ...model.sides import FrameData
from ..geometry.shapes import Solid, band, box, cylinder, joined, perpendicular
from .sketch import Sketch

#: Smallest and largest number of teeth of a pinion.
TEETH_RANGE = (12, 40)
#: Height of a tooth above and below the pitch circle, relative to the pitch.
TOOTH_HEIGHT = 0.22
#: The smaller wheel of two in one plane of a body is thicker by this part, so that it is seen.
STEP = 0.6
#: Joints whose heights along their axis differ by less than this part of the machine are at one height.
LEAST_HEIGHT = 1e-3


@dataclass(frozen=True, eq=False)
class Wheel:
    """A gear wheel about the axis of a joint.

    The first tooth is ``offset`` pitches from the unit vector ``toward`` (3,). A wheel without teeth rolls.
    """

    center: np.ndarray
    axis: np.ndarray
    radius: float
    teeth: int
    toward: np.ndarray
    offset: float = 0.0
    ring: bool = False  # teeth inside

    def solid(self, thickness: float, bore: float) -> Solid:
        """Return the wheel with this thickness (m); ``bore`` is the radius of its hole, m."""
        across = np.cross(self.axis, self.toward)
        if not self.teeth:
            return self._rolling(thickness, across)
        corners = np.array([-0.25, -0.12, 0.12, 0.25])  # of a tooth, relative to the pitch
        height = TOOTH_HEIGHT * 2 * np.pi * self.radius / self.teeth * np.array([-1.0, 1.0, 1.0, -1.0])
        number = np.arange(self.teeth)[:, None] + self.offset
        angle = 2 * np.pi / self.teeth * (number + corners).ravel()[:, None]
        spokes = np.cos(angle) * self.toward + np.sin(angle) * across
        profile = self.radius + (-1 if self.ring else 1) * np.tile(height, self.teeth)[:, None]
        smooth = 1.18 * self.radius if self.ring else min(bore, 0.4 * self.radius)
        inner, outer = (profile, smooth) if self.ring else (smooth, profile)
        return band(self.center + inner * spokes, self.center + outer * spokes, self.axis, thickness)

    def _rolling(self, thickness: float, across: np.ndarray) -> Solid:
        """Return a smooth rim with spokes, which make its rotation visible."""
        angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)[:, None]
        rays = np.cos(angle) * self.toward + np.sin(angle) * across
        rim = band(
            self.center + 0.86 * self.radius * rays, self.center + self.radius * rays, self.axis, thickness
        )
        size = (1.8 * self.radius, 0.1 * self.radius, 0.6 * thickness)
        turned = ((self.toward, across), (across, -self.toward))
        bars = (box(self.center, np.stack([x, y, self.axis]), size) for x, y in turned)
        return joined(rim, *bars)

    def phase(self, direction: np.ndarray) -> float:
        """Return the distance of a direction (3,) from the previous tooth, in pitches."""
        angle = np.arctan2(np.cross(self.axis, self.toward) @ direction, self.toward @ direction)
        return float(angle * self.teeth / (2 * np.pi) - self.offset)

    def meshing(self, other: Wheel, direction: np.ndarray) -> Wheel:
        """Return this wheel with a gap where the other has a tooth; ``direction`` is from the other's centre."""
        inside = self.ring or other.ring
        same = 1.0 if (self.axis @ other.axis > 0) != inside else -1.0
        return replace(
            self, toward=direction if inside else -direction, offset=same * other.phase(direction) + 0.5
        )


def wheels_of(sketch: Sketch, name: str) -> list[Solid]:
    """Return the wheels and racks of the body ``name``, in its base."""
    solids: list[Solid] = []
    thickness = sketch.thick if sketch.normal is not None else 1.5 * sketch.unit
    wheels, racks = train(sketch)
    for joint, wheel in wheels:
        if sketch.frames[joint.name][1].body == name:
            hub = 0.9 * sketch.pins[joint.name]
            larger = [
                w.radius for j, w in wheels if j is joint and w.radius > wheel.radius and _level(w, wheel)
            ]
            solids.append(wheel.solid(thickness * (1 + STEP * len(larger)), hub))
            place = sketch.frames[joint.name][1].x
            if np.linalg.norm(wheel.center - place) > thickness:
                solids.append(cylinder(place, wheel.center, 1.5 * hub))
    for rack, wheel in racks:
        bar = _rack(sketch, rack, wheel, name, thickness)
        solids += [] if bar is None else [bar]
    depth = sketch.depth(name)
    return [(points + depth, triangles) for points, triangles in solids]


def toothed(sketch: Sketch) -> list[Any]:
    """Return what may have teeth: all entries of the system's joints, and the gears of teeth with backlash."""
    rattling = (e.gear for e in sketch.system.elements if isinstance(e, ToothContact))
    return [*sketch.system.joints, *rattling]


def train(sketch: Sketch) -> tuple[list[tuple[Joint, Wheel]], list[tuple[Rack, Wheel]]]:
    """Return all wheels with their joints, and the racks with the wheels that drive them; equal wheels are one."""
    wheels: list[tuple[Joint, Wheel]] = []
    racks: list[tuple[Rack, Wheel]] = []
    for gear in toothed(sketch):
        pair = _pair(gear, sketch)
        known = [_same(wheels, joint, wheel) for joint, wheel in pair]
        if not pair or all(known):
            continue
        (one, first), (two, second) = pair if known[0] or not known[1] else pair[::-1]
        first = (known[0] or known[1]) or first
        if any(known):  # teeth of one size
            second = replace(second, teeth=max(3, round(first.teeth * second.radius / first.radius)))
        else:
            wheels.append((one, first))
        way = second.center + sketch.start(second_body(sketch, two)) - first.center
        way = way - sketch.start(second_body(sketch, one))
        way = way - first.axis * (way @ first.axis)
        inward = -1.0 if first.radius < second.radius and second.ring else 1.0
        wheels.append((two, second.meshing(first, inward * way / np.linalg.norm(way))))
    for rack in toothed(sketch):
        for joint, wheel in _pinion(rack, sketch):
            found = _same(wheels, joint, wheel)
            if found is None:
                wheels.append((joint, wheel))
            racks.append((rack, found or wheel))
    for span in sketch.system.elements:
        if isinstance(span, BeltSpan):
            wheels += [pulley for pulley in _pulleys(span, sketch) if _same(wheels, *pulley) is None]
    return wheels, racks


def _pulleys(span: BeltSpan, sketch: Sketch) -> Iterator[tuple[Joint, Wheel]]:
    """Yield both pulleys of a span of a belt, each with its joint."""
    axes = span.tangents(sketch.bodies).axes
    for joint, radius in zip((span.first, span.second), span.radii, strict=True):
        yield joint, Wheel(sketch.frames[joint.name][1].x, axes[:, 2], abs(radius), 0, axes[:, 0])


def second_body(sketch: Sketch, joint: Joint) -> str:
    """Return the name of the second body of a joint."""
    return sketch.frames[joint.name][1].body


def _same(wheels: list[tuple[Joint, Wheel]], joint: Joint, wheel: Wheel) -> Wheel | None:
    """Return the wheel of nearly this size that a joint already has, or None."""
    mine = [other for owner, other in wheels if owner.name == joint.name and not other.ring]
    alike = (other for other in mine if abs(other.radius - wheel.radius) < 0.03 * wheel.radius)
    return next((other for other in alike if _level(other, wheel)), None)


def _level(one: Wheel, other: Wheel) -> bool:
    """Return whether two wheels about one axis are in one plane."""
    return bool(abs((one.center - other.center) @ other.axis) < 0.1 * other.radius)


def _drawn(sketch: Sketch, frame: FrameData) -> np.ndarray:
    """Return the drawn position of a frame, (3,), m."""
    return frame.x + sketch.start(frame.body)


@singledispatch
def _pair(item: Any, sketch: Sketch) -> list[tuple[Joint, Wheel]]:
    """Return both wheels of a pair of gears whose axes are parallel; otherwise an empty list."""
    return []


@_pair.register
def _(gear: Gear, sketch: Sketch) -> list[tuple[Joint, Wheel]]:
    joints = [sketch.system.joint(joint) for joint in (gear.first, gear.second)]
    frames = [sketch.frames[joint.name][1] for joint in joints]
    axes = [frame.A[:, 2] for frame in frames]
    between = _drawn(sketch, frames[1]) - _drawn(sketch, frames[0])
    between = between - axes[0] * (axes[0] @ between)
    distance = float(np.linalg.norm(between))
    if (
        abs(axes[0] @ axes[1]) < 0.999
        or distance < 1e-6 * sketch.extent
        or (gear.internal and gear.ratio == 1)
    ):
        return []
    ratio = float(gear.ratio)
    first = distance / (abs(ratio - 1) if gear.internal else 1 + ratio)
    ups = _to_one_plane(gear, joints, [float(axes[0] @ _drawn(sketch, frame)) for frame in frames], sketch)
    rings = (
        gear.internal and ratio < 1,
        gear.internal and ratio > 1,
    )  # the larger wheel encloses the smaller one
    wheels = [
        Wheel(frame.x + up * axes[0], axis, radius, teeth, between / distance, ring=ring)
        for frame, axis, radius, teeth, ring, up in zip(
            frames, axes, (first, ratio * first), number_of_teeth(ratio), rings, ups, strict=True
        )
    ]
    return list(zip(joints, wheels, strict=True))


def _to_one_plane(gear: Gear, joints: list[Joint], heights: list[float], sketch: Sketch) -> list[float]:
    """Return how far both wheels of a pair stand from their joints along the axis, m, so that they are in one plane.

    ``heights`` are those of the joints. The plane is that of the joint with the fewest gears: a shaft with several
    wheels has one joint.
    """
    if abs(heights[1] - heights[0]) < LEAST_HEIGHT * sketch.extent:
        return [0.0, 0.0]
    gears = [item for item in toothed(sketch) if isinstance(item, Gear)]
    uses = [
        sum(
            joint.name in (each.name for each in map(sketch.system.joint, (g.first, g.second))) for g in gears
        )
        for joint in joints
    ]
    plane = heights[int(np.argmin(uses))]
    return [plane - height for height in heights]


def number_of_teeth(ratio: float) -> tuple[int, int]:
    """Return small numbers of teeth whose ratio is close to the given one."""
    q = max(ratio, 1 / ratio)
    small = min(range(*TEETH_RANGE), key=lambda n: (round(abs(n * q - round(n * q)), 2), n))
    large = round(small * q)
    return (small, large) if ratio >= 1 else (large, small)


@singledispatch
def _pinion(item: Any, sketch: Sketch) -> list[tuple[Joint, Wheel]]:
    """Return the wheel that drives a rack; an empty list if the rack does not move straight, or for other items."""
    return []


@_pinion.register
def _(rack: Rack, sketch: Sketch) -> list[tuple[Joint, Wheel]]:
    pinion = sketch.system.joint(rack.pinion)
    _, frame = sketch.frames[pinion.name]
    along = _along(sketch, rack)
    axis = frame.A[:, 2]
    if along is None or abs(along @ axis) > 1e-3:
        return []
    side = np.sign(rack.radius) * np.cross(along, axis)
    own = rack.rack.name == rack.pinion.name  # a wheel that rolls on the body below it
    return [(pinion, Wheel(frame.x, axis, abs(rack.radius), 0 if own else 16, -side if own else side))]


def _along(sketch: Sketch, rack: Rack) -> np.ndarray | None:
    """Return the direction (3,) in which the rack moves as drawn; None if it does not move straight."""
    joint = sketch.system.joint(rack.rack)
    coordinate: Coordinate = joint.coordinates[rack.which]
    if coordinate.kind != TRANSLATION:
        return None
    return coordinate.sign * sketch.frames[joint.name][0].A[:, coordinate.a]


def _rack(sketch: Sketch, rack: Rack, wheel: Wheel, name: str, thickness: float) -> Solid | None:
    """Return the rack of a pinion if it belongs to the body ``name``."""
    pinion, joint = (sketch.system.joint(item) for item in (rack.pinion, rack.rack))
    own = pinion.name == joint.name
    host = sketch.frames[joint.name][0 if own else 1]
    along = _along(sketch, rack)
    if host.body != name or along is None:
        return None
    down = (-1 if own else 1) * np.sign(rack.radius) * np.cross(along, wheel.axis)
    contact = _drawn(sketch, sketch.frames[pinion.name][1]) + wheel.radius * down
    start = sketch.start(name)
    slide = sketch.result.coordinate(joint, rack.which)
    way = slide if own else -slide
    if not wheel.teeth:
        length = float(np.ptp(way)) + 2 * wheel.radius
        middle = contact - start + along * (way.max() + way.min()) / 2 + 0.4 * sketch.unit * down
        return box(
            middle,
            np.stack([along, down, np.cross(along, down)]),
            (length, 0.8 * sketch.unit, 1.6 * thickness),
        )
    pitch = 2 * np.pi * wheel.radius / wheel.teeth
    low, high = (
        int(np.round((end + more) / pitch)) for end, more in ((way.min(), -5 * pitch), (way.max(), 5 * pitch))
    )
    corners = np.array([-0.25, -0.12, 0.12, 0.25])
    height = TOOTH_HEIGHT * pitch * np.array([1.0, -1.0, -1.0, 1.0])  # gaps at whole pitches
    phase = wheel.phase(down)  # a gap where the wheel has a tooth
    shift = -(phase - np.floor(phase)) * np.sign(along @ np.cross(wheel.axis, down))
    s = pitch * (np.arange(low, high + 1)[:, None] + corners + shift).ravel()[:, None]
    top = contact - start + s * along - np.tile(height, high - low + 1)[:, None] * down
    base = contact - start + s * along + (TOOTH_HEIGHT + 0.5) * pitch * down
    return band(top, base, perpendicular(np.cross(along, down))[2], thickness, closed=False)

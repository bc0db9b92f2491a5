"""Symbols of force elements and drives: coils, cylinders, dampers, bushings, beams, spirals, motors, stops."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.kinds import ALONG_PATH, LENGTH, ROTATION, TRANSLATION
from ...model.drives import Drive
from ...model.forces import Element, Symbol
from ...model.forces.belt import BeltSpan
from ...model.forces.tooth_contact import ToothContact
from ...model.joints.coordinates import Coordinate
from ...model.joints.couplings import Coupler
from ...model.sides import FrameData
from ..geometry import colours
from ..geometry.colours import Colour
from ..geometry.parts import Part
from ..geometry.shapes import band, box, cylinder, joined, perpendicular, sphere, tube
from .arrows import flat_arrow, flat_curved_arrow
from .belts import parts_of_span
from .contact_shapes import Touching, parts_of_contact
from .hinges import foot
from .sketch import Sketch
from .stretched import Barrel, BentBeam, End, Piston, Spiral, Spring, Strand, place_of

#: Half the length of a bushing is the second part of the radius of gyration of the smaller body that it connects, at
#: least the first part of the sketch's unit, and at most one unit.
SMALLEST_BUSHING, LARGEST_BUSHING = 0.4, 0.3
#: Balls of a bearing.
N_BALLS = 8
#: Angles of the corners of a ring, rad.
RING_ANGLES = np.linspace(0, 2 * np.pi, 48, endpoint=False)[:, None]


@dataclass(frozen=True)
class Look:
    """A force along one deformation: with a coil, with a cylinder (colour, radius in units), rotating like a motor."""

    coil: bool = False
    barrel: Colour | None = None
    radius: float = 0.6
    motor: bool = False


#: How the symbols beside a coil are drawn.
LOOKS = {
    "damper": Look(barrel=colours.DAMPER),
    "friction": Look(barrel=colours.DAMPER),
    "actuator": Look(barrel=colours.MOTOR, motor=True),
    "motor": Look(barrel=colours.MOTOR, radius=0.8, motor=True),
    "hydraulic": Look(barrel=colours.HYDRAULIC, radius=0.95),
}
#: Any other symbol.
PLAIN = Look(barrel=colours.PLAIN)


def look_of(symbols: Sequence[Symbol]) -> Look:
    """Return how the symbols of a force along one deformation are drawn together."""
    coil = any(symbol.name == "spring" for symbol in symbols)
    others = [LOOKS.get(symbol.name, PLAIN) for symbol in symbols if symbol.name != "spring"]
    return replace(others[0] if others else Look(), coil=coil)


def parts_of_element(sketch: Sketch, element: Element) -> list[Part]:
    """Return the parts of a force element."""
    if element.coordinate is not None:
        joint, which = element.coordinate
        return _along(sketch, element, sketch.system.joint(joint), which)
    if isinstance(element, Touching):
        return parts_of_contact(sketch, element)
    if element.count == 0 or isinstance(
        element, ToothContact
    ):  # controllers, and wheels that are drawn with teeth
        return []
    if isinstance(element, BeltSpan):
        return parts_of_span(sketch, element)
    symbols = element.symbols(sketch.bodies)
    if element.count > 1:
        return [
            part
            for symbol in symbols
            for part in BETWEEN_FRAMES.get(symbol.name, _block)(sketch, element.name, symbol)
        ]
    first, second = sketch.springs[element.name]
    ends = (sketch.end(first, sketch.before), sketch.end(second, sketch.before))
    return [*_between(sketch, ends, look_of(symbols)), *_mounts(sketch, (first, second))]


def parts_of_drive(sketch: Sketch, drive: Drive) -> list[Part]:
    """Return a flat arrow with two heads about, or along, the coordinate of a drive; arrows of loads are round."""
    joint = sketch.system.joint(drive.joint)
    coordinate = joint.coordinates[drive.coordinate]
    first, second = sketch.frames[joint.name]
    if coordinate.is_angle:
        host, axis = _axis(coordinate, first, second)
        radius = max(3.0 * sketch.unit, 2.2 * sketch.pins[joint.name])
        return [_turn(sketch, host, axis, radius, colours.MOTOR)]
    if coordinate.kind == LENGTH:
        return []
    axis = first.A[:, 2 if coordinate.kind == ALONG_PATH else coordinate.a]  # z is the tangent of a line
    side, _, _ = perpendicular(axis)
    if sketch.normal is not None and abs(axis @ sketch.away) < 0.9:
        side = np.cross(axis, sketch.away)
        side *= np.sign(side @ sketch.up) or 1.0
    u = sketch.unit
    middle = second.x + sketch.depth(second.body) + 5 * u * side
    if sketch.normal is not None:
        middle = middle + sketch.before - sketch.depth(second.body)
    up = -sketch.away if sketch.normal is not None and abs(axis @ sketch.away) < 0.9 else np.cross(axis, side)
    solid = flat_arrow(middle - 4 * u * axis, middle + 4 * u * axis, up, 0.45 * u)
    return [sketch.on(second, solid, colours.MOTOR)]


def parts_of_coupler(sketch: Sketch, coupler: Coupler) -> list[Part]:
    """Return thin lines from joint to joint of a coupler, such as the slides that a rope connects."""
    frames = [sketch.frames[term.joint.name][1] for term in coupler.uses()]
    ends = [sketch.end(frame, sketch.before) for frame in frames]
    parts: list[Part] = []
    for a, b in itertools.pairwise(ends):
        if (
            max(np.linalg.norm(place_of(b, poses) - place_of(a, poses)) for poses in sketch.samples)
            > 2 * sketch.unit
        ):
            parts.append(Strand((a, b), 0.15 * sketch.unit, colours.PIN))
    return parts


# ---- between two points


def _between(sketch: Sketch, ends: tuple[End, End], look: Look) -> list[Part]:
    """Return a coil, a cylinder with its rod, or both."""
    parts: list[Part] = []
    if look.coil:
        parts.append(Spring(ends, sketch.unit, colours.SPRING))
    if look.barrel is not None:
        radius = (0.5 if look.coil else look.radius) * sketch.unit
        places = [[place_of(end, poses) for end in ends] for poses in sketch.samples]
        length = 0.62 * min(float(np.linalg.norm(b - a)) for a, b in places)
        parts.append(Barrel(ends, radius, look.barrel, length=length))
        parts.append(Piston(ends, 0.45 * radius, colours.STEEL, length=length))
    if not parts:
        parts.append(Spring(ends, sketch.unit, colours.SPRING))
    return parts


def _mounts(sketch: Sketch, frames: tuple[FrameData, FrameData]) -> list[Part]:
    """Return the pins that hold the ends of a force element in front of a plane machine, and its foot on the ground."""
    parts: list[Part] = []
    held = [f.x for pair in sketch.frames.values() for f in pair if f.body == "ground"]
    massless = [point.name for point in sketch.system.massless_bodies]
    for frame, other in zip(frames, frames[::-1], strict=True):
        if frame.body in massless:
            parts.append(sketch.on(frame, sphere(frame.x + sketch.before, 0.6 * sketch.unit), colours.PIN))
        elif sketch.normal is not None:
            start, end = sketch.before - 0.9 * sketch.unit * sketch.away, sketch.depth(frame.body)
            if np.linalg.norm(end - start) > 0:
                solid = cylinder(frame.x + start, frame.x + end, 0.42 * sketch.unit)
                parts.append(sketch.on(frame, solid, colours.PIN))
        if frame.body == "ground" and all(np.linalg.norm(frame.x - x) > sketch.unit for x in held):
            inward = sketch.place(other, sketch.samples[0]) - frame.x
            parts.append(foot(sketch, frame, 0.7 * sketch.unit, inward))
    return parts


def _block(sketch: Sketch, name: str, symbol: Symbol) -> list[Part]:
    """Return a plain block on the first body, and a smaller one on the second body, for an element of six forces."""
    parts: list[Part] = []
    for frame, size in zip(sketch.springs[name], (2.4, 1.4), strict=True):
        solid = box(frame.x + sketch.before, frame.A.T, (size * sketch.unit,) * 3)
        parts.append(sketch.on(frame, solid, colours.PLAIN))
    return parts


def _bushing(sketch: Sketch, name: str, symbol: Symbol) -> list[Part]:
    """Return a rubber sleeve on the first body around a pin of the second body.

    It lies along the bushing's softest axis, or is seen from its end in a plane machine. Without stiffness about one
    axis alone it is the bearing of a shaft: a ring with its balls.
    """
    first, second = sketch.springs[name]
    if (free := _bearing_axis(sketch, (first, second), symbol.numbers)) is not None:
        return _bearing(sketch, first, second, free)
    u, axis = _bushing_unit(sketch, (first, second)), _softest(symbol.numbers)
    if axis is None:
        axis = 2 if sketch.normal is None else int(np.argmax(np.abs(sketch.away @ first.A)))
    sleeve, pin = (
        cylinder(f.x + sketch.before - h * f.A[:, axis], f.x + sketch.before + h * f.A[:, axis], r)
        for f, h, r in ((first, 1.0 * u, 1.5 * u), (second, 1.7 * u, 0.6 * u))
    )
    parts: list[Part] = [sketch.on(first, sleeve, colours.RUBBER), sketch.on(second, pin, colours.PIN)]
    if first.body == "ground" and sketch.normal is None:
        along = first.A[:, axis]
        below = sketch.up * (
            1.1 * u if abs(along @ sketch.up) > 0.95 else 0.0
        )  # a sleeve that stands on its foot
        stand = first._replace(x=first.x - below, A=np.roll(first.A, 2 - axis, axis=1))
        parts.append(foot(sketch, stand, 0.8 * u))
    return parts


def _bearing(sketch: Sketch, first: FrameData, second: FrameData, axis: int) -> list[Part]:
    """Return the outer ring of a bearing on the first body, and its balls with the inner ring on the second one."""
    u = max(sketch.unit, 1.4 * max((sketch.pins[name] for name in sketch.pins), default=0.0))
    parts: list[Part] = []
    for frame, inner, outer, colour in ((first, 1.5, 1.9, colours.PIN), (second, 0.7, 1.05, colours.STEEL)):
        along = frame.A[:, axis]
        x, y, _ = perpendicular(along)
        spokes = np.cos(RING_ANGLES) * x + np.sin(RING_ANGLES) * y
        middle = frame.x + sketch.before
        rings = [band(middle + inner * u * spokes, middle + outer * u * spokes, along, 0.9 * u)]
        if frame is second:
            turns = np.linspace(0, 2 * np.pi, N_BALLS, endpoint=False)
            places = middle + 1.275 * u * (np.outer(np.cos(turns), x) + np.outer(np.sin(turns), y))
            rings += [sphere(place, 0.26 * u) for place in places]
        parts.append(sketch.on(frame, joined(*rings), colour, lined=False))
    if first.body == "ground" and sketch.normal is None:
        along = first.A[:, axis]
        below = sketch.up * (1.1 * u if abs(along @ sketch.up) > 0.95 else 1.9 * u)
        parts.append(
            foot(sketch, first._replace(x=first.x - below, A=np.roll(first.A, 2 - axis, axis=1)), 0.8 * u)
        )
    return parts


def _bearing_axis(
    sketch: Sketch, frames: tuple[FrameData, FrameData], stiffness: tuple[float, ...]
) -> int | None:
    """Return the axis of the shaft in a bushing that is a bearing, else None; six values, N/m and Nm/rad.

    A bearing has no stiffness about this axis, and it is stiff across it. Where a bushing has none about any axis, as
    mounts have too, the shaft turns about this axis in the run.
    """
    along, about = stiffness[:3], stiffness[3:]
    free = [k for k in range(3) if about[k] == 0 and min(np.delete(along, k)) > 0]
    if len(free) == 1 and sum(value == 0 for value in about) == 1:
        return free[0]
    first, second = frames
    turns = np.array(
        [first.A.T @ poses[first.body].Q.T @ poses[second.body].Q @ second.A for poses in sketch.samples]
    )
    stays = np.einsum("tkk->tk", np.swapaxes(turns[0], 0, 1) @ turns).min(axis=0)  # cosines
    turning = [k for k in free if stays[k] > 0.9 and np.delete(stays, k).max() < 0]
    return turning[0] if turning else None


def _bushing_unit(sketch: Sketch, frames: Sequence[FrameData]) -> float:
    """Return half the length of a bushing's sleeve, m: no more than a part of the smaller body that it carries."""
    sizes = [sketch.bodies[frame.body].size for frame in frames if frame.body in sketch.bodies]
    least, most = SMALLEST_BUSHING * sketch.unit, sketch.unit
    return float(np.clip(LARGEST_BUSHING * min(sizes, default=np.inf), least, most))


def _softest(stiffness: tuple[float, ...]) -> int | None:
    """Return the axis about which a bushing is softest, else along which; six values, N/m, Nm/rad."""
    for three in (stiffness[3:], stiffness[:3]):
        least, next_one, _ = sorted(three)
        if least < 0.5 * next_one:
            return three.index(least)
    return None


def _beam(sketch: Sketch, name: str, symbol: Symbol) -> list[Part]:
    """Return a bent beam between its ends, with a wall where it is clamped to the ground."""
    first, second = (sketch.drawn(frame) for frame in sketch.springs[name])
    ends = (sketch.end(first), sketch.end(second))
    radius = float(np.clip(symbol.numbers[0], 0.3 * sketch.unit, 2.0 * sketch.unit))
    turning = (first.B, second.B)
    bow = BentBeam(ends, radius, colours.LIGHT_BEAM, axis=first.A[:, 0], turning=turning, scale=sketch.scale)
    parts: list[Part] = [bow]
    for frame in (first, second):
        if frame.body == "ground":
            axis = first.A[:, 0] * (1 if frame is first else -1)
            a, b, _ = perpendicular(axis)
            side = max(3.0 * sketch.unit, 2.5 * radius)
            wall = box(
                frame.x - 0.5 * sketch.unit * axis, np.stack([a, b, axis]), (2 * side, 2 * side, sketch.unit)
            )
            parts.append(sketch.on(frame, wall, colours.GROUND))
    return parts


#: How elements of six forces are drawn, by their symbol.
BETWEEN_FRAMES = {"bushing": _bushing, "beam": _beam}


# ---- along joint coordinates


def _axis(coordinate: Coordinate, first: FrameData, second: FrameData) -> tuple[FrameData, np.ndarray]:
    """Return the frame that the axis of an angle belongs to, and the axis (3,) in the drawn configuration."""
    host, number = (first, second)[coordinate.host], 3 - coordinate.a - coordinate.b
    if coordinate.kind != ROTATION:
        host, number = first, 1  # approximately, for the second of three Bryant angles
    return host, host.A[:, number]


def _along(sketch: Sketch, element: Element, joint: Any, which: str) -> list[Part]:
    first, second = sketch.frames[joint.name]
    coordinate, symbols = joint.coordinates[which], element.symbols(sketch.bodies)
    if coordinate.is_angle:
        return _about(sketch, element, joint, which)
    if {symbol.name for symbol in symbols} & {"stop", "friction"}:
        return []  # stops are drawn on the rail
    look = look_of(symbols)
    if coordinate.kind != TRANSLATION:
        ends = (sketch.end(first, sketch.before), sketch.end(second, sketch.before))
        return _between(sketch, ends, look)
    slide = sketch.result.coordinate(joint, which)
    axis = first.A[:, coordinate.a]
    back = float(slide.min()) - 12 * sketch.unit
    if first.body in sketch.bodies and axis @ (sketch.bodies[first.body].mass_center - first.x) > sketch.unit:
        back = float(slide.max()) + 12 * sketch.unit  # on the side where its body is
    anchor = first._replace(x=first.x + back * axis)
    ends = (sketch.end(anchor, sketch.before), sketch.end(second, sketch.before))
    parts = _between(sketch, ends, look)
    a, b, _ = perpendicular(axis)
    u = sketch.unit
    plate = box(anchor.x + sketch.before, np.stack([a, b, axis]), (3 * u, 3 * u, 0.5 * u))
    return [*parts, sketch.on(first, plate, colours.GROUND if first.body == "ground" else colours.PIN)]


def _about(sketch: Sketch, element: Element, joint: Any, which: str) -> list[Part]:
    """Return the parts of a force element about an axis: a spiral, a disc, a motor, a gauge with its stops."""
    first, second = sketch.frames[joint.name]
    host, axis = _axis(joint.coordinates[which], first, second)
    u = sketch.unit
    shift = 2.6 * u * axis if sketch.normal is None else sketch.before - 0.3 * u * sketch.away
    x, y, _ = perpendicular(axis)
    hub = max(1.3 * sketch.pins[joint.name], 0.8 * u)
    symbols = element.symbols(sketch.bodies)
    ends = [symbol.numbers for symbol in symbols if symbol.name == "stop"]
    if ends:
        return _gauge(sketch, ends[0], (host, second), np.stack([x, y, axis], 1), hub + 2.6 * u, shift)
    look = look_of(symbols)
    parts: list[Part] = []
    if look.barrel == colours.DAMPER:  # a ring around everything else
        spokes = np.cos(RING_ANGLES) * x + np.sin(RING_ANGLES) * y
        inner, outer = (host.x + shift + (hub + wide * u) * spokes for wide in (1.8, 2.3))
        parts.append(sketch.on(host, band(inner, outer, axis, 0.8 * u), look.barrel))
    if look.coil:
        channel = f"angle {element.name}"
        sketch.motion.add(channel, sketch.result.coordinate(joint, which)[:, None])
        at = host._replace(x=host.x + shift)
        parts.append(
            Spiral(sketch.end(at), np.stack([x, y, axis], 1), channel, (hub, hub + 2.4 * u), colours.SPRING)
        )
    if look.barrel in (colours.MOTOR, colours.HYDRAULIC, colours.PLAIN) and not look.coil:
        half = 0.5 * u * axis
        wide = hub + 1.6 * u
        disc = cylinder(host.x + shift - half, host.x + shift + half, wide)
        parts.append(sketch.on(host, disc, look.barrel))
        mark = box(second.x + shift, np.stack([x, y, axis]), (1.7 * wide, 0.35 * u, 1.5 * u))
        parts.append(sketch.on(second, mark, colours.STEEL))
    if look.motor:
        parts.append(_turn(sketch, host._replace(x=host.x), axis, hub + 2.6 * u, colours.MOTOR, shift))
    return parts


def _turn(
    sketch: Sketch,
    host: FrameData,
    axis: np.ndarray,
    radius: float,
    colour: Colour,
    shift: np.ndarray | None = None,
) -> Part:
    """Return a flat arrow with two heads about an axis, most of a circle long."""
    if shift is None:
        shift = sketch.before if sketch.normal is not None else 2.6 * sketch.unit * axis
    return sketch.on(host, flat_curved_arrow(host.x + shift, axis, radius, 0.45 * sketch.unit), colour)


def _gauge(
    sketch: Sketch, limits: tuple[float, ...], frames, base: np.ndarray, radius: float, shift: np.ndarray
) -> list[Part]:
    """Return stops at both ends of the range of an angle, and a pointer that moves between them."""
    host, second = frames
    x, y, axis = base.T
    u = sketch.unit

    def tick(frame, angle: float, low: float, high: float, thick: float):
        ray = np.cos(angle) * x + np.sin(angle) * y
        size = ((high - low) * u, thick * u, thick * u)
        return box(
            frame.x + shift + (radius + 0.5 * (low + high) * u) * ray,
            np.stack([ray, np.cross(axis, ray), axis]),
            size,
        )

    ends = [at for at in limits if np.isfinite(at)]
    solids = [tick(host, at, -0.9, 0.9, 0.45) for at in ends]
    if len(ends) == 2:
        phi = np.linspace(ends[0], min(ends[1], ends[0] + 2 * np.pi), 49)[:, None]
        solids.append(tube(host.x + shift + radius * (np.cos(phi) * x + np.sin(phi) * y), 0.12 * u, 8))
    return [
        sketch.on(host, joined(*solids), colours.STOP, lined=False),
        sketch.on(second, tick(second, 0.0, -1.6, 0.2, 0.3), colours.PIN, lined=False),
    ]

"""Symbols of joints: pins and balls, rails with stops, feet and clamps on the ground."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from ...model.cut_body import BodyCut, ModesCut
from ...model.joints import Joint
from ...model.joints.cams import CamJoint
from ...model.joints.compound_joints import Distance
from ...model.joints.guideways import PathJoint
from ...model.joints.lower_pairs import Fixed
from ..geometry import colours
from ..geometry.parts import Part, Rigid
from ..geometry.shapes import box, cylinder, joined, perpendicular, prism, sphere, tube
from .bars import across, half_width
from .cams import parts_of_cam
from .joint_solids import count_free_motions, joint_solid, plane_solid
from .sketch import Sketch
from .stretched import Rod

#: Points of a drawn guideway.
LINE_POINTS = 97


@singledispatch
def parts_of_joint(joint: Joint, sketch: Sketch) -> list[Part]:
    """Return a pin or ball, or a rail, and a foot for a joint on the ground.

    In a plane machine a pin shows what a joint does in the plane: round if it rotates there, square if not.
    """
    first, second = sketch.frames[joint.name]
    parts: list[Part] = []
    radius = sketch.pins[joint.name]
    way = sketch.slides[joint.name]
    if way is not None:
        return [rail_of(sketch, joint, way), *_stops(sketch, joint)]
    translations, turns = count_free_motions(joint)
    axis = second.A[:, 2]
    across = sketch.normal is not None and abs(axis @ sketch.away) > 0.9
    if translations == 2:  # in the plane of a picture it holds nothing
        return [] if across else _on_plane(sketch, joint)
    host = second if first.body == "ground" else first
    if across or (sketch.normal is not None and translations == 0 and turns > 1):
        depths = [sketch.depth(f.body) @ sketch.away for f in (first, second)]
        near = min(min(depths) - 0.6 * sketch.thick, sketch.front if 0.0 in depths else np.inf)
        ends = host.x + sketch.away * (near - 0.12 * sketch.thick), host.x + sketch.away * max(depths)
        if turns:
            solid = cylinder(*ends, radius)
        else:  # a square pin, which does not rotate
            size = (2 * radius, 2 * radius, float(np.linalg.norm(ends[1] - ends[0])))
            solid = box((ends[0] + ends[1]) / 2, host.A.T, size)
    elif (translations, turns) == (0, 1) and not joint.threaded:
        solid = cylinder(host.x - axis * 2 * sketch.unit, host.x + axis * 2 * sketch.unit, radius)
    else:
        found = joint_solid(joint, host, sketch.unit)
        if found is None:
            return parts
        solid = found
    parts.append(sketch.on(host, solid, colours.PIN))
    if "ground" in (first.body, second.body) and translations < 2:
        parts.append(foot(sketch, first if first.body == "ground" else second))
    return parts


@parts_of_joint.register
def _(joint: BodyCut | ModesCut, sketch: Sketch) -> list[Part]:
    """Return nothing: a body that is cut is one body for the eye."""
    return []


@parts_of_joint.register
def _(joint: Fixed, sketch: Sketch) -> list[Part]:
    """Return a clamp on the ground."""
    first, second = sketch.frames[joint.name]
    sides = (second, first) if first.body == "ground" else (first, second)
    return [_clamp(sketch, *sides)] if sides[1].body == "ground" else []


@parts_of_joint.register
def _(joint: Distance, sketch: Sketch) -> list[Part]:
    """Return a rod."""
    first, second = sketch.frames[joint.name]
    return [Rod((sketch.end(first), sketch.end(second)), 0.45 * sketch.unit, colours.PIN)]


@parts_of_joint.register
def _(joint: PathJoint, sketch: Sketch) -> list[Part]:
    """Return the line of a rigid body, and what slides on it: a ball, or a sleeve along the line."""
    first, second = sketch.frames[joint.name]
    parts: list[Part] = []
    if first.body not in sketch.flexible:
        assert first.path is not None
        line = first.path.place(np.linspace(0.0, first.path.length, LINE_POINTS)) + sketch.depth(first.body)
        parts.append(sketch.on(first, tube(line, 0.35 * sketch.unit), colours.GROUND))
    x, axis = second.x + sketch.depth(first.body), second.A[:, 2]
    _, turns = count_free_motions(joint)
    if turns == 3:
        solid = sphere(x, 0.9 * sketch.unit)
    else:
        solid = cylinder(x - 1.5 * sketch.unit * axis, x + 1.5 * sketch.unit * axis, 0.8 * sketch.unit)
    return [*parts, sketch.on(second, solid, colours.PIN)]


@parts_of_joint.register
def _(joint: CamJoint, sketch: Sketch) -> list[Part]:
    """Return what follows a cam, whose outline its body shows."""
    return parts_of_cam(sketch, joint)


def _on_plane(sketch: Sketch, joint) -> list[Part]:
    """Return a plate on the first body, and the part of the second body that slides on it."""
    first, second = sketch.frames[joint.name]
    places = []
    for poses in sketch.samples:
        pose = poses[first.body]
        places.append((pose.Q.T @ (sketch.place(second, poses) - pose.c) - first.x) @ first.A[:, :2])
    plate = plane_solid(first, np.array(places), sketch.unit)
    colour = colours.GROUND if first.body == "ground" else colours.PLAIN
    parts: list[Part] = [sketch.on(first, plate, colour)]
    solid = joint_solid(joint, second, sketch.unit)
    return [*parts, sketch.on(second, solid, colours.PIN)] if solid is not None else parts


def rail_of(sketch: Sketch, joint, way: tuple[float, float]) -> Rigid:
    """Return the rail of a block, as long as the range of its motion."""
    rail, block = sketch.rail_and_block(joint)
    axis = rail.A[:, 2]
    width = half_width(sketch, block.body)
    ends = [way[0], way[1], *(at for at, _ in stops_of(sketch, joint))]
    low, high = min(ends) - 4 * width, max(ends) + 4 * width
    center = rail.x + axis * (low + high) / 2 + sketch.depth(rail.body)
    side = across(sketch, axis)
    size = (high - low, 0.9 * width, 0.5 * sketch.thick if sketch.normal is not None else 0.9 * width)
    return sketch.on(rail, box(center, np.stack([axis, side, np.cross(axis, side)]), size), colours.GROUND)


def stops_of(sketch: Sketch, joint) -> list[tuple[float, float]]:
    """Return the limits of the slide of a joint, m along its rail, with their side (-1 or 1), without distant ones."""
    rail = sketch.rail_and_block(joint)[0]
    sign = 1.0 if rail is sketch.frames[joint.name][0] else -1.0
    way = sketch.slides[joint.name] or (0.0, 0.0)
    found, far = [], 3 * sketch.extent
    for element in sketch.system.elements:
        along, which = element.coordinate or (None, "")
        if along is None or (along.name, which) != (joint.name, "slide"):
            continue
        stops = [symbol.numbers for symbol in element.symbols(sketch.bodies) if symbol.name == "stop"]
        for at, side in ((at, side) for ends in stops for at, side in zip(ends, (-1, 1), strict=True)):
            if np.isfinite(at) and way[0] - far < sign * at < way[1] + far:
                found.append((sign * at, sign * side))
    return found


def _stops(sketch: Sketch, joint) -> list[Part]:
    """Return the stops on a rail where a block of its size touches them."""
    rail, block = sketch.rail_and_block(joint)
    axis, width = rail.A[:, 2], half_width(sketch, block.body)
    side = across(sketch, axis)
    thick = 0.9 * sketch.thick if sketch.normal is not None else 2.4 * width
    parts: list[Part] = []
    for at, way in stops_of(sketch, joint):
        center = rail.x + axis * (at + way * 2.65 * width) + sketch.depth(rail.body)
        solid = box(center, np.stack([axis, side, np.cross(axis, side)]), (0.7 * width, 2.4 * width, thick))
        parts.append(sketch.on(rail, solid, colours.STOP))
    return parts


def _clamp(sketch: Sketch, held, ground) -> Rigid:
    """Return the wall that holds a body at a point, a small one if this is the middle of the body."""
    body = sketch.bodies[held.body]
    part = sketch.flexible.get(held.body)
    cloud = part.x if part is not None else sketch.own_points(body)[0]
    inward = (cloud - held.x).mean(axis=0)
    size = np.linalg.norm(inward)
    amid = size <= 1e-6 * sketch.extent  # a wall as wide as the body would hide it
    inward = sketch.up if amid else inward / size
    a, b, axis = perpendicular(inward)
    if sketch.normal is not None and abs(inward @ sketch.away) < 0.9:
        b = sketch.away - inward * (inward @ sketch.away)
        b /= np.linalg.norm(b)
        a = np.cross(b, axis)
    near = (cloud - held.x)[(np.abs((cloud - held.x) @ inward) < 2 * sketch.unit) & (not amid)]
    reach = [max(3.5 * sketch.unit, 1.5 * np.abs(near @ e).max(initial=0.0) + sketch.unit) for e in (a, b)]
    thick = 1.4 * sketch.unit
    return Rigid(
        "ground",
        box(ground.x - 0.5 * thick * inward, np.stack([a, b, axis]), (2 * reach[0], 2 * reach[1], thick)),
        colours.GROUND,
    )


def foot(sketch: Sketch, frame, width: float | None = None, inward: np.ndarray | None = None) -> Rigid:
    """Return a bearing block on the ground, below a joint or on the side away from ``inward`` (3,)."""
    size = half_width(sketch, "ground") if width is None else width
    axis = sketch.away if sketch.normal is not None else frame.A[:, 2]
    if inward is None:
        down = -(sketch.up - axis * (sketch.up @ axis))
    else:
        axis, down = _square(sketch, axis, -inward)
    if np.linalg.norm(down) < 0.3:
        half = axis * 0.6 * size
        return Rigid("ground", cylinder(frame.x - 2 * half, frame.x, 2.4 * size), colours.GROUND)
    down = down / np.linalg.norm(down)
    right = np.cross(axis, down)
    angle = np.linspace(0, np.pi, 17)[:, None]
    top = 1.5 * size * (np.cos(angle) * right - np.sin(angle) * down)
    outline = np.concatenate(
        [top, [-2.3 * size * right + 3.4 * size * down, 2.3 * size * right + 3.4 * size * down]]
    )
    center = frame.x + sketch.depth("ground")
    thick = 0.6 * sketch.thick if sketch.normal is not None else 1.6 * size
    base = box(center + 3.7 * size * down, np.stack([right, down, axis]), (7 * size, 0.6 * size, thick))
    return Rigid("ground", joined(prism(outline, axis, thick, center), base), colours.GROUND)


def _square(sketch: Sketch, axis: np.ndarray, outward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the axis of a block and that one of up, down and sideways which is closest to ``outward``."""
    if sketch.normal is None:
        side, other, _ = perpendicular(sketch.up)
        ways = [sketch.up, -sketch.up, side, -side, other, -other]
    else:
        side = np.cross(axis, sketch.up)
        ways = [sketch.up, -sketch.up, side, -side]
    down = ways[int(np.argmax([outward @ way for way in ways]))]
    return (axis, down) if sketch.normal is not None else (perpendicular(down)[0], down)

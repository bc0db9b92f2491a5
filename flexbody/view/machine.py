"""From a result to the parts of a picture: bodies without a mesh get a sensible solid, joints a symbol.

A plane machine is drawn like a real one: the bars lie behind each other in layers, connected by pins, so that
no bar hides in a flexible body. In space, bars are round and lie where they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bodies import FlexibleBody
from ..forces import SpringDamper
from ..joints import Cylindrical, Fixed, Joint, PointOnLine, Prismatic, Revolute
from . import colours
from .camera import camera_for, plane_normal, upward
from .flexible import attachments, flexible_part
from .forces import arrows_of
from .motion import Motion
from .parts import Flexible, Part, Rigid, Spring, Trace
from .shapes import Solid, box, capsule, cylinder, inertia_block, joined, plate, prism, sphere
from .symbols import Rod, freedom, joint_solid

SLIDING = (Prismatic, Cylindrical, PointOnLine)


@dataclass(frozen=True)
class Scene:
    """All parts of a picture, and what a camera must know of the motion."""

    parts: list[Part]
    motion: Motion
    normal: np.ndarray | None  # of the plane of motion
    up: np.ndarray
    largest_force: float = 0.0  # of the arrows, N

    @property
    def flexible(self) -> list[Flexible]:
        """The parts that deform."""
        return [part for part in self.parts if isinstance(part, Flexible)]


class _Sketch:
    """Sizes, layers and places that the drawing of one machine shares."""

    def __init__(self, result, motion: Motion, scale: float) -> None:
        self.system, self.motion = result.system, motion
        self.bodies = {body.name: body for body in result.system.bodies}
        self.joints = [joint for joint in result.system.joints if isinstance(joint, Joint)]
        self.springs = [force for force in result.system.forces if isinstance(force, SpringDamper)]
        self.samples = [motion.at(time) for time in motion.times(60)]
        self.frames = {joint.name: joint.frames(self.bodies) for joint in self.joints}
        self.flexible = self._flexible_parts(scale)
        tracks = self._tracks()
        self.normal = plane_normal(tracks)
        self.up = upward(result.system.gravity)
        camera = camera_for("motion", self.normal, self.up)
        self.away = camera.forward
        if self.normal is not None:
            self.up = camera.up  # what is up in the plane of motion
        self.extent = self._extent(tracks)
        self.unit = 0.02 * self.extent
        self.pins = {joint.name: self._pin_radius(joint) for joint in self.joints}
        self.slides = {joint.name: self._slide(joint) for joint in self.joints}
        self.thick = 1.1 * self.unit
        self.layers = self._layers() if self.normal is not None else {}

    def place(self, frame, poses) -> np.ndarray:
        """Return where a joint's frame is, (3,), m, inertial."""
        pose = poses[frame.body]
        return pose.c + pose.Q @ (frame.x + frame.Phi @ pose.alpha)

    def _tracks(self) -> np.ndarray:
        """Return the paths of joints, markers and centres, (nt, k, 3), m."""
        frames = [frame for pair in self.frames.values() for frame in pair]
        frames += [frame for spring in self.springs for frame in spring.frames(self.bodies)]
        tracks = [[self.place(frame, poses) for frame in frames] for poses in self.samples]
        centres = [[poses[name].c for name in self.bodies] for poses in self.samples]
        return np.concatenate([np.reshape(tracks, (len(self.samples), -1, 3)), centres], axis=1)

    def _extent(self, tracks: np.ndarray) -> float:
        points = [tracks.reshape(-1, 3)]
        points += [part.points(self.samples[0])[::7] for part in self.flexible.values()]
        every = np.concatenate(points)
        size = float(np.linalg.norm(every.max(axis=0) - every.min(axis=0)))
        return size if size > 0 else 1.0

    def _flexible_parts(self, scale: float) -> dict[str, Flexible]:
        found = {}
        for name, body in self.bodies.items():
            if isinstance(body, FlexibleBody):
                part = flexible_part(body, attachments(self.system, name), scale)
                if part is not None:
                    found[name] = part
        return found

    def _pin_radius(self, joint) -> float:
        """Return the radius of the hole that a flexible body has at the joint, else a share of the extent."""
        for frame in self.frames[joint.name]:
            part = self.flexible.get(frame.body)
            if part is not None:
                reach = float(np.linalg.norm(part.x - frame.x, axis=1).min())
                if 0.2 * self.unit < reach < 4 * self.unit:
                    return 0.96 * reach
        return 0.55 * self.unit

    def rail_and_block(self, joint) -> tuple:
        """Return the frames of a sliding joint: the one that is drawn as a rail, and the block's."""
        rail, block = self.frames[joint.name]
        return (block, rail) if block.body == "ground" else (rail, block)

    def _slide(self, joint) -> tuple[float, float] | None:
        """Return from where to where a joint slides along its axis, m, or None if it only turns."""
        if not isinstance(joint, SLIDING):
            return None
        rail, block = self.rail_and_block(joint)
        way = []
        for poses in self.samples:
            pose = poses[rail.body]
            way.append(float((pose.Q.T @ (self.place(block, poses) - pose.c) - rail.x) @ rail.A[:, 2]))
        if not isinstance(joint, Prismatic) and max(way) - min(way) < 1e-3 * self.extent:
            return None
        return min(way), max(way)

    def _layers(self) -> dict[str, float]:
        """Return the depth of every body's plane behind the flexible bodies, m."""
        touching: dict[str, set[str]] = {name: set() for name in self.bodies}
        for first, second in self.frames.values():
            if first.body in touching and second.body in touching:
                touching[first.body].add(second.body)
                touching[second.body].add(first.body)
        layer = {name: 0 for name, part in self.flexible.items()}
        for name in self.bodies:
            if name not in layer:
                taken = {layer[other] for other in touching[name] if other in layer}
                layer[name] = next(k for k in range(len(self.bodies) + 1) if k not in taken)
        half = self.thick / 2
        for part in self.flexible.values():
            depth = part.x @ self.away
            half = max(half, float(np.ptp(depth)) / 2)
        step = [0.0] + [
            half + self.thick * (0.62 + 1.12 * k) for k in range(max(layer.values(), default=0) + 1)
        ]
        self.ground_depth = step[max(layer.values(), default=0) + 1] + 0.2 * self.thick
        self.front = -half
        return {name: step[k] for name, k in layer.items()}

    def depth(self, name: str) -> np.ndarray:
        """Return how far behind its joints a body is drawn, (3,), m."""
        if self.normal is None:
            return np.zeros(3)
        return self.away * (self.ground_depth if name == "ground" else self.layers[name])

    def own_points(self, body) -> tuple[np.ndarray, list[float]]:
        """Return where joints, springs and markers are on a body, (k, 3), in its base, and its widths."""
        found = [
            (f.x, self.pins[name]) for name, pair in self.frames.items() for f in pair if f.body == body.name
        ]
        found += [(f.x, 0.0) for s in self.springs for f in s.frames(self.bodies) if f.body == body.name]
        named = body.reduced.markers if isinstance(body, FlexibleBody) else body.markers
        found += [(body.marker(name)[0], 0.0) for name in named]
        kept: list[tuple[np.ndarray, float]] = []
        for x, radius in found:
            if all(np.linalg.norm(x - y) > 1e-3 * self.extent for y, _ in kept):
                kept.append((x, max(self.unit, 1.4 * radius)))
        return np.array([x for x, _ in kept]).reshape(-1, 3), [radius for _, radius in kept]


def scene_of(result, scale: float = 1.0, trace: tuple = (), forces: Any = ()) -> Scene:
    """Return everything that a picture of a result shows.

    scale : factor on the drawn deformation. trace : bodies or named frames whose paths are drawn. forces : joints
    and loads whose forces are drawn as arrows; True for all.
    """
    motion = Motion(result)
    sketch = _Sketch(result, motion, scale)
    parts: list[Part] = []
    rigid = [body for body in result.system.bodies if body.name not in sketch.flexible]
    for k, body in enumerate(rigid):
        parts.append(_rigid_body(sketch, body, colours.BODIES[k % len(colours.BODIES)]))
    parts += sketch.flexible.values()
    for joint in sketch.joints:
        parts += _joint(sketch, joint)
    for spring in sketch.springs:
        ends = tuple((f.body, f.x, f.Phi) for f in spring.frames(sketch.bodies))
        parts.append(Spring(ends, sketch.unit, colours.SPRING))
    for item in trace:
        parts.append(Trace(np.asarray(result.position(item)), 0.12 * sketch.unit, colours.TRACE))
    before = sketch.away * (sketch.front - sketch.thick) if sketch.normal is not None else np.zeros(3)
    arrows, largest = arrows_of(result, motion, forces, sketch.extent, 0.25 * sketch.unit, before)
    return Scene([*parts, *arrows], motion, sketch.normal, sketch.up, largest)


def _half_width(sketch: _Sketch, body_name: str) -> float:
    pins = [
        sketch.pins[name] for name, pair in sketch.frames.items() if body_name in (pair[0].body, pair[1].body)
    ]
    return max(sketch.unit, *(1.45 * r for r in pins)) if pins else sketch.unit


def _rigid_body(sketch: _Sketch, body, colour) -> Rigid:
    """Bars between the joints, a block at a slide; a block of the body's inertia if there is nothing else."""
    points, radii = sketch.own_points(body)
    width = _half_width(sketch, body.name)
    depth = sketch.depth(body.name)
    solids: list[Solid] = []
    for joint in sketch.joints:
        frame = _slides_on(sketch, joint, body.name)
        if frame is not None:
            axis = frame.A[:, 2]
            side = _across(sketch, axis)
            size = (4.6 * width, 3.1 * width, sketch.thick if sketch.normal is not None else 3.1 * width)
            solids.append(box(frame.x + depth, np.stack([axis, side, np.cross(axis, side)]), size))
    if len(points) == 1 and not solids and np.linalg.norm(points[0]) > 1e-3 * sketch.extent:
        points, radii = np.concatenate([points, np.zeros((1, 3))]), [*radii, sketch.unit]
        solids.append(_ball(sketch, depth, 2.2 * width))  # a pendulum: to the centre of mass
    if len(points) >= 2:
        solids += [
            _bar(sketch, points[i] + depth, points[j] + depth, (radii[i], radii[j]))
            for i, j in _pairs(points)
        ]
    if not solids:
        tensor = body.inertia_tensor if hasattr(body, "inertia_tensor") else np.eye(3)
        solid = inertia_block(body.mass, tensor, depth)
        grow = max(1.0, 4 * width / np.ptp(solid[0], axis=0).max())
        solids.append(((solid[0] - depth) * grow + depth, solid[1]))
    return Rigid(body.name, joined(*solids), colour)


def _pairs(points: np.ndarray) -> list[tuple[int, int]]:
    """Return which points bars go between: all pairs of up to three, else a chain closed on itself."""
    n = len(points)
    if n == 2:
        return [(0, 1)]
    return [(k, (k + 1) % n) for k in range(n)]


def _bar(sketch: _Sketch, start: np.ndarray, end: np.ndarray, radii: tuple[float, float]) -> Solid:
    if sketch.normal is not None and abs((end - start) @ sketch.away) < 0.1 * np.linalg.norm(end - start):
        return plate(start, end, sketch.away, radii, sketch.thick)
    return capsule(start, end, 0.8 * min(radii))


def _ball(sketch: _Sketch, center: np.ndarray, radius: float) -> Solid:
    if sketch.normal is None:
        return sphere(center, radius)
    half = sketch.away * 0.5 * sketch.thick
    return cylinder(center - half, center + half, radius)


def _across(sketch: _Sketch, axis: np.ndarray) -> np.ndarray:
    """Return a unit vector across an axis, in the plane of motion if there is one."""
    if sketch.normal is not None and abs(axis @ sketch.away) < 0.9:
        side = np.cross(sketch.away, axis)
    else:
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    return side / np.linalg.norm(side)


def _slides_on(sketch: _Sketch, joint, name: str):
    """Return the frame of body ``name`` in a sliding joint if the body is the block and not the rail."""
    if sketch.slides[joint.name] is None:
        return None
    block = sketch.rail_and_block(joint)[1]
    return block if block.body == name else None


def _joint(sketch: _Sketch, joint) -> list[Part]:
    """A pin or ball, a rail, and a foot where a joint stands on the ground."""
    first, second = sketch.frames[joint.name]
    parts: list[Part] = []
    if isinstance(joint, Fixed):
        return parts
    radius = sketch.pins[joint.name]
    way = sketch.slides[joint.name]
    if way is not None:
        return [_rail(sketch, joint, way)]
    if freedom(joint)[0] == 0 and _apart(sketch, first, second):
        ends = tuple((frame.body, frame.x, frame.Phi) for frame in (first, second))
        return [Rod(ends, 0.45 * sketch.unit, colours.PIN)]
    host = second if first.body == "ground" else first
    axis = host.A[:, 2] if isinstance(joint, Revolute) or sketch.normal is None else sketch.away
    if sketch.normal is not None and abs(axis @ sketch.away) > 0.9:
        depths = [sketch.depth(f.body) @ sketch.away for f in (first, second)]
        near = min(min(depths) - 0.6 * sketch.thick, sketch.front if 0.0 in depths else np.inf)
        pin = cylinder(
            host.x + sketch.away * (near - 0.12 * sketch.thick), host.x + sketch.away * max(depths), radius
        )
    elif isinstance(joint, Revolute):
        pin = cylinder(host.x - axis * 2 * sketch.unit, host.x + axis * 2 * sketch.unit, radius)
    else:
        symbol = joint_solid(joint, host, sketch.unit)
        if symbol is None:
            return parts
        pin = symbol
    parts.append(Rigid(host.body, pin, colours.PIN))
    if "ground" in (first.body, second.body):
        parts.append(_foot(sketch, first if first.body == "ground" else second))
    return parts


def _apart(sketch: _Sketch, first, second) -> bool:
    """Tell whether a joint's two points lie apart."""
    a, b = (sketch.place(frame, sketch.samples[0]) for frame in (first, second))
    return float(np.linalg.norm(b - a)) > 1e-3 * sketch.extent


def _rail(sketch: _Sketch, joint, way: tuple[float, float]) -> Rigid:
    """The line that a block slides on, as long as its way."""
    rail, block = sketch.rail_and_block(joint)
    axis = rail.A[:, 2]
    width = _half_width(sketch, block.body)
    low, high = way[0] - 4 * width, way[1] + 4 * width
    center = rail.x + axis * (low + high) / 2 + sketch.depth(rail.body)
    side = _across(sketch, axis)
    size = (high - low, 0.9 * width, 0.5 * sketch.thick if sketch.normal is not None else 0.9 * width)
    return Rigid(rail.body, box(center, np.stack([axis, side, np.cross(axis, side)]), size), colours.GROUND)


def _foot(sketch: _Sketch, frame) -> Rigid:
    """A bearing block on the ground, below the joint where there is a below."""
    width = _half_width(sketch, "ground")
    axis = sketch.away if sketch.normal is not None else frame.A[:, 2]
    down = -(sketch.up - axis * (sketch.up @ axis))
    if np.linalg.norm(down) < 0.3:
        half = axis * 0.6 * width
        return Rigid("ground", cylinder(frame.x - 2 * half, frame.x, 2.4 * width), colours.GROUND)
    down = down / np.linalg.norm(down)
    right = np.cross(axis, down)
    angle = np.linspace(0, np.pi, 17)[:, None]
    top = 1.5 * width * (np.cos(angle) * right - np.sin(angle) * down)
    outline = np.concatenate(
        [top, [-2.3 * width * right + 3.4 * width * down, 2.3 * width * right + 3.4 * width * down]]
    )
    center = frame.x + sketch.depth("ground")
    thick = 0.6 * sketch.thick if sketch.normal is not None else 1.6 * width
    base = box(center + 3.7 * width * down, np.stack([right, down, axis]), (7 * width, 0.6 * width, thick))
    return Rigid("ground", joined(prism(outline, axis, thick, center), base), colours.GROUND)

"""Common data for the drawing of one machine: sizes, layers and positions.

A plane machine is drawn like a real one: the bars are in layers, connected by pins, and force elements are in front of
them, so that a flexible body hides nothing. In space, everything is drawn at its position.
"""

from __future__ import annotations

import itertools

import numpy as np

from ...model.flexible_body import FlexibleBody
from ...model.forces import Load
from ...model.joints import Joint
from ...model.joints.cams import CamJoint, FaceOnGuideway
from ...model.sides import FrameData
from ...results.occurrences import is_on
from ..geometry.camera import DEPTH_LIMIT, camera_for, plane_normal, upward
from ..geometry.carried import Support
from ..geometry.colours import Colour
from ..geometry.flexible import flexible_part, rigid_part
from ..geometry.motion import Motion
from ..geometry.parts import Flexible, Rigid
from ..geometry.poses import Poses
from ..geometry.shapes import Solid, perpendicular
from .joint_solids import count_free_motions
from .stretched import End

#: A machine that moves so many times its size is drawn as large as it is, not as its way: in a still, which shows only
#: the machine, and in a film, which shows the way too. A point has no size.
MOVES_IN_STILL, MOVES_IN_FILM, A_POINT = 2.0, 4.0, 1e-3
#: A body that turns by more than this about an axis in the plane of its points does not move in that plane, rad.
LARGEST_TILT = 0.3


class Sketch:
    """Sizes, layers and positions for the drawing of one machine."""

    def __init__(self, result, motion: Motion, scale: float, time: float | None = None) -> None:
        self.system, self.motion = result.system, motion
        self.time = time  # s, of a still
        self.bodies = {body.name: body for body in result.system.bodies}
        self.joints = [joint for joint in result.system.joints if isinstance(joint, Joint)]
        self.result, self.scale = result, scale
        self.shrunk: dict[str, float] = {}  # factors on the sizes of bodies that are drawn too small
        self.springs = {
            element.name: element.frames(self.bodies)
            for element in result.system.elements
            if element.coordinate is None
        }
        self.springs |= {item.name: item.frames(self.bodies) for item in result.system.joints if item.shapes}
        self.samples = [motion.at(time) for time in motion.times(60)]
        self.frames = {joint.name: joint.frames(self.bodies) for joint in self.joints}
        self.support = Support(self.system, self.bodies)
        self.flexible = self._flexible_parts(scale)
        tracks = self._tracks()
        normal = plane_normal(tracks)
        if normal is None:
            normal = self._common_axis(tracks)
        self.normal = None if normal is None or self._tilts(normal) else normal
        self.up = upward(result.system.gravity)
        camera = camera_for("motion", self.normal, self.up)
        self.away = camera.forward
        if self.normal is not None:
            self.up = camera.up  # the upward direction in the plane of motion
        self.extent = self._extent(tracks)
        self.unit = self._unit()
        self.pins = {joint.name: self._pin_radius(joint) for joint in self.joints}
        self.slides = {joint.name: self._slide(joint) for joint in self.joints}
        self.thick = 1.1 * self.unit
        self.layers = self._layers() if self.normal is not None else {}
        motion.scale, motion.carries = scale, self.support.carries()

    def _common_axis(self, tracks: np.ndarray) -> np.ndarray | None:
        """Return the axis of all hinges if the points (nt, k, 3) of a machine move across it only, as wheels do."""
        axes = [
            self.frames[joint.name][0].A[:, 2] for joint in self.joints if count_free_motions(joint) == (0, 1)
        ]
        if not axes or any(abs(axis @ axes[0]) < 1 - 1e-6 for axis in axes):
            return None
        across = np.stack(perpendicular(axes[0])[:2])
        width = np.ptp(tracks.reshape(-1, 3) @ across.T, axis=0).max()
        depth = np.ptp(tracks.reshape(-1, 3) @ axes[0])
        moved = np.ptp(tracks @ axes[0], axis=0).max()
        return axes[0] if width > 0 and depth < DEPTH_LIMIT * width and moved < 0.02 * width else None

    def _tilts(self, normal: np.ndarray) -> bool:
        """Return whether a body turns about another axis than ``normal`` (3,), such as a shaft whose points stay."""
        ways = [
            np.linalg.norm((pose.Q - self.samples[0][name].Q) @ (self.samples[0][name].Q.T @ normal))
            for poses in self.samples
            for name, pose in poses.items()
        ]
        return bool(max(ways) > LARGEST_TILT)

    def is_shown(self, name: str) -> bool:
        """Return whether a joint, drive or force is on: at the time of a still, at some time of a film."""
        on = is_on(name, len(self.motion.t), self.result.events, self.result.switched_off)
        if self.time is None:
            return bool(on.any())
        return bool(on[np.searchsorted(self.motion.t, self.time, side="right") - 1])

    @property
    def seen(self) -> list[Poses]:
        """The poses that are seen: that of a still, those of the run."""
        return self.samples if self.time is None else [self.motion.at(self.time)]

    def place(self, frame, poses) -> np.ndarray:
        """Return the position of the frame of a joint, (3,), m, inertial base."""
        pose = poses[frame.body]
        return pose.c + pose.Q @ (frame.x + frame.Phi @ pose.alpha)

    def start(self, name: str) -> np.ndarray:
        """Return the drawn position of the reference point of a body, (3,), m."""
        return self.bodies[name].start if name in self.bodies else np.zeros(3)

    def drawn(self, frame: FrameData) -> FrameData:
        """Return a frame as a picture shows it: on a flexible body with its enlarged deformation."""
        if self.scale == 1:
            return frame
        shift, turn = self.growth(frame)
        grow = self.scale - 1
        return frame._replace(Phi=frame.Phi + grow * shift, B=frame.B + grow * turn)

    def growth(self, frame: FrameData) -> tuple[np.ndarray, np.ndarray]:
        """Return the growth of a frame's displacement and rotation (3, N) if the deformation factor grows by one."""
        if frame.body not in self.flexible:
            return 0 * frame.Phi, 0 * frame.B
        held = self.support.held(frame.body)
        rigid, turn = rigid_part(self.bodies[frame.body], held, frame.x[None])
        return frame.Phi - rigid[0], frame.B - turn

    def end(self, frame: FrameData, offset: np.ndarray | None = None) -> End:
        """Return the end of a symbol at a frame."""
        shown, shift = self.drawn(frame), np.zeros(3) if offset is None else offset
        return End(frame.body, frame.x, shown.Phi, shift, self.growth(frame)[0])

    def on(self, frame: FrameData, solid: Solid, colour: Colour, lined: bool = True) -> Rigid:
        """Return a solid, in the base of its body, that moves with a frame."""
        shown = self.drawn(frame)
        return Rigid(frame.body, solid, colour, lined, frame.x, shown.Phi, shown.B, self.growth(frame)[0])

    @property
    def before(self) -> np.ndarray:
        """Vector from the plane of motion to the plane of the force elements, in front of everything, (3,), m."""
        return np.zeros(3) if self.normal is None else self.away * (self.front - 1.2 * self.unit)

    def _tracks(self) -> np.ndarray:
        """Return the paths of joints, markers and centres of mass, (nt, k, 3), m."""
        frames = [frame for pair in self.frames.values() for frame in pair]
        frames += [frame for pair in self.springs.values() for frame in pair]
        tracks = [[self.place(frame, poses) for frame in frames] for poses in self.samples]
        centres = [[poses[name].c for name in self.bodies] for poses in self.samples]
        return np.concatenate([np.reshape(tracks, (len(self.samples), -1, 3)), centres], axis=1)

    def _extent(self, tracks: np.ndarray) -> float:
        points = [tracks.reshape(-1, 3)]
        points += [part.points(self.samples[0])[::7] for part in self.flexible.values()]
        pairs = [*self.frames.values(), *self.springs.values()]
        points += [self._line(frame) for frame, *_ in pairs if frame.path is not None]
        every = np.concatenate(points)
        size = float(np.linalg.norm(every.max(axis=0) - every.min(axis=0)))
        own = self._own_size(tracks)
        moves = MOVES_IN_FILM if self.time is None else MOVES_IN_STILL
        if A_POINT * size < own < size / moves:
            return own
        return size if size > 0 else 1.0

    def _own_size(self, tracks: np.ndarray) -> float:
        """Return the size of the machine without the ground, usually, m; 0 for one body without a surface."""
        sizes = [float(np.linalg.norm(np.ptp(part.x, axis=0))) for part in self.flexible.values()]
        if len(self.bodies) > 1:
            owners = [f.body for pair in (*self.frames.values(), *self.springs.values()) for f in pair]
            moving = np.array([*(owner != "ground" for owner in owners), *(True for _ in self.bodies)])
            sizes.append(float(np.median(np.linalg.norm(np.ptp(tracks[:, moving], axis=1), axis=-1))))
        return max(sizes, default=0.0)

    def _unit(self) -> float:
        """Return half the width of a bar, m: a fiftieth of the machine, less where its bodies are as short as that."""
        sizes = []
        for name in self.bodies:
            places = [frame.x for pair in self.frames.values() for frame in pair if frame.body == name]
            if len(places) > 1:
                sizes.append(float(np.linalg.norm(np.ptp(places, axis=0))))
        long = [size for size in sizes if size > 1e-3 * self.extent]
        usual = 0.02 * self.extent
        return float(np.clip(0.3 * np.median(long), 0.4 * usual, usual)) if long else usual

    def _line(self, frame: FrameData) -> np.ndarray:
        """Return points of a guideway where its body is at first, (k, 3), m."""
        assert frame.path is not None
        pose = self.samples[0][frame.body]
        line: np.ndarray = pose.c + frame.path.place(np.linspace(0, frame.path.length, 25)) @ pose.Q.T
        return line

    def _flexible_parts(self, scale: float) -> dict[str, Flexible]:
        found = {}
        for name, body in self.bodies.items():
            if isinstance(body, FlexibleBody):
                part = flexible_part(body, self.support.held(name), scale)
                if part is not None:
                    found[name] = part
        return found

    def _pin_radius(self, joint) -> float:
        """Return the radius of the hole of a flexible body at the joint, otherwise a fraction of the extent."""
        for frame in self.frames[joint.name]:
            part = self.flexible.get(frame.body)
            if part is not None:
                reach = float(np.linalg.norm(part.x - frame.x, axis=1).min())
                if 0.2 * self.unit < reach < 4 * self.unit:
                    return 0.96 * reach
        return 0.55 * self.unit

    def rail_and_block(self, joint) -> tuple:
        """Return the frames of a sliding joint: that of the rail and that of the block."""
        rail, block = self.frames[joint.name]
        return (block, rail) if block.body == "ground" else (rail, block)

    def _slide(self, joint) -> tuple[float, float] | None:
        """Return the range in which a joint slides along its axis, m, or None if it does not slide."""
        if count_free_motions(joint)[0] != 1 or self.frames[joint.name][0].path is not None:
            return None
        rail, block = self.rail_and_block(joint)
        way = []
        for poses in self.samples:
            pose = poses[rail.body]
            way.append(float((pose.Q.T @ (self.place(block, poses) - pose.c) - rail.x) @ rail.A[:, 2]))
        hidden = self.normal is not None and abs(rail.A[:, 2] @ self.away) > 0.9  # along the view
        if (len(joint.free) > 1 or hidden) and max(way) - min(way) < 1e-3 * self.extent:
            return None
        return min(way), max(way)

    def _layers(self) -> dict[str, float]:
        """Return the depth of the plane of each body behind the flexible bodies, m."""
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
        self.front = -half  # along the camera's direction
        return {name: step[k] for name, k in layer.items()}

    def depth(self, name: str) -> np.ndarray:
        """Return the vector from the joints of a body to its layer, (3,), m."""
        if self.normal is None:
            return np.zeros(3)
        return self.away * (self.ground_depth if name == "ground" else self.layers[name])

    def _loaded(self, name: str) -> list[np.ndarray]:
        """Return the points of a body where forces act on it, (3,), m, in its base."""
        loads = [load for load in self.system.forces if isinstance(load, Load) and not load.is_moment]
        frames = [frame for load in loads for frame in load.frames(self.bodies)]
        return [frame.x for frame in frames if frame.body == name]

    def _ends_of_bars(self, joint: Joint, name: str) -> list[np.ndarray]:
        """Return where bars of a body reach a joint, (3,), m: not to the outline of a cam, and above a flat face."""
        first, second = self.frames[joint.name]
        found = [first.x] if first.body == name and not self.is_cam(joint) else []
        if second.body == name:
            found.append(
                second.x + self.unit * second.A[:, 1] if isinstance(joint, FaceOnGuideway) else second.x
            )
        return found

    def is_cam(self, joint: Joint) -> bool:
        """Return whether a joint has a closed line, whose body is drawn with its outline."""
        return isinstance(joint, CamJoint) and joint.line(self.bodies).closed

    def own_points(self, body) -> tuple[np.ndarray, list[float]]:
        """Return the positions of joints, springs and markers on a body, (k, 3), in its base, and its widths."""
        found = [
            (x, self.pins[joint.name]) for joint in self.joints for x in self._ends_of_bars(joint, body.name)
        ]
        found += [(f.x, 0.0) for pair in self.springs.values() for f in pair if f.body == body.name]
        found += [(body.marker(name)[0], 0.0) for name in body.marker_names]
        if len(found) > 1:
            found += [
                (x, 0.0) for x in self._loaded(body.name) if _off(x, [y for y, _ in found]) > 2 * self.unit
            ]
        kept: list[tuple[np.ndarray, float]] = []
        for x, radius in found:
            if all(np.linalg.norm(x - y) > 1e-3 * self.extent for y, _ in kept):
                kept.append((x, max(self.unit, 1.4 * radius)))
        return np.array([x for x, _ in kept]).reshape(-1, 3), [radius for _, radius in kept]


def _off(x: np.ndarray, points: list[np.ndarray]) -> float:
    """Return the distance of a point (3,) from the nearest bar between two of the points, m."""
    away = []
    for a, b in itertools.combinations(points, 2):
        along = b - a
        part = np.clip((x - a) @ along / max(along @ along, 1e-300), 0.0, 1.0)
        away.append(float(np.linalg.norm(x - a - part * along)))
    return min(away)

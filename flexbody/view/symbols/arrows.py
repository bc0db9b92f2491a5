"""Straight arrows for forces and curved arrows for moments; their length shows the magnitude."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..geometry.colours import Colour
from ..geometry.parts import Anchor, Part, Surface
from ..geometry.poses import Poses
from ..geometry.shapes import Solid, arrow, band, cone, cylinder, joined, perpendicular, tube

#: Angle of the longest curved arrow of a run, rad.
LONGEST_ARC = 4.7
#: Radius of the spoke of a curved arrow relative to that of its shaft.
SPOKE_RADIUS = 0.4


class _OnFrame(Part):
    """A part at a frame of a body, drawn in front of all others."""

    frame: Any
    offset: np.ndarray
    growth: np.ndarray | None
    shift: str

    layer = 2

    def start(self, poses: Poses) -> np.ndarray:
        """Return the point of action as it is drawn, (3,), m, inertial base."""
        pose = poses[self.frame.body]
        at: np.ndarray = pose.c + pose.Q @ (self.frame.x + self.frame.Phi @ pose.alpha) + self.offset
        return at + poses[self.shift].alpha if self.shift else at

    @property
    def anchors(self) -> list[Anchor]:
        """The body of the frame."""
        return [Anchor(self.frame.body, self.frame.x, self.growth)]


@dataclass(frozen=True, eq=False)
class Arrow(_OnFrame):
    """A force at a frame of a body; ``name`` is its channel in the motion, (3,) N, inertial components."""

    name: str
    frame: Any  # body, x (3,), Phi (3, N)
    offset: np.ndarray  # (3,) m, shift of the drawing
    scale: float  # m/N
    least: float  # m, length of small forces
    none: float  # m, length to scale below which nothing is drawn
    radius: float
    colour: Colour
    growth: np.ndarray | None = None  # (3, N) growth of Phi if the deformation factor grows by one
    shift: str = ""  # channel of the way from the frame to the point of action, (3,) m, inertial components
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        points, triangles = arrow(np.zeros(3), np.array([0.0, 0.0, 20 * self.radius]), self.radius)
        object.__setattr__(self, "surface", Surface.of(points, triangles).without_edges())

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base; all coincide if the force is almost zero."""
        at = self.start(poses)
        along = self.scale * poses[self.name].alpha
        length = float(np.linalg.norm(along))
        if length <= self.none:
            return np.tile(at, (len(self.surface.source), 1))
        along = along * max(1.0, self.least / length)
        radius = min(self.radius, max(length, self.least) / 8)  # short arrows are thin
        return arrow(at, at + along, radius)[0][self.surface.source]


@dataclass(frozen=True, eq=False)
class Arc(_OnFrame):
    """A moment at a frame of a body, as an arrow about its axis; ``name`` is its channel in the motion, (3,) Nm."""

    name: str
    frame: Any  # body, x (3,), Phi (3, N)
    offset: np.ndarray  # (3,) m, shift of the drawing
    scale: float  # rad/Nm
    least: float  # rad, angle of small moments
    none: float  # rad, angle to scale below which nothing is drawn
    circle: float  # m, radius of the arrow's circle
    radius: float
    colour: Colour
    growth: np.ndarray | None = None  # (3, N) growth of Phi if the deformation factor grows by one
    shift: str = ""  # channel of the way from the frame to the point of action, (3,) m, inertial components
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        points, triangles = moment_arrow(
            np.zeros(3), np.array([0.0, 0.0, 1.0]), self.circle, self.radius, 4.0
        )
        object.__setattr__(self, "surface", Surface.of(points, triangles).without_edges())

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base; all coincide if the moment is almost zero."""
        at = self.start(poses)
        moment = poses[self.name].alpha
        sweep = self.scale * float(np.linalg.norm(moment))
        if sweep <= self.none:
            return np.tile(at, (len(self.surface.source), 1))
        sweep = max(sweep, self.least)
        return moment_arrow(at, moment, self.circle, self.radius, sweep)[0][self.surface.source]


def curved_arrow(center: np.ndarray, axis: np.ndarray, circle: float, radius: float, sweep: float) -> Solid:
    """Return an arrow on a circle (m) about ``axis`` with the angle ``sweep`` (rad) and this shaft radius."""
    x, y, _ = perpendicular(axis)
    head = min(7.0 * radius / circle, 0.6 * sweep)

    def ray(angle):
        return np.cos(angle) * x + np.sin(angle) * y

    base = sweep - head
    shaft = tube(center + circle * ray(np.linspace(0, base + 0.1 * head, 49)[:, None]), radius, 10)
    foot = center + circle * ray(base)
    direction = ray(base + np.pi / 2) - 0.35 * head * ray(base)  # the head follows the circle
    return joined(
        shaft, cone(foot, foot + circle * head * direction / np.linalg.norm(direction), 2.8 * radius)
    )


def moment_arrow(center: np.ndarray, axis: np.ndarray, circle: float, radius: float, sweep: float) -> Solid:
    """Return a curved arrow with a thin spoke from its centre, the point of action, to its tail."""
    tail = center + circle * perpendicular(axis)[0]
    return joined(
        curved_arrow(center, axis, circle, radius, sweep), cylinder(center, tail, SPOKE_RADIUS * radius)
    )


def flat_curved_arrow(center: np.ndarray, axis: np.ndarray, circle: float, width: float) -> Solid:
    """Return a flat arrow with two heads along most of a circle (m) about ``axis``.

    ``width`` (m) is half the width of its shaft. It shows a motion. Curved arrows with one head show moments.
    """
    x, y, axis = perpendicular(axis)
    sweep, head = 4.4, min(4.0 * width / circle, 0.8)
    inner = np.linspace(head, sweep - head, 41)
    angle = np.concatenate([[0.0, head], inner, [sweep - head, sweep]])
    half = np.concatenate([[0.0, 2.3], np.ones(len(inner)), [2.3, 0.0]]) * width
    rays = np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y
    low, high = (center + (circle + s * half)[:, None] * rays for s in (-1, 1))
    return band(low, high, axis, 0.6 * width, closed=False)


def flat_arrow(start: np.ndarray, end: np.ndarray, axis: np.ndarray, width: float) -> Solid:
    """Return a flat straight arrow with two heads, normal to ``axis``; ``width`` (m) is half the width of its shaft."""
    along = end - start
    length = float(np.linalg.norm(along))
    along = along / length
    side = np.cross(axis, along)
    head = min(4.0 * width, 0.3 * length)
    place = np.array([0.0, head, head, length - head, length - head, length])[:, None]
    half = np.array([0.0, 2.3, 1.0, 1.0, 2.3, 0.0])[:, None] * width
    low, high = (start + place * along + s * half * side for s in (-1, 1))
    return band(low, high, axis, 0.6 * width, closed=False)

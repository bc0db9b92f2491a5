"""Symbols between two points of a machine: coils, bars, cylinders with their rods, bent beams, spirals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from ..geometry.colours import Colour
from ..geometry.parts import Anchor, Part, Surface
from ..geometry.poses import Poses
from ..geometry.shapes import Solid, cylinder, joined, perpendicular, sphere, tube

#: Smallest distance (m) of two points that define a direction.
MIN_DISTANCE = 1e-12


class End(NamedTuple):
    """A point that moves with a body: its position from the reference point, and its displacement rows."""

    body: str
    x: np.ndarray  # (3,) m
    Phi: np.ndarray  # (3, N)
    offset: np.ndarray = np.zeros(3)  # shift of the drawing, inertial components, m
    growth: np.ndarray | None = None  # (3, N) growth of Phi if the deformation factor grows by one


def place_of(end: End, poses: Poses) -> np.ndarray:
    """Return the position of an end, (3,), m, inertial base."""
    pose = poses[end.body]
    return pose.c + pose.Q @ (end.x + end.Phi @ pose.alpha) + end.offset


@dataclass(frozen=True, eq=False)
class Stretched(Part):
    """A solid between two ends whose length changes with their distance; base class."""

    ends: tuple[End, End]
    radius: float
    colour: Colour
    surface: Surface = field(init=False)

    smooth: ClassVar[float] = 180.0  # degrees; faces with smaller angles are shaded smoothly
    lined: ClassVar[bool] = False

    def __post_init__(self) -> None:
        surface = Surface.of(*self.solid(np.zeros(3), np.array([0.0, 0.0, 40 * self.radius])), self.smooth)
        object.__setattr__(self, "surface", surface if self.lined else surface.without_edges())

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the solid from a (3,) to b (3,), m, always with the same triangles."""
        raise NotImplementedError

    def places(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of both ends, (3,), m, inertial base."""
        a, b = (place_of(end, poses) for end in self.ends)
        return (a, b) if np.linalg.norm(b - a) > MIN_DISTANCE else (a, a + np.array([0.0, 0.0, MIN_DISTANCE]))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base."""
        return self.solid(*self.places(poses))[0][self.surface.source]

    @property
    def anchors(self) -> list[Anchor]:
        """The bodies of both ends."""
        return [Anchor(end.body, end.x, end.growth) for end in self.ends]

    def between_anchors(self, poses: Poses) -> np.ndarray:
        """Return the relative positions of the points between both ends, (n,), 0..1."""
        a, b = self.places(poses)
        return np.clip((self.points(poses) - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)


@dataclass(frozen=True, eq=False)
class Spring(Stretched):
    """A coil spring."""

    turns: int = 8

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the coil from a (3,) to b (3,), m."""
        length = float(np.linalg.norm(b - a))
        p, q, axis = perpendicular(b - a)
        s = np.linspace(0, 1, 24 * self.turns + 1)
        wave = np.clip((s - 0.12) / 0.76, 0, 1)
        swing = self.radius * np.clip(np.minimum(wave, 1 - wave) * 12, 0, 1)
        angle = 2 * np.pi * self.turns * wave
        line = a + length * s[:, None] * axis
        line = line + swing[:, None] * (np.cos(angle)[:, None] * p + np.sin(angle)[:, None] * q)
        return tube(line, self.radius / 7, 8)


@dataclass(frozen=True, eq=False)
class Strand(Stretched):
    """A straight round strand, such as that of a rope."""

    smooth: ClassVar[float] = 35.0

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the strand from a (3,) to b (3,), m."""
        return cylinder(a, b, self.radius)


@dataclass(frozen=True, eq=False)
class Rod(Stretched):
    """A straight bar with a ball at each end."""

    smooth: ClassVar[float] = 35.0

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the bar from a (3,) to b (3,), m."""
        return joined(cylinder(a, b, self.radius), sphere(a, 2 * self.radius), sphere(b, 2 * self.radius))


@dataclass(frozen=True, eq=False)
class Barrel(Stretched):
    """The barrel of a cylinder, ``length`` (m) long from the first end, with an eye there."""

    length: float = 0.0

    smooth: ClassVar[float] = 35.0
    lined: ClassVar[bool] = True

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the barrel of a cylinder from a (3,) to b (3,), m."""
        whole = float(np.linalg.norm(b - a))
        axis = (b - a) / whole
        start = min(1.2 * self.radius, 0.2 * whole)
        end = max(min(self.length, 0.97 * whole), start + 0.1 * whole)
        return joined(cylinder(a + start * axis, a + end * axis, self.radius), sphere(a, 0.75 * self.radius))


@dataclass(frozen=True, eq=False)
class Piston(Stretched):
    """The rod of a cylinder: from the second end, with an eye there, into the barrel, ``length`` (m) long."""

    length: float = 0.0

    smooth: ClassVar[float] = 35.0

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the rod of a cylinder from a (3,) to b (3,), m."""
        whole = float(np.linalg.norm(b - a))
        axis = (b - a) / whole
        start = min(0.9 * self.length, 0.9 * whole)
        return joined(cylinder(a + start * axis, b, self.radius), sphere(b, 1.7 * self.radius))


@dataclass(frozen=True, eq=False)
class BentBeam(Stretched):
    """A beam without mass as a tube along its elastic line, a cubic curve that is tangent to its frames.

    Parameters
    ----------
    axis : numpy.ndarray
        Direction of the beam in the drawn configuration, (3,), in the bases of the bodies of both ends.
    turning : tuple of numpy.ndarray
        Rotation rows of both ends, (3, N), in the bases of their bodies.
    scale : float
        Factor on the drawn deflection.
    """

    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    turning: tuple[np.ndarray, np.ndarray] = (np.zeros((3, 0)), np.zeros((3, 0)))
    scale: float = 1.0

    def _line(self, a: np.ndarray, b: np.ndarray, slopes: tuple[np.ndarray, np.ndarray]) -> Solid:
        """Return the tube from a to b; ``slopes`` are unit vectors (3,) along its ends."""
        along = b - a
        length = float(np.linalg.norm(along))
        s = np.linspace(0, 1, 33)[:, None]
        first, second = (self.scale * (length * e - along * (e @ along) / length) for e in slopes)
        bent = s * (1 - s) ** 2 * first - s**2 * (1 - s) * second
        return tube(a + s * along + bent, self.radius, 16)

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the straight beam from a (3,) to b (3,), m."""
        along = (b - a) / np.linalg.norm(b - a)
        return self._line(a, b, (along, along))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base."""
        slopes = []
        for end, B in zip(self.ends, self.turning, strict=True):
            pose = poses[end.body]
            slopes.append(pose.Q @ (self.axis + np.cross(B @ pose.alpha, self.axis)))
        return self._line(*self.places(poses), (slopes[0], slopes[1]))[0][self.surface.source]


@dataclass(frozen=True, eq=False)
class Spiral(Part):
    """A spiral spring about an axis, which winds up with an angle.

    Parameters
    ----------
    at : End
        Its centre.
    base : numpy.ndarray
        Axes as columns in the base of the body, (3, 3): x to the outer end, z along the axis.
    channel : str
        Name of the channel of the motion that holds the angle, rad.
    """

    at: End
    base: np.ndarray
    channel: str
    radii: tuple[float, float]  # inner, outer, m
    colour: Colour
    surface: Surface = field(init=False)

    turns: ClassVar[float] = 2.5

    def __post_init__(self) -> None:
        surface = Surface.of(*self._solid(np.zeros(3), self.base, 0.0), 180.0)
        object.__setattr__(self, "surface", surface.without_edges())

    def _solid(self, at: np.ndarray, base: np.ndarray, angle: float) -> Solid:
        s = np.linspace(0, 1, 161)[:, None]
        radius = self.radii[1] + s * (self.radii[0] - self.radii[1])
        phi = s * (2 * np.pi * self.turns + angle)
        line = at + radius * (np.cos(phi) * base[:, 0] + np.sin(phi) * base[:, 1])
        return tube(line, 0.07 * self.radii[1], 8)

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base."""
        angle = float(poses[self.channel].alpha[0])
        turned = poses[self.at.body].Q @ self.base
        return self._solid(place_of(self.at, poses), turned, angle)[0][self.surface.source]

    @property
    def anchors(self) -> list[Anchor]:
        """The body of its centre."""
        return [Anchor(self.at.body, self.at.x, self.at.growth)]

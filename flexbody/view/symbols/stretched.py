"""What is drawn between two points of a machine: coils, bars, cylinders with their rods, bent beams, spirals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from ..geometry.colours import Colour
from ..geometry.parts import Surface
from ..geometry.poses import Poses
from ..geometry.shapes import Solid, cylinder, joined, perpendicular, sphere, tube

#: points that are nearer than this (m) have no direction
NEAR = 1e-12


class End(NamedTuple):
    """A point that moves with a body: from its reference point in its base, and the part of its base functions."""

    body: str
    x: np.ndarray  # (3,) m
    Phi: np.ndarray  # (3, N)
    offset: np.ndarray = np.zeros(3)  # inertial, to where it is seen, m
    growth: np.ndarray | None = None  # (3, N) what Phi grows by when deformation is drawn once larger


def place_of(end: End, poses: Poses) -> np.ndarray:
    """Return where an end is, (3,), m, inertial."""
    pose = poses[end.body]
    return pose.c + pose.Q @ (end.x + end.Phi @ pose.alpha) + end.offset


@dataclass(frozen=True, eq=False)
class Stretched:
    """A solid between two ends, which changes its length with them. See the subclasses."""

    ends: tuple[End, End]
    radius: float
    colour: Colour
    surface: Surface = field(init=False)

    smooth: ClassVar[float] = 180.0  # degrees, to which faces are shaded as one
    lined: ClassVar[bool] = False

    def __post_init__(self) -> None:
        surface = Surface.of(*self.solid(np.zeros(3), np.array([0.0, 0.0, 40 * self.radius])), self.smooth)
        if not self.lined:
            surface = Surface(surface.source, surface.triangles, surface.edges[:0])
        object.__setattr__(self, "surface", surface)

    def solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        """Return the solid from a (3,) to b (3,), m; always the same triangles."""
        raise NotImplementedError

    def places(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends (3,), m, inertial."""
        a, b = (place_of(end, poses) for end in self.ends)
        return (a, b) if np.linalg.norm(b - a) > NEAR else (a, a + np.array([0.0, 0.0, NEAR]))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""
        return self.solid(*self.places(poses))[0][self.surface.source]

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: it shows its own colour."""
        return None


@dataclass(frozen=True, eq=False)
class Spring(Stretched):
    """A coil."""

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
class Bow(Stretched):
    """A beam without mass as a tube along its elastic line, a cubic that starts and ends along its frames.

    ``turning``: how base functions turn both ends (3, N) in their bodies' bases. axis : along the beam as drawn, in the
    bases of both ends' bodies, which are not turned as drawn. scale : factor on the drawn deflection.
    """

    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    turning: tuple[np.ndarray, np.ndarray] = (np.zeros((3, 0)), np.zeros((3, 0)))
    scale: float = 1.0

    def _line(self, a: np.ndarray, b: np.ndarray, slopes: tuple[np.ndarray, np.ndarray]) -> Solid:
        """Return the tube from a to b; ``slopes`` (3,) unit vectors along its ends."""
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
        """Return the surface's points (n, 3), m, inertial."""
        slopes = []
        for end, B in zip(self.ends, self.turning, strict=True):
            pose = poses[end.body]
            slopes.append(pose.Q @ (self.axis + np.cross(B @ pose.alpha, self.axis)))
        return self._line(*self.places(poses), (slopes[0], slopes[1]))[0][self.surface.source]


@dataclass(frozen=True, eq=False)
class Spiral:
    """A spiral spring about an axis, which winds up with an angle.

    at : its middle. base : (3, 3) columns in the bodies' base, as drawn; x to the outer end, z the axis. channel :
    under which name the motion holds the angle (rad).
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
        object.__setattr__(self, "surface", Surface(surface.source, surface.triangles, surface.edges[:0]))

    def _solid(self, at: np.ndarray, base: np.ndarray, angle: float) -> Solid:
        s = np.linspace(0, 1, 161)[:, None]
        radius = self.radii[1] + s * (self.radii[0] - self.radii[1])
        phi = s * (2 * np.pi * self.turns + angle)
        line = at + radius * (np.cos(phi) * base[:, 0] + np.sin(phi) * base[:, 1])
        return tube(line, 0.07 * self.radii[1], 8)

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""
        angle = float(poses[self.channel].alpha[0])
        turned = poses[self.at.body].Q @ self.base
        return self._solid(place_of(self.at, poses), turned, angle)[0][self.surface.source]

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: a spring shows its own colour."""
        return None

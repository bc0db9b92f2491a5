"""The things in a picture: each knows its surface, its colour and where its points are at a pose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from .colours import EDGE, Colour
from .motion import Poses
from .shapes import Solid, perpendicular, split_at_edges, tube


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (m, 3) between points, ready for smooth shading, with the sharp edges (e, 2), drawn as lines.

    source : the point of the body (k,) that each of the surface's points is. ink : the lines' colour.
    """

    source: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray
    ink: Colour = EDGE

    @staticmethod
    def of(points: np.ndarray, triangles: np.ndarray, degrees: float = 35.0) -> Surface:
        """Return the surface of a solid, separated where its faces meet at more than ``degrees``."""
        return Surface(*split_at_edges(np.asarray(points), np.asarray(triangles), degrees))


class Part(Protocol):
    """What a picture is made of. ``colour`` counts where there are no values."""

    @property
    def surface(self) -> Surface:
        """How the points are connected."""

    @property
    def colour(self) -> Colour | None:
        """Red, green and blue in 0..1."""

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return the magnitude to be coloured at the surface's points (n,), or None."""


@dataclass(frozen=True, eq=False)
class Rigid:
    """A solid that moves with a body or stands on the ground."""

    body: str
    solid: Solid  # in the body's base, from its reference point
    colour: Colour
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", Surface.of(*self.solid))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""
        pose = poses[self.body]
        return pose.c + self.solid[0][self.surface.source] @ pose.Q.T

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: a rigid body shows its own colour."""
        return None


@dataclass(frozen=True, eq=False)
class Flexible:
    """The surface of a flexible body: deformation drawn ``scale`` times, coloured by its true magnitude.

    The deformation is what is left of ``Phi alpha`` after the small rigid motion that its attachments make
    (``relative``, (m, 3, N)): between two joints, the deflection from their chord. So whatever the scale, the
    joints stay where they are.
    """

    body: str
    x: np.ndarray  # (m, 3) m, in the body's base, from its reference point
    Phi: np.ndarray  # (m, 3, N)
    relative: np.ndarray  # (m, 3, N)
    triangles: np.ndarray
    scale: float
    surface: Surface = field(init=False)
    colour: Colour | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", Surface.of(self.x, self.triangles))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial, deformation enlarged."""
        pose = poses[self.body]
        local = self.x + (self.Phi + (self.scale - 1) * self.relative) @ pose.alpha
        return pose.c + local[self.surface.source] @ pose.Q.T

    def deformation(self, poses: Poses) -> np.ndarray:
        """Return the deformation's magnitude at the body's own points (m,), m."""
        return np.linalg.norm(self.relative @ poses[self.body].alpha, axis=1)

    def largest(self, alpha: np.ndarray) -> float:
        """Return the largest deformation (m) over times, alpha (nt, N), at about a thousand of the points."""
        some = self.relative[:: len(self.x) // 1000 + 1]
        return float(np.linalg.norm(some @ alpha[:: len(alpha) // 1000 + 1].T, axis=1).max(initial=0.0))

    def values(self, poses: Poses) -> np.ndarray:
        """Return the deformation's magnitude at the surface's points (n,), m."""
        return self.deformation(poses)[self.surface.source]


@dataclass(frozen=True, eq=False)
class Spring:
    """A coil between two points of bodies."""

    ends: tuple[tuple[str, np.ndarray, np.ndarray], ...]  # body, x (3,), Phi (3, N) of both ends
    radius: float
    colour: Colour
    turns: int = 8
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "surface", Surface.of(*self._coil(np.zeros(3), np.array([0.0, 0.0, 1.0])), 180.0)
        )

    def _coil(self, a: np.ndarray, b: np.ndarray) -> Solid:
        length = float(np.linalg.norm(b - a))
        p, q, axis = perpendicular(b - a if length > 0 else np.array([0.0, 0.0, 1.0]))
        s = np.linspace(0, 1, 24 * self.turns + 1)
        wave = np.clip((s - 0.12) / 0.76, 0, 1)
        swing = self.radius * np.clip(np.minimum(wave, 1 - wave) * 12, 0, 1)
        angle = 2 * np.pi * self.turns * wave
        line = a + length * s[:, None] * axis
        line = line + swing[:, None] * (np.cos(angle)[:, None] * p + np.sin(angle)[:, None] * q)
        return tube(line, self.radius / 7, 8)

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""
        a, b = (poses[n].c + poses[n].Q @ (x + Phi @ poses[n].alpha) for n, x, Phi in self.ends)
        return self._coil(a, b)[0][self.surface.source]

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: a spring shows its own colour."""
        return None


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of a point over the whole run, as a thin line that stands still."""

    line: np.ndarray  # (k, 3) m, inertial
    radius: float
    colour: Colour
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", Surface.of(*tube(self.line, self.radius, 6), 180.0))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""
        return tube(self.line, self.radius, 6)[0][self.surface.source]

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: a trace shows its own colour."""
        return None

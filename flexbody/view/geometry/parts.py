"""The things in a picture: each knows its surface, its colour and where its points are at a pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import scipy

from fem.model.skin import split_smooth

from .colours import EDGE, Colour
from .poses import Pose, Poses
from .shapes import Solid, tube


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
        return Surface(*split_smooth(np.asarray(points), np.asarray(triangles), degrees))


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
    """A solid that moves with a body or stands on the ground, with or without its sharp edges as lines.

    shift, turn : how the point ``about``, and the solid with it, moves with the base functions of a flexible body.
    growth : what ``shift`` grows by when deformation is drawn once larger.
    """

    body: str
    solid: Solid  # in the body's base, from its reference point
    colour: Colour
    lined: bool = True
    about: np.ndarray | None = None  # (3,) m
    shift: np.ndarray | None = None  # (3, N)
    turn: np.ndarray | None = None  # (3, N)
    growth: np.ndarray | None = None  # (3, N)
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        surface = Surface.of(*self.solid)
        if not self.lined:
            surface = Surface(surface.source, surface.triangles, surface.edges[:0])
        object.__setattr__(self, "surface", surface)

    def pose(self, poses: Poses) -> Pose:
        """Return where the solid's base is."""
        pose = poses[self.body]
        if self.about is None or self.shift is None or self.turn is None or not self.shift.size:
            return pose
        Q = pose.Q @ scipy.spatial.transform.Rotation.from_rotvec(self.turn @ pose.alpha).as_matrix()
        place = pose.c + pose.Q @ (self.about + self.shift @ pose.alpha)
        return Pose(place - Q @ self.about, Q, pose.alpha)

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""
        pose = self.pose(poses)
        return pose.c + self.solid[0][self.surface.source] @ pose.Q.T

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: a rigid body shows its own colour."""
        return None


@dataclass(frozen=True, eq=False)
class Flexible:
    """The surface of a flexible body: deformation drawn ``scale`` times, coloured by its true magnitude or ``paint``.

    The deformation is what is left of ``Phi alpha`` after the small rigid motion that its attachments make
    (``relative``, (m, 3, N)): between two joints, the deflection from their chord. So whatever the scale, the
    joints stay where they are. ``paint`` gives other values (m,) for modal coordinates (N,).
    """

    body: str
    x: np.ndarray  # (m, 3) m, in the body's base, from its reference point
    Phi: np.ndarray  # (m, 3, N)
    relative: np.ndarray  # (m, 3, N)
    triangles: np.ndarray
    scale: float
    surface: Surface = field(init=False)
    colour: Colour | None = None
    paint: Callable[[np.ndarray], np.ndarray] | None = None
    plain: bool = False  # in its colour
    _drawn: np.ndarray = field(init=False)  # (m, 3, N) Phi with the deformation enlarged

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", Surface.of(self.x, self.triangles))
        object.__setattr__(self, "_drawn", self.Phi + (self.scale - 1) * self.relative)

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial, deformation enlarged."""
        pose = poses[self.body]
        local = self.x + self._drawn @ pose.alpha
        return pose.c + local[self.surface.source] @ pose.Q.T

    def deformation(self, poses: Poses) -> np.ndarray:
        """Return the deformation's magnitude at the body's own points (m,), m."""
        return np.linalg.norm(self.relative @ poses[self.body].alpha, axis=1)

    def largest(self, alpha: np.ndarray) -> float:
        """Return the largest deformation (m) over times, alpha (nt, N), at about a thousand of the points."""
        some = self.relative[:: len(self.x) // 1000 + 1]
        return float(np.linalg.norm(some @ alpha[:: len(alpha) // 1000 + 1].T, axis=1).max(initial=0.0))

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return what is coloured at the surface's points (n,): the deformation's magnitude, m, or the paint's."""
        if self.plain:
            return None
        own = self.deformation(poses) if self.paint is None else self.paint(poses[self.body].alpha)
        return own[self.surface.source]


@dataclass(frozen=True, eq=False)
class Lines:
    """Thin lines (e, 2) between points (n, 3) that stand still, m."""

    x: np.ndarray
    pairs: np.ndarray
    colour: Colour
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        nothing = np.empty((0, 3), dtype=np.int64)
        object.__setattr__(self, "surface", Surface(np.arange(len(self.x)), nothing, self.pairs, self.colour))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points (n, 3), m."""
        return self.x

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: lines show their own colour."""
        return None


#: the name of the pose whose one coordinate is the amplitude of a drawn shape
SHAPE = "shape"


@dataclass(frozen=True, eq=False)
class Shaped:
    """A surface displaced by ``move`` (m, 3) times the amplitude, with values (m,) or one colour.

    Values without sign, like a magnitude, go with the amplitude's magnitude.
    """

    x: np.ndarray  # (m, 3) m
    surface: Surface
    colour: Colour | None = None
    move: np.ndarray | None = None
    field: np.ndarray | None = None
    signed: bool = False

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m."""
        moved = self.x if self.move is None else self.x + poses[SHAPE].alpha[0] * self.move
        return moved[self.surface.source]

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return the values at the surface's points, if there are any."""
        if self.field is None:
            return None
        amplitude = float(poses[SHAPE].alpha[0])
        return self.field[self.surface.source] * (amplitude if self.signed else abs(amplitude))


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

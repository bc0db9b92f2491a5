"""The parts of a picture: each has a surface, a colour, and points that depend on the poses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy

from fem.model.outer_surface import split_smooth

from .colours import EDGE, Colour
from .poses import Pose, Poses
from .shapes import Solid, dot, joined, tube
from .ways import Way

#: Function that returns the values (m,) of a flexible body for its modal coordinates (N,).
Paint = Callable[[np.ndarray], np.ndarray]
#: Radius of a dot of a path, relative to that of its line.
DOT = 2.5


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles between points, prepared for smooth shading, with sharp edges that are drawn as lines.

    Parameters
    ----------
    source : numpy.ndarray
        Index of the point of the body for each point of the surface, (k,).
    triangles : numpy.ndarray
        Triangles, (m, 3).
    edges : numpy.ndarray
        Sharp edges, (e, 2).
    ink : tuple of float, optional
        Colour of the edges.
    """

    source: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray
    ink: Colour = EDGE

    @staticmethod
    def of(points: np.ndarray, triangles: np.ndarray, degrees: float = 35.0) -> Surface:
        """Return the surface of a solid, split where its faces meet at more than ``degrees``."""
        return Surface(*split_smooth(np.asarray(points), np.asarray(triangles), degrees))

    def without_edges(self) -> Surface:
        """Return the surface without lines at its edges."""
        return replace(self, edges=self.edges[:0])


class Anchor(NamedTuple):
    """A point (3,) of a body, m, from its reference point, with the growth (3, N) of its displacement."""

    body: str
    x: np.ndarray
    growth: np.ndarray | None


class Part:
    """A part of a picture, with a surface and a ``colour`` (red, green and blue in 0..1); base class.

    The colour is used if the part has no values.
    """

    surface: Surface
    colour: Colour | None

    #: Parts with a higher layer are drawn in front of all others: -1 long paths, 0 bodies, 1 raised symbols, 2 arrows.
    layer = 0
    #: The name in the legend that belongs to the part.
    label = ""
    #: Whether the part is a fixed line, such as a path, and not a part of the machine.
    is_line: ClassVar[bool] = False

    @property
    def coded(self) -> bool:
        """Whether the colours of the surface show values or what the legend names."""
        return False

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface as they are drawn, (n, 3), m, inertial base."""
        raise NotImplementedError

    def true_points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface without enlarged deformation, (n, 3), m, inertial base."""
        return self.points(poses)

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return the values to colour at the points of the surface, (n,), or None for a part of one colour."""
        return None

    def coloured(self, paints: Mapping[str, Paint], plain: bool) -> Part:
        """Return the part with the values that ``paints`` has for its body, or plain; most parts have one colour."""
        return self

    @property
    def in_front(self) -> bool:
        """Whether the part is drawn in front of bodies."""
        return self.layer > 0

    def behind(self) -> Self:
        """Return the part as one that is drawn behind bodies."""
        return self._changed("layer", -1)

    def raised(self) -> Self:
        """Return the part as one that is drawn in front of bodies."""
        return self._changed("layer", 1)

    def labelled(self, label: str) -> Self:
        """Return the part with its name in the legend."""
        return self._changed("label", label)

    def _changed(self, name: str, value: Any) -> Self:
        other = copy(self)
        object.__setattr__(other, name, value)  # parts are frozen
        return other

    @property
    def anchors(self) -> list[Anchor]:
        """The points of bodies that carry the part, each with the growth of its displacement, (3, N).

        The growth is the increase of the displacement rows when the factor on the deformation increases by one.
        """
        return []

    def between_anchors(self, poses: Poses) -> np.ndarray | None:
        """Return the relative positions (n,) of the points between two anchors, 0..1; None with one anchor."""
        return None


@dataclass(frozen=True, eq=False)
class Rigid(Part):
    """A solid that moves with a body or is fixed to the ground, with or without lines at its sharp edges.

    ``shift`` and ``turn`` give the displacement and rotation of the solid about the point ``about`` for each base
    function of a flexible body. ``growth`` is the increase of ``shift`` when the factor on the deformation increases by
    one.
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
        object.__setattr__(self, "surface", surface if self.lined else surface.without_edges())

    def pose(self, poses: Poses) -> Pose:
        """Return the pose of the solid."""
        pose = poses[self.body]
        if self.about is None or self.shift is None or self.turn is None or not self.shift.size:
            return pose
        Q = pose.Q @ scipy.spatial.transform.Rotation.from_rotvec(self.turn @ pose.alpha).as_matrix()
        place = pose.c + pose.Q @ (self.about + self.shift @ pose.alpha)
        return Pose(place - Q @ self.about, Q, pose.alpha)

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base."""
        pose = self.pose(poses)
        return pose.c + self.solid[0][self.surface.source] @ pose.Q.T

    @property
    def anchors(self) -> list[Anchor]:
        """The body."""
        return [Anchor(self.body, np.zeros(3), self.growth)]


@dataclass(frozen=True, eq=False)
class Flexible(Part):
    """The surface of a flexible body, with its deformation drawn ``scale`` times.

    The colour shows the true magnitude of the deformation, or the values (m,) that ``paint`` returns for modal
    coordinates (N,). The deformation (``relative``, (m, 3, N)) is ``Phi alpha`` minus the small rigid motion of the
    joints that hold the body (:mod:`flexbody.view.geometry.carried`). Between two such joints it is the deflection from
    their chord, at a clamp the deflection from the clamped tangent. These joints do not move with the scale.
    """

    body: str
    x: np.ndarray  # (m, 3) m, in the body's base, from its reference point
    Phi: np.ndarray  # (m, 3, N)
    relative: np.ndarray  # (m, 3, N)
    triangles: np.ndarray
    scale: float
    surface: Surface = field(init=False)
    colour: Colour | None = None
    paint: Paint | None = None
    plain: bool = False  # in one colour
    _drawn: np.ndarray = field(init=False)  # (m, 3, N) Phi with the deformation enlarged

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", Surface.of(self.x, self.triangles))
        object.__setattr__(self, "_drawn", self.Phi + (self.scale - 1) * self.relative)

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base, with the deformation multiplied by the scale."""
        pose = poses[self.body]
        local = self.x + self._drawn @ pose.alpha
        return pose.c + local[self.surface.source] @ pose.Q.T

    def true_points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface without enlarged deformation, (n, 3), m, inertial base."""
        pose = poses[self.body]
        local = self.x + self.Phi @ pose.alpha
        return pose.c + local[self.surface.source] @ pose.Q.T

    def coloured(self, paints: Mapping[str, Paint], plain: bool) -> Flexible:
        """Return the body with the values that ``paints`` has for it (else the deformation), or in one colour."""
        if not plain and self.body not in paints:
            return self
        return replace(self, paint=paints.get(self.body), plain=plain)

    @property
    def coded(self) -> bool:
        """Whether the colours of the surface show values."""
        return not self.plain

    @property
    def anchors(self) -> list[Anchor]:
        """The body, whose surface has the growth itself."""
        return [Anchor(self.body, np.zeros(3), None)]

    def deformation(self, poses: Poses) -> np.ndarray:
        """Return the magnitude of the deformation at the points of the body, (m,), m."""
        return np.linalg.norm(self.relative @ poses[self.body].alpha, axis=1)

    def largest(self, alpha: np.ndarray) -> float:
        """Return the largest deformation (m) over alpha (nt, N), at about a thousand points and times."""
        some = self.relative[:: len(self.x) // 1000 + 1]
        return float(np.linalg.norm(some @ alpha[:: len(alpha) // 1000 + 1].T, axis=1).max(initial=0.0))

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return the values to colour at the points of the surface, (n,): the deformation, m, or those of ``paint``."""
        if self.plain:
            return None
        own = self.deformation(poses) if self.paint is None else self.paint(poses[self.body].alpha)
        return own[self.surface.source]


@dataclass(frozen=True, eq=False)
class Lines(Part):
    """Thin fixed lines (e, 2) between points (n, 3), m."""

    x: np.ndarray
    pairs: np.ndarray
    colour: Colour
    surface: Surface = field(init=False)

    is_line: ClassVar[bool] = True

    def __post_init__(self) -> None:
        nothing = np.empty((0, 3), dtype=np.int64)
        object.__setattr__(self, "surface", Surface(np.arange(len(self.x)), nothing, self.pairs, self.colour))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points (n, 3), m."""
        return self.x


#: Name of the pose whose only coordinate is the amplitude of a drawn shape.
SHAPE = "shape"


@dataclass(frozen=True, eq=False)
class Shaped(Part):
    """A surface displaced by ``move`` (m, 3) times the amplitude, with values (m,) or one colour.

    Values without sign, such as a magnitude, are multiplied by the magnitude of the amplitude.
    """

    x: np.ndarray  # (m, 3) m
    surface: Surface
    colour: Colour | None = None
    move: np.ndarray | None = None
    field: np.ndarray | None = None
    signed: bool = False

    @property
    def coded(self) -> bool:
        """Whether the colours of the surface show values or what the legend names."""
        return True

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
class Trace(Part):
    """The path of a point in the whole run: thin fixed lines, and dots at states beside which it is not known."""

    way: Way
    radius: float
    colour: Colour
    surface: Surface = field(init=False)

    is_line: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", Surface.of(*self._solid(), 180.0))

    @property
    def line(self) -> np.ndarray:
        """All points of the path, (k, 3), m, inertial base."""
        return self.way.points

    def _solid(self) -> Solid:
        lines = [tube(line, self.radius, 6) for line in self.way.lines]
        return joined(*lines, *(dot(place, DOT * self.radius) for place in self.way.dots))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the points of the surface, (n, 3), m, inertial base."""
        return self._solid()[0][self.surface.source]

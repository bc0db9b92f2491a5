"""Normals, colours of points and light, for all renderers."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from fem.common.compiled import function

from . import colours
from .parts import Part
from .poses import Poses
from .scale import Scale

#: Scale of values that are all zero.
EMPTY_SCALE = Scale("", 0.0, 1.0)
#: Direction to the light, in the right, up and backward directions of the camera.
LIGHT = np.array([-0.30, 0.48, 0.90])
AMBIENT, DIFFUSE, SPECULAR, SHININESS = 0.55, 0.50, 0.10, 24.0
#: Light on parts whose colours mean something: on each side they look like those of the colour scale and the legend.
EVEN_AMBIENT, EVEN_DIFFUSE = 0.82, 0.20

_normals = function("flexbody_normals", "int", "int", "input", "indices", "reals")


@dataclass(frozen=True)
class Look:
    """The points, normals and colours of a part in one frame of a film."""

    points: np.ndarray  # (n, 3) m
    normals: np.ndarray  # (n, 3)
    colour: np.ndarray  # (n, 3) in 0..1


class Painter:
    """Computes the looks of one part; constant data are computed once.

    ``scale`` is the colour scale of its values; None if all values are zero.
    """

    def __init__(self, part: Part, scale: Scale | None = None) -> None:
        self.part, self.scale = part, scale
        self.shift = np.zeros(3)

    @property
    def light(self) -> tuple[float, float]:
        """Ambient and diffuse light on the part."""
        return (EVEN_AMBIENT, EVEN_DIFFUSE) if self.part.coded else (AMBIENT, DIFFUSE)

    def moved(self, shift: np.ndarray) -> Painter:
        """Return a painter of the same part that draws it displaced by ``shift`` (3,), m."""
        other = copy(self)
        other.shift = shift
        return other

    def look(self, poses: Poses) -> Look:
        """Return the look of the part at these poses."""
        part = self.part
        points = part.points(poses)
        triangles, normals = part.surface.triangles, np.empty_like(points)
        _normals(len(points), len(triangles), points, triangles, normals)
        values = part.values(poses)
        if values is None:
            colour = np.tile(part.colour or colours.PLAIN, (len(points), 1))
        else:
            colour = (self.scale or EMPTY_SCALE).colour(values)
        return Look(points + self.shift, normals, colour)

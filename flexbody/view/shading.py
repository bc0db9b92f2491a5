"""What both renderers share: normals, colours of points and the light."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array

from . import colours
from .motion import Poses
from .parts import Part
from .scale import Scale

#: the scale of values that are all zero
NOTHING = Scale("", 0.0, 1.0)
#: where the light comes from, in the camera's right, up and backward directions
LIGHT = np.array([-0.30, 0.48, 0.90])
AMBIENT, DIFFUSE, SPECULAR, SHININESS = 0.55, 0.50, 0.10, 24.0


@dataclass(frozen=True)
class Look:
    """A part as it is drawn in one frame."""

    points: np.ndarray  # (n, 3) m
    normals: np.ndarray  # (n, 3)
    colour: np.ndarray  # (n, 3) in 0..1


class Painter:
    """Makes looks of one part; what does not change from frame to frame is computed once.

    scale : what the colours of its values mean; None where all values are zero.
    """

    def __init__(self, part: Part, scale: Scale | None = None) -> None:
        self.part, self.scale = part, scale
        self.shift = np.zeros(3)
        triangles = part.surface.triangles
        n = len(part.surface.source)
        rows, columns = triangles.ravel(), np.repeat(np.arange(len(triangles)), 3)
        self._gather = coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, len(triangles))).tocsr()

    def moved(self, shift: np.ndarray) -> Painter:
        """Return a painter of the same part that draws it ``shift`` (3,) away, m."""
        other = copy(self)
        other.shift = shift
        return other

    def look(self, poses: Poses) -> Look:
        """Return the part at these poses."""
        part = self.part
        points = part.points(poses)
        a, b, c = points[part.surface.triangles].transpose(1, 0, 2)
        normals = self._gather @ np.cross(b - a, c - a)
        size = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = normals / np.where(size > 0, size, 1)
        values = part.values(poses)
        if values is None:
            colour = np.tile(part.colour or colours.PLAIN, (len(points), 1))
        else:
            colour = (self.scale or NOTHING).colour(values)
        return Look(points + self.shift, normals, colour)

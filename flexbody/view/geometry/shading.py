"""What both renderers share: normals, colours of points and the light."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from fem.common.compiled import function

from . import colours
from .parts import Part
from .poses import Poses
from .scale import Scale

#: the scale of values that are all zero
NOTHING = Scale("", 0.0, 1.0)
#: where the light comes from, in the camera's right, up and backward directions
LIGHT = np.array([-0.30, 0.48, 0.90])
AMBIENT, DIFFUSE, SPECULAR, SHININESS = 0.55, 0.50, 0.10, 24.0

_normals = function("flexbody_normals", "int", "int", "input", "indices", "reals")


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

    def moved(self, shift: np.ndarray) -> Painter:
        """Return a painter of the same part that draws it ``shift`` (3,) away, m."""
        other = copy(self)
        other.shift = shift
        return other

    def look(self, poses: Poses) -> Look:
        """Return the part at these poses."""
        part = self.part
        points = part.points(poses)
        triangles, normals = part.surface.triangles, np.empty_like(points)
        _normals(len(points), len(triangles), points, triangles, normals)
        values = part.values(poses)
        if values is None:
            colour = np.tile(part.colour or colours.PLAIN, (len(points), 1))
        else:
            colour = (self.scale or NOTHING).colour(values)
        return Look(points + self.shift, normals, colour)

"""A small renderer of our own, for machines without OpenGL: triangles into a depth buffer; compiled.

VTK's wheels bring no OpenGL; on a bare server or in a slim container there is none, and VTK ends the process.
"""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .camera import Camera
from .motion import Poses
from .shading import AMBIENT, DIFFUSE, LIGHT, SHININESS, SPECULAR, Painter

OVER = 3  # samples per pixel in each direction, against jagged edges

_triangles = function(
    "flexbody_render_triangles", *["int"] * 4, "input", "ints", "input", "singles", "singles"
)
_lines = function(
    "flexbody_render_lines", *["int"] * 4, "input", "ints", "input", "real", "singles", "singles"
)
_shrink = function("flexbody_render_shrink", *["int"] * 3, "singles", "bytes")


class SoftwareRenderer:
    """Draws parts with the processor alone. size : width and height in pixels."""

    def __init__(self, painters: list[Painter], camera: Camera, size: tuple[int, int]) -> None:
        self._painters, self._camera, self._size = painters, camera, size

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture at these poses, (height, width, 3) bytes."""
        width, height = (OVER * n for n in self._size)
        colour = np.ones((height, width, 3), dtype=np.float32)
        depth = np.full((height, width), -np.inf, dtype=np.float32)
        scale = height / self._camera.height
        axes = np.stack([self._camera.right, self._camera.up, -self._camera.forward], axis=1)
        for painter in self._painters:
            look = painter.look(poses)
            xyz = self._camera.project(look.points) * scale
            xyz[:, 0] += width / 2
            xyz[:, 1] = height / 2 - xyz[:, 1]
            shade = _shade(look.normals @ axes, look.colour)
            surface = painter.part.surface
            triangles, edges = _whole(surface.triangles), _whole(surface.edges)
            _triangles(len(xyz), len(triangles), height, width, xyz, triangles, shade, colour, depth)
            _lines(len(xyz), len(edges), height, width, xyz, edges, surface.ink, 0.75 * OVER, colour, depth)
        picture = np.empty((self._size[1], self._size[0], 3), dtype=np.uint8)
        _shrink(height, width, OVER, colour, picture)
        return picture

    def close(self) -> None:
        """Nothing is held."""


def _shade(normals: np.ndarray, colour: np.ndarray) -> np.ndarray:
    light = LIGHT / np.linalg.norm(LIGHT)
    facing = np.abs(normals @ light)
    gloss = np.clip(2 * (normals @ light) * normals[:, 2] - light[2], 0, 1) ** SHININESS
    return np.clip(colour * (AMBIENT + DIFFUSE * facing)[:, None] + SPECULAR * gloss[:, None], 0, 1)


def _whole(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, dtype=np.int64)

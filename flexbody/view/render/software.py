"""A small renderer of our own, for machines without a graphics processor: triangles into a depth buffer; compiled.

VTK's wheels bring no OpenGL; on a bare server or in a slim container there is none, and VTK ends the process. Where
OpenGL is emulated by the processor, this renderer takes a sixth of its time.
"""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from ..geometry.camera import Camera
from ..geometry.parts import Surface
from ..geometry.poses import Poses
from ..geometry.shading import AMBIENT, DIFFUSE, LIGHT, SHININESS, SPECULAR, Painter

OVER = 3  # samples per pixel in each direction, against jagged edges
LINES = 8  # of pixels that are drawn at a time
LINE_WIDTH = 0.9  # pixels

_render = function(
    "flexbody_render", *["int"] * 7, "input", "indices", "input", "indices", "input", "real",
    "singles", "singles", "ints", "bytes",
)  # fmt: skip


class SoftwareRenderer:
    """Draws parts with the processor alone. size : width and height in pixels."""

    def __init__(self, painters: list[Painter], camera: Camera, size: tuple[int, int]) -> None:
        self._painters, self._camera, self._size = painters, camera, size
        surfaces = [painter.part.surface for painter in painters]
        starts = np.cumsum([0, *(len(surface.source) for surface in surfaces)])
        self._triangles = _joined(
            [s.triangles + start for s, start in zip(surfaces, starts, strict=False)], 3
        )
        edges = [_once(surface) for surface in surfaces]
        self._edges = _joined([e + start for e, start in zip(edges, starts, strict=False)], 2)
        self._ink = np.repeat([surface.ink for surface in surfaces], [len(e) for e in edges], axis=0)
        width, rows = OVER * size[0], OVER * LINES
        self._colour = np.empty((3, rows, width), dtype=np.float32)
        self._depth = np.empty((rows, width), dtype=np.float32)
        self._rows = np.empty((len(self._triangles) + len(self._edges), 2), dtype=np.int64)

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture at these poses, (height, width, 3) bytes."""
        width, height = self._size
        looks = [painter.look(poses) for painter in self._painters]
        xyz = self._camera.project(np.concatenate([look.points for look in looks]))
        xyz *= OVER * height / self._camera.height
        xyz[:, 0] += OVER * width / 2
        xyz[:, 1] = OVER * height / 2 - xyz[:, 1]
        axes = np.stack([self._camera.right, self._camera.up, -self._camera.forward], axis=1)
        normals = np.concatenate([look.normals for look in looks]) @ axes
        shade = _shade(normals, np.concatenate([look.colour for look in looks]))
        picture = np.full((height, width, 3), 255, dtype=np.uint8)
        _render(
            len(xyz), len(self._triangles), len(self._edges), height, width, OVER, LINES, xyz, self._triangles, shade,
            self._edges, self._ink, OVER * LINE_WIDTH, self._colour, self._depth, self._rows, picture,
        )  # fmt: skip
        return picture

    def close(self) -> None:
        """Nothing is held."""


def _shade(normals: np.ndarray, colour: np.ndarray) -> np.ndarray:
    light = LIGHT / np.linalg.norm(LIGHT)
    facing = np.abs(normals @ light)
    gloss = np.clip(2 * (normals @ light) * normals[:, 2] - light[2], 0, 1) ** SHININESS
    return np.clip(colour * (AMBIENT + DIFFUSE * facing)[:, None] + SPECULAR * gloss[:, None], 0, 1)


def _once(surface: Surface) -> np.ndarray:
    """Return a surface's edges (e, 2), of those that its faces on both sides have only one."""
    ends = np.sort(surface.source[surface.edges], axis=1)
    return surface.edges[np.unique(ends, axis=0, return_index=True)[1]]


def _joined(rows: list[np.ndarray], width: int) -> np.ndarray:
    """Return the rows (n, width) of all parts, whole numbers."""
    return np.concatenate([np.empty((0, width), dtype=np.int64), *rows])

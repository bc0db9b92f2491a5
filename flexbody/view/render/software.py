"""A small compiled renderer for computers without a graphics processor: triangles with a depth buffer.

The packages of VTK contain no OpenGL. On a server or in a small container there is none, and VTK ends the process. If
the CPU emulates OpenGL, this renderer needs a sixth of its time.
"""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from ..geometry.camera import Camera
from ..geometry.parts import Surface
from ..geometry.poses import Poses
from ..geometry.shading import LIGHT, SHININESS, SPECULAR, Painter

OVERSAMPLING = 3  # samples per pixel in each direction, for smooth edges
BAND_HEIGHT = 8  # rows of pixels that are drawn at a time
LINE_WIDTH = 0.9  # pixels

_render = function(
    "flexbody_render", *["int"] * 7, "input", "indices", "input", "indices", "input", "real",
    "singles", "singles", "ints", "bytes",
)  # fmt: skip


class SoftwareRenderer:
    """Draws parts on the CPU; ``size`` is width and height in pixels."""

    def __init__(
        self,
        painters: list[Painter],
        camera: Camera,
        size: tuple[int, int],
        oversampling: int = OVERSAMPLING,
    ) -> None:
        self._painters, self._camera, self._size, self._fine = painters, camera, size, oversampling
        surfaces = [painter.part.surface for painter in painters]
        starts = np.cumsum([0, *(len(surface.source) for surface in surfaces)])
        self._triangles = _joined(
            [s.triangles + start for s, start in zip(surfaces, starts, strict=False)], 3
        )
        edges = [_once(surface) for surface in surfaces]
        self._edges = _joined([e + start for e, start in zip(edges, starts, strict=False)], 2)
        self._ink = np.repeat([surface.ink for surface in surfaces], [len(e) for e in edges], axis=0)
        self._counts = [len(surface.source) for surface in surfaces], [len(e) for e in edges]
        width, rows = oversampling * size[0], oversampling * BAND_HEIGHT
        self._colour = np.empty((3, rows, width), dtype=np.float32)
        self._depth = np.empty((rows, width), dtype=np.float32)
        self._rows = np.empty((len(self._triangles) + len(self._edges), 2), dtype=np.int64)

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture at these poses, (height, width, 3) bytes."""
        looks = [painter.look(poses) for painter in self._painters]
        axes = np.stack([self._camera.right, self._camera.up, -self._camera.forward], axis=1)
        normals = np.concatenate([look.normals for look in looks]) @ axes
        lights = np.repeat([painter.light for painter in self._painters], self._counts[0], axis=0)
        shade = _shade(normals, np.concatenate([look.colour for look in looks]), lights)
        return self._drawn(np.concatenate([look.points for look in looks]), shade, self._ink)

    def pixels(self, poses: Poses) -> np.ndarray:
        """Return the number of pixels of each part at these poses, (parts,): zero if others hide it.

        Lines count only for parts that have no surface: those at the outline of a body belong to hidden faces too.
        """
        points = [painter.part.points(poses) + painter.shift for painter in self._painters]
        number = np.arange(len(points))
        code = np.stack([number % 250, number // 250, 0 * number], axis=1) / 255
        shade, ink = (np.repeat(code, counts, axis=0) for counts in self._counts)
        faced = [len(painter.part.surface.triangles) > 0 for painter in self._painters]
        ink[np.repeat(faced, self._counts[1])] = 1.0
        seen = self._drawn(np.concatenate(points), shade, ink).reshape(-1, 3).astype(np.int64)
        seen = seen[seen[:, 2] == 0]
        return np.bincount(seen[:, 0] + 250 * seen[:, 1], minlength=len(points))

    def _drawn(self, points: np.ndarray, shade: np.ndarray, ink: np.ndarray) -> np.ndarray:
        """Return the picture of points (n, 3), m, with their colours (n, 3) and those of the lines."""
        (width, height), fine = self._size, self._fine
        xyz = self._camera.project(points)
        xyz *= fine * height / self._camera.height
        xyz[:, 0] += fine * width / 2
        xyz[:, 1] = fine * height / 2 - xyz[:, 1]
        picture = np.full((height, width, 3), 255, dtype=np.uint8)
        _render(
            len(xyz), len(self._triangles), len(self._edges), height, width, fine, BAND_HEIGHT, xyz,
            self._triangles, shade, self._edges, ink, fine * LINE_WIDTH, self._colour, self._depth,
            self._rows, picture,
        )  # fmt: skip
        return picture

    def close(self) -> None:
        """Do nothing: this renderer holds no resources."""


def _shade(normals: np.ndarray, colour: np.ndarray, lights: np.ndarray) -> np.ndarray:
    """Return colours (n, 3) in ambient and diffuse light (n, 2)."""
    light = LIGHT / np.linalg.norm(LIGHT)
    facing = np.abs(normals @ light)
    gloss = np.clip(2 * (normals @ light) * normals[:, 2] - light[2], 0, 1) ** SHININESS
    return np.clip(colour * (lights[:, 0] + lights[:, 1] * facing)[:, None] + SPECULAR * gloss[:, None], 0, 1)


def _once(surface: Surface) -> np.ndarray:
    """Return the edges of a surface, (e, 2), each once if faces on both sides have it."""
    ends = np.sort(surface.source[surface.edges], axis=1)
    return surface.edges[np.unique(ends, axis=0, return_index=True)[1]]


def _joined(rows: list[np.ndarray], width: int) -> np.ndarray:
    """Return the rows (n, width) of all parts as integers."""
    return np.concatenate([np.empty((0, width), dtype=np.int64), *rows])

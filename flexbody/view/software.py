"""A small renderer of our own, for machines without OpenGL: triangles into a depth buffer, compiled.

VTK's wheels bring no OpenGL; on a bare server or in a slim container there is none, and VTK ends the process.
"""

from __future__ import annotations

import numpy as np

from fem.common.jit import announce_compilation, jit

from .camera import Camera
from .motion import Poses
from .shading import AMBIENT, DIFFUSE, LIGHT, SHININESS, SPECULAR, Painter

OVER = 3  # samples per pixel in each direction, against jagged edges


class SoftwareRenderer:
    """Draws parts with the processor alone. size : width and height in pixels."""

    def __init__(self, painters: list[Painter], camera: Camera, size: tuple[int, int]) -> None:
        self._painters, self._camera, self._size = painters, camera, size
        announce_compilation("the renderer", _fill, seconds=5)

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
            _fill(xyz, surface.triangles, shade, colour, depth)
            _lines(xyz, surface.edges, np.array(surface.ink), 0.75 * OVER, colour, depth)
        return _shrink(colour, OVER)

    def close(self) -> None:
        """Nothing is held."""


def _shade(normals: np.ndarray, colour: np.ndarray) -> np.ndarray:
    light = LIGHT / np.linalg.norm(LIGHT)
    facing = np.abs(normals @ light)
    gloss = np.clip(2 * (normals @ light) * normals[:, 2] - light[2], 0, 1) ** SHININESS
    return np.clip(colour * (AMBIENT + DIFFUSE * facing)[:, None] + SPECULAR * gloss[:, None], 0, 1)


@jit
def _fill(xyz, triangles, shade, colour, depth):
    """Draw triangles: xyz (n, 3) in samples, y downward, z toward the viewer; shade (n, 3)."""
    height, width = depth.shape
    for k in range(triangles.shape[0]):
        a, b, c = triangles[k, 0], triangles[k, 1], triangles[k, 2]
        ax, ay, bx, by, cx, cy = xyz[a, 0], xyz[a, 1], xyz[b, 0], xyz[b, 1], xyz[c, 0], xyz[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-3:  # seen edge on: its depth would be arbitrary
            continue
        left = max(int(np.floor(min(ax, bx, cx))), 0)
        right = min(int(np.ceil(max(ax, bx, cx))), width - 1)
        top = max(int(np.floor(min(ay, by, cy))), 0)
        bottom = min(int(np.ceil(max(ay, by, cy))), height - 1)
        for i in range(top, bottom + 1):
            y = i + 0.5
            for j in range(left, right + 1):
                x = j + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                z = u * xyz[a, 2] + v * xyz[b, 2] + w * xyz[c, 2]
                if z > depth[i, j]:
                    depth[i, j] = z
                    for m in range(3):
                        colour[i, j, m] = u * shade[a, m] + v * shade[b, m] + w * shade[c, m]


@jit
def _lines(xyz, edges, ink, width, colour, depth):
    """Draw lines ``width`` samples wide where nothing lies in front of them (two samples of tolerance)."""
    rows, columns = depth.shape
    reach = int(np.ceil(width / 2))
    for k in range(edges.shape[0]):
        a, b = edges[k, 0], edges[k, 1]
        dx, dy, dz = xyz[b, 0] - xyz[a, 0], xyz[b, 1] - xyz[a, 1], xyz[b, 2] - xyz[a, 2]
        steps = 2 * int(np.ceil(max(abs(dx), abs(dy)))) + 1
        for s in range(steps + 1):
            x = xyz[a, 0] + dx * s / steps
            y = xyz[a, 1] + dy * s / steps
            z = xyz[a, 2] + dz * s / steps + 2.0
            for i in range(int(np.floor(y)) - reach, int(np.floor(y)) + reach + 1):
                for j in range(int(np.floor(x)) - reach, int(np.floor(x)) + reach + 1):
                    if i < 0 or j < 0 or i >= rows or j >= columns or depth[i, j] > z:
                        continue
                    if (i + 0.5 - y) ** 2 + (j + 0.5 - x) ** 2 <= width * width / 4:
                        for m in range(3):
                            colour[i, j, m] = ink[m]


@jit
def _shrink(colour, n):
    """Return bytes (height / n, width / n, 3), each the mean of n by n samples."""
    rows, columns = colour.shape[0] // n, colour.shape[1] // n
    small = np.empty((rows, columns, 3), dtype=np.uint8)
    for i in range(rows):
        for j in range(columns):
            for m in range(3):
                total = 0.0
                for k in range(n):
                    for l in range(n):
                        total += colour[i * n + k, j * n + l, m]
                small[i, j, m] = int(255.0 * total / (n * n) + 0.5)
    return small

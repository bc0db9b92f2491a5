"""The outlines of beams and trusses for pictures: their section swept along the axis, and its motion with the nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..properties.section import Section
from .line import FloatArray, axis

IntArray = npt.NDArray[np.int64]
#: corners of a circle
CIRCLE_POINTS = 20


@dataclass(frozen=True, eq=False)
class Outline:
    """The outside of line elements: the same points and triangles on each of them.

    ``points`` (ne, q, 3) in m; ``shape`` (ne, q, 3, nd): the displacement of a point is ``shape @ u_e``, by the
    element's own interpolation; ``xi`` (q,) where along the element, 0 to 1; ``yz`` (q, 2) where on the section, in
    m, principal axes. ``triangles`` (t, 3) counter-clockwise seen from outside; ``ridges`` (e, 2) the sharp edges
    along the element, ``rings`` (2, e, 2) those around its first and its last section.
    """

    points: FloatArray
    shape: FloatArray
    xi: FloatArray
    yz: FloatArray
    triangles: IntArray
    ridges: IntArray
    rings: IntArray


def contour(section: Section) -> tuple[FloatArray, FloatArray | None, bool]:
    """Return a section's outer and inner contour, (k, 2) in m, counter-clockwise, and whether they are round.

    Its ``outline``, else a circle or tube by its ``radius`` and area, else its ``points``, else the rectangle with
    its radii of gyration. The inner contour of all but tubes is None.
    """
    if section.outline:
        return np.array(section.outline), None, False
    if section.radius is not None:
        angle = 2 * np.pi * np.arange(CIRCLE_POINTS) / CIRCLE_POINTS
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        bore = section.radius**2 - section.A / math.pi
        hollow = bore > 1e-6 * section.radius**2
        return section.radius * circle, math.sqrt(bore) * circle if hollow else None, True
    points = np.array(section.points, dtype=float).reshape(-1, 2)
    if len(points) < 3:
        y, z = math.sqrt(3 * section.Iz / section.A), math.sqrt(3 * section.Iy / section.A)
        points = np.array([[-y, -z], [y, -z], [y, z], [-y, z]])
    arm = points - points.mean(axis=0)
    return points[np.argsort(np.arctan2(arm[:, 1], arm[:, 0]))], None, False


def bar(X: FloatArray, radius: float, freedoms: int = 3) -> Outline:
    """Return straight round bars of a radius (m) between the first two nodes of X (ne, nn, 3).

    ``freedoms``: degrees of freedom of each node, of which the first three are its displacements.
    """
    X = np.asarray(X, dtype=float)
    ne, nn = X.shape[:2]
    _, along = axis(X)
    least = np.eye(3)[np.abs(along).argmin(axis=1)]
    y = np.cross(along, least)
    y /= np.linalg.norm(y, axis=1)[:, None]
    angle = 2 * np.pi * np.arange(CIRCLE_POINTS) / CIRCLE_POINTS
    circle = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    across = np.einsum("ka,eai->eki", circle, np.stack([y, np.cross(along, y)], axis=1))
    points = X[:, :2, None] + across[:, None]
    shape = np.zeros((2, CIRCLE_POINTS, 3, nn, freedoms))
    for end in (0, 1):
        shape[end, :, :, end, :3] = np.eye(3)
    return Outline(
        points.reshape(ne, -1, 3),
        np.broadcast_to(shape.reshape(-1, 3, freedoms * nn), (ne, 2 * CIRCLE_POINTS, 3, freedoms * nn)),
        np.repeat([0.0, 1.0], CIRCLE_POINTS),
        np.tile(circle, (2, 1)),
        *sides_of(circle, None, True, 2),
    )


def sides_of(outer: FloatArray, inner: FloatArray | None, smooth: bool, stations: int):
    """Return triangles, ridges and rings between ``stations`` sections, each of the outer and inner contour."""
    k, j = len(outer), 0 if inner is None else len(inner)
    n = k + j
    loop = np.arange(k)
    strips = [_strip(loop, np.roll(loop, -1), s * n, (s + 1) * n) for s in range(stations - 1)]
    last = (stations - 1) * n
    if inner is None:
        cap = np.array(ears(outer))
        caps = [cap[:, ::-1], cap + last]
    else:
        within = k + np.arange(j)
        strips += [_strip(np.roll(within, -1), within, s * n, (s + 1) * n) for s in range(stations - 1)]
        a, b, c, d = loop, np.roll(loop, -1), np.roll(within, -1), within
        cap = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        caps = [cap[:, ::-1], cap + last]
    corners = loop[:0] if smooth else loop
    ridges = np.concatenate(
        [np.stack([corners + s * n, corners + (s + 1) * n], 1) for s in range(stations - 1)]
    )
    around = np.stack([loop, np.roll(loop, -1)], 1)
    if inner is not None:
        around = np.concatenate([around, np.stack([k + loop, k + np.roll(loop, -1)], 1)])
    return np.concatenate([*strips, *caps]), ridges, np.stack([around, around + last])


def _strip(i: IntArray, j: IntArray, low: int, high: int) -> IntArray:
    """Return the triangles between points i, j of one section and the same of the next."""
    return np.concatenate(
        [np.stack([low + i, low + j, high + j], 1), np.stack([low + i, high + j, high + i], 1)]
    )


def ears(loop: FloatArray) -> list[tuple[int, int, int]]:
    """Return triangles that fill a plane outline (k, 2), counter-clockwise, by ear clipping."""
    left, found = list(range(len(loop))), []
    while len(left) > 3:
        for at in range(len(left)):
            trio = (left[at - 1], left[at], left[(at + 1) % len(left)])
            if _is_ear(loop, trio, left):
                break
        else:  # the remaining corners lie on one line
            break
        found.append(trio)
        left.remove(trio[1])
    return [*found, *((left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1))]


def _is_ear(loop: FloatArray, trio: tuple[int, int, int], left: list[int]) -> bool:
    """Return whether three corners of an outline form a convex triangle that contains none of the corners ``left``."""
    a, b, c = (loop[k] for k in trio)

    def turn(p: FloatArray, q: FloatArray, r: FloatArray) -> float:
        """Return twice the area of a triangle, positive if counter-clockwise."""
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    size = np.ptp(loop, axis=0).max() ** 2
    if turn(a, b, c) <= 1e-12 * size:
        return False
    others = (loop[k] for k in left if k not in trio)
    return not any(min(turn(a, b, p), turn(b, c, p), turn(c, a, p)) >= -1e-12 * size for p in others)

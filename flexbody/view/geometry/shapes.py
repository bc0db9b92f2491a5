"""Solids made of triangles, for bodies and joints without a mesh.

Every function returns points (n, 3) in metres and triangles (m, 3), counter-clockwise as seen from outside.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import scipy
from numpy.typing import ArrayLike

Solid = tuple[np.ndarray, np.ndarray]

CIRCLE_CORNERS = 40  # number of corners of a circle


def perpendicular(axis: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return unit vectors (a, b, axis), a right-handed base."""
    axis = np.asarray(axis, dtype=float)
    axis = axis / np.linalg.norm(axis)
    a = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    a /= np.linalg.norm(a)
    return a, np.cross(axis, a), axis


def prism(outline: ArrayLike, axis: ArrayLike, thickness: float, center: ArrayLike = (0, 0, 0)) -> Solid:
    """Return a convex outline (k, 3) in a plane perpendicular to ``axis``, with this thickness."""
    outline = np.asarray(outline, dtype=float) + np.asarray(center)
    _, _, axis = perpendicular(axis)
    turns = np.cross(outline - outline.mean(axis=0), np.roll(outline, -1, axis=0) - outline).sum(axis=0)
    if turns @ axis < 0:
        outline = outline[::-1]
    k = len(outline)
    points = np.concatenate([outline - axis * thickness / 2, outline + axis * thickness / 2])
    i = np.arange(k)
    j = (i + 1) % k
    sides = np.concatenate([np.stack([i, j, j + k], 1), np.stack([i, j + k, i + k], 1)])
    fan = np.stack([np.zeros(k - 2, int), np.arange(1, k - 1), np.arange(2, k)], 1)
    return points, np.concatenate([sides, fan[:, ::-1], fan + k])


def slab(outline: ArrayLike, axis: ArrayLike, thickness: float) -> Solid:
    """Return a closed outline (k, 3) of any shape in a plane perpendicular to ``axis``, with this thickness.

    Its points must be close together where it is hollow.
    """
    from matplotlib.path import Path

    points, sides = prism(outline, axis, thickness)
    k = len(points) // 2
    a, b, _ = perpendicular(axis)
    plane = points[:k] @ np.stack([a, b], axis=1)  # in the order of the sides, anticlockwise
    found = scipy.spatial.Delaunay(plane).simplices
    caps = found[Path(plane).contains_points(plane[found].mean(axis=1))]
    one, two, three = plane[caps].transpose(1, 0, 2)
    (x, y), (u, v) = (two - one).T, (three - one).T
    caps = np.where((x * v - y * u > 0)[:, None], caps, caps[:, ::-1])
    return points, np.concatenate([sides[: 2 * k], caps[:, ::-1], caps + k])


def cylinder(start: ArrayLike, end: ArrayLike, radius: float) -> Solid:
    """Return a round cylinder between two points."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    a, b, axis = perpendicular(end - start)
    angle = np.linspace(0, 2 * np.pi, CIRCLE_CORNERS, endpoint=False)[:, None]
    circle = (start + end) / 2 + radius * (np.cos(angle) * a + np.sin(angle) * b)
    return prism(circle, axis, float(np.linalg.norm(end - start)))


def plate(
    start: ArrayLike, end: ArrayLike, axis: ArrayLike, radii: tuple[float, float], thickness: float
) -> Solid:
    """Return a flat bar between two points with round ends of these radii; ``axis`` is its normal."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    across = np.cross(np.asarray(axis, float), along)
    across /= np.linalg.norm(across)
    inclination = np.arcsin(
        np.clip((radii[0] - radii[1]) / length, -1, 1)
    )  # angle of the straight sides, which are tangent to both circles

    def arc(center: np.ndarray, radius: float, first: float, last: float) -> np.ndarray:
        angle = np.linspace(first, last, CIRCLE_CORNERS // 2 + 1)[:, None]
        return center + radius * (np.cos(angle) * along + np.sin(angle) * across)

    side = np.pi / 2 - inclination
    outline = [arc(end, radii[1], -side, side), arc(start, radii[0], side, 2 * np.pi - side)]
    return prism(np.concatenate(outline), np.cross(along, across), thickness)


def cone(base: ArrayLike, tip: ArrayLike, radius: float, n_around: int = 20) -> Solid:
    """Return a circular cone with the centre of its base and its tip."""
    base, tip = np.asarray(base, float), np.asarray(tip, float)
    a, b, _ = perpendicular(tip - base)
    angle = np.linspace(0, 2 * np.pi, n_around, endpoint=False)[:, None]
    circle = base + radius * (np.cos(angle) * a + np.sin(angle) * b)
    i = np.arange(n_around)
    j = (i + 1) % n_around
    sides = np.stack([i, j, np.full(n_around, n_around)], 1)
    floor = np.stack([j, i, np.full(n_around, n_around + 1)], 1)
    return np.concatenate([circle, [tip, base]]), np.concatenate([sides, floor])


def arrow(tail: ArrayLike, tip: ArrayLike, radius: float, heads: int = 1) -> Solid:
    """Return an arrow with this shaft radius and one head, or two heads in a row (a moment)."""
    tail, tip = np.asarray(tail, float), np.asarray(tip, float)
    length = float(np.linalg.norm(tip - tail))
    along = (tip - tail) / length
    head = min(7 * radius, 0.45 * length)
    solids = [cone(tip - (k + 1) * head * along, tip - k * head * along, 2.8 * radius) for k in range(heads)]
    return joined(cylinder(tail, tip - 0.9 * heads * head * along, radius), *solids)


def sphere(center: ArrayLike, radius: float) -> Solid:
    """Return a ball."""
    return _rows(np.asarray(center, float), np.asarray(center, float), radius, np.array([0.0, 0.0, 1.0]))


def dot(center: ArrayLike, radius: float) -> Solid:
    """Return a ball of few triangles: an octahedron with each face divided into four."""
    points, triangles = _dot()
    return np.asarray(center, float) + radius * points, triangles


@cache
def _dot() -> Solid:
    """Return the dot of radius 1 about the origin."""
    signs = np.array(list(product((-1.0, 0.0, 1.0), repeat=3)))
    points = signs[np.isin(np.abs(signs).sum(axis=1), (1, 2))]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    triangles = scipy.spatial.ConvexHull(points).simplices.astype(np.int64)
    a, b, c = points[triangles].transpose(1, 0, 2)
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return points, triangles


def capsule(start: ArrayLike, end: ArrayLike, radius: float) -> Solid:
    """Return a round bar with round ends between two points."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    return _rows(start, end, radius, end - start)


def _rows(start: np.ndarray, end: np.ndarray, radius: float, axis: np.ndarray) -> Solid:
    """Return two hemispheres joined by a cylinder, as rings of points between two poles."""
    a, b, axis = perpendicular(axis)
    latitude = np.linspace(-np.pi / 2, np.pi / 2, CIRCLE_CORNERS // 2 + 3)[1:-1]
    if np.linalg.norm(end - start) > 0:
        latitude = np.concatenate([latitude[latitude < 1e-9], latitude[latitude > -1e-9]])
    angle = np.linspace(0, 2 * np.pi, CIRCLE_CORNERS, endpoint=False)
    ring = np.cos(angle)[:, None] * a + np.sin(angle)[:, None] * b
    n = len(latitude)
    points = [
        (start if k < n / 2 else end) + radius * (np.cos(phi) * ring + np.sin(phi) * axis)
        for k, phi in enumerate(latitude)
    ]
    poles = np.array([start - radius * axis, end + radius * axis])
    i = np.arange(CIRCLE_CORNERS)
    j, last = (i + 1) % CIRCLE_CORNERS, (n - 1) * CIRCLE_CORNERS
    south = np.stack([j, i, np.full(CIRCLE_CORNERS, n * CIRCLE_CORNERS)], 1)
    north = np.stack([last + i, last + j, np.full(CIRCLE_CORNERS, n * CIRCLE_CORNERS + 1)], 1)
    return np.concatenate([*points, poles]), np.concatenate([strip(n, CIRCLE_CORNERS), south, north])


def strip(n_rings: int, n_around: int) -> np.ndarray:
    """Return the triangles between rings of points, each closed on itself, (m, 3)."""
    i, j = np.meshgrid(np.arange(n_rings - 1), np.arange(n_around), indexing="ij")
    k = (j + 1) % n_around
    p, q, r, s = (
        x.ravel()
        for x in (i * n_around + j, i * n_around + k, (i + 1) * n_around + k, (i + 1) * n_around + j)
    )
    return np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)])


def tube(line: ArrayLike, radius: float, n_around: int = 12) -> Solid:
    """Return a tube of constant radius around a polyline (k, 3), open at its ends."""
    line = np.asarray(line, dtype=float)
    tangent = np.gradient(line, axis=0)
    length = np.linalg.norm(tangent, axis=1, keepdims=True)
    tangent = np.divide(tangent, length, out=np.tile([[1.0, 0.0, 0.0]], (len(line), 1)), where=length > 0)
    normal = np.empty_like(line)
    normal[0] = perpendicular(tangent[0])[0]
    for k in range(1, len(line)):  # transported without rotation about the tangent
        n = normal[k - 1] - tangent[k] * (normal[k - 1] @ tangent[k])
        size = np.linalg.norm(n)
        normal[k] = n / size if size > 1e-9 else perpendicular(tangent[k])[0]
    side = np.cross(tangent, normal)
    angle = np.linspace(0, 2 * np.pi, n_around, endpoint=False)[None, :, None]
    rings = line[:, None] + radius * (np.cos(angle) * normal[:, None] + np.sin(angle) * side[:, None])
    return rings.reshape(-1, 3), strip(len(line), n_around)


def box(center: ArrayLike, axes: ArrayLike, size: ArrayLike) -> Solid:
    """Return a block; the rows of axes (3, 3) are the directions of its edges, size (3,) holds their lengths."""
    axes, size = np.asarray(axes, float), np.asarray(size, float)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 * size[:2]
    return prism(corners @ axes[:2], axes[2], size[2], center)


def joined(*solids: Solid) -> Solid:
    """Return several solids as one set of points and triangles."""
    shift = np.cumsum([0, *(len(points) for points, _ in solids[:-1])])
    return (
        np.concatenate([points for points, _ in solids]),
        np.concatenate([triangles + n for (_, triangles), n in zip(solids, shift, strict=True)]),
    )


def band(
    inner: np.ndarray, outer: np.ndarray, axis: ArrayLike, thickness: float, closed: bool = True
) -> Solid:
    """Return the solid between two lines with equal numbers of points (k, 3), with this thickness along ``axis``.

    If ``closed`` is True, the last points are connected to the first, as in a wheel.
    """
    half = 0.5 * thickness * np.asarray(axis, dtype=float)
    k = len(inner)
    points = np.concatenate([inner - half, outer - half, outer + half, inner + half])
    i = np.arange(k if closed else k - 1)
    j = (i + 1) % k
    sides = [
        np.stack([i + a * k, j + a * k, j + b * k, i + b * k], 1) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))
    ]
    if not closed:
        ends = np.array([[0, k, 2 * k, 3 * k], [4 * k - 1, 3 * k - 1, 2 * k - 1, k - 1]])
        sides.append(ends)
    return of_quadrilaterals(points, np.concatenate(sides))


def of_quadrilaterals(points: np.ndarray, faces: np.ndarray) -> Solid:
    """Return the solid with these quadrilateral faces (m, 4), all of which point inward or all outward."""
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    a, b, c = points[triangles].transpose(1, 0, 2)
    inside_out = np.einsum("ij,ij->", a - points.mean(axis=0), np.cross(b - a, c - a)) < 0
    return points, triangles[:, ::-1] if inside_out else triangles

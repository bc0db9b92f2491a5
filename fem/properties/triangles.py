"""Triangles that fill a drawn shape: Delaunay's triangulation, refined until it holds all edges and no slivers.

Ruppert's method (A Delaunay refinement algorithm for quality 2-dimensional mesh generation, J. Algorithms 18, 1995)
with SciPy's triangulation, anew in each round: edges that are missing, or in whose circle a point lies, are halved;
then the centres of the circles round bad triangles become points. Triangles become small where walls are thin, and near
corners that turn inwards, where the shear stress has no limit. The wheels that do this (triangle, meshpy, cytriangle)
contain Shewchuk's Triangle, which is not free for commercial use; gmsh is an extra.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from ..common.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: points closer than this share of the shape's size are one
SAME_POINT = 1e-9
#: largest ratio of a circle's radius to the shortest side of its triangle: the smallest angle is 23 degrees
_SLIM = 1.3
#: inner angles of corners, rad: from the first they turn inwards, more than those of a circle of twelve edges or more;
#: below the second they stand out
_INWARDS, _OUTWARDS = np.radians(212.0), np.radians(150.0)
#: sides beside such corners: this share of the distance from them, and at them these shares of their shortest edges
_GRADING, _AT_INWARDS, _AT_OUTWARDS = 0.8, 0.15, 0.5
#: no triangle with a shorter side is divided, and no shorter edge
_SHORTEST_SIDE, _SHORTEST_EDGE = 1e-4, 1e-6
_ROUNDS, _POINTS_LIMIT = 100, 12_000
#: distance from an edge of a point that lies beside it
_BESIDE_EDGE = 1e-8
#: what to do where triangles can't be made
_TOO_CLOSE = (
    "this drawn section can't be divided into triangles: some of its corners or edges are too close to each other, or "
    "cross almost in parallel; draw them on each other, or farther apart"
)


def fill(parts: list[Floats], holes: list[Floats]) -> tuple[Floats, Ints]:
    """Return points (n, 2) and triangles (m, 3), counter-clockwise, that fill the union of polygons less holes.

    The shape has about the size one. Where it has no area, m = 0.
    """
    points, edges = arranged(parts + holes)
    narrow = _narrow(points, edges)
    apex = np.unique(narrow[:, 0])
    points, edges, triangles = _held(points, edges, apex)
    inside = _inside(points, triangles, parts, holes)
    sharp = _sharp_corners(points, triangles[inside], edges)
    rays = points[narrow]
    for _ in range(_ROUNDS):
        new = _centres_of_bad(points, triangles[inside], sharp, rays)
        if len(new) == 0:
            break
        halve, beside = _met(points, edges, new)
        points = np.vstack([points, new[~beside]])
        points, edges, triangles = _held(*_halved(points, edges, halve, apex), apex)
        inside = _inside(points, triangles, parts, holes)
    _check_edge(triangles[inside], edges, len(points))
    used, corners = np.unique(triangles[inside], return_inverse=True)
    return points[used], corners.reshape(-1, 3)


def overlap(parts: list[Floats], hole: Floats) -> bool:
    """Return whether a polygon has area in common with one of others: points beside all edges tell."""
    points, edges = arranged([*parts, hole])
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    across = (b - a)[:, ::-1] * (-1, 1) / np.linalg.norm(b - a, axis=1)[:, None]
    near = np.vstack([0.5 * (a + b) + _BESIDE_EDGE * across, 0.5 * (a + b) - _BESIDE_EDGE * across])
    inside = contains(hole, near)
    return bool(any((inside & contains(part, near)).any() for part in parts))


def goes_round_twice(polygon: Floats) -> bool:
    """Return whether the outline of a polygon of about the size one encloses nothing, for it is traced twice."""
    return not overlap([polygon], polygon)


def arranged(polygons: list[Floats]) -> tuple[Floats, Ints]:
    """Return the corners of polygons (k, 2) and all their crossings, each once, and the edges between them (m, 2)."""
    first = np.vstack(polygons)
    second = np.vstack([np.roll(polygon, -1, axis=0) for polygon in polygons])
    along = second - first
    length2 = (along**2).sum(axis=1)
    found = np.vstack([first, _crossings(first, along)])
    points = found[_first_of_each(found)]
    edges = []
    for a, d, l2 in zip(first, along, length2, strict=True):
        arm = points - a
        share = arm @ d / l2
        off = np.abs(arm[:, 0] * d[1] - arm[:, 1] * d[0]) / np.sqrt(l2)
        tolerance = SAME_POINT / np.sqrt(l2)
        on = np.flatnonzero((off < SAME_POINT) & (share > -tolerance) & (share < 1 + tolerance))
        chain = on[np.argsort(share[on])]
        edges.append(np.sort(np.stack([chain[:-1], chain[1:]], axis=1), axis=1))
    return points, np.unique(np.vstack(edges), axis=0)


def _first_of_each(points: Floats) -> Ints:
    """Return the indices of points no two of which are the same."""
    near = scipy.spatial.cKDTree(points).query_pairs(SAME_POINT, output_type="ndarray")
    return np.setdiff1d(np.arange(len(points)), near.max(axis=1) if len(near) else [])


def _crossings(first: Floats, along: Floats) -> Floats:
    """Return the points in which edges cross or touch."""
    i, s, _, _ = _met_lines(first, along, SAME_POINT)
    found: Floats = first[i] + s[:, None] * along[i]
    return found


def self_crossing(polygon: Floats) -> tuple[int, int] | None:
    """Return the first corners of two edges of a polygon of about the size one that cross, not only touch."""
    i, _, j, _ = _met_lines(polygon, np.roll(polygon, -1, axis=0) - polygon, -SAME_POINT)
    return (int(i[0]), int(j[0])) if len(i) else None


def _met_lines(first: Floats, along: Floats, beyond: float) -> tuple[Ints, Floats, Ints, Floats]:
    """Return pairs of edges that meet and where, as shares of their lengths, up to ``beyond`` their ends."""
    second, pad = first + along, abs(beyond) * np.linalg.norm(along, axis=1)[:, None]
    low, high = (np.minimum(first, second) - pad).T, (np.maximum(first, second) + pad).T
    near = np.ones(2 * [len(first)], dtype=bool)
    for least, largest in zip(low, high, strict=True):  # boxes round the edges
        near &= (least[:, None] <= largest) & (largest[:, None] >= least)
    i, j = np.nonzero(np.triu(near, 1))
    a, b, between = along[i], along[j], first[j] - first[i]
    det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (between[:, 0] * b[:, 1] - between[:, 1] * b[:, 0]) / det
        t = (between[:, 0] * a[:, 1] - between[:, 1] * a[:, 0]) / det
    parallel = np.abs(det) < 1e-12 * np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    meet = ~parallel & (s > -beyond) & (s < 1 + beyond) & (t > -beyond) & (t < 1 + beyond)
    return i[meet], s[meet], j[meet], t[meet]


def _narrow(points: Floats, edges: Ints) -> Ints:
    """Return (apex, end of one edge, end of another) for edges that meet at less than 60 degrees."""
    found = []
    for apex in range(len(points)):
        ends = np.concatenate([edges[edges[:, k] == apex, 1 - k] for k in (0, 1)])
        arm = points[ends] - points[apex]
        arm /= np.linalg.norm(arm, axis=1)[:, None]
        i, j = np.nonzero(np.triu(arm @ arm.T > 0.5 + 1e-9, 1))
        found += [(apex, ends[a], ends[b]) for a, b in zip(i, j, strict=True)]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _held(points: Floats, edges: Ints, apex: Ints) -> tuple[Floats, Ints, Ints]:
    """Return points, edges and Delaunay's triangles, which have all edges: these are halved until they do."""
    for _ in range(_ROUNDS):
        triangles = _delaunay(points)
        sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        n = len(points)
        missing = ~np.isin(edges[:, 0] * n + edges[:, 1], sides[:, 0] * n + sides[:, 1])
        length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
        halve = (missing | _met(points, edges, points)[0]) & (length > _SHORTEST_EDGE)
        if not halve.any():
            break
        points, edges = _halved(points, edges, halve, apex)
        if len(points) > _POINTS_LIMIT:
            raise InputError(_TOO_CLOSE)
    return points, edges, triangles


def _check_edge(triangles: Ints, edges: Ints, n: int) -> None:
    """Raise InputError unless the triangles end at edges of the shape alone; ``n`` points."""
    sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    numbers, counts = np.unique(sides[:, 0] * n + sides[:, 1], return_counts=True)
    ends = np.sort(edges, axis=1)
    if (counts > 2).any() or not np.isin(numbers[counts == 1], ends[:, 0] * n + ends[:, 1]).all():
        raise InputError(_TOO_CLOSE)


def _delaunay(points: Floats) -> Ints:
    """Return Delaunay's triangles, counter-clockwise, without those that have no area."""
    triangles: Ints = scipy.spatial.Delaunay(points).simplices.astype(np.int64)
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    twice = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    triangles[twice < 0] = triangles[twice < 0][:, ::-1]
    kept: Ints = triangles[np.abs(twice) > 1e-6 * ((b - a) ** 2 + (c - b) ** 2).sum(axis=1)]
    return kept


def _met(points: Floats, edges: Ints, others: Floats) -> tuple[Bools, Bools]:
    """Return which edges have one of the other points in their circle, and which points lie in such a circle."""
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    radius = 0.5 * np.linalg.norm(b - a, axis=1)
    near = scipy.spatial.cKDTree(others).query_ball_point(0.5 * (a + b), radius * (1 - 1e-7))
    halve = np.array([len(its) > 0 for its in near], dtype=bool)
    inside = np.zeros(len(others), dtype=bool)
    for its in near:
        inside[its] = True
    return halve, inside


def _halved(points: Floats, edges: Ints, which: Bools, apex: Ints) -> tuple[Floats, Ints]:
    """Return points and edges, some of which are divided: in the middle, but from a narrow apex at a power of two.

    Edges that meet there are then divided at the same distances, and do not divide each other without end.
    """
    a, b = edges[which].T
    narrow_a, narrow_b = np.isin(a, apex), np.isin(b, apex)
    length = np.linalg.norm(points[b] - points[a], axis=1)
    share = np.exp2(np.round(np.log2(0.5 * length))) / length
    share = np.where(narrow_a == narrow_b, 0.5, np.where(narrow_a, share, 1 - share))
    middle = len(points) + np.arange(len(a))
    halves = [np.stack([a, middle], axis=1), np.stack([b, middle], axis=1)]
    new = points[a] + share[:, None] * (points[b] - points[a])
    return np.vstack([points, new]), np.vstack([edges[~which], *halves])


def _inside(points: Floats, triangles: Ints, parts: list[Floats], holes: list[Floats]) -> Bools:
    """Return which triangles lie in one of the parts and in no hole."""
    centres = points[triangles].mean(axis=1)
    order = np.argsort(centres[:, 0])
    along = centres[order, 0]
    within = np.zeros(len(triangles), dtype=bool)
    for polygons, value in ((parts, True), (holes, False)):
        for polygon in polygons:
            start, end = np.searchsorted(along, (polygon[:, 0].min(), polygon[:, 0].max()))
            some = order[start:end]
            within[some[contains(polygon, centres[some])]] = value
    return within


def contains(polygon: Floats, points: Floats) -> Bools:
    """Return which points lie in a polygon: those from which a ray crosses it an odd number of times."""
    found: Bools = ((points >= polygon.min(axis=0)) & (points <= polygon.max(axis=0))).all(axis=1)
    a, b = polygon, np.roll(polygon, -1, axis=0)
    y, z = points[found, :1], points[found, 1:]
    crosses = (a[:, 1] > z) != (b[:, 1] > z)
    rise = np.where(a[:, 1] == b[:, 1], 1.0, b[:, 1] - a[:, 1])
    beside = crosses & (y < a[:, 0] + (z - a[:, 1]) / rise * (b[:, 0] - a[:, 0]))
    found[found] = beside.sum(axis=1) % 2 == 1
    return found


def _sharp_corners(points: Floats, triangles: Ints, edges: Ints) -> Floats:
    """Return the corners (k, 3) of the shape: y, z and the size of triangles there.

    At a corner that turns inwards by the inner angle b the stress grows as r^(p - 1), p = pi / b, and the error of
    triangles of size h about as ((1 - p) h^p)^2: weak corners, as of polygons for circles, take larger ones than
    right-angled ones (p = 2/3) for the same error.
    """
    angle = np.zeros(len(points))
    corners = points[triangles]
    for k in range(3):
        p, q = (corners[:, (k + i) % 3] - corners[:, k] for i in (1, 2))
        cross, dot = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0], (p * q).sum(axis=1)
        np.add.at(angle, triangles[:, k], np.arctan2(cross, dot))
    length = np.full(len(points), np.inf)
    for k in (0, 1):
        np.minimum.at(length, edges[:, k], np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1))
    inwards = (angle > _INWARDS) & (angle < 2 * np.pi - 1e-6)
    sharp = inwards | ((angle > 0) & (angle < _OUTWARDS))
    power = np.pi / np.where(inwards, angle, 1.5 * np.pi)
    weaker = (1 - 2 / 3) / (1 - power)
    share = (_AT_INWARDS ** (4 / 3) * weaker**2) ** (0.5 / power)
    size = np.where(inwards, np.clip(share, _AT_INWARDS, 1.0), _AT_OUTWARDS) * length
    return np.column_stack([points[sharp], size[sharp]])


def _centres_of_bad(points: Floats, triangles: Ints, sharp: Floats, rays: Floats) -> Floats:
    """Return the centres of the circles round slim and large triangles, of those that are close to others one each.

    A triangle whose shortest side spans the two ``rays`` (k, 3, 2) of a narrow apex can't be better.
    """
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    p, q = b - a, c - a
    det = 2 * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
    p2, q2 = (p**2).sum(axis=1), (q**2).sum(axis=1)
    arm = np.stack([q[:, 1] * p2 - p[:, 1] * q2, p[:, 0] * q2 - q[:, 0] * p2], axis=1) / det[:, None]
    radius = np.linalg.norm(arm, axis=1)
    sides = np.sqrt(np.stack([p2, q2, ((c - b) ** 2).sum(axis=1)]))
    bad = radius > _SLIM * sides.min(axis=0)
    bad[bad] = ~_spans(points[triangles[bad]], sides[:, bad], rays)
    if len(sharp):
        middle, longest = (a + b + c) / 3, sides.max(axis=0)
        near = scipy.spatial.cKDTree(sharp[:, :2]).query_ball_point(middle, longest / _GRADING)
        count = np.array([len(its) for its in near], dtype=np.int64)
        which, corner = np.repeat(np.arange(len(near)), count), np.concatenate(near).astype(np.int64)
        bad[which[longest[which] > sharp[corner, 2]]] = True
    bad &= sides.min(axis=0) > _SHORTEST_SIDE
    order = np.flatnonzero(bad)[np.argsort(-radius[bad], kind="stable")]
    centres: Floats = (a + arm)[order]
    chosen: Floats = centres[_apart(centres, radius[order])]
    return chosen


def _spans(X: Floats, sides: Floats, rays: Floats) -> Bools:
    """Return whether the shortest side of triangles X (m, 3, 2) joins two rays at the same distance from their apex."""
    shortest = np.array([[0, 1], [0, 2], [1, 2]])[sides.argmin(axis=0)]
    ends = np.take_along_axis(X, shortest[:, :, None], axis=1)
    found = np.zeros(len(X), dtype=bool)
    for apex, first, second in rays:
        arm = ends - apex
        length = np.linalg.norm(arm, axis=2)
        unit = np.stack([(p - apex) / np.linalg.norm(p - apex) for p in (first, second)])
        along = np.einsum("mki,ri->mkr", arm, unit) > length[..., None] * (1 - 1e-12)
        equal = np.abs(length[:, 0] - length[:, 1]) < 1e-6 * length[:, 0]
        found |= equal & ((along[:, 0, 0] & along[:, 1, 1]) | (along[:, 0, 1] & along[:, 1, 0]))
    return found


def _apart(centres: Floats, radius: Floats) -> Ints:
    """Return the indices of circles whose centres lie outside those chosen before."""
    free = np.ones(len(centres), dtype=bool)
    chosen = []
    near = scipy.spatial.cKDTree(centres).query_ball_point(centres, radius) if len(centres) else []
    for k, its in enumerate(near):
        if free[k]:
            chosen.append(k)
            free[its] = False
    return np.array(chosen, dtype=np.int64)

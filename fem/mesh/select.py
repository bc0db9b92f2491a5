"""Selection of nodes by geometry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..common.errors import InputError
from ..common.numbers import is_number, numbers, shown
from ..elements import SHAPES
from .block import Block


def shortest_edge(points: np.ndarray, blocks: Sequence[Block]) -> float:
    """Return the shortest straight distance between the two corners of an element's edge, in m."""
    shortest = np.inf
    for block in blocks:
        a, b = np.array(SHAPES[block.element].edges).T
        edges = np.linalg.norm(points[block.nodes[:, a]] - points[block.nodes[:, b]], axis=2)
        shortest = min(shortest, float(edges[edges > 0].min(initial=np.inf)))
    return shortest


def _vector(value, what: str) -> np.ndarray:
    return numbers(value, (3,), what)


def _parts(value, count: int, what: str) -> tuple:
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) != count:
        raise InputError(f"{what}, not {shown(value)}")
    return tuple(value)


def _direction(value, what: str) -> np.ndarray:
    vector = _vector(value, what)
    length = np.linalg.norm(vector)
    if length == 0:
        raise InputError(f"{what} must not be zero")
    return vector / length


def distances_to(points: np.ndarray, plane, cylinder, box, nearest) -> list[np.ndarray]:
    """Return the distance of every point from each given shape, in m."""
    distances = []
    if plane is not None:
        point, normal = _parts(plane, 2, "plane= must be (point, normal), such as ((0, 0, 0), (1, 0, 0))")
        distances.append(
            np.abs((points - _vector(point, "plane point")) @ _direction(normal, "plane normal"))
        )
    if cylinder is not None:
        point, axis, radius = _parts(cylinder, 3, "cylinder= must be (point, axis, radius)")
        if not (is_number(radius) and radius > 0):
            raise InputError(f"the cylinder's radius must be positive, not {shown(radius)}")
        axis, arm = _direction(axis, "cylinder axis"), points - _vector(point, "cylinder point")
        from_axis = np.linalg.norm(arm - np.outer(arm @ axis, axis), axis=1)
        distances.append(np.abs(from_axis - radius))
    if box is not None:
        low, high = (_vector(corner, "box corner") for corner in _parts(box, 2, "box= must be (low, high)"))
        if (low > high).any():
            raise InputError(
                f"the box's first corner {low.tolist()} must be below its second {high.tolist()}"
            )
        distances.append(np.maximum(np.maximum(low - points, points - high).max(axis=1), 0.0))
    if nearest is not None:
        distances.append(np.linalg.norm(points - _vector(nearest, "nearest point"), axis=1))
    return distances


def chosen_nodes(
    distances: Sequence[np.ndarray], allowed: np.ndarray, tol: float, nearest: bool
) -> tuple[np.ndarray, float]:
    """Return the sorted node numbers that :meth:`fem.Mesh.select` selects, and the distance of the closest node, in m.

    ``distances`` of :func:`distances_to`; ``allowed`` (n,) the nodes that may be selected; with ``nearest`` the one
    node that is closest by the last of the distances, within ``tol`` (m) by the others.
    """
    if nearest:
        others = np.max(distances[:-1], axis=0) if len(distances) > 1 else np.zeros(len(allowed))
        allowed, distance = allowed & (others <= tol), distances[-1]
        if allowed.any():
            found = np.flatnonzero(allowed)
            return found[[np.argmin(distance[found])]], float(distance[found].min())
        return np.empty(0, np.int64), np.inf
    distance = np.max(distances, axis=0)
    closest = float(distance[allowed].min()) if allowed.any() else np.inf
    return np.flatnonzero(allowed & (distance <= tol)), closest

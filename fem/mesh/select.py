"""Picking nodes by geometry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import InputError, MeshError
from ..common.numbers import is_number, numbers, shown
from ..elements import SHAPES

if TYPE_CHECKING:
    from .mesh import Mesh


def shortest_edge(mesh: Mesh) -> float:
    """Shortest straight distance between the two corners of an element's edge, in m."""
    shortest = np.inf
    for block in mesh.blocks:
        a, b = np.array(SHAPES[block.element].edges).T
        edges = np.linalg.norm(mesh.points[block.nodes[:, a]] - mesh.points[block.nodes[:, b]], axis=2)
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


def _distances(points: np.ndarray, plane, cylinder, box, nearest) -> list[np.ndarray]:
    """Distance of every point from each shape that is given, in m."""
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
    mesh: Mesh, name: str, plane, cylinder, box, nearest, tol: float | None, surface: bool | None
) -> np.ndarray:
    """Return the sorted node numbers that :meth:`fem.Mesh.select` asks for."""
    distances = _distances(mesh.points, plane, cylinder, box, nearest)
    if not distances:
        raise InputError(f"say where the set {name!r} is: plane=, cylinder=, box= or nearest=")
    if tol is None:
        tol = 1e-3 * shortest_edge(mesh)
    elif not (is_number(tol) and tol >= 0):
        raise InputError(f"tol= of the set {name!r} must be a length in m, not {shown(tol)}")
    if nearest is not None:
        others = np.max(distances[:-1], axis=0) if len(distances) > 1 else np.zeros(mesh.n_nodes)
        allowed, distance = others <= tol, distances[-1]
    else:
        allowed, distance = np.ones(mesh.n_nodes, bool), np.max(distances, axis=0)
    if surface if surface is not None else cylinder is not None:
        outside = np.zeros(mesh.n_nodes, bool)
        for block in mesh.exterior:
            outside[block.nodes] = True
        allowed &= outside
    if nearest is not None and allowed.any():
        return np.array([np.flatnonzero(allowed)[np.argmin(distance[allowed])]])
    picked = np.flatnonzero(allowed & (distance <= tol))
    if not len(picked) or nearest is not None:
        closest = distance[allowed].min() if allowed.any() else np.inf
        raise MeshError(
            f"no node of mesh {mesh.name!r} for the set {name!r}: the closest is {closest:.3g} m away and "
            f"tol is {tol:.3g} m; check the numbers and the units (the mesh spans "
            f"{mesh.bounding_box.tolist()} m), or give tol="
        )
    return picked

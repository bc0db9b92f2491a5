"""Directions of the layers of shells in Abaqus files."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..system_axes import SystemAxis
from .directions import Directions
from .keywords import Keyword, number_of
from .scope import Scope

#: angle in rad between the x axis and the normal of a shell below which the z axis gives its directions
_NORMAL_ANGLE = np.radians(0.1)
#: decimals in degrees to which the angles of layers are compared
_DECIMALS = 9


class ShellAxes(NamedTuple):
    """Axis 1 of a shell, a direction or a function of the place in m, and the angles of its layers in degrees."""

    axis: tuple[float, ...] | SystemAxis
    degrees: tuple[float, ...] = ()


def axes_of_shells(
    directions: Directions, scope: Scope, word: Keyword, corners: np.ndarray, length: float
) -> list[ShellAxes]:
    """Return the axes of shells by their corners (ne, 3 or 4, 3) in the file's unit of length, ``length`` in m.

    Without an orientation axis 1 is the projected x axis, or z where x is the normal. Angles of layers are those of
    their own orientations or numbers.
    """
    normals, middles = _normals(corners), corners.mean(axis=1) * length
    name = word.options.get("ORIENTATION")
    if name:
        found = directions.shell_axis(scope, name, length, middles, normals)
        axes = [found] * len(corners)
    else:
        x, _, z = scope.turned(np.eye(3))
        steep = np.abs(normals @ x) > np.cos(_NORMAL_ANGLE)
        axes = [tuple((z if one else x).tolist()) for one in steep]
    if "COMPOSITE" not in word.options:
        return [ShellAxes(axis) for axis in axes]
    first = np.array([_at(axis, middle[None])[0] for axis, middle in zip(axes, middles, strict=True)])
    angles = np.column_stack(
        [_angles(directions, scope, row, length, middles, normals, first) for row in word.rows()]
    )
    return [ShellAxes(axis, tuple(its)) for axis, its in zip(axes, angles.tolist(), strict=True)]


def _angles(
    directions: Directions,
    scope: Scope,
    row: list[str],
    length: float,
    middles: np.ndarray,
    normals: np.ndarray,
    first: np.ndarray,
) -> np.ndarray:
    """Return the angle (ne,) in degrees of a layer from axis 1 (ne, 3), about the normals."""
    given = row[3] if len(row) > 3 and row[3] else "0"
    try:
        return np.full(len(middles), number_of(given))
    except ValueError:
        own = _at(directions.shell_axis(scope, given, length, middles, normals), middles)
    up, along = np.einsum("ei,ei->e", normals, own), np.einsum("ei,ei->e", normals, first)
    sine = np.einsum("ei,ei->e", normals, np.cross(first, own))
    cosine = np.einsum("ei,ei->e", first, own) - up * along
    return np.round(np.degrees(np.arctan2(sine, cosine)), _DECIMALS) + 0.0


def _at(axis: tuple[float, ...] | SystemAxis, points: np.ndarray) -> np.ndarray:
    """Return the directions (n, 3) at points (n, 3) in m."""
    return axis(points) if isinstance(axis, SystemAxis) else np.broadcast_to(np.array(axis), points.shape)


def _normals(corners: np.ndarray) -> np.ndarray:
    """Return the normals (ne, 3), of length one, of triangles or quadrilaterals."""
    if corners.shape[1] == 3:
        found = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    else:
        found = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    size = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.where(size > 0, size, 1.0))

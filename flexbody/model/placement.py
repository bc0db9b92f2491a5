"""The placement of a flexible body: the rigid motion from the base of its mesh to the inertial base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match
from fem.common.numbers import floats, shown, vector
from modal import ReducedBody

from ..core.rotation import smallest_rotation


class Placement(NamedTuple):
    """What a user gives of the place of a flexible body; see :class:`flexbody.FlexibleBody`."""

    place: Mapping[str, ArrayLike] | None
    origin: ArrayLike
    rotation: ArrayLike | None
    up: ArrayLike | None

    def motion(self, reduced: ReducedBody, where: str) -> tuple[np.ndarray, np.ndarray]:
        """Return rotation and position of the base of the mesh.

        Parameters
        ----------
        reduced : modal.ReducedBody
            The reduced data of the body.
        where : str
            Kind and name of the body, for messages.

        Returns
        -------
        rotation, origin : numpy.ndarray
            Rotation matrix from the base of the mesh to the inertial base, (3, 3), and position of its origin, (3,), m.

        Raises
        ------
        fem.InputError
            If the body can't be placed: unknown interfaces, distances that do not fit, or a matrix that is not a
            rotation.
        """
        origin, markers = vector(self.origin, f"{where}: origin"), reduced.markers
        if self.place is None:
            if self.up is not None:
                raise InputError(f"{where}: up= belongs to place=; with origin= use rotation= instead")
            return _given_rotation(self.rotation, where), origin
        if self.rotation is not None or origin.any():
            raise InputError(f"{where}: give either place= or origin= and rotation=, not both")
        if not isinstance(self.place, Mapping):
            raise InputError(
                f"{where}: place is {called(self.place)}; give a dict {{'interface': (x, y, z), ...}}"
            )
        unknown = [name for name in self.place if name not in markers]
        if unknown or not self.place:
            raise InputError(
                f"{where}: place= names {with_match(unknown, markers)}, but the body has {listing(markers)}"
            )
        source = np.array([markers[name].point + reduced.origin for name in self.place])
        target = np.array([vector(p, f"{where}: place[{name!r}]") for name, p in self.place.items()])
        return _fit(source, target, self, where)


def _given_rotation(given: ArrayLike | None, where: str) -> np.ndarray:
    rotation = floats(np.eye(3) if given is None else given)
    if rotation is None or rotation.shape != (3, 3):
        raise InputError(
            f"{where}: rotation is {shown(given)}; it must be a 3 x 3 rotation matrix. Of angles in degrees make one "
            "with scipy.spatial.transform.Rotation.from_euler('xyz', (0, 90, 0), degrees=True).as_matrix()"
        )
    error = np.abs(rotation.T @ rotation - np.eye(3)).max()
    if not error < 1e-9:
        raise InputError(
            f"{where}: rotation is not a rotation matrix: R^T R differs from the unit matrix by {error:.3g}"
        )
    if np.linalg.det(rotation) < 0:
        raise InputError(
            f"{where}: rotation mirrors the body: its determinant is -1; give a matrix with determinant 1"
        )
    return rotation


def _fit(
    source: np.ndarray, target: np.ndarray, given: Placement, where: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rigid motion that takes the points ``source`` (m, 3) to the points ``target`` (m, 3)."""
    names = listing(given.place or ())
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    # The line goes from the first point to the point that is farthest from it.
    last = int(np.argmax(np.linalg.norm(source - source[0], axis=1)))
    line, goal = source[last] - source[0], target[last] - target[0]
    spread = np.linalg.svd(a, compute_uv=False)
    if len(a) == 1:
        rotation = np.eye(3)
    elif not (np.linalg.norm(line) > 0 and np.linalg.norm(goal) > 0):
        raise InputError(f"{where}: place= needs points at different positions, but {names} coincide")
    elif len(a) == 2 or spread[1] < 1e-6 * spread[0]:
        rotation = smallest_rotation(line, goal)
    else:
        if given.up is not None:
            raise InputError(
                f"{where}: three points in place= determine the rotation completely; leave up= out"
            )
        U, _, Vt = np.linalg.svd(b.T @ a)
        rotation = U @ np.diag([1, 1, np.linalg.det(U @ Vt)]) @ Vt
    if given.up is not None:
        rotation = _spin(rotation, goal if len(a) > 1 else None, given.up, where) @ rotation
    miss = float(np.linalg.norm(b - a @ rotation.T, axis=1).max())
    if miss > 1e-3 * np.abs(a).max():
        raise InputError(
            _misfit(where, names, miss, float(np.linalg.norm(line)), float(np.linalg.norm(goal)))
        )
    return rotation, target.mean(axis=0) - rotation @ source.mean(axis=0)


def _misfit(where: str, names: str, miss: float, length: float, goal: float) -> str:
    """Return the message for points whose distance in the mesh differs from their distance in ``place``."""
    text = (
        f"{where} does not fit the points of place=: its interfaces {names} miss the given points by {miss:.4g} m. "
        f"Their distance is {length:.6g} m in the mesh and {goal:.6g} m in place="
    )
    if abs(length / goal - 1000) < 10 or abs(goal / length - 1000) < 10:
        return (
            text + ": one of them is in millimetres; read the mesh with units=, or give the points in metres"
        )
    return text + ": check the units of the mesh and the points"


def _spin(rotation: np.ndarray, line: np.ndarray | None, upwards: ArrayLike, where: str) -> np.ndarray:
    """Return the rotation about ``line`` that brings the z axis of the mesh closest to ``upwards``."""
    up = vector(upwards, f"{where}: up")
    z = rotation[:, 2]
    if line is not None:
        line = line / np.linalg.norm(line)
        up, z = up - line * (line @ up), z - line * (line @ z)
    if np.linalg.norm(up) < 1e-9 or np.linalg.norm(z) < 1e-9:
        raise InputError(
            f"{where}: up= or the z axis of the mesh is parallel to the line between the points; give another up="
        )
    if line is None:
        return smallest_rotation(z, up)
    angle = np.arctan2(line @ np.cross(z, up), z @ up)
    skew = np.cross(np.eye(3), line)
    turn: np.ndarray = np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
    return turn

"""Solids that show joints in space, by their free motions: a pin, a cross, a ball, a plate, a cube."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..geometry.shapes import Solid, box, cylinder, joined, sphere


def count_free_motions(joint: Any) -> tuple[int, int]:
    """Return the numbers of free translations and rotations of a joint."""
    rotations = sum(bool(motion.rotation) for motion in joint.free)
    return len(joint.free) - rotations, rotations


def joint_solid(joint: Any, frame: Any, unit: float) -> Solid | None:
    """Return the symbol of a joint at a frame of its host, in the base of the host; None if it holds nothing.

    It is a pin for one free rotation, a cross of two pins for two, a ball for three. For motion in a plane it is a disc
    or a ball on a plate (:func:`plane_solid`), for a thread a pin with collars, and for translations in all directions
    a cube.
    """
    translations, rotations = count_free_motions(joint)
    x, (a, _, axis) = frame.x, frame.A.T
    if translations == 3:
        return box(x, frame.A.T, 3 * (2.4 * unit,)) if rotations < 3 else None
    if translations == 2:
        return cylinder(x, x + 0.9 * unit * axis, 1.3 * unit) if rotations == 1 else sphere(x, 1.1 * unit)
    if joint.threaded or rotations == 0:
        collars = [_pin(x + side * 1.5 * unit * axis, axis, 0.25 * unit, 1.3 * unit) for side in (-1, 0, 1)]
        return joined(_pin(x, axis, 3 * unit, 0.7 * unit), *collars)
    if rotations == 1:
        return _pin(x, axis, 2 * unit, 0.55 * unit)
    if rotations == 2:
        return joined(
            _pin(x, axis, 2 * unit, 0.45 * unit), _pin(x, a, 2 * unit, 0.45 * unit), sphere(x, 0.75 * unit)
        )
    return sphere(x, 1.5 * unit)


def plane_solid(frame: Any, places: np.ndarray, unit: float) -> Solid:
    """Return the plate that the point of a joint moves on, in the base of its first body.

    ``places`` (k, 2), m, are positions of the point in the plane.
    """
    a, b, axis = frame.A.T
    low, high = places.min(axis=0) - 4.5 * unit, places.max(axis=0) + 4.5 * unit
    center = frame.x + (low + high) @ np.stack([a, b]) / 2 - 0.2 * unit * axis
    return box(center, np.stack([a, b, axis]), (*(high - low), 0.4 * unit))


def _pin(x: np.ndarray, axis: np.ndarray, half: float, radius: float) -> Solid:
    return cylinder(x - half * axis, x + half * axis, radius)

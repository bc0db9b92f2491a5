"""What joints look like in space, by the motions that they leave free: a pin, a cross, a ball, a plate, a rod."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .colours import Colour
from .motion import Poses
from .parts import Surface
from .shapes import Solid, box, cylinder, joined, sphere


def freedom(joint: Any) -> tuple[int, int]:
    """Return how many translations and rotations a joint leaves free."""
    turns = sum(bool(motion.rotation) for motion in joint.free)
    return len(joint.free) - turns, turns


def joint_solid(joint: Any, frame: Any, unit: float) -> Solid | None:
    """Return the symbol of a joint at a frame (x, axes A) of its host, in the host's base; None for nothing.

    A pin for one free rotation, a cross of two for two, a ball for three; a plate with a ball for motion in a plane;
    a pin between collars where a thread couples turn and slide.
    """
    translations, turns = freedom(joint)
    x, (a, b, axis) = frame.x, frame.A.T
    if translations == 3:
        return None
    if translations == 2:
        plate = box(x - 0.5 * unit * axis, np.stack([a, b, axis]), (9 * unit, 9 * unit, 0.4 * unit))
        return joined(plate, sphere(x, 0.9 * unit))
    if turns == 1:
        return _pin(x, axis, 2 * unit, 0.55 * unit)
    if turns == 2:
        return joined(
            _pin(x, axis, 2 * unit, 0.45 * unit), _pin(x, a, 2 * unit, 0.45 * unit), sphere(x, 0.75 * unit)
        )
    if turns == 0:
        collars = [_pin(x + side * 1.5 * unit * axis, axis, 0.25 * unit, 1.3 * unit) for side in (-1, 0, 1)]
        return joined(_pin(x, axis, 3 * unit, 0.7 * unit), *collars)
    return sphere(x, 1.5 * unit)


def _pin(x: np.ndarray, axis: np.ndarray, half: float, radius: float) -> Solid:
    return cylinder(x - half * axis, x + half * axis, radius)


@dataclass(frozen=True, eq=False)
class Rod:
    """A straight bar between points of two bodies, with a ball at each end."""

    ends: tuple[tuple[str, np.ndarray, np.ndarray], ...]  # body, x (3,), Phi (3, N) of both ends
    radius: float
    colour: Colour
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        solid = self._solid(np.zeros(3), np.array([0.0, 0.0, 20 * self.radius]))
        surface = Surface.of(*solid)
        object.__setattr__(self, "surface", Surface(surface.source, surface.triangles, surface.edges[:0]))

    def _solid(self, a: np.ndarray, b: np.ndarray) -> Solid:
        return joined(cylinder(a, b, self.radius), sphere(a, 2 * self.radius), sphere(b, 2 * self.radius))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial."""
        a, b = (poses[n].c + poses[n].Q @ (x + Phi @ poses[n].alpha) for n, x, Phi in self.ends)
        return self._solid(a, b)[0][self.surface.source]

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: a bar shows its own colour."""
        return None

"""Poses of all bodies at the times of a picture or a film."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from fem.common.errors import InputError

from ...core.rotation import matrix_of_euler


@dataclass(frozen=True)
class Pose:
    """Position and rotation of a body: ``r = c + Q (x + Phi alpha)``, Koppens (2.1)."""

    c: np.ndarray  # (3,) m, inertial
    Q: np.ndarray  # (3, 3)
    alpha: np.ndarray  # (N,)


#: Pose of the ground, which does not move.
AT_REST = Pose(np.zeros(3), np.eye(3), np.zeros(0))

Poses = dict[str, Pose]


class Carried(Protocol):
    """Bodies that follow the enlarged deformation of another one."""

    @property
    def passengers(self) -> tuple[str, ...]:
        """Their names."""

    def move(self, poses: Poses, enlargement: float) -> None:
        """Move the bodies; ``enlargement`` is the deformation factor less one."""


class Motion:
    """The motion of the bodies of a result at any time of the run, interpolated linearly between its output times.

    Rotations are interpolated along the shortest path.
    """

    def __init__(self, result) -> None:
        self.t = np.asarray(result.t, dtype=float)
        if len(self.t) == 0:
            raise InputError("the result has no output times, so there is nothing to draw")
        self.carries: Sequence[Carried] = []  # what follows the enlarged deformation
        self.scale = 1.0  # factor on the drawn deformation
        self._bodies = {}
        self._channels: dict[str, np.ndarray] = {}
        for body in result.system.bodies:
            turn = scipy.spatial.transform.Rotation.from_matrix(np.asarray(result.rotation(body)))
            q = np.roll(turn.as_quat(), 1, axis=-1)
            alpha = np.asarray(result.alpha(body)) if body.n_modes else np.zeros((len(self.t), 0))
            self._bodies[body.name] = (np.asarray(result.position(body)), q, alpha)
        for point in result.system.massless_bodies:  # their frames are given by global places as drawn
            R = np.asarray(result.rotation(point))
            q = np.roll(scipy.spatial.transform.Rotation.from_matrix(R).as_quat(), 1, axis=-1)
            place = result.position(point) - R @ point.start
            self._bodies[point.name] = (place, q, np.zeros((len(self.t), 0)))

    def add(self, name: str, values: np.ndarray) -> None:
        """Add ``values`` (nt, k) to the poses as the alpha of ``name``."""
        self._channels[name] = values

    def at(self, time: float, larger: float = 0.0) -> Poses:
        """Return the drawn poses of all bodies and of the ground by name, at a time (s) within the run.

        Bodies that flexible bodies carry follow their enlarged deformation; ``larger`` is added to its factor.
        """
        time = float(np.clip(time, self.t[0], self.t[-1]))
        k = int(np.clip(np.searchsorted(self.t, time) - 1, 0, max(len(self.t) - 2, 0)))
        n = min(k + 1, len(self.t) - 1)
        part = (time - self.t[k]) / (self.t[n] - self.t[k]) if n > k else 0.0
        poses = {"ground": AT_REST}
        for name, (position, q, alpha) in self._bodies.items():
            c = (1 - part) * position[k] + part * position[n]
            Q = np.empty((3, 3))
            matrix_of_euler(_between(q[k], q[n], part), Q)
            poses[name] = Pose(c, Q, (1 - part) * alpha[k] + part * alpha[n])
        for name, values in self._channels.items():
            poses[name] = Pose(AT_REST.c, AT_REST.Q, (1 - part) * values[k] + part * values[n])
        for carry in self.carries:
            carry.move(poses, self.scale + larger - 1.0)
        return poses

    def alpha(self, name: str) -> np.ndarray:
        """Return the modal coordinates of a body at the output times, (nt, N)."""
        return self._bodies[name][2]

    def times(self, n: int) -> np.ndarray:
        """Return ``n`` equidistant times of the run, s."""
        return np.linspace(self.t[0], self.t[-1], n)


def _between(first: np.ndarray, second: np.ndarray, part: float) -> np.ndarray:
    """Return the Euler parameters (4,) at a part of the shortest way from one attitude to another, at a steady rate."""
    if first @ second < 0:
        second = -second  # the same attitude, on the shorter way
    half = 2 * np.arctan2(np.linalg.norm(second - first), np.linalg.norm(second + first))
    if half == 0:
        return first
    return (np.sin((1 - part) * half) * first + np.sin(part * half) * second) / np.sin(half)

"""Poses of all bodies at one time of a picture or a film."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


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

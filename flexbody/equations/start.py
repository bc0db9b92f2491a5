"""The state that an analysis begins with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..formulations.state import MachineState


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Start(MachineState):
    """A consistent state, with properties of its constraints."""

    rank: int
    undetermined: tuple[str, ...]  # labels of joints whose reactions are not determined
    active: np.ndarray  # (nr,) 1 for rows that determine the motion, 0 for the redundant rest
    position_correction: float  # largest correction of a body's position, m
    velocity_correction: float  # largest correction of a generalized velocity, m/s
    balanced: float  # size of the accelerations that forces in balance would cause singly, m/s^2
    #: (nc, 5) joint coordinates over all revolutions, twice, and their rates; see core/coordinate.hpp
    revolutions: np.ndarray

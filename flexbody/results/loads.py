"""The loads of a machine over the times of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.forces import Load
from ..model.forces.body_load import FollowingLoad
from .motion import alpha, rotation
from .occurrences import is_on
from .record import Record


def load_over_time(record: Record, load: Load) -> np.ndarray:
    """Return a load at the stored times, (nt, 3), N or Nm, inertial components."""
    values = _resultant(record, load) if isinstance(load, FollowingLoad) else _at_frame(record, load)
    return values * is_on(load.name, len(record.t), record.events, record.switched_off)[:, None]


def _resultant(record: Record, load: FollowingLoad) -> np.ndarray:
    """Return the resultant of a distributed load that follows the deformation."""
    bodies = record.system.bodies_by_name()
    force, change, *_ = load.wrench(bodies)
    body: Any = load.at.body
    if callable(load.value):
        factor = np.array([np.asarray(load.value(float(t)), dtype=float) for t in record.t])
    else:
        factor = np.asarray(load.value, dtype=float)
    along = factor.reshape(-1, 1) * (force + alpha(record, body) @ change.T)
    return np.einsum("tij,tj->ti", rotation(record, body), along)


def _at_frame(record: Record, load: Load) -> np.ndarray:
    """Return a force or moment at a frame."""
    if callable(load.value):
        values = np.array([np.asarray(load.value(float(t)), dtype=float) for t in record.t])
    else:
        values = np.tile(np.asarray(load.value, dtype=float), (len(record.t), 1))
    if load.follows:
        bodies = record.system.bodies_by_name()
        turning = load.at if load.at.has_rotation(bodies) else load.at.body
        values = np.einsum("tij,tj->ti", rotation(record, turning), values)
    return values

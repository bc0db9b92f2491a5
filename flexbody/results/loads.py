"""The loads of a machine over the times of a run."""

from __future__ import annotations

import numpy as np

from ..model.forces import Load
from .motion import rotation
from .occurrences import is_on
from .record import Record


def load_over_time(record: Record, load: Load) -> np.ndarray:
    """Return a load at the stored times, (nt, 3), N or Nm, inertial components."""
    if callable(load.value):
        values = np.array([np.asarray(load.value(float(t)), dtype=float) for t in record.t])
    else:
        values = np.tile(np.asarray(load.value, dtype=float), (len(record.t), 1))
    if load.follows:
        bodies = record.system.bodies_by_name()
        turning = load.at if load.at.has_rotation(bodies) else load.at.body
        values = np.einsum("tij,tj->ti", rotation(record, turning), values)
    return values * is_on(load.name, len(record.t), record.events, record.switched_off)[:, None]

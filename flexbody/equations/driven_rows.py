"""Rows of the constraints that follow functions of time."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core import tape


def driven_rows(plan: Plan) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return a mask (nr,) of the rows of drives, and the rows of each other item that follows a function of time.

    An item that holds a constant value counts as a joint.
    """
    drives, others = np.zeros(plan.n_rows, dtype=bool), []
    for item, motion in plan.relations:
        own = np.zeros(plan.n_rows, dtype=bool)
        own[plan.rows[item.name]] = callable(motion.value) or motion.rate != 0
        if item.driven is not None:
            drives |= own
        else:
            others.append(own)
    for name, tapes in plan.tapes.items():
        own = np.zeros(plan.n_rows, dtype=bool)
        own[plan.rows[name]] = [uses_time(rows) for rows, _ in tapes]
        others.append(own)
    return drives, [own for own in others if own.any()]


def drive_rows(plan: Plan) -> np.ndarray:
    """Return a mask (nr,) of the rows of all drives, also of those that hold a constant value."""
    mask = np.zeros(plan.n_rows, dtype=bool)
    for drive in plan.system.drives:
        mask[plan.rows[drive.name]] = True
    return mask


def uses_time(rows: np.ndarray) -> bool:
    """Return whether a tape uses the time, its first input."""
    return bool(np.any((rows[:, 0] == tape.INPUT) & (rows[:, 1] == 0)))

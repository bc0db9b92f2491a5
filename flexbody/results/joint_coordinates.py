"""Joint coordinates over time: lengths from their drawn values, and angles with all revolutions."""

from __future__ import annotations

import numpy as np

from ..core.kinds import ALONG_PATH, ROTATION
from ..model.joints import Connection
from ..model.system import measured
from .record import Record, joint_motions


def joint_frames(record: Record) -> tuple[np.ndarray, np.ndarray]:
    """Return axes (nt, nf, 3, 3) and positions (nt, nf, 3) of all joint frames."""
    R, r, *_ = joint_motions(record)
    return R, r


def coordinate(record: Record, joint: Connection | str, which: str | None = None) -> np.ndarray:
    """Return a joint coordinate, (nt,), rad (with all revolutions) or m; see :meth:`flexbody.Result.coordinate`."""
    found, which = measured(record.system, joint, which)
    i, j = record.plan.frames[found.name]
    one = found.coordinates[which]
    if one.kind == ALONG_PATH:
        along = joint_motions(record)[-1][:, record.plan.layout.frame_path[i], 0]
        return along - found.reference(which, record.system.bodies_by_name())
    R, r = joint_frames(record)
    value = one.value(R[:, i], r[:, i], R[:, j], r[:, j])
    if not one.is_angle:
        return value - found.reference(which, record.system.bodies_by_name())
    if one.kind != ROTATION:
        return value
    near = record.counted_coordinates[:, record.plan.coordinates.index((found.name, which))]
    return value + 2 * np.pi * np.rint((near - value) / (2 * np.pi))

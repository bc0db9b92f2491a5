"""Where two shapes touch over time: gap, normal force, friction and the place of both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.kinds import HISTORY_DEFORMATION, HISTORY_FORCE, HISTORY_RATE, PER_POINT
from ..model.forces import Element
from ..model.joints.recorded_rows import View
from ..model.rolling import Rolling
from ..model.sides import FrameData
from .record import Record, frames_over_time


class ContactValues(NamedTuple):
    """What a contact consists of over time.

    Parameters
    ----------
    normal, friction : numpy.ndarray
        Sum of the normal forces, and size of the sum of the friction forces, of all points, (nt,), N.
    gap, rate : numpy.ndarray
        Gap of the nearest point, (nt,), m, and its rate, m/s.
    point : numpy.ndarray
        Where the contact presses: the mean of the points of contact, each by its normal force; where nothing touches,
        that of the least gap, (nt, 3), m.
    """

    normal: np.ndarray
    friction: np.ndarray
    gap: np.ndarray
    rate: np.ndarray
    point: np.ndarray


def contact_values(record: Record, element: Element, x: np.ndarray, g: np.ndarray) -> ContactValues:
    """Return gap, forces and place of a contact.

    Parameters
    ----------
    record : Record
        The run.
    element : Element
        The contact.
    x : numpy.ndarray
        Its deformations, rates and forces, (nt, 3, 4 points).
    g : numpy.ndarray
        Directions of its deformations, (nt, 4 points, 4, 3).
    """
    nt, points = len(x), x.shape[2] // PER_POINT
    x, g = x.reshape(nt, 3, points, PER_POINT), g.reshape(nt, points, PER_POINT, 4, 3)
    gaps, forces = x[:, HISTORY_DEFORMATION, :, 0], x[:, HISTORY_FORCE]
    nearest = np.arange(nt), np.argmin(gaps, axis=1)
    normal = -forces[..., 0]
    friction = np.einsum("tpk,tpki->ti", forces[..., 1:], g[:, :, 1:, 2])
    first = element.frames(record.system.bodies_by_name())[0]
    places = frame_positions(record, first)[:, None] + arms(g)
    total = normal.sum(axis=1)
    share = normal / np.where(total > 0.0, total, 1.0)[:, None]
    pressed = np.einsum("tp,tpi->ti", share, places)
    point = np.where(total[:, None] > 0.0, pressed, places[nearest])
    size = np.linalg.norm(friction, axis=1)
    return ContactValues(total, size, gaps[nearest], x[:, HISTORY_RATE, :, 0][nearest], point)


def frame_positions(record: Record, frame: FrameData) -> np.ndarray:
    """Return the positions of a frame at all times, (nt, 3), m."""
    plan = record.plan.with_frames([frame])
    _, r, *_ = frames_over_time(record, plan.layout, plan.work())
    return np.ascontiguousarray(r[:, 0])


def contact_points(record: Record, rolling: Rolling) -> np.ndarray:
    """Return where two shapes that roll on each other touch at all times, (nt, 3), m."""
    plan = record.plan
    R, r, *_ = frames_over_time(record, plan.layout, plan.work())
    pair = rolling.pair(plan.system.bodies_by_name())
    frames = plan.frames[rolling.name]
    return np.array([
        pair.touch([View(r[k, f], R[k, f], None, None) for f in frames]).point for k in range(len(record.t))
    ])  # fmt: skip


def arms(g: np.ndarray) -> np.ndarray:
    """Return the vectors d (nt, points, 3) from the first frame to the points of contact, from ``d x e`` of each row.

    The rows of slip are three directions e in the plane of contact, of which two are independent; along the normal the
    point follows from the row of the gap, whose direction n and ``d x n`` are given.
    """
    e = -g[:, :, :, 0]  # (nt, points, 4, 3)
    turned = -g[:, :, :, 1]  # d x e
    # d = sum of e x (d x e) over an orthonormal base, over two; the four rows give the base by their pseudo-inverse
    base = np.linalg.pinv(e, rcond=1e-9) @ turned  # row k is d x (unit vector k)
    return 0.5 * np.cross(np.eye(3), base).sum(axis=2)

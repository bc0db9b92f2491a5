"""Joint coordinates over time: lengths from their drawn values, and angles with all revolutions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem.common.errors import warn

from ..core.kinds import ROTATION
from ..model.joints import Connection, Joint
from ..model.system import measured
from .record import Record, computed_once, frames_over_time

Rate = Callable[[], np.ndarray]


@computed_once
def joint_frames(record: Record) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return axes (nt, nf, 3, 3), positions and angular velocities (nt, nf, 3) of all joint frames."""
    R, r, _, w, _, _ = frames_over_time(record, record.plan.layout, record.plan.work())
    return R, r, w


def coordinate(record: Record, joint: Connection | str, which: str | None = None) -> np.ndarray:
    """Return a joint coordinate, (nt,), rad (with all revolutions) or m; see :meth:`flexbody.Result.coordinate`."""
    found, which = measured(record.system, joint, which)
    i, j = record.plan.frames[found.name]
    one = found.coordinates[which]
    R, r, w = joint_frames(record)
    value = one.value(R[:, i], r[:, i], R[:, j], r[:, j])
    if not one.turns:
        return value - found.reference(which, record.system.bodies_by_name())
    if one.kind != ROTATION or not len(value):
        return value
    rate = lambda: one.turning(R[:, i], R[:, j], w[:, j] - w[:, i])  # noqa: E731
    return over_turns(record, found, which, value, rate)


@computed_once
def counted(record: Record) -> np.ndarray:
    """Return the values of ``plan.coordinates`` with all revolutions, or values near them, (nt, nc)."""
    if len(record.turns) == len(record.t):
        return record.turns
    found = np.array([coordinate(record, *key) for key in record.plan.coordinates])
    return found.reshape(-1, len(record.t)).T


def over_turns(record: Record, joint: Joint, which: str, value: np.ndarray, rate: Rate) -> np.ndarray:
    """Return an angle (nt,) with all revolutions from its value between -pi and pi.

    The run has counted the revolutions. Results of earlier versions do not hold them; they follow from ``rate``, a
    function that returns (nt,), with a warning if this is not certain.
    """
    key = joint.name, which
    if len(record.turns) == len(record.t) and key in record.plan.coordinates:
        near = record.turns[:, record.plan.coordinates.index(key)]
        return value + 2 * np.pi * np.rint((near - value) / (2 * np.pi))
    speed = rate()
    warn_of_missed_turns(joint.label, record.t, speed)
    expected = 0.5 * np.diff(record.t) * (speed[1:] + speed[:-1])
    turns = np.rint((expected - np.diff(value)) / (2 * np.pi))
    first = np.rint((first_angle(record, joint.name, which) - value[:1]) / (2 * np.pi))
    return value + 2 * np.pi * np.cumsum(np.concatenate([first, turns]))


def warn_of_missed_turns(joint: str, t: np.ndarray, rate: np.ndarray) -> None:
    """Warn if a rate (nt,), rad/s, changes so much between stored times that revolutions may be missed."""
    doubt = 0.5 * np.diff(t) * np.abs(np.diff(rate))
    if doubt.size and doubt.max() > 0.5 * np.pi:
        k = int(np.argmax(doubt))
        warn(
            f"{joint}: its rate goes from {rate[k]:.4g} to {rate[k + 1]:.4g} rad/s between the stored times t = "
            f"{t[k]:.6g} and {t[k + 1]:.6g} s, so that whole turns may be missed there; run it again: this program "
            "counts them as it goes",
        )


def first_angle(record: Record, joint: str, which: str) -> float:
    """Return a value near the first angle: counted by the run, prescribed by a drive, or 0."""
    if (joint, which) in record.plan.coordinates and len(record.turns):
        return float(record.turns[0, record.plan.coordinates.index((joint, which))])
    for drive in record.system.drives:
        if drive.joint.name == joint and drive.coordinate == which:
            for law in record.plan.laws:
                if law.what == drive.label and len(record.t):
                    return law(record.t[0])[0]
            value, rate = drive.prescribed.constants()
            return value + rate * float(record.t[0])
    return 0.0

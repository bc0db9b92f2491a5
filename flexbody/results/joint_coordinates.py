"""Rates and accelerations of joint coordinates by exact differentiation of their definitions.

A vector fixed to a frame with angular velocity w and angular acceleration b has the rate ``w x e`` and the second
derivative ``b x e + w x (w x e)``; scalar products and arcs follow by the rules of differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fem.common.errors import warn

from ..core.kinds import LENGTH, ROTATION, TILT, TRANSLATION
from ..model.joints import Connection, Joint
from ..model.system import measured
from .motion import Motion, joint_frames, motion_of
from .record import Record, computed_once

Rate = Callable[[], np.ndarray]


class Jet(NamedTuple):
    """A function of time with its first and second derivative: numbers (nt,) or vectors (nt, 3)."""

    value: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray

    def minus(self, other: Jet) -> Jet:
        """Return the difference."""
        return Jet(*(a - b for a, b in zip(self, other, strict=True)))

    def dot(self, other: Jet) -> Jet:
        """Return the scalar product of two vectors."""
        product = lambda a, b: np.einsum("ti,ti->t", a, b)  # noqa: E731
        (a, b, c), (x, y, z) = self, other
        return Jet(
            product(a, x), product(b, x) + product(a, y), product(c, x) + 2 * product(b, y) + product(a, z)
        )


def place(frame: Motion) -> Jet:
    """Return the position of a frame."""
    return Jet(frame.r, frame.v, frame.a)


def axis(frame: Motion, k: int) -> Jet:
    """Return axis ``k`` of a frame."""
    e = frame.R[:, :, k]
    turned = np.cross(frame.w, e)
    return Jet(e, turned, np.cross(frame.b, e) + np.cross(frame.w, turned))


def arc(y: Jet, x: Jet) -> Jet:
    """Return the angle with the tangent ``y / x``, between -pi and pi."""
    square = x.value**2 + y.value**2
    area = x.value * y.rate - y.value * x.rate
    growth = x.value * y.acceleration - y.value * x.acceleration
    rate = area / square
    return Jet(
        np.arctan2(y.value, x.value),
        rate,
        (growth - 2 * rate * (x.value * x.rate + y.value * y.rate)) / square,
    )


def arcsine(y: Jet) -> Jet:
    """Return the angle with the sine ``y``."""
    cosine = np.sqrt(np.maximum(1 - y.value**2, 1e-300))
    rate = y.rate / cosine
    return Jet(np.arcsin(y.value), rate, (y.acceleration + y.value * rate**2) / cosine)


def length(d: Jet) -> Jet:
    """Return the length of a vector."""
    square = d.dot(d)
    size = np.sqrt(square.value)
    rate = 0.5 * square.rate / size
    return Jet(size, rate, (0.5 * square.acceleration - rate**2) / size)


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


def coordinate_rate(record: Record, joint: Connection | str, which: str | None = None) -> np.ndarray:
    """Return the rate of a joint coordinate, (nt,), rad/s or m/s."""
    return coordinate_jet(record, *measured(record.system, joint, which)).rate


def coordinate_acceleration(record: Record, joint: Connection | str, which: str | None = None) -> np.ndarray:
    """Return the acceleration of a joint coordinate, (nt,), rad/s^2 or m/s^2."""
    return coordinate_jet(record, *measured(record.system, joint, which)).acceleration


@computed_once
def counted(record: Record) -> np.ndarray:
    """Return the values of ``plan.coordinates`` with all revolutions, or values near them, (nt, nc)."""
    if len(record.turns) == len(record.t):
        return record.turns
    found = np.array([coordinate(record, *key) for key in record.plan.coordinates])
    return found.reshape(-1, len(record.t)).T


def coordinate_jet(record: Record, joint: Joint, which: str) -> Jet:
    """Return a joint coordinate with its derivatives; angles between -pi and pi."""
    first, second = motion_of(record, joint, base=True), motion_of(record, joint)
    c = joint.coordinates[which]
    if c.kind == TRANSLATION:
        found = axis(first, c.a).dot(place(second).minus(place(first)))
    elif c.kind == LENGTH:
        found = length(place(second).minus(place(first)))
    elif c.kind == TILT:
        found = arcsine(axis(first, c.a).dot(axis(second, c.b)))
    else:
        host, other = (first, second) if c.host == 0 else (second, first)
        e = axis(other, c.c)
        found = arc(axis(host, c.a).dot(e), axis(host, c.b).dot(e))
    return Jet(*(c.sign * part for part in found))


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

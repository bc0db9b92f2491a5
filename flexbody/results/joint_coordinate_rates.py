"""Rates and accelerations of joint coordinates by exact differentiation of their definitions.

A vector fixed to a frame with angular velocity w and angular acceleration b has the rate ``w x e`` and the second
derivative ``b x e + w x (w x e)``; scalar products and arcs follow by the rules of differentiation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.kinds import ALONG_PATH, LENGTH, TILT, TRANSLATION
from ..model.joints import Connection, Joint
from ..model.system import measured
from .motion import Motion, motion_of
from .record import Record, joint_motions


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


def coordinate_rate(record: Record, joint: Connection | str, which: str | None = None) -> np.ndarray:
    """Return the rate of a joint coordinate, (nt,), rad/s or m/s."""
    return coordinate_jet(record, *measured(record.system, joint, which)).rate


def coordinate_acceleration(record: Record, joint: Connection | str, which: str | None = None) -> np.ndarray:
    """Return the acceleration of a joint coordinate, (nt,), rad/s^2 or m/s^2."""
    return coordinate_jet(record, *measured(record.system, joint, which)).acceleration


def coordinate_jet(record: Record, joint: Joint, which: str) -> Jet:
    """Return a joint coordinate with its derivatives; angles between -pi and pi."""
    c = joint.coordinates[which]
    if c.kind == ALONG_PATH:
        path = record.plan.layout.frame_path[record.plan.frames[joint.name][0]]
        return Jet(*joint_motions(record)[-1][:, path].T)
    first, second = motion_of(record, joint, base=True), motion_of(record, joint)
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

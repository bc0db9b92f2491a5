"""Sizes of the quantities of a run by unit; far smaller values are round-off and are drawn as zero."""

from __future__ import annotations

import numpy as np

from .record import Record

#: Below this part of the largest measure of its kind a value is round-off, in plots and in colours of pictures. Lengths
#: and angles over time are exact to many more digits.
ROUND_OFF, FINE_ROUND_OFF = 1e-9, 1e-13
#: Acceleration of free fall, m/s^2: short runs say nothing of the accelerations that may occur.
FREE_FALL = 9.81


def sizes_of(record: Record) -> dict[str, float]:
    """Return the sizes of lengths, speeds, forces, moments, energies and powers of a run by unit (SI).

    The length is that of the machine. The force is the largest of its weight, the inertia force of a body (its mass
    times its largest acceleration), and the multipliers. Accelerations are at least the length over the squared time of
    the run, up to that of free fall. Units that are not listed have no size.
    """
    L = record.plan.layout
    length, mass = 2.0 * float(L.length), float(L.body_mass.sum())
    t = record.t
    span = float(t[-1] - t[0]) if len(t) > 1 and t[-1] > t[0] else 1.0
    fast, sharp = length / span, max(min(length / span**2, FREE_FALL), float(np.linalg.norm(L.gravity)))
    inertia = mass * sharp
    for b, own in enumerate(L.body_mass):
        at = record.plan.translation(b)
        fast = max(fast, float(np.linalg.norm(record.v[:, at], axis=1).max(initial=0.0)))
        acceleration = float(np.linalg.norm(record.vdot[:, at], axis=1).max(initial=0.0))
        sharp, inertia = max(sharp, acceleration), max(inertia, float(own) * acceleration)
    energy = max(inertia * length, 0.5 * mass * fast**2)
    # rows of moments have multipliers in N m
    force = max(inertia, float(np.abs(record.multipliers).max(initial=0.0)) / max(1.0, length))
    return {
        "m": length, "rad": 1.0, "m/s": fast, "rad/s": fast / length, "m/s²": sharp, "rad/s²": sharp / length,
        "N": force, "N m": force * length, "J": energy, "W": energy / span, "relative": 1.0,
    }  # fmt: skip


def is_round_off(values: float, unit: str, size: float) -> bool:
    """Return whether the largest of some values is round-off beside the size of its quantity."""
    return values <= (FINE_ROUND_OFF if unit in ("m", "rad") else ROUND_OFF) * size

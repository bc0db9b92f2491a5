"""Sizes of the quantities of a run by unit; far smaller values are round-off and are drawn as zero."""

from __future__ import annotations

import numpy as np

from .record import Record

#: below this part of its quantity's size a curve is round-off; lengths and angles are exact to many more digits
ROUND_OFF, FINE_ROUND_OFF = 1e-9, 1e-13


def sizes_of(record: Record) -> dict[str, float]:
    """Return the sizes of lengths, speeds, forces, moments, energies and powers of a run by unit (SI).

    The length is that of the machine. The force is its weight, or its mass times the largest acceleration (at least its
    length over the squared time of the run), or the largest multiplier if that is larger. Units that are not listed
    have no size.
    """
    L = record.plan.layout
    length, mass = 2.0 * float(L.length), float(L.body_mass.sum())
    t = record.t
    span = float(t[-1] - t[0]) if len(t) > 1 and t[-1] > t[0] else 1.0
    bodies = range(len(L.body_mass))
    fast, sharp = length / span, max(length / span**2, float(np.linalg.norm(L.gravity)))
    for b in bodies:
        at = record.plan.translation(b)
        fast = max(fast, float(np.linalg.norm(record.v[:, at], axis=1).max(initial=0.0)))
        sharp = max(sharp, float(np.linalg.norm(record.vdot[:, at], axis=1).max(initial=0.0)))
    weight = mass * sharp
    energy = max(weight * length, 0.5 * mass * fast**2)
    # rows of moments have multipliers in N m
    force = max(weight, float(np.abs(record.multipliers).max(initial=0.0)) / max(1.0, length))
    return {
        "m": length, "rad": 1.0, "m/s": fast, "rad/s": fast / length, "m/s²": sharp, "rad/s²": sharp / length,
        "N": force, "N m": force * length, "J": energy, "W": energy / span, "relative": 1.0,
    }  # fmt: skip


def is_round_off(values: float, unit: str, size: float) -> bool:
    """Return whether the largest of some values is round-off beside the size of its quantity."""
    return values <= (FINE_ROUND_OFF if unit in ("m", "rad") else ROUND_OFF) * size

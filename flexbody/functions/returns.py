"""Jumps that a function takes back a short time later: what the shortest of them say about those that were missed.

Samples miss a pulse that lies between two of them. Samples on both sides of another jump differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .pieces import Corner

#: So many pulses that are shorter than the distance of the samples do not happen by chance. A jump goes back by what
#: the one before it has changed, up to this part.
PAIRS, RETURN = 2, 0.05
#: The density of pulses of all short lengths is known from so many of the shortest. There are shorter ones still if the
#: shortest is no longer than so many of the differences between their lengths.
FEW_PULSES, MANY_PULSES, REACH = 8, 16, 3.0
#: What is missed doesn't matter if all of it lasts for less than this part of the time of every second level.
UNNOTICED_PART = 1e-7


def by_chance(jumps: Sequence[Corner], h: float) -> bool:
    """Return whether samples, apart by ``h`` (s), hit pulses that are shorter by chance, and missed others."""
    lengths, pulses = _lengths(jumps)
    return bool(np.count_nonzero(lengths[pulses] < h) >= PAIRS)


def misses_some(jumps: Sequence[Corner], h: float) -> bool:
    """Return whether samples, apart by ``h`` (s), miss pulses that matter.

    Of pulses of random lengths, as many are between 0 and h as between h and 2 h, and one in two of them is missed.
    """
    lengths, pulses = _lengths(jumps)
    shortest = np.sort(lengths[pulses])[:MANY_PULSES]
    if len(shortest) < FEW_PULSES:
        return False
    apart = (shortest[-1] - shortest[0]) / (len(shortest) - 1)
    if shortest[0] - h > REACH * apart or not apart > 0.0:
        return False
    missed, there = 0.5 * h / apart, min(lengths[::2].sum(), lengths[1::2].sum())
    return bool(missed * 0.5 * h > UNNOTICED_PART * there)


def _lengths(jumps: Sequence[Corner]) -> tuple[np.ndarray, np.ndarray]:
    """Return the times between jumps, (n,), s, and whether the function goes back behind them, (n,)."""
    t, size = np.array([(jump.t, jump.jump) for jump in sorted(jumps) if jump.order == 0]).reshape(-1, 2).T
    return np.diff(t), np.abs(size[1:] + size[:-1]) < RETURN * np.abs(size[1:])

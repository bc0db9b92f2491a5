"""How long steps may be where a function of time goes to and fro: a fraction of its period, whatever the outputs are.

A step as long as a period takes a vibrating load for a constant one. The second differences of a sine ``A sin(v t)``
over the distance d are ``2 A (1 - cos(v d)) |sin(v t)|``: the shortest distance at which they are noticed in most of a
part of the run tells the frequency there. A single pulse is shorter than that part.
"""

from __future__ import annotations

import numpy as np

#: Parts of a run, each with its longest step. Second differences are looked at in a part, and in at least so many of
#: their distances, so that a jump, which is seen in two of these, is none that goes to and fro.
PARTS, WIDTH = 16, 16
#: Distances of the second differences, in samples (of 8193).
DISTANCES = tuple(2**k for k in range(8))
#: A second difference is noticed from this part of the function's range on, if it is exceeded in this share of a part
#: of the run; a sine exceeds the third part of its amplitude in this share.
NOTICED, SHARE = 0.02, 0.3
EXCEEDED = float(np.cos(0.5 * np.pi * SHARE))
#: Steps in a period.
STEPS_IN_PERIOD = 12.0


def longest_steps(values: np.ndarray) -> np.ndarray:
    """Return the longest steps for a function in each part of a run.

    Parameters
    ----------
    values : numpy.ndarray
        Samples at equal distances over the run, (n,).

    Returns
    -------
    numpy.ndarray
        Parts of the run, (PARTS,): a twelfth of the period; infinite where the function doesn't go to and fro.
        Vibrations below a hundredth of the function's range don't count, and those of a few hundredths count less. No
        step is shorter than the distance of the samples.
    """
    longest, n = np.full(PARTS, np.inf), len(values) - 1
    reach = np.ptp(values)
    if not (np.isfinite(reach) and reach > 0.0):
        return longest
    for distance in DISTANCES:
        if WIDTH * distance > n:
            break
        ends = values[2 * distance :] + values[: n + 1 - 2 * distance]
        bend = np.abs(ends - 2.0 * values[distance : n + 1 - distance]) / reach
        above = np.concatenate([[0], np.cumsum(bend > NOTICED)])
        half = max(n // PARTS, WIDTH * distance) // 2
        for k in np.flatnonzero(np.isinf(longest)):
            middle = min(max((2 * k + 1) * n // (2 * PARTS), half), n - half) - distance
            first, last = max(middle - half, 0), min(middle + half, len(bend))
            if above[last] - above[first] > SHARE * (last - first):
                size = float(np.quantile(bend[first:last], 1.0 - SHARE))
                turned = np.arccos(max(1.0 - size / EXCEEDED, -1.0))  # v d
                longest[k] = max(2.0 * np.pi * distance / (turned * STEPS_IN_PERIOD), 1.0) / n
    return longest

"""What stands out among samples of a function of time, and where samples miss what it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: Intervals between the first samples of a run.
INTERVALS = 2048
#: A fourth difference stands out if it exceeds those at so many samples on both sides by this factor.
PROMINENCE, NEIGHBOURS, GAP = 8.0, 12, 5
#: Round-off of a fourth difference over that of the values.
DIFFERENCE_NOISE = 50.0
#: Samples miss what a function does if fourth differences stand out at more than this part of them.
DENSITY = 0.2
#: Fourth differences are large from this part of the largest on; of a function that the samples resolve, they are on
#: average below this ratio to the second ones.
UNRESOLVED_PART, UNRESOLVED_RATIO = 0.01, 0.5

#: Where a function is looked at closely that samples miss for a short time: in windows of so many intervals, apart by
#: half, with differences that are large at more than this part: three jumps and more.
WINDOW, WINDOW_DENSITY = 32, 0.4
#: Differences that are compared at once.
BLOCK = 1 << 16

EPS = float(np.finfo(float).eps)

#: First and last number of the fourth differences of a group that stands out.
Group = tuple[int, int]


def standing_out(values: np.ndarray, size: np.ndarray) -> list[Group]:
    """Return the groups of the fourth differences, of these sizes, that stand out."""
    reach = NEIGHBOURS + GAP
    if len(size) < 2 * reach:
        return []
    # the lower quartile on each side, so that other corners there do not count
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(size, reach), NEIGHBOURS)
    blocks = (windows[k : k + BLOCK] for k in range(0, len(windows), BLOCK))
    low = np.concatenate(
        [np.partition(block, NEIGHBOURS // 4, axis=1)[:, NEIGHBOURS // 4] for block in blocks]
    )
    n = len(size)
    around = np.maximum(low[:n], low[reach + GAP : reach + GAP + n])
    noise = DIFFERENCE_NOISE * EPS * float(np.abs(values).max())
    marks = np.flatnonzero(size > np.maximum(PROMINENCE * around, noise))
    if not len(marks):
        return []
    groups = np.split(marks, np.flatnonzero(np.diff(marks) > 2) + 1)
    return [(int(group[0]), int(group[-1])) for group in groups]


def misses_much(values: np.ndarray, groups: Sequence[Sequence[int]]) -> bool:
    """Return whether samples miss what a function does, as with corners at every few of them."""
    if sum(stop - begin for begin, stop in groups) > DENSITY * len(values):
        return True
    return bool(_unresolved(values[None], DENSITY)[0])


def short_parts(values: np.ndarray) -> list[tuple[int, int]]:
    """Return the first and last number of the samples of each part in which they miss what a function does."""
    windows = np.lib.stride_tricks.sliding_window_view(values, WINDOW + 1)[:: WINDOW // 2]
    marks = np.flatnonzero(_unresolved(windows, WINDOW_DENSITY))
    if not len(marks):
        return []
    parts = np.split(marks, np.flatnonzero(np.diff(marks) > 2) + 1)
    return [(int(part[0]) * WINDOW // 2, int(part[-1]) * WINDOW // 2 + WINDOW) for part in parts]


def _unresolved(values: np.ndarray, density: float) -> np.ndarray:
    """Return for each row of samples (k, n) whether they miss what the function does there, (k,)."""
    second, fourth = np.abs(np.diff(values, 2)), np.abs(np.diff(values, 4))
    noise = DIFFERENCE_NOISE * EPS * np.abs(values).max(axis=1)
    large = fourth > np.maximum(noise, UNRESOLVED_PART * fourth.max(axis=1))[:, None]
    return (large.mean(axis=1) > density) & (fourth.mean(axis=1) > UNRESOLVED_RATIO * second.mean(axis=1))

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
#: Many jumps do not count whose fourth differences are below this part of the range (three and more times the jump),
#: if the larger ones are no more than this part of all.
SMALL_DIFFERENCE, FEW_GROUPS, FEW_LARGE = 8e-3, 100, 0.1
#: Differences that are compared at once.
BLOCK = 1 << 16

EPS = float(np.finfo(float).eps)

#: First and last number of the fourth differences of a group that stands out.
Group = tuple[int, int]


def standing_out(values: np.ndarray, size: np.ndarray, least: float = 0.0) -> list[Group]:
    """Return the groups of the fourth differences, of these sizes, that stand out and exceed ``least``."""
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
    noise = max(DIFFERENCE_NOISE * EPS * float(np.abs(values).max()), least)
    marks = np.flatnonzero(size > np.maximum(PROMINENCE * around, noise))
    if not len(marks):
        return []
    groups = np.split(marks, np.flatnonzero(np.diff(marks) > 2) + 1)
    return [(int(group[0]), int(group[-1])) for group in groups]


def misses_much(values: np.ndarray, size: np.ndarray, groups: Sequence[Group], least: float = 0.0) -> bool:
    """Return whether samples miss what a function does, as with corners at every few of them.

    Fourth differences, of these sizes, below ``least`` do not count.
    """
    if sum(stop - begin for begin, stop in groups) > DENSITY * len(values):
        return True
    return bool(_unresolved(values[None], size[None], DENSITY, least)[0])


def least_difference(values: np.ndarray) -> float:
    """Return the fourth difference from which on jumps count among samples (n,) of a whole run; 0 if all count.

    A signal of many small steps, as a converter makes them, is as good as smooth: only what is beside them counts.
    """
    least, size = SMALL_DIFFERENCE * float(np.ptp(values)), np.abs(np.diff(values, 4))
    noise = DIFFERENCE_NOISE * EPS * float(np.abs(values).max())
    groups, large = standing_out(values, size), standing_out(values, size, least)
    few = np.count_nonzero(size > least) <= FEW_LARGE * np.count_nonzero(size > noise)
    if not few or misses_much(values, size, large, least):
        return 0.0
    missed, of_large = (
        sum(stop - begin for begin, stop in short_parts(values, size, x)) for x in (0.0, least)
    )
    if misses_much(values, size, groups) or missed > max(DENSITY * len(values), of_large / FEW_LARGE):
        return least
    return least if len(groups) > FEW_GROUPS and len(large) <= FEW_LARGE * len(groups) else 0.0


def short_parts(values: np.ndarray, size: np.ndarray, least: float = 0.0) -> list[tuple[int, int]]:
    """Return the first and last number of the samples of each part in which they miss what a function does."""
    windows, sizes = (
        np.lib.stride_tricks.sliding_window_view(x, n)[:: WINDOW // 2]
        for x, n in ((values, WINDOW + 1), (size, WINDOW - 3))
    )
    marks = np.flatnonzero(_unresolved(windows, sizes, WINDOW_DENSITY, least))
    if not len(marks):
        return []
    parts = np.split(marks, np.flatnonzero(np.diff(marks) > 2) + 1)
    return [(int(part[0]) * WINDOW // 2, int(part[-1]) * WINDOW // 2 + WINDOW) for part in parts]


def _unresolved(values: np.ndarray, fourth: np.ndarray, density: float, least: float) -> np.ndarray:
    """Return for each row of samples (k, n) whether they miss what the function does there, (k,).

    ``fourth``: sizes of their fourth differences, (k, n - 4).
    """
    second = np.abs(np.diff(values, 2))
    noise = np.maximum(DIFFERENCE_NOISE * EPS * np.abs(values).max(axis=1), least)
    large = fourth > np.maximum(noise, UNRESOLVED_PART * fourth.max(axis=1))[:, None]
    return (large.mean(axis=1) > density) & (fourth.mean(axis=1) > UNRESOLVED_RATIO * second.mean(axis=1))

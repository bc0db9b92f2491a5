"""Times that a user's function names, beside which short pulses may lie.

Samples at equal distances miss a pulse that is shorter than these. Most functions contain the times of their pulses as
numbers: ``1000.0 if 3.0 < t < 3.001 else 0.0``, ``abs(t - T0) < W / 2``, ``t % period < width``, the times of a table.
The numbers are read from the code and from what it reads, and combined as such expressions combine them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .named_numbers import COMBINED, TABLE_LIMIT, Numbers
from .table_peaks import peaks_of

#: Most times that are numbers, that are combined, and that are multiples of numbers.
NAMED_LIMIT, TIMES_LIMIT, MULTIPLES = 1000, 4000, 4000
#: Tables up to the first size name their times as single numbers do. Of all tables so many times are asked for on both
#: sides, and so many of increasing ones once.
FEW_NODES, NODES_LIMIT, ONCE_LIMIT = 400, 8192, TABLE_LIMIT
#: Where in a run a multiple of a short period is asked for, to see whether there are pulses.
PROBES = (0.31, 0.53, 0.79)


class Likely(NamedTuple):
    """Times beside which pulses may lie; each (n,), s, increasing.

    Parameters
    ----------
    named : numpy.ndarray
        Numbers in functions, and the times of short tables.
    combined : numpy.ndarray
        What they are combined to, and the times of longer tables.
    nodes : numpy.ndarray
        Times of long tables, between which functions are smooth: those at which something stands out, if the values are
        in other tables.
    left_out : numpy.ndarray
        Some of those that were left out: where there is a pulse, there are others.
    """

    named: np.ndarray
    combined: np.ndarray
    nodes: np.ndarray
    left_out: np.ndarray


def likely_times(numbers: Numbers, first: float, last: float, h: float) -> Likely:
    """Return times beside which pulses may lie.

    Parameters
    ----------
    numbers : Numbers
        The numbers in the functions.
    first, last : float
        The times, s, between which they lie.
    h : float
        The pulses are shorter than this time, s: only such parts of long tables count.
    """
    one = np.unique(numbers.single[:COMBINED])
    two = _pairs(one, one)
    repeated, too_many = _multiples(np.concatenate([one, 1.0 / one]), first, last)
    combined = np.zeros(0)
    for group in (two, repeated, _sums(repeated, one), _sums(two, one)):
        new = np.setdiff1d(_within(group, first, last), combined)
        combined = np.union1d(combined, new[: TIMES_LIMIT - len(combined)])
    named, longer, nodes, left_out = [numbers.single], [combined], [np.zeros(0)], [too_many]
    left, left_once = NODES_LIMIT, ONCE_LIMIT
    for table in sorted(numbers.tables, key=np.size):
        if (peaks := peaks_of(table, numbers.tables, first, last, h)) is not None:
            nodes.append(peaks)
            continue
        if table.size > ONCE_LIMIT:
            continue
        times = np.unique(_within(table.ravel(), first, last))
        close = _close(times, h)
        if len(times) <= FEW_NODES:
            named.append(times)
        elif len(times) <= left or len(close) <= left:
            longer.append(times if len(times) <= left else close)
            left -= len(longer[-1])
        elif len(close) <= left_once and (np.diff(table.ravel()) >= 0.0).all():
            nodes.append(close)
            left_once -= len(close)
        else:
            left_out.append(close[:: 1 + len(close) // FEW_NODES])
    chosen = _within(np.concatenate(named), first, last)
    of_name = np.unique(chosen[:NAMED_LIMIT])
    others = np.unique(np.concatenate([*longer, chosen[NAMED_LIMIT:]]))
    return Likely(
        of_name,
        np.setdiff1d(others, of_name),
        np.unique(np.concatenate(nodes)),
        np.unique(np.concatenate(left_out)),
    )


def _multiples(periods: np.ndarray, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the multiples of periods (n,) between two times, s, fewest first, and some of those that are too many."""
    found, too_many, left = [np.zeros(0)], [np.zeros(0)], MULTIPLES
    for period in np.sort(periods)[::-1]:
        begin, count = np.floor(first / period) + 1.0, (last - first) / period
        if count <= left:
            found.append(period * (begin + np.arange(int(count) + 1)))
            left -= int(count) + 1
        else:
            too_many.append(period * (begin + np.floor(count * np.array(PROBES))))
    return _within(np.concatenate(found), first, last), _within(np.concatenate(too_many), first, last)


def _pairs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return sums, differences, products and ratios of all pairs, (n,), and the inverses of the second ones."""
    x, y = np.meshgrid(a, b)
    return np.unique(
        np.concatenate([(x + y).ravel(), abs(x - y).ravel(), (x * y).ravel(), (x / y).ravel(), 1.0 / b])
    )


def _sums(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return sums and differences of all pairs, (n,)."""
    return np.unique(np.concatenate([np.add.outer(a, b).ravel(), np.subtract.outer(a, b).ravel()]))


def _within(times: np.ndarray, first: float, last: float) -> np.ndarray:
    return times[(times > first) & (times < last)]


def _close(times: np.ndarray, h: float) -> np.ndarray:
    """Return those of the increasing times (n,) that are closer to another than ``h``, s."""
    near = np.diff(times) < h
    return times[np.append(near, False) | np.append(False, near)] if len(times) else times

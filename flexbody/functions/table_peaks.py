"""Where the values of a long table stand out between samples of a run: its times need not all be asked for.

A table of times has tables of values beside it, with as many numbers or with rows of them. Between two samples of a run
only the largest and the smallest value can be a pulse that the samples miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

#: Tables of more times are looked at in this way, with so many columns of values at most.
LONG, COLUMNS = 8192, 24


def peaks_of(
    table: np.ndarray, tables: Sequence[np.ndarray], first: float, last: float, h: float
) -> np.ndarray | None:
    """Return the times of a table at which values stand out, (k,), s; None if it is no long table with values.

    Parameters
    ----------
    table : numpy.ndarray
        The table, of times if it is (n,) and increasing.
    tables : sequence of numpy.ndarray
        All tables of the functions.
    first, last : float
        Begin and end of the run, s.
    h : float
        Distance of samples, s.
    """
    if table.ndim != 1 or table.size <= LONG or not (np.diff(table) > 0.0).all():
        return None
    begin, stop = np.searchsorted(table, first, "right"), np.searchsorted(table, last)
    columns = list(_columns(table, tables))
    if not 0 < len(columns) <= COLUMNS or stop - begin < 2:
        return None
    times = table[begin:stop]
    starts = np.flatnonzero(np.diff(np.floor((times - first) / h), prepend=-1.0))
    marks = [_peaks(sign * column[begin:stop], starts) for column in columns for sign in (1.0, -1.0)]
    return times[np.unique(np.concatenate(marks))]


def _columns(table: np.ndarray, tables: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield the columns of numbers, (n,), of all tables that have a number for each time of a table (n,)."""
    for other in tables:
        if other is table or len(table) not in other.shape or other.size > COLUMNS * len(table):
            continue
        yield from np.moveaxis(other, other.shape.index(len(table)), 0).reshape(len(table), -1).T


def _peaks(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the number of the first largest value between two starts, (k,), where it exceeds those at both ends."""
    largest, ends = np.maximum.reduceat(values, starts), np.append(starts[1:], len(values)) - 1
    ends = np.minimum(ends + 1, len(values) - 1)
    above = largest > np.maximum(values[starts], values[ends])
    hits = np.flatnonzero(values == np.repeat(largest, np.diff(np.append(starts, len(values)))))
    block = np.searchsorted(starts, hits, side="right") - 1
    hits = hits[np.diff(block, prepend=-1) > 0]
    return hits[above]

"""Values of functions of time in files: at all times of a result, or one after the other during a run.

At corners and jumps a function has values before and behind them, so that it has the same corners when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..functions.pieces import AT_CORNER, Corner, behind
from ..functions.time_law import Law
from .datasets import put, rows_to_come

if TYPE_CHECKING:
    import h5py

#: an array of samples by its name: which of a law's three numbers, and their unit
Columns = Mapping[str, tuple[int | slice, str]]

#: group of the corners of a function, beside its samples
CORNERS = "corners"


class Sampler:
    """Writer of values of functions of time at the times ``t`` (nt,), s; ``laws`` are those of the plan.

    A function is identified by the name of its law, :attr:`Law.what`.
    """

    def __init__(self, laws: Iterable[Law], t: np.ndarray) -> None:
        self.laws, self.t = {law.what: law for law in laws}, t

    def put(self, group: h5py.Group, what: str, columns: Columns) -> None:
        """Write the values of a function."""
        law = self.laws[what]
        values = np.array([law(float(x)) for x in self.t], dtype=float).reshape(-1, 3)
        for name, (part, units) in columns.items():
            put(group, name, values[:, part], units)
        self.put_corners(group, law, columns)

    def put_corners(self, group: h5py.Group, law: Law, columns: Columns) -> None:
        """Write the corners and jumps of a function, with its values on both sides."""
        if not law.corners:
            return
        part, units = group.create_group(CORNERS), ", ".join(units for _, units in columns.values())
        t, order, jump = (np.array(values, dtype=float) for values in zip(*law.corners, strict=True))
        numbers = np.r_[tuple(np.r_[which] for which, _ in columns.values())]
        put(part, "t", t, "s")
        put(part, "order", order, "1 (derivative that jumps)")
        put(part, "jump", jump, "unit of the value/s^order")
        for name, times in (("before", t.tolist()), ("behind", [behind(x) for x in t.tolist()])):
            put(part, name, np.array([law(x) for x in times])[:, numbers], units)


class LaterSampler(Sampler):
    """Writer that describes the arrays of values at later times, and gives them columns from ``columns`` on.

    ``samples`` lists each law, which of its numbers are kept, and the columns where.
    """

    def __init__(self, laws: Iterable[Law], columns: int) -> None:
        super().__init__(laws, np.zeros(0))
        self.columns = columns
        self.samples: list[tuple[Law, int | slice, slice]] = []

    def put(self, group: h5py.Group, what: str, columns: Columns) -> None:
        """Describe the values of a function."""
        for name, (part, units) in columns.items():
            shape = (3,) if isinstance(part, slice) else ()
            rows_to_come(group, name, shape, self.columns).attrs["units"] = units
            end = self.columns + int(np.prod(shape))
            self.samples.append((self.laws[what], part, slice(self.columns, end)))
            self.columns = end
        self.put_corners(group, self.laws[what], columns)


def with_corners(
    group: h5py.Group, t: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[Corner]]:
    """Return times and values (nt, ...) of a function with those at its corners, and the corners before the last time.

    At a corner a time occurs twice: before and behind it.
    """
    if CORNERS not in group:
        return t, values, []
    part = {name: group[CORNERS][name][...] for name in ("t", "order", "jump", "before", "behind")}
    known = part["t"] < t[-1] * (1 - AT_CORNER)
    times = part["t"][known]
    before, behind_them = (part[name][known].reshape(-1, *values.shape[1:]) for name in ("before", "behind"))
    # a time that is that of a corner, but for round-off, belongs to the part before it
    last = np.searchsorted(t, times * (1 + AT_CORNER), side="right")
    at = np.maximum(times, t[np.maximum(last - 1, 0)] * (last > 0))
    all_t, everything = np.concatenate([t, times, at]), np.concatenate([values, before, behind_them])
    sides = np.concatenate([np.zeros(len(t)), np.zeros(len(times)), np.ones(len(times))])
    order = np.lexsort((sides, all_t))
    corners = [
        Corner(x, int(n), jump)
        for x, n, jump in zip(times.tolist(), part["order"][known], part["jump"][known].tolist(), strict=True)
    ]
    return all_t[order], everything[order], corners

"""Values of functions of time in files: at all times of a result, or one after the other during a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..functions.time_law import Law
from .datasets import put, rows_to_come

if TYPE_CHECKING:
    import h5py

#: an array of samples by its name: which of a law's three numbers, and their unit
Columns = Mapping[str, tuple[int | slice, str]]


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

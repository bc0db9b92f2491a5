"""Values of functions of time in files: at all times of a result, or one after the other during a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..functions.time_law import Law
from .datasets import allocated, put

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


@dataclass(frozen=True)
class Place:
    """The place of the values of a law in the file: rows of ``columns`` from the byte ``offset``."""

    law: Law
    columns: int | slice
    offset: int
    shape: tuple[int, ...]


class LaterSampler(Sampler):
    """Writer that allocates space for values at ``rows`` later times and stores their places in ``places``."""

    def __init__(self, laws: Iterable[Law], rows: int) -> None:
        super().__init__(laws, np.zeros(0))
        self.rows = rows
        self.places: list[Place] = []

    def put(self, group: h5py.Group, what: str, columns: Columns) -> None:
        """Allocate space for the values of a function."""
        for name, (part, units) in columns.items():
            shape = (self.rows, 3) if isinstance(part, slice) else (self.rows,)
            *parents, last = name.split("/")
            inside = group.require_group("/".join(parents)) if parents else group
            offset = allocated(inside, last, shape)
            inside[last].attrs["units"] = units
            self.places.append(Place(self.laws[what], part, offset, shape))

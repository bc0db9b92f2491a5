"""The records of a user's function that compares values: one for each way through it.

A record holds for all inputs at which the comparisons come out as they did when it was made. So a function of several
pieces (a profile of lines and arcs) is called in Python once for each piece, and its records give the values and exact
derivatives everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.tape import comparisons_hold
from .tracing import Number, Tape

#: Records that are kept; the one that was not used for longest is left out.
RECORD_LIMIT = 64

#: Operations (n, 3) and constants (n,).
Arrays = tuple[np.ndarray, np.ndarray]


class Record(NamedTuple):
    """The tapes of the results of a function, and where they hold."""

    whole: Arrays
    comparisons: np.ndarray
    results: list[Arrays]

    def holds(self, x: np.ndarray) -> bool:
        """Return whether all comparisons come out for the inputs x (n,) as they were recorded."""
        return comparisons_hold(*self.whole, x, self.comparisons)


class Branches:
    """A function that is recorded where its comparisons come out in a new way.

    Parameters
    ----------
    function : callable
        Takes the inputs as :class:`.tracing.Number` and returns a sequence of results.
    keeps : bool
        Whether records may be used again: the function reads nothing that can change, :func:`.tracing.is_pure`.
    """

    def __init__(self, function: Callable[[Sequence[Number]], Sequence[Any]], *, keeps: bool) -> None:
        self.function, self.keeps = function, keeps
        self._records: list[Record] = []

    def at(self, x: np.ndarray) -> list[Arrays]:
        """Return the tapes of the results that hold for the inputs x (n,)."""
        for k, record in enumerate(self._records):
            if record.holds(x):
                if k:
                    self._records.insert(0, self._records.pop(k))
                return record.results
        tape = Tape()
        results = [tape.ending(result) for result in self.function(tape.inputs(x.tolist()))]
        if self.keeps:
            comparisons = np.array(tape.comparisons, dtype=np.int64).reshape(-1, 4)
            self._records.insert(0, Record(tape.arrays(), comparisons, results))
            del self._records[RECORD_LIMIT:]
        return results

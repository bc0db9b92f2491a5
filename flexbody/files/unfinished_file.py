"""Writer of the files of runs in progress, which can be read whenever the run is cut short.

The whole structure of the file is written before the first step, and the arrays have their final size, but take room on
the disk only as the run goes on (where files may have holes: not on Windows). A state is written by storing its numbers
in the mapped file and then increasing the count. The file is therefore valid HDF5 at any moment, and holds all stored
states even if the program is killed (if the computer loses power, those that the operating system had written).
:mod:`flexbody.files.result_file` gives the layout.
"""

from __future__ import annotations

import os
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fem.common.errors import FileError
from fem.common.files import check_room
from fem.common.hdf5 import writing

from ..compile.plan import Plan
from ..equations.start import Start
from ..formulations.state import STATE_ARRAYS
from ..functions.time_law import Law
from ..results.record import Record
from ..results.stored_states import shapes
from .datasets import allocated, make_room
from .result_file import save_result
from .result_reader import KIND, VERSION
from .sampled_functions import LaterSampler
from .system_file import describe
from .unfinished_states import unfinished

#: results that take more bytes than this are left in the file
LARGEST_IN_MEMORY = 2**30
#: number of states for which room is made ahead, at least
STATES_AHEAD = 16


class Stream:
    """The file of a run in progress; ``times`` are those at which states will be stored."""

    def __init__(self, path: str | os.PathLike, plan: Plan, start: Start, times: np.ndarray) -> None:
        self.path, self.partial = Path(path), unfinished(path)
        rows = len(times) + 1
        places: dict[str, tuple[int, tuple[int, ...]]] = {}
        numbers = rows * sum(int(np.prod(shape)) for shape in shapes(plan).values())
        # at the end both this file and the complete one are there, which is about as large
        check_room(self.path, 8 * numbers, f"store fewer than {rows} states (output_step=)", copies=2)
        # (a file that another run is still writing keeps its own memory when it is replaced here)
        with writing(self.partial, KIND, VERSION, sealed=False) as file:
            states = file.create_group("states")
            states.attrs["rank"] = start.rank
            sampler = LaterSampler(plan.laws, rows)
            describe(file, plan, start.undetermined, sampler)
            for name, shape in shapes(plan).items():
                places[name] = (allocated(states, name, (rows, *shape)), (rows, *shape))
            stored = allocated(states, "stored", (1,))
        self._file, self._rows, self._room = os.open(self.partial, os.O_RDWR), rows, 0
        self._close_file = weakref.finalize(self, os.close, self._file)
        self._rooms = [*places.values(), *((place.offset, place.shape) for place in sampler.places)]
        make_room(self._file, stored, 8)
        self._make_room(1)
        places["stored"] = (stored, (1,))
        self._maps = {name: self._mapped(*place) for name, place in places.items()}
        self._samples = [(p.law, p.columns, self._mapped(p.offset, p.shape)) for p in sampler.places]

    def _mapped(self, offset: int, shape: tuple[int, ...]) -> np.ndarray:
        if not np.prod(shape):
            return np.empty(shape)
        mapped = np.memmap(self.partial, "<f8", "r+", offset, shape)
        return np.asarray(mapped)  # assignments to a memmap as such take thrice as long

    def array(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of the file by name."""
        assert self._maps[name].shape == shape
        return self._maps[name]

    def _make_room(self, states: int) -> None:
        """Make room on the disk for so many states and some more: a map of a file can't say that the disk is full."""
        if states <= self._room:
            return
        last = min(self._rows, states + max(STATES_AHEAD, states // 32))
        try:
            for offset, shape in self._rooms:
                size = 8 * int(np.prod(shape[1:]))
                if size:
                    make_room(self._file, offset + self._room * size, (last - self._room) * size)
        except OSError as error:
            raise FileError(
                f"can't write {self.partial}: {error.strerror or error}; it holds the first {states - 1} states"
            ) from None
        self._room = last

    def mark(self, stored: int) -> None:
        """Set the number of complete states, and sample functions of time at the last of them."""
        values: dict[Law, tuple[float, float, float]] = {}
        for law, columns, array in self._samples:
            if law not in values:
                values[law] = _value(law, float(self._maps["t"][stored - 1]))
            array[stored - 1] = np.array(values[law])[columns]
        self._maps["stored"][0] = stored
        self._make_room(min(stored + 1, self._rows))

    def complete(self, record: Record) -> Record:
        """Write the complete file, remove this one, and return the record, in memory unless it is large.

        Raises
        ------
        fem.FileError
            The complete file cannot be written; this file remains, and ``error.result`` is the record.
        """
        try:
            save_result(record, self.path)
        except FileError as error:
            error.result = record  # type: ignore[attr-defined]
            error.add_note(f"{self.partial} holds the states that were computed")
            raise
        names = ("t", *STATE_ARRAYS)
        if os.name == "nt" or sum(getattr(record, name).nbytes for name in names) <= LARGEST_IN_MEMORY:
            copies: dict[str, Any] = {name: np.array(getattr(record, name)) for name in names}
            record = replace(record, **copies)
            self.close()
        self.partial.unlink(missing_ok=True)
        return record

    def close(self) -> None:
        """Close the file without changes."""
        self._close_file()
        self._maps.clear()
        self._samples.clear()


def _value(law: Law, t: float) -> tuple[float, float, float]:
    """Return the value of a function of time, NaN if it fails; the run raises the error when it needs the value."""
    try:
        return law(t)
    except Exception:
        return np.nan, np.nan, np.nan

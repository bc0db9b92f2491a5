"""Writer of the files of runs in progress, which can be read whenever the run is cut short.

The description of the machine is written before the first step. A state goes to a small table in the mapped file, and
as soon as the table is full its states are appended as a compressed block (:mod:`flexbody.files.state_blocks`). An
event is appended as a block of its own when it occurs. Each state and each block has a checksum. All stored states and
events can therefore be read even if the program is killed (if the computer loses power, those that the operating system
had written).

The file is never larger than the complete one: that one has, beside the same description, forces and positions of
markers, and each of its arrays takes some 3 kB, however short it is; the table takes half of that at most.
:mod:`flexbody.files.result_file` gives the layout.
"""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from fem.common.errors import FileError
from fem.common.files import check_room
from fem.common.hdf5 import writing

from ..compile.plan import Plan
from ..equations.start import Start
from ..functions.time_law import Law
from ..results.occurrences import Occurrence
from ..results.record import Record
from ..results.stored_states import shapes
from .datasets import allocated, make_room, rows_to_come
from .event_file import Switched, event_text
from .result_file import save_result
from .result_reader import KIND, VERSION
from .sampled_functions import LaterSampler
from .state_blocks import LastStates, checksum_without, packed, packed_text
from .system_file import describe
from .unfinished_states import ENERGIES, unfinished

#: results that take more bytes than this lie in a temporary file
LARGEST_IN_MEMORY = 2**30
#: number of states for which room is made ahead in that file, at least
STATES_AHEAD = 16
#: number of states in one block, at most: beyond it blocks hardly become smaller
STATES_IN_BLOCK = 128
#: bytes of the table for each array of the complete file, half of what the array takes there at least
BYTES_FOR_ARRAY = 1500


def check_room_for(path: Path, plan: Plan, times: np.ndarray, copies: int = 1) -> None:
    """Raise FileError if the states at these times, or some copies of them, don't fit on the disk."""
    rows = len(times) + 1
    numbers = sum(int(np.prod(shape)) for shape in shapes(plan).values())
    check_room(path, 8 * rows * numbers, f"store fewer than {rows} states (output_step=)", copies)


class Stream:
    """The file of a run in progress.

    Parameters
    ----------
    path : path_like
        The complete file.
    plan, start : Plan, Start
        The compiled machine, with all that is switched, and its start.
    times : numpy.ndarray
        Times at which states will be stored, s.
    off : sequence of str or None, optional
        The names of what is off at the start, if something may be switched: the energies of each state are then
        written, because they are those of what is on.
    switched : mapping, optional
        When and where drives went on from which a run goes on.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        plan: Plan,
        start: Start,
        times: np.ndarray,
        off: Sequence[str] | None = None,
        switched: Switched | None = None,
    ) -> None:
        self.path, self.partial = Path(path), unfinished(path)
        self.switches = off is not None
        rows = len(times) + 1
        kept = shapes(plan) | ({ENERGIES: (3,)} if self.switches else {})
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in kept.values())]).tolist()
        self._columns = dict(zip(kept, map(slice, ends, ends[1:]), strict=False))
        numbers = ends[-1]
        large = 8 * rows * numbers > LARGEST_IN_MEMORY
        # at the end both this file and the complete one are there, which is about as large
        check_room_for(self.path, plan, times, copies=3 if large else 2)
        # (a file that another run is still writing keeps its own memory when it is replaced here)
        with writing(self.partial, KIND, VERSION, sealed=False) as file:
            states = file.create_group("states")
            states.attrs["rank"] = start.rank
            states.attrs["switched_off"] = json.dumps(list(off or ()))
            states.attrs["switched"] = json.dumps(switched or {})
            sampler = LaterSampler(plan.laws, numbers)
            describe(file, plan, start.undetermined, sampler)
            for name, shape in kept.items():
                rows_to_come(states, name, shape, self._columns[name].start)
            table = (_states_in_block(plan, sampler.columns), 2 + sampler.columns)
            last = allocated(states, "last", table)
            blocks = allocated(states, "blocks", (2,))
        self._samples = sampler.samples
        self._row, self._before = np.empty(sampler.columns), np.zeros(sampler.columns)
        self._arrays: Mapping[str, np.ndarray] = {}
        self._places: list[tuple[slice, np.ndarray]] = []
        self._written = 0
        with self._writing(0):
            self._scratch = _Scratch(self.path.parent, rows) if large else None
        self._file = self.partial.open("r+b", buffering=0)
        self._close_file = weakref.finalize(self, self._file.close)
        with self._writing(0):
            make_room(self._file.fileno(), last, 8 * table[0] * table[1])
        self._last = LastStates(np.asarray(np.memmap(self._file, "<f8", "r+", last, table)))
        self._file.seek(0)
        description = bytearray(self._file.readall())
        checksum = checksum_without(description, {last: self._last.table.nbytes, blocks: 16})
        np.memmap(self._file, "<f8", "r+", blocks, (2,))[:] = len(description), checksum

    def array(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array for the states of the run, in memory unless the result is large."""
        with self._writing(0):
            return np.empty(shape) if self._scratch is None else self._scratch.array(shape)

    def mark(self, arrays: Mapping[str, np.ndarray], stored: int, energies: np.ndarray | None = None) -> None:
        """Write the last of so many states in ``arrays``, and functions of time at it.

        ``energies`` (3,), J, are those of what is on, where something may be switched.
        """
        if arrays is not self._arrays:
            self._arrays = arrays
            columns = self._columns.items()
            self._places = [
                (at, arrays[k].reshape(len(arrays[k]), -1))
                for k, at in columns
                if k != ENERGIES and arrays[k].size
            ]
        one, row = stored - 1, self._row
        for place, array in self._places:
            row[place] = array[one]
        if energies is not None:
            row[self._columns[ENERGIES]] = energies
        values: dict[Law, tuple[float, float, float]] = {}
        for law, part, place in self._samples:
            if law not in values:
                values[law] = _value(law, float(self._arrays["t"][one]))
            row[place] = np.array(values[law])[part]
        k = self._written % len(self._last.rows)
        self._last.put(k, self._written, row)
        self._written += 1
        if k + 1 == len(self._last.rows):
            with self._writing(stored):
                self._append(packed(self._last.rows, self._before))
            self._before[:] = row
        if self._scratch is not None:
            with self._writing(stored):
                self._scratch.make_room(stored + 1)

    def note(self, event: Occurrence, switched: Switched) -> None:
        """Write an event, behind which the last state stands, and when and where drives have gone on so far."""
        with self._writing(self._written):
            self._append(packed_text(event_text(event, self._written - 1, switched)))

    @contextmanager
    def _writing(self, stored: int) -> Iterator[None]:
        """Turn the error of a full disk into one that says how many states are stored."""
        try:
            yield
        except OSError as error:
            raise FileError(
                f"can't write {self.partial}: {error.strerror or error}; it holds the first {stored} states"
            ) from None

    def _append(self, block: bytes) -> None:
        rest = memoryview(block)
        while rest:
            rest = rest[self._file.write(rest) :]

    def complete(self, record: Record) -> Record:
        """Write the complete file, remove this one, and return the record.

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
        self.close()
        self.partial.unlink(missing_ok=True)
        return record

    def close(self) -> None:
        """Close the file without changes."""
        self._close_file()
        self._arrays, self._places = {}, []
        del self._last


def _states_in_block(plan: Plan, columns: int) -> int:
    arrays = 7 * len(plan.system.bodies) + 3 * len(plan.system.joints)
    return int(np.clip(BYTES_FOR_ARRAY * arrays // (8 * columns), 1, STATES_IN_BLOCK))


class _Scratch:
    """A temporary file for arrays of ``rows`` states each, which goes with the last of them or with the program."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (arrays of a result hold it)
        self._rows, self._room, self._end = rows, 0, 0
        self._places: list[tuple[int, int]] = []

    def array(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of the file."""
        if not np.prod(shape):
            return np.empty(shape)
        mapped = np.memmap(self._file, "<f8", "r+", self._end, shape)
        self._places.append((self._end, mapped.nbytes // self._rows))
        self._end += mapped.nbytes
        self._room = 0
        self.make_room(1)
        return np.asarray(mapped)  # assignments to a memmap as such take thrice as long

    def make_room(self, states: int) -> None:
        """Make room on the disk for so many states and some more: a map of a file can't say that the disk is full."""
        if min(states, self._rows) <= self._room:
            return
        last = min(self._rows, states + max(STATES_AHEAD, states // 32))
        for offset, size in self._places:
            make_room(self._file.fileno(), offset + self._room * size, (last - self._room) * size)
        self._room = last


def _value(law: Law, t: float) -> tuple[float, float, float]:
    """Return the value of a function of time, NaN if it fails; the run raises the error when it needs the value."""
    try:
        return law(t)
    except Exception:
        return np.nan, np.nan, np.nan

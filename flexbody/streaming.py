"""Files that take the states of a run while it goes on, and that open whenever it is cut short.

All of the file's structure is written before the first step, and the arrays have their final size: a state is
written by storing its numbers in the mapped file, then counting it. So the file is valid HDF5 at any moment; what
the program has stored is there even if it is killed the next instant (of a computer that loses power, what its
system had written back by then). The layout is that of :mod:`flexbody.store`.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import h5py
import numpy as np

from fem.common.errors import FileError, FlexbodyWarning
from fem.common.hdf5 import writing

from .initial import Start
from .layout import Plan, make_plan
from .result import Result, Statistics

#: results that take more bytes than this are left in the file
LARGE = 2**30


def unfinished(path: str | os.PathLike) -> Path:
    """Return the name of the file that takes a run's states until ``path`` is complete."""
    path = Path(path)
    return path.with_name(f"{path.stem}.unfinished{path.suffix}")


class Stream:
    """The file of a run in progress. ``times``: those at which states will be stored."""

    def __init__(self, path: str | os.PathLike, plan: Plan, start: Start, times: np.ndarray) -> None:
        from .recording import shapes
        from .store import KIND, VERSION, describe

        self.path, self.partial = Path(path), unfinished(path)
        rows = len(times) + 1
        places: dict[str, tuple[int, tuple[int, ...]]] = {}
        # (a file that another run is still writing keeps its own memory when it is replaced here)
        with writing(self.partial, KIND, VERSION) as file:
            states = file.create_group("states")
            states.attrs["rank"] = start.rank
            planned = _before_failure(plan, times)
            states["planned"] = planned
            describe(file, plan, start.undetermined, planned)
            for name, shape in shapes(plan).items():
                places[name] = (_allocated(states, name, (rows, *shape)), (rows, *shape))
            places["stored"] = (_allocated(states, "stored", (1,)), (1,))
        self._maps: dict[str, np.ndarray] = {}
        for name, (offset, shape) in places.items():
            mapped = (
                np.memmap(self.partial, "<f8", "r+", offset, shape) if np.prod(shape) else np.empty(shape)
            )
            self._maps[name] = np.asarray(mapped)  # assignments to a memmap as such take thrice as long

    def array(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return the file's array of this name."""
        assert self._maps[name].shape == shape
        return self._maps[name]

    def mark(self, stored: int) -> None:
        """Count the states that are complete."""
        self._maps["stored"][0] = stored

    def complete(self, result: Result) -> Result:
        """Write the complete file, remove this one, and return the result, in memory unless it is large.

        FileError if it can't be written; this file stays then, and the error's ``result`` is the result.
        """
        try:
            result.save(self.path)
        except FileError as error:
            error.result = result  # type: ignore[attr-defined]
            error.add_note(f"{self.partial} holds the states that were computed")
            raise
        names = ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers", "states")
        if os.name == "nt" or sum(getattr(result, name).nbytes for name in names) <= LARGE:
            copies = {name: np.array(getattr(result, name)) for name in names}
            result = Result(
                result.plan, **copies, energies=result.energies, statistics=result.statistics,
                undetermined=result.undetermined, turns=result.turns,
            )  # fmt: skip
            self._maps.clear()
        self.partial.unlink(missing_ok=True)
        return result

    def close(self) -> None:
        """Leave the file as it is."""
        self._maps.clear()


def _allocated(group: h5py.Group, name: str, shape: tuple[int, ...]) -> int:
    """Make an array of zeros that has its place in the file at once; return where it begins, bytes."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    properties.set_fill_time(h5py.h5d.FILL_TIME_ALLOC)  # a disk that is too small says so now
    space = h5py.h5s.create_simple(shape)
    made = h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, properties)
    return made.get_offset() or 0


def _before_failure(plan: Plan, times: np.ndarray) -> np.ndarray:
    """Return the times before a function of time fails."""
    for k, t in enumerate(times):
        for law in plan.laws:
            try:
                law(float(t))
            except Exception:  # a user's function; the run says so when it gets there
                return times[: max(k, 1)]
    return times


def read_states(file: h5py.File, path: Path) -> Result:
    """Return what a run that was cut short had stored, with a warning."""
    from .description import read_system
    from .recording import Recording, shapes

    states = file["states"]
    stored, planned = int(states["stored"][0]), states["planned"][...]
    if stored == 0:
        raise FileError(f"{path} holds no states: its run was cut short before the first one was stored")
    system, undetermined = read_system(file, path, planned)
    plan = make_plan(system, float(planned[-1]) or 1.0)
    recording = Recording(plan, 0)
    recording.arrays = {name: states[name][:stored] for name in shapes(plan)}
    recording.filled = stored
    unknowns = plan.n_velocities + plan.n_rows
    cost = Statistics(0, 0, 0, 0, 0.0, 0.0, unknowns, int(states.attrs["rank"]), 0.0, 0.0, interrupted=True)
    warnings.warn(
        f"{path.name} is the file of a run that was cut short, or still goes on: it holds {stored} states to "
        f"t = {recording.last:.6g} s",
        FlexbodyWarning,
        stacklevel=3,
    )
    return recording.result(plan, cost, undetermined)

"""Reader of the file of a run in progress or cut short, which :mod:`flexbody.files.unfinished_file` writes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fem.common.errors import FileError, warn

from ..results.record import Record, Statistics
from ..results.stored_states import record_of, shapes
from .system_file import read_plan

if TYPE_CHECKING:
    import h5py


def unfinished(path: str | os.PathLike) -> Path:
    """Return the name of the file that holds the states of a run until ``path`` is complete."""
    path = Path(path)
    return path.with_name(f"{path.stem}.unfinished{path.suffix}")


def read_states(file: h5py.File, path: Path) -> Record:
    """Return the stored states of a run that was cut short, with a warning."""
    states = file["states"]
    stored = int(states["stored"][0])
    if stored == 0:
        raise FileError(f"{path} holds no states: its run was cut short before the first one was stored")
    t = states["t"][:stored]
    plan, undetermined = read_plan(file, path, t)
    arrays = {name: states[name][:stored] for name in shapes(plan)}
    unknowns = plan.n_velocities + plan.n_rows
    cost = Statistics(0, 0, 0, 0, 0.0, 0.0, unknowns, int(states.attrs["rank"]), 0.0, 0.0, interrupted=True)
    warn(
        f"{path.name} is the file of a run that was cut short, or still goes on: it holds {stored} states to "
        f"t = {float(t[-1]):.6g} s",
    )
    return record_of(plan, arrays, cost, undetermined)

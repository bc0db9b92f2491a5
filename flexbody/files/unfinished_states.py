"""Reader of the file of a run in progress or cut short, which :mod:`flexbody.files.unfinished_file` writes."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fem.common.errors import FileError, warn

from ..compile.plan import Plan, make_plan
from ..model.drives import Drive
from ..model.going_on import going_on
from ..results.record import Record, Statistics
from ..results.stored_states import record_of, shapes, with_blows
from .datasets import fill
from .event_file import Switched, events_of
from .state_blocks import LastStates, checksum_without, read_blocks
from .system_file import read_plan

if TYPE_CHECKING:
    import h5py


#: array of the energies of what is on, of a run in which something may be switched
ENERGIES = "energies"


def unfinished(path: str | os.PathLike) -> Path:
    """Return the name of the file that holds the states of a run until ``path`` is complete."""
    path = Path(path)
    return path.with_name(f"{path.stem}.unfinished{path.suffix}")


def read_states(file: h5py.File, path: Path) -> Record:
    """Return the stored states of a run that was cut short, with a warning."""
    import h5py

    states = file["states"]
    description, rows, texts, damaged = _read_rows(states, path)
    if not len(rows):
        raise FileError(f"{path} holds no states: its run was cut short before the first one was stored")
    with h5py.File(io.BytesIO(description), "r+") as complete:
        kept = _valid(rows)
        fill(complete, rows[kept])
        t = complete["states/t"][...]
        plan, undetermined = read_plan(complete, path, t)
        arrays = {name: complete["states"][name][...] for name in shapes(plan)}
        of_parts = complete["states"][ENERGIES][...] if ENERGIES in complete["states"] else None
    unknowns, rank = plan.n_velocities + plan.n_rows, int(states.attrs["rank"])
    cost = Statistics(0, 0, 0, 0, 0.0, 0.0, unknowns, rank, 0.0, 0.0, interrupted=True)
    more = "; what follows is damaged" if damaged else ""
    warn(
        f"{path.name} is the file of a run that was cut short, or still goes on: it holds {len(t)} states to "
        f"t = {float(t[-1]):.6g} s{more}",
    )
    events, switched = events_of(texts, kept, json.loads(states.attrs["switched"]))
    found = record_of(_going_on(plan, switched, float(t[-1])), arrays, cost, undetermined)
    energies = found.energies if of_parts is None else np.column_stack([of_parts, arrays["work"]])
    blows = np.flatnonzero(t[1:] == t[:-1]) + 1
    off = tuple(json.loads(states.attrs["switched_off"]))
    return replace(found, energies=with_blows(energies, blows), events=events, switched_off=off)


def _going_on(plan: Plan, switched: Switched, t_end: float) -> Plan:
    """Return the plan in which drives have gone on from where they were switched on."""
    if not switched:
        return plan
    joints = [
        going_on(joint, switched[joint.name])
        if isinstance(joint, Drive) and joint.name in switched
        else joint
        for joint in plan.system.joints
    ]
    return make_plan(replace(plan.system, joints=joints), t_end or 1.0, plan.formulation.unbound())


def _valid(rows: np.ndarray) -> np.ndarray:
    """Return which states hold, (n,): after a run has gone back, to events or another method, it writes anew."""
    t = rows[:, 0]
    return t <= np.minimum.accumulate(t[::-1])[::-1]


def _read_rows(states: h5py.Group, path: Path) -> tuple[bytearray, np.ndarray, list[str], bool]:
    """Return the HDF5 part, the numbers of each state, the texts of events, and whether what follows is damaged."""
    end, checksum = states["blocks"][...]
    last = LastStates(states["last"][...])  # before the blocks: the run may go on
    if end == 0:
        return bytearray(), last.rows[:0], [], False
    size = path.stat().st_size
    with path.open("rb") as file:
        description = bytearray(file.read(int(end) if 0 < end <= size else 0))
        rows, texts, damaged = read_blocks(file, last.rows.shape[1])
    changing = {states[name].id.get_offset(): states[name].nbytes for name in ("last", "blocks")}
    if checksum_without(description, changing) != checksum:
        raise FileError(f"{path} is damaged: its bytes are not those that were written (CRC-32); take a copy")
    return description, np.concatenate([rows, last.following(len(rows))]), texts, damaged

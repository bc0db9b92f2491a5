"""Reader of complete files of results; :mod:`flexbody.files.result_file` writes them and describes what they hold."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compile.plan import Plan
from ..results.record import Record, Statistics
from .datasets import groups
from .event_file import read_events
from .system_file import read_plan

if TYPE_CHECKING:
    import h5py

KIND = "result"
VERSION = OLDEST = 3
ENERGIES = ("kinetic", "strain", "potential", "dissipated", "input")
VELOCITIES = ("velocity", "angular_velocity_body", "alpha_dot")
ACCELERATIONS = ("acceleration", "angular_acceleration_body", "alpha_ddot")


def read_finished(file: h5py.File, path: Path) -> Record:
    """Return the record that :func:`save_result` wrote to an open file."""
    t = file["time"][...]
    plan, undetermined = read_plan(file, path, t)
    statistics = _read_statistics(file["statistics"])
    bodies = [group for _, group in groups(file["bodies"])]
    forces = dict(groups(file["forces"]))
    laws = zip(plan.elements.elements, plan.elements.laws, strict=True)
    states = [forces[element.name]["state"][...] for element, law in laws if law.n_states]
    rows = [group["multipliers"][...] for _, group in groups(file["joints"])]
    return Record(
        plan,
        t,
        np.stack([group["position"][...] for group in bodies], axis=1),
        np.stack([group["rotation"][...] for group in bodies], axis=1),
        np.concatenate([group["alpha"][...] for group in bodies], axis=1),
        np.concatenate([_together(group, VELOCITIES) for group in bodies], axis=1),
        np.concatenate([_together(group, ACCELERATIONS) for group in bodies], axis=1),
        np.concatenate([np.zeros((len(t), 0)), *rows], axis=1),
        np.concatenate([np.zeros((len(t), 0)), *states], axis=1),
        _read_counted(file["system"], plan),
        np.stack([file["energies"][name][...] for name in ENERGIES], axis=1),
        statistics,
        undetermined,
        *read_events(file),
        {
            name: tuple(group.attrs["peaks"].tolist())
            for name, group in forces.items()
            if "peaks" in group.attrs
        },
    )


def _read_counted(group: h5py.Group, plan: Plan) -> np.ndarray:
    """Return the values of ``plan.coordinates``, (nt, nc), which the file holds by joint and name."""
    keys = [tuple(key.split("\n")) for key in group["coordinates"].asstr()]
    return group["counted_coordinates"][...][:, [keys.index(key) for key in plan.coordinates]]


def _read_statistics(group: h5py.Group) -> Statistics:
    """Return the cost of a run; entries that files of earlier versions lack have default values."""
    found: dict[str, Any] = {}
    for field in fields(Statistics):
        if field.name in group.attrs or field.default is MISSING:
            value = group.attrs[field.name]
            found[field.name] = value if isinstance(value, str) else value.item()
    return Statistics(**found)


def _together(group: h5py.Group, names: tuple[str, ...]) -> np.ndarray:
    return np.concatenate([group[name][...] for name in names], axis=1)

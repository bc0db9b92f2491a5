"""Results in HDF5 files: the motion, what a reader plots from it, and the system's description.

Layout (schema version 3)::

    /             program, kind = "result", schema_version, units, written
    /time         (nt,) s
    /energies     kinetic, strain, potential, dissipated, input: (nt,) J
    /statistics   one attribute per entry
    /system       gravity; description: how the equations are written, as JSON text;
                  undetermined: joints whose reactions the equations leave open;
                  counted_coordinates: joints' angles with all revolutions (and other coordinates that couplings or
                  forces use), or values near them, (nt, nc); coordinates: the joint and the name of each
    /events       of a run with events: name, time, what happened, row (number of the state behind it), and what was
                  switched on and off, one entry each; attribute switched_off: what was off at the start
    /bodies/NAME  the description as attributes; the motion: position, velocity, acceleration of the
                  reference point, rotation (Euler parameters), angular_velocity (inertial components),
                  angular_velocity_body, angular_acceleration_body (components of the body's base),
                  alpha, alpha_dot, alpha_ddot; markers/NAME: positions of the named frames (nt, 3)
    /joints/NAME  the description as JSON text; force, moment (nt, 3) on the second body, inertial components; the
                  joint coordinates by their names (angle, slide, ...); multipliers; samples of a function of time, or
                  the recorded operations of a user's constraint (tapes)
    /forces/NAME  the description as JSON text; of force elements also force, deformation, rate, state (of the law),
                  stored energy, dissipated and input power, loads on both bodies; attribute peaks: largest force of all
                  steps of the run and its time; of controllers measured and output
    /reduced/0..  the flexible bodies' data, laid out as in a reduced body's own file; each kept once

Files of earlier versions describe joints and forces in another way and can't be read.

While a run goes on, its states lie as the integrator has them, compressed, in a file of another name
(:mod:`flexbody.files.unfinished_file`)::

    /states       t, c, q, all_alpha, v, vdot, multipliers, law_states, counted_coordinates, work: empty arrays, whose
                  attribute first_column says where their numbers begin in the row of numbers of a state;
                  last: the latest states, each as its number, a checksum and its row;
                  blocks: offset in the file of the blocks of earlier states, checksum of the description;
                  energies: of what is on, where something may be switched; attributes switched_off: what was off at the
                  start, switched: when and where drives went on that were switched on, as JSON text
    /system, /bodies, /joints, /forces, /reduced  the description alone; samples of functions of time are empty arrays
                  with first_column, too

The blocks stand behind the end of the HDF5 part, those of events between those of states
(:mod:`flexbody.files.state_blocks`).

Every array has the attribute ``units``. A slash in a name is written ``|`` in the group's name; the
attribute ``name`` holds the true one.

Functions of time (drives, loads, actuators) can't be stored: their values at the result's times are, for
drives with both derivatives. In a loaded result they are functions that give these values back at these
times, and interpolate in between: drives by polynomials of degree 5 through value, rate and acceleration
(Hermite), loads by straight lines. Corners and jumps that are known are stored in the group "corners": t,
order (of the derivative that jumps), jump, and the values before and behind.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from fem.common.files import check_file
from fem.common.hdf5 import ENDINGS, writing

from ..model.joints import Connection
from ..model.sides import Body
from ..results.controllers import ControllerHistory
from ..results.force_elements import ElementHistory, element
from ..results.joint_coordinates import coordinate
from ..results.motion import alpha, angular_velocity, euler, position
from ..results.reactions import reaction
from ..results.record import Record
from .datasets import free_name, put
from .event_file import put_events
from .result_reader import ACCELERATIONS, ENERGIES, KIND, VELOCITIES, VERSION
from .sampled_functions import Sampler
from .system_file import describe

if TYPE_CHECKING:
    import h5py


def save_result(record: Record, path: str | os.PathLike) -> Path:
    """Write a run to a file and return its path.

    The file appears under its name when it is complete.

    Raises
    ------
    fem.InputError
        The file has another ending than .h5 or .hdf5.
    fem.FileError
        The file cannot be written.
    """
    import h5py

    check_file(path, ENDINGS, "the result")

    with writing(path, KIND, VERSION) as file:
        put(file, "time", record.t, "s")
        for k, name in enumerate(ENERGIES):
            put(file, f"energies/{name}", record.energies[:, k], "J")
        file.create_group("statistics").attrs.update(asdict(record.statistics))
        parts = describe(file, record.plan, record.undetermined, Sampler(record.plan.laws, record.t))
        put(file, "system/counted_coordinates", record.counted_coordinates, "rad or m")
        keys = ["\n".join(key) for key in record.plan.coordinates]
        file["system"].create_dataset("coordinates", data=keys, dtype=h5py.string_dtype())
        put_events(file, record)
        for group, body in zip(parts["bodies"], record.system.bodies, strict=True):
            _put_motion(group, record, body)
        for group, joint in zip(parts["joints"], record.system.joints, strict=True):
            _put_reaction(group, record, joint)
        described = {
            force.name: group for force, group in zip(record.system.forces, parts["forces"], strict=True)
        }
        for force in record.system.elements:
            _put_history(described[force.name], element(record, force))
            if force.name in record.peaks:
                described[force.name].attrs["peaks"] = record.peaks[force.name]
    return Path(path)


def _put_motion(group: h5py.Group, record: Record, body: Body) -> None:
    own = record.plan.velocities(record.index(body))
    v, vdot = record.v[:, own], record.vdot[:, own]
    put(group, "position", position(record, body), "m")
    put(group, "rotation", euler(record, body), "1 (Euler parameters, scalar first)")
    put(group, "angular_velocity", angular_velocity(record, body), "rad/s (inertial components)")
    for motion, names, per in ((v, VELOCITIES, "s"), (vdot, ACCELERATIONS, "s^2")):
        put(group, names[0], motion[:, :3], f"m/{per}")
        put(group, names[1], motion[:, 3:6], f"rad/{per} (components of the body's base)")
        put(group, names[2], motion[:, 6:], f"m/{per} (of a base function of unit size)")
    put(group, "alpha", alpha(record, body), "m (of a base function of unit size)")
    markers = group.create_group("markers")
    for name in body.marker_names:
        put(markers, free_name(markers, name), position(record, body[name]), "m")


def _put_reaction(group: h5py.Group, record: Record, joint: Connection) -> None:
    load = reaction(record, joint)
    put(group, "force", load.force, "N (on the second body, inertial components)")
    put(group, "moment", load.moment, "Nm (on the second body, inertial components)")
    for which, measure in joint.coordinates.items():
        put(group, which, coordinate(record, joint, which), measure.unit)
    put(group, "multipliers", record.multipliers[:, record.plan.rows[joint.name]], "N")


def _put_history(group: h5py.Group, history: ElementHistory) -> None:
    """Write the history of an element."""
    units = history.units
    for name in ("force", "deformation", "rate", "stored", "dissipated", "input"):
        if name not in units:
            continue
        put(group, name, getattr(history, name), units[name])
    if isinstance(history, ControllerHistory):
        put(group, "measured", history.measured, "SI")
        put(group, "output", history.output, "SI")
    put(group, "state", history.state, ", ".join(f"{name} ({unit or '-'})" for name, unit in history.states))
    for name in ("first", "second"):
        put(group, name, getattr(history, name), "N, N m (inertial)")

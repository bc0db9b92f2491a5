"""Reduced bodies in HDF5 files: a core that dynamics needs, and a recovery part that is read on request.

Layout (schema version 3)::

    /            program, kind = "reduced body", schema_version, units, written; identity (hash of the core)
    /core        name, frame, mean, linear, mass, notes; origin, C1 .. C8, K
                 C5_stiffening, where there is geometric stiffening; D, where the body has dampers
                 axial: direction, quadratic, where there are axial modes instead
                 markers: names, points, Phi, B, has_rotation; GF, GM likewise;
                 loads: loads, markers, forces
                 station_shapes: rows; of each component stations, curve
                 load_changes: names, force, moment, modal of loads that follow; attributes: why others can't
    /provenance  one attribute per entry
    /accuracy    lines on the accuracy of the basis, if it was compared with the full model
    /recovery    points, Phi, triangles
    /recovery/stress  where there are stress modes: the fields of modal.body.stress_modes.StressModes; of each section
                 A, Iy, Iz, J, Iyz, radius, torsion_modulus, shear_peak (nan: not known) and points; sets/NAME

Version 1 had no geometric stiffening, version 2 no stress modes; their files are read as bodies without these.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import FileError, InputError
from fem.common.files import check_file, path_of
from fem.common.hdf5 import ENDINGS, reading, writing

from .axial_energy import AxialEnergy
from .inertia import FloatArray
from .load_change import LoadChange
from .reduced_body import Marker, Recovery, RecoverySource, ReducedBody
from .station_shapes import StationShapes
from .stress_modes import StressModes
from .stress_store import read_stress, write_stress

if TYPE_CHECKING:
    import h5py

KIND = "reduced body"
VERSION = 3
ARRAYS = ("origin", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "K")


@check_arguments
def save(body: ReducedBody, path: str | os.PathLike) -> Path:
    """Write the body to an HDF5 file, which replaces an older one only when it is complete.

    Parameters
    ----------
    path : str or path
        The file, ``.h5`` or ``.hdf5``.

    Returns
    -------
    pathlib.Path
        The path of the file.

    Raises
    ------
    InputError
        The file has another ending.
    FileError
        The file can't be written there.
    """
    check_file(path, ENDINGS, f"body '{body.name}'")
    with writing(path, KIND, VERSION) as file:
        write_body(file, body)
    return Path(path)


@check_arguments
def load(path: str | os.PathLike) -> ReducedBody:
    """Read a body that :meth:`ReducedBody.save` has written; its surface is read at the first access.

    Parameters
    ----------
    path : str or path
        The HDF5 file.

    Returns
    -------
    ReducedBody
        The body.

    Raises
    ------
    FileError
        There is no such file, or it is damaged, of another program, or of a newer version.

    Examples
    --------
    >>> import tempfile, modal
    >>> beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     modal.load(beam.save(folder + "/beam.h5"))
    <ReducedBody 'beam': 4 base functions, 0.1 kg, frame MeanDisplacement>
    """
    path = path_of(path).resolve()
    if path.is_file() and (reader := _OTHERS.get(path.suffix.lower())):
        raise FileError(f"{path} is no HDF5 file of ReducedBody.save: {reader}")
    with reading(path, KIND, VERSION) as file:
        return read_body(file, path)


#: what reads the other files that bodies are written to
_OTHERS = {
    **dict.fromkeys((".sid", ".sid_fem"), "modal.read_sid reads SID files"),
    **dict.fromkeys((".npz", ".mtx"), "fem.from_matrices reads the superelement that it holds"),
}


def write_body(group: h5py.Group, body: ReducedBody) -> None:
    """Write ``body`` into an empty group: of its own file, or of a file that holds more than one body."""
    import h5py

    names = list(body.markers)
    markers = [body.markers[name] for name in names]
    core = group.create_group("core")
    core.attrs["name"] = body.name
    core.attrs["frame"] = body.frame
    core.attrs["mean"] = body.mean
    core.attrs["linear"] = body.linear
    core.attrs["mass"] = body.mass
    core.create_dataset("notes", data=list(body.notes), dtype=h5py.string_dtype())
    for name in ARRAYS:
        core[name] = getattr(body, name)
    rows = core.create_group("markers")
    rows.create_dataset("names", data=names, dtype=h5py.string_dtype())
    rows["points"] = np.array([m.point for m in markers]).reshape(-1, 3)
    rows["Phi"] = np.array([m.Phi for m in markers]).reshape(-1, 3, body.N)
    rows["B"] = np.array([m.B for m in markers]).reshape(-1, 3, body.N)
    rows["has_rotation"] = np.array([m.has_rotation for m in markers], dtype=bool)
    if body.C5_stiffening is not None:
        core["C5_stiffening"] = body.C5_stiffening
    if body.D is not None:
        core["D"] = body.D
    if markers and all(m.GF is not None for m in markers):
        rows["GF"], rows["GM"] = np.array([m.GF for m in markers]), np.array([m.GM for m in markers])
    if body.loads:
        parts = [(load, marker, force) for load, own in body.loads.items() for marker, force in own]
        rows = core.create_group("loads")
        for key, column in (("loads", 0), ("markers", 1)):
            rows.create_dataset(key, data=[part[column] for part in parts], dtype=h5py.string_dtype())
        rows["forces"] = np.array([force for *_, force in parts])
    if body.load_changes:
        rows = core.create_group("load_changes")
        its = {name: one for name, one in body.load_changes.items() if isinstance(one, LoadChange)}
        rows.create_dataset("names", data=list(its), dtype=h5py.string_dtype())
        for key in LoadChange._fields:
            rows[key] = np.array([getattr(change, key) for change in its.values()])
        for name, why in body.load_changes.items():
            if isinstance(why, str):
                rows.attrs[name] = why
    if body.station_shapes is not None:
        _write_station_shapes(core.create_group("station_shapes"), body.station_shapes)
    if body.accuracy:
        group.create_dataset("accuracy", data=list(body.accuracy), dtype=h5py.string_dtype())
    if body.axial is not None:
        axial = core.create_group("axial")
        axial["direction"], axial["quadratic"] = body.axial.direction, body.axial.quadratic
    provenance = group.create_group("provenance", track_order=True)
    for key, value in body.provenance.items():
        provenance.attrs[key] = value
    if body.recovery is not None:
        recovery = group.create_group("recovery")
        for name in ("points", "Phi", "triangles"):
            recovery.create_dataset(name, data=getattr(body.recovery, name), compression="gzip", shuffle=True)
        if body.stress_modes is not None:
            write_stress(recovery.create_group("stress"), body.stress_modes)
    group.attrs["identity"] = _identity(core)


def _write_station_shapes(group: h5py.Group, shapes: StationShapes) -> None:
    """Write the base functions that a contact can take along into an empty group."""
    import h5py

    group["rows"] = shapes.rows
    for component, curve in shapes.curves.items():
        its = group.create_group(component)
        its.create_dataset("stations", data=shapes.stations[component], dtype=h5py.string_dtype())
        its["curve"] = curve


def _read_loads(core: h5py.Group) -> dict[str, tuple[tuple[str, np.ndarray], ...]]:
    """Return the distributed loads of a body."""
    found: dict[str, tuple[tuple[str, np.ndarray], ...]] = {}
    if "loads" in core:
        rows = core["loads"]
        for load, marker, force in zip(
            rows["loads"][...], rows["markers"][...], rows["forces"][...], strict=True
        ):
            found[_text(load)] = (*found.get(_text(load), ()), (_text(marker), force))
    return found


def _read_load_changes(core: h5py.Group) -> dict[str, LoadChange | str]:
    """Return what the loads of a body gain that follow its deformation."""
    if "load_changes" not in core:
        return {}
    rows = core["load_changes"]
    columns = (rows[key][...] for key in LoadChange._fields)
    found = {_text(name): LoadChange(*its) for name, *its in zip(rows["names"][...], *columns, strict=True)}
    return found | {name: _text(why) for name, why in rows.attrs.items()}


def _read_station_shapes(core: h5py.Group) -> StationShapes | None:
    """Return the base functions that a contact can take along; None if there are none."""
    if "station_shapes" not in core:
        return None
    rows = core["station_shapes"]
    its = {name: rows[name] for name in ("x", "y", "z", "rx", "ry", "rz") if name in rows}
    stations = {name: tuple(_text(one) for one in part["stations"][...]) for name, part in its.items()}
    return StationShapes(
        rows["rows"][...], stations, {name: part["curve"][...] for name, part in its.items()}
    )


def read_body(group: h5py.Group, path: Path) -> ReducedBody:
    """Read a body from a group that :func:`write_body` filled; ``path`` is the open file's absolute path."""
    core, rows = group["core"], group["core/markers"]
    identity = _text(group.attrs["identity"])
    if _identity(core) != identity:
        raise FileError(f"{path} is damaged: its numbers differ from those that were written; write it again")
    columns = [rows[key][...] for key in ("points", "Phi", "B", "has_rotation")]
    if "GF" in rows:
        columns += [rows["GF"][...], rows["GM"][...]]
    names = [_text(name) for name in rows["names"][...]]
    markers = {
        name: Marker(point, Phi, B, bool(has_rotation), *second)
        for name, point, Phi, B, has_rotation, *second in zip(names, *columns, strict=True)
    }
    kind, version = _text(group.file.attrs["kind"]), int(group.file.attrs["schema_version"])
    surface = StoredRecovery(path, identity, group.name, kind, version) if "recovery" in group else None
    try:
        return ReducedBody(
            name=_text(core.attrs["name"]),
            frame=_text(core.attrs["frame"]),
            mean=bool(core.attrs["mean"]),
            linear=bool(core.attrs.get("linear", False)),
            mass=float(core.attrs["mass"]),
            **{name: core[name][...] for name in ARRAYS},
            C5_stiffening=core["C5_stiffening"][...] if "C5_stiffening" in core else None,
            D=core["D"][...] if "D" in core else None,
            axial=AxialEnergy(*(core["axial"][key][...] for key in ("direction", "quadratic")))
            if "axial" in core
            else None,
            markers=markers,
            loads=_read_loads(core),
            load_changes=_read_load_changes(core),
            station_shapes=_read_station_shapes(core),
            surface=surface,
            provenance={key: _text(value) for key, value in group["provenance"].attrs.items()},
            notes=tuple(_text(note) for note in core["notes"][...]),
            accuracy=tuple(_text(line) for line in group["accuracy"][...]) if "accuracy" in group else (),
        )
    except FileError:
        raise
    except InputError as error:
        raise FileError(f"{path} is damaged: {error}") from None


@dataclass(frozen=True, eq=False)
class StoredRecovery(RecoverySource):
    """The recovery part in a file, not read yet."""

    path: Path
    identity: str  # of the core that it belongs to
    group: str = "/"  # where the body lies in the file
    kind: str = KIND  # of the file
    version: int = VERSION
    R: FloatArray | None = None  # the body was turned since

    def read(self) -> Recovery:
        """Return the surface; FileError if the file no longer exists or now holds another body."""
        with self._part() as part:
            recovery = Recovery(*(part[key][...] for key in ("points", "Phi", "triangles")))
        return recovery if self.R is None else recovery.turned(self.R)

    def read_stress(self) -> StressModes | None:
        """Return the stress modes, None if the file holds none; FileError as for :meth:`read`."""
        with self._part() as part:
            modes = read_stress(part["stress"]) if "stress" in part else None
        return modes if modes is None or self.R is None else modes.turned(self.R)

    @contextmanager
    def _part(self) -> Iterator[h5py.Group]:
        with reading(self.path, self.kind, self.version) as file:
            if self.group not in file or _text(file[self.group].attrs["identity"]) != self.identity:
                raise FileError(f"{self.path} was replaced since the body was read from it; load it again")
            yield file[self.group]["recovery"]

    def turned(self, R: FloatArray) -> StoredRecovery:
        """Return a source of the same part, rotated by R."""
        return replace(self, R=R if self.R is None else R @ self.R)


def _identity(core: h5py.Group) -> str:
    import h5py

    digest = hashlib.sha256()
    for key in sorted(core.attrs):
        digest.update(f"{key}={core.attrs[key]!s}".encode())
    names: list[str] = []
    core.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    for name in sorted(names):
        data = core[name][...]
        digest.update(f"{name}{data.shape}".encode())
        digest.update(repr(data.tolist()).encode() if data.dtype == object else data.tobytes())
    return digest.hexdigest()


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)

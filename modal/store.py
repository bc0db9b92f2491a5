"""Reduced bodies in HDF5 files: a core that dynamics needs, a recovery part that is read when asked for.

Layout (schema version 1)::

    /            program, kind = "reduced body", schema_version, units, written; identity (hash of the core)
    /core        name, frame, mean, mass, notes; origin, C1 .. C8, K
                 markers: names, points, Phi, B, has_rotation
    /provenance  one attribute per entry
    /recovery    points, Phi, triangles
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

import h5py
import numpy as np

from fem.common.errors import FileError, InputError
from fem.common.hdf5 import reading, writing

from .inertia import FloatArray
from .reduced_body import Marker, Recovery, RecoverySource, ReducedBody

KIND = "reduced body"
VERSION = 1
ARRAYS = ("origin", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "K")


def save(body: ReducedBody, path: str | os.PathLike) -> Path:
    """Write ``body`` to ``path`` and return it; the file appears under its name only once it is complete.

    FileError if it can't be written there.
    """
    recovery = body.recovery  # read before the old file of the same name is replaced
    names = list(body.markers)
    markers = [body.markers[name] for name in names]
    with writing(path, KIND, VERSION) as file:
        core = file.create_group("core")
        core.attrs["name"] = body.name
        core.attrs["frame"] = body.frame
        core.attrs["mean"] = body.mean
        core.attrs["mass"] = body.mass
        core.create_dataset("notes", data=list(body.notes), dtype=h5py.string_dtype())
        for name in ARRAYS:
            core[name] = getattr(body, name)
        group = core.create_group("markers")
        group.create_dataset("names", data=names, dtype=h5py.string_dtype())
        group["points"] = np.array([m.point for m in markers]).reshape(-1, 3)
        group["Phi"] = np.array([m.Phi for m in markers]).reshape(-1, 3, body.N)
        group["B"] = np.array([m.B for m in markers]).reshape(-1, 3, body.N)
        group["has_rotation"] = np.array([m.has_rotation for m in markers], dtype=bool)
        provenance = file.create_group("provenance", track_order=True)
        for key, value in body.provenance.items():
            provenance.attrs[key] = value
        if recovery is not None:
            group = file.create_group("recovery")
            group.create_dataset("points", data=recovery.points, compression="gzip", shuffle=True)
            group.create_dataset("Phi", data=recovery.Phi, compression="gzip", shuffle=True)
            group.create_dataset("triangles", data=recovery.triangles, compression="gzip", shuffle=True)
        file.attrs["identity"] = _identity(core)
    return Path(path)


def load(path: str | os.PathLike) -> ReducedBody:
    """Read a body that :meth:`ReducedBody.save` wrote; its surface is read only when it is asked for.

    FileError if there is no such file, or it is damaged, foreign, or of a newer program.
    """
    path = Path(path).resolve()
    with reading(path, KIND, VERSION) as file:
        core, group = file["core"], file["core/markers"]
        identity = _text(file.attrs["identity"])
        if _identity(core) != identity:
            raise FileError(f"{path} is damaged: its numbers are not those that were written; write it again")
        columns = [group[key][...] for key in ("points", "Phi", "B", "has_rotation")]
        names = [_text(name) for name in group["names"][...]]
        markers = {
            name: Marker(point, Phi, B, bool(has_rotation))
            for name, point, Phi, B, has_rotation in zip(names, *columns, strict=True)
        }
        try:
            return ReducedBody(
                name=_text(core.attrs["name"]),
                frame=_text(core.attrs["frame"]),
                mean=bool(core.attrs["mean"]),
                mass=float(core.attrs["mass"]),
                **{name: core[name][...] for name in ARRAYS},
                markers=markers,
                surface=StoredRecovery(path, identity) if "recovery" in file else None,
                provenance={key: _text(value) for key, value in file["provenance"].attrs.items()},
                notes=tuple(_text(note) for note in core["notes"][...]),
            )
        except FileError:
            raise
        except InputError as error:
            raise FileError(f"{path} is damaged: {error}") from None


@dataclass(frozen=True, eq=False)
class StoredRecovery(RecoverySource):
    """The recovery part of a file, not read yet."""

    path: Path
    identity: str  # of the core that it belongs to
    R: FloatArray | None = None  # the body was turned since

    def read(self) -> Recovery:
        """Return the recovery part; FileError if the file has gone or holds another body now."""
        with reading(self.path, KIND, VERSION) as file:
            if _text(file.attrs["identity"]) != self.identity:
                raise FileError(f"{self.path} was replaced since the body was read from it; load it again")
            group = file["recovery"]
            recovery = Recovery(*(group[key][...] for key in ("points", "Phi", "triangles")))
        return recovery if self.R is None else recovery.turned(self.R)

    def turned(self, R: FloatArray) -> StoredRecovery:
        """Return a source that gives the same part turned by R."""
        return replace(self, R=R if self.R is None else R @ self.R)


def _identity(core: h5py.Group) -> str:
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

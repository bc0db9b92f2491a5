"""The description of a system in the groups of an HDF5 file; :mod:`flexbody.files.result_file` gives the layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import modal
from fem.common.errors import FileError, warn
from modal.body.store import ARRAYS, read_body, write_body

from ..compile.plan import Plan, make_plan
from ..functions.samples import MotionSamples
from ..functions.tracing import Replay
from ..model.flexible_body import FlexibleBody
from ..model.joints import Connection
from ..model.massless_body import MasslessBody
from ..model.rigid_body import RigidBody
from ..model.sides import Body, SavedBody
from ..model.system import System
from .datasets import entries, groups, note, noted
from .descriptions import class_name, class_named, encoded, put_text, read_text
from .force_file import put_force, read_force
from .sampled_functions import Sampler, with_corners

if TYPE_CHECKING:
    import h5py

#: kinds of bodies
BODIES: dict[str, type[Body]] = {kind.kind: kind for kind in (RigidBody, FlexibleBody, MasslessBody)}


# ---- bodies ----------------------------------------------------------------------------------------------


class ReducedBodies:
    """Writer of reduced bodies that writes equal ones once."""

    def __init__(self, group: h5py.Group) -> None:
        self.group = group
        self.written: list[modal.ReducedBody] = []

    def number(self, body: modal.ReducedBody) -> int:
        """Return the number of a reduced body in the file."""
        for k, other in enumerate(self.written):
            if other is body or _equal(other, body):
                return k
        try:
            body.recovery  # noqa: B018 (read now)
        except FileError as error:
            warn(f"the surface of '{body.name}' is not saved: {error}")
            body = replace(body, surface=None)
        write_body(self.group.create_group(str(len(self.written))), body)
        self.written.append(body)
        return len(self.written) - 1


def _equal(one: modal.ReducedBody, other: modal.ReducedBody) -> bool:
    """Return whether two reduced bodies have the same dynamics."""
    if (one.name, one.mass, one.N, *one.markers) != (other.name, other.mass, other.N, *other.markers):
        return False
    pairs = [(getattr(one, name), getattr(other, name)) for name in ARRAYS]
    for marker, twin in zip(one.markers.values(), other.markers.values(), strict=True):
        pairs += [(marker.point, twin.point), (marker.Phi, twin.Phi), (marker.B, twin.B)]
        pairs += [(marker.GF, twin.GF), (marker.GM, twin.GM)]
    pairs.append((one.C5_stiffening, other.C5_stiffening))
    for name in ("direction", "quadratic"):
        pairs.append((getattr(one.axial, name, None), getattr(other.axial, name, None)))
    return (one.surface is None) == (other.surface is None) and all(np.array_equal(a, b) for a, b in pairs)


def _put_points(group: h5py.Group, what: str, points) -> None:
    """Write named points (m)."""
    import h5py

    part = group.create_group(what)
    part.create_dataset("names", data=list(points), dtype=h5py.string_dtype())
    part["points"] = np.array([np.asarray(p, dtype=float) for p in points.values()]).reshape(-1, 3)
    part["points"].attrs["units"] = "m"


def _points(group: h5py.Group) -> dict[str, np.ndarray]:
    return dict(zip(group["names"].asstr()[...], group["points"][...], strict=True))


def put_body(group: h5py.Group, body: Body, reduced: ReducedBodies) -> None:
    """Write a body; its reduced data are written by ``reduced``."""
    kept = body.saved()
    note(group, kind=body.kind, **kept.values)
    for name, points in kept.points.items():
        _put_points(group, name, points)
    if kept.reduced is not None:
        note(group, reduced=reduced.number(kept.reduced))


def _body(name: str, group: h5py.Group, reduced: list[modal.ReducedBody]) -> Body:
    kind = BODIES[str(group.attrs["kind"])]
    values = noted(group, *(key for key in group.attrs if key not in ("name", "number", "kind", "reduced")))
    points = {key: _points(group[key]) for key in ("drawn", "place") if key in group}
    data = reduced[int(group.attrs["reduced"])] if "reduced" in group.attrs else None
    return kind.loaded(name, SavedBody(values, points, data))


# ---- joints and drives ----------------------------------------------------------------------------------


def put_joint(group: h5py.Group, item: Connection, plan: Plan, sampler: Sampler) -> None:
    """Write a joint, drive, coupling or constraint; of a function samples of its law, or its recorded operations."""
    note(group, kind=class_name(type(item)))
    put_text(group, {name: encoded(value) for name, value in item.saved().items()})
    if not (item.given and callable(getattr(item, item.given))):
        return
    note(group, motion=item.given)
    if item.name in plan.tapes:
        _put_tapes(group, item, plan)
        return
    names = (("value", item.unit), ("rate", f"{item.unit}/s"), ("acceleration", f"{item.unit}/s^2"))
    sampler.put(group, item.label, {f"samples/{name}": (k, unit) for k, (name, unit) in enumerate(names)})


def _put_tapes(group: h5py.Group, item: Connection, plan: Plan) -> None:
    """Write the recorded operations of a user's function."""
    if not item.called_back and plan.layout.row_callback[plan.rows[item.name]].any():
        warn(
            f"{item.label} compares values, so that it can't be written to a file as a whole; what it does as drawn is "
            "written, and reactions read from the file may be wrong",
        )
    for k, (operations, constants) in enumerate(item.stored_operations(plan.tapes[item.name])):
        group[f"tapes/{k}/operations"], group[f"tapes/{k}/constants"] = operations, constants


def _functions(group: h5py.Group, t: np.ndarray) -> dict[str, Any]:
    """Return the functions of a joint, drive, coupling or constraint by the names of its parameters."""
    if "motion" not in group.attrs:
        return {}
    motion = str(group.attrs["motion"])
    if "tapes" in group:
        parts = [group["tapes"][str(k)] for k in range(len(group["tapes"]))]
        return {motion: Replay([(part["operations"][...], part["constants"][...]) for part in parts])}
    names = ("value", "rate", "acceleration")
    numbers = np.column_stack([group["samples"][name][: len(t)] for name in names])
    times, numbers, corners = with_corners(group, t, numbers)
    parts = (motion, "velocity", "acceleration")
    return {part: MotionSamples(times, numbers, k, corners) for k, part in enumerate(parts)}


class _Joints(dict[str, Connection]):
    """The joints of a file by name, each read when it is first asked for: couplings refer to joints."""

    def __init__(self, file: h5py.File, bodies: Mapping[str, Body], t: np.ndarray) -> None:
        self.groups, self.bodies, self.t = dict(groups(file["joints"])), bodies, t

    def __missing__(self, name: str) -> Connection:
        group = self.groups[name]
        given = {**read_text(group, self.bodies, self), **_functions(group, self.t)}
        self[name] = class_named(str(group.attrs["kind"]), group.file.filename).loaded(name, given)
        return self[name]


def describe(
    file: h5py.File, plan: Plan, undetermined: tuple[str, ...], sampler: Sampler
) -> dict[str, list[h5py.Group]]:
    """Write a system and how its equations are written, without its motion, and return the groups of its parts.

    ``sampler`` writes functions of time.
    """
    import h5py

    system = plan.system
    about = file.create_group("system")
    about.attrs["gravity"] = np.asarray(system.gravity, dtype=float)
    about.create_dataset("undetermined", data=list(undetermined), dtype=h5py.string_dtype())
    put_text(about, encoded(plan.formulation.unbound()))
    reduced = ReducedBodies(file.create_group("reduced"))
    made: dict[str, list[h5py.Group]] = {"bodies": [], "joints": [], "forces": []}
    for group, body in entries(file, "bodies", system.bodies):
        put_body(group, body, reduced)
        made["bodies"].append(group)
    for group, joint in entries(file, "joints", system.joints):
        put_joint(group, joint, plan, sampler)
        made["joints"].append(group)
    for group, force in entries(file, "forces", system.forces):
        put_force(group, force, system.bodies_by_name(), sampler)
        made["forces"].append(group)
    return made


def read_plan(file: h5py.File, path: Path, t: np.ndarray) -> tuple[Plan, tuple[str, ...]]:
    """Return the compiled system of a file for times t, s, and the joints whose reactions are not determined."""
    reduced = [read_body(file["reduced"][str(k)], path) for k in range(len(file["reduced"]))]
    bodies = {name: _body(name, group, reduced) for name, group in groups(file["bodies"])}
    found = _Joints(file, bodies, t)
    joints = {name: found[name] for name in found.groups}
    forces = [read_force(name, group, bodies, joints, t) for name, group in groups(file["forces"])]
    gravity = file["system"].attrs["gravity"]
    undetermined = tuple(file["system/undetermined"].asstr()[...])
    system = System(list(bodies.values()), list(joints.values()), forces, gravity=gravity)
    given = read_text(file["system"], bodies, joints) if "description" in file["system"] else None
    return make_plan(system, float(t[-1]) or 1.0, given), undetermined

"""The description of a system in the groups of an HDF5 file; :mod:`flexbody.files.result_file` gives the layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import modal
from fem.common.errors import FileError, warn
from modal.body.store import ARRAYS, read_body, write_body

from ..compile.plan import Plan
from ..functions.samples import Samples
from ..functions.tracing import Replay
from ..model import joints as joint_types
from ..model.bodies import GROUND, Body, BodyFrame, FlexibleBody, Ground, RigidBody
from ..model.constraints import Constraint
from ..model.drives import Drive
from ..model.joints import Coupler, Gear, Joint, Rack, Universal
from ..model.joints.base import Side
from ..model.sides import SavedBody
from ..model.system import Connection, Relation, System
from .datasets import entries, groups, note, noted
from .force_file import put_force, read_force
from .sampled_functions import Sampler

if TYPE_CHECKING:
    import h5py

#: kinds of bodies
BODIES: dict[str, type[Body]] = {kind.kind: kind for kind in (RigidBody, FlexibleBody)}
RELATIONS = ("Drive", "Coupler", "Gear", "Rack")


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


def _put_side(group: h5py.Group, which: str, side: Side) -> None:
    body = side.body if isinstance(side, BodyFrame) else side
    note(group, **{f"{which}_is_ground": int(isinstance(body, Ground)), which: body.name})
    if isinstance(side, BodyFrame):
        note(group, **{f"{which}_frame": side.name})


def _side(group: h5py.Group, which: str, bodies: dict[str, Body]) -> Side:
    if group.attrs[f"{which}_is_ground"]:
        return GROUND
    body = bodies[str(group.attrs[which])]
    return body[str(group.attrs[f"{which}_frame"])] if f"{which}_frame" in group.attrs else body


#: what some kinds of joints have besides an axis
OPTIONS = ("along", "pitch", "first_point", "second_point", "length")


def put_joint(group: h5py.Group, joint: Connection, plan: Plan, sampler: Sampler) -> None:
    """Write a joint, drive or coupling; for a function of time, samples of its law."""
    import h5py

    note(group, kind=type(joint).__name__)
    if isinstance(joint, Joint):
        _put_side(group, "first", joint.first)
        _put_side(group, "second", joint.second)
        note(group, point=joint.point)
        if isinstance(joint, Universal):
            note(group, first_axis=joint.axes[0], second_axis=joint.axes[1])
        else:
            given = {name: getattr(joint, name, None) for name in OPTIONS}
            if callable(given["length"]):
                _put_motion(group, joint, given.pop("length"), "m", sampler)
            note(group, axis=joint.axis, **given)
    elif isinstance(joint, Constraint):
        _put_constraint(group, joint, plan)
    elif isinstance(joint, Drive):
        note(group, joint=joint.joint.name, motion=joint.given, which=joint.which)
        unit = joint.joint.coordinates[joint.coordinate].unit
        _put_motion(group, joint, getattr(joint, joint.given), unit, sampler)
    elif isinstance(joint, Coupler):
        (terms,) = joint.couplings
        for name, values in (
            ("joints", [term.joint.name for term in terms]),
            ("which", [t.which for t in terms]),
        ):
            group.create_dataset(name, data=values, dtype=h5py.string_dtype())
        group["factors"] = [term.factor for term in terms]
        _put_motion(group, joint, joint.value, "rad or m", sampler)
    elif isinstance(joint, Gear):
        note(group, first=joint.first.name, second=joint.second.name, ratio=float(joint.ratio))
        note(group, internal=int(joint.internal))
    else:
        note(
            group,
            pinion=joint.pinion.name,
            rack=joint.rack.name,
            radius=float(joint.radius),
            which=joint.which,
        )


def _put_motion(group: h5py.Group, item: Drive | Coupler | Joint, value, unit: str, sampler: Sampler) -> None:
    """Write a number, or samples of a function of time."""
    if not callable(value):
        note(group, value=float(value))
        return
    names = (("value", unit), ("rate", f"{unit}/s"), ("acceleration", f"{unit}/s^2"))
    columns = {f"samples/{name}": (k, units) for k, (name, units) in enumerate(names)}
    sampler.put(group, item.label, columns)


def _joint(name: str, group: h5py.Group, bodies: dict[str, Body], t: np.ndarray) -> Joint:
    kind = getattr(joint_types, str(group.attrs["kind"]))
    first, second = _side(group, "first", bodies), _side(group, "second", bodies)
    if kind is Universal:
        axes = noted(group, "first_axis", "second_axis")
        both = (axes["first_axis"], axes["second_axis"])
        return Universal(name, first, second, **noted(group, "point"), axes=both)
    driven = _motion(group, "length", t) if "samples" in group else {}
    return kind(name, first, second, **noted(group, "point", "axis", *OPTIONS), **driven)


def _motion(group: h5py.Group, motion: str, t: np.ndarray) -> dict[str, Any]:
    """Return the arguments of a prescribed motion, with the value under the name ``motion``."""
    if "samples" not in group:
        return {motion: float(group.attrs["value"])}
    names = ("value", "rate", "acceleration")
    value, rate, acceleration = (group["samples"][name][: len(t)] for name in names)
    return {
        motion: Samples(t, value, rate),
        "velocity": Samples(t, rate, acceleration),
        "acceleration": Samples(t, acceleration),
    }


def _relation(name: str, group: h5py.Group, joints: dict[str, Any], t: np.ndarray) -> Relation:
    kind, given = str(group.attrs["kind"]), noted(group, "which", "ratio", "radius")
    if kind == "Drive":
        motion = _motion(group, str(group.attrs["motion"]), t)
        return Drive(name, joints[str(group.attrs["joint"])], **motion, **given)
    if kind == "Coupler":
        names, which = (group[key].asstr()[...] for key in ("joints", "which"))
        terms = [
            (joints[n], w, f) for n, w, f in zip(names, which, group["factors"][...].tolist(), strict=True)
        ]
        return Coupler(name, terms, **_motion(group, "value", t))
    first, second = ("first", "second") if kind == "Gear" else ("pinion", "rack")
    pair = joints[str(group.attrs[first])], joints[str(group.attrs[second])]
    if kind == "Gear":
        return Gear(name, *pair, **given, internal=bool(group.attrs["internal"]))
    return Rack(name, *pair, **given)


def _put_constraint(group: h5py.Group, constraint: Constraint, plan: Plan) -> None:
    """Write the constraint of a user as its recorded operations."""
    for k, side in enumerate(constraint.sides):
        _put_side(group.create_group(f"frames/{k}"), "at", side)
    L, rows = plan.layout, plan.rows[constraint.name]
    note(
        group,
        motion="position" if constraint.position is not None else "velocity",
        count=rows.stop - rows.start,
    )
    if L.row_callback[rows].any():
        warn(
            f"{constraint.label} compares values, so that it can't be written to a file as a whole; what it does as "
            "drawn is written, and reactions read from the file may be wrong",
        )
    for k, (operations, constants) in enumerate(plan.tapes[constraint.name]):
        group[f"tapes/{k}/operations"], group[f"tapes/{k}/constants"] = operations, constants


def _constraint(name: str, group: h5py.Group, bodies: dict[str, Body]) -> Constraint:
    sides = [_side(group["frames"][str(k)], "at", bodies) for k in range(len(group["frames"]))]
    parts = [group["tapes"][str(k)] for k in range(int(group.attrs["count"]))]
    replay = Replay([(part["operations"][...], part["constants"][...]) for part in parts])
    return Constraint(name, sides, **{str(group.attrs["motion"]): replay})


def describe(
    file: h5py.File, plan: Plan, undetermined: tuple[str, ...], sampler: Sampler
) -> dict[str, list[h5py.Group]]:
    """Write a system without its motion and return the groups of its parts; ``sampler`` writes functions of time."""
    import h5py

    system = plan.system
    about = file.create_group("system")
    about.attrs["gravity"] = np.asarray(system.gravity, dtype=float)
    about.create_dataset("undetermined", data=list(undetermined), dtype=h5py.string_dtype())
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


def read_system(file: h5py.File, path: Path, t: np.ndarray) -> tuple[System, tuple[str, ...]]:
    """Return the system of a file, and the joints whose reactions are not determined."""
    reduced = [read_body(file["reduced"][str(k)], path) for k in range(len(file["reduced"]))]
    bodies = {name: _body(name, group, reduced) for name, group in groups(file["bodies"])}
    joints: dict[str, Any] = dict.fromkeys(name for name, _ in groups(file["joints"]))
    for relations in (False, True):
        for name, group in groups(file["joints"]):
            if relations != (str(group.attrs["kind"]) in RELATIONS):
                continue
            if relations:
                joints[name] = _relation(name, group, joints, t)
            else:
                free = group.attrs["kind"] == "Constraint"
                joints[name] = _constraint(name, group, bodies) if free else _joint(name, group, bodies, t)
    forces = [read_force(name, group, bodies, joints, t) for name, group in groups(file["forces"])]
    gravity = file["system"].attrs["gravity"]
    undetermined = tuple(file["system/undetermined"].asstr()[...])
    return System(list(bodies.values()), list(joints.values()), forces, gravity=gravity), undetermined

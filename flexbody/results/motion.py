"""The motion of points of a machine over time, as any observer sees it, in any base.

Frames are evaluated by the functions of the equations of motion. Velocities and accelerations are therefore those of
the dynamics, with the second-order terms of bodies with geometric stiffening.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match
from fem.common.numbers import is_number
from fem.common.short_repr import short_repr
from fem.common.values import ANYTHING

from ..core.rotation import matrices
from ..model.joints import Connection
from ..model.massless_body import MasslessBody
from ..model.sides import GROUND, Body, FrameData, Side
from ..model.system import System
from .record import Record, computed_once, frames_over_time, joint_motions

#: whose motion is asked for: a body (its reference point), ``body["name"]``, a joint (its second frame; as a base and
#: as an observer its first), the name of one of them, or a pair of a body and the name of a marker, a point (global, as
#: drawn) or the number of a node
Where = Annotated[Side | Connection | str | tuple, ANYTHING]


@dataclass(frozen=True, eq=False)
class Motion:
    """The motion of a frame over time, inertial components.

    Attributes
    ----------
    R : numpy.ndarray
        Axes as columns, (nt, 3, 3).
    r, v, a : numpy.ndarray
        Position (m), velocity (m/s) and acceleration (m/s^2), (nt, 3).
    w, b : numpy.ndarray
        Angular velocity (rad/s) and angular acceleration (rad/s^2), (nt, 3).
    """

    R: np.ndarray
    r: np.ndarray
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    b: np.ndarray

    __repr__ = short_repr

    def seen_from(self, other: Motion) -> Motion:
        """Return the motion that an observer on another frame sees: R in its base, vectors in inertial components."""
        d, spin = self.r - other.r, self.w - other.w
        speed = self.v - other.v - np.cross(other.w, d)
        turning = np.cross(other.b, d) + np.cross(other.w, np.cross(other.w, d) + 2.0 * speed)
        R = np.einsum("tji,tjk->tik", other.R, self.R)
        return Motion(
            R, d, speed, spin, self.a - other.a - turning, self.b - other.b - np.cross(other.w, spin)
        )


def motion_of(record: Record, what: Where, base: bool = False) -> Motion:
    """Return the motion of a frame; of a joint the second frame, or with ``base`` the first."""
    frame = frame_of(record.system, what, base)
    if frame.path is not None:
        return _sliding(record, what)
    key = (frame.body, frame.x.tobytes(), frame.A.tobytes(), frame.Phi.tobytes())
    cache = kept_motions(record)
    if key not in cache:
        cache[key] = motion_of_frame(record, frame, key)
    return cache[key]


def _sliding(record: Record, what: Where) -> Motion:
    """Return the motion of the first frame of a joint, which slides along a path."""
    found = _named(record.system, what) if isinstance(what, str) else what
    joint = record.system.host_of(found)  # type: ignore[arg-type]
    assert joint is not None
    frame = record.plan.frames[joint.name][0]
    return Motion(*(np.ascontiguousarray(x[:, frame]) for x in joint_motions(record)[:-1]))


def frame_of(system: System, what: Where, base: bool = False) -> FrameData:
    """Return the frame that an object or name stands for, see :data:`Where`.

    Raises
    ------
    fem.InputError
        There is no such frame.
    """
    bodies = system.bodies_by_name()
    found = _named(system, what) if isinstance(what, str) else what
    if isinstance(found, Connection):
        joint = system.host_of(found)
        if joint is None:
            raise InputError(
                f"{system.joint(found).label} has no place of its own; name one of the joints or frames that it acts on"
            )
        return joint.frames(bodies)[0 if base else 1]
    if isinstance(found, Side):
        if found.moves and not _found_by_springs(system, found):
            system.body(found.body)  # raises with the names that exist
        return found.on(bodies).frame(bodies)
    if isinstance(found, tuple) and len(found) == 2 and not is_number(found[0]):
        return _on_body(system.body(found[0]), found[1])
    raise InputError(
        f"{called(what)} is not a place; give a body, a frame body['name'], a joint, the name of a body or joint, or "
        "a pair of a body and the name of a marker, a point (x, y, z) as drawn or the number of a node"
    )


def _named(system: System, name: str) -> Side | Connection:
    """Return the body, the ground or the joint of a name; raise InputError if there is none."""
    massless: dict[str, Side] = {point.name: point for point in system.massless_bodies}
    sides: dict[str, Side] = {"ground": GROUND, **massless, **system.bodies_by_name()}
    joints = {joint.name: joint for joint in system.joints}
    if name not in sides and name not in joints:
        raise InputError(
            f"this system has no body or joint {with_match(name, [*sides, *joints])}; "
            f"it has the bodies {listing(system.bodies_by_name())} and the "
            f"joints {listing(joints)}"
        )
    return sides[name] if name in sides else joints[name]


def _found_by_springs(system: System, what: Any) -> bool:
    """Return whether it is a massless body that springs alone hold, or its name."""
    return getattr(what, "name", what) in [point.name for point in system.massless_bodies]


def _check_mass(system: System, what: Where) -> None:
    """Raise InputError if an acceleration is asked of a massless body, whose place follows from forces alone."""
    found = _named(system, what) if isinstance(what, str) else what
    if isinstance(found, MasslessBody) and _found_by_springs(system, found):
        raise InputError(
            f"the acceleration of the massless body {found.name!r} is not computed, because no force depends on it; "
            "take the velocity, or give it a mass (RigidBody)"
        )


def _on_body(body: Body, place: Any) -> FrameData:
    """Return a frame on a body: at a marker by its name, at a node by its number, or at a point as drawn."""
    if isinstance(place, str):
        return body[place].frame({body.name: body})
    return body.frame_at_point(
        body.node_position(int(place)) if isinstance(place, int | np.integer) else place
    )


def is_word(value: Any, words: tuple[str, ...]) -> bool:
    """Return whether a value, which may be an object or an array, is one of some words."""
    return isinstance(value, str) and value in words


def named_body(record: Record, what: Any) -> str | None:
    """Return the name of the body that an object or a name stands for, or None."""
    if isinstance(what, str):
        return what if what in record.plan.body_index else None
    return what.name if isinstance(what, Body) and not _found_by_springs(record.system, what) else None


def motion_of_frame(record: Record, frame: FrameData, key: tuple) -> Motion:
    """Return the motion of a frame at all times of a record; ``key`` is its name among the stages of the record."""
    if key not in record.stages:
        plan = record.plan.with_frames([frame])
        record.stages[key] = plan.layout, plan.work()
    stage = record.stages[key] if len(record.t) == 1 else record.stages.pop(key)
    return Motion(*(np.ascontiguousarray(x[:, 0]) for x in frames_over_time(record, *stage)))


def resolved(record: Record, values: np.ndarray, frame: Where | None) -> np.ndarray:
    """Return vectors (nt, 3) in the base of a body, a named frame or a joint (its first frame)."""
    if frame is None or frame is GROUND or is_word(frame, (GROUND.name,)):
        return values
    return np.einsum("tji,tj->ti", motion_of(record, frame, base=True).R, values)


@computed_once
def kept_motions(record: Record) -> dict:
    """Return the motions of frames that have been computed for this record."""
    return {}


@computed_once
def rotation_matrices(record: Record) -> np.ndarray:
    """Return the rotation matrices of all bodies, (nt, nb, 3, 3)."""
    return matrices(record.q)


# ---- what a result is asked for; arguments as of flexbody.Result's methods of the same names ----------------


def position(
    record: Record,
    what: Where,
    point: Any = None,
    *,
    frame: Where | None = None,
    relative_to: Where | None = None,
) -> np.ndarray:
    """Return the position of a point, (nt, 3), m."""
    return resolved(record, seen(record, what, relative_to, point).r, frame)


def rotation(
    record: Record, what: Where, point: Any = None, *, relative_to: Where | None = None
) -> np.ndarray:
    """Return the rotation matrices of a body or named frame, (nt, 3, 3)."""
    if relative_to is None and point is None and (name := named_body(record, what)) is not None:
        return rotation_matrices(record)[:, record.index(name)]
    return seen(record, what, relative_to, point).R


def velocity(
    record: Record,
    what: Where,
    point: Any = None,
    *,
    frame: Where | None = None,
    relative_to: Where | None = None,
) -> np.ndarray:
    """Return the velocity of a point, (nt, 3), m/s."""
    return resolved(record, seen(record, what, relative_to, point).v, frame)


def acceleration(
    record: Record,
    what: Where,
    point: Any = None,
    *,
    frame: Where | None = None,
    relative_to: Where | None = None,
) -> np.ndarray:
    """Return the acceleration of a point, (nt, 3), m/s^2."""
    _check_mass(record.system, what)
    return resolved(record, seen(record, what, relative_to, point).a, frame)


def angular_velocity(
    record: Record,
    what: Where,
    point: Any = None,
    *,
    frame: Where | None = None,
    relative_to: Where | None = None,
) -> np.ndarray:
    """Return the angular velocity of a body or named frame, (nt, 3), rad/s."""
    return resolved(record, seen(record, what, relative_to, point).w, frame)


def angular_acceleration(
    record: Record,
    what: Where,
    point: Any = None,
    *,
    frame: Where | None = None,
    relative_to: Where | None = None,
) -> np.ndarray:
    """Return the angular acceleration of a body or named frame, (nt, 3), rad/s^2."""
    _check_mass(record.system, what)
    return resolved(record, seen(record, what, relative_to, point).b, frame)


def euler(record: Record, body: Body | str) -> np.ndarray:
    """Return the Euler parameters of a body, (nt, 4), Koppens (2.48)."""
    return record.q[:, record.index(body)]


def alpha(record: Record, body: Body | str) -> np.ndarray:
    """Return the modal coordinates of a flexible body, (nt, N)."""
    return record.all_alpha[:, record.plan.modal(record.index(body))]


def alpha_dot(record: Record, body: Body | str) -> np.ndarray:
    """Return the rates of the modal coordinates of a flexible body, (nt, N)."""
    return record.v[:, record.plan.modal_velocities(record.index(body))]


def seen(record: Record, what: Where, relative_to: Where | None, point: Any = None) -> Motion:
    """Return the motion of a frame as an observer sees it, inertial or on another frame (of a joint the first)."""
    found = motion_of(record, place_of(record, what, point))
    if relative_to is None:
        return found
    return found.seen_from(motion_of(record, relative_to, base=True))


def place_of(record: Record, what: Where, point: Any) -> Where:
    """Return the place that an object and a point stand for; raise InputError if the object is not a body."""
    if point is None:
        return what
    if named_body(record, what) is None:
        raise InputError(
            f"point={point!r} belongs to a body, and {called(what)} is not a body; give a body, or omit point="
        )
    return (what, point)

"""The motion of points of a machine over time, as any observer sees it, in any base.

Frames are evaluated by the functions of the equations of motion. Velocities and accelerations are therefore those of
the dynamics, with the second-order terms of bodies with geometric stiffening.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing
from fem.common.numbers import vector

from ..compile.plan import frame_arrays
from ..core.rotation import matrices
from ..core.structures import Layout, Work
from ..model.bodies import Body, BodyFrame, FlexibleBody, Ground, RigidBody
from ..model.drives import Drive
from ..model.joints import Joint
from ..model.joints.base import FrameData
from ..model.system import Connection, System
from .record import Record, computed_once

#: whose motion is asked for: a body (its reference point), ``body["name"]``, a joint (its second frame; as a base and
#: as an observer its first), the name of one of them, or a pair of a body and the name of a marker, a point (global, as
#: drawn) or the number of a node
Where = Body | Ground | BodyFrame | Connection | str | tuple

#: references of a displacement, other than a body, frame or joint
DISPLACEMENT_WORDS = ("body", "chord", "drawn")

#: a point farther from the surface of a flexible body than this part of its size is not accepted
FARTHEST_POINT = 0.05


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
    key = (frame.body, frame.x.tobytes(), frame.A.tobytes(), frame.Phi.tobytes())
    cache = kept_motions(record)
    if key not in cache:
        cache[key] = motion_of_frame(record, frame, key)
    return cache[key]


def frame_of(system: System, what: Where, base: bool = False) -> FrameData:
    """Return the frame that an object or name stands for, see :data:`Where`.

    Raises
    ------
    fem.InputError
        There is no such frame.
    """
    bodies = system.bodies_by_name()
    if isinstance(what, str) and what not in bodies and what != "ground":
        joints = [joint.name for joint in system.joints]
        if what not in joints:
            raise InputError(
                f"this system has no body or joint {what!r}; it has the bodies {listing(bodies)} and the joints "
                f"{listing(joints)}"
            )
        what = system.joint(what)
    if isinstance(what, Connection):
        found = system.joint(what)
        if isinstance(found, Drive):
            found = system.joint(found.joint)
        if not isinstance(found, Joint):
            raise InputError(
                f"{found.label} has no place of its own; name one of the joints or frames that it acts on"
            )
        return found.frames(bodies)[0 if base else 1]
    if isinstance(what, Ground) or (isinstance(what, str) and what == "ground"):
        return _rigidly("ground", np.zeros(3), 0)
    if isinstance(what, BodyFrame):
        return _marker(system.body(what.body), what.name)
    if isinstance(what, tuple) and len(what) == 2 and not isinstance(what[0], int | float):
        body, place = system.body(what[0]), what[1]
        if isinstance(place, str):
            return _marker(body, place)
        return _point(body, _node(body, int(place)) if isinstance(place, int | np.integer) else place)
    if not isinstance(what, str | Body):
        raise InputError(
            f"{called(what)} is no place; give a body, a frame body['name'], a joint, the name of a body or joint, or "
            "a pair of a body and the name of a marker, a point (x, y, z) as drawn or the number of a node"
        )
    body = system.body(what)
    return _rigidly(body.name, np.zeros(3), body.n_modes)


def _rigidly(body: str, x: np.ndarray, modes: int) -> FrameData:
    none = np.zeros((3, modes))
    return FrameData(body, x, np.eye(3), none, none)


def _marker(body: Body, name: str) -> FrameData:
    body[name]  # raises with the names that exist
    x, Phi, B = body.marker(name)
    return FrameData(body.name, x, np.eye(3), Phi, B, body.second_order(name))


def _point(body: Body, point: ArrayLike) -> FrameData:
    """Return a frame at a point of a rigid body, or at the nearest point of the surface of a flexible body."""
    x = vector(point, f"a point on body '{body.name}'") - body.start
    if not isinstance(body, FlexibleBody):
        return _rigidly(body.name, x, 0)
    surface = body.turned.recovery
    if surface is None:
        raise InputError(
            f"body '{body.name}' has no surface to find a point on; name the point as a marker in modal.reduce, or use "
            f"one of {listing(body.reduced.markers)}"
        )
    distance = np.linalg.norm(surface.points - x, axis=1)
    nearest = int(np.argmin(distance))
    if distance[nearest] > FARTHEST_POINT * float(np.linalg.norm(np.ptp(surface.points, axis=0))):
        where = np.round(surface.points[nearest] + body.start, 6).tolist()
        raise InputError(
            f"the point {np.asarray(point).tolist()} lies {distance[nearest]:.3g} m from body '{body.name}' as drawn; "
            f"the nearest point of its surface is {where}"
        )
    none = np.zeros((3, body.n_modes))
    return FrameData(body.name, surface.points[nearest], np.eye(3), surface.Phi[nearest], none)


def _node(body: Body, number: int) -> np.ndarray:
    """Return the drawn position of a node of a flexible body, (3,), m; raise InputError if it is not known."""
    modes = body.turned.stress_modes if isinstance(body, FlexibleBody) else None
    if modes is None:
        raise InputError(
            f"node {number} of body '{body.name}': nodes are known of flexible bodies with stress modes only; give a "
            "point (x, y, z) as drawn, or the name of a marker"
        )
    rows = np.flatnonzero(modes.nodes == number)
    if not len(rows):
        raise InputError(
            f"node {number} of body '{body.name}' is not kept; kept are those on the surface and in the named sets "
            f"{listing(modes.sets)}"
        )
    return modes.points[rows[0]] + body.start


def motion_of_frame(record: Record, frame: FrameData, key: tuple) -> Motion:
    """Return the motion of a frame at all times of a record; ``key`` is its name among the stages of the record."""
    if key not in record.stages:
        parts = frame_arrays([frame], record.plan.body_index)
        L = record.plan.layout.replaced(**parts)
        record.stages[key] = L, replaced(record.plan, layout=L).work()
    stage = record.stages[key] if len(record.t) == 1 else record.stages.pop(key)
    return Motion(*(np.ascontiguousarray(x[:, 0]) for x in frames_over_time(record, *stage)))


def frames_over_time(record: Record, L: Layout, W: Work) -> tuple[np.ndarray, ...]:
    """Return R (nt, nf, 3, 3), r, v, w, a, b (nt, nf, 3) of all frames of a layout; see :class:`Motion`."""
    nt, nf = len(record.t), len(L.frame_body)
    R, vectors = np.empty((nt, nf, 3, 3)), np.empty((5, nt, nf, 3))
    record.plan.formulation.observe_frames(
        L, W, record.c, record.q, record.all_alpha, record.v, record.vdot, R, vectors
    )
    return R, *vectors


def resolved(record: Record, values: np.ndarray, frame: Where | None) -> np.ndarray:
    """Return vectors (nt, 3) in the base of a body, a named frame or a joint (its first frame)."""
    if frame is None or isinstance(frame, Ground) or (isinstance(frame, str) and frame == "ground"):
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


@computed_once
def joint_frames(record: Record) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return axes (nt, nf, 3, 3), positions and angular velocities (nt, nf, 3) of all joint frames."""
    R, r, _, w, _, _ = frames_over_time(record, record.plan.layout, record.plan.work())
    return R, r, w


# ---- what a result is asked for; arguments as of flexbody.Result's methods of the same names ----------------


def position(
    record: Record,
    what: Where,
    frame: Where | None = None,
    relative_to: Where | None = None,
    *,
    point: Any = None,
) -> np.ndarray:
    """Return the position of a point, (nt, 3), m."""
    return resolved(record, seen(record, what, relative_to, point).r, frame)


def rotation(
    record: Record, what: Where, relative_to: Where | None = None, *, point: Any = None
) -> np.ndarray:
    """Return the rotation matrices of a body or named frame, (nt, 3, 3)."""
    if isinstance(what, str | RigidBody | FlexibleBody) and relative_to is None and point is None:
        name = what if isinstance(what, str) else what.name
        if name in record.plan.body_index:
            return rotation_matrices(record)[:, record.index(what)]
    return seen(record, what, relative_to, point).R


def velocity(
    record: Record,
    what: Where,
    frame: Where | None = None,
    relative_to: Where | None = None,
    *,
    point: Any = None,
) -> np.ndarray:
    """Return the velocity of a point, (nt, 3), m/s."""
    return resolved(record, seen(record, what, relative_to, point).v, frame)


def acceleration(
    record: Record,
    what: Where,
    frame: Where | None = None,
    relative_to: Where | None = None,
    *,
    point: Any = None,
) -> np.ndarray:
    """Return the acceleration of a point, (nt, 3), m/s^2."""
    return resolved(record, seen(record, what, relative_to, point).a, frame)


def angular_velocity(
    record: Record,
    what: Where,
    frame: Where | None = None,
    relative_to: Where | None = None,
    *,
    point: Any = None,
) -> np.ndarray:
    """Return the angular velocity of a body or named frame, (nt, 3), rad/s."""
    return resolved(record, seen(record, what, relative_to, point).w, frame)


def angular_acceleration(
    record: Record,
    what: Where,
    frame: Where | None = None,
    relative_to: Where | None = None,
    *,
    point: Any = None,
) -> np.ndarray:
    """Return the angular acceleration of a body or named frame, (nt, 3), rad/s^2."""
    return resolved(record, seen(record, what, relative_to, point).b, frame)


def euler(record: Record, body: Body | str) -> np.ndarray:
    """Return the Euler parameters of a body, (nt, 4), Koppens (2.48)."""
    return record.q[:, record.index(body)]


def alpha(record: Record, body: Body | str) -> np.ndarray:
    """Return the modal coordinates of a flexible body, (nt, N)."""
    at, b = record.plan.layout.alpha_at, record.index(body)
    return record.all_alpha[:, at[b] : at[b + 1]]


def alpha_dot(record: Record, body: Body | str) -> np.ndarray:
    """Return the rates of the modal coordinates of a flexible body, (nt, N)."""
    at, b = record.plan.layout.v_at, record.index(body)
    return record.v[:, at[b] + 6 : at[b + 1]]


def seen(record: Record, what: Where, relative_to: Where | None, point: Any = None) -> Motion:
    """Return the motion of a frame as an observer sees it, inertial or on another frame (of a joint the first)."""
    found = motion_of(record, place_of(record, what, point))
    if relative_to is None:
        return found
    return found.seen_from(motion_of(record, observer_of(record, relative_to), base=True))


def place_of(record: Record, what: Where, point: Any) -> Where:
    """Return the place that an object and a point stand for; raise InputError if the object is not a body."""
    if point is None:
        return what
    if isinstance(what, BodyFrame | tuple) or (isinstance(what, str) and what not in record.plan.body_index):
        raise InputError(
            f"point={point!r} belongs to a body, and {called(what)} is not a body; give a body, or omit point="
        )
    return (what, point)


def observer_of(record: Record, relative_to: Where) -> Where:
    """Return the observer of a motion; raise InputError for words that only a displacement accepts."""
    if isinstance(relative_to, str) and relative_to in DISPLACEMENT_WORDS:
        have = [*record.plan.body_index, *(joint.name for joint in record.system.joints)]
        if relative_to not in have:
            raise InputError(
                f"relative_to={relative_to!r} is a word of displacement(); positions, rotations, velocities and "
                f"accelerations are seen from a body, frame or joint, of which the system has {listing(have)}"
            )
    return relative_to

"""How any point of a machine moves over time, seen from any other, in any components.

Frames are evaluated by the functions that the equations of motion use, so that velocities and accelerations are those
of the dynamics, second-order terms of stiffened bodies included.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing

from ..compile.plan import frame_arrays
from ..core.readers import observe_bodies, observe_frames
from ..core.structures import Layout, Work
from ..model.bodies import Body, BodyFrame, FlexibleBody, Ground
from ..model.drives import Drive
from ..model.joints import Joint
from ..model.joints.base import FrameData
from ..model.system import Connection, System
from ..rotation import vector

if TYPE_CHECKING:
    from .result import Result

#: whose motion is asked for: a body (its reference point), ``body["name"]``, a joint (its second frame; as a base and
#: as an observer its first), the name of one of them, or a pair of a body and the name of a marker, a point (global, as
#: drawn) or the number of a node
Where = Body | Ground | BodyFrame | Connection | str | tuple

#: a point that lies farther from the nearest point of a flexible body's surface than this part of its size is none
OFF = 0.05


@dataclass(frozen=True, eq=False)
class Motion:
    """A frame over time, inertial: axes R (nt, 3, 3), place r, velocity v, angular velocity w, accelerations a, b."""

    R: np.ndarray
    r: np.ndarray
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    b: np.ndarray

    def seen_from(self, other: Motion) -> Motion:
        """Return this frame's motion as an observer on ``other`` sees it, in inertial components."""
        d, spin = self.r - other.r, self.w - other.w
        speed = self.v - other.v - np.cross(other.w, d)
        turning = np.cross(other.b, d) + np.cross(other.w, np.cross(other.w, d) + 2.0 * speed)
        R = np.einsum("tji,tjk->tik", other.R, self.R)
        return Motion(
            R, d, speed, spin, self.a - other.a - turning, self.b - other.b - np.cross(other.w, spin)
        )


def motion_of(result: Result, what: Where, base: bool = False) -> Motion:
    """Return the motion of a frame; of a joint its second frame, or with ``base`` its first."""
    frame = frame_of(result.system, what, base)
    key = (frame.body, frame.x.tobytes(), frame.A.tobytes(), frame.Phi.tobytes())
    cache = result._motions
    if key not in cache:
        cache[key] = motion_of_frame(result, frame, key)
    return cache[key]


def frame_of(system: System, what: Where, base: bool = False) -> FrameData:
    """Return the frame that ``what`` names, see :data:`Where`; InputError where there is none."""
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
    """Return a point of a rigid body, or the nearest one of a flexible body's surface (to first order)."""
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
    if distance[nearest] > OFF * float(np.linalg.norm(np.ptp(surface.points, axis=0))):
        where = np.round(surface.points[nearest] + body.start, 6).tolist()
        raise InputError(
            f"the point {np.asarray(point).tolist()} lies {distance[nearest]:.3g} m from body '{body.name}' as drawn; "
            f"the nearest point of its surface is {where}"
        )
    none = np.zeros((3, body.n_modes))
    return FrameData(body.name, surface.points[nearest], np.eye(3), surface.Phi[nearest], none)


def _node(body: Body, number: int) -> np.ndarray:
    """Return where a node of a flexible body is drawn, (3,), m; InputError where it is not known."""
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


def motion_of_frame(result: Result, frame: FrameData, key: tuple) -> Motion:
    """Return the motion of a frame over all times of a result; ``key`` names it among the result's stages."""
    if key not in result._stages:
        parts = frame_arrays([frame], result.plan.body_index)
        L = result.plan.layout.replaced(**parts)
        result._stages[key] = L, replaced(result.plan, layout=L).work()
    stage = result._stages[key] if len(result.t) == 1 else result._stages.pop(key)
    return Motion(*(np.ascontiguousarray(x[:, 0]) for x in frames_over_time(result, *stage)))


def frames_over_time(result: Result, L: Layout, W: Work) -> tuple[np.ndarray, ...]:
    """Return R (nt, nf, 3, 3), r, v, w, a, b (nt, nf, 3) of all frames of a layout; see :class:`Motion`."""
    nt, nf = len(result.t), len(L.frame_body)
    R, vectors = np.empty((nt, nf, 3, 3)), np.empty((5, nt, nf, 3))
    observe_frames(L, W, result.c, result.q, result.all_alpha, result.v, result.vdot, R, *vectors)
    return R, *vectors


def resolved(result: Result, values: np.ndarray, frame: Where | None) -> np.ndarray:
    """Return inertial components (nt, 3) in the base of ``frame``: a body, a named frame, or a joint (its first)."""
    if frame is None or isinstance(frame, Ground) or (isinstance(frame, str) and frame == "ground"):
        return values
    return np.einsum("tji,tj->ti", motion_of(result, frame, base=True).R, values)


# ---- energies of bodies ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BodyEnergy:
    """Energies of one body over time, (nt,), J: kinetic, strain and potential (gravity)."""

    kinetic: np.ndarray
    strain: np.ndarray
    potential: np.ndarray


def body_energies(result: Result) -> np.ndarray:
    """Return kinetic, strain and gravity energy of every body, (nt, nb, 3), J."""
    L = result.plan.layout
    out = np.empty((len(result.t), len(L.body_mass), 3))
    observe_bodies(L, result.plan.work(), result.c, result.q, result.all_alpha, result.v, out)
    return out

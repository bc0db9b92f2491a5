"""From a description to flat arrays: the only place that knows offsets.

State vectors: ``c`` (nb, 3), ``q`` (nb, 4) Euler parameters, ``alpha`` (na,) of all bodies one after the other;
``v`` (nv,) holds ``c.`` (inertial), ``omega`` (body components) and ``alpha.`` of each body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from modal import AxialEnergy

from .bodies import Body, FlexibleBody, RigidBody
from .drives import Drive
from .forces import PointForce, PointMoment, SpringDamper
from .joints.base import FrameData
from .kernels.arrays import (
    FORCE_BODY,
    FORCE_INERTIAL,
    MOMENT_BODY,
    MOMENT_INERTIAL,
    POINT,
    Layout,
    Work,
)
from .laws import Law
from .system import System


@dataclass(frozen=True, eq=False)
class Plan:
    """A system's arrays, and who is who in them."""

    system: System
    layout: Layout
    laws: tuple[Law, ...]  # kept alive: the layout holds their addresses
    rows: dict[str, slice]  # constraint rows of each joint and drive
    frames: dict[str, tuple[int, int]]  # frames of each joint, drive, spring
    body_index: dict[str, int]

    @property
    def n_rows(self) -> int:
        """Number of constraint rows."""
        return len(self.layout.row_kind)

    @property
    def n_velocities(self) -> int:
        """Number of generalized velocities."""
        return int(self.layout.v_at[-1])

    def row_owner(self, k: int) -> str:
        """Return the label of the joint or drive that row ``k`` belongs to."""
        for joint in self.system.joints:
            rows = self.rows[joint.name]
            if rows.start <= k < rows.stop:
                return joint.label
        raise IndexError(k)

    def work(self) -> Work:
        """Return fresh scratch arrays for the kernels."""
        L = self.layout
        nb, na, nf = len(L.body_mass), int(L.alpha_at[-1]), len(L.frame_body)
        nr, m = len(L.row_kind), len(L.row_at)
        blocks = int(sum(6 + L.body_modes[b] for b in L.row_body.ravel() if b >= 0))
        z = np.zeros
        return Work(
            Q=z((nb, 3, 3)), D1=z((nb, 3)), J=z((nb, 3, 3)), D2=z((na, 3, 3)), D3=z((na, 3)),
            axial=z(int(np.sum(L.body_axial * (2 + L.body_modes)))),
            frame_p=z((nf, 3)), frame_r=z((nf, 3)), frame_R=z((nf, 3, 3)), frame_rows=L.frame_modes.copy(),
            term=z(int(sum(L.body_modes[L.frame_body] * np.diff(L.frame_term_at)))),
            frame_v=z((nf, 3)), frame_w=z((nf, 3)), frame_a=z((nf, 3)), frame_b=z((nf, 3)),
            active=np.ones(nr, dtype=np.int64), phi=z(nr), phi_t=z(nr),
            direction=z((m, 4, 3)), G=z(blocks), residual=z(self.n_velocities),
            spring_length=z((m - nr, 2)), power=z(2), matrix=z(int(L.matrix_at[-1])), Y=z(blocks),
            S=z((m, m)), order=np.zeros(m, dtype=np.int64), rank=np.zeros(1, dtype=np.int64),
            column=z(m), right=z(m), solution=z(m),
        )  # fmt: skip

    def start(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the drawn state (c, q, alpha, v) with the initial values that the bodies carry."""
        bodies = self.system.bodies
        c = np.array([body.start for body in bodies], dtype=float)
        q = np.tile([1.0, 0.0, 0.0, 0.0], (len(bodies), 1))
        alpha, v = [], []
        for body in bodies:
            rate = np.zeros(body.n_modes)
            if isinstance(body, FlexibleBody):
                alpha.append(np.zeros(body.n_modes) if body.alpha is None else np.asarray(body.alpha, float))
                rate = rate if body.alpha_dot is None else np.asarray(body.alpha_dot, float)
            v.append(
                np.concatenate(
                    [np.asarray(body.velocity, float), np.asarray(body.angular_velocity, float), rate]
                )
            )
        return c, q, np.concatenate([np.zeros(0), *alpha]), np.concatenate(v)


def make_plan(system: System, t_end: float = 1.0) -> Plan:
    """Lay a system out as flat arrays. ``t_end`` (s) sets the steps of numerical derivatives of drives."""
    bodies = system.bodies_by_name()
    frames: list[FrameData] = []
    at: dict[str, tuple[int, int]] = {}
    laws: list[Law] = []
    for joint in system.joints:
        if not isinstance(joint, Drive):
            at[f"joint {joint.name}"] = (len(frames), len(frames) + 1)
            frames += joint.frames(bodies)
    for drive in system.joints:
        if isinstance(drive, Drive):
            at[f"joint {drive.name}"] = at[f"joint {drive.joint.name}"]
    for spring in system.forces:
        if isinstance(spring, SpringDamper):
            at[f"spring {spring.name}"] = (len(frames), len(frames) + 1)
            frames += spring.frames(bodies)
    loads = [f for f in system.forces if isinstance(f, PointForce | PointMoment)]
    load_frame = []
    for load in loads:
        load_frame.append(len(frames))
        frames += load.frames(bodies)
    index = {body.name: b for b, body in enumerate(system.bodies)}
    parts = {
        **_body_arrays(system.bodies),
        **frame_arrays(frames, index),
        **_row_arrays(system, at, laws, t_end),
        **_force_arrays(system, at, frames, index, loads, load_frame, laws, t_end),
    }
    parts["gravity"] = np.asarray(system.gravity, dtype=float)
    parts["length"] = np.array([_length(system, frames, index)])
    parts["row_scale"] = np.where(parts["row_kind"] == POINT, 1.0, parts["length"][0])
    parts |= _row_places(parts)
    layout = Layout(**{name: np.ascontiguousarray(parts[name]) for name in Layout._fields})
    rows, first = {}, 0
    for joint in system.joints:
        rows[joint.name] = slice(first, first + len(joint.rows))
        first += len(joint.rows)
    return Plan(system, layout, tuple(laws), rows, {k.partition(" ")[2]: v for k, v in at.items()}, index)


def _offsets(sizes) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.asarray(list(sizes), dtype=np.int64))]).astype(np.int64)


def _body_arrays(bodies: Sequence[Body]) -> dict[str, np.ndarray]:
    """Masses, sizes and coefficients C1..C8, K, D, turned into the inertial base."""
    modes = np.array([body.n_modes for body in bodies], dtype=np.int64)
    pieces, at, sizes, mean = [], np.zeros((len(bodies), 11), dtype=np.int64), [], []
    place = 0
    for b, body in enumerate(bodies):
        for k, piece in enumerate(_coefficients(body)):
            at[b, k] = place
            pieces.append(np.ravel(piece))
            place += np.size(piece)
        tensor = body.inertia_tensor if isinstance(body, RigidBody) else np.asarray(body.reduced.C3)
        sizes.append(np.sqrt(max(np.trace(tensor) / body.mass, 0.0)))
        mean.append(1 if isinstance(body, RigidBody) or body.reduced.mean else 0)
    axial = np.array([0 if (energy := _axial(body)) is None else energy.n for body in bodies], dtype=np.int64)
    return {
        "body_axial": axial,
        "axial_at": _offsets(axial * (2 + modes))[:-1],
        "body_mass": np.array([float(body.mass) for body in bodies]),
        "body_size": np.array(sizes),
        "body_modes": modes,
        "body_mean": np.array(mean, dtype=np.int64),
        "alpha_at": _offsets(modes),
        "v_at": _offsets(6 + modes),
        "matrix_at": _offsets((6 + modes) ** 2),
        "coefficient_at": at,
        "coefficients": np.concatenate(pieces),
    }


def _coefficients(body: Body) -> list[np.ndarray]:
    """C1..C8, K, D, AXIAL of a body; C5 as (N, 3, 3, N), so that C5 alpha runs over the last axis."""
    if isinstance(body, RigidBody):
        none = np.zeros(0)
        return [np.zeros(3), none, body.inertia_tensor, *(none,) * 8]
    r = body.turned
    C5 = np.asarray(r.C5) if not body.stiffened else np.asarray(r.C5) + np.asarray(r.C5_stiffening)
    C5 = np.transpose(C5, (0, 2, 3, 1))
    energy, axial = _axial(body), np.zeros(0)
    if energy is not None:
        axial = np.concatenate([energy.direction[:, None], energy.quadratic], axis=1)
    return [np.asarray(x) for x in (r.C1, r.C2, r.C3, r.C4, C5, r.C6, r.C7, r.C8, r.K, body.damping, axial)]


def _axial(body: Body) -> AxialEnergy | None:
    """Return what axial modes add to a body's strain energy, if they do."""
    if isinstance(body, RigidBody) or not body.stiffening:
        return None
    return body.reduced.axial


def frame_arrays(frames: list[FrameData], index: dict[str, int]) -> dict[str, np.ndarray]:
    """Return the layout's arrays for these frames on the bodies numbered by ``index``."""
    modes = [np.concatenate([frame.Phi, frame.B]).ravel() for frame in frames]
    return {
        "frame_body": np.array([index.get(frame.body, -1) for frame in frames], dtype=np.int64),
        "frame_x": np.array([frame.x for frame in frames], dtype=float).reshape(-1, 3),
        "frame_A": np.array([frame.A for frame in frames], dtype=float).reshape(-1, 3, 3),
        "frame_at": _offsets(m.size for m in modes),
        "frame_modes": np.concatenate([np.zeros(0), *modes]),
        **_term_arrays(frames),
    }


def _term_arrays(frames: list[FrameData]) -> dict[str, np.ndarray]:
    """Second-order terms: G (6, N, N) of each frame as few symmetric S (N, N) with a direction (6,) each.

    Singular values of GF as (3, N^2), and of GM; those below 1e-9 of the largest are left out. This is exact for
    any placement: turning a body turns directions only.
    """
    found = [_terms(frame.G) for frame in frames]
    directions = [direction for terms in found for direction, _ in terms]
    values = [S for terms in found for _, S in terms]
    return {
        "frame_term_at": _offsets(len(terms) for terms in found),
        "term_direction": np.array(directions, dtype=float).reshape(-1, 6),
        "term_at": _offsets(S.size for S in values)[:-1],
        "term_value": np.concatenate([np.zeros(0), *(S.ravel() for S in values)]),
        "term_row": _offsets(len(S) for S in values)[:-1],
    }


def _terms(G: np.ndarray | None) -> list[tuple[np.ndarray, np.ndarray]]:
    if G is None or G.size == 0:
        return []
    out = []
    for part in range(2):
        block = G[3 * part : 3 * part + 3]
        U, size, S = np.linalg.svd(block.reshape(3, -1), full_matrices=False)
        for k in np.flatnonzero(size > 1e-9 * size[0]):
            direction = np.zeros(6)
            direction[3 * part : 3 * part + 3] = size[k] * U[:, k]
            shape = S[k].reshape(block.shape[1:])
            out.append((direction, 0.5 * (shape + shape.T)))
    return out


def _row_arrays(system: System, at, laws: list[Law], t_end: float) -> dict[str, np.ndarray]:
    """Constraint rows and drives."""
    kind, frame, axis, drive, addresses = [], [], [], [], []
    values: list[tuple[float, float]] = []
    for joint in system.joints:
        number = -1
        if isinstance(joint, Drive):
            number = len(values)
            law = joint.law(t_end)
            laws += [law] if law else []
            values.append(joint.value())
            addresses.append(law.address if law else 0)
        for row in joint.rows:
            kind.append(row.kind)
            frame.append(at[f"joint {joint.name}"])
            axis.append((row.first, row.second))
            drive.append(number)
    integers = {"row_kind": kind, "row_drive": drive, "drive_law": addresses}
    return {
        **{name: np.array(value, dtype=np.int64) for name, value in integers.items()},
        "row_frame": np.array(frame, dtype=np.int64).reshape(-1, 2),
        "row_axis": np.array(axis, dtype=np.int64).reshape(-1, 2),
        "drive_value": np.array(values, dtype=float).reshape(-1, 2),
    }


def _force_arrays(system, at, frames, index, loads, load_frame, laws, t_end) -> dict[str, np.ndarray]:
    springs = [f for f in system.forces if isinstance(f, SpringDamper)]
    spring_value, spring_law, load_law, load_kind = [], [], [], []
    for spring in springs:
        first, second = (frames[i] for i in at[f"spring {spring.name}"])
        ends = [f.x + (system.bodies[index[f.body]].start if f.body in index else 0) for f in (first, second)]
        free = np.linalg.norm(ends[1] - ends[0]) if spring.free_length is None else spring.free_length
        law = spring.law(t_end)
        laws += [law] if law else []
        force = 0.0 if callable(spring.force) else float(spring.force)
        spring_value.append((spring.stiffness, spring.damping, free, force))
        spring_law.append(law.address if law else 0)
    for load in loads:
        law = load.law(t_end)
        laws += [law] if law else []
        load_law.append(law.address if law else 0)
        inertial, follows = (
            (FORCE_INERTIAL, FORCE_BODY) if isinstance(load, PointForce) else (MOMENT_INERTIAL, MOMENT_BODY)
        )
        load_kind.append(follows if load.follows else inertial)
    return {
        "spring_frame": np.array([at[f"spring {s.name}"] for s in springs], dtype=np.int64).reshape(-1, 2),
        "spring_value": np.array(spring_value, dtype=float).reshape(-1, 4),
        "spring_law": np.array(spring_law, dtype=np.int64),
        "load_kind": np.array(load_kind, dtype=np.int64),
        "load_frame": np.array(load_frame, dtype=np.int64),
        "load_value": np.array([load.constant() for load in loads], dtype=float).reshape(-1, 3),
        "load_law": np.array(load_law, dtype=np.int64),
    }


def _row_places(parts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Where the Jacobian's blocks lie, and which rows touch each body."""
    frames = np.concatenate([parts["row_frame"], parts["spring_frame"]])
    row_body = parts["frame_body"][frames] if len(frames) else np.zeros((0, 2), dtype=np.int64)
    sizes = np.where(row_body >= 0, 6 + parts["body_modes"][row_body], 0)
    row_at = _offsets(sizes.ravel())[:-1].reshape(-1, 2)
    touching = [np.argwhere(row_body == b) for b in range(len(parts["body_mass"]))]
    return {
        "row_body": row_body,
        "row_at": row_at,
        "body_row_at": _offsets(len(t) for t in touching),
        "body_row": np.array(list(chain.from_iterable(touching)), dtype=np.int64).reshape(-1, 2),
    }


def _length(system: System, frames: list[FrameData], index: dict[str, int]) -> float:
    """Characteristic length: half the diagonal of the box around all frames and mass centres as drawn, m."""
    points = [body.start for body in system.bodies]
    for frame in frames:
        points.append(frame.x + (system.bodies[index[frame.body]].start if frame.body in index else 0.0))
    size = 0.5 * float(np.linalg.norm(np.ptp(np.array(points), axis=0)))
    if size > 1e-9:
        return size
    tensors = [
        b.inertia_tensor if isinstance(b, RigidBody) else np.asarray(b.reduced.C3) for b in system.bodies
    ]
    return float(np.sqrt(max(np.trace(t) / b.mass for t, b in zip(tensors, system.bodies, strict=True))))

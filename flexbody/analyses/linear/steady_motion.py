"""Motions that go on as they are: a machine that moves as a whole along a screw, while round bodies spin in it.

Each body moves with one velocity field, ``V + Omega x (r - p)``, and, where its inertia is the same all round an axis,
spins about that axis besides: a cart in a curve, a disc that rolls, a top that precesses. Seen from bases that move
with the field and do not spin, the equations of small motions are constant there. A small motion ``xi_E`` in such a
base is ``xi = P(t) xi_E`` in that of the body, with ``P = exp(-s~ t)`` for places and angles of a body that spins with
s (components of its base): ``P. = -s~ P``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from ...compile.plan import Plan
from ...core.rotation import turned_euler
from ...core.structures import Work
from ...equations.tangent import units
from ...formulations.state import MachineState
from ...model.bodies import RigidBody
from ...rotation import matrices

#: velocities and accelerations of a steady motion fit it but for this part
STEADY_TOLERANCE = 1e-4
#: principal moments of inertia that differ by less than this part are the same
ROUND_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Steady:
    """A motion along a screw: ``spin`` (3,) rad/s, ``speed`` (3,) m/s of the field at the point ``about`` (3,) m.

    ``own`` (nb, 3): what each body turns besides, rad/s, in components of its base. ``mismatch``: the part of the
    velocities and accelerations that doesn't fit.
    """

    spin: np.ndarray
    speed: np.ndarray
    about: np.ndarray
    own: np.ndarray
    mismatch: float = 0.0

    def rates(self, plan: Plan, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and second rate of Z (nv, f), small motions in bases of bodies that are constant in those
        that don't spin."""
        first = -self._crossed(plan, Z)
        return first, -self._crossed(plan, first)

    def _crossed(self, plan: Plan, Z: np.ndarray) -> np.ndarray:
        out = np.zeros_like(Z)
        for first, s in zip(plan.layout.v_at[:-1], self.own, strict=True):
            for at in (first, first + 3):
                out[at : at + 3] = np.cross(s, Z[at : at + 3], axisb=0, axisc=0)
        return out

    def carried(self, plan: Plan, Z: np.ndarray, dt: float) -> np.ndarray:
        """Return Z (nv, f) a time ``dt`` later, in the bases of bodies then."""
        out = Z.copy()
        for first, s in zip(plan.layout.v_at[:-1], self.own, strict=True):
            back = scipy.spatial.transform.Rotation.from_rotvec(-dt * s).as_matrix()
            for at in (first, first + 3):
                out[at : at + 3] = back @ Z[at : at + 3]
        return out

    def spun(self, s: MachineState, dt: float) -> MachineState:
        """Return the state after bodies have spun for ``dt`` while the machine as a whole stood."""
        q = s.q.copy()
        for b, spin in enumerate(self.own):
            turned_euler(s.q[b].copy(), dt * spin, q[b])
        return replace(s, t=s.t + dt, q=q)

    def later(self, plan: Plan, s: MachineState, dt: float) -> MachineState:
        """Return the state a time ``dt`` later, the multipliers as they were."""
        rotation = scipy.spatial.transform.Rotation.from_rotvec(dt * self.spin)
        R, q = rotation.as_matrix(), self.spun(s, dt).q
        c = self.about + (s.c - self.about) @ R.T + self._shift(dt)
        v, vdot, turned = s.v.copy(), s.vdot.copy(), dt * self.spin
        for b, (first, Q) in enumerate(zip(plan.layout.v_at[:-1], matrices(s.q), strict=True)):
            v[first : first + 3], vdot[first : first + 3] = (
                R @ v[first : first + 3],
                R @ vdot[first : first + 3],
            )
            back = scipy.spatial.transform.Rotation.from_rotvec(-dt * self.own[b]).as_matrix()
            for x in (v, vdot):
                x[first + 3 : first + 6] = back @ x[first + 3 : first + 6]
            # turned about axes of space: of the body's base, that is exp(own)' Q' turned
            turned_euler(q[b].copy(), back @ Q.T @ turned, q[b])
        return replace(s, t=s.t + dt, c=c, q=q, v=v, vdot=vdot)

    def _shift(self, dt: float) -> np.ndarray:
        """Return where the point ``about`` has gone, (3,) m: the integral of exp(Omega~ t) V."""
        rate = float(np.linalg.norm(self.spin))
        if rate * dt < 1e-12:
            return dt * self.speed
        n, angle = self.spin / rate, rate * dt
        once = np.cross(n, self.speed)
        return (
            dt * self.speed
            + (1 - np.cos(angle)) / rate * once
            + (dt - np.sin(angle) / rate) * np.cross(n, once)
        )

    def period(self, length: float) -> float:
        """Return the time in which it turns, spins by one radian, or moves by ``length`` (m)."""
        return 1.0 / max(
            float(np.linalg.norm(self.spin)),
            float(np.linalg.norm(self.own, axis=1).max()),
            float(np.linalg.norm(self.speed)) / length,
        )


def steady_motion(plan: Plan, W: Work, s: MachineState) -> Steady | None:
    """Return the steady motion of which a state's velocities and accelerations are, None if they are of none.

    Whether bodies, joints and loads let it go on is not looked at.
    """
    length = float(plan.layout.length)
    motion, still = _Motion(plan, s), 0.0
    speed = max(np.abs(motion.v).max(), length * np.abs(motion.w).max())
    if speed == 0:
        return None
    u = units(plan, W, s)
    for b, first in enumerate(plan.layout.v_at[:-1]):
        own = slice(first + 6, plan.layout.v_at[b + 1])
        rate = speed / length
        still = max(
            still,
            np.max(np.abs(s.v[own] / u[own]) / rate, initial=0.0),
            np.max(np.abs(s.vdot[own] / u[own]) / rate**2, initial=0.0),
        )
    axes = [_round(body) for body in plan.system.bodies]
    for rounds in ([np.eye(3)] * len(axes), axes):
        found = _fitted(motion, rounds, length, float(speed))
        if max(found.mismatch, still) <= STEADY_TOLERANCE:
            return found
    return None


class _Motion:
    """Velocities and accelerations of all bodies, inertial components, (nb, 3) each."""

    def __init__(self, plan: Plan, s: MachineState) -> None:
        firsts = plan.layout.v_at[:-1]
        self.Q, self.c = matrices(s.q), s.c
        self.v, self.vdot = (np.array([x[i : i + 3] for i in firsts]) for x in (s.v, s.vdot))
        self.w, self.wdot = (
            np.einsum("bij,bj->bi", self.Q, np.array([x[i + 3 : i + 6] for i in firsts]))
            for x in (s.v, s.vdot)
        )


def _round(body) -> np.ndarray:
    """Return (k, 3) the directions of the body's base about which it can't spin in a steady motion: all, or those
    across its axis of symmetry, or, of a ball, none."""
    if not isinstance(body, RigidBody):
        return np.eye(3)
    moments, axes = np.linalg.eigh(body.inertia_tensor)
    same = np.diff(moments) < ROUND_TOLERANCE * moments[-1]
    if same.all():
        return np.zeros((0, 3))
    return axes[:, :2].T if same[0] else axes[:, 1:].T if same[1] else np.eye(3)


def _fitted(motion: _Motion, across: list[np.ndarray], length: float, speed: float) -> Steady:
    """Return the screw that fits best: linear equations for L Omega and V, each in m/s."""
    about, time = motion.c.mean(axis=0), length / speed
    rows, right = [], []
    for b, directions in enumerate(across):
        none, fixed = np.zeros((3, 3)), directions @ motion.Q[b].T
        rows += [
            np.hstack([-_tilde(motion.c[b] - about) / length, np.eye(3)]),
            np.hstack([-_tilde(motion.v[b]) * time / length, none]),
            np.hstack([-_tilde(motion.w[b]) * time, none]),
            np.hstack([fixed, none[: len(fixed)]]),
        ]
        right += [
            motion.v[b],
            time * motion.vdot[b],
            time * length * motion.wdot[b],
            length * fixed @ motion.w[b],
        ]
    A, b_ = np.concatenate(rows), np.concatenate(right)
    x = np.linalg.lstsq(A, b_, rcond=1e-9)[0]
    spin = x[:3] / length
    own = np.einsum("bij,bi->bj", motion.Q, motion.w - spin)
    for b, directions in enumerate(across):
        own[b] -= directions.T @ (directions @ own[b])
    own[np.abs(own).max(axis=1) < 1e-12 * speed / length] = 0.0
    return Steady(spin, x[3:], about, own, float(np.abs(A @ x - b_).max() / speed))


def _tilde(x: np.ndarray) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

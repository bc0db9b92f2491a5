"""Steady motions: a machine that moves as a whole along a screw, while axisymmetric bodies spin in it.

All bodies move with one velocity field, ``V + Omega x (r - p)``. Bodies whose inertia is symmetric about an axis may
also spin about this axis: a cart in a curve, a disc that rolls, a top that precesses. In bases that move with the
field and do not spin, the equations of small motions are constant. A small motion ``xi_E`` in such a base is
``xi = P(t) xi_E`` in the base of the body, with ``P = exp(-s~ t)`` for displacement and rotation of a body that spins
with s (components of its base): ``P' = -s~ P``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from ...compile.plan import Plan
from ...core.rotation import matrices, turned_euler
from ...core.structures import Work
from ...equations.tangent import units
from ...formulations.state import MachineState

#: velocities and accelerations of a steady motion fit it but for this part
STEADY_TOLERANCE = 1e-4
#: principal moments of inertia that differ by less than this part are the same
ROUND_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Steady:
    """A motion along a screw.

    Attributes
    ----------
    spin : numpy.ndarray
        Angular velocity of the field, (3,), rad/s.
    speed : numpy.ndarray
        Velocity of the field at the point ``about``, (3,), m/s.
    about : numpy.ndarray
        Point, (3,), m.
    own : numpy.ndarray
        Additional spin of each body, (nb, 3), rad/s, in components of its base.
    mismatch : float
        Relative part of velocities and accelerations that differs from such a motion.
    """

    spin: np.ndarray
    speed: np.ndarray
    about: np.ndarray
    own: np.ndarray
    mismatch: float = 0.0

    def rates(self, plan: Plan, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and second rate of Z (nv, f).

        The small motions in Z are constant in the bases that do not spin; Z has the components of the bases of the
        bodies.
        """
        first = -self._crossed(plan, Z)
        return first, -self._crossed(plan, first)

    def _crossed(self, plan: Plan, Z: np.ndarray) -> np.ndarray:
        out = np.zeros_like(Z)
        for b, s in enumerate(self.own):
            for at in (plan.translation(b), plan.rotation(b)):
                out[at] = np.cross(s, Z[at], axisb=0, axisc=0)
        return out

    def carried(self, plan: Plan, Z: np.ndarray, dt: float) -> np.ndarray:
        """Return Z (nv, f) a time ``dt`` later, in the bases of the bodies at that time."""
        out = Z.copy()
        for b, s in enumerate(self.own):
            back = scipy.spatial.transform.Rotation.from_rotvec(-dt * s).as_matrix()
            for at in (plan.translation(b), plan.rotation(b)):
                out[at] = back @ Z[at]
        return out

    def spun(self, s: MachineState, dt: float) -> MachineState:
        """Return the state after the bodies have spun for a time ``dt`` while the machine as a whole was at rest."""
        q = s.q.copy()
        for b, spin in enumerate(self.own):
            turned_euler(s.q[b].copy(), dt * spin, q[b])
        return replace(s, t=s.t + dt, q=q)

    def later(self, plan: Plan, s: MachineState, dt: float) -> MachineState:
        """Return the state a time ``dt`` later, with the same multipliers."""
        rotation = scipy.spatial.transform.Rotation.from_rotvec(dt * self.spin)
        R, q = rotation.as_matrix(), self.spun(s, dt).q
        c = self.about + (s.c - self.about) @ R.T + self._shift(dt)
        v, vdot, turned = s.v.copy(), s.vdot.copy(), dt * self.spin
        for b, Q in enumerate(matrices(s.q)):
            back = scipy.spatial.transform.Rotation.from_rotvec(-dt * self.own[b]).as_matrix()
            for x in (v, vdot):
                x[plan.translation(b)] = R @ x[plan.translation(b)]
                x[plan.rotation(b)] = back @ x[plan.rotation(b)]
            # turned about axes of space: of the body's base, that is exp(own)' Q' turned
            turned_euler(q[b].copy(), back @ Q.T @ turned, q[b])
        return replace(s, t=s.t + dt, c=c, q=q, v=v, vdot=vdot)

    def _shift(self, dt: float) -> np.ndarray:
        """Return the displacement of the point ``about``, (3,), m: the integral of exp(Omega~ t) V."""
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
        """Return the time, s, of a rotation or spin by one radian, or of a displacement by ``length`` (m)."""
        return 1.0 / max(
            float(np.linalg.norm(self.spin)),
            float(np.linalg.norm(self.own, axis=1).max()),
            float(np.linalg.norm(self.speed)) / length,
        )


def steady_motion(plan: Plan, W: Work, s: MachineState) -> Steady | None:
    """Return the steady motion that the velocities and accelerations of a state form, or None.

    It is not checked whether bodies, joints and loads permit this motion to continue.
    """
    length = float(plan.layout.length)
    motion, still = _Motion(plan, s), 0.0
    speed = max(np.abs(motion.v).max(), length * np.abs(motion.w).max())
    if speed == 0:
        return None
    u = units(plan, W, s)
    for b in range(plan.n_bodies):
        own = plan.modal_velocities(b)
        rate = speed / length
        still = max(
            still,
            np.max(np.abs(s.v[own] / u[own]) / rate, initial=0.0),
            np.max(np.abs(s.vdot[own] / u[own]) / rate**2, initial=0.0),
        )
    axes = [body.asymmetric_directions(ROUND_TOLERANCE) for body in plan.system.bodies]
    for rounds in ([np.eye(3)] * len(axes), axes):
        found = _fitted(motion, rounds, length, float(speed))
        if max(found.mismatch, still) <= STEADY_TOLERANCE:
            return found
    return None


class _Motion:
    """Velocities and accelerations of all bodies, inertial components, (nb, 3) each."""

    def __init__(self, plan: Plan, s: MachineState) -> None:
        bodies = range(plan.n_bodies)
        self.Q, self.c = matrices(s.q), s.c
        self.v, self.vdot = (np.array([x[plan.translation(b)] for b in bodies]) for x in (s.v, s.vdot))
        self.w, self.wdot = (
            np.array([Q @ x[plan.rotation(b)] for b, Q in enumerate(self.Q)]) for x in (s.v, s.vdot)
        )


def _fitted(motion: _Motion, across: list[np.ndarray], length: float, speed: float) -> Steady:
    """Return the screw with the least squared error: linear equations for L Omega and V, each in m/s."""
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

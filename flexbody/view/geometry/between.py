"""The motion of all bodies between two stored states, from what is stored of both.

Each body is interpolated relative to the body that carries it along the tree of joints, so that joints of the tree
stay closed: the place of its joint by Hermite's polynomials, its rotation by the integral of its angular velocity. This
finds several turns between two states, of wheels on turning arms too. The turns of hinges are those that
the run counts, where the angular velocities at both ends say otherwise too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy

from ...core.rotation import matrices
from ...model.joints.coordinates import TURN_Z
from ...model.sides import FrameData
from ...model.tree import spanning_tree
from .poses import Pose

#: Rates at both ends of an interval are those of a smooth motion if their mean differs from the change of the value by
#: at most this part of them. At 2 rad of a vibration it is a third; rates of a faster one say nothing of its path.
SMOOTH = 0.5
#: A way from rest to rest differs from a uniform one by up to this part of it: s - s^2 (3 - 2 s) is 0.096 at s = 0.21.
START_AND_STOP = 0.1
#: Steps of the integral of an angular velocity: largest angle of one (rad), and their largest number.
LARGEST_STEP, MAX_STEPS = 0.3, 1000
#: A rotation about a hinge differs from the change of its counted angle by whole turns, up to this, rad.
LARGEST_REST = 0.1
#: Gauss' points of two in a step, from 0 to 1.
GAUSS = 0.5 + np.array([-1.0, 1.0]) * np.sqrt(3) / 6
ROTATION = scipy.spatial.transform.Rotation


class JointTree:
    """The bodies of a machine with the points of the joints that carry them, and their stored motions.

    Parameters
    ----------
    result : Result
        The result of a run.
    """

    def __init__(self, result: Any) -> None:
        self.result, self.plan = result, result.plan
        system = result.system
        bodies = system.bodies_by_name()
        self.names = [*self.plan.body_index, *(point.name for point in system.massless_bodies)]
        number = {name: k for k, name in enumerate(self.names)}
        n = len(bodies)
        self.inner = np.full(len(self.names), len(self.names))  # the last one is the ground
        self.x = np.zeros((len(self.names), 3))
        self.axes = np.zeros(
            (len(self.names), 3)
        )  # of hinges with a counted angle, in the base of the inner body
        self.angles = np.full((len(result.t), len(self.names)), np.nan)  # about them
        tree = spanning_tree(system.bodies, system.hinge_joints)
        self.has_loops = bool(tree.cut_joints)
        for hinge in tree.hinges:
            if hinge.joint is not None:
                outer = next(frame for frame in hinge.joint.frames(bodies) if frame.body == hinge.outer)
                self.x[number[hinge.outer]] = outer.x
                self.inner[number[hinge.outer]] = number.get(hinge.inner, len(self.names))
                which = [key for key, one in hinge.joint.coordinates.items() if one == TURN_Z]
                if which:
                    self.axes[number[hinge.outer]] = hinge.joint.frames(bodies)[int(hinge.reversed)].A[:, 2]
                    angle = result.coordinate(hinge.joint, which[0])
                    self.angles[:, number[hinge.outer]] = -angle if hinge.reversed else angle
        modes = [bodies[name].n_modes for name in self.names[:n]]
        frames = [
            FrameData(name, x, np.eye(3), np.zeros((3, m)), np.zeros((3, m)))
            for name, x, m in zip(self.names[:n], self.x[:n], modes, strict=True)
        ]
        points = self.plan.with_frames(frames)
        self._layout, self._work = points.layout, points.work()
        self.modal = {name: self.plan.modal(k) if k < n else slice(0, 0) for k, name in enumerate(self.names)}
        rates = [np.arange(result.v.shape[1])[self.plan.modal_velocities(k)] for k in range(n)]
        self.modal_rates = np.concatenate([np.zeros(0, dtype=int), *rates])
        self._massless = [
            (result.position(p) - result.rotation(p) @ p.start, result.rotation(p), result.velocity(p),
             result.angular_velocity(p), p.start)
            for p in system.massless_bodies
        ]  # fmt: skip

    def stored(self, k: int) -> dict[str, Pose]:
        """Return the poses of all bodies at the stored state k."""
        turns = matrices(self.result.q[k])
        found = {
            name: Pose(self.result.c[k, b], turns[b], self.result.all_alpha[k, self.modal[name]])
            for name, b in self.plan.body_index.items()
        }
        massless = self.names[len(found) :]
        return found | {
            name: Pose(c[k], R[k], np.zeros(0))
            for name, (c, R, *_) in zip(massless, self._massless, strict=True)
        }

    def ends(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the motion of the points of the joints at the states k and k + 1, then of the ground.

        These are axes, (2, n + 1, 3, 3), and position, velocity, angular velocity, acceleration and angular
        acceleration, (5, 2, n + 1, 3), inertial components.
        """
        record, rows, n = self.result, slice(k, k + 2), len(self.plan.body_index)
        given = [
            np.ascontiguousarray(x[rows])
            for x in (record.c, record.q, record.all_alpha, record.v, record.vdot)
        ]
        nt = len(given[0])
        R, vectors = np.empty((nt, n, 3, 3)), np.empty((5, nt, n, 3))
        paths = np.empty((nt, len(self._layout.path), 3))
        self.plan.formulation.observe_frames(self._layout, self._work, *given, R, vectors, paths)
        more = [
            (axes[rows], self._massless_motion(c, v, w, axes, x, rows)) for c, axes, v, w, x in self._massless
        ]
        R = np.concatenate(
            [R, *(a[:, None] for a, _ in more), np.broadcast_to(np.eye(3), (nt, 1, 3, 3))], axis=1
        )
        every = [vectors, *(m[:, :, None] for _, m in more), np.zeros((5, nt, 1, 3))]
        return R, np.concatenate(every, axis=2)

    @staticmethod
    def _massless_motion(
        c: np.ndarray, v: np.ndarray, w: np.ndarray, axes: np.ndarray, x: np.ndarray, rows: slice
    ) -> np.ndarray:
        """Return the motion (5, 2, 3) of the origin of a massless body, whose accelerations are unknown."""
        unknown = np.full_like(c[rows], np.nan)
        return np.stack([c[rows], v[rows] - np.cross(w[rows], axes[rows] @ x), w[rows], unknown, unknown])


class Interval:
    """The motion of all bodies between the stored states k and k + 1.

    Attributes
    ----------
    doubt : float
        Estimate of the error of a place relative to the body that carries it, m.
    turn_doubt : float
        The same of a rotation, rad.
    angle : float
        Largest rotation of a body relative to the one that carries it, rad.
    n_numbers : int
        Numbers that it holds.
    """

    def __init__(self, tree: JointTree, k: int) -> None:
        result = tree.result
        self.tree, self.start, self.h = tree, float(result.t[k]), float(result.t[k + 1] - result.t[k])
        R, (r, v, w, a, b) = tree.ends(k)
        p, n = tree.inner, len(tree.names)
        base, R = R[:, p], R[:, :n]
        r, v, w, a, b = (np.stack([x[:, :n], x[:, p]]) for x in (r, v, w, a, b))
        d, spin = r[0] - r[1], w[0] - w[1]
        speed = v[0] - v[1] - np.cross(w[1], d)  # as the inner body sees it, see Motion.seen_from
        acceleration = a[0] - a[1] - np.cross(b[1], d) - np.cross(w[1], np.cross(w[1], d) + 2 * speed)
        turning = b[0] - b[1] - np.cross(w[1], spin)
        d, speed, acceleration, spin, turning = (
            np.einsum("tnji,tnj->tni", base, x) for x in (d, speed, acceleration, spin, turning)
        )
        self._places, doubt = hermite(self.h, d, speed, acceleration)
        ways = np.where(np.linalg.norm(speed, axis=-1, keepdims=True) > 0, speed, 1.0)[0]
        self._error = doubt[:, None] * ways / np.linalg.norm(ways, axis=-1, keepdims=True)
        counted = tree.axes, tree.angles[k + 1] - tree.angles[k]
        self._turns = Turns(self.h, np.einsum("tnji,tnjk->tnik", base, R), spin, turning, counted)
        rates = [np.asarray(x[k : k + 2][:, tree.modal_rates])[..., None] for x in (result.v, result.vdot)]
        self._alpha, _ = hermite(self.h, np.asarray(result.all_alpha[k : k + 2])[..., None], *rates)
        self.doubt = float(doubt.max(initial=0.0))
        self.turn_doubt, self.angle = self._turns.doubt, self._turns.angle
        self.n_numbers = self._places.size + self._alpha.size + self._turns.n_numbers

    def poses(
        self, parts: np.ndarray, names: Iterable[str], *, rough: bool = False
    ) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return the places of the reference points, (k, 3), and the rotations, (k, 3, 3), of bodies.

        ``parts`` (k,) are the parts of the interval, from 0 to 1. ``rough`` poses differ by the estimated errors.
        """
        tree = self.tree
        number = {name: k for k, name in enumerate(tree.names)}
        places, turns = value(self._places, parts) + rough * self._error, self._turns.at(parts, rough)
        ground = len(tree.names)
        points = {ground: np.zeros((len(parts), 3))}
        axes = {ground: np.broadcast_to(np.eye(3), (len(parts), 3, 3))}
        found = {}
        for name in names:
            way = [number[name]]
            while way[-1] not in points:
                way.append(int(tree.inner[way[-1]]))
            for k in reversed(way[:-1]):
                inner = int(tree.inner[k])
                points[k] = points[inner] + (axes[inner] @ places[:, k, :, None])[..., 0]
                axes[k] = axes[inner] @ turns[:, k]
            k = number[name]
            found[name] = points[k] - axes[k] @ tree.x[k], axes[k]
        return found

    def alpha(self, part: float) -> np.ndarray:
        """Return the modal coordinates of all bodies at a part of the interval, (na,)."""
        return value(self._alpha, np.array([part]))[0, :, 0]


class Turns:
    """Rotations between two states, from their angular velocities.

    The angular velocity is integrated; what the end then differs by is spread over the interval. Where the angular
    velocities are those of vibrations that are faster than the states are stored, the rotations go the shortest way.

    Parameters
    ----------
    h : float
        Duration, s.
    ends : numpy.ndarray
        Rotation matrices at both ends, (2, n, 3, 3).
    w, b : numpy.ndarray
        Angular velocities (rad/s) and their rates (rad/s^2) at both ends, (2, n, 3), in the base of the rotations.
    counted : tuple of numpy.ndarray, optional
        Axes of hinges, (n, 3), and the changes of their angles with all turns, (n,), rad; NaN where they are unknown.
    """

    def __init__(
        self,
        h: float,
        ends: np.ndarray,
        w: np.ndarray,
        b: np.ndarray,
        counted: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        self._first = ends[0]
        self._w, unsteady = hermite(h, w, b)
        self._w *= h
        angles = 0.5 * h * np.linalg.norm(w, axis=-1).sum(axis=0)
        largest = h * float(np.linalg.norm(w, axis=-1).max(initial=0.0))
        self._steps = int(np.clip(np.ceil(largest / LARGEST_STEP), 1, MAX_STEPS))
        moves = self._moved(np.arange(self._steps) / self._steps, np.full(self._steps, 1 / self._steps))
        nodes = [np.broadcast_to(np.eye(3), self._first.shape)]
        for move in moves:
            nodes.append(move @ nodes[-1])
        self._nodes = np.array(nodes)
        self.n_numbers = self._nodes.size + self._w.size
        off = vector_of(ends[1] @ np.swapaxes(nodes[-1] @ self._first, -1, -2))
        error = np.linalg.norm(off, axis=-1)
        shortest = error > SMOOTH * angles
        self._nodes[:, shortest] = np.eye(3)
        self._w[:, shortest] = 0.0
        self._off = off
        self._off[shortest] = vector_of(ends[1] @ np.swapaxes(self._first, -1, -2))[shortest]
        self._steady = shortest
        angles = np.where(shortest, np.linalg.norm(self._off, axis=-1), angles)
        if counted is not None:
            missing = self._missing_turns(*counted)
            self._off += missing[:, None] * counted[0]
            self._steady = shortest & (missing == 0.0)
            error, angles = error + np.abs(missing), angles + np.abs(missing)
        self.angle = float(angles.max(initial=0.0))
        self.doubt = float(np.maximum(error, 0.5 * h * unsteady).max(initial=0.0))

    def _missing_turns(self, axes: np.ndarray, changes: np.ndarray) -> np.ndarray:
        """Return the whole turns about axes (n, 3), rad, that changes of angles (n,) have beyond the motion."""
        mean = (self._w / np.arange(1, len(self._w) + 1)[:, None, None]).sum(axis=0)
        missing = changes - np.einsum("ni,ni->n", axes, mean + self._off)
        turns = 2 * np.pi * np.rint(missing / (2 * np.pi))
        return np.where(np.abs(missing - turns) < LARGEST_REST, turns, 0.0)

    def at(self, parts: np.ndarray, rough: bool = False) -> np.ndarray:
        """Return the rotation matrices at parts (k,) of the interval, (k, n, 3, 3); see :meth:`Interval.poses`."""
        before = np.clip((parts * self._steps).astype(int), 0, self._steps - 1)
        begin = before / self._steps
        s = parts[:, None]
        share = np.where(self._steady, s, s * s * (3 - 2 * s))  # keeps the angular velocities of the ends
        share = np.where(share > 0.5, 0.0, 1.0) if rough else share
        R = self._moved(begin, parts - begin) @ self._nodes[before]
        return matrix_of(share[..., None] * self._off) @ R @ self._first

    def _moved(self, begin: np.ndarray, width: np.ndarray) -> np.ndarray:
        """Return the rotations from ``begin`` (k,) over ``width`` (k,), (k, n, 3, 3): Magnus' method of order 4."""
        one, two = (value(self._w, begin + g * width) for g in GAUSS)
        width = width[:, None, None]
        return matrix_of(width / 2 * (one + two) - np.sqrt(3) / 12 * width**2 * np.cross(one, two))


def hermite(
    h: float, x: np.ndarray, v: np.ndarray, a: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients (6, n, m) of polynomials of s from 0 to 1, and estimates of their errors, (n,).

    ``x``, ``v`` and ``a`` (2, n, m) are values, rates and second rates at both ends, which are ``h`` (s) apart. The
    polynomial of a value has degree five, without smooth second rates three, and without smooth rates one.
    """
    a = np.full_like(v, np.nan) if a is None else a
    d, A = h * v, h * h * a
    rise, none = x[1] - x[0], np.zeros_like(x[0])
    one = np.stack([x[0], rise, none, none, none, none])
    three = np.stack([x[0], d[0], 3 * rise - 2 * d[0] - d[1], d[0] + d[1] - 2 * rise, none, none])
    five = np.stack(
        [
            x[0],
            d[0],
            A[0] / 2,
            10 * rise - 6 * d[0] - 4 * d[1] - 1.5 * A[0] + 0.5 * A[1],
            -15 * rise + 8 * d[0] + 7 * d[1] + 1.5 * A[0] - A[1],
            6 * rise - 3 * d[0] - 3 * d[1] - 0.5 * A[0] + 0.5 * A[1],
        ]
    )
    rough, rougher = _roughness(rise, d), _roughness(d[1] - d[0], A)
    middle = np.array([0.5])
    bow, more = (np.linalg.norm(value(p - q, middle)[0], axis=-1) for p, q in ((three, one), (five, three)))
    cubic = rough <= SMOOTH
    quintic = cubic & (rougher <= SMOOTH)
    found = np.where(quintic[:, None], five, np.where(cubic[:, None], three, one))
    unknown = np.linalg.norm(d, axis=-1).sum(axis=0) / 8 + START_AND_STOP * np.linalg.norm(rise, axis=-1)
    uncertain = [unknown, bow * np.fmin(1.0, np.fmax(rough, rougher)), more * rougher]
    return found, np.choose(cubic.astype(int) + quintic, uncertain)


def value(coefficients: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return polynomials of coefficients (6, n, m) in rising powers at ``s`` (k,), (k, n, m)."""
    return np.einsum("kp,pnm->knm", s[:, None] ** np.arange(len(coefficients)), coefficients)


def matrix_of(vectors: np.ndarray) -> np.ndarray:
    """Return the rotation matrices (..., 3, 3) of rotation vectors (..., 3), rad."""
    return ROTATION.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*vectors.shape, 3)


def vector_of(matrices: np.ndarray) -> np.ndarray:
    """Return the rotation vectors (n, 3), rad, of rotation matrices (n, 3, 3)."""
    return ROTATION.from_matrix(matrices).as_rotvec() if len(matrices) else np.zeros((0, 3))


def _roughness(change: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return how far rates (2, n, m) times duration are from explaining a change (n, m), relative to them, (n,)."""
    size = 0.5 * np.linalg.norm(rates, axis=-1).sum(axis=0)
    off = np.linalg.norm(change - 0.5 * (rates[0] + rates[1]), axis=-1)
    return np.divide(off, size, out=np.where(off == 0, 0.0, np.inf), where=size > 0)

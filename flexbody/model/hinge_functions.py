"""The functions of a user's own joint: their derivatives, its coordinates and constraint rows; Sol (1983), 3.3."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from fem.common.errors import InputError

from ..core.kinds import (
    OWN_COLUMN,
    OWN_DRIFT,
    OWN_NUMBERS,
    OWN_PLACE,
    OWN_POSE,
    OWN_SPEED,
    OWN_TASK,
    OWN_TIME,
)
from ..core.tape import along, gradient
from ..core.user_constraint import BIASES, CALLBACK, WIDTH
from ..functions.captured_values import Captured
from ..functions.tracing import Tape, with_numpy
from .joints.recorded_rows import UserLaw

#: Coordinates are rounded to what moves the sides by about this part of the machine as soon as they change by less than
#: so many times that; then follow so many iterations, to round-off. The same pose gives the same bits, whatever was
#: before.
GRID_SIZE, NEARBY_CELLS, FURTHER_CELLS = 1e-7, 100.0, 2
#: Iterations of one search.
MAX_ITERATIONS = 12
#: A pose that is missed by more than this part of the machine is searched from other starts too.
MISS_LIMIT = 1e-3
#: Starts of such a search, for each of several distances.
OTHER_STARTS = 8
#: Least singular value of the constraint directions carried from the drawn configuration.
LEAST_OVERLAP = 0.2


class OwnJoint(Protocol):
    """What the functions need of a :class:`flexbody.HingeJoint`."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the coordinates."""

    @property
    def pose(self) -> Callable[..., Any]:
        """The function of time and coordinates."""

    @property
    def label(self) -> str:
        """Kind and name of the joint."""

    @property
    def drawn(self) -> tuple[float, ...]:
        """The coordinates in the drawn configuration."""


class HingeMotion(NamedTuple):
    """The pose that a joint permits, and its derivatives by the n coordinates and the time; Sol (3.3.26) to (3.3.34).

    Parameters
    ----------
    c : numpy.ndarray
        Position of the second frame in the first, (3,), m.
    C : numpy.ndarray
        Its axes in the first, (3, 3), columns.
    v, w : numpy.ndarray
        Velocity and angular velocity for a unit rate of each coordinate, (3, n).
    v_t, w_t : numpy.ndarray
        Velocity and angular velocity while the coordinates stand still, (3,).
    """

    c: np.ndarray
    C: np.ndarray
    v: np.ndarray
    w: np.ndarray
    v_t: np.ndarray
    w_t: np.ndarray


def numbers_of(out: Any) -> list[Any]:
    """Return the numbers of (c, C) in a list: c, then C row by row."""
    return [number for part in out for number in np.ravel(np.array(part, dtype=object)).tolist()]


def axial(A: np.ndarray) -> np.ndarray:
    """Return the vector of the skew part of a matrix (3, 3)."""
    return 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


class HingeFunctions:
    """The recorded functions c(q, t) and C(q, t) of a joint, and where its coordinates were last."""

    def __init__(self, joint: OwnJoint, length: float) -> None:
        self.joint, self.length, self.n = joint, length, len(joint.names)
        self.q = np.array(joint.drawn, dtype=float)
        self.tapes, self.branched = self.record(0.0, self.q)
        self._searched = False
        self._key: tuple[float, bytes] = (np.nan, b"")
        self._answer = np.zeros((0, 0))
        H = self.directions(self.motion(self.q, 0.0))
        self.first_rows = self._complement(H)
        #: what moves the sides by the length of the machine
        self.units = length / np.maximum(np.linalg.norm(H, axis=0), 1e-9 * length)
        self.grid = 2.0 ** np.rint(np.log2(GRID_SIZE * self.units))

    def record(self, t: float, q: np.ndarray) -> tuple[list[tuple[np.ndarray, np.ndarray]], bool]:
        """Return the tapes of the twelve numbers of c and C, row by row, and whether the functions compare values."""
        tape = Tape()
        inputs = tape.inputs([t, *q.tolist()])
        out = with_numpy(self.joint.pose)(*inputs)
        numbers = numbers_of(out)
        if len(numbers) != 12:
            raise InputError(
                f"{self.joint.label}: pose returns {len(numbers)} numbers; it must return c (3,) and C (3, 3)"
            )
        return [tape.ending(number) for number in numbers], tape.branched

    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the sum of all numbers as a tape, which tells what the functions depend on."""
        tape = Tape()
        out = with_numpy(self.joint.pose)(*tape.inputs([0.0, *self.q.tolist()]))
        return tape.ending(sum(numbers_of(out)))

    def _at(self, t: float, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return self.record(t, q)[0] if self.branched else self.tapes

    def motion(self, q: np.ndarray, t: float) -> HingeMotion:
        """Return the pose and its derivatives."""
        x, seeds = np.array([t, *q]), np.eye(self.n + 1)
        values, slopes = np.empty(12), np.empty((12, self.n + 1))
        for k, arrays in enumerate(self._at(t, q)):
            values[k] = gradient(*arrays, x, seeds, slopes[k])
        C = values[3:].reshape(3, 3)
        turns = np.array([axial(slopes[3:, k].reshape(3, 3) @ C.T) for k in range(self.n + 1)]).T
        return HingeMotion(values[:3], C, slopes[:3, 1:], turns[:, 1:], slopes[:3, 0], turns[:, 0])

    def accelerations(self, q: np.ndarray, t: float, rates: np.ndarray) -> np.ndarray:
        """Return acceleration and angular acceleration (6,) for q'' = 0, v_00 and w_00 of Sol (3.3.30), (3.3.34)."""
        x, first, second = np.array([t, *q]), np.array([1.0, *rates]), np.zeros(self.n + 1)
        f = np.array([along(*arrays, x, first, second) for arrays in self._at(t, q)])
        C, C_rate, C_second = (f[3:, k].reshape(3, 3) for k in range(3))
        return np.concatenate([f[:3, 2], axial(C_second @ C.T + C_rate @ C_rate.T)])

    def directions(self, motion: HingeMotion) -> np.ndarray:
        """Return the free motions H (6, n) with rotations times the length of the machine."""
        return np.concatenate([motion.v, self.length * motion.w])

    def error(self, motion: HingeMotion, d: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Return what a pose (d, R) of the second frame in the first is off, (6,), m."""
        return np.concatenate([d - motion.c, self.length * axial(R @ motion.C.T)])

    def find(self, d: np.ndarray, R: np.ndarray, t: float) -> HingeMotion:
        """Return the motion at the coordinates whose pose is next to (d, R), from where they were last; keep them."""
        found = self._search(self.q, d, R, t)
        if found[2] <= MISS_LIMIT * self.length:
            self._searched = False
        elif not self._searched:  # once for each time that the sides part: solvers try open joints
            self._searched = True
            rng = np.random.default_rng(0)
            for reach in (1.0, np.pi, 10.0, 0.1 * self.length, self.length):
                for _ in range(OTHER_STARTS):
                    other = self._search(self.q + reach * rng.uniform(-1, 1, self.n), d, R, t)
                    found = other if other[2] < 0.5 * found[2] else found
        self._check(found[1], self.q)
        if np.isfinite(found[0]).all():
            self.q = found[0]
        return found[1]

    def _check(self, motion: HingeMotion, q: np.ndarray) -> None:
        """Raise ArithmeticError if ``pose`` or its derivatives are not finite near these coordinates."""
        if np.isfinite(q).all() and not all(np.isfinite(part).all() for part in motion):
            where = ", ".join(f"{name} = {x:.4g}" for name, x in zip(self.joint.names, q, strict=True))
            raise ArithmeticError(f"pose or a derivative of it is not finite near {where}")

    def _search(
        self, q: np.ndarray, d: np.ndarray, R: np.ndarray, t: float
    ) -> tuple[np.ndarray, HingeMotion, float]:
        """Return the coordinates that Gauss and Newton find from ``q``, the motion there, and its error, m."""
        now = self.motion(q, t)
        for _ in range(MAX_ITERATIONS):
            step = self._step(now, d, R)
            q = q + step
            if np.all(np.abs(step) <= NEARBY_CELLS * self.grid):
                break
            now = self.motion(q, t)
        q = self.grid * np.rint(q / self.grid)
        now = self.motion(q, t)
        for _ in range(FURTHER_CELLS):
            q = q + self._step(now, d, R)
            now = self.motion(q, t)
        # half a revolution off has no skew part
        off = np.linalg.norm(self.error(now, d, R)) + self.length * float(np.trace(R @ now.C.T) < 1.0)
        return q, now, float(off)

    def _step(self, now: HingeMotion, d: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Return the change of the coordinates (n,) toward a pose, by Gauss and Newton."""
        return _least_squares(self.directions(now), self.error(now, d, R))

    @staticmethod
    def _complement(H: np.ndarray) -> np.ndarray:
        """Return directions (6, 6 - n) at right angles to H."""
        return np.linalg.qr(H, mode="complete")[0][:, H.shape[1] :]

    def hinge_numbers(self, t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Return the motion as a tree asks for it, OWN_NUMBERS of :mod:`flexbody.core.kinds`; keep the coordinates."""
        now = self.motion(q, t)
        self._check(now, q)
        out = np.zeros(OWN_NUMBERS)
        out[OWN_POSE:OWN_COLUMN] = [*now.c, *now.C.ravel()]
        out[OWN_COLUMN : OWN_COLUMN + 6 * self.n] = np.concatenate([now.v, now.w]).T.ravel()
        out[OWN_TIME:OWN_DRIFT] = [*now.v_t, *now.w_t]
        out[OWN_DRIFT:] = self.accelerations(q, t, rates)
        self.q = q
        return out

    def rows(self, motion: HingeMotion) -> np.ndarray:
        """Return the constraint directions N (6, 6 - n): those of the drawn configuration without their part in H."""
        whole = np.linalg.qr(self.directions(motion))[0]
        N = self.first_rows - whole @ (whole.T @ self.first_rows)
        U, size, Vt = np.linalg.svd(N, full_matrices=False)
        return U @ Vt if size.min(initial=1.0) > LEAST_OVERLAP else self._complement(self.directions(motion))

    def values(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the rows (6 - n,), their derivatives by r and theta of both frames, and by time, (6 - n, 14)."""
        r1, R1, r2, R2 = _pose(x)
        d, R = R1.T @ (r2 - r1), R1.T @ R2
        now = self.find(d, R, t)
        N = self.rows(now).T
        pull, turn = N[:, :3] @ R1.T, self.length * (N[:, 3:] @ R1.T)
        value = N @ self.error(now, d, R)
        rate = -N @ np.concatenate([now.v_t, self.length * now.w_t])
        return np.column_stack([value, -pull, np.cross(pull, r2 - r1) - turn, pull, turn, rate])

    def biases(self, t: float, x: np.ndarray, of_frames: np.ndarray) -> np.ndarray:
        """Return the second time derivatives (6 - n,) of the rows for zero vdot; (2, 2, 3) are those of the frames."""
        r1, R1, r2, R2 = _pose(x)
        now = self.find(R1.T @ (r2 - r1), R1.T @ R2, t)
        (v1, w1), (v2, w2) = (x[1 + WIDTH * k + 12 : 1 + WIDTH * (k + 1)].reshape(2, 3) for k in (0, 1))
        apart, w = r2 - r1, w2 - w1
        moving = v2 - v1 - np.cross(w1, apart)
        known = np.concatenate([R1.T @ moving - now.v_t, self.length * (R1.T @ w - now.w_t)])
        rates = _least_squares(self.directions(now), known)
        (a1, b1), (a2, b2) = of_frames
        a = a2 - a1 - np.cross(b1, apart) - np.cross(w1, np.cross(w1, apart)) - 2 * np.cross(w1, moving)
        b = b2 - b1 - np.cross(w1, w)
        left = np.concatenate([R1.T @ a, R1.T @ b]) - self.accelerations(self.q, t, rates)
        left[3:] *= self.length
        out: np.ndarray = self.rows(now).T @ left
        return out

    def answer(self, t: float, given: np.ndarray) -> np.ndarray:
        """Return what the core asks for, for all rows at once; they ask one after the other at the same state."""
        key = (t, given.tobytes())
        if key != self._key:
            n = 1 + 2 * WIDTH
            x = given[1 : 1 + n]
            if given[0] == 0.0:
                self._answer = self.values(t, x)
            else:
                self._answer = self.biases(t, x, given[1 + n :].reshape(2, 2, 3))[:, None]
            self._key = key
        return self._answer


def _least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the solution of A x = b with the least error; NaN where a number is not finite."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return np.full(A.shape[1], np.nan)
    found: np.ndarray = np.linalg.lstsq(A, b, rcond=None)[0]
    return found


def _pose(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return r and R of both frames."""
    one, two = x[1 : 1 + WIDTH], x[1 + WIDTH :]
    return one[:3], one[3:12].reshape(3, 3), two[:3], two[3:12].reshape(3, 3)


class HingeLaw(UserLaw):
    """One constraint row of a user's joint, which is called back."""

    def __init__(self, functions: HingeFunctions, k: int) -> None:
        self.functions, self.k, self.what = functions, k, functions.joint.label
        self.fill, self.compiled = (lambda t: (0.0, 0.0, 0.0)), False
        self.captured = Captured(functions.joint.pose)
        self.error: BaseException | None = None
        self.failed_at = 0.0
        end = 2 + 2 * WIDTH + 2 * BIASES

        def called(t: float, out: ctypes._Pointer[ctypes.c_double]) -> None:
            buffer = np.ctypeslib.as_array(out, shape=(end + 14,))
            try:
                # what is not asked for is not set
                given = (
                    buffer[:end] if buffer[0] else np.where(np.arange(end) < 2 + 2 * WIDTH, buffer[:end], 0.0)
                )
                answer = functions.answer(t, given)[k]
                buffer[end : end + len(answer)] = answer
            except BaseException as error:  # ctypes would discard an exception of a callback
                if self.error is None:
                    self.error, self.failed_at = error, t
                buffer[end:] = np.nan

        self._keep = CALLBACK(called)
        self.address = ctypes.cast(self._keep, ctypes.c_void_p).value or 0


class HingeMotionLaw(UserLaw):
    """The motion of a user's joint as a hinge of a tree, which is called back; ``own_hinge.hpp`` says how."""

    def __init__(self, functions: HingeFunctions) -> None:
        self.functions, self.what = functions, functions.joint.label
        self.fill, self.compiled = (lambda t: (0.0, 0.0, 0.0)), False
        self.captured = Captured(functions.joint.pose)
        self.error: BaseException | None = None
        self.failed_at = 0.0
        n = functions.n

        def called(t: float, out: ctypes._Pointer[ctypes.c_double]) -> None:
            buffer = np.ctypeslib.as_array(out, shape=(OWN_NUMBERS,))
            q = buffer[OWN_PLACE : OWN_PLACE + n]
            try:
                if buffer[OWN_TASK]:
                    d, R = np.split(buffer[OWN_POSE:OWN_COLUMN].copy(), [3])
                    functions.find(d, R.reshape(3, 3), t)
                    q[:] = functions.q
                else:
                    rates = buffer[OWN_SPEED : OWN_SPEED + n].copy()
                    buffer[OWN_POSE:] = functions.hinge_numbers(t, q.copy(), rates)[OWN_POSE:]
            except BaseException as error:  # ctypes would discard an exception of a callback
                if self.error is None:
                    self.error, self.failed_at = error, t
                buffer[OWN_PLACE:] = np.nan

        self._keep = CALLBACK(called)
        self.address = ctypes.cast(self._keep, ctypes.c_void_p).value or 0

"""The motion of all bodies of a result at the times of a picture or a film."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fem.common.errors import InputError

from .between import Interval, JointTree
from .poses import AT_REST, Carried, Pose, Poses
from .ways import (
    CLOSED_STEP,
    LARGEST_ANGLE,
    LEAST_CLOSED,
    LEAST_POINTS,
    PATH_STEP,
    Way,
    is_smooth,
    parts_of,
    smooth,
)

#: Bodies that turn by less between two states, rad, or come as near to the attitude before, turn no vectors.
LEAST_TURN = 0.3
#: Estimated errors, relative to the size of a machine and in rad, from which what is drawn between states is uncertain.
LARGEST_DOUBT, LARGEST_TURN_DOUBT = 0.02, 0.3
#: In loops of joints bodies that turn by less between two states leave joints open by hardly anything, rad.
CLOSED_ANGLE = 0.6
#: Points of paths for which joints are closed, at most; each takes some ms.
MAX_CLOSINGS = 400
#: Numbers of the intervals that are kept for other paths and frames, at most.
MAX_KEPT = 10_000_000


class Motion:
    """The motion of the bodies of a result at any time of the run, see :mod:`flexbody.view.geometry.between`."""

    def __init__(self, result) -> None:
        self.t = np.asarray(result.t, dtype=float)
        if len(self.t) == 0:
            raise InputError("the result has no output times, so there is nothing to draw")
        self.carries: Sequence[Carried] = []  # what follows the enlarged deformation
        self.scale = 1.0  # factor on the drawn deformation
        #: closes joints of uncertain poses, see :mod:`flexbody.view.loops`
        self.close: Callable[[float, int, Poses], Poses | None] | None = None
        self.has_unknown_paths = False  # paths with more doubtful points than MAX_CLOSINGS
        self._closed: dict[
            tuple[int, float], Poses | None
        ] = {}  # by state and part of the interval behind it
        self._tree = JointTree(result)
        self._size = float(result.plan.layout.length)
        self._intervals: dict[int, Interval] = {}  # the latest ones
        self._kept = 0  # numbers in them
        self._channels: dict[str, tuple[np.ndarray, str]] = {}

    def add(self, name: str, values: np.ndarray, body: str = "ground") -> None:
        """Add ``values`` (nt, k) to the poses as the alpha of ``name``; ``body`` is that of :meth:`vector`."""
        self._channels[name] = values, body

    def vector(self, values: np.ndarray, body: str, time: float) -> np.ndarray:
        """Return stored values (nt, k) at a time (s) within the run, (k,).

        Of a vector (nt, 3), in inertial components, the part that turns with a body is interpolated with its rotation,
        and the other part linearly.
        """
        k, part = self._found(time)
        if part == 0:
            return np.asarray(values[k], dtype=float)
        if body == "ground":
            return np.asarray((1 - part) * values[k] + part * values[k + 1])
        before, after = (self._tree.stored(j)[body].Q for j in (k, k + 1))
        here = self.interval(k).poses(np.array([part]), [body])[body][1][0]
        turning = np.linalg.pinv(after - before, rcond=LEAST_TURN / 2) @ (values[k + 1] - values[k])
        turning *= np.linalg.norm(after - before, ord=2) > LEAST_TURN
        first, last = values[k] - before @ turning, values[k + 1] - after @ turning
        return np.asarray((1 - part) * first + part * last + here @ turning)

    def at(self, time: float, larger: float = 0.0) -> Poses:
        """Return the drawn poses of all bodies and of the ground by name, at a time (s) within the run.

        Bodies that flexible bodies carry follow their enlarged deformation; ``larger`` is added to its factor.
        """
        k, part = self._found(time)
        poses = {"ground": AT_REST, **(self._tree.stored(k) if part == 0 else self._between(k, part))}
        for name, (values, body) in self._channels.items():
            poses[name] = Pose(AT_REST.c, AT_REST.Q, self.vector(values, body, time))
        for carry in self.carries:
            carry.move(poses, self.scale + larger - 1.0)
        return poses

    def way(self, name: str, x: np.ndarray, v: np.ndarray, most: int) -> Way:
        """Return the path of a point of a body, smooth between up to ``most`` stored states.

        ``x`` (nt, 3), m, are its stored positions from the reference point, in the base of the body, and ``v`` (nt, 3),
        m/s, its velocities in inertial components. All paths of a motion have their points at the same times, so that
        their poses are closed once.
        """
        stored = [self._tree.stored(k)[name] for k in range(len(self.t))]
        ends = np.array([pose.c + pose.Q @ y for pose, y in zip(stored, x, strict=True)])
        if len(ends) > most:
            return Way.through(ends)
        pieces: dict[int, np.ndarray | None] = {}
        for k in map(int, np.flatnonzero(np.diff(self.t) > 0)):
            interval = self.interval(k)
            s = parts_of(interval.angle, PATH_STEP, LEAST_POINTS)
            pieces[k] = _moved(*interval.poses(s, [name])[name], x[k], x[k + 1], s)
        opened = [k for k in pieces if self._is_open(k)]
        rates = {k: self.interval(k).h * v[k : k + 2] for k in opened}
        if self._n_closings(opened) > MAX_CLOSINGS:
            s = parts_of(0.0, PATH_STEP, 2 * LEAST_POINTS)
            opened = [k for k in opened if self._is_rough(k)]
            for k in opened[:]:
                if is_smooth(self.interval(k).angle, ends[k : k + 2], rates[k]):
                    pieces[k] = smooth(ends[k : k + 2], np.arange(2.0), rates[k], s)
                    opened.remove(k)
        unknown = self._n_closings(opened) > MAX_CLOSINGS
        self.has_unknown_paths |= unknown
        for k in opened:
            pieces[k] = None if unknown else self._closed_way(name, k, x[k : k + 2], rates[k])
        return Way.of(ends, pieces)

    def _is_open(self, k: int) -> bool:
        """Return whether joints may be open between the states k and k + 1, and can be closed."""
        turning = self._tree.has_loops and self.interval(k).angle > CLOSED_ANGLE
        return self.close is not None and (turning or _is_doubtful(self.interval(k), self._size))

    def _is_rough(self, k: int) -> bool:
        """Return whether the stored states do not tell the motion between k and k + 1, if its joints stay open."""
        return self.interval(k).angle > LARGEST_ANGLE or _is_doubtful(self.interval(k), self._size)

    def _n_closings(self, doubtful: Sequence[int]) -> int:
        """Return the number of poses to close for a path in some intervals."""
        return sum(len(parts_of(self.interval(k).angle, CLOSED_STEP, LEAST_CLOSED)) - 1 for k in doubtful)

    def _closed_way(self, name: str, k: int, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Return the path (m, 3) behind state k of a point that goes from x[0] to x[1] (2, 3), with closed joints.

        ``rates`` (2, 3), m, are its velocities at both states times the time between them.
        """
        angle, last = self.interval(k).angle, self._tree.stored(k + 1)[name]
        s = parts_of(angle, CLOSED_STEP, LEAST_CLOSED)
        poses = [self._tree.stored(k)[name], *(self._between(k, part)[name] for part in s[1:]), last]
        c, Q = (np.array([getattr(pose, what) for pose in poses]) for what in "cQ")
        s = np.append(s, 1.0)
        return smooth(_moved(c, Q, x[0], x[1], s), s, rates, parts_of(angle, PATH_STEP, LEAST_POINTS))

    def doubtful(self, times: np.ndarray, size: float) -> list[Interval]:
        """Return the intervals with some of the times (s) in which what is drawn is uncertain, for a machine's size, m.

        It is where the rates of both stored states do not agree with the motion between them.
        """
        found: dict[int, Interval] = {}
        for k, part in map(self._found, times):
            if part == 0 or k in found or not _is_doubtful(self.interval(k), size):
                continue
            if not self._is_held(k, part, size):
                found[k] = self.interval(k)
        return list(found.values())

    def _is_held(self, k: int, part: float, size: float) -> bool:
        """Return whether the joints lead from different poses near a part of an interval to the same ones."""
        if self.close is None:
            return False
        first = self._closed_near(k, part)
        second = self.close(self._time(k, part), k, self._guessed(k, part, rough=True))
        if first is None or second is None:
            return False
        return all(
            np.linalg.norm(first[name].c - second[name].c) < LARGEST_DOUBT * size
            and np.linalg.norm(first[name].Q - second[name].Q, ord=2) < LARGEST_TURN_DOUBT
            for name in first
        )

    def interval(self, k: int) -> Interval:
        """Return the motion between the stored states k and k + 1."""
        if k not in self._intervals:
            found = Interval(self._tree, k)
            if self._kept + found.n_numbers > MAX_KEPT:
                self._intervals, self._kept = {}, 0
            self._kept += found.n_numbers
            self._intervals[k] = found
        return self._intervals[k]

    def alpha(self, name: str) -> np.ndarray:
        """Return the modal coordinates of a body at the output times, (nt, N)."""
        return np.asarray(self._tree.result.alpha(name))

    def times(self, n: int) -> np.ndarray:
        """Return ``n`` equidistant times of the run, s."""
        return np.linspace(self.t[0], self.t[-1], n)

    def _found(self, time: float) -> tuple[int, float]:
        """Return the number of the stored state before a time (s), and the part of the interval behind it."""
        time = float(np.clip(time, self.t[0], self.t[-1]))
        k = int(np.searchsorted(self.t, time))
        if self.t[k] == time:
            return k, 0.0
        return k - 1, (time - self.t[k - 1]) / (self.t[k] - self.t[k - 1])

    def _time(self, k: int, part: float) -> float:
        return float(self.t[k] + part * (self.t[k + 1] - self.t[k]))

    def _between(self, k: int, part: float) -> Poses:
        if not self._is_open(k):
            return self._guessed(k, part)
        return self._closed_near(k, part) or self._guessed(k, part)

    def _closed_near(self, k: int, part: float) -> Poses | None:
        """Return the poses with closed joints near the interpolated ones, each found once, or None."""
        if self.close is not None and (k, part) not in self._closed:
            self._closed[k, part] = self.close(self._time(k, part), k, self._guessed(k, part))
        return self._closed.get((k, part))

    def _guessed(self, k: int, part: float, rough: bool = False) -> Poses:
        interval, tree = self.interval(k), self._tree
        alpha = interval.alpha(part)
        return {
            name: Pose(c[0], Q[0], alpha[tree.modal[name]])
            for name, (c, Q) in interval.poses(np.array([part]), tree.names, rough=rough).items()
        }


def _is_doubtful(interval: Interval, size: float) -> bool:
    """Return whether the stored states alone do not tell the motion between them, for a machine's size, m."""
    return interval.doubt > LARGEST_DOUBT * size or interval.turn_doubt > LARGEST_TURN_DOUBT


def _moved(c: np.ndarray, Q: np.ndarray, first: np.ndarray, last: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return the places (k, 3) of a point that goes from ``first`` to ``last`` (3,) in a moving base, at parts (k,)."""
    return np.asarray(c + (Q @ (first + s[:, None] * (last - first))[..., None])[..., 0])

"""Paths of points between stored states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

#: Angle between two points of a path, and between two of those for which joints are closed, rad.
PATH_STEP, CLOSED_STEP = 0.2, 0.5
#: Least number of points between two states, of a path and of those for which joints are closed.
LEAST_POINTS, LEAST_CLOSED = 4, 4
#: A cubic through two states follows the path of a point if the mean of its velocities differs from that of the way by
#: at most this part, and no body turns further between them than this angle, rad. It differs from an arc of 1.6 rad,
#: where the part is 0.2, by 2 % of the radius.
SMOOTH_WAY, LARGEST_ANGLE = 0.2, 1.8


class Way(NamedTuple):
    """The path of a point: lines (k, 3), m, where it is known, and dots (n, 3), m, at states beside which it isn't."""

    lines: Sequence[np.ndarray]
    dots: np.ndarray

    @classmethod
    def through(cls, points: np.ndarray) -> Way:
        """Return the way along a line (k, 3), m."""
        return cls((points,), np.zeros((0, 3)))

    @classmethod
    def of(cls, ends: np.ndarray, pieces: dict[int, np.ndarray | None]) -> Way:
        """Return the way through states at ``ends`` (nt, 3), m.

        ``pieces`` holds for the number of a state the points (k, 3) behind it, from its own place to before that of the
        next state, or None where they are not known. Two states at one time have no piece.
        """
        lines: list[np.ndarray] = []
        run: list[np.ndarray] = []
        beside: set[int] = set()
        for k, piece in pieces.items():
            if piece is not None:
                run.append(piece)
                continue
            if run:
                lines.append(np.concatenate([*run, ends[k : k + 1]]))
            run = []
            beside |= {k, k + 1}
        if run:
            lines.append(np.concatenate([*run, ends[-1:]]))
        return cls(tuple(lines), ends[sorted(beside)])

    @property
    def points(self) -> np.ndarray:
        """All points, (n, 3), m."""
        return np.concatenate([np.zeros((0, 3)), *self.lines, self.dots])

    @property
    def length(self) -> float:
        """The length of all lines, m."""
        return float(sum(np.linalg.norm(np.diff(line, axis=0), axis=1).sum() for line in self.lines))


def parts_of(angle: float, step: float, least: int) -> np.ndarray:
    """Return equidistant parts (k,) of an interval, from 0 to below 1, for a rotation by an angle, rad."""
    return np.arange(0.0, 1.0, 1 / max(least, int(np.ceil(angle / step))))


def smooth(nodes: np.ndarray, s: np.ndarray, rates: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return a cubic spline at ``parts`` (m,), (m, 3), through nodes (k, 3) at ``s`` (k,).

    ``rates`` (2, 3) are its derivatives with respect to s at both ends.
    """
    ends = (1, rates[0]), (1, rates[1])
    return np.asarray(scipy.interpolate.CubicSpline(s, nodes, bc_type=ends)(parts))


def is_smooth(angle: float, ends: np.ndarray, rates: np.ndarray) -> bool:
    """Return whether a cubic from one end to the other (2, 3) with rates (2, 3) follows the path of the point.

    ``angle`` is the largest rotation of a body between both ends, rad.
    """
    size = 0.5 * float(np.linalg.norm(rates, axis=1).sum())
    off = float(np.linalg.norm(ends[1] - ends[0] - 0.5 * (rates[0] + rates[1])))
    return angle <= LARGEST_ANGLE and off <= SMOOTH_WAY * size

"""A line on a body, along which the frame of a joint slides: splines of its path coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import factorial

import numpy as np
import scipy

from fem.common.errors import InputError

from ..core.kinds import NEAREST
from ..core.rotation import axes_from_z
from .splines import smoothest, spline_through

#: Places between two points of a curved line at which it is interpolated again, by its arc length.
REFINEMENT = 8
#: A line whose rate of arc length is constant within this is not interpolated again.
UNIFORMITY_TOLERANCE = 1e-12
#: Distance of all points from a plane, relative to their largest distance, below which a line is plane.
PLANARITY_TOLERANCE = 1e-6
#: Second-order terms below this part of the largest are left out.
SMALLEST_TERM = 1e-9
#: What round-off leaves of a power, relative to the column.
ROUND_OFF = 1e-13


@dataclass(frozen=True, eq=False)
class Path:
    """A line on a body as splines of the path coordinate s, m.

    Parameters
    ----------
    breaks : numpy.ndarray
        Ends of the segments, (n + 1,), m; the first is 0 and the last the length of the line.
    coefficients : numpy.ndarray
        Of each segment in rising powers of the distance from its beginning, (n, degree + 1, columns). The columns are
        the place x (3,) in the base of the body, m, a direction (3,) that gives the x axis, Phi (3, N) and B (3, N),
        and the second-order terms.
    terms : numpy.ndarray
        Which entries G_kij of the second-order terms these are, (terms, 3): i, j and k, with i <= j. The others vanish.
    closed : bool, optional
        Whether the line ends where it begins.
    start : float, optional
        The path coordinate in the drawn configuration, m.
    touch : int, optional
        What of the follower decides where the frame lies on the line: NEAREST (a point), FACE, RIM (of a wheel) or
        TREAD (of a cone) of :mod:`flexbody.core.kinds`.
    sizes : tuple of float, optional
        Of a rim the radius of its middle line, m, and 0; of a tread the radius, m, and the slope; of both, and of a
        ball, third the distance of the line at which they touch, m.
    """

    breaks: np.ndarray
    coefficients: np.ndarray
    terms: np.ndarray
    closed: bool = False
    start: float = 0.0
    touch: int = NEAREST
    sizes: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def length(self) -> float:
        """Length of the line, m."""
        return float(self.breaks[-1])

    def columns(self, s: np.ndarray | float, derivative: int = 0) -> np.ndarray:
        """Return the columns at path coordinates, or a derivative of them; see ``coefficients``.

        Parameters
        ----------
        s : float or numpy.ndarray
            Path coordinates, m.
        derivative : int, optional
            Which derivative by s.

        Returns
        -------
        numpy.ndarray
            The columns, (..., columns).
        """
        found = scipy.interpolate.PPoly(self.coefficients[:, ::-1].transpose(1, 0, 2), self.breaks)
        period = self.length if self.closed else np.inf
        at = np.mod(s, period) if self.closed else np.clip(s, 0.0, self.length)
        value: np.ndarray = found(at, nu=derivative)
        return value

    def place(self, s: np.ndarray | float) -> np.ndarray:
        """Return the undeformed line at path coordinates.

        Parameters
        ----------
        s : float or numpy.ndarray
            Path coordinates, m.

        Returns
        -------
        numpy.ndarray
            Places in the base of the body, (..., 3), m.
        """
        return self.columns(s)[..., :3]

    def axes(self, s: float) -> np.ndarray:
        """Return the axes of the undeformed line.

        Parameters
        ----------
        s : float
            Path coordinate, m.

        Returns
        -------
        numpy.ndarray
            Axes as columns, (3, 3), in the base of the body; z is the tangent.
        """
        tangent, up = self.columns(s, 1)[:3], self.columns(s)[3:6]
        return axes_from_z(
            tangent / np.linalg.norm(tangent), up - (up @ tangent) / (tangent @ tangent) * tangent
        )

    def nearest(self, x: np.ndarray) -> float:
        """Return the path coordinate of the point of the undeformed line that is nearest to a point.

        Parameters
        ----------
        x : numpy.ndarray
            The point in the base of the body, (3,), m.

        Returns
        -------
        float
            Path coordinate, m.
        """
        many = np.linspace(0.0, self.length, 20 * len(self.breaks) + 1)
        s = float(many[np.argmin(np.linalg.norm(self.place(many) - x, axis=1))])
        for _ in range(20):
            p, d, dd = (self.columns(s, k)[:3] for k in range(3))
            curved = d @ d - dd @ (x - p)
            step = float(d @ (x - p) / (curved if curved > 0.1 * (d @ d) else d @ d))
            s = float(np.clip(s + step, 0.0, self.length)) if not self.closed else s + step
            if abs(step) < 1e-14 * self.length:
                break
        return s


def path_through(
    points: np.ndarray,
    shapes: Sequence[np.ndarray] = (),
    terms: np.ndarray | None = None,
    *,
    up: np.ndarray | None = None,
    closed: bool = False,
    what: str = "path",
) -> Path:
    """Return the smooth line through points.

    Parameters
    ----------
    points : numpy.ndarray
        Points in their order, (n, 3), m, in the base of the body. A closed line returns to the first one by itself.
    shapes : sequence of numpy.ndarray, optional
        Phi and B at the points, each (n, 3, N).
    terms : numpy.ndarray, optional
        Second-order terms at the points, (n, 6, N, N).
    up : numpy.ndarray, optional
        A direction, (3,): the x axis of the line is its part perpendicular to the tangent. By default it is normal to
        the plane of a plane line, and follows other lines with the least rotation.
    closed : bool, optional
        Whether the line returns to its first point.
    what : str, optional
        What the line belongs to, for messages.

    Returns
    -------
    Path
        The line.

    Raises
    ------
    fem.InputError
        If two points that follow each other coincide, or if no x axis is defined.
    """
    n = len(points)
    if closed:
        points = np.concatenate([points, points[:1]])
        n += 1
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if n < 2 or not chords.min() > 1e-9 * chords.sum():
        k = 0 if n < 2 else int(np.argmin(chords))
        raise InputError(
            f"{what}: points {k} and {k + 1} of the line coincide; give each point once, in order"
        )
    more, kept = _terms(terms, n - closed)
    columns = np.concatenate([*(a.reshape(len(a), -1) for a in shapes), more], axis=1) if shapes else more
    if closed:
        columns = np.concatenate([columns, columns[:1]])
    values = np.concatenate([points, columns], axis=1)
    knots, line = smoothest(values, closed)
    knots, values = _by_arc_length(line, knots, values, closed)
    line = spline_through(knots, values, closed)
    ups = _directions(line, knots, values[:, :3], up, closed, what)
    whole = spline_through(knots, np.concatenate([values[:, :3], ups, values[:, 3:]], axis=1), closed)
    inside = np.unique(whole.t)
    breaks = np.append(inside[(inside >= 0.0) & (inside < knots[-1] * (1 - 1e-12))], knots[-1])
    powers = [whole(breaks[:-1], nu=k) / factorial(k) for k in range(whole.k + 1)]
    return Path(breaks, _trimmed(np.stack(powers, axis=1), np.diff(breaks)), kept, closed)


def _trimmed(coefficients: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Return coefficients without highest powers that round-off leaves, such as those of a straight line."""
    sizes = np.abs(coefficients[:, 0]).max(axis=0) + np.abs(coefficients[:, 1] * widths[:, None]).max(axis=0)
    degree = coefficients.shape[1] - 1
    while degree > 1:
        top = np.abs(coefficients[:, degree] * widths[:, None] ** degree).max(axis=0)
        if np.any(top > ROUND_OFF * sizes):
            break
        degree -= 1
    return np.ascontiguousarray(coefficients[:, : degree + 1])


def _terms(G: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the entries of G (n, 6, N, N) that do not vanish, (n, r), and which they are, (r, 3): i, j, component."""
    if G is None or not np.any(G):
        return np.zeros((n, 0)), np.zeros((0, 3), dtype=np.int64)
    largest = np.abs(G).max(axis=0)
    parts = np.repeat(largest.reshape(2, -1).max(axis=1), 3)  # of places and of rotations
    k, i, j = np.nonzero(np.triu(largest > SMALLEST_TERM * parts[:, None, None]))
    return G[:, k, i, j], np.stack([i, j, k], axis=1)


def _by_arc_length(
    line: scipy.interpolate.BSpline, knots: np.ndarray, values: np.ndarray, closed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return knots that are arc lengths, and the values there; a curved line gets more of them."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    fine = np.unique(np.concatenate([np.linspace(a, b, REFINEMENT + 1) for a, b in pairwise(knots)]))
    middle, half = 0.5 * (fine[1:] + fine[:-1]), 0.5 * np.diff(fine)
    rate = np.linalg.norm(line(middle[:, None] + half[:, None] * nodes, nu=1)[..., :3], axis=-1)
    if np.ptp(rate) <= UNIFORMITY_TOLERANCE * rate.mean():
        return knots * rate.mean(), values
    return np.concatenate([[0.0], np.cumsum(half * (rate @ weights))]), line(fine)


def _directions(
    line: scipy.interpolate.BSpline,
    knots: np.ndarray,
    points: np.ndarray,
    up: np.ndarray | None,
    closed: bool,
    what: str,
) -> np.ndarray:
    """Return at the knots a direction that gives the x axis, (n, 3)."""
    tangents = line(knots, nu=1)[:, :3]
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    if up is None:
        offsets = points - points[0]
        _, size, V = np.linalg.svd(offsets, full_matrices=False)
        if len(points) == 2 or size[1] <= PLANARITY_TOLERANCE * size[0]:
            up = axes_from_z(tangents[0])[:, 0]
        elif size[2] <= PLANARITY_TOLERANCE * size[0]:
            up = V[2] * np.sign(V[2][np.argmax(np.abs(V[2]))])
    if up is not None:
        across = np.linalg.norm(np.cross(tangents, up), axis=1) / np.linalg.norm(up)
        k = int(np.argmin(across))
        if across[k] < 1e-3:
            raise InputError(
                f"{what}: up is along the line at {np.round(points[k], 6).tolist()} m; give a direction that is "
                "nowhere along it"
            )
        return np.tile(up, (len(knots), 1))
    if closed:
        raise InputError(
            f"{what}: the line is closed and not plane; give up=, a direction that is nowhere along it"
        )
    first = (
        V[2] if np.linalg.norm(np.cross(V[2], tangents[0])) > PLANARITY_TOLERANCE else V[1]
    )  # a direction of the line's own
    return _least_rotation(points, tangents, axes_from_z(tangents[0], first)[:, 0])


def _least_rotation(points: np.ndarray, tangents: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return x axes that follow a line with the least rotation: two reflections from point to point.

    W. Wang, B. Juettler, D. Zheng, Y. Liu: Computation of rotation minimizing frames, ACM Trans. Graph. 27 (2008), 2.
    """
    out = [first]
    for k in range(len(points) - 1):
        step = points[k + 1] - points[k]
        x, z = (a - 2 * (step @ a) / (step @ step) * step for a in (out[-1], tangents[k]))
        turn = tangents[k + 1] - z
        size = turn @ turn
        out.append(x if size < 1e-30 else x - 2 * (turn @ x) / size * turn)
    return np.array(out)

"""Splines through the points of a line, without needless waves, and how far the points determine them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from fem.common.blas_threads import few_threads

#: Highest degree of the splines: with it the derivatives up to the fourth are continuous.
HIGHEST_DEGREE = 5
#: The degrees that are tried, and the powers of the chords that are distances of knots.
DEGREES, POWERS = (HIGHEST_DEGREE, 3), (1.0, 0.5)
#: Bending energy of a line, over the least of several splines, above which it has needless waves; and over one by the
#: length what round-off leaves of a straight line.
WAVES, SMALLEST_BENDING = 1.05, 1e-9
#: Places between two points at which splines are compared.
PLACES = 8


class Doubt(NamedTuple):
    """How far two splines through the same points differ: by which distance (m), behind which point."""

    distance: float
    point: int


def spline_through(
    knots: np.ndarray, values: np.ndarray, closed: bool, highest: int = HIGHEST_DEGREE
) -> scipy.interpolate.BSpline:
    """Return the spline with values, (n, columns), at knots, (n,); a closed one has the first value again at its end.

    The degree is ``highest``, or less where there are few knots.
    """
    degree = min(highest, len(knots) - 1)
    if closed:
        degree = highest if len(knots) > HIGHEST_DEGREE else 3
        values = np.concatenate([values[:-1], values[:1]])
    with few_threads(degree):  # the ends of a closed line meet in as many equations
        return scipy.interpolate.make_interp_spline(
            knots, values, k=degree, bc_type="periodic" if closed else None
        )


def smoothest(values: np.ndarray, closed: bool) -> tuple[np.ndarray, scipy.interpolate.BSpline]:
    """Return knots and a spline through values, (n, columns), whose first three are points, without needless waves.

    Where the distances of points differ much, a spline of degree five over its chords may swing far out between them.
    Its bending energy, the integral of the squared curvature along the line, tells it: then the one of least energy is
    taken of the splines of degree five and three over chords and over their square roots (centripetal: E. T. Y. Lee,
    Computer-Aided Design 21 (1989), 363-370).
    """
    knots, _, degree = _tried(values[:, :3], closed)[0]
    return knots, spline_through(knots, values, closed, degree)


def doubt(points: np.ndarray, closed: bool) -> Doubt:
    """Return how far the best splines of both degrees through points, (n, 3), differ across the line, and where.

    Points that are close to each other determine the line: then both agree.
    """
    if closed:
        points = np.concatenate([points, points[:1]])
    (knots, line, degree), *more = _tried(points, closed)
    others, other, _ = next(one for one in more if one[2] != degree)
    part = np.arange(1, PLACES) / PLACES
    at, there = (k[:-1, None] + np.diff(k)[:, None] * part for k in (knots, others))
    tangent = line(at, nu=1)
    tangent /= np.linalg.norm(tangent, axis=-1)[..., None]
    across = np.linalg.norm(np.cross(line(at) - other(there), tangent), axis=-1).max(axis=1)
    k = int(np.argmax(across))
    return Doubt(float(across[k]), k)


def _tried(points: np.ndarray, closed: bool) -> list[tuple[np.ndarray, scipy.interpolate.BSpline, int]]:
    """Return knots, splines and degrees; the one to take is first, the others follow by their bending energy."""
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    tried = []
    for power in POWERS:
        knots = np.concatenate([[0.0], np.cumsum(chords**power)])
        tried += [(knots, spline_through(knots, points, closed, degree), degree) for degree in DEGREES]
    energies = np.array([_bending(knots, line) for knots, line, _ in tried])
    order = np.argsort(energies, kind="stable")
    if energies[0] <= WAVES * energies[order[0]] + SMALLEST_BENDING / chords.sum():
        order = np.concatenate([[0], order[order != 0]])
    return [tried[k] for k in order]


def _bending(knots: np.ndarray, line: scipy.interpolate.BSpline) -> float:
    """Return the integral of the squared curvature along a line, 1/m; infinite where it has a cusp."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    half = 0.5 * np.diff(knots)[:, None]
    at = knots[:-1, None] + half * (1.0 + nodes)
    slope, curve = line(at, nu=1), line(at, nu=2)
    rate = np.linalg.norm(slope, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.sum(half * weights * np.sum(np.cross(slope, curve) ** 2, axis=-1) / rate**5)
    return float(found) if np.isfinite(found) else np.inf

"""Profiles of cams: plane closed curves from a function of the angle or from a table, and lines beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called
from fem.common.numbers import floats, vector
from fem.common.values import Count

from ..core.rotation import axes_from_z, direction
from .path import Path, path_through

#: A function of the angle is closed if its values after one revolution agree to this part of the profile.
LARGEST_GAP = 1e-9
#: A table is closed if the step from its last to its first row is at most this times the longest other step.
LONGEST_STEP = 3.0
#: Points of a line beside a line, at most.
POINTS = 720
#: A line beside a line may come nearer to it than the radius by this part of the radius: the error of splines.
MAX_INTRUSION = 1e-4


@check_arguments
def profile(
    curve: Callable[[float], float | tuple[float, float]] | ArrayLike,
    center: ArrayLike = (0.0, 0.0, 0.0),
    *,
    axis: str | ArrayLike = "z",
    along: str | ArrayLike | None = None,
    n: Annotated[int, Count] = 360,
) -> np.ndarray:
    """Return points of a plane closed curve, such as the profile of a cam.

    Parameters
    ----------
    curve : callable or array_like
        A function of the angle (rad) that returns the radius (m), or both coordinates (m), over one revolution; or a
        table: radii at equal steps of the angle over one revolution without its end, (k,), m, or points in their
        order, (k, 2), m.
    center : array_like, optional
        The centre of the cam in the drawn configuration, (3,), m.
    axis : str or array_like, optional
        The axis about which the angle is measured, as drawn: "x", "y", "z", or a vector (3,).
    along : str or array_like, optional
        The direction of the angle zero, and of the first coordinate; its part perpendicular to ``axis`` counts. By
        default the global axis that is closest to perpendicular to ``axis``.
    n : int, optional
        At how many angles a function is evaluated.

    Returns
    -------
    numpy.ndarray
        Points as drawn, (n, 3) or (k, 3), m: ``points=`` of a :class:`RollerOnGuideway`, a :class:`FaceOnGuideway` or
        another guideway with ``closed=True``. This is a periodic spline of degree five through them, whose derivatives
        are exact.

    Raises
    ------
    fem.InputError
        If the curve is not closed, not finite, or has another shape.

    Examples
    --------
    A circle of radius 30 mm that turns about a point 10 mm beside its centre:

    >>> import numpy as np, flexbody as fb
    >>> points = fb.profile(lambda a: (0.01 + 0.03 * np.cos(a), 0.03 * np.sin(a)), axis="y", along="x")
    >>> points.shape
    (360, 3)
    >>> [float(round(np.linalg.norm(points[k]), 6)) for k in (0, 180)]
    [0.04, 0.02]
    """
    if n < 8:
        raise InputError(f"profile: n is {n}; give at least 8 angles")
    flat = _sampled(curve, n) if callable(curve) else _table(curve)
    z = direction(axis, "profile: axis")
    x = None if along is None else direction(along, "profile: along")
    if x is not None and np.linalg.norm(np.cross(x, z)) < 1e-6:
        raise InputError(f"profile: along is {along!r}, parallel to the axis; give a direction across it")
    A = axes_from_z(z, x)
    points: np.ndarray = vector(center, "profile: center") + flat @ A[:, :2].T
    return points


def _sampled(curve: Callable[[float], float | tuple[float, float]], n: int) -> np.ndarray:
    """Return a function of the angle at n angles, (n, 2)."""
    angles = np.linspace(0.0, 2 * np.pi, n + 1)
    try:
        values = [floats(curve(float(angle))) for angle in angles]
    except Exception as error:  # a user's function may raise anything
        raise InputError(
            f"profile: the function fails with {type(error).__name__}: {error}; it must take the angle (rad) and "
            "return the radius, or two coordinates (m)"
        ) from error
    for angle, value in zip(angles, values, strict=True):
        if value is None or value.shape not in ((), (2,)) or not np.isfinite(value).all():
            raise InputError(
                f"profile: the function returns {value!r} at {angle:.6g} rad; it must return the radius, or two "
                "coordinates (m)"
            )
    found = np.array(values)
    if found.ndim == 1:
        found = _polar(angles, found)
    gap, size = np.linalg.norm(found[-1] - found[0]), np.abs(found).max()
    if gap > LARGEST_GAP * size:
        raise InputError(
            f"profile: the curve does not close: after one revolution it is {gap:.3g} m from where it began; give a "
            "function with the period 2 pi"
        )
    return found[:-1]


def _polar(angles: np.ndarray, radii: np.ndarray) -> np.ndarray:
    if not radii.min() > 0.0:
        k = int(np.argmin(radii))
        raise InputError(
            f"profile: the radius is {radii[k]:g} m at {angles[k]:.6g} rad; it must be above zero"
        )
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _table(curve: ArrayLike) -> np.ndarray:
    """Return the points of a table, (k, 2), without a last one that repeats the first."""
    found = floats(curve)
    if (
        found is None
        or len(found.shape) not in (1, 2)
        or found.shape[1:] not in ((), (2,))
        or len(found) < 4
        or not np.isfinite(found).all()
    ):
        raise InputError(
            f"profile: curve is {called(curve)}; give a function of the angle, radii (k,) or points (k, 2), m"
        )
    if found.ndim == 1:
        steps = np.abs(np.diff(found))
        gap, k = abs(found[0] - found[-1]), len(found)
        found = _polar(np.linspace(0.0, 2 * np.pi, k, endpoint=False), found)
        if gap > LONGEST_STEP * steps.max() + LARGEST_GAP * np.abs(found).max():
            raise InputError(
                f"profile: the table is not periodic: the radius jumps by {gap:.3g} m from its last to its first row, "
                f"and by at most {steps.max():.3g} m between others"
            )
        return found
    if np.linalg.norm(found[-1] - found[0]) <= LARGEST_GAP * np.abs(found).max():
        found = found[:-1]
    gap, longest = np.linalg.norm(found[-1] - found[0]), np.linalg.norm(np.diff(found, axis=0), axis=1).max()
    if gap > LONGEST_STEP * longest:
        raise InputError(
            f"profile: the table is not closed: its last point is {gap:.3g} m from its first one, and others follow "
            f"within {longest:.3g} m"
        )
    return found


def normal_of(line: Path, what: str) -> np.ndarray:
    """Return the unit normal (3,) of the plane of a line, the x axis of its frames; InputError if it is not plane."""
    x, up = line.place(line.breaks), line.columns(line.breaks)[:, 3:6]
    out: np.ndarray = up[0] / np.linalg.norm(up[0])
    if np.abs((x - x[0]) @ out).max() > 1e-6 * line.length or np.abs(up - up[0]).max() > 1e-6:
        raise InputError(
            f"{what}: the line is not plane, or up is not normal to its plane; only a plane line has a side on which "
            "a roller or a face can be"
        )
    return out


def beside(line: Path, radius: float, side: float, origin: np.ndarray, what: str) -> Path:
    """Return the line of the centre of a roller that rolls on a plane line, in the base of its body.

    Parameters
    ----------
    line : Path
        The line.
    radius : float
        Radius of the roller, m.
    side : float
        1 if the roller is on the side of the y axes of the line, -1 on the other.
    origin : numpy.ndarray
        Where the base of the body is drawn, (3,), m, for messages.
    what : str
        What the line belongs to, for messages.

    Returns
    -------
    Path
        The line of the centre.

    Raises
    ------
    fem.InputError
        If the line is not plane, or hollow with a smaller radius of curvature than the roller's (undercut).
    """
    normal = normal_of(line, what)
    every = max(1, (len(line.breaks) - 1) // POINTS)
    s = line.breaks[::every]
    if s[-1] < line.length:
        s = np.append(s, line.length)
    tangent, curve = (line.columns(s, k)[:, :3] for k in (1, 2))
    out = side * np.cross(tangent, normal)
    length = np.linalg.norm(tangent, axis=1)
    out /= length[:, None]
    hollow = np.einsum("ki,ki->k", curve, out) / length**2
    places = line.place(s)
    moved = places + radius * out
    nearest = scipy.spatial.cKDTree(line.place(line.breaks)).query(moved)[0]
    bad = (radius * hollow >= 1.0) | (nearest < radius * (1.0 - MAX_INTRUSION))
    if bad.any():
        k = int(np.argmax(np.where(bad, hollow, -np.inf)))
        sharp = f"{1e3 / hollow[k]:.4g} mm" if hollow[k] > 0 else "convex"
        place = (np.round(places[k] + origin, 6) + 0.0).tolist()
        raise InputError(
            f"{what}: undercut at {place} m (as drawn, {s[k]:.4g} m along the "
            f"line): the roller of radius {1e3 * radius:.4g} mm does not fit there, where the radius of curvature is "
            f"{sharp}; give a smaller roller, or round the profile"
        )
    points = moved[:-1] if line.closed else moved
    return path_through(points, up=normal, closed=line.closed, what=what)

"""Common functions of trusses and beams: lengths, local axes, Gauss points on a line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..common.errors import ElementError, InputError, listing

FloatArray = npt.NDArray[np.float64]

#: sine of the angle between a beam and its ``up`` below which the side direction is not determined
PARALLEL_TOLERANCE = 1e-3


def axis(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return lengths (ne,) in m and unit vectors (ne, 3) from the first node to the second of X (ne, nn, 3)."""
    chord = X[:, 1] - X[:, 0]
    length = np.sqrt(np.einsum("ei,ei->e", chord, chord))
    return length, chord / length[:, None]


def triads(X: FloatArray, up: tuple[float, float, float]) -> tuple[FloatArray, FloatArray]:
    """Return lengths (ne,) and local axes (ne, 3, 3), rows x along the line, y, z.

    z is ``up`` made perpendicular to x, y = z cross x.
    """
    length, x = axis(X)
    y = np.cross(np.asarray(up, float), x)
    y /= np.linalg.norm(y, axis=1)[:, None]
    return length, np.stack([x, y, np.cross(x, y)], axis=1)


def check_lengths(X: FloatArray, what: str) -> None:
    """Raise an InputError that names elements whose ends coincide, or that hold numbers that are not finite."""
    if not np.all(np.isfinite(X)):
        bad = np.flatnonzero(~np.isfinite(X).all(axis=(1, 2)))
        raise ElementError(f"these can't be {what}: ", bad, ": coordinates that are not finite numbers")
    length = np.linalg.norm(X[:, 1] - X[:, 0], axis=1)
    size = np.abs(X).max() if len(X) else 0.0
    bad = np.flatnonzero(length <= 1e-12 * size)
    if len(bad):
        raise ElementError(
            f"these can't be {what}: ",
            bad,
            ": both ends lie at one point; remove it, or join the two nodes by a spring or a rigid link",
        )


def check_up(X: FloatArray, up: tuple[float, float, float]) -> None:
    """Raise an InputError that names elements (almost) parallel to ``up``."""
    _, x = axis(X)
    direction = np.asarray(up, float) / np.linalg.norm(up)
    bad = np.flatnonzero(np.linalg.norm(np.cross(x, direction), axis=1) < PARALLEL_TOLERANCE)
    if len(bad):
        other = (1.0, 0.0, 0.0) if abs(direction[0]) < 0.7 else (0.0, 1.0, 0.0)
        raise ElementError(
            "these beams are not valid: ",
            bad,
            f": parallel to up = {tuple(map(float, up))}, which does not determine the directions of their sections; "
            f"give them another property with, say, up={other}",
        )


def check_kind(kind: str, kinds: tuple[str, ...], what: str) -> None:
    """Raise an InputError if elements of this kind can't get the property."""
    if kind not in kinds:
        raise InputError(f"{what} can be given to {listing(kinds)} elements only, not to {kind!r}")


def gauss01(n: int) -> tuple[FloatArray, FloatArray]:
    """Return n Gauss points and weights on [0, 1], exact to degree 2n - 1."""
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 + 0.5 * x, 0.5 * w

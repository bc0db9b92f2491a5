"""Rotations for descriptions and results (the compiled core has its own)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError

from .core.rotation import matrix_of_euler

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def vector(value: ArrayLike, what: str) -> np.ndarray:
    """Return three finite numbers as an array (3,); ``what`` names them in the error."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be three numbers, not {value!r}") from None
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(f"{what} must be three finite numbers, not {value!r}")
    return array


def finite(value) -> bool:
    """Tell whether ``value`` is one finite number."""
    try:
        return bool(np.ndim(value) == 0 and np.isfinite(value))
    except TypeError:
        return False


def is_count(value) -> bool:
    """Tell whether ``value`` is a whole number from one on."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 1)


def direction(axis: str | ArrayLike, what: str) -> np.ndarray:
    """Return a unit vector (3,) from "x", "y", "z" (with a sign, as in "-z") or three numbers."""
    if isinstance(axis, str):
        name, sign = (axis[1:], -1.0) if axis.startswith("-") else (axis, 1.0)
        if name not in AXES:
            raise InputError(f"{what} is {axis!r}; write 'x', 'y', 'z', '-x', ... or three numbers")
        return sign * np.array(AXES[name])
    array = vector(axis, what)
    length = np.linalg.norm(array)
    if length < 1e-300:
        raise InputError(f"{what} has no length; give a direction such as (0, 0, 1)")
    return array / length


def axes_from_z(z: np.ndarray, x: np.ndarray | None = None) -> np.ndarray:
    """Return a right-handed orthonormal base (3, 3), columns x, y, z, with the given unit z.

    ``x`` (unit, need not be perpendicular) is followed as closely as possible; without it, the global axis
    that is most perpendicular to z.
    """
    if x is None:
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    return np.column_stack([np.cross(y, z), y, z])


def matrices(euler: ArrayLike) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of Euler parameters (..., 4), Koppens (B.13)."""
    euler = np.ascontiguousarray(euler, dtype=float)
    flat = euler.reshape(-1, 4)
    out = np.empty((len(flat), 3, 3))
    for q, Q in zip(flat, out, strict=True):
        matrix_of_euler(q, Q)
    return out.reshape(*euler.shape[:-1], 3, 3)


def euler_of_matrix(Q: ArrayLike) -> np.ndarray:
    """Euler parameters (4,) of a rotation matrix (3, 3), ``q0 >= 0`` (Shepperd's choice of the largest)."""
    Q = np.asarray(Q, dtype=float)
    squares = np.array(
        [
            1 + Q[0, 0] + Q[1, 1] + Q[2, 2],
            1 + Q[0, 0] - Q[1, 1] - Q[2, 2],
            1 - Q[0, 0] + Q[1, 1] - Q[2, 2],
            1 - Q[0, 0] - Q[1, 1] + Q[2, 2],
        ]
    )
    k = int(np.argmax(squares))
    q = np.empty(4)
    q[k] = squares[k]
    skew = [Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]
    if k == 0:
        q[1:] = skew
    else:
        i = k - 1
        q[0] = skew[i]
        for j in range(3):
            if j != i:
                q[1 + j] = Q[i, j] + Q[j, i]
    q /= np.linalg.norm(q)
    return -q if q[0] < 0 else q


def smallest_rotation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) by the smallest angle that takes the direction of ``a`` to that of ``b``."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis, cosine = np.cross(a, b), float(a @ b)
    if cosine < 0 and not float(axis @ axis) > 1e-30:
        axis = axes_from_z(a)[:, 0]
        return 2 * np.outer(axis, axis) - np.eye(3)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    # 1 / (1 + cosine), without cancellation where the directions are nearly opposite
    share = (1 - cosine) / float(axis @ axis) if cosine < 0 else 1 / (1 + cosine)
    return np.eye(3) + skew + share * skew @ skew

"""Rotations: axes, Euler parameters ``q`` (4,) and rotation matrices ``Q`` (3, 3), Koppens (B.13)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem.common.compiled import function
from fem.common.errors import InputError
from fem.common.numbers import vector

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

_matrix_of_euler = function("flexbody_matrix_of_euler", "input", "reals")
_turned_euler = function("flexbody_turned_euler", "int", "input", "input", "reals")


def matrix_of_euler(q: ArrayLike, Q: np.ndarray) -> None:
    """Set ``Q`` (3, 3) to the rotation matrix of unit Euler parameters ``q`` (4,), Koppens (B.13)."""
    _matrix_of_euler(q, Q)


def turned_euler(q: ArrayLike, theta: ArrayLike, out: np.ndarray) -> None:
    """Set ``out`` (..., 4) to the Euler parameters of ``Q(q) exp(theta~)``.

    ``q`` (..., 4) is rotated by the rotation vector ``theta`` (..., 3), rad, in body components. ``out`` may be ``q``.
    """
    _turned_euler(out.size // 4, q, theta, out)


def direction(axis: str | ArrayLike, what: str) -> np.ndarray:
    """Return a unit vector from the name of an axis or three numbers.

    Parameters
    ----------
    axis : str or array_like
        "x", "y", "z", with a sign as in "-z", or a vector (3,) of any length.
    what : str
        Its name in the message of an error.

    Returns
    -------
    numpy.ndarray
        Unit vector, (3,).

    Raises
    ------
    fem.InputError
        The axis is unknown, or the vector has no length.

    Examples
    --------
    >>> direction((0, 3, 4), "the axis").tolist()
    [0.0, 0.6, 0.8]
    """
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
    """Return right-handed orthonormal axes with a given z axis.

    Parameters
    ----------
    z : numpy.ndarray
        Unit vector, (3,).
    x : numpy.ndarray, optional
        Unit vector, (3,), that the x axis follows as closely as possible; by default the global axis that is closest to
        perpendicular to z.

    Returns
    -------
    numpy.ndarray
        Axes x, y, z as columns, (3, 3).
    """
    if x is None:
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
    y = _cross(z, x)
    y /= np.sqrt(y @ y)
    return np.array([_cross(y, z), y, z]).T.copy()


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a x b; numpy's own takes ten times as long for one pair."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def matrices(euler: ArrayLike) -> np.ndarray:
    """Return the rotation matrices of Euler parameters.

    Parameters
    ----------
    euler : array_like
        Euler parameters of unit length, (..., 4).

    Returns
    -------
    numpy.ndarray
        Rotation matrices, (..., 3, 3), Koppens (B.13).

    Examples
    --------
    >>> matrices([0.0, 0.0, 0.0, 1.0]).tolist()  # half a revolution about z
    [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    euler = np.ascontiguousarray(euler, dtype=float)
    flat = euler.reshape(-1, 4)
    out = np.empty((len(flat), 3, 3))
    for q, Q in zip(flat, out, strict=True):
        matrix_of_euler(q, Q)
    return out.reshape(*euler.shape[:-1], 3, 3)


def euler_of_matrix(Q: ArrayLike) -> np.ndarray:
    """Return the Euler parameters of a rotation matrix.

    Parameters
    ----------
    Q : array_like
        Rotation matrix, (3, 3).

    Returns
    -------
    numpy.ndarray
        Euler parameters, (4,), with ``q0 >= 0``.

    Notes
    -----
    The parameter of the largest magnitude is computed first, by the method of S. W. Shepperd, J. Guid. Control 1 (1978)
    223.
    """
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
    """Return the smallest rotation that turns one direction into another.

    Parameters
    ----------
    a, b : numpy.ndarray
        Vectors, (3,).

    Returns
    -------
    numpy.ndarray
        Rotation matrix, (3, 3), that turns the direction of ``a`` into that of ``b``.
    """
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis, cosine = np.cross(a, b), float(a @ b)
    if cosine < 0 and not float(axis @ axis) > 1e-30:
        axis = axes_from_z(a)[:, 0]
        return 2 * np.outer(axis, axis) - np.eye(3)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    # 1 / (1 + cosine), without cancellation where the directions are nearly opposite
    share = (1 - cosine) / float(axis @ axis) if cosine < 0 else 1 / (1 + cosine)
    return np.eye(3) + skew + share * skew @ skew

"""Views of what only some machines have: joint coordinates, couplings, users' constraints.

All of it lies in three flat arrays, ``Layout.more``, ``Layout.more_value`` and ``Work.more``, because every array of
``Layout`` and ``Work`` costs about 10 ns in every call that passes them on, needed or not. ``Layout.more`` begins with
the offsets of its parts, ``Work.more`` with the numbers of coordinates and legs.
"""

import numpy as np

from fem.common.jit import jit

#: parts of ``Layout.more`` and what a row of each holds; ``Layout.more_value`` follows them with floats
COORDINATES = (
    0  # (nc, 7) kind, first and second frame, axes a, b, c, hosting side; floats (nc, 2) sign, value as drawn
)
ROWS = 1  # (nr + 1, 4) offsets of each row's legs, parts and operations; address of a function that is called back
LEGS = 2  # (*,) the frames of rows of the kinds from COUPLING on
PARTS = 3  # (*, 3) the parts of couplings: coordinate, and which of the row's legs are its frames; floats (*,) factor
TAPES = 4  # (*, 3) recorded operations of users' functions, see :mod:`flexbody.kernels.tape`; floats (*,) constants
WIDTHS = (7, 4, 1, 3, 3)
FLOATS = (2, 0, 0, 1, 1)
HEAD = 12  # five offsets and the end, for integers and floats


def pack(parts, values):
    """Return the arrays (more, more_value) from the five parts, and the floats of those that have any."""
    ints = [np.asarray(part, dtype=np.int64).ravel() for part in parts]
    floats = [np.asarray(value, dtype=float).ravel() for value in values]
    head = HEAD + np.cumsum([0, *(len(x) for x in ints)])
    tail = np.cumsum([0, *(len(x) for x in floats)])
    return np.concatenate([head, tail, *ints]).astype(np.int64), np.concatenate(floats)


def new_state(more, turns):
    """Return ``Work.more`` for ``Layout.more``, its angles near ``turns`` (nc,)."""
    nc, legs = len(turns), more[LEGS + 1] - more[LEGS]
    out = np.zeros(2 + 16 * nc)
    out[0], out[1] = nc, legs
    turn = turns_of(out)
    turn[:, 0] = turn[:, 1] = turns
    return out


@jit(inline="always")
def coordinates_of(L):
    """Return the joint coordinates (nc, 7)."""
    return L.more[L.more[COORDINATES] : L.more[COORDINATES + 1]].reshape(-1, 7)


@jit(inline="always")
def coordinate_values(L):
    """Return sign and value as drawn of the joint coordinates (nc, 2)."""
    return L.more_value[L.more[6 + COORDINATES] : L.more[7 + COORDINATES]].reshape(-1, 2)


@jit(inline="always")
def rows_of(L):
    """Return the offsets (nr + 1, 4) of the rows' legs, parts and operations, and addresses."""
    return L.more[L.more[ROWS] : L.more[ROWS + 1]].reshape(-1, 4)


@jit(inline="always")
def legs_of(L):
    """Return the frames of all legs."""
    return L.more[L.more[LEGS] : L.more[LEGS + 1]]


@jit(inline="always")
def parts_of(L):
    """Return the parts of couplings (*, 3)."""
    return L.more[L.more[PARTS] : L.more[PARTS + 1]].reshape(-1, 3)


@jit(inline="always")
def factors_of(L):
    """Return the factors of the parts (*,)."""
    return L.more_value[L.more[6 + PARTS] : L.more[7 + PARTS]]


@jit(inline="always")
def tapes_of(L):
    """Return the recorded operations (*, 3)."""
    return L.more[L.more[TAPES] : L.more[TAPES + 1]].reshape(-1, 3)


@jit(inline="always")
def constants_of(L):
    """Return the constants of the recorded operations (*,)."""
    return L.more_value[L.more[6 + TAPES] : L.more[7 + TAPES]]


@jit(inline="always")
def turns_of(more):
    """Return (nc, 3) of ``Work.more``: the angle around which each is taken; value and rate at the last step."""
    nc = int(more[0])
    return more[2 + nc : 2 + 4 * nc].reshape(-1, 3)


@jit(inline="always")
def current(W):
    """Return the values of the joint coordinates (nc,)."""
    return W.more[2 : 2 + int(W.more[0])]


@jit(inline="always")
def directions_of(W):
    """Return the derivatives of the coordinates by r_first, theta_first, r_second, theta_second, (nc, 4, 3)."""
    nc = int(W.more[0])
    return W.more[2 + 4 * nc :].reshape(-1, 4, 3)


@jit(inline="always")
def slopes_of(W):
    """Return the derivatives of legged rows by r and theta of each leg, (*, 2, 3): they follow those of two frames."""
    return W.slope[2 * W.right.size :]

"""Views of what only some machines have: joint coordinates, couplings, users' constraints.

All of it lies in three flat arrays, ``Layout.more``, ``Layout.more_value`` and ``Work.more``, because every array of
``Layout`` and ``Work`` costs about 10 ns in every call that passes them on, needed or not. ``Layout.more`` begins with
the offsets of its parts, ``Work.more`` with the numbers of coordinates that rows or forces use, of legs, and of
coordinates in all: after those that are used come the other angles of joints, whose turns are counted as well. After
the coordinates it holds what friction that follows reactions needs, see :mod:`flexbody.kernels.rubbing`.
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
RECORD = 9  # numbers for each friction element that follows reactions
HEAD = 12  # five offsets and the end, for integers and floats


def pack(parts, values):
    """Return the arrays (more, more_value) from the five parts, and the floats of those that have any."""
    ints = [np.asarray(part, dtype=np.int64).ravel() for part in parts]
    floats = [np.asarray(value, dtype=float).ravel() for value in values]
    head = HEAD + np.cumsum([0, *(len(x) for x in ints)])
    tail = np.cumsum([0, *(len(x) for x in floats)])
    return np.concatenate([head, tail, *ints]).astype(np.int64), np.concatenate(floats)


def new_state(more, turns, used, rubs=0, unknowns=0):
    """Return ``Work.more`` for ``Layout.more``, its angles near ``turns`` (nc,), of which the first are ``used``.

    rubs : number of friction elements that follow reactions; unknowns : nv + m, of the responses to them.
    """
    nc, legs = len(turns), more[LEGS + 1] - more[LEGS]
    at = 3 + 13 * used + 5 * nc
    out = np.zeros(at + 1 + rubs * (RECORD + rubs + 2 + unknowns))
    out[0], out[1], out[2], out[at] = used, legs, nc, rubs
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
    """Return (nc, 5) of ``Work.more``: the value around which an angle is taken; value and rate at the last step, and
    as measured of the next one."""
    at = 3 + int(more[0])
    return more[at : at + 5 * int(more[2])].reshape(-1, 5)


@jit(inline="always")
def current(W):
    """Return the values of the joint coordinates that are used (nu,)."""
    return W.more[3 : 3 + int(W.more[0])]


@jit(inline="always")
def directions_of(W):
    """Return their derivatives by r_first, theta_first, r_second, theta_second, (nu, 4, 3)."""
    at, nu = 3 + int(W.more[0]) + 5 * int(W.more[2]), int(W.more[0])
    return W.more[at : at + 12 * nu].reshape(-1, 4, 3)


@jit(inline="always")
def rubs_at(more):
    """Return where the number of friction elements that follow reactions is, before what belongs to them."""
    return 3 + 13 * int(more[0]) + 5 * int(more[2])


@jit(inline="always")
def rubs(more):
    """Return the number nf of friction elements that follow reactions."""
    return int(more[rubs_at(more)])


@jit(inline="always")
def rub_records(more):
    """Return what is known of each of these elements (nf, RECORD)."""
    at, nf = rubs_at(more) + 1, rubs(more)
    return more[at : at + nf * RECORD].reshape(nf, RECORD)


@jit(inline="always")
def rub_system(more):
    """Return the equations of their forces (nf, nf + 2): matrix, right side, forces."""
    nf = rubs(more)
    at = rubs_at(more) + 1 + nf * RECORD
    return more[at : at + nf * (nf + 2)].reshape(nf, nf + 2)


@jit(inline="always")
def rub_responses(more, nv, m):
    """Return the motion (nf, nv) and the multipliers (nf, m) that a unit of each force causes."""
    nf = rubs(more)
    at = rubs_at(more) + 1 + nf * (RECORD + nf + 2)
    return (
        more[at : at + nf * nv].reshape(nf, nv),
        more[at + nf * nv : at + nf * (nv + m)].reshape(nf, m),
    )


@jit(inline="always")
def slopes_of(W):
    """Return the derivatives of legged rows by r and theta of each leg, (*, 2, 3): they follow those of two frames."""
    return W.slope[2 * W.right.size :]

"""Drives whose functions jump.

The row of a driven angle is the sine of what is missing, with a second root at the opposite angle: where a function
jumps by more than a quarter of a turn, Newton's method may well end there. So a step is refused that arrives, before
it is corrected or after, more than a quarter of a turn from a drive. Jumps that are smaller are followed by the
correction of the positions, without a velocity, and nothing else would tell: by how much steps miss drives before
they are corrected is noted in ``leap`` (6,), for :mod:`flexbody.leaps` to look at the function.
"""

import numpy as np

from .arrays import ANGLE
from .lean import lean, lean_entry

# entries of ``leap``: of the step being tried the row missed most and by how much (m); of the accepted steps since
# the last look the row, the times between which it was missed, and by how much a drive may be missed (m)
TRIED, MISS, ROW, FROM, TO, ALLOWED = range(6)

#: drives may be missed by this part of the machine's size (or of a radian) before anyone looks at their functions
NEAR = 1e-4


def new_leap(length: float) -> np.ndarray:
    """Return the array for a machine of this size, m."""
    out = np.zeros(6)
    out[ROW], out[ALLOWED] = -1, NEAR * length
    return out


@lean
def opposite(L, W, k):
    """Whether row ``k`` is a driven angle that is off by more than a quarter of a turn; needs ``place``."""
    if L.row_kind[k] != ANGLE or L.row_frame[k, 4] < 0:
        return False
    # the derivative by the angle is the cosine of what is missing, about z
    i, g = L.row_frame[k, 0], W.direction
    R = W.frame_R
    return g[k, 3, 0] * R[i, 0, 2] + g[k, 3, 1] * R[i, 1, 2] + g[k, 3, 2] * R[i, 2, 2] < 0.0


@lean_entry
def opposite_row(L, W):
    """Return a row for which :func:`opposite` holds, -1 if there is none."""
    if L.drive_law.size > 0:
        for k in range(L.row_kind.size):
            if opposite(L, W, k):
                return k
    return -1


@lean_entry
def meet_drives(L, W, leap):
    """Note which drive is missed most where a step arrives; False if one is by more than a quarter of a turn."""
    leap[MISS] = 0.0
    if L.drive_law.size == 0:
        return True
    for k in range(L.row_kind.size):
        if L.row_frame[k, 4] < 0:
            continue
        if opposite(L, W, k):
            leap[TRIED] = k
            return False
        if abs(W.phi[k]) > leap[MISS]:
            leap[TRIED], leap[MISS] = k, abs(W.phi[k])
    return True


@lean_entry
def keep_leap(L, leap, before, t):
    """Keep what :func:`meet_drives` has noted of a step that is accepted, if more is missed than ever."""
    if leap[MISS] > leap[ALLOWED]:
        leap[ROW], leap[FROM], leap[TO], leap[ALLOWED] = leap[TRIED], before, t, leap[MISS]

"""Drives whose functions jump: their residuals in the steps, see ``drive_errors.hpp``.

The functions read the residuals of the rows of drives in ``W`` alone, which every formulation computes.
"""

from __future__ import annotations

from fem.common.compiled import function

from .structures import DriveMisses, Layout, Work

_opposite_row = function("flexbody_opposite_row", "struct", "struct", result=int)
_meet_drives = function("flexbody_meet_drives", "struct", "struct", "struct", result=bool)
_keep_misses = function("flexbody_keep_misses", "struct", "real", "real")

#: Residual of a drive above which its function is examined for jumps, relative to the machine's size (or a radian).
EXAMINED_RESIDUAL = 1e-4


def new_misses(length: float) -> DriveMisses:
    """Return an empty record of the residuals of drives, for a machine of a given size, m."""
    return DriveMisses(tried=0, missed=0.0, row=-1, since=0.0, until=0.0, allowed=EXAMINED_RESIDUAL * length)


def opposite_row(L: Layout, W: Work) -> int:
    """Return the row of a driven angle with an error above a quarter of a revolution, or -1; needs ``place``."""
    return _opposite_row(L, W)


def meet_drives(L: Layout, W: Work, misses: DriveMisses) -> bool:
    """Record the drive with the largest residual at the end of a step; return False above a quarter of a revolution.

    Needs ``place``.
    """
    return _meet_drives(L, W, misses)


def keep_misses(misses: DriveMisses, before: float, t: float) -> None:
    """Store the residuals of :func:`meet_drives` for an accepted step (s) if they are the largest so far."""
    _keep_misses(misses, before, t)

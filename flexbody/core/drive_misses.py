"""Drives whose functions jump: by how much steps miss them, see ``drive_misses.hpp``."""

from __future__ import annotations

from fem.common.compiled import function

from .structures import DriveMisses, Layout, Work

_opposite_row = function("flexbody_opposite_row", "struct", "struct", result=int)
_meet_drives = function("flexbody_meet_drives", "struct", "struct", "struct", result=bool)
_keep_misses = function("flexbody_keep_misses", "struct", "real", "real")

#: drives may be missed by this part of the machine's size (or of a radian) before anyone looks at their functions
NEAR = 1e-4


def new_misses(length: float) -> DriveMisses:
    """Return what a run notes of its drives, for a machine of this size, m."""
    return DriveMisses(tried=0, missed=0.0, row=-1, since=0.0, until=0.0, allowed=NEAR * length)


def opposite_row(L: Layout, W: Work) -> int:
    """Return the row of a driven angle that is off by more than a quarter of a turn, -1 for none; needs ``place``."""
    return _opposite_row(L, W)


def meet_drives(L: Layout, W: Work, misses: DriveMisses) -> bool:
    """Note which drive is missed most where a step arrives; False if one is by more than a quarter of a turn.

    Needs ``place``.
    """
    return _meet_drives(L, W, misses)


def keep_misses(misses: DriveMisses, before: float, t: float) -> None:
    """Keep what :func:`meet_drives` has noted of a step (s) that is accepted, if more is missed than ever."""
    _keep_misses(misses, before, t)

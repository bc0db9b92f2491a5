"""Primitive constraints and free motions, of which joints are made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.kinds import ATTITUDE, COUPLING, POINT
from ...functions.time_law import Law
from .coordinates import CROSS_2, SLIDE_X, SLIDE_Y, SLIDE_Z, TURN_Z, Coordinate, X, Y, Z


class Row(NamedTuple):
    """One primitive constraint between the two frames of a joint.

    Parameters
    ----------
    kind : int
        POINT, ATTITUDE or COUPLING of :mod:`flexbody.core.kinds`.
    first : int
        Axis (0, 1, 2) of the first frame. For a COUPLING: the index of the sum in ``couplings``.
    second : int, optional
        Axis (0, 1, 2) of the second frame.
    """

    kind: int
    first: int
    second: int = 0


class UserRow(NamedTuple):
    """One component of a function that a user gives as a constraint.

    Parameters
    ----------
    kind : int
        HOLONOMIC or VELOCITY of :mod:`flexbody.core.kinds`.
    scale : float
        Factor that makes the component a length.
    tape : tuple of numpy.ndarray
        Its recorded operations and constants.
    law : Law or None
        Call-back for a function that compares values.
    address : int, optional
        Address of the call-back.
    """

    kind: int
    scale: float
    tape: tuple[np.ndarray, np.ndarray]
    law: Law | None
    address: int = 0


class Free(NamedTuple):
    """One free motion of the second frame relative to the first: a rotation or a translation along an axis.

    Parameters
    ----------
    rotation : bool
        True for a rotation, False for a translation.
    axis : int
        The axis (0, 1, 2).
    side : int, optional
        The frame that the axis belongs to: 0 for the first frame, 1 for the second.
    """

    rotation: bool
    axis: int
    side: int = 0

    @property
    def title(self) -> str:
        """Name of the constraint, for messages."""
        kind = "rotation about" if self.rotation else "translation along"
        return f"{kind} {'xyz'[self.axis]} of the {('first', 'second')[self.side]} frame"

    @property
    def coordinate(self) -> Coordinate | None:
        """The joint coordinate whose rate it is; None for the rotations of a ball joint."""
        return RATE_OF.get((self.rotation, self.axis, self.side))


#: The joint coordinates by the free motion (rotation, axis, side) that is their rate.
RATE_OF = {
    (False, X, 0): SLIDE_X,
    (False, Y, 0): SLIDE_Y,
    (False, Z, 0): SLIDE_Z,
    (True, Z, 0): TURN_Z,
    (True, X, 1): CROSS_2,
}


def points(*axes: int) -> tuple[Row, ...]:
    """Return the rows that hold the second point fixed along these axes of the first frame."""
    return tuple(Row(POINT, axis) for axis in axes)


#: The z axes stay parallel.
PARALLEL = (Row(ATTITUDE, X, Z), Row(ATTITUDE, Y, Z))
#: The frames stay parallel.
ALIGNED = (Row(ATTITUDE, X, Y), Row(ATTITUDE, Y, Z), Row(ATTITUDE, Z, X))
#: The sum of joint coordinates of a drive or coupling has a prescribed value.
SUM = (Row(COUPLING, 0),)
#: Three rotations of the second frame.
TURNS = tuple(Free(True, axis, 1) for axis in (X, Y, Z))

"""Joint coordinates: scalar measures of the relative motion of two frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.kinds import LENGTH, ROTATION, TILT, TRANSLATION

X, Y, Z = 0, 1, 2


class Coordinate(NamedTuple):
    """A scalar function of the two frames of a joint; see ``core/coordinate.hpp``.

    Parameters
    ----------
    kind : int
        TRANSLATION, ROTATION, TILT or LENGTH of :mod:`flexbody.core.kinds`.
    a, b, c : int, optional
        Axes (0, 1, 2) of the frames.
    host : int, optional
        The frame that the axes ``a`` and ``b`` belong to: 0 for the first, 1 for the second.
    sign : float, optional
        1 or -1.
    """

    kind: int
    a: int = 0
    b: int = 0
    c: int = 0
    host: int = 0
    sign: float = 1.0

    @property
    def is_angle(self) -> bool:
        """Whether this coordinate is an angle (rad); otherwise it is a length (m)."""
        return self.kind in (ROTATION, TILT)

    @property
    def turning_sides(self) -> tuple[int, ...]:
        """The frames (0, 1) whose axes this coordinate uses."""
        return (0, 1) if self.is_angle else (0,) if self.kind == TRANSLATION else ()

    @property
    def unit(self) -> str:
        """Unit of this coordinate: "rad" or "m"."""
        return "rad" if self.is_angle else "m"

    def value(self, R1: np.ndarray, r1: np.ndarray, R2: np.ndarray, r2: np.ndarray) -> np.ndarray:
        """Return the value of this coordinate; angles are between -pi and pi.

        Parameters
        ----------
        R1, R2 : numpy.ndarray
            Axes of both frames, (nt, 3, 3), columns.
        r1, r2 : numpy.ndarray
            Positions of both frames, (nt, 3), m.

        Returns
        -------
        numpy.ndarray
            Values, (nt,), rad or m.
        """
        if self.kind == TRANSLATION:
            found = np.einsum("ti,ti->t", R1[:, :, self.a], r2 - r1)
        elif self.kind == LENGTH:
            found = np.linalg.norm(r2 - r1, axis=1)
        elif self.kind == TILT:
            found = np.arcsin(np.clip(np.einsum("ti,ti->t", R1[:, :, self.a], R2[:, :, self.b]), -1, 1))
        else:
            u, w, v = self._axes(R1, R2)
            found = np.arctan2(np.einsum("ti,ti->t", u, v), np.einsum("ti,ti->t", w, v))
        value: np.ndarray = self.sign * found
        return value

    def _axes(self, R1: np.ndarray, R2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        host, other = (R1, R2) if self.host == 0 else (R2, R1)
        return host[:, :, self.a], host[:, :, self.b], other[:, :, self.c]


#: Translations along the axes of the first frame.
SLIDE_X, SLIDE_Y, SLIDE_Z = (Coordinate(TRANSLATION, axis) for axis in (X, Y, Z))
#: Angle about the common z axis, from x of the first frame to x of the second frame.
TURN_Z = Coordinate(ROTATION, Y, X, X)
#: Angles of a universal joint: about z of the first frame and about x of the second frame.
CROSS_1, CROSS_2 = TURN_Z, Coordinate(ROTATION, Y, Z, Z, host=1)
#: Bryant angles: rotations about x of the first frame, then about the rotated y, then about the final z, Sol (2.2.18).
ANGLES = {
    "angle_x": Coordinate(ROTATION, Y, Z, Z, sign=-1.0),
    "angle_y": Coordinate(TILT, X, Z),
    "angle_z": Coordinate(ROTATION, Y, X, X, host=1, sign=-1.0),
}
#: Distance between both points minus its value in the drawn configuration.
DISTANCE = Coordinate(LENGTH)

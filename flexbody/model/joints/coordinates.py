"""Joint coordinates: what the free motions of a joint are measured by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.kinds import LENGTH, ROTATION, TILT, TRANSLATION

X, Y, Z = 0, 1, 2


class Coordinate(NamedTuple):
    """A scalar function of a joint's two frames, zero as drawn; see ``core/coordinate.hpp``.

    kind : TRANSLATION, ROTATION, TILT or LENGTH. a, b, c : axes. host : 0 or 1, the frame that a and b belong to.
    """

    kind: int
    a: int = 0
    b: int = 0
    c: int = 0
    host: int = 0
    sign: float = 1.0

    @property
    def turns(self) -> bool:
        """Whether it is an angle (rad) and no length (m)."""
        return self.kind in (ROTATION, TILT)

    @property
    def turning_sides(self) -> tuple[int, ...]:
        """The frames (0, 1) whose axes matter."""
        return (0, 1) if self.turns else (0,) if self.kind == TRANSLATION else ()

    @property
    def unit(self) -> str:
        """Return "rad" or "m"."""
        return "rad" if self.turns else "m"

    def value(self, R1: np.ndarray, r1: np.ndarray, R2: np.ndarray, r2: np.ndarray) -> np.ndarray:
        """Return the coordinate of frames with axes (nt, 3, 3) and places (nt, 3), angles within half a turn."""
        if self.kind == TRANSLATION:
            return self.sign * np.einsum("ti,ti->t", R1[:, :, self.a], r2 - r1)
        if self.kind == LENGTH:
            return self.sign * np.linalg.norm(r2 - r1, axis=1)
        if self.kind == TILT:
            sine = np.einsum("ti,ti->t", R1[:, :, self.a], R2[:, :, self.b])
            return self.sign * np.arcsin(np.clip(sine, -1, 1))
        u, w, v = self._axes(R1, R2)
        return self.sign * np.arctan2(np.einsum("ti,ti->t", u, v), np.einsum("ti,ti->t", w, v))

    def turning(self, R1: np.ndarray, R2: np.ndarray, spin: np.ndarray) -> np.ndarray:
        """Return the rate of a ROTATION, rad/s, for the relative angular velocity ``spin`` (nt, 3)."""
        u, w, v = self._axes(R1, R2)
        y, x = np.einsum("ti,ti->t", u, v), np.einsum("ti,ti->t", w, v)
        normal = x[:, None] * np.cross(v, u) - y[:, None] * np.cross(v, w)
        side = self.sign if self.host == 0 else -self.sign
        return side * np.einsum("ti,ti->t", normal, spin) / (x * x + y * y)

    def _axes(self, R1: np.ndarray, R2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        host, other = (R1, R2) if self.host == 0 else (R2, R1)
        return host[:, :, self.a], host[:, :, self.b], other[:, :, self.c]


#: slides along the first frame's axes
SLIDE_X, SLIDE_Y, SLIDE_Z = (Coordinate(TRANSLATION, axis) for axis in (X, Y, Z))
#: the angle about the common z axis, from x of the first frame to x of the second
TURN_Z = Coordinate(ROTATION, Y, X, X)
#: of a universal joint: about z of the first frame, and about x of the second
CROSS_1, CROSS_2 = TURN_Z, Coordinate(ROTATION, Y, Z, Z, host=1)
#: Bryant angles: turns about x of the first frame, then about the new y, then about the newest z, Sol (2.2.18)
ANGLES = {
    "angle_x": Coordinate(ROTATION, Y, Z, Z, sign=-1.0),
    "angle_y": Coordinate(TILT, X, Z),
    "angle_z": Coordinate(ROTATION, Y, X, X, host=1, sign=-1.0),
}
#: the distance between both points, less that as drawn
DISTANCE = Coordinate(LENGTH)

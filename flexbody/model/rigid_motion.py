"""Rigid motion of a body, by which what is drawn on it is drawn anew elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class RigidMotion(NamedTuple):
    """A rotation about a point, and a translation: ``x`` goes to ``end + R (x - start)``.

    Parameters
    ----------
    start, end : numpy.ndarray
        A point before and after the motion, (3,), m.
    R : numpy.ndarray
        Rotation matrix, (3, 3).
    """

    start: np.ndarray
    end: np.ndarray
    R: np.ndarray

    def point(self, x: ArrayLike) -> np.ndarray:
        """Return where a point (3,), m, goes.

        Parameters
        ----------
        x : array_like
            Position, (3,), m.

        Returns
        -------
        numpy.ndarray
            New position, (3,), m.
        """
        moved: np.ndarray = self.end + self.R @ (np.asarray(x, dtype=float) - self.start)
        return moved


#: Rigid motions of bodies by name.
Motions = Mapping[str, RigidMotion]
#: What does not move, the ground among it.
AT_REST = RigidMotion(np.zeros(3), np.zeros(3), np.eye(3))


def ends_moved(item: Any, bodies: Sequence[str], motions: Motions) -> dict[str, np.ndarray]:
    """Return ``first_point`` and ``second_point`` of an item, as far as it has them, moved with the bodies they are on.

    Parameters
    ----------
    item : Interaction or Geometry
        What may have such fields.
    bodies : sequence of str
        Names of the first and the second body.
    motions : mapping of str to RigidMotion
        The motions of the bodies by name.

    Returns
    -------
    dict of str to numpy.ndarray
        The changed fields.
    """
    given = zip(("first_point", "second_point"), bodies, strict=False)
    points = {name: (getattr(item, name, None), motions.get(body)) for name, body in given}
    return {name: motion.point(x) for name, (x, motion) in points.items() if x is not None and motion}

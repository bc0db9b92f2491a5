"""Base functions that follow contacts as flat arrays; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fem.common.errors import InputError

from ..core.kinds import FOLLOWING, SET_BODY, SET_CURVES, SET_SIZE
from ..core.structures import Layout
from ..model.joints import Joint
from ..model.joints.following_shapes import FollowingShapes
from ..model.sides import Body
from ..model.system import Connection
from .rows import Places, Rows


class Shapes:
    """Collects the sets of shapes that follow contacts, and adds their rows.

    ``joints``, ``bodies``: those of the system by name; ``at``: the frames of each joint; ``index``: the numbers of
    bodies; ``paths``: the path of each frame.
    """

    def __init__(
        self,
        joints: Mapping[str, Joint],
        bodies: Mapping[str, Body],
        at: Places,
        index: Mapping[str, int],
        paths,
    ) -> None:
        self._joints, self._bodies, self._at = joints, bodies, at
        self._index, self._paths = index, paths
        self._sets: list[tuple[int, ...]] = []
        self._curves: list[tuple[int, ...]] = []
        self._values: list[np.ndarray] = [np.zeros(0)]
        self._places = 0  # in Work.shape
        self._owners: dict[str, str] = {}  # the entry of each body

    def add_rows(self, item: Connection, rows: Rows) -> None:
        """Add the rows of an entry if it is a set of shapes."""
        if not isinstance(item, FollowingShapes):
            return
        found = item.shapes_on(self._joints, self._bodies)
        if other := self._owners.get(found.body):
            raise InputError(
                f"{other} and {item.label} follow contacts on body '{found.body}'; give all contacts in one entry"
            )
        self._owners[found.body] = item.label
        legs = [f for joint in item.listed for f in self._at[f"joint {joint.name}"][:2]]
        r, m, n = len(found.rows), len(found.curves), found.rows.shape[1]
        at = sum(map(np.size, self._values)), self._places, len(self._curves)
        self._sets.append((self._index[found.body], len(rows.kind), r, m, *at))
        self._values.append(np.ravel(found.rows))
        self._places += _numbers(r, m, n)
        for curve in found.curves:
            path = int(self._paths[legs[2 * curve.contact]])
            place = sum(map(np.size, self._values))
            self._curves.append((path, len(curve.breaks) - 1, place, int(curve.closed), 2 * curve.contact))
            self._values += [curve.breaks, np.ravel(curve.coefficients)]
        for coordinate in range(m, r):
            rows.add(FOLLOWING, (legs[0], legs[-1]), (len(self._sets) - 1, coordinate), size=1.0)
            rows.legs[-1] = legs

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the layout."""
        return {
            "shape_set": np.array(self._sets, dtype=np.int64).reshape(-1, 7),
            "shape_curve": np.array(self._curves, dtype=np.int64).reshape(-1, 5),
            "shape_value": np.concatenate(self._values),
        }


def _numbers(r: int, m: int, n: int) -> int:
    """Return the size of a set in ``Work.shape``, see ``following_shapes.cpp``."""
    return 2 * r + 3 * r * m + m * m + 3 * m + m * n + (r - m) * (m + n)


def shape_numbers(L: Layout) -> int:
    """Return the size of ``Work.shape`` for a layout."""
    sets: Sequence[np.ndarray] = list(L.shape_set)
    return sum(
        _numbers(int(one[SET_SIZE]), int(one[SET_CURVES]), int(L.body_modes[one[SET_BODY]])) for one in sets
    )

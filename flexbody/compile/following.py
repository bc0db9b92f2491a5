"""Base functions that follow contacts as flat arrays; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from fem.common.errors import InputError

from ..core.kinds import FOLLOWING
from ..model.joints import Connection, Joint
from ..model.joints.following_shapes import FollowingShapes
from ..model.sides import Body
from .shape_numbers import numbers_of_set


class RowList(Protocol):
    """The rows of a system, see :class:`flexbody.compile.rows.Rows`."""

    kind: list[int]
    legs: list[list[int]]

    def add(
        self,
        kind: int,
        frame: tuple[int, int],
        axis: tuple[int, int] = ...,
        drive: int = ...,
        size: float | None = ...,
    ) -> None:
        """Add a row."""


class Shapes:
    """Collects the sets of shapes that follow contacts, and adds their rows.

    ``joints``, ``bodies``: those of the system by name; ``at``: the frames of each joint; ``index``: the numbers of
    bodies; ``paths``: the path of each frame.
    """

    def __init__(
        self,
        joints: Mapping[str, Joint],
        bodies: Mapping[str, Body],
        at: Mapping[str, tuple[int, ...]],
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

    def add_rows(self, item: Connection, rows: RowList) -> None:
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
        self._places += numbers_of_set(r, m, n)
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

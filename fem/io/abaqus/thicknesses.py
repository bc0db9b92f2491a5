"""Thicknesses of shells by node (``*NODAL THICKNESS``)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...elements.properties import Membrane, Shell
from ..place_thickness import PlaceThickness
from .keywords import number_of
from .place import Placed
from .scope import Scope, Statement


class Thicknesses:
    """The thickness at nodes, in units of the file, and the shells that have it."""

    def __init__(self, placed: Placed) -> None:
        self._placed = placed
        self._at = np.full(len(placed.raw.points), np.nan)

    def add(self, scope: Scope, statement: Statement) -> None:
        """Read *Nodal Thickness: rows of a node or node set, and the thickness."""
        if "GENERATE" in statement.word.options:
            raise ValueError("generate is not supported; name nodes or node sets")
        for row in statement.word.rows():
            if len(row) < 2:
                raise ValueError("a row has a node or node set, and the thickness")
            thickness = number_of(row[1])
            if not thickness > 0:
                raise ValueError(f"the thickness {row[1]} must be positive")
            self._at[self._placed.find(scope, "nset", row[0])] = thickness

    def put(self, shell: Shell | Membrane, elements: np.ndarray, length: float) -> Shell | Membrane:
        """Return the shell or membrane with the mean thickness of the corners of elements; ``length``: unit, m."""
        varied = PlaceThickness()
        for block, _, rows in self._placed.cells.by_block(elements):
            nodes = self._placed.cells.tables[block][rows]
            given = self._at[nodes[:, : 3 if nodes.shape[1] in (3, 6) else 4]]
            if np.isnan(given).any():
                node = nodes[:, : given.shape[1]][np.isnan(given)][0]
                raise ValueError(f"*Nodal Thickness gives none at node {self._placed.raw.node_ids[node]}")
            varied.add(self._placed.raw.points[nodes] * length, given.mean(axis=1) * length)
        values = np.concatenate(varied.values)
        if np.ptp(values) <= 1e-12 * values.max():
            return replace(shell, thickness=varied.mean)
        return replace(shell, thickness=varied.mean, thickness_at=varied)

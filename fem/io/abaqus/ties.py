"""Ties of Abaqus files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...elements.properties import Shell
from ...model.tie import DEFAULT_REACH, Tie
from ..units import Units
from .keywords import number_of
from .place import Placed
from .scope import Scope, Statement


class Ties:
    """Turns ties into parts, once the thicknesses of shells are known."""

    def __init__(self, placed: Placed, units: Units) -> None:
        self._placed, self._units = placed, units
        self._found: list[tuple[Tie, str]] = []

    def tie(self, scope: Scope, statement: Statement) -> None:
        """Read *Tie: rows of a following and a leading surface."""
        word = statement.word
        line = word.place.removeprefix("line ")
        if "CYCLIC SYMMETRY" in word.options:
            raise ValueError("cyclic symmetry is not supported")
        if "NO ROTATION" in word.options:
            self._placed.raw.left_out.add(f"no rotation of {word}", "rotations of shells are tied", line)
        tolerance = word.options.get("POSITION TOLERANCE")
        for row in word.rows():
            if len(row) < 2:
                raise ValueError("a tie needs two surfaces")
            nodes, onto = (self._placed.surface(scope, name) for name in row[:2])
            if not self._placed.raw.faces.get(onto):
                raise ValueError(f"the surface {row[1]!r} has no faces; a tie needs faces that lead")
            if not word.options.get("TYPE", "").upper().startswith("NODE"):
                why = "each node follows a face (node to surface)"
                self._placed.raw.left_out.add(f"surface to surface of {word}", why, line)
            limit = None if not tolerance else number_of(tolerance) * self._units.length
            adjust = word.options.get("ADJUST", "YES").upper() != "NO"
            self._found.append((Tie(nodes, onto, tolerance=limit, adjust=adjust), word.place))

    def finish(self) -> None:
        """Add the ties to the parts."""
        for tie, place in self._found:
            self._placed.raw.parts.append(self._reaching(tie))
            self._placed.raw.say_lines(place)

    def _reaching(self, tie: Tie) -> Tie:
        """Return a tie whose default tolerance reaches over half the thickness of shells."""
        raw = self._placed.raw
        half = 0.0
        for name, its in raw.properties.items():
            if isinstance(its, Shell):
                nodes = self._placed.nodes_of_elements(raw.element_sets[name])
                both = np.union1d(raw.node_sets[tie.nodes], raw.node_sets[tie.onto])
                half += 0.5 * its.thickness + abs(its.offset) if np.isin(nodes, both).any() else 0.0
        if not half or tie.tolerance is not None:
            return tie
        faces = [raw.points[block.nodes[:, :2]] * self._units.length for block in raw.faces[tie.onto]]
        sides = np.concatenate([np.linalg.norm(x[:, 1] - x[:, 0], axis=1) for x in faces])
        return replace(tie, tolerance=1.01 * half + DEFAULT_REACH * float(np.median(sides)))

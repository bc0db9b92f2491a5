"""Averaging connections of bulk data: RBE3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...common.errors import few
from ...model.connections import Averaged
from ...model.equations import Equation
from ...model.fitted import fit
from ...model.freedoms import NAMES
from ...model.parts import Part
from ..turned_components import global_terms, same_in_all_axes
from ..units import Units
from .cards import Row
from .grids import Grids


class Averages:
    """Makes averaging connections; ``sets`` are the node sets that they refer to, by name.

    ``turns`` (n,): grid points that have rotations, or may have them; ``following``: numbers of grid points that follow
    other connections.
    """

    def __init__(
        self, grids: Grids, units: Units, turns: np.ndarray, following: set[int], doubts: list[str]
    ) -> None:
        self.grids, self.units, self.turns = grids, units, turns
        self.following, self.doubts = following, doubts
        self.sets: dict[str, np.ndarray] = {}

    def parts(self, row: Row) -> Iterator[Part]:
        """Yield an averaging connection; equations where components are those of turned axes, or UM needs them.

        UM names other motions of the connection that depend; the equations between them are the same.
        """
        name, reference = f"RBE3 {row.whole(1)}", row.whole(3)
        taken = row.components(row.word(4))
        weights, moved = self._weights(row, name)
        node = int(self.grids.index(np.array([reference]), row.line)[0])
        nodes = self.grids.index(np.array([*weights]), row.line)
        self.sets[f"{name} nodes"] = nodes
        names = tuple(NAMES[int(c) - 1] for c in sorted(taken))
        alike = all(map(_same_for_all, weights.values()))
        plain = (alike or not self.grids.turned[nodes].any()) and (
            not self.grids.turned[node] or same_in_all_axes(dict.fromkeys(names, 0.0))
        )
        if not plain or (moved and reference in self.following):
            yield from self._fitted(row, name, reference, names, weights)
            return
        if all(its.keys() == {"x", "y", "z"} for its in weights.values()) and alike:
            given: Any = {str(number): its["x"] for number, its in weights.items()}
            given = next(iter(given.values())) if len(set(given.values())) == 1 else given
        else:
            given = {str(number): its for number, its in weights.items()}
        yield Averaged(
            name,
            f"{name} nodes",
            reference=str(reference),
            components="all" if names == NAMES else names,
            weights=given,
        )

    def _weights(self, row: Row, name: str) -> tuple[dict[int, dict[str, float]], bool]:
        """Return the weights of components by grid point, and whether UM is given."""
        words = [word for word in row.words[4:] if word]
        words = words[: words.index("ALPHA")] if "ALPHA" in words else words
        if moved := "UM" in words:
            self._check_moved(row, name, words[words.index("UM") + 1 :])
            words = words[: words.index("UM")]
        found: dict[int, dict[str, float]] = {}
        weight, components, k = 0.0, frozenset[str](), 0
        while k < len(words):
            if not words[k].isdecimal():
                weight = Row(row.name, row.line, [words[k]]).real(1)
                components = row.components(words[k + 1] if k + 1 < len(words) else "")
                k += 2
                continue
            if not weight > 0:
                raise row.error(f"{name}: its grid points have no weight")
            its = found.setdefault(int(words[k]), {})
            for c in sorted(components):
                its[NAMES[int(c) - 1]] = its.get(NAMES[int(c) - 1], 0.0) + weight
            k += 1
        if not found:
            raise row.error(f"{name} has no grid points")
        return self._with_rotations(row, name, found), moved

    def _check_moved(self, row: Row, name: str, words: list[str]) -> None:
        """Check grid points and components of UM: as many as REFC has, as the manual wants."""
        pairs = list(zip(words[::2], words[1::2], strict=False))
        count = sum(len(row.components(word)) for _, word in pairs)
        if len(words) % 2 or count != len(row.components(row.word(4))):
            raise row.error(
                f"{name}: UM names {count} components; it must name as many as REFC, {row.word(4)}"
            )

    def _with_rotations(
        self, row: Row, name: str, weights: dict[int, dict[str, float]]
    ) -> dict[int, dict[str, float]]:
        """Return weights without those of rotations that grid points don't have; a doubt tells these."""
        nodes = self.grids.index(np.array([*weights]), row.line)
        turning = self.turns[nodes]
        lost = []
        for (number, its), turns in zip(weights.items(), turning.tolist(), strict=True):
            if not turns and (away := its.keys() & set(NAMES[3:])):
                lost.append(str(number))
                weights[number] = {c: w for c, w in its.items() if c not in away}
        if lost:
            self.doubts.append(
                f"{name} averages rotations (456) of grid points that have none, {few(lost)}; only their displacements "
                "are taken"
            )
        if empty := [str(number) for number, its in weights.items() if not its]:
            raise row.error(
                f"{name}: no component is left of the grid points {few(empty)}, which have no rotations"
            )
        return weights

    def _fitted(
        self,
        row: Row,
        name: str,
        reference: int,
        names: tuple[str, ...],
        weights: dict[int, dict[str, float]],
    ) -> Iterator[Part]:
        """Yield the equations of an averaging connection, components along the displacement axes of each grid point."""
        rows = [
            (number, component, weight)
            for number, its in weights.items()
            for component, weight in its.items()
        ]
        points, directions = np.empty((len(rows), 3)), np.zeros((len(rows), 6))
        for k, (number, component, _) in enumerate(rows):
            points[k] = self.grids.at(number, row.line) * self.units.length
            c = NAMES.index(component)
            directions[k, 3 * (c // 3) : 3 * (c // 3) + 3] = self.grids.axes(number, row.line)[c % 3]
        at = self.grids.at(reference, row.line) * self.units.length
        its = fit(points, at, directions, np.array([weight for _, _, weight in rows]))
        own = np.kron(np.eye(2), self.grids.axes(reference, row.line))
        node = int(self.grids.index(np.array([reference]), row.line)[0])
        for component in names:
            k = NAMES.index(component)
            if k > 2 and not self.turns[node]:
                continue
            if np.abs(own[k] @ its.open).max(initial=0.0) > 1e-6:
                raise row.error(
                    f"{name}: the components of its grid points don't determine {component} of {reference}"
                )
            terms: dict[tuple[str, str], float] = {}
            for there, c, value in global_terms(str(reference), component, 1.0, own[:3, :3]):
                terms[there, c] = value
            for (number, c, _), value in zip(rows, (own[k] @ its.G).tolist(), strict=True):
                for there, part, factor in global_terms(
                    str(number), c, -value, self.grids.axes(number, row.line)
                ):
                    terms[there, part] = terms.get((there, part), 0.0) + factor
            yield Equation(
                f"{name}, {component} of {reference}", tuple((*key, w) for key, w in terms.items() if w)
            )


def _same_for_all(weights: dict[str, float]) -> bool:
    """Return whether weights of components mean the same in all axes: those of displacements, and of rotations."""
    return all(len({weights.get(c, 0.0) for c in group}) == 1 for group in (NAMES[:3], NAMES[3:]))

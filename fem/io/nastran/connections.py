"""Connections of bulk data: RBE2, RBE3, RBAR, MPC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...common.errors import few
from ...mesh.places import FILE_FACTOR
from ...model.connections import Averaged, Rigid
from ...model.equations import Equation
from ...model.fitted import fit
from ...model.freedoms import NAMES
from ...model.parts import Part
from ..turned_axes import global_terms, same_in_all_axes
from ..units import Units
from .cards import Deck, Row
from .grids import Grids

_ALL = frozenset("123456")
_MOTIONS = frozenset("123")


class Connections:
    """Makes parts of cards; ``sets`` are the node sets that they refer to, by name.

    ``turning`` (n,): grid points with rotations, because elements give them some; ``alone`` (n,): those without
    elements.
    """

    def __init__(
        self, grids: Grids, units: Units, turning: np.ndarray, alone: np.ndarray, doubts: list[str]
    ) -> None:
        self.grids, self.units, self.turning, self.alone, self.doubts = grids, units, turning, alone, doubts
        self.sets: dict[str, np.ndarray] = {}
        self.following: set[int] = set()

    def all(self, deck: Deck, mpcs: list[int] | None) -> Iterator[tuple[int, Part]]:
        """Yield all connections with their lines; ``mpcs``: the sets of MPC that apply, None for all."""
        self.following = set(self._following_others(deck))
        for row in deck.rows("RBE2", "RBE3", "RBAR", "MPC"):
            if row.name == "RBE2":
                yield from ((row.line, part) for part in self._rbe2(row))
            elif row.name == "RBE3":
                yield from ((row.line, part) for part in self._rbe3(row))
            elif row.name == "RBAR":
                yield from ((row.line, part) for part in self._rbar(row))
            elif mpcs is None or row.whole(1) in mpcs:
                yield row.line, self._mpc(row)

    def _following_others(self, deck: Deck) -> Iterator[int]:
        """Yield the grid points that follow rigid elements, and those that several RBE3 have as their reference."""
        for row in deck.rows("RBE2"):
            yield from _members(row)
        for row in deck.rows("RBAR"):
            yield from (row.whole(2, 0), row.whole(3, 0))
        references = [row.whole(3, 0) for row in deck.rows("RBE3")]
        yield from (number for number in references if references.count(number) > 1)

    def _rbe2(self, row: Row) -> list[Part]:
        name, reference = f"RBE2 {row.whole(1)}", row.whole(2)
        return self._rigid(row, name, reference, row.word(3), _members(row))

    def _rbar(self, row: Row) -> list[Part]:
        name = f"RBAR {row.whole(1)}"
        a, b = row.whole(2), row.whole(3)
        if frozenset(row.word(4)) == _ALL and not row.word(5):
            lead, follow, components = a, b, row.word(7) or "123456"
        elif frozenset(row.word(5)) == _ALL and not row.word(4):
            lead, follow, components = b, a, row.word(6) or "123456"
        else:
            raise row.error(f"{name}: one grid point must have all six independent freedoms")
        return self._rigid(row, name, lead, components, [follow])

    def _rigid(self, row: Row, name: str, reference: int, word: str, numbers: list[int]) -> list[Part]:
        components = self._components(row, word)
        if not numbers:
            raise row.error(f"{name} has no dependent grid points")
        nodes = self.grids.index(np.array(numbers), row.line)
        self.grids.index(np.array([reference]), row.line)
        if components >= _MOTIONS and not self.turning[nodes].any():
            components = _ALL
        self.sets[f"{name} nodes"] = nodes
        what = tuple(NAMES[int(c) - 1] for c in sorted(components))
        if self.grids.turned[nodes].any() and not same_in_all_axes(dict.fromkeys(what, 0.0)):
            return [
                part for number in numbers for part in self._following(row, name, reference, number, what)
            ]
        chosen: str | tuple[str, ...] = "all" if what == NAMES else what
        return [Rigid(name, f"{name} nodes", reference=str(reference), components=chosen)]

    def _following(
        self, row: Row, name: str, reference: int, number: int, what: tuple[str, ...]
    ) -> Iterator[Part]:
        """Yield the equations by which a grid point follows another in some components of its own displacement axes."""
        axes, node, leader = self.grids.axes(number, row.line), str(number), str(reference)
        arm = (self.grids.at(number, row.line) - self.grids.at(reference, row.line)) * self.units.length
        for component in what:
            k = NAMES.index(component)
            if k > 2 and not self.turning[self.grids.index(np.array([number]), row.line)[0]]:
                continue
            terms = [
                *global_terms(node, component, 1.0, axes),
                *global_terms(leader, component, -1.0, axes),
            ]
            if k < 3:  # (theta x arm) . e = theta . (arm x e)
                swept = np.cross(arm, axes[k])
                terms += [(leader, NAMES[3 + j], -float(swept[j])) for j in range(3) if abs(swept[j]) > 1e-14]
            yield Equation(f"{name}, {component} of {node}", tuple(terms))

    def _components(self, row: Row, word: str) -> frozenset[str]:
        found = frozenset(word)
        if not word or found - _ALL:
            raise row.error(f"{row.name} {row.whole(1)}: {word!r} are no components (1 to 6)")
        return found

    def _rbe3(self, row: Row) -> Iterator[Part]:
        """Yield an averaging connection; equations where components are those of turned axes, or UM needs them.

        UM names other motions of the connection that depend; the equations between them are the same.
        """
        name, reference = f"RBE3 {row.whole(1)}", row.whole(3)
        taken = self._components(row, row.word(4))
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
                components = self._components(row, words[k + 1] if k + 1 < len(words) else "")
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
        count = sum(len(self._components(row, word)) for _, word in pairs)
        if len(words) % 2 or count != len(self._components(row, row.word(4))):
            raise row.error(
                f"{name}: UM names {count} components; it must name as many as REFC, {row.word(4)}"
            )

    def _with_rotations(
        self, row: Row, name: str, weights: dict[int, dict[str, float]]
    ) -> dict[int, dict[str, float]]:
        """Return weights without those of rotations that grid points don't have; a doubt tells these."""
        nodes = self.grids.index(np.array([*weights]), row.line)
        turning = self.turning[nodes] | self.alone[nodes]
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
            if k > 2 and not (self.turning[node] or self.alone[node]):
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

    def _mpc(self, row: Row) -> Part:
        """Return the equation of an MPC: its components are those of displacement axes (CD), rotations in rad."""
        name = f"MPC {row.whole(1)}, line {row.line % FILE_FACTOR}"
        terms: dict[tuple[str, str], float] = {}
        at = 2
        while at <= len(row.words):
            if row.word(at):
                number, component = row.whole(at), row.word(at + 1)
                value = row.real(at + 2)
                if component not in _ALL:
                    raise row.error(
                        f"an MPC has the component {component!r} of grid {number}; it must be one of 1 to 6"
                    )
                c = int(component) - 1
                direction = self.grids.axes(number, row.line)[c % 3]
                scale = self.units.length if c > 2 else 1.0
                for j in np.flatnonzero(np.abs(direction) > 1e-14):
                    key = str(number), NAMES[3 * (c // 3) + int(j)]
                    terms[key] = terms.get(key, 0.0) + value * scale * float(direction[j])
            # two terms on a line: fields 2 to 4 and 5 to 7, the next line begins one field later
            at += 3 if at % 8 == 2 else 5
        if not any(terms.values()):
            raise row.error("an MPC has no terms")
        return Equation(name, tuple((node, component, value) for (node, component), value in terms.items()))


def _members(row: Row) -> list[int]:
    """Return the dependent grid points of an RBE2."""
    given = [word for word in row.words[3:] if word]
    if given and not given[-1].isdecimal():  # thermal expansion
        row = Row(row.name, row.line, row.words[: 3 + _last(row.words[3:])])
    return row.members(4)


def _same_for_all(weights: dict[str, float]) -> bool:
    """Return whether weights of components mean the same in all axes: those of displacements, and of rotations."""
    return all(len({weights.get(c, 0.0) for c in group}) == 1 for group in (NAMES[:3], NAMES[3:]))


def _last(words: list[str]) -> int:
    """Return how many words stand before the last that is given."""
    return max(k for k, word in enumerate(words) if word)

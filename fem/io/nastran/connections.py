"""Connections of bulk data: RBE1, RBE2, RBE3, RBAR, RROD, RTRPLT, MPC."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...mesh.places import FILE_FACTOR
from ...model.connections import Rigid
from ...model.equations import Equation
from ...model.freedoms import NAMES
from ...model.parts import Part
from ..turned_components import global_terms, same_in_all_axes
from ..units import Units
from .averages import Averages
from .cards import Deck, Row
from .grids import Grids
from .rigid_bodies import RigidBodies, motions_of, rigid_rod

_ALL = frozenset("123456")
_MOTIONS = frozenset("123")


class Connections:
    """Makes parts of cards; ``sets`` are the node sets that they refer to, by name.

    ``turns`` (n,): grid points that have rotations, or may have them: their elements have, or they have none.
    """

    def __init__(self, grids: Grids, units: Units, turns: np.ndarray, doubts: list[str]) -> None:
        self.grids, self.units, self.turns, self.doubts = grids, units, turns, doubts
        self.sets: dict[str, np.ndarray] = {}
        self.bodies = RigidBodies(grids, units, turns)

    def all(self, deck: Deck, mpcs: list[int] | None) -> Iterator[tuple[int, Part]]:
        """Yield all connections with their lines; ``mpcs``: the sets of MPC that apply, None for all."""
        averages = Averages(
            self.grids, self.units, self.turns, set(self._following_others(deck)), self.doubts
        )
        for row in deck.rows("RBE1", "RBE2", "RBE3", "RBAR", "RROD", "RTRPLT", "MPC"):
            yield from ((row.line, part) for part in self._parts(row, averages, mpcs))
        self.sets |= averages.sets

    def _parts(self, row: Row, averages: Averages, mpcs: list[int] | None) -> Iterator[Part]:
        if row.name == "RBE2":
            yield from self._rbe2(row)
        elif row.name == "RBE3":
            yield from averages.parts(row)
        elif row.name == "RBAR":
            yield from self._rbar(row)
        elif row.name == "RROD":
            yield rigid_rod(row, self.grids)
        elif row.name in ("RBE1", "RTRPLT"):
            yield from self.bodies.equations(row, *motions_of(row))
        elif mpcs is None or row.whole(1) in mpcs:
            yield self._mpc(row)

    def _following_others(self, deck: Deck) -> Iterator[int]:
        """Yield the grid points that follow rigid elements, and those that several RBE3 have as their reference."""
        for row in deck.rows("RBE2"):
            yield from _members(row)
        for row in deck.rows("RBAR", "RROD"):
            yield from (row.whole(2, 0), row.whole(3, 0))
        for row in deck.rows("RBE1", "RTRPLT"):
            yield from (number for number, _ in motions_of(row)[1])
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
            return list(self.bodies.equations(row, *motions_of(row)))
        return self._rigid(row, name, lead, components, [follow])

    def _rigid(self, row: Row, name: str, reference: int, word: str, numbers: list[int]) -> list[Part]:
        components = row.components(word)
        if not numbers:
            raise row.error(f"{name} has no dependent grid points")
        nodes = self.grids.index(np.array(numbers), row.line)
        self.grids.index(np.array([reference]), row.line)
        if components >= _MOTIONS and not self.turns[nodes].any():
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
            if k > 2 and not self.turns[self.grids.index(np.array([number]), row.line)[0]]:
                continue
            terms = [
                *global_terms(node, component, 1.0, axes),
                *global_terms(leader, component, -1.0, axes),
            ]
            if k < 3:  # (theta x arm) . e = theta . (arm x e)
                swept = np.cross(arm, axes[k])
                terms += [(leader, NAMES[3 + j], -float(swept[j])) for j in range(3) if abs(swept[j]) > 1e-14]
            yield Equation(f"{name}, {component} of {node}", tuple(terms))

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


def _last(words: list[str]) -> int:
    """Return how many words stand before the last that is given."""
    return max(k for k, word in enumerate(words) if word)

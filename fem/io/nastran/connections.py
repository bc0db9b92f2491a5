"""Connections of bulk data: RBE2, RBE3, RBAR, MPC."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...mesh.places import FILE_FACTOR
from ...model.connections import Averaged, Rigid
from ...model.equations import Equation
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

    ``turning`` (n,): grid points with rotations, because elements give them some.
    """

    def __init__(self, grids: Grids, units: Units, turning: np.ndarray, doubts: list[str]) -> None:
        self.grids, self.units, self.turning, self.doubts = grids, units, turning, doubts
        self.sets: dict[str, np.ndarray] = {}

    def all(self, deck: Deck, mpcs: list[int] | None) -> Iterator[tuple[int, Part]]:
        """Yield all connections with their lines; ``mpcs``: the sets of MPC that apply, None for all."""
        for row in deck.rows("RBE2", "RBE3", "RBAR", "MPC"):
            if row.name == "RBE2":
                yield from ((row.line, part) for part in self._rbe2(row))
            elif row.name == "RBE3":
                yield row.line, self._rbe3(row)
            elif row.name == "RBAR":
                yield from ((row.line, part) for part in self._rbar(row))
            elif mpcs is None or row.whole(1) in mpcs:
                yield row.line, self._mpc(row)

    def _rbe2(self, row: Row) -> list[Part]:
        name, reference = f"RBE2 {row.whole(1)}", row.whole(2)
        given = [word for word in row.words[3:] if word]
        if given and not given[-1].isdecimal():  # thermal expansion
            row = Row(row.name, row.line, row.words[: 3 + _last(row.words[3:])])
        return self._rigid(row, name, reference, row.word(3), row.members(4))

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

    def _in_global_axes(
        self, row: Row, name: str, components: frozenset[str], nodes: np.ndarray
    ) -> str | tuple[str, ...]:
        """Return the names of components; an error where they are not those of turned axes (CD)."""
        names = tuple(NAMES[int(c) - 1] for c in sorted(components))
        if self.grids.turned[nodes].any() and not same_in_all_axes(dict.fromkeys(names, 0.0)):
            raise row.error(
                f"{name} takes the components {''.join(sorted(components))} in turned displacement axes (CD), which is "
                "not supported; give all six, or grid points with CD = 0"
            )
        return "all" if names == NAMES else names

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

    def _rbe3(self, row: Row) -> Part:
        name, reference = f"RBE3 {row.whole(1)}", row.whole(3)
        taken = self._components(row, row.word(4))
        words = [word for word in row.words[4:] if word]
        for end in ("UM", "ALPHA"):
            if end in words:
                if end == "UM":
                    raise row.error(f"{name}: UM (other dependent freedoms) is not supported")
                words = words[: words.index(end)]
        weights: dict[str, float] = {}
        weight, turned, k = 0.0, False, 0
        while k < len(words):
            if not words[k].isdecimal():
                weight = Row(row.name, row.line, [words[k]]).real(1)
                components = self._components(row, words[k + 1] if k + 1 < len(words) else "")
                if not components >= _MOTIONS:
                    raise row.error(f"{name}: only the components 123 of its grid points are supported")
                turned = turned or components > _MOTIONS
                k += 2
                continue
            if not weight > 0:
                raise row.error(f"{name}: its grid points have no weight")
            number = int(words[k])
            weights[str(number)] = weights.get(str(number), 0.0) + weight
            k += 1
        if not weights:
            raise row.error(f"{name} has no grid points")
        if turned:
            self.doubts.append(
                f"{name} averages the rotations of its grid points too (456); here their displacements alone are taken"
            )
        node = self.grids.index(np.array([reference]), row.line)
        chosen = self._in_global_axes(row, name, taken, node)
        self.sets[f"{name} nodes"] = self.grids.index(np.array([*map(int, weights)]), row.line)
        same = len(set(weights.values())) == 1
        return Averaged(
            name,
            f"{name} nodes",
            reference=str(reference),
            components=chosen,
            weights=1.0 if same else weights,
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


def _last(words: list[str]) -> int:
    """Return how many words stand before the last that is given."""
    return max(k for k, word in enumerate(words) if word)

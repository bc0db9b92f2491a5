"""Nonstructural masses of bulk data by property or element: NSM, NSM1, NSML, NSML1.

Reference: MSC Nastran Quick Reference Guide, NSM (bulk data entry) and the three others. A value is the mass of a unit
area or length; that of NSML, of each of its members, and that of NSML1, of all its members together, is a mass that is
spread evenly over areas or lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...elements import FACES
from ...elements.properties import Beam, GeneralShell, LayeredShell
from ...mesh.left_out import Omissions
from ...properties.material import Material
from ..nonstructural import HeavierElements, Section, size_of
from ..raw import RawMesh
from ..units import Units
from .cards import Deck, Row
from .elements import Elements
from .lines import Lines
from .shells import rounded

CARDS = ("NSM", "NSM1", "NSML", "NSML1")
#: properties that a type names
_TYPES = {
    **{name: (name,) for name in ("PSHELL", "PROD", "PTUBE", "PSHEAR", "CONROD")},
    **dict.fromkeys(("PCOMP", "PCOMPG"), ("PCOMP", "PCOMPG")),
    **dict.fromkeys(("PBAR", "PBARL"), ("PBAR", "PBARL")),
    **dict.fromkeys(("PBEAM", "PBEAML"), ("PBEAM", "PBEAML")),
}


@dataclass(eq=False)
class NonstructuralMasses:
    """Adds the masses of the sets that apply, ``chosen``, all of the file if None."""

    raw: RawMesh
    elements: Elements
    names: dict[int, str]  # of properties, such as "PSHELL 1"
    units: Units
    mass_factor: float
    chosen: list[int] | None
    left_out: Omissions
    lines: Lines

    def add(self, deck: Deck) -> None:
        """Make the properties of the elements of NSM cards heavier."""
        rows = []
        for row in deck.rows(*CARDS):
            if self.chosen is not None and row.whole(1) not in self.chosen:
                self.left_out.add(row.name, "this set is not chosen", self.lines.place(row.line))
                continue
            rows.append((row, 1 if self.chosen is None else self.chosen.count(row.whole(1))))
        if not rows:
            return
        self._heavier = HeavierElements(self.raw, self.units.length)
        self._measures = self._lengths_of_beams(self._heavier.measures.copy())
        blocks = self.raw.blocks
        self._ids = np.concatenate([block.ids for block in blocks])
        self._flat = np.concatenate([np.full(len(block), block.element in FACES) for block in blocks])
        kinds = np.concatenate([np.full(len(block), block.element.startswith("line")) for block in blocks])
        self._able = self._flat | kinds  # to have such a mass
        per = np.zeros(len(self._ids))
        for row, times in rows:
            for members, value in self._entries(row):
                per[members] += times * value
        self._apply(per)

    def _lengths_of_beams(self, measures: np.ndarray) -> np.ndarray:
        """Return the measures of elements with the lengths of beams between their offset ends."""
        starts = np.cumsum([0, *(len(block) for block in self.raw.blocks)])
        x = self.raw.points * self.units.length
        for name, its in self.raw.properties.items():
            if not (isinstance(its, Beam) and np.any(its.offset)):
                continue
            rows = self.raw.element_sets[name]
            for k, block in enumerate(self.raw.blocks):
                mine = rows[(rows >= starts[k]) & (rows < starts[k + 1])]
                if len(mine):
                    unit = replace(its, line_mass=1.0)
                    X = x[block.nodes[mine - starts[k]]]
                    measures[mine] = unit.samples(block.element, X).weights.sum(axis=1)
        return measures

    def _entries(self, row: Row) -> Iterator[tuple[np.ndarray, np.ndarray | float]]:
        """Yield elements of a card, and the mass of their unit area or length in SI."""
        words = [word for word in row.words[2:] if word]
        if "DISTR" in words:
            raise row.error(f"{row.name}: DISTR is not supported; spread masses over areas or lengths")
        if row.name.endswith("1"):
            yield self._spread(row, self._members(row, words[1:]), row.real(3))
            return
        if not words or len(words) % 2:
            raise row.error(f"{row.name} needs pairs of a number and a mass")
        for number, value in zip(words[::2], words[1::2], strict=True):
            yield self._spread(row, self._members(row, [number]), Row(row.name, row.line, [value]).real(1))

    def _members(self, row: Row, words: list[str]) -> np.ndarray:
        """Return the elements, counted through all blocks, that numbers of properties or elements name."""
        kind, everything = row.word(2), words == ["ALL"]
        numbers = [] if everything else Row(row.name, row.line, words).members(1)
        if not (everything or numbers):
            raise row.error(f"{row.name} names no {kind}")
        if kind == "ELEMENT":
            members = np.flatnonzero(self._able if everything else np.isin(self._ids, numbers))
            known = set(self._ids[members].tolist())
        elif kind in _TYPES:
            sign = -1 if kind == "CONROD" else 1
            there = {
                sign * number: number
                for number in self.elements.members
                if self.names.get(number, "").partition(" ")[0] in _TYPES[kind]
            }
            known = set(there if everything else there.keys() & set(numbers))
            found = [
                m for n in sorted(known) for its in self.elements.members[there[n]].values() for m in its
            ]
            members = np.concatenate([np.empty(0, np.int64), *found])
        else:
            raise row.error(f"{row.name}: TYPE {kind!r} is not supported; ELEMENT, {', '.join(_TYPES)} are")
        if lost := set(numbers) - known:
            self.left_out.add(
                f"members of {row.name} {row.whole(1)}",
                "no element has them",
                self.lines.place(row.line),
                len(lost),
            )
        if not self._able[members].all():
            wrong = int(self._ids[members[~self._able[members]]][0])
            raise row.error(
                f"{row.name}: element {wrong} is no shell, bar or rod, and can't have such a mass"
            )
        return members

    def _spread(self, row: Row, members: np.ndarray, value: float) -> tuple[np.ndarray, np.ndarray | float]:
        """Return elements, and the mass of a unit area or length of each, from the value of the file."""
        mass, length = self.units.density * self.units.length**3 * self.mass_factor, self.units.length
        flat = self._flat[members]
        if not row.name.startswith("NSML"):
            return members, value * mass / np.where(flat, length**2, length)
        if flat.any() and not flat.all():
            raise row.error(
                f"{row.name}: its mass can't be spread over areas and lengths at once; write two cards"
            )
        total = float(self._measures[members].sum())
        return members, value * mass / total if len(members) else 0.0

    def _apply(self, per: np.ndarray) -> None:
        """Give elements properties with so much more mass per area or length, (n,)."""
        raw = self.raw
        for name, _, its in list(self._heavier.parts(np.flatnonzero(per))):
            members = raw.element_sets[name]
            values = np.array([rounded(value) for value in per[members]])
            found = np.unique(values).tolist()
            if len(found) == 1:
                raw.properties[name] = _heavier(its, found[0])
                continue
            del raw.properties[name]  # the set of all its elements stays
            unit = "kg/m^2" if self._flat[members[0]] else "kg/m"
            for value in found:
                label = f"{name} with {value:.6g} {unit}"
                while label in raw.properties:
                    label += "'"
                raw.element_sets[label] = members[values == value]
                raw.properties[label] = _heavier(its, value) if value else its


def _heavier(its: Section, per: float) -> Section:
    """Return a property with so much more mass per area or length."""
    changed: dict[str, Any]
    if isinstance(its, Beam):
        own = its.material.rho * its.section.A if its.line_mass is None else its.line_mass
        return replace(its, line_mass=own + per)
    if isinstance(its, GeneralShell):
        return replace(its, mass=its.mass + per)
    more = per / size_of(its)
    if isinstance(its, LayeredShell):
        layers = [replace(one, material=_denser(one.material, more)) for one in its.layers]
        return replace(its, layers=tuple(layers))
    changed = {"material": _denser(its.material, more)}  # type: ignore[union-attr]
    return replace(its, **changed)  # type: ignore[type-var]


def _denser(material: Material, more: float) -> Material:
    return replace(material, rho=material.rho + more)

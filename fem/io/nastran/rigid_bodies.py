"""Rigid bodies of bulk data, six of whose motions lead others: RBE1, RTRPLT, mixed RBAR; and rigid rods, RROD."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...model.equations import Equation
from ...model.freedoms import NAMES
from ..turned_components import global_terms
from ..units import Units
from .cards import Row
from .grids import Grids

_DISPLACEMENTS = frozenset("123")
#: grid points with components, "1" to "6"
_Motions = list[tuple[int, str]]


def motions_of(row: Row) -> tuple[_Motions, _Motions]:
    """Return the motions that lead and those that follow, of RBE1, RTRPLT and RBAR."""
    if row.name == "RBE1":
        return _rbe1(row)
    if row.name == "RTRPLT":
        return _ends(row, [row.whole(k) for k in (2, 3, 4)], 5, 9)
    return _ends(row, [row.whole(2), row.whole(3)], 4, 6)


def _ends(row: Row, grids: list[int], independent: int, dependent: int) -> tuple[_Motions, _Motions]:
    """Return the motions that lead, fields ``independent`` on, and that follow, ``dependent`` on; or all others."""
    lead = [
        (number, c)
        for k, number in enumerate(grids)
        if row.word(independent + k)
        for c in sorted(row.components(row.word(independent + k)))
    ]
    follow = [
        (number, c)
        for k, number in enumerate(grids)
        if row.word(dependent + k)
        for c in sorted(row.components(row.word(dependent + k)))
    ]
    every = [(number, c) for number in grids for c in "123456"]
    return lead, follow or [one for one in every if one not in lead]


def _rbe1(row: Row) -> tuple[_Motions, _Motions]:
    """Return the motions that lead and follow: pairs of grid points and components before and after UM."""
    words = [word for word in row.words[1:] if word]
    if "UM" not in words:
        raise row.error(f"RBE1 {row.whole(1)} has no UM, the grid points that follow")
    at = words.index("UM")
    found = []
    for part in (words[:at], words[at + 1 :]):
        part = part if len(part) % 2 == 0 else part[:-1]  # thermal expansion
        pairs = zip(part[::2], part[1::2], strict=True)
        found.append(
            [(Row("", row.line, [n]).whole(1), c) for n, word in pairs for c in sorted(row.components(word))]
        )
    return found[0], found[1]


def rigid_rod(row: Row, grids: Grids) -> Equation:
    """Return the equation of a rigid rod: its grid points keep their distance."""
    name, a, b = f"RROD {row.whole(1)}", row.whole(2), row.whole(3)
    given = [word for word in (row.word(4), row.word(5)) if word]
    if len(given) != 1 or given[0] not in _DISPLACEMENTS:
        raise row.error(f"{name}: one of CMA and CMB must be one of 1 to 3")
    arm = grids.at(b, row.line) - grids.at(a, row.line)
    length = np.linalg.norm(arm)
    if not length > 0:
        raise row.error(f"{name} has no length")
    first = a if row.word(4) else b
    terms = [
        (str(number), NAMES[j], float(sign * arm[j] / length))
        for number, sign in sorted(((a, -1.0), (b, 1.0)), key=lambda end: end[0] != first)
        for j in np.argsort(-np.abs(arm))
        if abs(arm[j]) > 1e-14 * length
    ]
    return Equation(name, tuple(terms))


@dataclass(eq=False)
class RigidBodies:
    """Makes the equations of rigid bodies; ``turns`` (n,): grid points that have rotations, or may have them."""

    grids: Grids
    units: Units
    turns: np.ndarray

    def equations(self, row: Row, independent: _Motions, dependent: _Motions) -> Iterator[Equation]:
        """Yield equations of a rigid body, six of whose motions lead others, all along displacement axes."""
        name = f"{row.name} {row.whole(1)}"
        if len(independent) != 6:
            raise row.error(f"{name} has {len(independent)} independent freedoms; there must be six")
        turns = [
            number
            for number, c in independent
            if c not in _DISPLACEMENTS and not self._turns(number, row.line)
        ]
        if turns:
            raise row.error(f"{name} leads by rotations of grid point {turns[0]}, which has none")
        middle = np.mean([self.grids.at(number, row.line) for number, _ in independent], axis=0)
        lead = np.array([self._form(row, number, c, middle) for number, c in independent])
        size = max(np.abs(lead[:, 3:]).max(), 1e-300)
        scale = np.repeat([1.0, 1.0 / size], 3)
        if np.linalg.cond(lead * scale) > 1e10:
            raise row.error(f"{name}: its independent freedoms don't determine the motion of a rigid body")
        inverse = np.linalg.solve(lead * scale, np.eye(6))
        for number, c in dependent:
            component = NAMES[int(c) - 1]
            if c not in _DISPLACEMENTS and not self._turns(number, row.line):
                continue
            weights = (self._form(row, number, c, middle) * scale) @ inverse
            terms: dict[tuple[str, str], float] = {}
            pairs = [
                (number, c, 1.0),
                *((n, k, -float(w)) for (n, k), w in zip(independent, weights, strict=True)),
            ]
            for there, k, value in pairs:
                axes = self.grids.axes(there, row.line)
                for node, part, factor in global_terms(str(there), NAMES[int(k) - 1], value, axes):
                    terms[node, part] = terms.get((node, part), 0.0) + factor
            kept = tuple((*key, value) for key, value in terms.items() if abs(value) > 1e-14)
            yield Equation(f"{name}, {component} of {number}", kept)

    def _form(self, row: Row, number: int, c: str, at: np.ndarray) -> np.ndarray:
        """Return a component (6,) along displacement axes of a rigid motion about ``at`` (3,), lengths in m."""
        k = int(c) - 1
        e = self.grids.axes(number, row.line)[k % 3]
        arm = (self.grids.at(number, row.line) - at) * self.units.length
        return np.concatenate([e, np.cross(arm, e)] if k < 3 else [0 * e, e])

    def _turns(self, number: int, line: int) -> bool:
        return bool(self.turns[self.grids.index(np.array([number]), line)[0]])

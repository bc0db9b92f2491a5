"""Shells of bulk data: CQUAD4, CTRIA3, CQUADR, CTRIAR, CQUAD8, CTRIA6 with PSHELL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...elements import SHAPES
from ...elements.properties import Shell
from ...properties.material import Orthotropic
from ..units import Units
from .cards import Deck, Row, Table
from .elements import Elements, Key
from .grids import Grids
from .lines import CardError
from .materials import Materials

#: digits to which directions and offsets of elements are compared
DIGITS = 12


class _Form(NamedTuple):
    """The kind of a card's elements, and its fields: THETA or MCID, ZOFFS, TFLAG, first thickness."""

    kind: str
    theta: int
    offset: int
    flag: int
    thickness: int


_FORMS = {
    "CQUAD4": _Form("quad4", 7, 8, 10, 11),
    "CQUADR": _Form("quad4", 7, 8, 10, 11),
    "CTRIA3": _Form("tri3", 6, 7, 10, 11),
    "CTRIAR": _Form("tri3", 6, 7, 10, 11),
    "CQUAD8": _Form("quad8", 15, 16, 17, 11),
    "CTRIA6": _Form("tri6", 9, 10, 14, 11),
}


def add_shells(elements: Elements, deck: Deck, grids: Grids, turned: set[int]) -> None:
    """Add shells.

    ``turned``: properties whose stiffness depends on a direction in the shell. The key of a shell is (thickness or 0,
    offset, three components of the direction or none).
    """
    for card, form in _FORMS.items():
        for table in deck.of(card):
            _add(elements, table, form, grids, turned)


def _add(elements: Elements, table: Table, form: _Form, grids: Grids, turned: set[int]) -> None:
    count = SHAPES[form.kind].n_nodes
    ids = table.ints(1)
    pids = table.ints(2, 0)
    pids = np.where(pids == 0, ids, pids)
    numbers = table.numbers(3, count)
    if (numbers == 0).any():
        k = int(np.flatnonzero((numbers == 0).any(axis=1))[0])
        raise CardError(
            int(table.lines[k]),
            f"{table.name} {ids[k]} has {(numbers[k] != 0).sum()} grid points; all {count} must be given",
        )
    nodes = grids.index(numbers, table.lines)
    thickness, offset = _thickness(table, form), table.reals(form.offset, 0.0)
    plain = not thickness.any() and not offset.any() and not np.isin(pids, [*turned]).any()
    keys: list[Key] | None = None
    if not plain:
        directions = _directions(table, form, grids, nodes, np.isin(pids, [*turned]))
        keys = [
            (rounded(t), rounded(z), *(tuple(map(rounded, d)) if d.any() else ()))
            for t, z, d in zip(thickness, offset, directions, strict=True)
        ]
    else:
        keys = [(0.0, 0.0)] * len(ids)
    elements.add(form.kind, nodes, ids, pids, table.lines, keys)


def rounded(value: float) -> float:
    """Return a number with as many digits as are compared."""
    return float(f"{value:.{DIGITS}g}") + 0.0 if abs(value) > 1e-13 else 0.0


def _thickness(table: Table, form: _Form) -> np.ndarray:
    """Return the thickness (n,) that each element gives for its corners, 0 for that of the property."""
    corners = 4 if form.kind.startswith("quad") else 3
    given = np.column_stack([table.given(form.thickness + k) for k in range(corners)])
    if not given.any():
        return np.zeros(len(table))
    values = np.column_stack([table.reals(form.thickness + k, 0.0) for k in range(corners)])
    scaled = (table.ints(form.flag, 0) == 1) & given.any(axis=1)
    uneven = given.any(axis=1) & (np.ptp(values, axis=1) > 1e-12 * np.abs(values).max(axis=1))
    wrong = scaled | uneven
    if wrong.any():
        why = "its thickness varies" if uneven[wrong][0] else "TFLAG = 1 is not supported"
        raise CardError(
            int(table.lines[wrong][0]), f"{table.name} {table.ints(1)[wrong][0]}: {why}; give one thickness"
        )
    return values[:, 0]


def _directions(table: Table, form: _Form, grids: Grids, nodes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the direction of the material's first axis (n, 3) of the elements that need one, zero for others."""
    found = np.zeros((len(table), 3))
    text = table.text(form.theta)
    for k in np.flatnonzero(wanted):
        word, X = text[k].decode("latin-1"), grids.points[nodes[k]]
        line = int(table.lines[k])
        if word and word.lstrip("+-").isdecimal():
            found[k] = grids.system(int(word), line).axes_at(X.mean(axis=0))[0]
            continue
        angle = np.radians(Row(table.name, line, [word]).real(1, 0.0))
        side = X[1] - X[0]
        normal = np.cross(side, X[2] - X[0]) if len(X) in (3, 6) else np.cross(X[2] - X[0], X[3] - X[1])
        length = np.linalg.norm(normal)
        if length == 0 or not side.any():
            raise CardError(line, f"{table.name} {table.ints(1)[k]} has no area")
        normal = normal / length
        side = side - (side @ normal) * normal
        side /= np.linalg.norm(side)
        found[k] = np.cos(angle) * side + np.sin(angle) * np.cross(normal, side)
    return found


@dataclass(eq=False)
class PlateSection:
    """A PSHELL: one material in membrane, bending and transverse shear."""

    row: Row
    units: Units
    mass_factor: float

    def materials(self) -> set[int]:
        """Return the numbers of its materials."""
        return {self.row.whole(2, 0)}

    def doubts(self) -> list[str]:
        """Return what is read otherwise than Nastran computes it."""
        if self.row.word(6):
            return []
        return [
            f"PSHELL {self.row.whole(1)} has no MID3, which means rigid in transverse shear; here its material's shear "
            "stiffness is taken, which matters in thick plates only"
        ]

    def shell(self, materials: Materials, key: Key) -> Shell | str:
        """Return the property of elements with a key of :func:`add_shells`, or why there is none."""
        row, mid = self.row, self.row.whole(2, 0)
        self._check(mid)
        thickness = (key[0] or row.real(3, 0.0)) * self.units.length
        if not thickness > 0:
            raise row.error("PSHELL has no thickness, nor have its elements")
        material = materials.found.get(mid)
        if material is None:
            return materials.why_not(mid)
        if row.word(8):
            extra = row.real(8) * self.units.density * self.units.length * self.mass_factor / thickness
            material = replace(material, rho=material.rho + extra)
        if isinstance(material, Orthotropic):
            material = replace(material, axes=_axes(key[2:]))
        return Shell(material, thickness, offset=key[1] * self.units.length)

    def _check(self, mid: int) -> None:
        """Raise CardError for plates whose membrane, bending and shear are not those of one material."""
        row = self.row
        wrong = []
        if mid < 1:
            wrong.append("MID1 is blank (no membrane)")
        if row.whole(4, 0) != mid:
            wrong.append("MID2 differs from MID1" if row.word(4) else "MID2 is blank (no bending)")
        if abs(row.real(5, 1.0) - 1) > 1e-6:
            wrong.append(f"12I/T**3 is {row.real(5):g}")
        if row.word(6) and row.whole(6) != mid:
            wrong.append("MID3 differs from MID1")
        if abs(row.real(7, 5 / 6) - 5 / 6) > 1e-3:
            wrong.append(f"TS/T is {row.real(7):g}")
        if row.word(11):
            wrong.append("MID4 couples membrane and bending")
        if wrong:
            raise row.error(f"PSHELL {row.whole(1)} is not a plate of one material: {', '.join(wrong)}")


def _axes(direction: tuple[float, ...]) -> Any:
    """Return three directions at right angles, the first as given; a shell projects it on its surface."""
    first = np.array(direction)
    other = np.eye(3)[np.argmin(np.abs(first))]
    third = np.cross(first, other)
    third /= np.linalg.norm(third)
    return tuple(map(tuple, (first, np.cross(third, first), third)))

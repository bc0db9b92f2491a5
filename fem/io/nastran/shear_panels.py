"""Shear panels of bulk data: CSHEAR with PSHEAR, and the bars along their sides that PSHEAR adds (F1 to F4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...elements.properties import ShearPanel
from ...elements.shell.geometry import element_frame
from ...model.parts import Part, Spring
from ..units import Units
from .bars import isotropic
from .cards import Deck, Row
from .elements import Elements, Key
from .grids import Grids
from .materials import Materials, Missing

#: effectiveness up to which it is a part of the panel; above, it is twice the area over the square of the thickness
_LARGEST_PART = 1.01


@dataclass(eq=False)
class PanelSection:
    """A PSHEAR: material, thickness, mass of a unit area beside its own."""

    row: Row
    units: Units
    mass_factor: float

    def panel(self, materials: Materials, key: Key) -> ShearPanel:
        """Return the property of its panels."""
        row, length = self.row, self.units.length
        thickness = row.real(3, 0.0) * length
        if not thickness > 0:
            raise row.error(f"PSHEAR {row.whole(1)} has no thickness")
        material = isotropic(row, materials, row.whole(2))
        if extra := row.real(4, 0.0) * self.units.density * length * self.mass_factor:
            material = replace(material, rho=material.rho + extra / thickness)
        return ShearPanel(material, thickness)


def add_panels(elements: Elements, deck: Deck, grids: Grids) -> None:
    """Add CSHEAR."""
    for table in deck.of("CSHEAR"):
        ids, pids = table.ints(1), table.ints(2, 0)
        nodes = grids.index(table.numbers(3, 4), table.lines)
        elements.add("quad4", nodes, ids, np.where(pids == 0, ids, pids), table.lines)


def bars_of_panels(
    deck: Deck, grids: Grids, materials: Materials, units: Units
) -> Iterator[tuple[int, Part]]:
    """Yield, with their lines, the bars without mass along the sides of panels, as springs E A / l.

    F1 to F4 are for the sides 1-2, 2-3, 3-4, 4-1; F3 and F4 are those of Autodesk Nastran (Reference
    Manual, PSHEAR; other programs have F1 and F2 alone), and as F1 and F2 if they are blank. Up to 1.01 the area is
    F T A / (l + l'), A that of the panel, l and l' the lengths of the side and of the opposite side; above, F T^2 / 2.
    """
    properties = {row.whole(1): row for row in deck.rows("PSHEAR")}
    for row in deck.rows("CSHEAR"):
        its = properties.get(row.whole(2, row.whole(1)))
        if its is None or not any(its.real(k, 0.0) for k in (5, 6, 7, 8)):
            continue
        try:
            E = isotropic(its, materials, its.whole(2)).E
        except Missing:  # the property of the panel, which lacks the same, is told
            continue
        numbers, T = [row.whole(3 + k) for k in range(4)], its.real(3, 0.0)
        X = np.array([grids.at(number, row.line) for number in numbers])
        lengths = np.linalg.norm(np.roll(X, -1, axis=0) - X, axis=1)
        frame = element_frame("quad4", X[None])[0]
        area = 0.5 * float(np.cross(X[2] - X[0], X[3] - X[1]) @ frame[2])
        F = [its.real(5, 0.0), its.real(6, 0.0)]
        F += [its.real(7 + k, F[k]) for k in (0, 1)]
        for k, factor in enumerate(F):
            bar = (
                factor * T * area / (lengths[k] + lengths[k - 2])
                if factor <= _LARGEST_PART
                else 0.5 * factor * T**2
            )
            if bar > 0 and lengths[k] > 0:
                ends = str(numbers[k]), str(numbers[(k + 1) % 4])
                yield row.line, Spring(*ends, float(E * bar * units.length / lengths[k]))

"""Supports of bulk data: SPC, SPC1, SPCADD and those of GRID."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...mesh.left_out import Omissions
from ...model.freedoms import NAMES
from ..turned_axes import same_in_all_axes
from ..units import Units
from .cards import Deck, Row
from .grids import Grids
from .lines import Lines

_TURNED = "supports in some of the turned displacement axes (CD) can't be kept"


@dataclass(eq=False)
class Supports:
    """Supports by node set, and the sets."""

    found: dict[str, dict[str, float] | tuple[str, ...]] = field(default_factory=dict)
    sets: dict[str, np.ndarray] = field(default_factory=dict)


def chosen_sets(deck: Deck, add: str, name: str, chosen: list[int] | None) -> list[int] | None:
    """Return the numbers of SPC or MPC sets that apply, SPCADD or MPCADD written out.

    ``chosen`` by case control; None for a file without it, where all apply if there is one set alone: then None.
    """
    sums = {row.whole(1): row.members(2) for row in deck.rows(add)}
    if chosen is None:
        numbers = {row.whole(1) for row in deck.rows(name, f"{name}1")}
        if len(sums) == 1:
            return next(iter(sums.values()))
        return None if len(numbers) <= 1 else []
    return [member for number in chosen for member in sums.get(number, [number])]


def supports_of(
    deck: Deck, grids: Grids, units: Units, chosen: list[int] | None, left_out: Omissions, lines: Lines
) -> Supports:
    """Return the supports that apply; others are left out."""
    supports = Supports()
    held: dict[tuple[int, str, float], list[int]] = {}
    for row in deck.rows("SPC", "SPC1"):
        if chosen is not None and row.whole(1) not in chosen:
            left_out.add(row.name, "case control does not choose this set of supports", lines.place(row.line))
            continue
        for number, components, value in _held(row, grids):
            _check(row, components)
            nodes = grids.index(np.array([number]), row.line)
            if grids.turned[nodes].any() and not same_in_all_axes(_named(components, value)):
                left_out.add(row.name, _TURNED, lines.place(row.line))
                continue
            held.setdefault((row.whole(1), components, value), []).append(int(nodes[0]))
    for components, nodes in grids.held.items():
        if not same_in_all_axes(_named(components, 0.0)):
            lost = grids.turned[nodes]
            if lost.any():
                left_out.add("support of GRID", f"{_TURNED}: components {components}", count=int(lost.sum()))
            nodes = nodes[~lost]
            if not len(nodes):
                continue
        held.setdefault((0, components, 0.0), []).extend(nodes.tolist())
    for (sid, components, value), members in held.items():
        names = _named(components, value)
        title = f"SPC {sid}" if sid else "GRID"
        label = f"{title} held in {components}" + (f" at {value:g}" if value else "")
        supports.sets[label] = np.unique(members)
        supports.found[label] = (
            {name: value * (1.0 if name.startswith("r") else units.length) for name in names}
            if value
            else tuple(names)
        )
    return supports


def _named(components: str, value: float) -> dict[str, float]:
    return dict.fromkeys((NAMES[int(c) - 1] for c in components), value)


def _held(row: Row, grids: Grids) -> list[tuple[int, str, float]]:
    """Return (grid, components, value) of the card; a range (THRU) holds those grid points that exist."""
    if row.name == "SPC1":
        numbers = np.array(row.members(3), np.int64)
        kept = numbers[np.isin(numbers, grids.ids)] if "THRU" in row.words else numbers
        return [(int(number), row.word(2), 0.0) for number in kept]
    found = []
    for at in (2, 5):
        if row.word(at) and row.word(at) != "0":
            found.append((row.whole(at), row.word(at + 1), row.real(at + 2, 0.0)))
    return found


def _check(row: Row, components: str) -> None:
    if not components or set(components) - set("123456"):
        raise row.error(f"{components!r} are no components (1 to 6)")

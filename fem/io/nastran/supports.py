"""Supports of bulk data: SPC, SPC1, SPCADD and those of GRID."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...mesh.left_out import Omissions
from ...model.equations import Equation
from ...model.freedoms import NAMES
from ..turned_axes import global_support
from ..turned_components import same_in_all_axes
from ..units import Units
from .cards import Deck, Row
from .grids import Grids
from .lines import Lines

_TURNED = "a value along a turned displacement axis (CD) can't be kept"


@dataclass(eq=False)
class Supports:
    """Supports by node set, and the sets."""

    found: dict[str, dict[str, float] | tuple[str, ...]] = field(default_factory=dict)
    sets: dict[str, np.ndarray] = field(default_factory=dict)
    equations: list[Equation] = field(default_factory=list)


def cards_of(name: str) -> tuple[str, ...]:
    """Return the cards with members of SPC, MPC or NSM sets."""
    return (name, f"{name}1", f"{name}L", f"{name}L1") if name == "NSM" else (name, f"{name}1")


def chosen_sets(deck: Deck, add: str, name: str, chosen: list[int] | None) -> list[int] | None:
    """Return the numbers of SPC, MPC or NSM sets that apply, SPCADD, MPCADD or NSMADD written out.

    ``chosen`` by case control; None for a file without it, where all apply if there is one set alone: then None.
    """
    sums = {row.whole(1): row.members(2) for row in deck.rows(add)}
    if chosen is None:
        numbers = {row.whole(1) for row in deck.rows(*cards_of(name))}
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
    turned: dict[int, _Turned] = {}

    def hold(sid: int, node: int, components: str, value: float, row: Row | None = None) -> None:
        named = dict.fromkeys((NAMES[int(c) - 1] for c in components), value)
        if not grids.turned[node] or same_in_all_axes(named):
            held.setdefault((sid, components, value), []).append(node)
        if grids.turned[node]:
            its = turned.setdefault(node, _Turned(sid))
            its.held |= named
            its.row = row or its.row
            its.whole |= named.keys() if same_in_all_axes(named) else set()

    scalar = {number for row in deck.rows("SPOINT") for number in row.members(1)}
    for row in deck.rows("SPC", "SPC1"):
        if chosen is not None and row.whole(1) not in chosen:
            left_out.add(row.name, "this set of supports is not chosen", lines.place(row.line))
            continue
        for number, components, value in _held(row, grids):
            if number in scalar:  # no element has it, or the deck is refused
                continue
            _check(row, components)
            hold(row.whole(1), int(grids.index(np.array([number]), row.line)[0]), components, value, row)
    for components, nodes in grids.held.items():
        for node in nodes.tolist():
            hold(0, node, components, 0.0)
    for node, its in turned.items():
        some = {name: value for name, value in its.held.items() if name not in its.whole}
        number = int(grids.ids[node])
        kept, equations, lost = global_support(str(number), some, grids.axes(number, 0))
        supports.equations += equations
        for value in dict.fromkeys(kept.values()):
            components = "".join(str(NAMES.index(name) + 1) for name in NAMES if kept.get(name) == value)
            held.setdefault((its.sid, components, value), []).append(node)
        if lost and its.row:
            left_out.add(its.row.name, _TURNED, lines.place(its.row.line))
    for (sid, components, value), members in held.items():
        names = [NAMES[int(c) - 1] for c in components]
        title = f"SPC {sid}" if sid else "GRID"
        label = f"{title} held in {components}" + (f" at {value:g}" if value else "")
        supports.sets[label] = np.unique(members)
        supports.found[label] = (
            {name: value * (1.0 if name.startswith("r") else units.length) for name in names}
            if value
            else tuple(names)
        )
    return supports


@dataclass(eq=False)
class _Turned:
    """What a grid point with turned axes is held in, what of it is kept as it is, its first set and last card."""

    sid: int
    held: dict[str, float] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    row: Row | None = None


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

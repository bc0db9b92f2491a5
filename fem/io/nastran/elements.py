"""Elements of bulk data as blocks in VTK's node order, and the groups that share a property."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...elements import SHAPES
from ...mesh.block import Block
from ...mesh.places import Places
from .cards import Deck, Row, Table
from .grids import Grids
from .lines import CardError
from .solid_orders import ORDERS

#: names of the elements by card and number of corners: linear, quadratic
SOLIDS = {
    "CTETRA": ("tet4", "tet10"),
    "CHEXA": ("hex8", "hex20"),
    "CPENTA": ("wedge6", "wedge15"),
    "CPYRAM": ("pyramid5", "pyramid13"),
    "CPYRA": ("pyramid5", "pyramid13"),
}

#: what distinguishes elements of one property, such as thickness, offset and direction
Key = tuple


@dataclass(eq=False)
class Elements:
    """Blocks of elements, and their members by number of the property and by key, counted through all blocks."""

    blocks: list[Block] = field(default_factory=list)
    lines: list[np.ndarray] = field(default_factory=list)
    members: dict[int, dict[Key, list[np.ndarray]]] = field(default_factory=dict)
    kinds: dict[int, dict[str, int]] = field(default_factory=dict)
    first_line: dict[int, int] = field(default_factory=dict)
    count: int = 0
    files: tuple[str, ...] = ("",)

    def add(
        self,
        kind: str,
        nodes: np.ndarray,
        ids: np.ndarray,
        pids: np.ndarray,
        lines: np.ndarray,
        keys: list[Key] | None = None,
    ) -> None:
        """Add elements of one kind with their properties, and keys by element."""
        if not len(ids):
            return
        if (ids < 1).any():
            raise CardError(lines[ids < 1][0], f"an element can't have the number {ids[ids < 1][0]}")
        self.blocks.append(Block(kind, nodes, ids, Places(np.asarray(lines), self.files)))
        self.lines.append(np.asarray(lines))
        for pid in np.unique(pids):
            mine = np.flatnonzero(pids == pid)
            table = self.members.setdefault(int(pid), {})
            if keys is None:
                table.setdefault((), []).append(self.count + mine)
            else:
                by_key: dict[Key, list[int]] = {}
                for k in mine:
                    by_key.setdefault(keys[k], []).append(self.count + int(k))
                for key, found in by_key.items():
                    table.setdefault(key, []).append(np.array(found))
            counts = self.kinds.setdefault(int(pid), {})
            counts[kind] = counts.get(kind, 0) + len(mine)
            self.first_line.setdefault(int(pid), int(lines[mine[0]]))
        self.count += len(ids)

    def check_numbers(self) -> None:
        """Raise CardError for two elements of one number."""
        if not self.blocks:
            return
        ids = np.concatenate([block.ids for block in self.blocks])
        lines = np.concatenate(self.lines)
        order = np.argsort(ids, kind="stable")
        again = np.flatnonzero(ids[order][1:] == ids[order][:-1])
        if len(again):
            pair = lines[order[again[0] : again[0] + 2]]
            raise CardError(int(pair.max()), f"element {ids[order[again[0]]]} is given twice")


#: the properties that elements take
_PROPERTIES = {
    **dict.fromkeys(SOLIDS, ("PSOLID",)),
    **dict.fromkeys(
        ("CQUAD4", "CTRIA3", "CQUADR", "CTRIAR", "CQUAD8", "CTRIA6"), ("PSHELL", "PCOMP", "PCOMPG")
    ),
    **dict.fromkeys(("CBAR", "CBEAM"), ("PBAR", "PBARL", "PBEAM", "PBEAML")),
    "CROD": ("PROD",),
    "CTUBE": ("PTUBE",),
    "CSHEAR": ("PSHEAR",),
}


def check_properties(deck: Deck, rows: dict[int, Row]) -> None:
    """Raise CardError for elements whose property, of ``rows`` by number, is one of other elements."""
    for card, names in _PROPERTIES.items():
        for table in deck.of(card):
            ids, pids = table.ints(1), table.ints(2, 0)
            pids = np.where(pids == 0, ids, pids)
            for pid in np.unique(pids).tolist():
                if pid in rows and rows[pid].name not in names:
                    first = int(np.flatnonzero(pids == pid)[0])
                    raise CardError(
                        int(table.lines[first]),
                        f"{card} {ids[first]} has the property {pid}, which is a {rows[pid].name}; it takes "
                        f"{' or '.join(names)}",
                    )


def add_solids(elements: Elements, deck: Deck, grids: Grids) -> None:
    """Add tetrahedra, bricks, wedges and pyramids of both orders."""
    for card, kinds in SOLIDS.items():
        for table in deck.of(card):
            _add_both_orders(elements, table, grids, kinds)


def _add_both_orders(elements: Elements, table: Table, grids: Grids, kinds: tuple[str, str]) -> None:
    corners, full = SHAPES[kinds[0]].n_nodes, SHAPES[kinds[1]].n_nodes
    ids = table.ints(1)
    pids = table.ints(2, 0)
    pids = np.where(pids == 0, ids, pids)
    if table.width > 2 + full and any(table.given(k).any() for k in range(3 + full, table.width + 1)):
        raise CardError(int(table.lines[0]), f"a {table.name} has at most {full} grid points")
    numbers = table.numbers(3, full)
    given = (numbers != 0).sum(axis=1)
    linear = (numbers[:, corners:] == 0).all(axis=1)
    wrong = (numbers[:, :corners] == 0).any(axis=1) | (~linear & (given < full))
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise CardError(
            int(table.lines[k]),
            f"{table.name} {ids[k]} has {given[k]} grid points; {corners} or all {full} must be given",
        )
    for kind, rows, count in ((kinds[0], linear, corners), (kinds[1], ~linear, full)):
        if rows.any():
            nodes = grids.index(numbers[rows, :count], table.lines[rows])
            nodes = nodes[:, ORDERS[kind]] if kind in ORDERS else nodes
            elements.add(kind, nodes, ids[rows], pids[rows], table.lines[rows])

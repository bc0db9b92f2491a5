"""The nodes and elements that ANSYS has selected: what ``D,ALL`` and ``CM`` act on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .source import Source, integer, number

#: attributes of elements by which they are selected
_ATTRIBUTES = {"TYPE": "type", "MAT": "material", "REAL": "real", "SEC": "section", "ELEM": "number"}


class Selection:
    """The selected nodes ("NODE") and elements ("ELEM"); those that are defined later are selected too.

    ``_base``: numbers that were selected by the last command, None for all, False where it is not known; ``_since``:
    number of blocks that were there then.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.deck = source, source.deck
        self.csys = 0
        self._base: dict[str, np.ndarray | bool | None] = {}
        self._since: dict[str, int] = {}
        self.everything()

    def everything(self, words: Sequence[str] = ()) -> None:
        """Select all, or with NODE or ELEM (ALLSEL,BELOW) all of these."""
        self._base, self._since = {"NODE": None, "ELEM": None}, {"NODE": 0, "ELEM": 0}

    def members(self, kind: str) -> np.ndarray | None:
        """Return the numbers of the selected nodes or elements; None where they are not known."""
        base = self._base[kind]
        if base is None:
            return self._all(kind)
        if isinstance(base, bool):
            return None
        return np.union1d(base, self._all(kind, self._since[kind]))

    def _all(self, kind: str, start: int = 0) -> np.ndarray:
        blocks = (
            [its.ids for its in self.deck.nodes] if kind == "NODE" else [b.number for b in self.deck.elements]
        )
        return np.unique(np.concatenate([np.empty(0, np.int64), *blocks[start:]]))

    def _put(self, kind: str, base: np.ndarray | bool | None) -> None:
        self._base[kind] = base
        self._since[kind] = len(self.deck.nodes if kind == "NODE" else self.deck.elements)

    def _combine(self, kind: str, how: str, found: np.ndarray | None) -> None:
        """Change the selection by S (new), R (of it), A (added), U (taken away)."""
        before = self.members(kind) if how != "S" else self._all(kind)
        if found is None or before is None or how not in ("S", "R", "A", "U"):
            self._put(kind, False)
            return
        if how == "A":
            self._put(kind, np.union1d(before, found))
        else:
            self._put(kind, (np.setdiff1d if how == "U" else np.intersect1d)(before, found))

    # ---- commands

    def select(self, words: list[str]) -> None:
        """Follow NSEL or ESEL."""
        kind = "ELEM" if words[0].upper()[:4] == "ESEL" else "NODE"
        words = [*words, *[""] * 7]
        how, item = (words[1].upper() or "S")[:4], words[2].upper()[:4]
        if how == "ALL":
            self._put(kind, None)
        elif how == "NONE":
            self._put(kind, np.empty(0, np.int64))
        elif how == "INVE":
            now = self.members(kind)
            self._put(kind, False if now is None else np.setdiff1d(self._all(kind), now))
        else:
            self._combine(kind, how[:1], self._found(kind, item, words))

    def _found(self, kind: str, item: str, words: list[str]) -> np.ndarray | None:
        """Return all nodes or elements within the bounds of a command; None for items that are not followed."""
        low, high = number(words, 4), number(words, 5) if words[5] else number(words, 4)
        step = max(1, integer(words, 6))
        if item == ("NODE" if kind == "NODE" else "ELEM"):
            return np.arange(int(low), int(high) + 1, step)
        if kind == "ELEM" and item in _ATTRIBUTES and not words[3]:
            blocks = self.deck.elements
            wanted = np.arange(int(low), int(high) + 1, step)
            found = [b.number[np.isin(vars(b)[_ATTRIBUTES[item]], wanted)] for b in blocks]
            return np.concatenate([np.empty(0, np.int64), *found])
        if item == "LOC" and kind == "NODE" and self.csys == 0 and words[3].upper() in ("X", "Y", "Z"):
            reach = 1e-8 * (high - low) if high != low else 0.005 * abs(low) or 1e-6  # ANSYS' own tolerances
            column = "XYZ".index(words[3].upper())
            found = [
                b.ids[(b.points[:, column] >= low - reach) & (b.points[:, column] <= high + reach)]
                for b in self.deck.nodes
            ]
            return np.concatenate([np.empty(0, np.int64), *found])
        return None

    def component(self, words: list[str]) -> None:
        """Follow CMSEL."""
        words = [*words, *[""] * 3]
        how, name = (words[1].upper() or "S")[:1], words[2].upper()
        known = {"NODE": self.deck.node_components, "ELEM": self.deck.element_components}
        for kind, components in known.items():
            found = next((ids for its, ids in components.items() if its.upper() == name), None)
            if found is not None:
                self._combine(kind, how, found)
                return
        for kind in known:
            self._put(kind, False)

    def nodes_of_elements(self, words: list[str]) -> None:
        """Follow NSLE: the nodes of the selected elements."""
        words = [*words, *[""] * 3]
        chosen = self.members("ELEM")
        if chosen is None or words[2].upper() not in ("", "ALL"):
            self._put("NODE", False)
            return
        used = [b.nodes[np.isin(b.number, chosen)].ravel() for b in self.deck.elements]
        found = np.unique(np.concatenate([np.empty(0, np.int64), *used]))
        self._combine("NODE", (words[1].upper() or "S")[:1], found[found > 0])

    def lose(self, words: list[str]) -> None:
        """Note a selection that is not followed, by geometry or by neighbours."""
        self._put("ELEM" if words[0].upper()[:2] == "ES" else "NODE", False)

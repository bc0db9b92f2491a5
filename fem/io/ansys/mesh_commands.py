"""Commands that define nodes, elements, components and coordinate systems."""

from __future__ import annotations

import numpy as np

from .blocks import (
    DeckError,
    ElementBlock,
    NodeBlock,
    columns,
    members,
    node_block,
    plain_block,
    solid_block,
)
from .selection import Selection
from .source import Command, Source, integer, number

#: commands that select by what is not followed
_SELECTED_BY_OTHERS = ("ESLN", "ESLA", "ESLV", "NSLA", "NSLL", "NSLK", "NSLV")


class MeshCommands:
    """Nodes, elements with their attributes, components of the selection, and coordinate systems."""

    def __init__(self, source: Source, selection: Selection) -> None:
        self.source, self.deck, self.selection = source, source.deck, selection
        self.current = {"TYPE": 1, "MAT": 1, "REAL": 1, "SECNUM": 0, "ESYS": 0}
        self.highest = 0  # number of an element

    def table(self) -> dict[str, Command]:
        """Return the commands by their names."""
        return {
            "NBLOCK": self._nblock, "EBLOCK": self._eblock, "N": self._n, "E": self._e, "EN": self._en,
            **dict.fromkeys(self.current, self._attribute),
            "CMBLOCK": self._cmblock, "CM": self._cm, "CSYS": self._csys, "LOCAL": self._local,
            **dict.fromkeys(("ESEL", "NSEL"), self.selection.select), "CMSEL": self.selection.component,
            **dict.fromkeys(("ALLSEL", "ALLS"), self.selection.everything), "NSLE": self.selection.nodes_of_elements,
            **dict.fromkeys(_SELECTED_BY_OTHERS, self.selection.lose),
        }  # fmt: skip

    # ---- nodes and elements

    def _nblock(self, words: list[str]) -> None:
        header, form = self.source.at, self.source.format()
        lines, first = self.source.block(
            lambda line: line[:2].upper() == "N," or line.strip()[:2] == "-1", form
        )
        announced = integer(words, 4) if len(words) > 4 else 0
        if announced and announced != len(lines):
            raise DeckError(
                header, f"{announced} nodes are announced, {len(lines)} follow; the file is damaged"
            )
        if lines:
            self.deck.nodes.append(node_block(lines, first, form))

    def _eblock(self, words: list[str]) -> None:
        header, form = self.source.at, self.source.format()
        lines, first = self.source.block(lambda line: line.strip() == "-1", form)
        if not lines:
            return
        if form.integers < 12:
            raise DeckError(first - 1, f"the format has {form.integers} columns; elements need 12 and more")
        solid = len(words) > 2 and words[2].upper() == "SOLID"
        block = (
            solid_block(lines, first, form) if solid else plain_block(lines, first, form, self.current["MAT"])
        )
        announced = integer(words, 4) if len(words) > 4 else 0
        if announced and announced != len(block.number):
            raise DeckError(
                header, f"{announced} elements are announced, {len(block.number)} follow; the file is damaged"
            )
        self._add(block)

    def _n(self, words: list[str]) -> None:
        if len(words) > 1 and words[1].upper().startswith("R5"):  # without blocks: N,R5.3,LOC,node,x,y,z
            if words[2].upper() == "LOC" and integer(words, 3) > 0:
                self.selection.csys = 0  # such lines are always in global axes
                self._n(["N", *words[3:7]])
            elif words[2].upper() == "ANG" and self.deck.nodes:
                self.deck.nodes[-1].angles[:] = [number(words, k) for k in range(4, 7)]
            return
        if self.selection.csys:
            raise DeckError(
                self.source.at,
                f"a node in the coordinate system {self.selection.csys} (CSYS) is not supported; write CSYS,0 above",
            )
        x = np.array([[number(words, k) for k in range(2, 8)]])
        self.deck.nodes.append(NodeBlock(np.array([integer(words, 1)]), x[:, :3], x[:, 3:]))

    def _en(self, words: list[str]) -> None:
        if len(words) > 1 and words[1].upper().startswith("R5"):
            if integer(words, 3) >= 0:
                raise DeckError(
                    self.source.at, "elements without a block are not read: CDWRITE,DB,part,cdb,,,,BLOCKED"
                )
            return  # the end of such elements
        ids = [integer(words, k) for k in range(2, len(words)) if words[k]]
        nodes = np.zeros((1, 20), np.int64)
        nodes[0, : len(ids)] = ids
        material, kind, real, section, system = (
            np.array([self.current[key]]) for key in ("MAT", "TYPE", "REAL", "SECNUM", "ESYS")
        )
        zero, one = np.zeros(1, np.int64), np.array([integer(words, 1)])
        count, line = np.array([len(ids)]), np.array([self.source.at])
        self._add(ElementBlock(material, kind, real, section, system, zero, one, count, nodes, line))

    def _e(self, words: list[str]) -> None:
        self._en(["EN", str(self.highest + 1), *words[1:]])

    def _add(self, block: ElementBlock) -> None:
        self.deck.elements.append(block)
        self.highest = max(self.highest, int(block.number.max()))

    def _attribute(self, words: list[str]) -> None:
        self.current[words[0].upper()] = integer(words, 1)

    # ---- components

    def _cmblock(self, words: list[str]) -> None:
        name, kind, count = words[1], words[2].upper()[:4], integer(words, 3)
        form = self.source.format()
        first = self.source.at + 1
        rows = -(-count // form.integers)
        lines = self.source.lines[self.source.at : self.source.at + rows]
        self.source.at += rows
        if len(lines) < rows:
            raise DeckError(len(self.source.lines), f"the component {name} goes on: the file was cut off")
        numbers = columns(lines, first, 0, form.integers, form.width, "i").ravel()[:count]
        if (numbers == -1).any():  # missing; no range ends at 1
            raise DeckError(
                first + rows - 1,
                f"the component {name} has {np.count_nonzero(numbers != -1)} of its {count} numbers: the file was cut "
                "off or is damaged",
            )
        target = self.deck.element_components if kind.startswith("ELEM") else self.deck.node_components
        target[name] = members(numbers)

    def _cm(self, words: list[str]) -> None:
        """Take the selection."""
        name, kind = words[1], (words[2].upper() if len(words) > 2 else "")[:4]
        if kind not in ("ELEM", "NODE"):
            self.deck.left_out.add(
                "CM", "only components of nodes and elements are read", str(self.source.at)
            )
            return
        chosen = self.selection.members(kind)
        if chosen is None:
            self.deck.left_out.add("CM", "its selection is not followed", str(self.source.at))
            return
        components = self.deck.element_components if kind == "ELEM" else self.deck.node_components
        components[name] = chosen

    # ---- coordinate systems

    def _csys(self, words: list[str]) -> None:
        self.selection.csys = integer(words, 1)

    def _local(self, words: list[str]) -> None:
        if words[1].upper().startswith("R5"):
            what, system = words[2].upper(), integer(words, 3)
            self.deck.systems[system][what] = [number(words, k) for k in range(4, 8)]
            return
        self.selection.csys = system = integer(words, 1)  # which is active from here on
        self.deck.systems[system] = {
            "LOC": [number(words, k) for k in range(2, 6)],
            "ANG": [number(words, k) for k in range(6, 9)],
        }

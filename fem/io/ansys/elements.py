"""ANSYS elements as blocks: solids and shells with their degenerate forms, beams.

Degenerate elements repeat nodes: a SOLID185 tetrahedron is I J K K M M M M. ANSYS Mechanical APDL Element Reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .blocks import DeckError, ElementBlock

#: positions of the nodes of each form, in our order, among those of the brick
_LINEAR = {
    "hex8": [0, 1, 2, 3, 4, 5, 6, 7],
    "wedge6": [0, 1, 2, 4, 5, 6],
    "pyramid5": [0, 1, 2, 3, 4],
    "tet4": [0, 1, 2, 4],
}
_QUADRATIC = {
    "hex20": list(range(20)),
    "wedge15": [0, 1, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 18],
    "pyramid13": [0, 1, 2, 3, 4, 8, 9, 10, 11, 16, 17, 18, 19],
    "tet10": [0, 1, 2, 4, 8, 9, 11, 16, 17, 18],
}

#: the elements of one form: its name, their rows in the block, their nodes (numbers of the file)
Forms = list[tuple[str, np.ndarray, np.ndarray]]


def _bricks(nodes: np.ndarray, kinds: dict[str, list[int]], block: ElementBlock, name: str) -> Forms:
    """Return solids by their form, which repeated corners tell."""
    K, L, M, N, O, P = nodes[:, 2:8].T
    point = (M == N) & (N == O) & (O == P)
    edge = K == L
    forms = [~point & ~edge & (O != P), ~point & edge & (O == P) & (N != O), point & ~edge, point & edge]
    found: Forms = []
    taken = np.zeros(len(nodes), bool)
    for (kind, places), member in zip(kinds.items(), forms, strict=True):
        rows = np.flatnonzero(member)
        if not len(rows):
            continue
        own = nodes[rows][:, places]
        ordered = np.sort(own, axis=1)
        good = (np.diff(ordered, axis=1) > 0).all(axis=1) & (own > 0).all(axis=1)
        taken[rows[good]] = True
        found.append((kind, rows[good], own[good]))
    if not taken.all():
        first = int(np.flatnonzero(~taken)[0])
        why = "has no middle nodes on some edges" if (nodes[first] == 0).any() else "repeats nodes"
        raise DeckError(
            int(block.lines[first]),
            f"{name} element {block.number[first]} {why}, in a form that is not supported",
        )
    return [form for form in found if len(form[1])]


def _solid185(block: ElementBlock) -> Forms:
    return _bricks(block.nodes, _LINEAR, block, "SOLID185")


def _solid186(block: ElementBlock) -> Forms:
    short = block.count <= 8
    if short.all() or not block.nodes[:, 8:].any():  # without middle nodes
        return _bricks(block.nodes, _LINEAR, block, "SOLID186")
    return _bricks(block.nodes, _QUADRATIC, block, "SOLID186")


def _exact(kind: str, count: int, name: str) -> Callable[[ElementBlock], Forms]:
    def forms(block: ElementBlock) -> Forms:
        nodes = block.nodes[:, :count]
        bad = np.flatnonzero((nodes <= 0).any(axis=1))
        if len(bad):
            raise DeckError(
                int(block.lines[bad[0]]),
                f"{name} element {block.number[bad[0]]} has not all of its {count} nodes",
            )
        return [(kind, np.arange(len(nodes)), nodes)]

    return forms


def _solid187(block: ElementBlock) -> Forms:
    quadratic = block.nodes[:, 4:10].any(axis=1)
    return _exact("tet10", 10, "SOLID187")(block) if quadratic.any() else _exact("tet4", 4, "SOLID187")(block)


def _shell181(block: ElementBlock) -> Forms:
    nodes = block.nodes[:, :4]
    nodes = np.where(nodes == 0, nodes[:, 2:3], nodes)
    return _split(nodes[:, 2] == nodes[:, 3], ("quad4", nodes, [0, 1, 2, 3]), ("tri3", nodes, [0, 1, 2]))


def _shell281(block: ElementBlock) -> Forms:
    nodes = block.nodes[:, :8]
    three = nodes[:, 2] == nodes[:, 3]
    return _split(three, ("quad8", nodes, list(range(8))), ("tri6", nodes, [0, 1, 2, 4, 5, 7]))


def _split(second: np.ndarray, *forms: tuple[str, np.ndarray, list[int]]) -> Forms:
    found = [(kind, np.flatnonzero(member), nodes[member][:, places])
             for member, (kind, nodes, places) in zip((~second, second), forms, strict=True)]  # fmt: skip
    return [form for form in found if len(form[1])]


@dataclass(frozen=True)
class Kind:
    """What an element of ANSYS is: "solid", "shell", "beam"; and the forms of its blocks."""

    role: str
    forms: Callable[[ElementBlock], Forms]


KINDS: dict[int, Kind] = {
    45: Kind("solid", _solid185),
    185: Kind("solid", _solid185),
    95: Kind("solid", _solid186),
    186: Kind("solid", _solid186),
    92: Kind("solid", _exact("tet10", 10, "SOLID92")),
    187: Kind("solid", _solid187),
    63: Kind("shell", _shell181),
    181: Kind("shell", _shell181),
    281: Kind("shell", _shell281),
    188: Kind("beam", _exact("line2", 2, "BEAM188")),
}
MASS, SPRING, TARGET = 21, 14, 170
CONTACTS = (173, 174, 175, 177)
#: elements without mass or stiffness
NOTHING = {200: "MESH200 has neither mass nor stiffness", 152: "SURF152 carries loads", 153: "SURF153 carries loads",
           154: "SURF154 carries loads", 156: "SURF156 carries loads"}  # fmt: skip


def select(block: ElementBlock, rows: np.ndarray) -> ElementBlock:
    """Return the rows of a block."""
    return ElementBlock(**{key: value[rows] for key, value in vars(block).items()})


def joined(blocks: list[ElementBlock]) -> ElementBlock:
    """Return all elements in one block."""
    return ElementBlock(**{key: np.concatenate([vars(b)[key] for b in blocks]) for key in vars(blocks[0])})

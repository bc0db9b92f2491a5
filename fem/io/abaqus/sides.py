"""Sides of elements, as surfaces of Abaqus and CalculiX name them."""

from __future__ import annotations

from ...elements import FACES, SHAPES


def side_of(kind: str, side: str, name: str) -> tuple[str, list[int]]:
    """Return the kind of a side of an element, and its nodes among those of the element."""
    element = SHAPES[kind]
    if side in ("SPOS", "SNEG"):
        if kind not in FACES:
            raise ValueError(f"the surface {name!r} names side {side} of a {kind}, which is not a shell")
        nodes = list(range(element.n_nodes))
        return kind, nodes if side == "SPOS" else _reversed(element.n_corners, element.n_nodes)
    if not (side[:1] == "S" and side[1:].isdecimal()):
        raise ValueError(f"the surface {name!r} names the side {side!r}")
    if kind in FACES and side in ("S1", "S2"):  # CalculiX: the negative and the positive side of a shell
        return side_of(kind, "SNEG" if side == "S1" else "SPOS", name)
    which = int(side[1:]) - 1
    if not 0 <= which < len(element.faces):
        raise ValueError(f"the surface {name!r} names face {side} of a {kind}, which has none")
    return element.face_kinds[which], list(element.faces[which])


def edge_of(kind: str, side: str, name: str) -> list[int]:
    """Return the nodes of an edge of a shell among those of the element; none for other sides.

    Edges are E1, E2, ... from the first corner on in Abaqus, and S3, S4, ... in CalculiX.
    """
    abaqus = side[:1] == "E"
    if not side[1:].isdecimal() or not (abaqus or (kind in FACES and side[:1] == "S" and int(side[1:]) > 2)):
        return []
    which = int(side[1:]) - (1 if abaqus else 3)
    if kind not in FACES or not 0 <= which < FACES[kind].n_corners:
        raise ValueError(f"the surface {name!r} names edge {side} of a {kind}, which has none")
    element = FACES[kind]
    middle = [element.n_corners + which] if element.order > 1 else []
    return [*element.edges[which], *middle]


def _reversed(corners: int, nodes: int) -> list[int]:
    """Return the nodes of a surface element the other way round."""
    order = list(range(corners))[::-1]
    sides = [corners + (corners - 2 - k) % corners for k in range(corners)] if nodes > corners else []
    return [*order, *sides, *range(2 * corners, nodes)]

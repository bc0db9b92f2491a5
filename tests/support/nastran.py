"""Nastran decks as text, written as the manual (Quick Reference Guide) lays them down, in three formats."""

import numpy as np

import fem

#: manual, CTETRA ... CPYRAM: between which corners (from 0) the grid points after the corners lie, in their order
MIDDLES = {
    "tet10": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    "hex20": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)],
    "wedge15": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)],
    "pyramid13": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)],
}
CARDS = {
    "tet4": "CTETRA", "tet10": "CTETRA", "hex8": "CHEXA", "hex20": "CHEXA", "wedge6": "CPENTA", "wedge15": "CPENTA",
    "pyramid5": "CPYRAM", "pyramid13": "CPYRAM", "quad4": "CQUAD4", "tri3": "CTRIA3", "line2": "CROD",
}  # fmt: skip


def real(value, width):
    """A real in at most ``width`` characters, without the E where that saves room, as programs write it."""
    for digits in range(width, 0, -1):
        text = f"{value:.{digits}g}"
        if "e" in text:
            mantissa, exponent = text.split("e")
            text = f"{mantissa if '.' in mantissa else mantissa + '.'}{int(exponent):+d}"
        elif "." not in text:
            text += "."
        if len(text) <= width:
            return text
    raise ValueError(value)


def card(*fields, form="small"):
    """A card of any number of fields: None is blank, floats are reals."""
    name, rest = fields[0], fields[1:]
    width = 8 if form == "small" else 16
    words = ["" if f is None else real(f, width) if isinstance(f, float) else str(f) for f in rest]
    count = 4 if form == "large" else 8
    rows = [words[k : k + count] for k in range(0, max(len(words), 1), count)]
    if form == "free":
        lines = [",".join([name if k == 0 else "", *row]) for k, row in enumerate(rows)]
    elif form == "large":
        lines = [
            f"{name + '*' if k == 0 else '*':<8}" + "".join(f"{w:<16}" for w in row)
            for k, row in enumerate(rows)
        ]
    else:
        lines = [
            f"{name if k == 0 else '+':<8}" + "".join(f"{w:>8}" for w in row) for k, row in enumerate(rows)
        ]
    return "\n".join(lines) + "\n"


def nodes_in_order(mesh, block):
    """The nodes of the elements of a block in the manual's order, found by where the middle nodes lie."""
    if block.element not in MIDDLES:
        return block.nodes
    corners = fem.ELEMENTS[block.element].n_corners
    rows = []
    for nodes in block.nodes:
        X, middles = mesh.points[nodes[:corners]], mesh.points[nodes[corners:]]
        wanted = np.array([X[list(pair)].mean(axis=0) for pair in MIDDLES[block.element]])
        nearest = np.linalg.norm(wanted[:, None] - middles[None], axis=2).argmin(axis=1)
        rows.append([*nodes[:corners], *nodes[corners:][nearest]])
    return np.array(rows)


def mesh_cards(mesh, ids=None, pid=1, form="small", digits=None):
    """GRID and element cards of a mesh; ``ids`` the numbers of the nodes, 1, 2, ... by default."""
    ids = np.arange(1, mesh.n_nodes + 1) if ids is None else ids
    text = "".join(
        card("GRID", n, None, *map(float, x), form=form) for n, x in zip(ids, mesh.points, strict=True)
    )
    for block in mesh.blocks:
        for number, nodes in zip(block.ids, nodes_in_order(mesh, block), strict=True):
            text += card(CARDS[block.element], number, pid, *ids[nodes], form=form)
    return text


STEEL = card("MAT1", 1, 210e9, None, 0.3, 7850.0) + card("PSOLID", 1, 1)


def deck(text, case=""):
    """A full deck."""
    return f"SOL 103\nCEND\n{case}BEGIN BULK\n{text}ENDDATA\n"


def read(folder, text, name="part.bdf", **more):
    """Write a text and read it."""
    (folder / name).write_text(text)
    return fem.read_mesh(folder / name, **more)

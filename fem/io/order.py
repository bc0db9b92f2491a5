"""Node orders that differ between files, corrected by the positions of the nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..elements import ELEMENTS
from ..mesh.block import Block

#: the same wedge with its triangles taken the other way round: nodes of the linear, then of the quadratic one
_TURNED = [0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13]


def turned_wedges(block: Block, points: np.ndarray) -> Block:
    """Return wedges whose first triangle runs counter-clockwise as seen from the second.

    In the manual of VTK this triangle runs clockwise, in its shape functions counter-clockwise; programs that write
    VTK files follow either. The sign of the volume decides.
    """
    a, b, c, d, e, f = np.moveaxis(points[block.nodes[:, :6]], 1, 0)
    height = (d + e + f) - (a + b + c)
    area = np.cross(b - a, c - a) + np.cross(e - d, f - d)
    wrong = np.einsum("ei,ei->e", area, height) < 0
    nodes = np.where(wrong[:, None], block.nodes[:, _TURNED[: block.nodes.shape[1]]], block.nodes)
    return block.moved(nodes)


def _middle_last(block: Block, points: np.ndarray) -> Block:
    """Return lines of three nodes with the middle node last: the ends are the two nodes with the largest distance."""
    X = points[block.nodes]
    apart = np.linalg.norm(X[:, [1, 2, 0]] - X[:, [2, 0, 1]], axis=2)  # across from node 0, 1, 2
    order = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])[np.argmax(apart, axis=1)]
    return block.moved(np.take_along_axis(block.nodes, order, axis=1))


def _faces_then_whole(block: Block, points: np.ndarray) -> Block:
    """Return hex27 with the last seven nodes in our order: each node is assigned to the closest midpoint.

    The midpoints of faces and of the whole element are the values of the serendipity functions of the twenty other
    nodes: -1/4 of the corners and 1/2 of the middle nodes of the edges for a face, -1/4 and 1/4 for the whole.
    """
    element = ELEMENTS["hex27"]
    X, expected = points[block.nodes], []
    for group in element.inner:
        edges = [8 + k for k, edge in enumerate(element.edges) if set(edge) <= set(group)]
        share = 0.5 if len(group) == 4 else 0.25
        expected.append(share * X[:, edges].sum(axis=1) - 0.25 * X[:, list(group)].sum(axis=1))
    away = np.linalg.norm(np.stack(expected, axis=1)[:, :, None] - X[:, None, 20:], axis=3)
    order = np.argmin(away, axis=2)
    bad = np.flatnonzero((np.sort(order, axis=1) != np.arange(7)).any(axis=1))
    if len(bad):
        raise ValueError(
            f"the middle nodes of the faces of element {block.ids[bad[0]]} can't be distinguished; write bricks of 20 "
            "nodes"
        )
    last = np.take_along_axis(block.nodes[:, 20:], order, axis=1)
    return block.moved(np.hstack([block.nodes[:, :20], last]))


_BY_POSITION: dict[str, Callable[[Block, np.ndarray], Block]] = {
    "line3": _middle_last,
    "hex27": _faces_then_whole,
}


def by_position(block: Block, points: np.ndarray) -> Block:
    """Return a block with its middle nodes in our order, for formats without a fixed order."""
    return _BY_POSITION[block.element](block, points) if block.element in _BY_POSITION else block

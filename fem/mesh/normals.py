"""Normals of shells: neighbours with opposite normals, and how to orient them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import MeshError
from ..elements import FACES
from .block import Block
from .mesh import Mesh

#: the same element seen from its other side
_TURNED = {
    "tri3": (0, 2, 1),
    "tri6": (0, 2, 1, 5, 4, 3),
    "quad4": (0, 3, 2, 1),
    "quad8": (0, 3, 2, 1, 7, 6, 5, 4),
    "quad9": (0, 3, 2, 1, 7, 6, 5, 4, 8),
}


@check_arguments
def orient_shells(mesh: Mesh) -> Mesh:
    """Orient the normals of connected shells to one side, by changing node orders.

    Among shells that are connected over edges the majority decides, or the first element. An edge of
    three or more shells (a T-junction) does not connect them. All numbers and sets are kept; faces of sets
    (:meth:`Mesh.faces_of`) that are shells are oriented with them.

    Parameters
    ----------
    mesh : Mesh
        The mesh.

    Returns
    -------
    Mesh
        The mesh with oriented shells.

    Raises
    ------
    MeshError
        A surface has only one side (Moebius strip).

    Examples
    --------
    >>> import fem
    >>> points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0]]
    >>> mesh = fem.Mesh(points, (fem.Block("quad4", [[0, 1, 2, 3], [1, 2, 5, 4]]),))
    >>> fem.orient_shells(mesh).blocks[0].nodes.tolist()
    [[0, 1, 2, 3], [1, 4, 5, 2]]
    """
    pairs, opposite = shared_edges(mesh)
    if not opposite.any():
        return mesh
    turned = _turned(mesh, pairs, opposite)
    blocks, start = [], 0
    for block in mesh.blocks:
        which = turned[start : start + len(block)]
        blocks.append(_turn(block, which) if which.any() else block)
        start += len(block)
    both = zip(mesh.blocks, blocks, strict=True)
    keys = {key for block, new in both if new is not block for key in _moved(block, new)}
    faces = {
        name: tuple(_turn(b, np.array([tuple(row) in keys for row in _corners(b)], bool)) for b in group)
        for name, group in mesh.faces.items()
    }
    return replace(mesh, blocks=tuple(blocks), faces=faces)


def shared_edges(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs (k, 2) of shells that alone share an edge, and whether their normals are opposite (k,).

    The normals of two neighbours agree if they traverse their common edge in opposite directions.
    """
    edges, owners, start = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)], 0
    for block in mesh.blocks:
        if block.element in FACES:
            corners = block.nodes[:, : FACES[block.element].n_corners]
            edges.append(np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2))
            owners.append(np.repeat(start + np.arange(len(block)), corners.shape[1]))
        start += len(block)
    edge, owner = np.vstack(edges), np.concatenate(owners)
    key = edge.min(axis=1) * mesh.n_nodes + edge.max(axis=1)
    order = np.argsort(key, kind="stable")
    _, first, count = np.unique(key[order], return_index=True, return_counts=True)
    one, other = order[first[count == 2]], order[first[count == 2] + 1]
    return np.stack([owner[one], owner[other]], axis=1), edge[one, 0] == edge[other, 0]


def _turned(mesh: Mesh, pairs: np.ndarray, opposite: np.ndarray) -> np.ndarray:
    """Return whether each element is to be reversed, (n_elements,).

    Every shell appears twice in a graph, as it is and turned; edges join the two states that agree. A surface with
    two sides has two components, each the mirror of the other.
    """
    n = mesh.n_elements
    a, b = pairs.T
    there = np.where(opposite, n, 0)
    rows, columns = np.concatenate([a, a + n]), np.concatenate([b + there, b + n - there])
    graph = scipy.sparse.coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(2 * n, 2 * n))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    as_is, over = label[:n], label[n:]
    if (as_is == over).any():
        name = mesh.element_name(int(np.argmax(as_is == over)))
        raise MeshError(
            f"the shells of mesh {mesh.name!r} around {name} have only one side (a Moebius strip); cut them along a "
            "line, with separate nodes on either side, and join these by fem.Rigid"
        )
    # of the two halves of a surface the one with more shells as they are stays; else that of the first shell
    count = np.bincount(as_is, minlength=2 * n)
    _, first = np.unique(np.minimum(as_is, over), return_index=True)
    leader = np.full(2 * n, -1)
    leader[np.minimum(as_is, over)[first]] = first
    leader = leader[np.minimum(as_is, over)]
    more, fewer = count[as_is], count[over]
    return (more < fewer) | ((more == fewer) & (as_is != as_is[leader]))


def _turn(block: Block, which: np.ndarray) -> Block:
    nodes = block.nodes.copy()
    nodes[which] = nodes[which][:, list(_TURNED[block.element])]
    return block.moved(nodes)


def _corners(block: Block) -> list[list[int]]:
    """Return the corners of surface elements in order from the lowest on: equal for equal sides."""
    corners = block.nodes[:, : FACES[block.element].n_corners]
    first = np.argmin(corners, axis=1)[:, None] + np.arange(corners.shape[1])
    return np.take_along_axis(corners, first % corners.shape[1], axis=1).tolist()


def _moved(before: Block, after: Block) -> list[tuple[int, ...]]:
    """Return the corners, as they were, of elements that were turned."""
    moved = (before.nodes != after.nodes).any(axis=1)
    return [tuple(row) for row, is_moved in zip(_corners(before), moved, strict=True) if is_moved]

"""Merging of nodes at the same place, and removal of nodes without elements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import InputError, MeshError
from ..common.numbers import is_number
from .block import Block
from .mesh import Mesh
from .select import shortest_edge


def coincident(mesh: Mesh, tol: float | None = None) -> np.ndarray:
    """Return the pairs of nodes (k, 2) of elements that are at most ``tol`` (m) apart, the lower number first.

    ``tol`` defaults to a thousandth of the shortest element edge.
    """
    used = attached(mesh)
    pairs = scipy.spatial.cKDTree(mesh.points[used]).query_pairs(_tolerance(mesh, tol), output_type="ndarray")
    pairs = used[np.sort(pairs, axis=1)]
    return pairs[np.lexsort(pairs.T[::-1])]


def attached(mesh: Mesh) -> np.ndarray:
    """Return the nodes that belong to an element, ascending."""
    return np.flatnonzero(mesh.on_elements)


@check_arguments(own=("tol",))
def merge_nodes(mesh: Mesh, tol: float | None = None) -> Mesh:
    """Merge nodes that coincide; all elements, faces and sets follow.

    The node with the lowest number remains, at its place; chains of neighbours become one node.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    tol : float, m, optional
        Largest distance; by default a thousandth of the shortest element edge.

    Returns
    -------
    Mesh
        The mesh with the nodes merged.

    Raises
    ------
    InputError
        The tolerance is not positive.
    MeshError
        Two nodes of one element would become one, or two elements the same; the message names them.

    Examples
    --------
    >>> import fem
    >>> points = [[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]]
    >>> fem.merge_nodes(fem.Mesh(points, (fem.Block("line2", [[0, 1], [2, 3]]),))).n_nodes
    3
    """
    pairs = coincident(mesh, tol)
    if not len(pairs):
        return mesh
    graph = scipy.sparse.coo_array(
        (np.ones(len(pairs), np.int8), tuple(pairs.T)), shape=(mesh.n_nodes, mesh.n_nodes)
    )
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    target = first[label]  # of every node the one that it becomes
    _refuse_collapse(mesh, target, _tolerance(mesh, tol))
    _refuse_doubles(mesh, target)
    return _kept(mesh, target, target == np.arange(mesh.n_nodes))


@check_arguments
def drop_unattached(mesh: Mesh) -> Mesh:
    """Remove the nodes that belong to no element.

    Parameters
    ----------
    mesh : Mesh
        The mesh.

    Returns
    -------
    Mesh
        The mesh without these nodes; sets lose them, and empty sets are removed. Nodes of the masses, springs and
        connections of the file stay.

    Examples
    --------
    >>> import fem
    >>> points = [[0, 0, 0], [1, 0, 0], [5, 5, 5]]
    >>> fem.drop_unattached(fem.Mesh(points, (fem.Block("line2", [[0, 1]]),))).n_nodes
    2
    """
    keep = np.zeros(mesh.n_nodes, bool)
    keep[attached(mesh)] = True
    for part in mesh.parts:
        for name in part.uses:
            keep[mesh.nodes_of(name)] = True
    return mesh if keep.all() else _kept(mesh, np.arange(mesh.n_nodes), keep)


def _tolerance(mesh: Mesh, tol: float | None) -> float:
    if tol is None:
        edge = shortest_edge(mesh.points, mesh.blocks)
        return 1e-3 * edge if np.isfinite(edge) else 0.0
    if not (is_number(tol) and tol > 0):
        raise InputError(f"tol must be a positive length in m, not {tol!r}")
    return float(tol)


def _refuse_collapse(mesh: Mesh, target: np.ndarray, tol: float) -> None:
    found, start = [], 0
    for block in mesh.blocks:
        lost = _distinct(target[block.nodes]) < _distinct(block.nodes)
        found += [start + int(k) for k in np.flatnonzero(lost)]
        start += len(block)
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise MeshError(
            f"merging nodes within {tol:.3g} m would collapse {mesh.element_name(found[0])}{more} of mesh "
            f"{mesh.name!r}; choose a smaller tol=, below its shortest edge"
        )


def _refuse_doubles(mesh: Mesh, target: np.ndarray) -> None:
    start = 0
    places: dict[str, list[tuple[int, np.ndarray]]] = {}
    for block in mesh.blocks:
        places.setdefault(block.element, []).append((start, block.nodes))
        start += len(block)
    for parts in places.values():
        index = np.concatenate([start + np.arange(len(nodes)) for start, nodes in parts])
        nodes = np.vstack([nodes for _, nodes in parts])
        after = np.sort(target[nodes], axis=1)
        _, group, count = np.unique(after, axis=0, return_inverse=True, return_counts=True)
        group = group.ravel()
        moved = (target[nodes] != nodes).any(axis=1)
        double = np.flatnonzero(moved & (count[group] > 1))
        if len(double):
            one = int(double[0])
            other = int(next(k for k in np.flatnonzero(group == group[one]) if k != one))
            first, second = sorted((int(index[one]), int(index[other])))
            raise MeshError(
                f"merging would make {mesh.element_name(first)} and {mesh.element_name(second)} of mesh "
                f"{mesh.name!r} the same element: two parts lie on top of each other. Remove one of them"
            )


def _distinct(nodes: np.ndarray) -> np.ndarray:
    ordered = np.sort(nodes, axis=1)
    return 1 + (np.diff(ordered, axis=1) > 0).sum(axis=1)


def _kept(mesh: Mesh, target: np.ndarray, keep: np.ndarray) -> Mesh:
    """Return the mesh with every node replaced by its ``target``, and only the nodes in ``keep``."""
    number = np.full(mesh.n_nodes, -1, np.int64)
    number[keep] = np.arange(keep.sum())
    number = number[target]

    def renumbered(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        inside = [(b, (number[b.nodes] >= 0).all(axis=1)) for b in blocks]
        new = [b.moved(number[b.nodes[k]], k) for b, k in inside]
        return tuple(block for block in new if len(block))

    sets = {name: np.unique(number[nodes]) for name, nodes in mesh.node_sets.items()}
    sets = {name: nodes[nodes >= 0] for name, nodes in sets.items()}
    faces = {name: renumbered(blocks) for name, blocks in mesh.faces.items()}
    return replace(
        mesh,
        points=mesh.points[keep],
        node_ids=mesh.node_ids[keep],
        blocks=renumbered(mesh.blocks),
        node_sets={name: nodes for name, nodes in sets.items() if len(nodes)},
        faces={name: blocks for name, blocks in faces.items() if blocks},
    )

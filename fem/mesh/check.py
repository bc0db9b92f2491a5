"""Checks of a mesh before it is assembled: errors and warnings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from ..common.errors import MeshError, warn
from ..elements import ELEMENTS
from ..elements.solid.isotropic import determinants
from .merge import attached, coincident
from .mesh import Mesh
from .normals import shared_edges
from .quality import shape_quality

#: elements with a :func:`shape_quality` below this are badly shaped
MIN_SHAPE_QUALITY = 0.01


def check(mesh: Mesh, links: Sequence[np.ndarray] = ()) -> None:
    """Raise one :class:`MeshError` that lists all reasons why a mesh can't be assembled, with the remedy of each.

    These are inverted and degenerate elements, nodes that belong to no element, and disconnected parts. Badly shaped
    elements (:func:`fem.shape_quality` below 0.01), nodes that coincide without being connected, duplicate elements
    and neighbouring shells with opposite normals give a :class:`FlexbodyWarning`. ``links``: groups of nodes that
    connections hold together.
    """
    pairs = _unconnected(mesh, coincident(mesh), links)
    if wrong := _problems(mesh, links, pairs):
        file = f" of {mesh.path}" if mesh.path else ""
        raise MeshError(f"mesh {mesh.name!r}{file} can't be assembled: " + "; ".join(wrong))
    if found := _doubts(mesh, pairs):
        warn(f"mesh {mesh.name!r}: " + "; ".join(found))


def findings(mesh: Mesh, links: Sequence[np.ndarray] = ()) -> list[str]:
    """Return what :func:`check` finds, as sentences."""
    pairs = _unconnected(mesh, coincident(mesh), links)
    return _problems(mesh, links, pairs) + _doubts(mesh, pairs)


def _problems(mesh: Mesh, links: Sequence[np.ndarray], pairs: np.ndarray) -> list[str]:
    return [*_distorted(mesh), *_unattached(mesh, links), *_loose(mesh, links, pairs)]


def _doubts(mesh: Mesh, pairs: np.ndarray) -> list[str]:
    return [*_badly_shaped(mesh), *_coincident(mesh, pairs), *(_doubled(mesh) or _opposite(mesh))]


def _distorted(mesh: Mesh) -> list[str]:
    """Return messages on elements whose Jacobian is not clearly positive inside, or clearly negative at a node.

    "Clearly positive" means over 1e-9 of the volume of the box around the element: below that, rounding decides.
    At the nodes it may vanish (bricks collapsed to wedges), and meshers leave it slightly negative in curved
    corners; beyond a tenth of its mean, nodes stand in the wrong order.
    """
    start = 0
    inverted: list[tuple[float, int]] = []
    flat: list[tuple[float, int]] = []
    for block in mesh.blocks:
        if block.element not in ELEMENTS:
            start += len(block)
            continue
        element = ELEMENTS[block.element]
        X = mesh.points[block.nodes]
        rule = element.stiffness_quadrature
        inside = determinants(X, element.dN(rule.points))
        mean = np.abs(inside @ rule.weights) / rule.weights.sum()
        at_mass_points = determinants(X, element.dN(element.quadrature.points))
        worst = np.minimum(inside.min(axis=1), at_mass_points.min(axis=1))
        at_nodes = determinants(X, element.dN(element.nodes)).min(axis=1)
        worst = np.where(at_nodes < -0.1 * mean, np.minimum(worst, at_nodes), worst)
        size = np.ptp(X, axis=1)
        around = np.prod(np.maximum(size, 1e-3 * size.max(axis=1)[:, None]), axis=1)
        for k in np.flatnonzero(~(worst > 1e-9 * around)):
            (flat if abs(worst[k]) <= 1e-9 * around[k] else inverted).append(
                (float(worst[k]), start + int(k))
            )
        start += len(block)
    problems = []
    for kind, found in (("inverted", inverted), ("degenerate", flat)):
        if found:
            value, index = min(found)
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            mend = "its nodes are in the wrong order, or a middle node lies too far off"
            if kind == "degenerate":
                mend = "it has no volume: nodes coincide or lie in one plane"
            if kind == "inverted" and len(found) == mesh.n_elements:
                mend = "all are: the node order of the whole file is mirrored"
            problems.append(
                f"{mesh.element_name(index)}{more} {'is' if not more else 'are'} {kind} "
                f"(smallest Jacobian {value:.3g} m^3; {mend})"
            )
    return problems


def _badly_shaped(mesh: Mesh) -> list[str]:
    quality = shape_quality(mesh)
    bad = np.flatnonzero(quality < MIN_SHAPE_QUALITY)
    if not len(bad):
        return []
    worst = int(np.argmin(quality))
    one = len(bad) == 1
    return [
        f"{len(bad)} of {mesh.n_elements} elements {'is' if one else 'are'} badly shaped (scaled Jacobian at the "
        f"corners below {MIN_SHAPE_QUALITY:g}; the worst is {mesh.element_name(worst)} with {quality[worst]:.2g}); use "
        "a finer or more regular mesh there: stresses are inaccurate and equations ill conditioned"
    ]


def _unattached(mesh: Mesh, links: Sequence[np.ndarray]) -> list[str]:
    """Return a message on nodes that neither an element nor a connection uses."""
    member = np.zeros(mesh.n_nodes, bool)
    member[attached(mesh)] = True
    for nodes in links:
        member[nodes] = True
    lost = np.flatnonzero(~member)
    if not len(lost):
        return []
    where = np.array2string(mesh.points[lost[0]], precision=4, separator=", ")
    which = f"node {mesh.node_ids[lost[0]]} at {where}"
    if len(lost) > 1:
        which = f"{len(lost)} nodes, the first is {which}:"
    return [
        f"{which} belongs to no element; fem.drop_unattached(mesh) removes such nodes, or connect it"
        if len(lost) == 1
        else f"{which} they belong to no element; fem.drop_unattached(mesh) removes such nodes, or connect them"
    ]


def _unconnected(mesh: Mesh, pairs: np.ndarray, links: Sequence[np.ndarray]) -> np.ndarray:
    """Return the pairs (k, 2) of coincident nodes that no element and no connection joins."""
    if not len(pairs):
        return pairs
    near = np.zeros(mesh.n_nodes, bool)
    near[pairs] = True
    number = pairs @ [mesh.n_nodes, 1]
    joined = np.zeros(len(pairs), bool)
    for block in mesh.blocks:
        rows = np.sort(block.nodes[near[block.nodes].sum(axis=1) > 1], axis=1)
        for i, j in zip(*np.triu_indices(rows.shape[1], 1), strict=True):
            joined |= np.isin(number, rows[:, [i, j]] @ [mesh.n_nodes, 1])
    for nodes in links:
        member = np.isin(pairs, nodes)
        joined |= member.all(axis=1)
    return pairs[~joined]


def _coincident(mesh: Mesh, pairs: np.ndarray) -> list[str]:
    if not len(pairs):
        return []
    a, b = pairs[0]
    where = np.array2string(mesh.points[a], precision=4, separator=", ")
    count = (
        "a pair of nodes coincides" if len(pairs) == 1 else f"{len(pairs)} pairs of nodes coincide, the first"
    )
    return [
        f"{count} (nodes {mesh.node_ids[a]} and {mesh.node_ids[b]} at {where}) without being connected; "
        "fem.merge_nodes(mesh) merges them. If a slit or a joint is intended, ignore this"
    ]


def _doubled(mesh: Mesh) -> list[str]:
    """Return a warning of elements of one kind on the same nodes."""
    code = np.random.default_rng(0).integers(1 << 62, size=mesh.n_nodes)  # sums over equal nodes are equal
    kinds: dict[str, list[tuple[int, np.ndarray]]] = {}
    start = 0
    for block in mesh.blocks:
        kinds.setdefault(block.element, []).append((start, code[block.nodes].sum(axis=1)))
        start += len(block)
    found: list[tuple[int, int]] = []
    for parts in kinds.values():
        index = np.concatenate([start + np.arange(len(sums)) for start, sums in parts])
        sums = np.concatenate([sums for _, sums in parts])
        order = np.argsort(sums, kind="stable")
        same = np.flatnonzero(sums[order][1:] == sums[order][:-1])
        found += [(int(index[order[k]]), int(index[order[k + 1]])) for k in same]
    if not found:
        return []
    one, other = min(found)
    return [
        f"{len(found)} {'element is' if len(found) == 1 else 'elements are'} duplicate, with stiffness and mass "
        f"({mesh.element_name(one)} and {mesh.element_name(other)} have the same nodes); remove one of them. If "
        "two members side by side are intended, ignore this"
    ]


def _opposite(mesh: Mesh) -> list[str]:
    """Return a warning of neighbouring shells with opposite normals."""
    pairs, opposite = shared_edges(mesh)
    count = int(opposite.sum())
    if not count:
        return []
    a, b = pairs[opposite][0]
    return [
        f"the normals of shells are opposite across {count} edge{'s' * (count > 1)}, the first between "
        f"{mesh.element_name(int(a))} and {mesh.element_name(int(b))}; pressure, offset, top and bottom follow the "
        "normal: fem.orient_shells(mesh) orients them to one side"
    ]


def _loose(mesh: Mesh, links: Sequence[np.ndarray], pairs: np.ndarray) -> list[str]:
    """Return a message on parts of the mesh that share no node."""
    rows, columns = [], []
    for block in mesh.blocks:
        rows.append(np.repeat(block.nodes[:, 0], block.nodes.shape[1]))
        columns.append(block.nodes.ravel())
    for nodes in links:
        rows.append(np.full(len(nodes), nodes[0]))
        columns.append(nodes)
    i, j = np.concatenate(rows), np.concatenate(columns)
    graph = scipy.sparse.coo_array((np.ones(len(i), np.int8), (i, j)), shape=(mesh.n_nodes, mesh.n_nodes))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    part_of_element = np.concatenate([label[block.nodes[:, 0]] for block in mesh.blocks])
    parts, first, counts = np.unique(part_of_element, return_index=True, return_counts=True)
    if len(parts) == 1:
        return []
    rows_of = [f"{mesh.element_name(e)} ({n} elements)" for e, n in zip(first[:6], counts[:6], strict=True)]
    more = f" and {len(parts) - 6} more" if len(parts) > 6 else ""
    mend = "connect them (fem.Rigid, fem.Averaged, fem.Spring), or read each part as a body of its own"
    between = int((label[pairs[:, 0]] != label[pairs[:, 1]]).sum())
    if between:
        mend = f"{between} pairs of their nodes coincide: merge them with fem.merge_nodes(mesh), or {mend}"
    return [f"it consists of {len(parts)} loose parts, with {', '.join(rows_of)}{more}; {mend}"]

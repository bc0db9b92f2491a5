"""What must hold before a mesh is assembled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .common.errors import MeshError
from .elements import ELEMENTS
from .elements.kernel import determinants
from .mesh import Mesh


def check(mesh: Mesh, links: Sequence[np.ndarray] = ()) -> None:
    """Raise one :class:`MeshError` that lists all inverted or degenerate elements and loose parts.

    ``links``: groups of nodes that connections hold together.
    """
    problems = [*_distorted(mesh), *_loose(mesh, links)]
    if problems:
        raise MeshError(f"mesh {mesh.name!r} can't be assembled: " + "; ".join(problems))


def _distorted(mesh: Mesh) -> list[str]:
    """Elements whose Jacobian is not clearly positive inside, or clearly negative at a node.

    "Clearly "
    "positive" means over 1e-9 of the volume of the box around the element: below that, rounding decides.
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


def _loose(mesh: Mesh, links: Sequence[np.ndarray]) -> list[str]:
    """Parts of the mesh that share no node."""
    rows, columns = [], []
    for block in mesh.blocks:
        rows.append(np.repeat(block.nodes[:, 0], block.nodes.shape[1]))
        columns.append(block.nodes.ravel())
    for nodes in links:
        rows.append(np.full(len(nodes), nodes[0]))
        columns.append(nodes)
    i, j = np.concatenate(rows), np.concatenate(columns)
    graph = coo_array((np.ones(len(i), np.int8), (i, j)), shape=(mesh.n_nodes, mesh.n_nodes))
    _, label = connected_components(graph, directed=False)
    part_of_element = np.concatenate([label[block.nodes[:, 0]] for block in mesh.blocks])
    parts, first, counts = np.unique(part_of_element, return_index=True, return_counts=True)
    if len(parts) == 1:
        return []
    rows_of = [f"{mesh.element_name(e)} ({n} elements)" for e, n in zip(first[:6], counts[:6], strict=True)]
    more = f" and {len(parts) - 6} more" if len(parts) > 6 else ""
    return [
        f"it falls into {len(parts)} loose parts, with {', '.join(rows_of)}{more}; merge coincident nodes, "
        "or read each part as a body of its own"
    ]

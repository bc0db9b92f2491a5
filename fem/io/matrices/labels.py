"""The order of unknowns: from the rows of foreign matrices to the motions of nodes, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...common.errors import InputError, listing
from ...common.numbers import floats
from ...model.freedoms import NAMES


@dataclass(frozen=True, eq=False)
class Order:
    """The rows of foreign matrices in the order of a structure.

    ``count`` (n,) 3 or 6 motions of each node that is kept, ``nodes`` (n,) these nodes among the given points; ``rows``
    those of the matrices: of all motions, node by node, then of the ``internal`` coordinates.
    """

    count: np.ndarray
    nodes: np.ndarray
    rows: np.ndarray
    internal: int = 0


def ordered(labels: np.ndarray, ids: np.ndarray, loaded: np.ndarray, keep_all: bool) -> Order:
    """Return the order of rows that are labelled (rows, 2) with node number and component, 0 for a scalar unknown.

    ``ids`` (n,) numbers of the points; ``loaded`` (rows,) whether a row has stiffness or mass: rotations of a node that
    have neither are left out. Rows of numbers that are no node, with one component, are internal coordinates. With
    ``keep_all`` every node must have rows.
    """
    number = {int(k): i for i, k in enumerate(ids)}
    node = np.array([number.get(int(k), -1) for k in labels[:, 0]], dtype=np.int64)
    component = labels[:, 1]
    inner = (node < 0) | (component == 0)
    strange = np.flatnonzero((node < 0) & (component > 1))
    if len(strange):
        raise InputError(
            f"rows of the matrices belong to the nodes {listing(np.unique(labels[strange, 0]))}, which points= does "
            "not hold; give node_ids=, the numbers of the points, or component 0 in `dofs=` if these rows are internal "
            "coordinates, as those that CalculiX adds for each C3D8I"
        )
    place = np.full((len(ids), 6), -1, dtype=np.int64)
    outer = np.flatnonzero(~inner)
    wrong = component[outer] > 6
    if wrong.any():
        raise InputError(f"there is no component {component[outer][wrong][0]}; x y z rx ry rz are 1 to 6")
    place[node[outer], component[outer] - 1] = outer
    if (place >= 0).sum() != len(outer):
        raise InputError("a component of a node labels two rows of the matrices")
    bare = (place[:, 3:] >= 0) & ~loaded[place[:, 3:]]
    idle = bare.sum(axis=1) == (place[:, 3:] >= 0).sum(axis=1)
    place[idle, 3:] = -1
    missing = (place < 0).sum(axis=1)
    kept = missing < 6
    if keep_all and not kept.all():
        raise InputError(
            f"the nodes {listing(ids[~kept])} have no rows in the matrices; leave them out of points="
        )
    whole = (missing == 0) | ((missing == 3) & (place[:, :3] >= 0).all(axis=1))
    if (~whole & kept).any():
        first = int(np.flatnonzero(~whole & kept)[0])
        lacks = " ".join(name for name, row in zip(NAMES, place[first], strict=True) if row < 0)
        raise InputError(
            f"not all nodes have three or six unknowns, {int((~whole & kept).sum())} of {int(kept.sum())} have others: "
            f"node {ids[first]} lacks {lacks}. Export matrices without supports, and of 3-D elements"
        )
    table = place[kept]
    return Order(
        np.where((table[:, 3:] >= 0).any(axis=1), 6, 3),
        np.flatnonzero(kept),
        np.concatenate([table[table >= 0], np.flatnonzero(inner)]),
        int(inner.sum()),
    )


def labels_of(dofs: Any, rows: int, ids: np.ndarray, count: np.ndarray | None) -> np.ndarray:
    """Return the labels (rows, 2) that ``dofs`` describes: 3, 6, one of these for each node, or labels themselves.

    Without ``dofs`` the number of rows decides; ``count`` (n,) are the degrees of freedom of a structure of the nodes.
    """
    n = len(ids)
    if dofs is None:
        fits = [np.full(n, each) for each in (3, 6) if each * n == rows]
        fits = [count] if count is not None and count.sum() == rows else fits
        if not fits:
            raise InputError(
                f"the matrices have {rows} rows and there are {n} points: neither three nor six for each. Give "
                "`dofs=`, the node and the component of each row, or 3 or 6 for each node"
            )
        dofs = fits[0]
    given = floats(dofs)
    if given is None or not (given == np.floor(given)).all():
        raise InputError("`dofs=` are whole numbers: node and component of each row, or 3 or 6 for each node")
    given = given.astype(np.int64)
    if given.ndim == 2 and given.shape == (rows, 2):
        return given
    if given.ndim == 0:
        given = np.full(n, given)
    if given.shape != (n,) or not np.isin(given, (3, 6)).all() or given.sum() > rows:
        raise InputError(
            f"`dofs=` has the shape {np.shape(dofs)}; give (node, component) for each of the {rows} rows, or 3 or 6 "
            f"for each of the {n} nodes"
        )
    start = np.repeat(np.concatenate([[0], np.cumsum(given)[:-1]]), given)
    nodal = np.column_stack([np.repeat(ids, given), np.arange(given.sum()) - start + 1])
    rest = rows - len(nodal)  # internal coordinates follow
    return np.vstack([nodal, np.column_stack([np.full(rest, -1), np.zeros(rest, np.int64)])])

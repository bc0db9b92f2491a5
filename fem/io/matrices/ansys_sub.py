"""Superelements of ANSYS: the substructure matrices file ``.sub``.

Known from the Ansys Programmer's Reference (1.7, ``fdsub``; releases 2008 and 2024 R2 list the same items): a header of
ANSYS, of 100 integers, is followed by one of the superelement, of 60 or 80 integers, with the places of the other
records. Assumed, for no public text at hand shows the list of records behind it: ``DOF`` has the kinds of unknowns,
``NOD`` the numbers of nodes, ``XYZ`` a record of position and angles for each, ``GDF`` the number of each row's
unknown, ``(node - 1) k + kind`` with k = 32, 64 or the number of kinds, whichever fits nodes and kinds; at ``MTX`` are
the rows of dense matrices, the first of each, the second of each, and so on. A row is whole, or the part of it up to or
from the diagonal; the lengths of the records tell which. What contradicts this is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from ...common.errors import FileError, listing, warn
from ..ansys.properties import rotation
from .ansys_records import Records
from .content import MatrixFile
from .turned_rows import turned_rows

#: where the header of the superelement stands: after that of ANSYS, of 100 integers
_HEADER = 103
#: items of the header that are used, from 0; P: places of records
_ITEMS = {
    "kind": 0, "rows": 1, "matrices": 2, "unknowns": 4, "nodes": 8, "K": 10, "M": 11, "D": 12, "S": 13, "moved": 20,
    "P rows": 21, "P unknowns": 30, "P nodes": 34, "P positions": 35, "P labels": 37, "thermal": 38, "modes": 43,
    "dimensions": 44,
}  # fmt: skip
_DENSE, _SPARSE = 8, 9
#: kinds of unknowns that releases of ANSYS know: rows may be numbered by all of them, or by those that a node has
_KINDS = (32, 64)
#: how the matrices get out of ANSYS otherwise
_EXPORT = (
    "write its matrices as text, in ANSYS: *DMAT,K,D,IMPORT,SUB,part.sub,STIFF then *EXPORT,K,MMF,K.mtx; mass with "
    "MASS"
)


def read_sub(path: Path) -> MatrixFile:
    """Read stiffness, mass and damping, the nodes with their positions, and the labels of rows."""
    records = Records(path)
    head = _header(records)
    ids, points, axes = _nodes(records, head)
    labels = _labels(records, head, ids)
    lost = np.setdiff1d(labels[labels[:, 1] > 0, 0], ids)
    if len(lost):
        raise FileError(
            f"{path}: rows belong to the nodes {listing(lost)}, which it does not list; it is damaged"
        )
    T = turned_rows(labels, axes, lambda node: f"{path}: node {node} has turned axes (NROTAT)")
    inner = labels[:, 1] == 0
    kept = np.isin(ids, labels[~inner, 0])
    matrices = {name: scipy.sparse.csr_array(T.T @ A @ T) for name, A in _matrices(records, head).items()}
    if matrices.pop("S", None) is not None:
        warn(f"{path}: its stress stiffening matrix is not used; give that of a preload to fem.preloaded")
    return MatrixFile(matrices, labels, points[kept], ids[kept])


@dataclass(frozen=True)
class _Header:
    items: dict[str, int]

    def __getitem__(self, name: str) -> int:
        return self.items[name]

    @property
    def names(self) -> list[str]:
        """The matrices of the file, in their order."""
        return [name for name in "KMDS" if self[name]]


def _header(records: Records) -> _Header:
    """Return the items of the header that are used; FileError for files of other kinds, and for what is not read."""
    path = records.path
    values, _ = records.whole(_HEADER, "the superelement's header")
    if len(values) <= max(_ITEMS.values()):
        raise FileError(
            f"{path}: the header of the superelement has {len(values)} items; it is of an unknown version"
        )
    head = _Header({name: int(values[at]) for name, at in _ITEMS.items()})
    if head["kind"] == _SPARSE:
        raise FileError(f"{path} holds sparse matrices, which are not read; {_EXPORT}")
    if head["kind"] != _DENSE:
        raise FileError(
            f"{path} is not a .sub file: its second header begins with {head['kind']} instead of 8"
        )
    for name, what in (("rows", "rows"), ("unknowns", "unknowns of a node"), ("nodes", "nodes")):
        if not 1 <= head[name] <= len(records.data):
            raise FileError(f"{path}: its header tells {head[name]} {what}; it is damaged")
    if not 0 <= head["modes"] < head["rows"]:
        raise FileError(
            f"{path}: its header tells {head['modes']} modes among {head['rows']} rows; it is damaged"
        )
    if head["thermal"] == 1:
        raise FileError(f"{path} is a thermal superelement; give a structural one")
    if head["dimensions"] in (1, 2):
        raise FileError(
            f"{path} is a superelement of a plane or axisymmetric model; give one in three dimensions"
        )
    if head["moved"]:
        raise FileError(
            f"{path} was moved by SETRAN or SESYMM, which is not read; give the superelement that was moved, and move "
            "it where the body is placed"
        )
    if not head["K"] or head["matrices"] != len(head.names):
        raise FileError(
            f"{path}: its header tells {head['matrices']} matrices and names {listing(head.names) or 'none'}; a "
            f"stiffness matrix is needed, and the order of the others must be known. {_EXPORT}"
        )
    return head


def _labels(records: Records, head: _Header, ids: np.ndarray) -> np.ndarray:
    """Return node and component of each row; (-1, 0) for the coordinates of modes, which are the last ones."""
    path = records.path
    components, _ = records.whole(head["P unknowns"], "the unknowns of a node", [head["unknowns"]])
    numbers, _ = records.whole(head["P labels"], "the unknowns of the superelement", [head["rows"]])
    if numbers.min() < 1 or len(np.unique(numbers)) < len(numbers):
        raise FileError(
            f"{path}: the numbers of the unknowns are not different ones above zero; it is damaged"
        )
    kinds = [components, *(np.arange(1, count + 1) for count in _KINDS)]
    labels = min((_counted(numbers, its) for its in kinds), key=lambda its: _strangers(its, ids, components))
    if head["modes"]:
        inner, outer = np.split(labels, [len(labels) - head["modes"]])[::-1]
        if np.isin(inner[:, 0], outer[:, 0]).any():
            raise FileError(
                f"{path}: the last {head['modes']} rows are not those of its modes: they belong to nodes of other "
                f"rows. {_EXPORT}"
            )
        inner[:] = -1, 0
    strange = np.setdiff1d(labels[:, 1], range(7))
    if len(strange):
        raise FileError(
            f"{path} has unknowns of the kind {listing(strange)}; displacements and rotations are 1 to 6"
        )
    return labels


def _counted(numbers: np.ndarray, components: np.ndarray) -> np.ndarray:
    """Return node and component of each number; every node has as many numbers as there are components."""
    return np.column_stack(
        [(numbers - 1) // len(components) + 1, components[(numbers - 1) % len(components)]]
    )


def _strangers(labels: np.ndarray, ids: np.ndarray, components: np.ndarray) -> int:
    """Return how many rows belong to no node or component of the file."""
    return int(np.sum(~np.isin(labels[:, 0], ids) | ~np.isin(labels[:, 1], components)))


def _nodes(records: Records, head: _Header) -> tuple[np.ndarray, np.ndarray, dict[int, np.ndarray]]:
    """Return the numbers and positions (n, 3) of the nodes, and the axes of those whose axes are turned."""
    ids, _ = records.whole(head["P nodes"], "the nodes", [head["nodes"]])
    place, found = head["P positions"], []
    for node in ids.tolist():
        values, place = records.reals(place, f"the position of node {node}", [6])
        found.append(values)
    table = np.array(found)
    if not np.isfinite(table).all():
        raise FileError(f"{records.path}: positions of nodes are not finite; it is damaged")
    turned = np.flatnonzero(table[:, 3:].any(axis=1))
    return ids, table[:, :3], {int(ids[k]): rotation(*np.radians(table[k, 3:])) for k in turned}


def _matrices(records: Records, head: _Header) -> dict[str, scipy.sparse.csr_array]:
    """Return the matrices by their names."""
    n, place = head["rows"], head["P rows"]
    if 8 * n > len(records.data):
        raise FileError(
            f"{records.path}: its header tells {n} rows, more than it has room for; it is damaged"
        )
    rows: dict[str, list[np.ndarray]] = {name: [] for name in head.names}
    for k in range(1, n + 1):
        for name in rows:
            values, place = records.reals(place, f"row {k} of {name}", {n, k, n - k + 1})
            rows[name].append(values)
    return {name: _matrix(records.path, name, found) for name, found in rows.items()}


def _matrix(path: Path, name: str, rows: list[np.ndarray]) -> scipy.sparse.csr_array:
    """Return a matrix of its rows, which are whole, or the parts of all up to or from the diagonal."""
    n, lengths = len(rows), np.array([len(row) for row in rows])
    if (lengths == n).all():
        A = np.array(rows)
        if n > 1 and not (np.tril(A, -1).any() and np.triu(A, 1).any()):
            A = A + A.T - np.diag(A.diagonal())
        return scipy.sparse.csr_array(A)
    A = np.zeros((n, n))
    if (lengths == np.arange(1, n + 1)).all():
        A[np.tril_indices(n)] = np.concatenate(rows)
    elif (lengths == np.arange(n, 0, -1)).all():
        A[np.triu_indices(n)] = np.concatenate(rows)
    else:
        raise FileError(
            f"{path}: the rows of {name} are neither whole nor those of one triangle; it is damaged"
        )
    return scipy.sparse.csr_array(A + A.T - np.diag(A.diagonal()))

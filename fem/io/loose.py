"""Nodes without stiffness in some direction, such as across a flat skin of membranes, shear panels and rods.

Nastran holds these motions to the ground (PARAM,AUTOSPC), Abaqus finds a singular matrix. A body of a machine can't be
held so: here such a node follows the plane of those around it that have stiffness, which leaves rigid motions free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy

from ..common.errors import few
from ..elements import FACES, SHAPES
from ..elements.properties import Membrane, ShearPanel, Truss
from ..elements.shell.geometry import normals
from ..model.equations import Equation
from ..model.freedoms import NAMES
from ..model.parts import PointMass, Spring
from .raw import RawMesh

#: stiffness in a direction over that in others below which there is none, as Nastran's EPZERO
_NO_STIFFNESS = 1e-8
#: loose directions of a patch that differ by less (rad) are one: ten times the slope sqrt(1e-8) of loose neighbours
_ANGLE_TOLERANCE = 1e-3
#: nodes with stiffness that a loose one follows, where there are so many
_LEADERS = 6
_BATCH = 4096


class FormatWords(NamedTuple):
    """What a format calls nodes and the elements in question, what its program does, and how to mend it there."""

    node: str
    elements: str
    program: str
    mend: str


def loose_equations(raw: RawMesh, named: Callable[[int], str], words: FormatWords) -> list[Equation]:
    """Return the equations by which loose nodes follow others; a doubt tells them. What supports hold stays.

    ``named`` gives the name of a node by its place in the mesh.
    """
    if not any(isinstance(its, Membrane | ShearPanel | Truss) for its in raw.properties.values()):
        return []
    stiff, touched = _directions(raw)
    _add_parts(stiff, raw)
    value, vector = np.linalg.eigh(stiff)
    missing = (value < _NO_STIFFNESS * np.maximum(value[:, -1:], 1.0)) & touched[:, None]
    held = _held(raw)
    loose: dict[int, np.ndarray] = {}
    for node in np.flatnonzero(missing.any(axis=1)).tolist():
        free = _free(vector[node].T[missing[node]], held[node])
        if len(free):
            loose[node] = free
    if not loose:
        return []
    equations, left = _equations(raw, named, words, loose)
    if equations or left:
        raw.doubts.append(_told(words, [named(k) for k in loose], [named(k) for k in left], bool(equations)))
    return equations


def _told(words: FormatWords, loose: list[str], left: list[str], follow: bool) -> str:
    """Return what is said of loose nodes, some of which stay so."""
    some = f" (but for {few(left)}, which stay loose)" if left else ""
    here = (
        f"Here these {words.node}s follow those around them{some}, and rigid motions stay free; so may motions that "
        "bend a curved skin without stretching it, which have no energy"
    )
    if not follow:
        here = (
            "Here they stay loose, as their directions without stiffness differ: the body has motions without "
            f"energy beside the rigid ones. {words.mend}"
        )
    return (
        f"{words.elements} give the {words.node}s {few(loose)} no stiffness in some direction, such as "
        f"across a flat skin; {words.program}. {here}"
    )


def _directions(raw: RawMesh) -> tuple[np.ndarray, np.ndarray]:
    """Return a sum (n, 3, 3) of the directions in which elements are stiff, and which nodes have elements, (n,)."""
    points, blocks, names = raw.points, raw.blocks, list(raw.properties)
    stiff, touched = np.zeros((len(points), 3, 3)), np.zeros(len(points), bool)
    owner = np.full(sum(map(len, blocks)), -1)
    for k, name in enumerate(names):
        owner[raw.element_sets[name]] = k
    start = 0
    for block in blocks:
        own = owner[start : start + len(block)]
        start += len(block)
        for k in np.unique(own):
            nodes = block.nodes[own == k]
            its = raw.properties[names[k]] if k >= 0 else None
            touched[nodes] = True
            for part in range(0, len(nodes), _BATCH):
                some = nodes[part : part + _BATCH]
                np.add.at(stiff, some, _of_elements(block.element, its, points[some]))
    return stiff, touched


def _of_elements(kind: str, its: Any, X: np.ndarray) -> np.ndarray:
    """Return the directions (ne, nn, 3, 3) in which elements X (ne, nn, 3) are stiff at their nodes."""
    if isinstance(its, Truss):
        line = SHAPES[kind]
        along = np.einsum("eia,qi->eqa", X, line.dN(line.quadrature.points)[:, :, 0])
        along = along / np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-300)
        return np.broadcast_to(np.einsum("eqa,eqb->eab", along, along)[:, None], (*X.shape[:2], 3, 3))
    if isinstance(its, ShearPanel):  # along the diagonals
        along = np.roll(X, 2, axis=1) - X
        along = along / np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-300)
        return along[..., :, None] * along[..., None, :]
    if isinstance(its, Membrane):
        with np.errstate(invalid="ignore", divide="ignore"):
            n = np.nan_to_num(normals(kind, X))  # of degenerate ones the check of the mesh tells
        return np.eye(3) - n[..., :, None] * n[..., None, :]
    return np.broadcast_to(np.eye(3), (*X.shape[:2], 3, 3))


def _add_parts(stiff: np.ndarray, raw: RawMesh) -> None:
    """Add the directions of springs, and all of the nodes of other parts but masses."""
    order = np.argsort(raw.node_ids, kind="stable")

    def nodes_of(name: str) -> np.ndarray:
        if name in raw.node_sets:
            return raw.node_sets[name]
        return order[[np.searchsorted(raw.node_ids, int(name), sorter=order)]]

    for part in raw.parts:
        if isinstance(part, PointMass):
            continue
        ends = [nodes_of(name) for name in part.uses]
        own = (
            _of_spring(part, [raw.points[end].mean(axis=0) for end in ends])
            if isinstance(part, Spring)
            else np.eye(3)
        )
        for end in ends:
            stiff[end] += own


def _of_spring(spring: Spring, ends: list[np.ndarray]) -> np.ndarray:
    """Return the directions (3, 3) in which a spring is stiff at its ends."""
    K, axes = np.asarray(spring.stiffness, float), np.asarray(spring.axes, float)
    if K.ndim == 0:
        along = ends[-1] - ends[0]
        return np.outer(along, along) / max(float(along @ along), 1e-300)
    own = axes.T @ (np.diag(K[:3]) if K.ndim == 1 else K[:3, :3]) @ axes
    return np.asarray(own / max(np.abs(own).max(), 1e-300))


def _held(raw: RawMesh) -> np.ndarray:
    """Return which displacements x, y, z of the nodes supports hold, (n, 3)."""
    held = np.zeros((len(raw.points), 3))
    for name, what in raw.supports.items():
        for k, component in enumerate(NAMES[:3]):
            if component in what:
                held[raw.node_sets[name], k] = 1.0
    return held


def _free(axes: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Return the directions (j, 3) among loose ones (k, 3) that don't move a held displacement x, y, z, (3,)."""
    if not (axes * held).any():
        return axes
    _, s, vt = np.linalg.svd((axes * held).T)
    return vt[int((s > 1e-6).sum()) :] @ axes


def _equations(
    raw: RawMesh, named: Callable[[int], str], words: FormatWords, loose: Mapping[int, np.ndarray]
) -> tuple[list[Equation], list[int]]:
    """Return the equations of loose nodes, and those nodes for which there is none."""
    n, X, blocks = len(raw.points), raw.points, raw.blocks
    pairs = [
        block.nodes[:, [i, j]]
        for block in blocks
        if block.element in FACES or block.element.startswith("line")
        for i in range(block.nodes.shape[1])
        for j in range(block.nodes.shape[1])
        if i != j
    ]
    rows, columns = np.vstack(pairs).T
    inside = np.zeros(n, bool)
    inside[list(loose)] = True
    both = inside[rows] & inside[columns]
    graph = scipy.sparse.coo_array((np.ones(both.sum()), (rows[both], columns[both])), shape=(n, n))
    label = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    found: list[Equation] = []
    left: list[int] = []
    near = _by_label(columns[inside[rows]], label[rows[inside[rows]]])
    for members, neighbours in zip(_by_label(np.flatnonzero(inside), label[inside]), near, strict=True):
        around = np.setdiff1d(neighbours, members)
        E = loose[int(members[0])]
        alike = all(
            len(F := loose[k]) == len(E) and np.allclose(F @ E.T @ E, F, atol=_ANGLE_TOLERANCE)
            for k in members.tolist()
        )
        if not alike:  # such as a chain of rods with bends
            left += members.tolist()
            continue
        for k, e in enumerate(E):
            its = X - np.outer(X @ e, e)  # a rigid rotation moves them along e by a linear function of this
            leaders = _spanning(its, around, members)
            for node in np.setdiff1d(members, leaders).tolist():
                chosen, weights = _weights(its, node, leaders)
                names = [named(int(one)) for one in (node, *chosen)]
                name = f"loose motion {k + 1} of {words.node} {names[0]}"
                found.append(_equation(name, e, names, np.append(1.0, -weights)))
    return found, sorted(left)


def _by_label(values: np.ndarray, label: np.ndarray) -> list[np.ndarray]:
    """Return the values of each label, in the order of the labels."""
    order = np.argsort(label, kind="stable")
    return np.split(values[order], np.flatnonzero(np.diff(label[order])) + 1)


def _equation(name: str, e: np.ndarray, nodes: list[str], weights: np.ndarray) -> Equation:
    """Return the equation of a weighted sum of motions along e, whose largest component stands first."""
    components = [int(j) for j in np.argsort(-np.abs(e)) if abs(e[j]) > 1e-12]
    terms = [
        (node, NAMES[j], float(weight * e[j]))
        for node, weight in zip(nodes, weights.tolist(), strict=True)
        for j in components
    ]
    return Equation(name, tuple(terms))


def _spanning(X: np.ndarray, around: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the nodes around loose ones, with those of the loose nodes that it takes to know all rigid motions."""
    every = np.append(around, members)
    middle, size = X[every].mean(axis=0), np.ptp(X[every], axis=0).max()
    flat = np.column_stack([np.ones(len(every)), (X[every] - middle) / size])
    rank = np.linalg.matrix_rank(flat, tol=1e-6)
    basis = (
        np.linalg.svd(flat[: len(around)])[2][: np.linalg.matrix_rank(flat[: len(around)], tol=1e-3)]
        if len(around)
        else np.empty((0, 4))
    )
    leaders = around
    while len(basis) < rank:
        beyond = np.linalg.norm(flat - flat @ basis.T @ basis, axis=1)
        best = int(np.argmax(beyond))
        leaders = np.append(leaders, every[best])
        basis = np.vstack([basis, (flat[best] - flat[best] @ basis.T @ basis) / beyond[best]])
    return leaders


def _weights(X: np.ndarray, node: int, leaders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return some leaders near a node, and their weights in the plane through them, which is exact for planes."""
    arm = X[leaders] - X[node]
    distance = np.linalg.norm(arm, axis=1)
    order = np.argsort(distance, kind="stable")
    full = np.column_stack([np.ones(len(leaders)), arm / distance.max()])
    chosen = order[:_LEADERS]
    for _ in range(3):  # and those furthest from the line or point that these make, if they do
        _, s, vt = np.linalg.svd(full[chosen], full_matrices=False)
        basis = vt[s > 0.1]
        beyond = np.linalg.norm(full - full @ basis.T @ basis, axis=1)
        if beyond.max() <= 1e-6:
            break
        chosen = np.append(chosen, int(np.argmax(beyond)))
    chosen = np.unique(chosen)
    A, d = full[chosen].T, np.maximum(distance[chosen], 1e-9 * distance.max()) / distance.max()
    weights = np.linalg.pinv(A / d, rcond=1e-9) @ np.array([1.0, 0.0, 0.0, 0.0]) / d
    return leaders[chosen], weights

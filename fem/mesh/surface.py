"""Faces of solid elements: the outer ones, their triangles and mass matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..elements import ELEMENTS, FACES
from .block import Block


def faces_of(blocks: Sequence[Block], exterior: bool) -> list[tuple[str, np.ndarray]]:
    """Return the faces of all elements, each once: (kind, nodes (nf, nn)).

    ``exterior=True`` keeps those that belong to one element only. Faces are compared by their corners.
    """
    kinds, groups, keys = [], [], []
    for block in blocks:
        element = ELEMENTS[block.element]
        for kind in dict.fromkeys(element.face_kinds):
            pairs = zip(element.faces, element.face_kinds, strict=True)
            local = np.array([face for face, its in pairs if its == kind])
            nodes = block.nodes[:, local].reshape(-1, local.shape[1])
            corners = np.sort(nodes[:, : FACES[kind].n_corners], axis=1)
            key = np.full((len(nodes), 4), -1, np.int64)
            key[:, : corners.shape[1]] = corners
            kinds.append(kind)
            groups.append(nodes)
            keys.append(key)
    if not keys:
        return []
    first, count = _first_of_equal_rows(np.vstack(keys))
    keep = np.zeros(sum(map(len, groups)), bool)
    keep[first[count == 1] if exterior else first] = True
    parts = np.split(keep, np.cumsum([len(group) for group in groups])[:-1])
    merged: dict[str, list[np.ndarray]] = {}
    for kind, group, part in zip(kinds, groups, parts, strict=True):
        merged.setdefault(kind, []).append(group[part])
    return [(kind, np.vstack(nodes)) for kind, nodes in merged.items() if sum(map(len, nodes))]


def _first_of_equal_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the first of equal rows, and the number of equal rows."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.ones(len(rows), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    start = np.flatnonzero(new)
    return order[start], np.diff(np.append(start, len(rows)))


def triangles(faces: Sequence[Block]) -> np.ndarray:
    """Return triangles (nf, 3) that cover the faces, quadratic ones split at their middle nodes."""
    parts = [block.nodes[:, np.array(FACES[block.element].triangles)].reshape(-1, 3) for block in faces]
    return np.vstack(parts) if parts else np.empty((0, 3), np.int64)


def face_normals(points: np.ndarray, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return normals x,r cross x,s (nf, q, 3) in m^2 at the points of quadrature of faces, weights (q,), and N (q, nn).

    The length of a normal times the weight is the area that the point stands for.
    """
    face = FACES[block.element]
    N, dN = face.N(face.quadrature.points), face.dN(face.quadrature.points)
    tangents = np.einsum("fia,qib->fqba", points[block.nodes], dN)
    return np.cross(tangents[:, :, 0], tangents[:, :, 1]), face.quadrature.weights, N


def face_mass(points: np.ndarray, block: Block) -> np.ndarray:
    """Return the surface mass matrices of faces, (nf, nn, nn) in m^2: int N_i N_j dA."""
    normal, weights, N = face_normals(points, block)
    return np.einsum("fq,qi,qj->fij", np.linalg.norm(normal, axis=2) * weights, N, N)

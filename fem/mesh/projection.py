"""Closest points of faces, and the element coordinates of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from ..elements import ELEMENTS, SHAPES
from ..elements.base import Element
from .block import Block

#: steps of Newton's method, and the change in element coordinates that ends it
MAX_STEPS, CHANGE_TOLERANCE = 30, 1e-13


@dataclass(frozen=True, eq=False)
class Projection:
    """The closest point of faces for each of m points.

    ``face`` (m,): number of the face through all blocks, -1 where none is within reach; ``xi`` (m, 2): coordinates on
    it; ``distance`` (m,) in m, infinite where there is none.
    """

    face: np.ndarray
    xi: np.ndarray
    distance: np.ndarray


def project(
    points: np.ndarray, faces: Sequence[Block], x: np.ndarray, reach: Sequence[np.ndarray]
) -> Projection:
    """Return the closest points on faces for x (m, 3) in m; ``reach``: for each block the distance (nf,) allowed."""
    best = Projection(np.full(len(x), -1), np.zeros((len(x), 2)), np.full(len(x), np.inf))
    start = 0
    for block, allowed in zip(faces, reach, strict=True):
        X = points[block.nodes]
        middle = X.mean(axis=1)
        radius = np.linalg.norm(X - middle[:, None], axis=2).max(axis=1) * 1.1 + allowed
        tree = scipy.spatial.cKDTree(middle)
        near = tree.query_ball_point(x, radius.max())
        point = np.repeat(np.arange(len(x)), [len(found) for found in near])
        face = np.array([k for found in near for k in found], dtype=np.int64)
        keep = np.linalg.norm(x[point] - middle[face], axis=1) <= radius[face]
        point, face = point[keep], face[keep]
        if len(point):
            xi, distance = _closest(SHAPES[block.element], X[face], x[point])
            keep = distance <= allowed[face]
            _keep_best(best, point[keep], start + face[keep], xi[keep], distance[keep])
        start += len(block)
    return best


def _keep_best(
    best: Projection, point: np.ndarray, face: np.ndarray, xi: np.ndarray, distance: np.ndarray
) -> None:
    order = np.lexsort((face, distance, point))
    first = order[np.unique(point[order], return_index=True)[1]]
    first = first[distance[first] < best.distance[point[first]]]
    best.face[point[first]] = face[first]
    best.xi[point[first]] = xi[first]
    best.distance[point[first]] = distance[first]


def _closest(face: Element, X: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates (m, 2) of the points of faces X (m, nn, 3) that are closest to x (m, 3), and distances."""
    triangle = face.n_corners == 3
    middle = face.nodes[: face.n_corners].mean(axis=0)
    xi = np.tile(middle, (len(x), 1))
    for _ in range(MAX_STEPS):
        away = x - np.einsum("mi,mia->ma", face.N(xi), X)
        tangents = np.einsum("mid,mia->mda", face.dN(xi), X)
        normal = np.einsum("mda,mea->mde", tangents, tangents)
        normal += 1e-14 * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(2)
        step = np.linalg.solve(normal, np.einsum("mda,ma->md", tangents, away)[:, :, None])[:, :, 0]
        new = _inside(xi + np.clip(step, -1.0, 1.0), triangle)
        change, xi = np.abs(new - xi).max(), new
        if change < CHANGE_TOLERANCE:
            break
    return xi, np.linalg.norm(x - np.einsum("mi,mia->ma", face.N(xi), X), axis=1)


def _inside(xi: np.ndarray, triangle: bool) -> np.ndarray:
    if not triangle:
        return np.clip(xi, -1.0, 1.0)
    over = np.maximum(xi.sum(axis=1) - 1.0, 0.0)
    xi = xi - 0.5 * over[:, None]
    xi = np.maximum(xi, 0.0)
    return xi / np.maximum(xi.sum(axis=1), 1.0)[:, None]


def owners(blocks: Sequence[Block], faces: Sequence[Block]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the block and the row of the solid that each face belongs to, and which of its faces it is; -1: none."""
    wanted = {}
    number = 0
    for block in faces:
        for row in np.sort(block.nodes, axis=1).tolist():
            wanted[tuple(row)] = number
            number += 1
    of_block, of_row, which = (np.full(number, -1) for _ in range(3))
    member = np.zeros(max((int(block.nodes.max()) for block in (*faces, *blocks)), default=0) + 1, bool)
    for block in faces:
        member[block.nodes] = True
    for k, block in enumerate(blocks):
        if block.element not in ELEMENTS:
            continue
        element = ELEMENTS[block.element]
        for side, local in enumerate(element.faces):
            nodes = block.nodes[:, list(local)]
            rows = np.flatnonzero(member[nodes].all(axis=1))
            for row, key in zip(rows.tolist(), np.sort(nodes[rows], axis=1).tolist(), strict=True):
                at = wanted.get(tuple(key), -1)
                if at >= 0:
                    of_block[at], of_row[at], which[at] = k, row, side
    return of_block, of_row, which


def coordinates(element: Element, X: np.ndarray, x: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """Return the coordinates (m, 3) at which solids X (m, nn, 3) have the points x (m, 3), inside or outside.

    Newton's method from ``guess`` (m, 3).
    """
    xi = guess.copy()
    for _ in range(MAX_STEPS):
        away = x - np.einsum("mi,mia->ma", element.N(xi), X)
        jacobian = np.einsum("mid,mia->mad", element.dN(xi), X)
        step = np.linalg.solve(jacobian, away[:, :, None])[:, :, 0]
        step = np.clip(step, -0.5, 0.5)
        xi = xi + step
        if np.abs(step).max(initial=0.0) < CHANGE_TOLERANCE:
            break
    return xi

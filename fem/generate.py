"""Meshes made here: a box of regular elements."""

from __future__ import annotations

import numpy as np

from .common.errors import InputError, listing
from .elements import ELEMENTS
from .mesh import Block, Mesh

# six tetrahedra around the diagonal 0-6 of a cube (Kuhn's triangulation): neighbours match without turning
_SIX = np.array([[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]])


def box(
    size: tuple[float, float, float],
    divisions: tuple[int, int, int],
    element: str = "hex20",
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Mesh:
    """Return a box with edges ``size`` (m) along x, y, z and its low corner in ``origin``.

    ``divisions`` counts the bricks along each edge; tetrahedra are six to a brick. The faces are the node
    sets ``"x0"``, ``"x1"``, ``"y0"``, ``"y1"``, ``"z0"``, ``"z1"``.
    """
    lengths, counts = np.asarray(size, dtype=float), np.asarray(divisions)
    if element not in ELEMENTS:
        raise InputError(f"there is no solid element {element!r}; there are {listing(ELEMENTS)}")
    if lengths.shape != (3,) or not (lengths > 0).all() or not np.isfinite(lengths).all():
        raise InputError(f"a box needs three positive lengths, not size = {size!r}")
    if counts.shape != (3,) or not np.issubdtype(counts.dtype, np.integer) or (counts < 1).any():
        raise InputError(f"a box needs three whole numbers of divisions of at least 1, not {divisions!r}")
    kind = ELEMENTS[element]
    grid = [np.linspace(0.0, length, n + 1) for length, n in zip(lengths, counts, strict=True)]
    points = np.stack([g.ravel() for g in np.meshgrid(*grid, indexing="ij")], axis=1)
    number = np.arange(len(points)).reshape(counts + 1)
    steps = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    nx, ny, nz = counts
    bricks = np.stack([number[i : i + nx, j : j + ny, k : k + nz].ravel() for i, j, k in steps], axis=1)
    cells = bricks if kind.n_corners == 8 else bricks[:, _SIX].reshape(-1, 4)
    if kind.order == 2:
        points, cells = with_middle_nodes(points, cells, kind.edges)
    sets = {}
    for axis, letter in enumerate("xyz"):
        for side, level in enumerate((0.0, lengths[axis])):
            # exact: linspace ends on the value, and the mean of two equal numbers is that number
            sets[f"{letter}{side}"] = np.flatnonzero(points[:, axis] == level)
    return Mesh(points + np.asarray(origin, dtype=float), (Block(element, cells),), sets, name="box")


def with_middle_nodes(
    points: np.ndarray, cells: np.ndarray, edges: tuple[tuple[int, int], ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Add a node in the middle of every edge of linear cells: points (n, 3), cells (ne, corners + edges)."""
    pairs = np.sort(cells[:, np.array(edges)].reshape(-1, 2), axis=1)
    unique, index = np.unique(pairs, axis=0, return_inverse=True)
    middles = 0.5 * (points[unique[:, 0]] + points[unique[:, 1]])
    numbers = len(points) + index.reshape(len(cells), len(edges))
    return np.vstack([points, middles]), np.hstack([cells, numbers])

"""Meshes made here: a box of regular elements."""

from __future__ import annotations

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, listing
from ..common.foreseen import check_memory
from ..common.names import with_match
from ..common.numbers import floats, numbers
from ..elements import ELEMENTS, Element
from ..elements.solid.hexahedra import CUBE_FACES
from .block import Block
from .mesh import Mesh

# six tetrahedra around the diagonal 0-6 of a cube (Kuhn's triangulation): neighbours match without turning
_SIX = np.array([[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]])
_WEDGES = np.array([[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]])
# the sides of a cube, seen from its centre (number 8), which is the apex of all
_PYRAMIDS = np.array([[*face, 8] for face in CUBE_FACES])[:, [0, 3, 2, 1, 4]]


@check_arguments(own=("size", "divisions"))
def box(
    size: tuple[float, float, float],
    divisions: tuple[int, int, int],
    element: str = "hex20",
    *,
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Mesh:
    """Return the mesh of a box.

    Its faces are the node sets ``"x0"``, ``"x1"``, ``"y0"``, ``"y1"``, ``"z0"``, ``"z1"``.

    Parameters
    ----------
    size : (lx, ly, lz), m
        Edges along x, y, z.
    divisions : (nx, ny, nz)
        Number of bricks along each edge. A brick is divided into two wedges (triangles across z), or into six
        tetrahedra or pyramids.
    element : str
        Kind of solid element.
    origin : (3,), m
        Corner with the lowest coordinates.

    Returns
    -------
    Mesh
        The mesh, named "box".

    Raises
    ------
    InputError
        The element is not a solid, or a size or division is not positive.

    Examples
    --------
    >>> import fem
    >>> fem.box((1.0, 0.1, 0.1), (4, 1, 1))
    <Mesh 'box': 56 nodes, 4 hex20; node sets 'x0', 'x1', 'y0', 'y1', 'z0', 'z1'>
    """
    lengths, given = numbers(size, (3,), "the lengths of a box"), floats(divisions)
    if element not in ELEMENTS:
        raise InputError(
            f"there is no solid element {with_match(element, ELEMENTS)}; there are {listing(ELEMENTS)}"
        )
    if not (lengths > 0).all():
        raise InputError(f"a box needs three positive lengths, not size = {size!r}")
    if given is None or given.shape != (3,) or (given % 1).any() or (given < 1).any():
        raise InputError(f"a box needs three whole numbers of divisions of at least 1, not {divisions!r}")
    check_memory(float(np.prod(given)), 1e3, f"the bricks of a box with divisions {divisions!r}")
    counts = given.astype(int)
    kind = ELEMENTS[element]
    grid = [np.linspace(0.0, length, n + 1) for length, n in zip(lengths, counts, strict=True)]
    points = np.stack([g.ravel() for g in np.meshgrid(*grid, indexing="ij")], axis=1)
    number = np.arange(len(points)).reshape(counts + 1)
    steps = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    nx, ny, nz = counts
    bricks = np.stack([number[i : i + nx, j : j + ny, k : k + nz].ravel() for i, j, k in steps], axis=1)
    if kind.n_corners == 5:
        centres = len(points) + np.arange(len(bricks))[:, None]
        points, bricks = np.vstack([points, points[bricks].mean(axis=1)]), np.hstack([bricks, centres])
    split = {4: _SIX, 5: _PYRAMIDS, 6: _WEDGES, 8: np.arange(8)}[kind.n_corners]
    points, cells = with_middle_nodes(points, bricks[:, split].reshape(-1, kind.n_corners), kind)
    sets = {}
    for axis, letter in enumerate("xyz"):
        for side, level in enumerate((0.0, lengths[axis])):
            # exact: linspace ends on the value, and the mean of two equal numbers is that number
            sets[f"{letter}{side}"] = np.flatnonzero(points[:, axis] == level)
    return Mesh(points + np.asarray(origin, dtype=float), (Block(element, cells),), sets, name="box")


def with_middle_nodes(points: np.ndarray, cells: np.ndarray, kind: Element) -> tuple[np.ndarray, np.ndarray]:
    """Return points and cells with the further nodes of a kind, in the middle of its edges, faces and itself.

    ``points`` (n, 3) and ``cells`` (ne, corners) become points (m, 3) and cells (ne, nodes).
    """
    for size in sorted({len(group) for group in kind.middles}):
        groups = np.array([group for group in kind.middles if len(group) == size])
        found = np.sort(cells[:, groups].reshape(-1, size), axis=1)
        unique, index = np.unique(found, axis=0, return_inverse=True)
        cells = np.hstack([cells, len(points) + index.reshape(len(cells), len(groups))])
        middles = points[unique]
        while middles.shape[1] > 1:  # in halves: the mean of equal numbers is that number to the last bit
            middles = 0.5 * (middles[:, ::2] + middles[:, 1::2])
        points = np.vstack([points, middles[:, 0]])
    return points, cells

"""The shape quality of elements."""

from __future__ import annotations

import numpy as np

from ..common.arguments import check_arguments
from ..elements import ELEMENTS, FACES, Element
from .mesh import Mesh

# e1 . (e2 x e3) of unit edges at a corner of the regular shape: edges at 60 degrees, at 90, and so on
_REGULAR = {"tet": np.sqrt(0.5), "pyramid": np.sqrt(0.5), "wedge": np.sqrt(0.75), "hex": 1.0}


@check_arguments
def shape_quality(mesh: Mesh) -> np.ndarray:
    """Return the scaled Jacobian of every element, a measure of its shape between -1 and 1.

    Parameters
    ----------
    mesh : Mesh
        The mesh.

    Returns
    -------
    array (n_elements,)
        1 for a regular shape (or one with right angles), 0 for a flat one, negative for an inverted one.

    Notes
    -----
    For solids it is the smallest value of e1 . (e2 x e3) / (|e1| |e2| |e3|) over the corners with three edges,
    relative to that of the regular tetrahedron, cube, wedge or pyramid. For triangles and quadrilaterals it is the
    smallest sine of a corner's angle about the mean normal, relative to the regular one. Middle nodes are ignored, as
    are corners at edges without length (bricks collapsed to wedges); lines have 1.

    References
    ----------
    P. M. Knupp: Achieving finite element mesh quality via optimization of the Jacobian matrix norm and associated
    quantities. Int. J. Numer. Meth. Engng 48 (2000).

    Examples
    --------
    >>> import fem
    >>> fem.shape_quality(fem.box((1.0, 1.0, 1.0), (1, 1, 1), "hex8")).tolist()
    [1.0]
    """
    values = [_of_block(mesh.points[block.nodes], block.element) for block in mesh.blocks]
    return np.concatenate([np.empty(0), *values])


def _of_block(X: np.ndarray, kind: str) -> np.ndarray:
    if kind in ELEMENTS:
        return _solid(X, ELEMENTS[kind])
    return _surface(X, FACES[kind].n_corners) if kind in FACES else np.ones(len(X))


def _solid(X: np.ndarray, element: Element) -> np.ndarray:
    regular = _REGULAR[element.name.rstrip("0123456789")]
    quality = np.ones(len(X))
    for corner in range(element.n_corners):
        near = [b if a == corner else a for a, b in element.edges if corner in (a, b)]
        if len(near) != 3:  # the apex of a pyramid: the other corners suffice
            continue
        sign = np.sign(np.linalg.det(element.nodes[near] - element.nodes[corner]))
        a, b, c = (np.ascontiguousarray((X[:, k] - X[:, corner]).T) for k in near)
        size = regular * np.sqrt(_dot(a, a) * _dot(b, b) * _dot(c, c))
        volume = sign * _dot(_cross(a, b), c)
        quality = np.minimum(quality, np.divide(volume, size, out=np.ones_like(size), where=size > 0))
    return quality


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _surface(X: np.ndarray, corners: int) -> np.ndarray:
    X = X[:, :corners]
    after = np.roll(X, -1, axis=1) - X
    cross = np.cross(after, -np.roll(after, 1, axis=1))
    normal = cross.sum(axis=1)
    size = np.linalg.norm(normal, axis=1)
    normal /= np.where(size > 0, size, 1.0)[:, None]
    length = np.linalg.norm(after, axis=2)
    both = length * np.roll(length, 1, axis=1)
    sine = np.einsum("eij,ej->ei", cross, normal) / np.where(both > 0, both, 1.0)
    sine[both == 0] = 1.0
    return np.minimum(sine.min(axis=1) / (np.sqrt(0.75) if corners == 3 else 1.0), 1.0)

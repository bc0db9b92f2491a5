"""Isoparametric elements: reference nodes, shape functions, quadrature, faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .quadrature import Rule


@dataclass(frozen=True, eq=False)
class Element:
    """An isoparametric element, x(xi) = sum_i N_i(xi) x_i.

    :data:`fem.ELEMENTS` has the solid elements by their names.

    Attributes
    ----------
    name : str
        Name, such as "hex20".
    meshio : str
        Name in meshio.
    n_corners : int
        Number of corners.
    nodes : array (nn, dim)
        Reference coordinates in VTK's order (also Abaqus', except for hex27): corners first, then the middles of
        ``edges`` in their order, then those of ``inner``.
    edges : tuple of pairs
        Edges as local corners.
    N, dN : callable
        Shape functions (q, nn) and their derivatives (q, nn, dim) at points (q, dim).
    quadrature : Rule
        Integrates products of shape functions (mass, volume).
    stiffness_quadrature : Rule
        Integrates products of their gradients.
    faces : tuple of tuples
        Local nodes of each face, counter-clockwise seen from outside, in Abaqus' order S1, S2, ...
    face_kinds : tuple of str
        Kind of each face.
    triangles : tuple of triples
        Triangles of a surface element, for drawing.
    inner : tuple of tuples
        Groups of corners (faces, the whole element) with a further node in their middle.

    Examples
    --------
    >>> import fem
    >>> hex20 = fem.ELEMENTS["hex20"]
    >>> hex20.n_nodes, hex20.order
    (20, 2)
    """

    name: str
    meshio: str
    n_corners: int
    nodes: np.ndarray
    edges: tuple[tuple[int, int], ...]
    N: Callable[[np.ndarray], np.ndarray]
    dN: Callable[[np.ndarray], np.ndarray]
    quadrature: Rule
    stiffness_quadrature: Rule
    faces: tuple[tuple[int, ...], ...] = ()
    face_kinds: tuple[str, ...] = ()
    triangles: tuple[tuple[int, int, int], ...] = field(default=())
    inner: tuple[tuple[int, ...], ...] = ()

    def __repr__(self) -> str:
        return f"<Element {self.name!r}: {len(self.nodes)} nodes, dimension {self.dim}>"

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def dim(self) -> int:
        """Dimension of the reference element: 3 for solids, 2 for faces."""
        return self.nodes.shape[1]

    @property
    def order(self) -> int:
        """Degree of the complete polynomials that the element represents: 1 or 2."""
        return 1 if self.n_nodes == self.n_corners else 2

    @property
    def middles(self) -> tuple[tuple[int, ...], ...]:
        """Corners between which each further node lies: those of an edge, of a face, or of the whole element."""
        return (*self.edges, *self.inner) if self.order == 2 else ()


def with_middles(corners: np.ndarray, groups: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Return the corners followed by the midpoint of every edge (or face, or of the whole element)."""
    return np.vstack([corners, [corners[list(group)].mean(axis=0) for group in groups]])


def quadratic_face(
    face: tuple[int, ...], edges: tuple[tuple[int, int], ...], n_corners: int
) -> tuple[int, ...]:
    """Return the corners of a face followed by the local numbers of the middle nodes of its sides."""
    middle = {frozenset(edge): n_corners + k for k, edge in enumerate(edges)}
    sides = zip(face, face[1:] + face[:1], strict=True)
    return (*face, *(middle[frozenset(side)] for side in sides))

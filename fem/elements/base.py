"""What an element is: reference nodes, shape functions, quadrature, faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .quadrature import Rule


@dataclass(frozen=True, eq=False)
class Element:
    """An isoparametric element: x(xi) = sum_i N_i(xi) x_i.

    ``nodes`` (nn, dim) are the reference coordinates in VTK's order (Abaqus' too, but for hex27): corners
    first, then the middles of ``edges`` in their order, then those of ``inner``, groups of corners (faces, the
    whole element). ``N`` maps points (q, dim) to (q, nn), ``dN`` to (q, nn, dim). ``quadrature`` integrates
    products of shape functions (mass, volume), ``stiffness_quadrature`` products of their gradients.
    ``faces`` lists the local nodes of each face, seen from outside counter-clockwise, in Abaqus' order S1,
    S2...; ``face_kinds`` names the type of each. ``triangles`` splits a surface element for drawing.
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
        """Degree of the complete polynomials that it represents: 1 or 2."""
        return 1 if self.n_nodes == self.n_corners else 2

    @property
    def middles(self) -> tuple[tuple[int, ...], ...]:
        """The corners between which each node after the corners lies: those of an edge, a face, the whole."""
        return (*self.edges, *self.inner) if self.order == 2 else ()


def with_middles(corners: np.ndarray, groups: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Return the corners followed by the middle of every edge (or face, or the whole)."""
    return np.vstack([corners, [corners[list(group)].mean(axis=0) for group in groups]])


def quadratic_face(
    face: tuple[int, ...], edges: tuple[tuple[int, int], ...], n_corners: int
) -> tuple[int, ...]:
    """Return a face's corners followed by the local numbers of the middle nodes of its sides."""
    middle = {frozenset(edge): n_corners + k for k, edge in enumerate(edges)}
    sides = zip(face, face[1:] + face[:1], strict=True)
    return (*face, *(middle[frozenset(side)] for side in sides))

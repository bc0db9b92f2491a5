"""What all shells share: placement beside the nodes, mass, edge loads, stresses on both sides."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np

from ...common.tall_matrices import inner
from .. import FACES
from ..property import Property, Samples
from . import geometric_stiffness, linear, membrane, quadratic
from .geometry import Array, cross, gauss, normals, shape_functions, six, surface, turns
from .material import Laws, Layup, Ply, laws
from .shapes import check_shapes
from .varying import along_elements

#: number of elements that are computed at a time, with about 30 MB of intermediate results
BLOCK_ELEMENTS = 512
Formulation = linear.Quad | linear.Triangle | quadratic.Quadratic
_FORMULATIONS: dict[str, type[Formulation]] = {
    "tri3": linear.Triangle,
    "quad4": linear.Quad,
    "tri6": quadratic.Quadratic,
    "quad8": quadratic.Quadratic,
    "quad9": quadratic.Quadratic,
}


class Resultants(NamedTuple):
    """Section forces at the nodes, in the axes ``frame`` (ne, nn, 3, 3), rows e1, e2, normal.

    ``N`` (ne, nn, 3) membrane forces 11, 22, 12 in N/m; ``M`` (ne, nn, 3) moments in Nm/m, positive with tension
    at the top, the side of the normal; ``Q`` (ne, nn, 2) transverse shear 13, 23 in N/m.
    """

    frame: Array
    N: Array
    M: Array
    Q: Array


class Sides(NamedTuple):
    """Strains at the nodes, in the axes ``frame`` (ne, nn, 3, 3): membrane ``e``, curvatures ``k`` (ne, nn, 3)."""

    frame: Array
    e: Array
    k: Array
    law: Laws


class LayeredProperty(Property):
    """A shell whose section consists of layers, of one or more.

    Attributes
    ----------
    thickness : float
        Thickness of the whole section, m.
    offset : float
        Distance from the nodes to the middle surface along the normal, m.
    """

    kinds: ClassVar[tuple[str, ...]] = tuple(_FORMULATIONS)
    freedoms: ClassVar[int] = 6
    thickness: float
    offset: float

    @abstractmethod
    def layup(self) -> Layup:
        """Return the section in its own axes.

        Returns
        -------
        Layup
            Layers and stiffness.
        """

    @abstractmethod
    def inertia(self) -> tuple[float, float, float]:
        """Return mass per area, height of its centre above the middle surface, and radius of gyration about that.

        Returns
        -------
        tuple of float
            Mass per area, kg/m^2; height and radius, m.
        """

    @abstractmethod
    def axis_one(self, kind: str, X: Array) -> Array | None:
        """Return the directions (ne, 3) whose projections are axis 1 of the section; None if there is none.

        Parameters
        ----------
        kind : str
            Name of the element, such as "quad8".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        numpy.ndarray or None
            Vectors, (ne, 3) or (3,).
        """

    def check(self, kind: str, X: Array) -> None:
        """Raise InputError for elements X (ne, nn, 3) that can't be shells, with their indices."""
        check_shapes("shells", self.kinds, kind, np.asarray(X, float), lambda X: self.axis_one(kind, X))

    @property
    def faces_at(self) -> tuple[float, float]:
        """Distances in m of bottom and top from the nodes, along the normal."""
        return self.offset - 0.5 * self.thickness, self.offset + 0.5 * self.thickness

    def laws(self, kind: str, X: Array, nodes: Array | None = None) -> Laws:
        """Return the stiffnesses of the section in the elements' axes.

        Parameters
        ----------
        kind : str
            Name of the element, such as "quad8".
        X : numpy.ndarray
            Points of the elements' middle surface, (ne, nn, 3), m.
        nodes : numpy.ndarray, optional
            Points of their nodes, (ne, nn, 3), m, where these lie beside it.

        Returns
        -------
        Laws
            Membrane, bending and transverse shear stiffness of each element.
        """
        along = along_elements(kind, X, self.axis_one(kind, X))
        return laws(self.layup(), along, self.scale(X if nodes is None else nodes))

    def scale(self, X: Array) -> Array:
        """Return the thickness (ne,) of elements X (ne, nn, 3) over :attr:`thickness`.

        Parameters
        ----------
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        numpy.ndarray
            1 for each element, unless the thickness varies.
        """
        return np.ones(len(X))

    def placed(self, kind: str, X: Array) -> tuple[Array, Array]:
        """Return the nodes of the middle surface and the normals there, both (ne, nn, 3).

        Parameters
        ----------
        kind : str
            Name of the element, such as "quad8".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        tuple of numpy.ndarray
            Points, m, and unit normals.
        """
        V = normals(kind, X)
        return X + self.offset * V, V

    def stiffness(self, kind: str, X: Array) -> Array:
        """Return K (ne, 6 nn, 6 nn) in global axes, N/m, N and Nm; X (ne, nn, 3) m."""

        def block(X: Array) -> Array:
            """Return K of some of the elements."""
            its, V = self._formulation(kind, X)
            return self._to_nodes(its.stiffness(), V)

        return _blocks(lambda X: (block(X),), X)[0]

    def samples(self, kind: str, X: Array, lumped: bool = False) -> Samples:
        """Return the mass as points: two over the thickness at several places; or at the nodes, ``lumped``.

        2 x 2 places (3 on triangles) on linear elements, 3 x 3 (6) on quadratic ones. Lumped masses are translational
        only and lie on the middle surface, on the normal through their node; on quadratic elements in proportion to
        the diagonal of the consistent mass (Hinton, Rock and Zienkiewicz 1976).
        """
        X = np.asarray(X, float)
        middle, V = self.placed(kind, X)
        order, motion, arms = FACES[kind].order, None, turns(self.offset * V)
        if not lumped:
            kind, middle, V, motion = _FORMULATIONS[kind].carrier(kind, middle, V)
        xi, w = gauss(kind, 1 + order)
        at = surface(kind, middle, xi, w)
        per_area, height, radius = self.inertia()
        scale = self.scale(X)[:, None]
        mass, N = per_area * scale * at.weight, at.N
        heights: tuple[Array, ...] = ((height - radius) * scale, (height + radius) * scale)
        if lumped:
            share = mass @ N**order
            mass = share * (mass.sum(1) / share.sum(1))[:, None]
            N, heights = np.eye(X.shape[1]), (height * scale,)
        points = np.concatenate([N @ (middle + z[:, None] * V) for z in heights], 1)
        shape = np.zeros((len(X), len(heights), len(N), 3, V.shape[1], 6))
        for c in range(3):
            shape[..., c, :, c] = N
        turn = N[:, None, :, None] * np.swapaxes(turns(V), 1, 2)[:, None]
        for k, z in enumerate(heights):
            np.multiply(turn, z[:, :, None, None, None], out=shape[:, k, ..., 3:])
        shape = shape.reshape(len(X), len(heights) * len(N), 3, -1)
        shape = quadratic.followed(shape, motion)
        if self.offset:
            by_node = shape.reshape(*shape.shape[:3], X.shape[1], 6)
            by_node[..., 3:] += np.einsum("eqxnc,enct->eqxnt", by_node[..., :3], arms, optimize=True)
        return Samples(points, np.concatenate([mass] * len(heights), 1) / len(heights), shape)

    def edge(self, kind: str, X: Array, side: int) -> Samples:
        """Return points on a side of the elements (side k from node k to the next), for loads along it.

        As :meth:`samples` does for mass, with lengths in m for weights: forces per length t (ne, 3, 3) at the points
        give the nodal loads ``einsum("eq,eqx,eqxd->ed", weights, t, shape)``. On linear elements they contain the
        drilling moments that belong to the sides' in-plane bending, 3/2 t L^2 / 12 at either end, which cancel between
        equal neighbours and remain at the ends of a loaded edge; without them the stresses at these corners are
        disturbed.
        """
        X = np.asarray(X, float)
        middle, V = self.placed(kind, X)
        element, (s, w) = FACES[kind], np.polynomial.legendre.leggauss(3)
        i, j = element.edges[side]
        first, last = element.nodes[i], element.nodes[j]
        N, dN = shape_functions(kind, 0.5 * (np.outer(1 - s, first) + np.outer(1 + s, last)))
        slope = dN @ (last - first) / 2
        shape = np.zeros((len(X), 3, 3, X.shape[1], 6))
        for c in range(3):
            shape[..., c, :, c] = N
        shape[..., 3:] = N[:, None, :, None] * np.swapaxes(turns(self.offset * V), 1, 2)[:, None]
        if element.order == 1:
            chord = middle[:, j] - middle[:, i]
            bend = (
                cross((V[:, i] + V[:, j]) / 2, chord)[:, None]
                * (membrane.ALPHA / 8 * (1 - s**2))[None, :, None]
            )
            for node, sign in ((i, 1), (j, -1)):
                shape[..., node, 3:] += sign * bend[..., None] * V[:, None, None, node]
        length = np.linalg.norm(slope @ middle, axis=2) * w
        return Samples(N @ middle, length, shape.reshape(len(X), 3, 3, -1))

    def geometric(self, kind: str, X: Array, u: Array) -> Array:
        """Return K_G (ne, 6 nn, 6 nn) of the forces that u (ne, 6 nn) causes; tension is positive.

        On the middle surface the membrane forces do the work int N_ab du,a . du,b dA, with the element's functions
        and all three components of the translation, and on linear elements their drilling moments that of
        :func:`.geometric_stiffness.of_sides`. The terms that turn all other forces and moments of the element with
        it, :func:`.geometric_stiffness.turned`, and the second order of the offset's arm are added: K_G is objective
        in any state, K_G (theta x r, theta) = (theta x F, theta x M / 2). The work of moments and transverse shears
        on the rotations within an element relative to its own rotation is left out: an error of order h^2.
        """

        def block(X: Array, u: Array) -> Array:
            """Return K_G of some of the elements."""
            return self._geometric(*self._formulation(kind, X), u)

        return _blocks(lambda X, u: (block(X, u),), X, u)[0]

    def geometric_products(self, kind: str, X: Array, u: Array, Phi: Array) -> Array:
        """Return Phi' K_G Phi (n, N, N) in J of n displacements; the strains of each element are set up once."""
        total = np.zeros((u.shape[2], Phi.shape[2], Phi.shape[2]))
        for k in range(0, len(X), BLOCK_ELEMENTS):
            part = slice(k, k + BLOCK_ELEMENTS)
            its, V = self._formulation(kind, X[part])
            shapes = Phi[part]
            flat = shapes.reshape(-1, shapes.shape[2])
            for i in range(len(total)):
                product = self._geometric(its, V, u[part, :, i]) @ shapes
                total[i] += inner(flat, product.reshape(flat.shape))
        return total

    def _formulation(self, kind: str, X: Array) -> tuple[Formulation, Array]:
        """Return the elements with their strains, and the normals at their nodes."""
        middle, V = self.placed(kind, X)
        return _FORMULATIONS[kind](kind, middle, V, self.laws(kind, middle, X)), V

    def _geometric(self, its: Formulation, V: Array, u: Array) -> Array:
        K, f = its.geometric(self._at_middle(u, V))
        K = self._to_nodes(K, V)
        if self.offset:
            arms = geometric_stiffness.of_arms(f.reshape(*V.shape[:2], 6)[..., :3], self.offset * V)
            blocks = K.reshape(*V.shape[:2], 6, V.shape[1], 6)
            for i in range(V.shape[1]):
                blocks[:, i, 3:, i, 3:] += arms[:, i]
        return K

    def resultants(self, kind: str, X: Array, u: Array) -> Resultants:
        """Return membrane forces, moments and transverse shears at the nodes for displacements u (ne, 6 nn).

        Parameters
        ----------
        kind : str
            Name of the element, such as "quad8".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        u : numpy.ndarray
            Displacements of the nodes, (ne, 6 nn), m and rad.

        Returns
        -------
        Resultants
            Forces, N/m, and moments, N, per length, in the axes of the elements.
        """

        def block(X: Array, u: Array) -> tuple[Array, ...]:
            """Return frames, N, M and Q of some of the elements."""
            its, V = self._formulation(kind, X)
            return its.resultants(self._at_middle(u, V))

        return Resultants(*_blocks(block, X, u))

    def sides(self, kind: str, X: Array, u: Array) -> Sides:
        """Return the strains of the middle surface and its curvatures that belong to :meth:`resultants`.

        Parameters
        ----------
        kind : str
            Name of the element, such as "quad8".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        u : numpy.ndarray
            Displacements of the nodes, (ne, 6 nn), m and rad.

        Returns
        -------
        Sides
            Strains and curvatures (1/m) in the axes of the elements.
        """
        at = self.resultants(kind, X, u)
        law = self.laws(kind, self.placed(kind, np.asarray(X, float))[0], X)
        found = np.concatenate([at.N, at.M], 2) @ np.swapaxes(np.linalg.inv(law.plane), 1, 2)
        return Sides(at.frame, found[..., :3], found[..., 3:], law)

    def stress(self, kind: str, X: Array, u: Array, load: Array | None = None) -> Array:
        """Return stresses (ne, nn, 2, 6) in Pa at the nodes, bottom and top, global xx yy zz yz xz xy."""
        at = self.sides(kind, X, u)
        plies, local = at.law.layup.plies, np.empty((*at.e.shape[:2], 2, 3))
        scale = at.law.scale[:, None, None]
        for side, ply, z in ((0, plies[0], plies[0].low), (1, plies[-1], plies[-1].high)):
            C, bent = (np.swapaxes(at.law.R, 1, 2) @ A @ at.law.R for A in _of_strains(ply))
            local[:, :, side] = at.e @ C + z * scale * (at.k @ bent)
        tensor = np.zeros((*local.shape[:3], 3, 3))
        tensor[..., 0, 0], tensor[..., 1, 1] = local[..., 0], local[..., 1]
        tensor[..., 0, 1] = tensor[..., 1, 0] = local[..., 2]
        return _global(tensor, at.frame)

    def layer_stress(self, kind: str, X: Array, u: Array) -> Array:
        """Return the stresses 11, 22, 12 of every layer in the axes of its material, at its bottom and top.

        Parameters
        ----------
        kind : str
            Name of the element, such as "quad8".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        u : numpy.ndarray
            Displacements of the elements' nodes, (ne, 6 nn), m and rad.

        Returns
        -------
        numpy.ndarray
            Stresses at the nodes, (ne, nn, layers, 2, 3), Pa.
        """
        at = self.sides(kind, X, u)
        plies = at.law.layup.plies
        found = np.empty((*at.e.shape[:2], len(plies), 2, 3))
        scale = at.law.scale[:, None, None]
        for k, ply in enumerate(plies):  # stresses in the layer's axes
            C, bent = (np.linalg.inv(ply.turn).T @ A @ at.law.R for A in _of_strains(ply))
            for side, z in enumerate((ply.low, ply.high)):
                found[:, :, k, side] = at.e @ np.swapaxes(C, 1, 2) + z * scale * (
                    at.k @ np.swapaxes(bent, 1, 2)
                )
        return found

    def strain(self, kind: str, X: Array, u: Array) -> Array:
        """Return strains (ne, nn, 2, 6) at the nodes, bottom and top, global xx yy zz yz xz xy (shears 2 eps)."""
        at = self.sides(kind, X, u)
        plies, half = at.law.layup.plies, self.thickness / 2
        tensor = np.zeros((*at.e.shape[:2], 2, 3, 3))
        for side, ply, z in ((0, plies[0], -half), (1, plies[-1], half)):
            local = at.e + z * at.law.scale[:, None, None] * at.k
            tensor[:, :, side, 0, 0], tensor[:, :, side, 1, 1] = local[..., 0], local[..., 1]
            tensor[:, :, side, 0, 1] = tensor[:, :, side, 1, 0] = local[..., 2] / 2
            tensor[:, :, side, 2, 2] = np.einsum("ea,eia->ei", ply.thinning @ at.law.R, local)
        return _global(tensor, at.frame) * np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])

    def _at_middle(self, u: Array, V: Array) -> Array:
        """Return the motion of the middle surface's nodes, (ne, 6 nn), from the nodes'."""
        v = u.reshape(*V.shape[:2], 6).copy()
        v[..., :3] += cross(v[..., 3:], self.offset * V)
        return v.reshape(u.shape)

    def _to_nodes(self, K: Array, V: Array) -> Array:
        """Return T' K T, T the motion of the middle surface's nodes from the nodes'."""
        if self.offset == 0.0:
            return K
        ne, nn = V.shape[:2]
        T = np.broadcast_to(np.eye(6), (ne, nn, 6, 6)).copy()
        T[..., :3, 3:] = turns(self.offset * V)
        right = np.einsum("eaic,eicd->eaid", K.reshape(ne, 6 * nn, nn, 6), T).reshape(ne, nn, 6, 6 * nn)
        return np.einsum("eica,eicd->eida", right, T).reshape(ne, 6 * nn, 6 * nn)


def _of_strains(ply: Ply) -> tuple[Array, Array]:
    """Return the plane stress stiffness (3, 3) of a ply for strains of its membrane and of its bending."""
    return ply.C, ply.C if ply.bending is None else ply.bending


def _global(tensor: Array, frame: Array) -> Array:
    """Return tensors (ne, nn, 2, 3, 3), given in frames (ne, nn, 3, 3), as global components (ne, nn, 2, 6)."""
    R = frame[:, :, None]
    return six(np.swapaxes(R, -1, -2) @ tensor @ R)


def _blocks(function: Callable[..., tuple[Array, ...]], *arrays: Array) -> list[Array]:
    """Return what a function gives for arrays over the elements, computed block by block to save memory."""
    arrays = tuple(np.asarray(a, float) for a in arrays)
    ne = len(arrays[0])
    out: list[Array] = []
    for k in range(0, max(ne, 1), BLOCK_ELEMENTS):
        parts = function(*(a[k : k + BLOCK_ELEMENTS] for a in arrays))
        out = out or [np.empty((ne, *a.shape[1:])) for a in parts]
        for whole, a in zip(out, parts, strict=True):
            whole[k : k + BLOCK_ELEMENTS] = a
    return out

"""Shells: a three- and a four-node element with six degrees of freedom per node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import ElementError, InputError
from ...common.numbers import is_number, shown
from ...properties.material import Material, wrong_material
from ..property import Property, Samples
from . import bending, membrane
from . import geometric_stiffness as geometric
from .geometry import (
    SIDES,
    Array,
    cross,
    element_frame,
    gauss,
    normals,
    shape_functions,
    surface,
    turns,
)
from .material import Laws, first_axis, laws

#: number of elements that are computed at a time, with about 30 MB of intermediate results
BLOCK_ELEMENTS = 512


class Resultants(NamedTuple):
    """Section forces at the nodes, in the axes ``frame`` (ne, nn, 3, 3), rows e1, e2, normal.

    ``N`` (ne, nn, 3) membrane forces 11, 22, 12 in N/m; ``M`` (ne, nn, 3) moments in Nm/m, positive with tension
    at the top, the side of the normal; ``Q`` (ne, nn, 2) transverse shear 13, 23 in N/m.
    """

    frame: Array
    N: Array
    M: Array
    Q: Array


@check_arguments
@dataclass(frozen=True)
class Shell(Property):
    """A shell of constant thickness on the surface elements tri3 and quad4, with ux, uy, uz, rx, ry, rz at each node.

    Parameters
    ----------
    material : Isotropic or Orthotropic
        Material. Axis 1 of an orthotropic material is projected on the shell, its axis 3 is the normal.
    thickness : float, m
        Thickness.
    offset : float, m
        Distance from the nodes to the middle surface along the element's normal (right-hand rule, nodes in order).

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    Bending and transverse shear (factor 5/6): MITC4 and MITC3+ (:mod:`fem.elements.shell.bending`). Membrane and
    drilling rotation: hybrid stress and ANDES (:mod:`fem.elements.shell.membrane`): drilling rotations bend the
    element's sides in its plane, there is no penalty, and a drilling moment on a node is carried as in-plane bending.
    Where an edge is loaded in the shell's plane, :meth:`edge` gives the drilling moments that belong to the forces.
    Where an edge slides on a straight support, hold its drilling rotation, as on a line of symmetry; otherwise the
    stresses at its ends are disturbed. The quadrilateral may be warped.

    Mass: translations and rotations as the flat shape functions interpolate them, at 2 x 2 (3) points of the surface
    times two over the thickness, which is exact for flat parallelograms (triangles) with their rotary inertia; a
    rotation about the normal has no inertia of its own.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], (fem.Block("quad4", [[0, 1, 2, 3]]),))
    >>> fem.assemble(mesh, fem.Shell(steel, thickness=0.01)).mass
    78.5
    """

    material: Material
    thickness: float
    _: KW_ONLY
    offset: float = 0.0

    kinds: ClassVar[tuple[str, ...]] = ("tri3", "quad4")
    freedoms: ClassVar[int] = 6

    def __post_init__(self) -> None:
        """Check the numbers."""
        wrong = wrong_material(self.material)
        if not (is_number(self.thickness) and self.thickness > 0):
            wrong.append(f"thickness = {shown(self.thickness)} m must be a positive number")
        if not is_number(self.offset):
            wrong.append(f"offset = {shown(self.offset)} m must be a number")
        if wrong:
            raise InputError("this shell is not valid: " + "; ".join(wrong))
        for name in ("thickness", "offset"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def check(self, kind: str, X: Array) -> None:
        """Raise InputError for elements X (ne, nn, 3) that can't be shells, with their indices."""
        _check_shapes(self.kinds, self.material, kind, np.asarray(X, float))

    @property
    def faces_at(self) -> tuple[float, float]:
        """Distances in m of bottom and top from the nodes, along the normal."""
        return self.offset - 0.5 * self.thickness, self.offset + 0.5 * self.thickness

    def laws(self, kind: str, X: Array) -> Laws:
        """Return the stiffnesses of the section in the elements' axes.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        Laws
            Membrane, bending and transverse shear stiffness of each element.
        """
        return laws(self.material, self.thickness, element_frame(kind, X))

    def placed(self, kind: str, X: Array) -> tuple[Array, Array]:
        """Return the corners of the middle surface and the normals there, both (ne, nn, 3).

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        tuple of numpy.ndarray
            Corners, m, and unit normals.
        """
        V = normals(kind, X)
        return X + self.offset * V, V

    def stiffness(self, kind: str, X: Array) -> Array:
        """Return K (ne, 6 nn, 6 nn) in global axes, N/m, N and Nm; X (ne, nn, 3) m."""

        def block(X: Array) -> Array:
            """Return K of some of the elements."""
            middle, V = self.placed(kind, X)
            law = self.laws(kind, middle)
            kappa, gamma, weight, _ = bending.operators(kind, middle, V, law.D, law.S)
            K = bending.quadratic(kappa, law.D, weight) + bending.quadratic(gamma, law.S, weight)
            if kind == "quad4":
                beta, G = membrane.hybrid(middle, V, law.A, self.thickness)
                K += np.swapaxes(G, 1, 2) @ beta
            else:
                B = membrane.spread(middle, membrane.strain_triangle(middle, law.A, self.thickness))
                area = weight.sum(1, keepdims=True).repeat(3, 1)
                K += bending.quadratic((B + np.roll(B, -1, 1)) / 2, law.A, area / 3)
            return self._to_nodes((K + np.swapaxes(K, 1, 2)) / 2, V)

        return _blocks(lambda X: (block(X),), X)[0]

    def samples(self, kind: str, X: Array, lumped: bool = False) -> Samples:
        """Return the mass as points: two over the thickness at 2 x 2 (3) places; or at the nodes, ``lumped``.

        Lumped masses are translational only and lie on the middle surface, on the normal through their node.
        """
        X = np.asarray(X, float)
        middle, V = self.placed(kind, X)
        xi, w = gauss(kind, 2)
        at = surface(kind, middle, xi, w)
        mass = self.material.rho * self.thickness * at.weight
        N = at.N
        if lumped:
            mass, N, heights = mass @ N, np.eye(X.shape[1]), (0.0,)
        else:
            heights = (-self.thickness / np.sqrt(12.0), self.thickness / np.sqrt(12.0))
        points = np.concatenate([N @ (X + (self.offset + z) * V) for z in heights], 1)
        shape = np.zeros((len(X), len(heights), len(N), 3, X.shape[1], 6))
        for c in range(3):
            shape[..., c, :, c] = N
        turn = N[:, None, :, None] * np.swapaxes(turns(V), 1, 2)[:, None]
        for k, z in enumerate(heights):
            np.multiply(turn, self.offset + z, out=shape[:, k, ..., 3:])
        return Samples(
            points,
            np.concatenate([mass] * len(heights), 1) / len(heights),
            shape.reshape(len(X), len(heights) * len(N), 3, -1),
        )

    def edge(self, kind: str, X: Array, side: int) -> Samples:
        """Return points on a side of the elements (side k from node k to the next), for loads along it.

        As :meth:`samples` does for mass, with lengths in m for weights: forces per length t (ne, 3, 3) at the points
        give the nodal loads ``einsum("eq,eqx,eqxd->ed", weights, t, shape)``. They contain the drilling moments that
        belong to the sides' in-plane bending, 3/2 t L^2 / 12 at either end, which cancel between equal neighbours and
        remain at the ends of a loaded edge; without them the stresses at these corners are disturbed.
        """
        X = np.asarray(X, float)
        middle, V = self.placed(kind, X)
        i, j = SIDES[kind][side]
        xi, w = np.polynomial.legendre.leggauss(3)
        chord = middle[:, j] - middle[:, i]
        bend = (
            cross((V[:, i] + V[:, j]) / 2, chord)[:, None] * (membrane.ALPHA / 8 * (1 - xi**2))[None, :, None]
        )
        shape = np.zeros((len(X), 3, 3, X.shape[1], 6))
        for node, N, sign in ((i, (1 - xi) / 2, 1), (j, (1 + xi) / 2, -1)):
            shape[..., node, :3] = N[:, None, None] * np.eye(3)
            arm = N[None, :, None, None] * turns(self.offset * V[:, node])[:, None]
            shape[..., node, 3:] = arm + sign * bend[..., None] * V[:, None, None, node]
        ends = X + self.offset * V
        points = (1 - xi[:, None]) / 2 * ends[:, None, i] + (1 + xi[:, None]) / 2 * ends[:, None, j]
        length = np.linalg.norm(chord, axis=1)[:, None] * w / 2
        return Samples(points, length, shape.reshape(len(X), 3, 3, -1))

    def geometric(self, kind: str, X: Array, u: Array) -> Array:
        """Return K_G (ne, 6 nn, 6 nn) of the forces that u (ne, 6 nn) causes; tension is positive.

        On the middle surface the membrane forces do the work int N_ab du,a . du,b dA, with the flat shape functions
        and all three components of the translation, and their drilling moments that of
        :func:`.geometric_stiffness.of_sides`. The terms that turn all other forces and moments of the element with
        it, :func:`.geometric_stiffness.turned`, and the second order of the offset's arm are added: K_G is objective
        in any state, K_G (theta x r, theta) = (theta x F, theta x M / 2). The work of moments and transverse shears
        on the rotations within an element relative to its own rotation is left out: an error of order h^2.
        """

        def block(X: Array, u: Array) -> Array:
            """Return K_G of some of the elements."""
            middle, V = self.placed(kind, X)
            law, v = self.laws(kind, middle), self._at_middle(u, V)
            xi, w = gauss(kind, 2)
            at = surface(kind, middle, xi, w)
            kappa, gamma, weight, _ = bending.operators(kind, middle, V, law.D, law.S)
            N, f = self._membrane(kind, law, middle, V, v, xi)
            for B, D in ((kappa, law.D), (gamma, law.S)):
                f += bending.forces(B, D, weight, v)
            mean = (at.weight[:, None] @ N)[:, 0] / at.weight.sum(1)[:, None]
            K = geometric.of_membrane(at, N) + geometric.of_sides(kind, middle, V, mean)
            K = self._to_nodes(geometric.turned(K, middle, f), V)
            if self.offset:
                arms = geometric.of_arms(f.reshape(*V.shape[:2], 6)[..., :3], self.offset * V)
                blocks = K.reshape(*V.shape[:2], 6, V.shape[1], 6)
                for i in range(V.shape[1]):
                    blocks[:, i, 3:, i, 3:] += arms[:, i]
            return K

        return _blocks(lambda X, u: (block(X, u),), X, u)[0]

    def resultants(self, kind: str, X: Array, u: Array) -> Resultants:
        """Return membrane forces, moments and transverse shears at the nodes for displacements u (ne, 6 nn).

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
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
            middle, V = self.placed(kind, X)
            law, v = self.laws(kind, middle), self._at_middle(u, V)
            corners = _CORNERS[kind]
            frame = surface(kind, middle, corners).frame
            kappa, gamma, weight, xi = bending.operators(kind, middle, V, law.D, law.S)
            k, g = (np.einsum("eqmd,ed->eqm", B, v) for B in (kappa, gamma))
            if kind == "quad4":  # from the 2 x 2 points, where they are most accurate, to the corners
                out = np.linalg.inv(shape_functions(kind, xi)[0])
                k, g = out @ k, out @ g
            else:
                k, g = ((weight[:, None] @ s / weight.sum(1)[:, None, None]).repeat(3, 1) for s in (k, g))
            N = self._membrane(kind, law, middle, V, v, corners)[0]
            return frame, N, np.einsum("eab,eib->eia", law.D, k), np.einsum("eab,eib->eia", law.S, g)

        return Resultants(*_blocks(block, X, u))

    def stress(self, kind: str, X: Array, u: Array, load: Array | None = None) -> Array:
        """Return stresses (ne, nn, 2, 6) in Pa at the nodes, bottom and top, global xx yy zz yz xz xy."""
        at = self.resultants(kind, X, u)
        n, m = at.N / self.thickness, 6 * at.M / self.thickness**2
        local = np.stack([n - m, n + m], 2)
        tensor = np.zeros((*local.shape[:3], 3, 3))
        tensor[..., 0, 0], tensor[..., 1, 1] = local[..., 0], local[..., 1]
        tensor[..., 0, 1] = tensor[..., 1, 0] = local[..., 2]
        return _global(tensor, at.frame)

    def strain(self, kind: str, X: Array, u: Array) -> Array:
        """Return strains (ne, nn, 2, 6) at the nodes, bottom and top, global xx yy zz yz xz xy (shears 2 eps)."""
        at = self.resultants(kind, X, u)
        law = self.laws(kind, self.placed(kind, np.asarray(X, float))[0])
        e = np.einsum("eab,eib->eia", np.linalg.inv(law.A), at.N)
        k = np.einsum("eab,eib->eia", np.linalg.inv(law.D), at.M) * self.thickness / 2
        local = np.stack([e - k, e + k], 2)
        tensor = np.zeros((*local.shape[:3], 3, 3))
        tensor[..., 0, 0], tensor[..., 1, 1] = local[..., 0], local[..., 1]
        tensor[..., 0, 1] = tensor[..., 1, 0] = local[..., 2] / 2
        tensor[..., 2, 2] = np.einsum("ea,eiza->eiz", law.thinning, local)
        return _global(tensor, at.frame) * np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])

    def _membrane(
        self, kind: str, law: Laws, middle: Array, V: Array, v: Array, xi: Array
    ) -> tuple[Array, Array]:
        """Return N (ne, q, 3), of degree one, at points xi for the motion v of the middle surface; nodal forces."""
        if kind == "quad4":
            P = membrane.stress_functions(middle, xi, element_frame(kind, middle))[..., :7]
            matrix, G = membrane.hybrid(middle, V, law.A, self.thickness)
            beta = matrix @ v[..., None]
            return (P @ beta[:, None, :7])[..., 0], (np.swapaxes(G, 1, 2) @ beta)[..., 0]
        B = membrane.spread(middle, membrane.strain_triangle(middle, law.A, self.thickness))
        strain = np.einsum("eimd,ed->eim", B, v)
        N = np.einsum("eab,qi,eib->eqa", law.A, shape_functions(kind, xi)[0], strain, optimize=True)
        area = surface(kind, middle, *gauss(kind, 1)).weight.repeat(3, 1)
        return N, bending.forces((B + np.roll(B, -1, 1)) / 2, law.A, area / 3, v)

    def _at_middle(self, u: Array, V: Array) -> Array:
        """Return the motion of the middle surface's corners, (ne, 6 nn), from the nodes'."""
        v = u.reshape(*V.shape[:2], 6).copy()
        v[..., :3] += cross(v[..., 3:], self.offset * V)
        return v.reshape(u.shape)

    def _to_nodes(self, K: Array, V: Array) -> Array:
        """Return T' K T, T the motion of the middle surface's corners from the nodes'."""
        if self.offset == 0.0:
            return K
        ne, nn = V.shape[:2]
        T = np.broadcast_to(np.eye(6), (ne, nn, 6, 6)).copy()
        T[..., :3, 3:] = turns(self.offset * V)
        right = np.einsum("eaic,eicd->eaid", K.reshape(ne, 6 * nn, nn, 6), T).reshape(ne, nn, 6, 6 * nn)
        return np.einsum("eica,eicd->eida", right, T).reshape(ne, 6 * nn, 6 * nn)


_CORNERS = {
    "tri3": np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
    "quad4": np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]),
}


def _global(tensor: Array, frame: Array) -> Array:
    """Return tensors (ne, nn, 2, 3, 3), given in frames (ne, nn, 3, 3), as global components (ne, nn, 2, 6)."""
    R = frame[:, :, None]
    t = np.swapaxes(R, -1, -2) @ tensor @ R
    return np.stack([t[..., a, b] for a, b in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))], -1)


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


def _check_shapes(kinds: tuple[str, ...], material: Material, kind: str, X: Array) -> None:
    """Raise ElementError for elements X (ne, nn, 3) that can't be shells, with all reasons at once."""
    if kind not in kinds:
        raise InputError(f"a Shell can't be given to {kind} elements, only to {' and '.join(kinds)}")
    if not np.isfinite(X).all():
        bad = ~np.isfinite(X).all(axis=(1, 2))
        raise ElementError(
            f"these {kind} elements can't be shells: ", *_reason("without finite coordinates", bad)[1:]
        )
    sides = np.linalg.norm(np.roll(X, -1, 1) - X, axis=2)
    longest = sides.max(1)
    bad = sides.min(1) <= 1e-9 * longest
    reasons = _reason("with two nodes at one place (merged quadrilaterals are tri3: list three nodes)", bad)
    after = np.roll(X, -1, 1) - X
    area = np.linalg.norm(np.cross(after, np.roll(after, 1, 1)), axis=2).max(1)
    flat = ~bad & (area < 1e-6 * longest**2)
    reasons += _reason("whose nodes lie on one line: remove them or remesh", flat)
    good = ~(bad | flat)
    where = np.flatnonzero(good)
    if kind == "quad4" and len(where):
        with np.errstate(invalid="ignore", divide="ignore"):
            n, V = element_frame(kind, X[where])[:, None, 2], normals(kind, X[where])
            slope = np.sum(n * V, 2).min(1)
        turned = np.zeros(len(X), bool)
        turned[where] = ~(slope > 0.0)
        reasons += _reason(
            "with a corner of 180 degrees or more, or nodes not in turn around it: remesh or reorder", turned
        )
        warped = np.zeros(len(X), bool)
        warped[where] = (slope > 0.0) & (slope < 0.5)
        reasons += _reason(
            "warped by more than 60 degrees between middle and corner: split it in triangles", warped
        )
        good &= ~turned & ~warped
    axis = first_axis(material)
    if axis is not None and good.any():
        along = np.zeros(len(X), bool)
        along[good] = np.abs(element_frame(kind, X[good])[:, 2] @ axis) > 0.9999
        reasons += _reason(
            f"normal to axis 1 of the material, {np.round(axis, 6).tolist()}, which must lie along the shell: choose "
            "other axes= for the material of this set",
            along,
        )
    if reasons:
        raise ElementError(f"these {kind} elements can't be shells: ", *reasons[1:])


def _reason(what: str, bad: Array) -> list:
    """Return pieces of a message: count, description and indices."""
    count = int(bad.sum())
    return ["; ", f"{count} {what} (", np.flatnonzero(bad), ")"] if count else []

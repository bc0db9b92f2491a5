"""The linear shells, tri3 and quad4: bending and shear of :mod:`.bending` with the membranes of :mod:`.membrane`.

Where membrane forces bend the section (N = A e + B k, M = B e + D k), the quadrilateral's functional takes its seven
forces of degree one as they are: their work on e + A^-1 B k, and the bending stiffness D - B A^-1 B where N is given.
In the triangle the mean membrane strain meets the mean curvature.
"""

from __future__ import annotations

import numpy as np

from . import bending, geometric_stiffness, membrane
from .geometry import Array, element_frame, gauss, nodes_of, shape_functions, surface
from .material import Laws


class _Quad:
    """quad4 with its strains."""

    def __init__(self, X: Array, V: Array, law: Laws) -> None:
        self.X, self.law = X, law
        self.kappa, self.gamma, self.weight, self.xi = bending.operators("quad4", X, V, law.D, law.S)
        strain = None
        if law.coupled:
            at = surface("quad4", X, gauss("quad4", 3)[0])
            self.flexible = np.linalg.solve(law.A, law.B)
            strain = self.flexible[:, None] @ bending.curvature(X, V, at)
        self.matrix, self.G = membrane.hybrid(X, V, law.A, law.thickness, strain)

    @property
    def D(self) -> Array:
        """Bending stiffness (ne, 3, 3) at given membrane forces."""
        law = self.law
        return law.D - law.B @ self.flexible if law.coupled else law.D

    def stiffness(self) -> Array:
        """Return K (ne, 24, 24)."""
        K = bending.quadratic(self.kappa, self.D, self.weight)
        K += bending.quadratic(self.gamma, self.law.S, self.weight)
        K += np.swapaxes(self.G, 1, 2) @ self.matrix
        return K

    def forces(self, v: Array) -> Array:
        """Return the nodal forces (ne, 24)."""
        f = (np.swapaxes(self.G, 1, 2) @ (self.matrix @ v[..., None]))[..., 0]
        for B, D in ((self.kappa, self.D), (self.gamma, self.law.S)):
            f += bending.forces(B, D, self.weight, v)
        return f

    def membrane_forces(self, v: Array, xi: Array) -> Array:
        """Return N (ne, q, 3), of degree one, at points xi (q, 2)."""
        P = membrane.stress_functions(self.X, xi, element_frame("quad4", self.X))[..., :7]
        return (P @ (self.matrix[:, None, :7] @ v[:, None, :, None]))[..., 0]

    def at_nodes(self, B: Array, v: Array) -> Array:
        """Return strains (ne, 4, m) at the corners, from the 2 x 2 points, where they are most accurate."""
        return np.linalg.inv(shape_functions("quad4", self.xi)[0]) @ np.einsum("eqmd,ed->eqm", B, v)

    def moments(self, v: Array, N: Array) -> Array:
        """Return M (ne, 4, 3) at the corners from the membrane forces there."""
        M = np.einsum("eab,eib->eia", self.D, self.at_nodes(self.kappa, v))
        return M + N @ self.flexible if self.law.coupled else M


class _Triangle:
    """tri3 with its strains."""

    def __init__(self, X: Array, V: Array, law: Laws) -> None:
        self.X, self.law = X, law
        self.kappa, self.gamma, self.weight, self.xi = bending.operators("tri3", X, V, law.D, law.S)
        self.area = self.weight.sum(1, keepdims=True)
        B = membrane.spread(X, membrane.strain_triangle(X, law.A, law.thickness))
        self.corners, self.sides = B, (B + np.roll(B, -1, 1)) / 2

    def mean(self, B: Array) -> Array:
        """Return the mean (ne, m, 18) of strains at the points of bending."""
        return np.einsum("eq,eqmd->emd", self.weight, B) / self.area[..., None]

    def stiffness(self) -> Array:
        """Return K (ne, 18, 18)."""
        law = self.law
        K = bending.quadratic(self.kappa, law.D, self.weight) + bending.quadratic(
            self.gamma, law.S, self.weight
        )
        K += bending.quadratic(self.sides, law.A, self.area.repeat(3, 1) / 3)
        if law.coupled:
            part = (
                np.swapaxes(self.corners.mean(1), 1, 2) @ law.B @ self.mean(self.kappa) * self.area[..., None]
            )
            K += part + np.swapaxes(part, 1, 2)
        return K

    def forces(self, v: Array) -> Array:
        """Return the nodal forces (ne, 18)."""
        law, third = self.law, self.area.repeat(3, 1) / 3
        pairs = (
            (self.kappa, law.D, self.weight),
            (self.gamma, law.S, self.weight),
            (self.sides, law.A, third),
        )
        f = np.sum([bending.forces(B, D, w, v) for B, D, w in pairs], axis=0)
        if law.coupled:
            e, k = self.corners.mean(1), self.mean(self.kappa)
            for one, other, B in ((e, k, law.B), (k, e, np.swapaxes(law.B, 1, 2))):
                f += (np.swapaxes(one, 1, 2) @ (B @ (other @ v[..., None])))[..., 0] * self.area
        return f

    def membrane_forces(self, v: Array, xi: Array) -> Array:
        """Return N (ne, q, 3), of degree one, at points xi (q, 2)."""
        strain = np.einsum("eimd,ed->eim", self.corners, v)
        N = np.einsum("eab,qi,eib->eqa", self.law.A, shape_functions("tri3", xi)[0], strain, optimize=True)
        if self.law.coupled:
            N += (self.law.B @ (self.mean(self.kappa) @ v[..., None]))[:, None, :, 0]
        return N

    def at_nodes(self, B: Array, v: Array) -> Array:
        """Return strains (ne, 3, m) at the corners: their means."""
        return np.repeat((self.mean(B) @ v[..., None])[:, None, :, 0], 3, 1)

    def moments(self, v: Array, N: Array) -> Array:
        """Return M (ne, 3, 3) at the corners."""
        M = np.einsum("eab,eib->eia", self.law.D, self.at_nodes(self.kappa, v))
        if self.law.coupled:
            M += np.einsum("eba,eibd,ed->eia", self.law.B, self.corners, v, optimize=True)
        return M


_ELEMENTS: dict[str, type[_Quad] | type[_Triangle]] = {"quad4": _Quad, "tri3": _Triangle}


def stiffness(kind: str, X: Array, V: Array, law: Laws) -> Array:
    """Return K (ne, 6 nn, 6 nn) for the motion of the nodes X on the middle surface, with normals V (ne, nn, 3)."""
    K = _ELEMENTS[kind](X, V, law).stiffness()
    return (K + np.swapaxes(K, 1, 2)) / 2


def geometric(kind: str, X: Array, V: Array, law: Laws, v: Array) -> tuple[Array, Array]:
    """Return K_G (ne, 6 nn, 6 nn) for the motion v (ne, 6 nn) of the middle surface, and the nodal forces."""
    its = _ELEMENTS[kind](X, V, law)
    xi, w = gauss(kind, 2)
    at = surface(kind, X, xi, w)
    N, f = its.membrane_forces(v, xi), its.forces(v)
    mean = (at.weight[:, None] @ N)[:, 0] / at.weight.sum(1)[:, None]
    K = geometric_stiffness.of_membrane(at, N) + geometric_stiffness.of_sides(kind, X, V, mean)
    return geometric_stiffness.turned(K, X, f), f


def carrier(kind: str, X: Array, V: Array) -> tuple[str, Array, Array, Array | None]:
    """Return the element whose functions carry load and mass: itself."""
    return kind, X, V, None


def resultants(kind: str, X: Array, V: Array, law: Laws, v: Array) -> tuple[Array, Array, Array, Array]:
    """Return frames (ne, nn, 3, 3), membrane forces N and moments M (ne, nn, 3), shears Q (ne, nn, 2) at the nodes."""
    its, nodes = _ELEMENTS[kind](X, V, law), nodes_of(kind)
    N = its.membrane_forces(v, nodes)
    Q = np.einsum("eab,eib->eia", law.S, its.at_nodes(its.gamma, v))
    return surface(kind, X, nodes).frame, N, its.moments(v, N), Q

"""The linear shells, tri3 and quad4: bending and shear of :mod:`.bending` with the membranes of :mod:`.membrane`.

Where membrane forces bend the section (N = A e + B k, M = B e + D k), the quadrilateral's functional takes its seven
forces of degree one as they are: their work on e + A^-1 B k, and the bending stiffness D - B A^-1 B where N is given.
In the triangle the mean membrane strain meets the mean curvature.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from . import bending, geometric_stiffness, membrane
from .geometry import Array, element_frame, gauss, nodes_of, shape_functions, surface
from .material import Laws


class _Linear(ABC):
    """Linear elements: what their strains give.

    Parameters
    ----------
    kind : str
        Name of the element.
    X, V : numpy.ndarray
        Nodes on the middle surface, and normals there, (ne, nn, 3), m.
    law : Laws
        Stiffness of the section.
    """

    kappa: Array
    gamma: Array

    def __init__(self, kind: str, X: Array, V: Array, law: Laws) -> None:
        self.kind, self.X, self.V, self.law = kind, X, V, law

    @abstractmethod
    def matrix_of_strains(self) -> Array:
        """Return K (ne, 6 nn, 6 nn), symmetric but for round-off."""

    @abstractmethod
    def forces(self, v: Array) -> Array:
        """Return the nodal forces (ne, 6 nn)."""

    @abstractmethod
    def membrane_forces(self, v: Array, xi: Array) -> Array:
        """Return N (ne, q, 3), of degree one, at points xi (q, 2)."""

    @abstractmethod
    def at_nodes(self, B: Array, v: Array) -> Array:
        """Return strains (ne, nn, m) at the corners."""

    @abstractmethod
    def moments(self, v: Array, N: Array) -> Array:
        """Return M (ne, nn, 3) at the corners from the membrane forces there."""

    def stiffness(self) -> Array:
        """Return K (ne, 6 nn, 6 nn) for the motion of the nodes."""
        K = self.matrix_of_strains()
        return (K + np.swapaxes(K, 1, 2)) / 2

    def geometric(self, v: Array) -> tuple[Array, Array]:
        """Return K_G (ne, 6 nn, 6 nn) for the motion v (ne, 6 nn) of the middle surface, and the nodal forces."""
        xi, w = gauss(self.kind, 2)
        at = surface(self.kind, self.X, xi, w)
        N, f = self.membrane_forces(v, xi), self.forces(v)
        mean = (at.weight[:, None] @ N)[:, 0] / at.weight.sum(1)[:, None]
        K = geometric_stiffness.of_membrane(at, N)
        K += geometric_stiffness.of_sides(self.kind, self.X, self.V, mean)
        return geometric_stiffness.turned(K, self.X, f), f

    def resultants(self, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return frames (ne, nn, 3, 3), membrane forces N and moments M (ne, nn, 3), shears Q (ne, nn, 2)."""
        nodes = nodes_of(self.kind)
        N = self.membrane_forces(v, nodes)
        Q = np.einsum("eab,eib->eia", self.law.S, self.at_nodes(self.gamma, v))
        return surface(self.kind, self.X, nodes).frame, N, self.moments(v, N), Q

    @staticmethod
    def carrier(kind: str, X: Array, V: Array) -> tuple[str, Array, Array, Array | None]:
        """Return the element whose functions carry load and mass: itself."""
        return kind, X, V, None


class Quad(_Linear):
    """quad4 with its strains."""

    def __init__(self, kind: str, X: Array, V: Array, law: Laws) -> None:
        super().__init__(kind, X, V, law)
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

    def matrix_of_strains(self) -> Array:
        """Return K (ne, 24, 24), symmetric but for round-off."""
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


class Triangle(_Linear):
    """tri3 with its strains."""

    def __init__(self, kind: str, X: Array, V: Array, law: Laws) -> None:
        super().__init__(kind, X, V, law)
        self.kappa, self.gamma, self.weight, self.xi = bending.operators("tri3", X, V, law.D, law.S)
        self.area = self.weight.sum(1, keepdims=True)
        B = membrane.spread(X, membrane.strain_triangle(X, law.A, law.thickness))
        self.corners, self.sides = B, (B + np.roll(B, -1, 1)) / 2

    def mean(self, B: Array) -> Array:
        """Return the mean (ne, m, 18) of strains at the points of bending."""
        return np.einsum("eq,eqmd->emd", self.weight, B) / self.area[..., None]

    def matrix_of_strains(self) -> Array:
        """Return K (ne, 18, 18), symmetric but for round-off."""
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

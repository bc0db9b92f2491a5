"""The coefficients of one element as Koppens (1989) writes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .line import FloatArray

#: permutation symbol: (a x b)_k = EPSILON[i, j, k] a_i b_j
EPSILON = np.zeros((3, 3, 3))
EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
EPSILON[[1, 2, 0], [0, 1, 2], [2, 0, 1]] = -1.0


@dataclass(frozen=True, eq=False)
class ElementInertia:
    """Inertia coefficients (2.34)-(2.41) and stiffness of one element with n generalized displacements.

    Components in the base of the node coordinates, about its origin: C1 (3,) kg m, C2 (n, 3), C3 (3, 3), C4
    (n, 3, 3), C5 (n, n, 3, 3), C6 (n, 3), C7 (n, n, 3), C8 (n, n), K (n, n).
    """

    C1: FloatArray
    C2: FloatArray
    C3: FloatArray
    C4: FloatArray
    C5: FloatArray
    C6: FloatArray
    C7: FloatArray
    C8: FloatArray
    K: FloatArray

    def transformed(self, T: FloatArray) -> ElementInertia:
        """Return the coefficients of other displacements b with a' = b' T, T (m, n).

        C2, C4, C6 are premultiplied by T, C5, C7, C8, K by T and postmultiplied by T' (text below (3.47)).
        """
        once = {name: np.einsum("ai,i...->a...", T, getattr(self, name)) for name in ("C2", "C4", "C6")}
        both = "ai,bj,ij...->ab..."
        twice = {name: np.einsum(both, T, T, getattr(self, name)) for name in ("C5", "C7", "C8", "K")}
        return ElementInertia(self.C1, C3=self.C3, **once, **twice)

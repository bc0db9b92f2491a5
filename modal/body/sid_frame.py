"""Bodies of SID files with stiffening terms in a frame that is held, such as a tangent frame, in the mean frame.

The stiffening terms of such a file are ``Phi' K_G[sigma] Phi`` of stresses sigma that the supports of its frame hold in
balance: ``K0t_a`` (Ct.M1) of the inertia forces of a unit acceleration of the frame, ``K0r_a`` (the symmetric part of
Cr.M1) of a unit angular acceleration, ``K0w_m`` (in Oe.M1) of the part m of ``W = w~ w~``, and ``-phi.M1``, ``-psi.M1``
of a unit force and a unit moment on a node. In the mean-displacement frame the same loads are in balance with the
inertia forces of the free body, with the acceleration a of its mass centre and the angular acceleration s. Reactions
vanish in the sum, so that its stresses are those of the file's cases; x' = x - c is measured from the mass centre ::

    force e on node k    a = e / m,  s = J^-1 (x'_k cross e)       K0F_k + K0t (a - s cross c) + K0r s
    moment e on node k   a = 0,      s = J^-1 e                    K0M_k - K0t (s cross c) + K0r s
    part m of W          a = 0,      s = -J^-1 int rho x' cross W_m x'    K0w_m - K0t (W_m c + s cross c) + K0r s

The base functions change by rigid motions, ``Phi'_i = Phi_i + b_i + beta_i cross x'``. A translation does not change
stresses, and in a rotation the internal forces, which balance the loads f, turn with the body ::

    K_G (beta cross x') = beta cross f        (of a moment, semitangential: half)

which gives the products of K_G with beta from f and from moments of mass. Reference for the terms: O. Wallrapp, Mech.
Struct. Mach. 22 (1994) 283-304; the change of frame is derived here and tested against finite elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .inertia import EPSILON, FloatArray

#: the matrices W_m of w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3 in w~ w~ = w w' - w.w I
_W = np.zeros((6, 3, 3))
_W[[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1], [1, 2, 0, 2, 0, 1]] = -1.0
_W[[3, 3, 4, 4, 5, 5], [0, 1, 1, 2, 0, 2], [1, 0, 2, 1, 2, 0]] = 1.0

#: a smaller part of the largest moment of inertia is none; files have 12 digits at most
NO_INERTIA = 1e-10


@dataclass(frozen=True, eq=False)
class HeldFrame:
    """Inertia and stiffening terms of a body in the frame of its file, and what they are in the mean frame.

    ``C1`` to ``C6``, about the origin of the file; ``K0t`` (n, n, 3), ``K0r`` (n, n, 3).
    """

    mass: float
    C1: FloatArray
    C2: FloatArray
    C3: FloatArray
    C4: FloatArray
    C6: FloatArray
    K0t: FloatArray
    K0r: FloatArray

    @cached_property
    def center(self) -> FloatArray:
        """Mass centre c (3,)."""
        return self.C1 / self.mass

    @cached_property
    def inertia(self) -> FloatArray:
        """Inertia tensor about the mass centre (3, 3)."""
        c = self.center
        return np.asarray(self.C3 - self.mass * (c @ c * np.eye(3) - np.outer(c, c)))

    @cached_property
    def b(self) -> FloatArray:
        """Translations b_i (n, 3)."""
        return -self.C2 / self.mass

    @cached_property
    def beta(self) -> FloatArray:
        """Rotations beta_i (n, 3)."""
        return -self._spin((self.C6 - np.cross(self.center, self.C2)).T).T

    @cached_property
    def _N(self) -> FloatArray:
        """``int rho Phi_i x'`` (n, 3, 3) of the file's base functions."""
        half = 0.5 * np.trace(self.C4, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        return half - self.C4 - self.C2[:, :, None] * self.center

    @cached_property
    def _X(self) -> FloatArray:
        """``int rho x' x'`` (3, 3)."""
        return 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia

    @cached_property
    def _skew(self) -> FloatArray:
        """Skew matrices of beta_i (n, 3, 3)."""
        return -np.einsum("abc,ic->iab", EPSILON, self.beta)

    def first_moments(self) -> FloatArray:
        """Return C4 (n, 3, 3) in the mean frame; its antisymmetric part, C6, vanishes."""
        L = self._N + self._skew @ self._X
        L = 0.5 * (L + L.transpose(0, 2, 1))
        return np.trace(L, axis1=1, axis2=2)[:, None, None] * np.eye(3) - L

    def products(self) -> FloatArray:
        """Return the change of ``int rho Phi_i Phi_j'`` (n, n, 3, 3)."""
        turned = np.einsum("iab,jcb->ijac", self._N, self._skew)
        moved = np.einsum("ia,jb->ijab", self.C2, self.b)
        change = turned + turned.transpose(1, 0, 3, 2) + moved + moved.transpose(1, 0, 3, 2)
        change += self.mass * np.einsum("ia,jb->ijab", self.b, self.b)
        change += np.einsum("iab,bc,jdc->ijad", self._skew, self._X, self._skew)
        return np.asarray(change)

    def force(self, e: FloatArray, at: FloatArray, Phi: FloatArray) -> FloatArray:
        """Return what a force e (3,) on a node at x' (3,), which moves by Phi (3, n), adds to its K_G (n, n)."""
        spin = self._spin(np.cross(at, e))
        turned = np.cross(self.beta, e)  # beta_j cross e
        cross = Phi.T @ turned.T - self.C2 @ np.cross(self.beta, e / self.mass).T
        both = np.cross(self.beta, at) @ turned.T
        return self._balanced(e / self.mass, spin, cross, both)

    def moment(self, e: FloatArray, B: FloatArray) -> FloatArray:
        """Return what a moment e (3,) on a node, which turns by B (3, n), adds to its K_G (n, n)."""
        half = 0.5 * np.cross(self.beta, e)
        return self._balanced(np.zeros(3), self._spin(e), B.T @ half.T, self.beta @ half.T)

    def rotation(self) -> FloatArray:
        """Return what is added to K0w (n, n, 6)."""
        found = []
        for W in _W:
            spin = -self._spin(np.einsum("abc,bd,dc->a", EPSILON, self._X, W))
            cross = -np.einsum("pqr,ipr,jq->ij", EPSILON, self._N @ W, self.beta)
            both = -(self.beta @ self.beta.T) * np.trace(W @ self._X) + self.beta @ W @ self._X @ self.beta.T
            found.append(self._balanced(-W @ self.center, spin, cross, both))
        return np.stack(found, axis=2)

    def _spin(self, moment: FloatArray) -> FloatArray:
        """Return the angular accelerations (3, ...) by moments (3, ...) about the mass centre.

        They are zero about an axis without inertia, that of a thin rod or one in the plane of a planar model: no mass
        turns about it, and such a body has to be held there.
        """
        values, axes = np.linalg.eigh(self.inertia)
        turns = values > NO_INERTIA * np.abs(values).max()
        return np.asarray((axes[:, turns] / values[turns]) @ (axes[:, turns].T @ moment), dtype=np.float64)

    def _balanced(self, a: FloatArray, spin: FloatArray, cross: FloatArray, both: FloatArray) -> FloatArray:
        """Return the terms of the inertia forces in balance, and of the rotations with the load.

        ``cross`` (n, n) are the products of base functions and rotated loads, ``both`` those of rotations with them,
        both without the angular acceleration ``spin``.
        """
        N = self._N - np.trace(self._N, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        cross = cross - np.einsum("a,iab,jb->ij", spin, N, self.beta)
        both = both - np.einsum("a,iab,bc,jc->ij", spin, self._skew, self._X, self.beta)
        held = self.K0t @ (a - np.cross(spin, self.center)) + self.K0r @ spin
        return np.asarray(held + cross + cross.T + 0.5 * (both + both.T))

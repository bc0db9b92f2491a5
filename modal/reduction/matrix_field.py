"""Base functions with a mass matrix that another program has made.

A node n has the displacement u and the rotation theta; mass at the place s from it moves by ``u + theta x s``. M holds
the moments of the mass between nodes n and m: ``int rho`` and ``c = int rho s`` (antisymmetric part of the block of
displacements and rotations), and ``J = int rho (s.s I - s s')`` (block of rotations), hence
``P = int rho s s' = tr(J) I / 2 - J``. This gives the outer products of base functions with each other and with x ::

    S_ij = int rho Phi_i Phi_j' = sum_nm [ u_i u_j' + u_i (theta_j x c)' + (theta_i x c) u_j' + theta_i~ P theta_j~' ]
    C5_ij = tr(S_ij) I - S_ij      C7_ij,a = eps_abc S_ij,bc

and, with E the rigid translations and X the rigid rotations, and ``e x U`` the field U whose displacements and
rotations are both turned ::

    C2_ik = E_k' M U_i      C6_ik = X_k' M U_i      C3_kl = X_k' M X_l      C8_ij = U_i' M U_j
    C4_i,ab = (e_b x U_i)' M X_a - sum_m theta_m,b (x_m x sum_n c_nm)_a      (symmetric part)

For displacements with a scalar mass matrix, as of solids, and for lumped masses with eccentricity and rotary inertia
this is exact, and for the consistent mass of shells that interpolate displacements and rotations alike. Where the mass
between nodes differs with the direction, as the consistent mass of beams does, S_ij uses the mean of the two
directions, and C4, C5 and C7 have an error that vanishes with the size of the elements: up to 4 % in the lowest modes
of a curved beam of 20 elements. The antisymmetric part of C4 is taken from C6, so that the equations of motion conserve
energy.

Internal coordinates of a superelement do not tell where their mass moves, and S of the nodes alone is wrong by orders
of magnitude. Such a body has the inertia of its undeformed state: C1, C2, C3, C6 and C8 are exact, C5, C7 and the
symmetric part of C4 are zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from fem.common.tall_matrices import combine, inner
from fem.model.cloud import MatrixMass

from ..body.inertia import EPSILON, Coupling, FloatArray, Inertia
from ..body.reduced_body import Marker
from .frames import Field

#: (p, q, sign) for which (x cross y)_a contains sign x_p y_q
_CROSS = [[((a + 1) % 3, (a + 2) % 3, 1.0), ((a + 2) % 3, (a + 1) % 3, -1.0)] for a in range(3)]


@dataclass(frozen=True, eq=False)
class MatrixField(Field):
    """N base functions U (unknowns, N) with the mass matrix of ``given``; ``origin`` of ``points``, m."""

    given: MatrixMass | None = None
    U: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    origin: FloatArray = field(default_factory=lambda: np.zeros(3))

    @property
    def _mass(self) -> MatrixMass:
        assert self.given is not None
        return self.given

    def about(self, origin: FloatArray) -> MatrixField:
        """Return the field with positions measured from ``origin`` (3,)."""
        moved = super().about(origin)
        assert isinstance(moved, MatrixField)
        return replace(moved, origin=self.origin + origin)

    def moved(self, translation: FloatArray, rotation: FloatArray) -> MatrixField:
        """Return Phi_i + translation_i + rotation_i cross x, Koppens (5.1); both (3,N)."""
        moved = super().moved(translation, rotation)
        assert isinstance(moved, MatrixField)
        R, _ = self._mass.rigid(self.origin)
        return replace(moved, U=self.U + combine(R, np.vstack([translation, rotation])))

    def combined(self, S: FloatArray) -> MatrixField:
        """Return the linear combinations Phi S of the base functions, S (N,N'); Koppens (3.48)."""
        combined = super().combined(S)
        assert isinstance(combined, MatrixField)
        return replace(combined, U=self.U @ S)

    def center(self) -> FloatArray:
        """Return the mass centre (3,)."""
        return self._mass.center - self.origin

    def modal_mass(self) -> FloatArray:
        """Return C8 (N, N)."""
        C8 = inner(self.U, self._mass.inertia_forces(self.U))
        return 0.5 * (C8 + C8.T)

    def coupling(self) -> Coupling:
        """Return the inertia integrals of first order."""
        R, rigid = self._mass.rigid(self.origin)
        MR = self._mass.inertia_forces(R)
        C6 = inner(self.U, MR[:, 3:])
        C4 = np.zeros((self.U.shape[1], 3, 3))
        if not self._mass.freedoms.internal:
            C4 = self._turned_against(MR[:, 3:]) + self._eccentric()
        skew = 0.5 * np.einsum("abc,ic->iab", EPSILON, C6)
        return Coupling(
            mass=self._mass.total,
            C1=0.5 * np.einsum("klm,kl->m", EPSILON, rigid[:3, 3:]),
            C2=inner(self.U, MR[:, :3]),
            C3=rigid[3:, 3:],
            C4=0.5 * (C4 + C4.transpose(0, 2, 1)) + skew,
            C6=C6,
        )

    def integrals(self) -> Inertia:
        """Return C1 to C8."""
        S = np.zeros((self.U.shape[1], self.U.shape[1], 3, 3))
        if not self._mass.freedoms.internal:
            S = self._with_each_other()
        C7 = np.einsum("abc,ijbc->ija", EPSILON, S)
        return Inertia(**vars(self.coupling()), C5=_complement(S), C7=C7, C8=self.modal_mass())

    def _turned_against(self, forces: FloatArray) -> FloatArray:
        """Return (N, 3, 3) the products [i, a, b] of e_b x U_i, all nodes turned, and the forces (unknowns, 3) of a."""
        nodal = int(self._mass.freedoms.first[-1])
        triples = self.U[:nodal].reshape(-1, 3, self.U.shape[1])  # displacements and rotations alike
        found = np.empty((self.U.shape[1], 3, 3))
        for b, e in enumerate(np.eye(3)):
            turned = np.cross(e, triples, axisb=1, axisc=1).reshape(nodal, -1)
            found[:, :, b] = inner(turned, forces[:nodal])
        return found

    def _eccentric(self) -> FloatArray:
        """Return what mass beside its node adds to this, (N, 3, 3): it moves by e_b x (theta x s) when it is turned."""
        free, (c, _) = self._mass.freedoms, self._mass.moments
        turning = np.flatnonzero(free.count == 6)
        total = np.stack([one.sum(axis=0) for one in c], axis=1)
        lever = np.cross(self._mass.points[turning] - self.origin, total)
        theta = self.U[free.first[turning, None] + 3 + np.arange(3)]
        return -np.einsum("na,nbi->iab", lever, theta)

    def _with_each_other(self) -> FloatArray:
        """Return S (N, N, 3, 3), S_ij = int rho Phi_i Phi_j'."""
        free = self._mass.freedoms
        shifts = free.first[:-1, None] + np.arange(3)
        turns = free.first[np.flatnonzero(free.count == 6), None] + 3 + np.arange(3)
        moved = np.zeros_like(self.U)
        moved[shifts] = self.U[shifts]
        forces = self._mass.inertia_forces(moved)
        u, f, theta = ([field[at[:, a]] for a in range(3)] for field, at in
                       ((self.U, shifts), (forces, shifts), (self.U, turns)))  # fmt: skip
        c, P = self._mass.moments
        S = np.empty((self.U.shape[1], self.U.shape[1], 3, 3))
        lever = [sum(sign * (c[q] @ theta[p]) for p, q, sign in _CROSS[a]) for a in range(3)]  # theta x c
        for b in range(3):
            spread = [
                sum(sign * (P[q][r] @ theta[t]) for t, r, sign in _CROSS[b]) for q in range(3)
            ]  # P theta~'
            for a in range(3):
                S[:, :, a, b] = 0.5 * (inner(u[a], f[b]) + inner(f[a], u[b]))
                S[:, :, a, b] += inner(u[a], lever[b]) + inner(lever[a], u[b])
                S[:, :, a, b] += sum(sign * inner(theta[p], spread[q]) for p, q, sign in _CROSS[a])
        return S


def _complement(A: FloatArray) -> FloatArray:
    """Return tr(A) I - A for matrices (..., 3, 3)."""
    return np.trace(A, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - A


def matrix_field(mass: MatrixMass, U: FloatArray, markers: Mapping[str, Marker]) -> MatrixField:
    """Return the field of base functions U (unknowns, N) over a mass matrix."""
    return MatrixField(mass.points, mass.displacements(U), mass.mass, dict(markers), mass, np.asarray(U))

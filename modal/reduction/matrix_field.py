"""Base functions with a mass matrix that another program has made.

The kinetic energy is ``V' M V / 2``, in which V are the velocities of the nodes in the basis of the body: displacements
``v + omega x (x + u) + u.`` and rotations ``omega + omega x theta + theta.``. With R the rigid motions and ``e x U``
the field U whose displacements and rotations are both turned, this gives ::

    C2_ik = E_k' M U_i      C6_ik = X_k' M U_i      C3_kl = X_k' M X_l      C8_ij = U_i' M U_j
    C4_i,ab = (e_b x U_i)' M X_a     C5_ij,ab = (e_b x U_i)' M (e_a x U_j)     C7_ij,a = (e_a x U_i)' M U_j

where E are the translations and X the rotations among the rigid motions. For displacements with a scalar mass matrix,
as of solids, and for lumped masses this is exact. Consistent mass of beams and shells does not turn with its nodes as a
body would: C4, C5 and C7 then have an error that vanishes with the size of the elements. Internal coordinates of a
superelement do not turn at all: C1, C2, C3, C6 and C8 are exact, the others lack their part. The antisymmetric parts of
C4 and C5 are taken from C6 and C7, so that the equations of motion conserve energy.
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
        C4 = np.stack([inner(turned, MR[:, 3:]) for turned in self._turned()], axis=2)  # [i, a, b]
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
        turned, MU = self._turned(), self._mass.inertia_forces(self.U)
        C7 = np.stack([inner(one, MU) for one in turned], axis=2)
        C7 = 0.5 * (C7 - C7.transpose(1, 0, 2))
        forces = [self._mass.inertia_forces(one) for one in turned]
        C5 = np.stack(
            [np.stack([inner(b, a) for b in turned], axis=2) for a in forces], axis=2
        )  # [i, j, a, b]
        C5 = 0.5 * (C5 + C5.transpose(0, 1, 3, 2)) - 0.5 * np.einsum("abc,ijc->ijab", EPSILON, C7)
        return Inertia(**vars(self.coupling()), C5=C5, C7=C7, C8=self.modal_mass())

    def _turned(self) -> list[FloatArray]:
        """Return e_a x U (unknowns, N) for a = 1..3; internal coordinates are zero."""
        nodal = int(self._mass.freedoms.first[-1])
        triples = self.U[:nodal].reshape(-1, 3, self.U.shape[1])  # displacements and rotations alike
        found = []
        for e in np.eye(3):
            turned = np.zeros_like(self.U)
            turned[:nodal] = np.cross(e, triples, axisb=1, axisc=1).reshape(nodal, -1)
            found.append(turned)
        return found


def matrix_field(mass: MatrixMass, U: FloatArray, markers: Mapping[str, Marker]) -> MatrixField:
    """Return the field of base functions U (unknowns, N) over a mass matrix."""
    return MatrixField(mass.points, mass.displacements(U), mass.mass, dict(markers), mass, np.asarray(U))

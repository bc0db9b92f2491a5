"""The inertia integrals C1..C8 of a body, Koppens (2.34)-(2.41).

All of them follow from a few moments of the mass: over positions ``x`` and base functions ``Phi_i`` that are
given at points (nodes of a mesh, quadrature points of a beam) and one scalar mass matrix between the points.
For isoparametric finite elements this is exact, since positions and displacements have the same shape
functions; a diagonal mass matrix is a lumped body, or a quadrature rule.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

FloatArray = npt.NDArray[np.float64]

#: permutation symbol: (a x b)_i = EPSILON[i, j, k] a_j b_k
EPSILON = np.zeros((3, 3, 3))
EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
EPSILON[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass (kg) and C1..C8 of N base functions about the origin of ``x``, components in the base of ``x``."""

    mass: float
    C1: FloatArray  # (3,)       int rho x                                  (2.34)
    C2: FloatArray  # (N,3)      int rho Phi_i                              (2.35)
    C3: FloatArray  # (3,3)      int rho {(x.x) I - x x}                    (2.36)
    C4: FloatArray  # (N,3,3)    int rho {(Phi_i.x) I - Phi_i x}            (2.37)
    C5: FloatArray  # (N,N,3,3)  int rho {(Phi_i.Phi_j) I - Phi_i Phi_j}    (2.38)
    C6: FloatArray  # (N,3)      int rho x cross Phi_i                      (2.39)
    C7: FloatArray  # (N,N,3)    int rho Phi_i cross Phi_j                  (2.40)
    C8: FloatArray  # (N,N)      int rho Phi_i . Phi_j                      (2.41)

    def as_dict(self) -> dict[str, float | FloatArray]:
        """Return the values by their names."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


def integrals(points: FloatArray, Phi: FloatArray, mass: sp.spmatrix) -> Inertia:
    """Return C1..C8, Koppens (2.34)-(2.41).

    points (n,3) m, measured from the origin that the integrals refer to; Phi (n,3,N) base functions at the
    points; mass (n,n) sparse, kg: ``int rho a b = a' mass b`` for two scalar fields a, b given at the points.
    """
    n, _, N = Phi.shape
    mass_x = mass @ points  # (n,3)
    mass_Phi = (mass @ Phi.reshape(n, 3 * N)).reshape(n, 3, N)
    total = mass_Phi.sum(axis=0)  # (3,N)
    xx = points.T @ mass_x
    xPhi = np.einsum("nk,nli->kli", points, mass_Phi, optimize=True)  # int rho x_k Phi_i,l
    PhiPhi = (Phi.reshape(n, 3 * N).T @ mass_Phi.reshape(n, 3 * N)).reshape(3, N, 3, N)
    PhiPhi = 0.5 * (PhiPhi + PhiPhi.transpose(2, 3, 0, 1))  # int rho Phi_i,a Phi_j,b at [a,i,b,j]
    unit = np.eye(3)
    C8 = np.einsum("aiaj->ij", PhiPhi)
    return Inertia(
        mass=float(mass.sum()),
        C1=mass_x.sum(axis=0),
        C2=total.T.copy(),
        C3=np.trace(xx) * unit - 0.5 * (xx + xx.T),
        C4=np.einsum("kki,ab->iab", xPhi, unit) - xPhi.transpose(2, 1, 0),
        C5=np.einsum("ij,ab->ijab", C8, unit) - PhiPhi.transpose(1, 3, 0, 2),
        C6=np.einsum("abc,bci->ia", EPSILON, xPhi),
        C7=np.einsum("abc,bicj->ija", EPSILON, PhiPhi),
        C8=C8,
    )

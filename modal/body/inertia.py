"""The inertia integrals C1..C8 of a body, Koppens (2.34)-(2.41).

All of them follow from a few moments of the mass: over positions ``x`` and base functions ``Phi_i`` that are
given at points (nodes of a mesh, quadrature points of a beam) and one scalar mass matrix between the points.
This is exact for isoparametric finite elements, whose positions and displacements have the same shape
functions. A diagonal mass matrix belongs to a lumped body, or to a quadrature rule.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import scipy

from fem.common.tall_matrices import inner

FloatArray = npt.NDArray[np.float64]

#: permutation symbol: (a x b)_i = EPSILON[i, j, k] a_j b_k
EPSILON = np.zeros((3, 3, 3))
EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
EPSILON[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass (kg) and C1..C8 of N base functions about the origin of ``x``, components in the basis of ``x``."""

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


@dataclass(frozen=True, eq=False)
class Coupling:
    """The integrals of first order in the base functions, cheap to compute; names as in :class:`Inertia`."""

    mass: float
    C1: FloatArray  # (3,)
    C2: FloatArray  # (N,3)
    C3: FloatArray  # (3,3)
    C4: FloatArray  # (N,3,3)
    C6: FloatArray  # (N,3)


def coupling(points: FloatArray, Phi: FloatArray, mass: scipy.sparse.spmatrix) -> Coupling:
    """Return the integrals of first order in Phi; arguments as for :func:`integrals`."""
    n, _, N = Phi.shape
    ones_and_x = np.column_stack([np.ones(n), points])
    moments = mass @ ones_and_x  # (n,4)
    xx = inner(points, moments[:, 1:])
    PhiX = inner(moments, Phi.reshape(n, 3 * N)).reshape(4, 3, N)  # int rho (1, x_k) Phi_i,l
    xPhi = PhiX[1:]
    return Coupling(
        mass=float(moments[:, 0].sum()),
        C1=moments[:, 1:].sum(axis=0),
        C2=PhiX[0].T.copy(),
        C3=np.trace(xx) * np.eye(3) - 0.5 * (xx + xx.T),
        C4=np.einsum("kki,ab->iab", xPhi, np.eye(3)) - xPhi.transpose(2, 1, 0),
        C6=np.einsum("abc,bci->ia", EPSILON, xPhi),
    )


def modal_mass(Phi: FloatArray, mass: scipy.sparse.spmatrix) -> FloatArray:
    """Return C8 (N,N), Koppens (2.41); arguments as for :func:`integrals`."""
    n, _, N = Phi.shape
    mass_Phi = (mass @ Phi.reshape(n, 3 * N)).reshape(3 * n, N)
    C8 = inner(Phi.reshape(3 * n, N), mass_Phi)
    return 0.5 * (C8 + C8.T)


def integrals(points: FloatArray, Phi: FloatArray, mass: scipy.sparse.spmatrix) -> Inertia:
    """Return C1..C8, Koppens (2.34)-(2.41).

    points (n,3) m, measured from the origin that the integrals refer to; Phi (n,3,N) base functions at the
    points; mass (n,n) sparse, symmetric, kg: ``int rho a b = a' mass b`` for two scalar fields a, b given at
    the points.
    """
    n, _, N = Phi.shape
    flat = Phi.reshape(n, 3 * N)
    PhiPhi = inner(flat, mass @ flat).reshape(3, N, 3, N)
    PhiPhi = 0.5 * (PhiPhi + PhiPhi.transpose(2, 3, 0, 1))  # int rho Phi_i,a Phi_j,b at [a,i,b,j]
    C8 = np.einsum("aiaj->ij", PhiPhi)
    return Inertia(
        **vars(coupling(points, Phi, mass)),
        C5=np.einsum("ij,ab->ijab", C8, np.eye(3)) - PhiPhi.transpose(1, 3, 0, 2),
        C7=np.einsum("abc,bicj->ija", EPSILON, PhiPhi),
        C8=C8,
    )

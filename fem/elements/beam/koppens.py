"""Koppens' plane beam element (1989, appendix C), entry by entry.

The beam lies along the first base vector, from x0 to x1 (m, coordinates along the beam), and moves in the plane of
the first two; displacements u0, v0, phi0, u1, v1, phi1 (C.3), interpolated by (C.4). For comparison, and for the
axial-mode way of stiffening (5.5).

The matrices M1..M5 of (C.13)-(C.17) follow from the integrals of products of the shape functions (C.4); their
definitions are those which make (C.8)-(C.12) true: with N_u the axial and N_v the transverse shape functions,
M1 = int rho N_u (1 - xi, xi), M2 = int rho N_v (1 - xi, xi), M3 = int rho N_u N_u', M4 = int rho N_v N_v',
M5 = int rho N_v N_u'. Corrected below (C.23): the axial force is the product F = (EA/l) (u1 - u0), not a quotient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..line import FloatArray
from ..line_inertia import ElementInertia


def inertia_matrices(
    length: float, mass: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return M1 (6, 2), M2 (6, 2), M3, M4, M5 (6, 6) of (C.13)-(C.17)."""
    l = length
    M1, M2 = np.zeros((6, 2)), np.zeros((6, 2))
    M1[[0, 3]] = np.array([[2, 1], [1, 2]]) / 6  # (C.13)
    across = np.array([[21, 9], [3 * l, 2 * l], [9, 21], [-2 * l, -3 * l]]) / 60
    M2[[1, 2, 4, 5]] = across  # (C.14)
    M3, M4, M5 = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6))
    M3[np.ix_([0, 3], [0, 3])] = np.array([[2, 1], [1, 2]]) / 6  # (C.15)
    M4[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = (  # (C.16)
        np.array(
            [
                [156, 22 * l, 54, -13 * l],
                [22 * l, 4 * l**2, 13 * l, -3 * l**2],
                [54, 13 * l, 156, -22 * l],
                [-13 * l, -3 * l**2, -22 * l, 4 * l**2],
            ]
        )
        / 420
    )
    M5[np.ix_([1, 2, 4, 5], [0, 3])] = across  # (C.17)
    return mass * M1, mass * M2, mass * M3, mass * M4, mass * M5


def plane_beam(x0: float, x1: float, mass: float, EA: float, EI: float) -> ElementInertia:
    """Return the coefficients (C.5)-(C.20) of a beam of ``mass`` kg, ``EA`` N and ``EI`` N m^2."""
    l = x1 - x0
    x = np.array([x0, x1])
    M1, M2, M3, M4, M5 = inertia_matrices(l, mass)
    e1, e2, e3 = np.eye(3)
    e11, e22, e33 = (np.outer(e, e) for e in (e1, e2, e3))
    e12, e21 = np.outer(e1, e2), np.outer(e2, e1)
    C2 = [e1 / 2, e2 / 2, l / 12 * e2, e1 / 2, e2 / 2, -l / 12 * e2]
    return ElementInertia(
        C1=mass / 2 * (x0 + x1) * e1,  # (C.5)
        C2=mass * np.array(C2),  # (C.6)
        C3=mass / 6 * (x @ np.array([[2, 1], [1, 2]]) @ x) * (e22 + e33),  # (C.7)
        C4=np.einsum("i,ab->iab", M1 @ x, e22 + e33) - np.einsum("i,ab->iab", M2 @ x, e21),  # (C.8)
        C5=_times(M3, e22 + e33) + _times(M4, e11 + e33) - _times(M5.T, e12) - _times(M5, e21),  # (C.9)
        C6=np.outer(M2 @ x, e3),  # (C.10)
        C7=_times(M5.T - M5, e3),  # (C.11)
        C8=M3 + M4,  # (C.12)
        K=_stiffness(l, EA, EI),  # (C.20)
    )


def _times(M: FloatArray, tensor: FloatArray) -> FloatArray:
    """Return the products M_ij tensor_ab (6, 6, ...)."""
    return np.multiply.outer(M, tensor)


def _stiffness(l: float, EA: float, EI: float) -> FloatArray:
    """Return K of (C.20)."""
    g = EA * l**2 / EI
    return (
        EI
        / l**3
        * np.array(
            [
                [g, 0, 0, -g, 0, 0],
                [0, 12, 6 * l, 0, -12, 6 * l],
                [0, 6 * l, 4 * l**2, 0, -6 * l, 2 * l**2],
                [-g, 0, 0, g, 0, 0],
                [0, -12, -6 * l, 0, 12, -6 * l],
                [0, 6 * l, 2 * l**2, 0, -6 * l, 4 * l**2],
            ]
        )
    )


@dataclass(frozen=True, eq=False)
class AxialStiffening:
    """The nonlinear part of the strain energy, (C.21)-(C.23): U_nl - U_l = F a' K_G1 a / 2, F = ``axial`` . a.

    ``axial`` (6,) in N/m gives the axial force from the element's displacements; ``K_G1`` (6, 6) in 1/m is K_G for
    unit force; ``cubic`` (6, 6, 6) in N/m^2 is the symmetric tensor of third derivatives of the energy, so that the
    energy is cubic_ijk a_i a_j a_k / 6, its gradient cubic a a / 2 and its tangent cubic a. The term of fourth
    order, EA/8 int v'^4 dx, without which this energy is not bounded below, is not part of it.
    """

    axial: FloatArray
    K_G1: FloatArray

    @property
    def cubic(self) -> FloatArray:
        """Third derivatives of the energy, (6, 6, 6)."""
        one = np.multiply.outer(self.axial, self.K_G1)
        return one + one.transpose(1, 0, 2) + one.transpose(1, 2, 0)

    def geometric(self, a: FloatArray) -> FloatArray:
        """Return K_G (6, 6) of (C.23) for displacements a (6,)."""
        return float(self.axial @ a) * self.K_G1


def axial_stiffening(length: float, EA: float) -> AxialStiffening:
    """Return (C.21)-(C.23) for an element of ``length`` m and ``EA`` N."""
    l = length
    K = np.zeros((6, 6))
    K[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = np.array(
        [
            [36, 3 * l, -36, 3 * l],
            [3 * l, 4 * l**2, -3 * l, -(l**2)],
            [-36, -3 * l, 36, -3 * l],
            [3 * l, -(l**2), -3 * l, 4 * l**2],
        ]
    ) / (30 * l)
    return AxialStiffening(EA / l * np.array([-1.0, 0, 0, 1.0, 0, 0]), K)

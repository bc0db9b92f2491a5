"""Truss elements in the form in which Koppens (1989) prints them, 3.3, (3.18)-(3.47).

For comparison, and for bodies made of bars. Corrected here, each by the definition of the coefficient (misprints, or
errors of the scanned text):

- (3.29) lacks the factor 1/2 of a' K a; K itself, (3.31), is right.
- (3.39) has a plus before the matrix of dyads; C5 = int rho {(Phi.Phi') I - Phi Phi'} (2.38) has a minus, as (3.25).
- (3.40) has a minus; C6 = int rho x cross Phi (2.39) is + m/6 [...] X with Koppens' sign of the skew matrix, as
  (3.26) and (3.27) give for the linear element.
"""

from __future__ import annotations

import numpy as np

from ..line import FloatArray
from ..line_inertia import EPSILON, ElementInertia

_I = np.eye(3)
#: skew matrix of the base, entries vectors: e cross e' = -E_TILDE, (A.10)
_E_TILDE = -EPSILON
#: dyads e e' (i, j, a, b) and the unit tensor e'.e times I
_EE = np.einsum("ia,jb->ijab", _I, _I)
_UNIT = np.einsum("ij,ab->ijab", _I, _I)


def unit_vector(x0: FloatArray, x1: FloatArray) -> tuple[float, FloatArray]:
    """Return the length in m and the unit vector (3,) from x0 to x1, (3.30)."""
    chord = np.asarray(x1, float) - np.asarray(x0, float)
    length = float(np.linalg.norm(chord))
    return length, chord / length


def linear_truss(x0: FloatArray, x1: FloatArray, mass: float, EA: float) -> ElementInertia:
    """Return (3.21)-(3.32) for displacements u0 (3), u1 (3); x0, x1 (3,) m, ``mass`` kg, ``EA`` N."""
    length, e = unit_vector(x0, x1)
    X = np.concatenate([x0, x1]).astype(float)
    shares = np.array([[2.0, 1.0], [1.0, 2.0]])
    Lambda = np.outer(e, e)  # (3.32)
    C2 = mass / 2 * np.vstack([_I, _I])  # (3.22)
    C5 = mass / 6 * _blocks(shares, _UNIT - _EE)  # (3.25)
    C7 = -mass / 6 * _blocks(shares, _E_TILDE)  # (3.27)
    return ElementInertia(
        C1=X @ C2,  # (3.21)
        C2=C2,
        C3=np.einsum("i,j,ijab->ab", X, X, C5),  # (3.23)
        C4=np.einsum("ijab,j->iab", C5, X),  # (3.24)
        C5=C5,
        C6=-np.einsum("ijk,j->ik", C7, X),  # (3.26)
        C7=C7,
        C8=mass / 6 * np.kron(shares, _I),  # (3.28)
        K=EA / length * np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), Lambda),  # (3.31)
    )


def quadratic_truss(x0: FloatArray, x1: FloatArray, mass: float, EA: float) -> ElementInertia:
    """Return (3.35)-(3.44) for u0 (3), gamma (1), u1 (3), with gamma the middle's displacement along the bar.

    gamma is relative to the mean of the ends: u = (1 - xi) u0 + xi u1 + gamma 4 xi (1 - xi) e, (3.33) with the
    undeformed direction e.
    """
    length, e = unit_vector(x0, x1)
    X = np.concatenate([x0, x1]).astype(float)
    # rows of the shape functions on u0, gamma, u1: a multiple of the base, or of e' base
    rows = [_I, e[None, :], _I]
    first = np.array([[2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]) * mass / 6
    second = np.array([[10.0, 10.0, 5.0], [10.0, 16.0, 10.0], [5.0, 10.0, 10.0]]) * mass / 30

    def assemble(shares: FloatArray, left: list, right: list, entries: FloatArray) -> FloatArray:
        """Blocks shares[a, b] left_a entries right_b'."""
        lines = [
            np.concatenate(
                [s * np.einsum("mi,ij...,nj->mn...", L, entries, R) for s, R in zip(row, right, strict=True)],
                axis=1,
            )
            for row, L in zip(shares, left, strict=True)
        ]
        return np.concatenate(lines, axis=0)

    nodes = [_I, _I]
    C3 = linear_truss(x0, x1, mass, EA).C3  # (3.37)
    Lambda, zero = np.outer(e, e), np.zeros((3, 1))
    stiff = np.block(
        [[3 * Lambda, zero, -3 * Lambda], [zero.T, 16.0, zero.T], [-3 * Lambda, zero, 3 * Lambda]]
    )
    return ElementInertia(
        C1=mass / 2 * X @ np.vstack([_I, _I]),  # (3.35)
        C2=mass / 6 * np.vstack([3 * _I, 4 * e[None, :], 3 * _I]),  # (3.36)
        C3=C3,
        C4=np.einsum("ijab,j->iab", assemble(first, rows, nodes, _UNIT - _EE), X),  # (3.38)
        C5=assemble(second, rows, rows, _UNIT - _EE),  # (3.39); e' e e' e = e Lambda e for gamma gamma
        C6=np.einsum("ijk,j->ik", assemble(first, rows, nodes, _E_TILDE), X),  # (3.40)
        C7=-assemble(second, rows, rows, _E_TILDE),  # (3.41); 0 for gamma gamma
        C8=assemble(second, rows, rows, _I),  # (3.42)
        K=EA / (3 * length) * np.asarray(stiff, np.float64),  # (3.44)
    )


def middle_node(x0: FloatArray, x1: FloatArray) -> FloatArray:
    """Return T (7, 7) of (3.47): u0, gamma, u1 as rows from u0, middle displacement along the bar, u1."""
    _, e = unit_vector(x0, x1)
    T = np.eye(7)
    T[:3, 3] = T[4:, 3] = -e / 2
    return T


def _blocks(shares: FloatArray, entries: FloatArray) -> FloatArray:
    """Return blocks shares[a, b] entries as one array (3 na, 3 nb, ...)."""
    blocks = np.einsum("ab,ij...->aibj...", shares, entries)
    return blocks.reshape(3 * shares.shape[0], 3 * shares.shape[1], *entries.shape[2:])

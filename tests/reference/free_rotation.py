"""Torque-free rotation of a body with three different moments of inertia, exactly, by Jacobi's functions.

With the principal axes named a, b, c so that I_b lies between, and c the axis that the angular momentum
goes round (I_a < I_b < I_c if L^2 > 2 T I_b, else I_a > I_b > I_c; Landau & Lifshitz, Mechanics, 37):

    omega_a = A cn(tau | m),  omega_b = B sn(tau | m),  omega_c = C dn(tau | m),  tau = rate t + tau0.

Substituted into Euler's equations:

    A^2 = (2 T I_c - L^2) / I_a (I_c - I_a),  B^2 = (2 T I_c - L^2) / I_b (I_c - I_b),
    C^2 = (L^2 - 2 T I_a) / I_c (I_c - I_a),  rate^2 = (I_c - I_b) (L^2 - 2 T I_a) / I_a I_b I_c,
    m = (I_b - I_a) (2 T I_c - L^2) / (I_c - I_b) (L^2 - 2 T I_a),

and the sign of B from I_b omega_b' = +-(I_c - I_a) omega_c omega_a, minus if a, b, c is left-handed.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipkinc


def omega(t: np.ndarray, inertia: np.ndarray, omega0: np.ndarray) -> np.ndarray:
    """(nt, 3) angular velocity in the principal body axes; inertia (3,), all different, in any order."""
    I, w0 = np.asarray(inertia, float), np.asarray(omega0, float)
    T2, L2 = I @ w0**2, (I * w0) @ (I * w0)
    axes = np.argsort(I)
    if T2 * I[axes[1]] > L2:
        axes = axes[::-1]
    hand = np.linalg.det(np.eye(3)[axes])
    Ia, Ib, Ic = I[axes]
    A = np.sqrt((T2 * Ic - L2) / (Ia * (Ic - Ia)))
    B = np.sqrt((T2 * Ic - L2) / (Ib * (Ic - Ib)))
    C = np.sqrt((L2 - T2 * Ia) / (Ic * (Ic - Ia))) * np.sign(w0[axes[2]])
    B *= hand * np.sign(Ic - Ia) * np.sign(C)
    rate = np.sqrt((Ic - Ib) * (L2 - T2 * Ia) / (Ia * Ib * Ic))
    m = (Ib - Ia) * (T2 * Ic - L2) / ((Ic - Ib) * (L2 - T2 * Ia))
    tau0 = ellipkinc(np.arctan2(w0[axes[1]] / B, w0[axes[0]] / A), m)
    sn, cn, dn, _ = ellipj(rate * np.asarray(t) + tau0, m)
    result = np.empty((len(t), 3))
    result[:, axes] = np.column_stack([A * cn, B * sn, C * dn])
    return result

"""A planar arm of a flexible and a rigid link by Lagrange's equations: an independent program.

Body 1 turns about the origin by q1. It has masses of 1 kg at x = 0.5 and x = 1 m, one mode u_y = alpha x^2, and the
strain energy 25 alpha^2. Body 2, a rod of 1 kg and 1 m, turns by q2 about the tip of body 1, on top of the slope 2
alpha there. Weight acts along -y. With positions r(x) of the masses as functions of x = (q1, q2, alpha) and their
Jacobians J, the equations are ``J' m (J x.. + J. x.) + ... = J' m g - dV/dx``; J. x. is differentiated by a complex
step.
"""

from __future__ import annotations

import numpy as np

G, K, ROD = 9.81, 50.0, 1.0 / 12.0
#: the state of the test: x = (q1, q2, alpha) and its rates
X, RATE = np.array([0.3, -0.5, 0.05]), np.array([1.0, -0.7, 0.4])


def jacobians(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the Jacobians of the two masses and the rod's center, (3, 2, 3), and of the rod's angle, (3,)."""
    q1, q2, alpha = x
    c, s, angle = np.cos(q1), np.sin(q1), q1 + q2 + 2 * alpha
    J = np.zeros((3, 2, 3), dtype=np.asarray(x).dtype)
    for k, along in enumerate((0.5, 1.0, 1.0)):
        J[k, :, 0] = -s * along - c * alpha * along**2, c * along - s * alpha * along**2
        J[k, :, 2] = -s * along**2, c * along**2
    half = 0.5 * np.array([-np.sin(angle), np.cos(angle)])
    turn = np.array([1.0, 1.0, 2.0])
    J[2] += half[:, None] * turn
    return J, turn


def accelerations(x: np.ndarray = X, rate: np.ndarray = RATE) -> np.ndarray:
    """Return x.. ."""
    J, turn = jacobians(x)
    step = 1e-30
    drift = (jacobians(x + 1j * step * rate)[0].imag / step) @ rate
    M = np.einsum("kij,kil->jl", J, J) + ROD * np.outer(turn, turn)
    load = np.einsum("kij,ki->j", J, np.array([0.0, -G]) - drift) - np.array([0.0, 0.0, K * x[2]])
    return np.linalg.solve(M, load)

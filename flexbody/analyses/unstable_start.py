"""A warning of starts with a deformation that is no stable one, beyond a buckling load or a critical speed."""

from __future__ import annotations

import numpy as np
import scipy

from fem.common.errors import few, warn

from ..compile.plan import Plan

#: eigenvalues below this part of the largest, with the other sign, are round-off
ROUND_OFF = 1e-12
#: a body takes part in a motion with at least this part of the largest kinetic energy
TAKES_PART = 0.1


def warn_of_instability(
    plan: Plan,
    K: scipy.sparse.csr_matrix,
    M: scipy.sparse.csr_matrix,
    G: scipy.sparse.csr_matrix,
    rigid: np.ndarray,
    u: np.ndarray,
) -> None:
    """Warn if the deformations of a machine whose rigid motion is given have negative stiffness.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    K, M : scipy.sparse.csr_matrix
        Tangent stiffness with the loads and the inertia of the motion, and mass matrix, (nv, nv).
    G : scipy.sparse.csr_matrix
        Constraint Jacobian, (nr, nv).
    rigid : numpy.ndarray
        Which coordinates are rigid ones, (nv,).
    u : numpy.ndarray
        Units of the coordinates, (nv,).

    Notes
    -----
    Deformations are the motions xi with ``G xi = 0`` and ``N' M xi = 0``, where N are the motions that the joints leave
    to rigid bodies. They are stable where ``xi' K xi > 0``.
    """
    units = scipy.sparse.diags(u)
    rows, mass = (G @ units).toarray(), (units @ M @ units).toarray()
    free = np.zeros((len(u), 0))
    if rigid.any():
        own = null_space(rows[:, rigid])
        free = np.zeros((len(u), own.shape[1]))
        free[rigid] = own
    V = null_space(np.vstack([rows, (mass @ free).T]))
    stiffness = V.T @ (units @ K @ units @ V)
    try:
        squares, vectors = scipy.linalg.eigh(0.5 * (stiffness + stiffness.T), V.T @ mass @ V)
    except (np.linalg.LinAlgError, ValueError):  # massless bodies alone move, or nothing does
        return
    unstable = squares < -ROUND_OFF * np.abs(squares).max(initial=0.0)
    if not unstable.any():
        return
    motion = V @ vectors[:, unstable]
    energy = motion * (mass @ motion)
    shares = [energy[plan.modal_velocities(b)].sum() for b in range(plan.n_bodies)]
    bodies = [
        f"'{body.name}'"
        for body, share in zip(plan.system.bodies, shares, strict=True)
        if share > TAKES_PART * max(shares)
    ]
    n, rate = int(unstable.sum()), float(np.sqrt(-squares[0]))
    warn(
        f"the quasi-static deformation of {few(bodies)} at the start has {n} direction{'s' if n > 1 else ''} of "
        f"negative stiffness (of {V.shape[1]}; sqrt(-k/m) up to {rate:.3g} 1/s): the load lies beyond a buckling load, "
        "where any disturbance grows, or the speed beyond a critical one, where gyroscopic forces may hold the body. "
        "If that is not meant, reduce the load or the speed"
    )


def null_space(rows: np.ndarray) -> np.ndarray:
    """Return an orthonormal base of what rows (m, n) map to zero, (n, n - rank)."""
    n = rows.shape[1]
    norms = np.linalg.norm(rows, axis=1)
    kept = rows[norms > 0] / norms[norms > 0, None]
    if not len(kept):
        return np.eye(n)
    Q, R, _ = scipy.linalg.qr(kept.T, pivoting=True)
    rank = int((np.abs(np.diag(R)) > 1e-9).sum())
    return np.asarray(Q[:, rank:])

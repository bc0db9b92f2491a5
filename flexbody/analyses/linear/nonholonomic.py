"""Small motions with nonholonomic constraints: more degrees of freedom of position than of velocity.

Near a motion that satisfies ``A(x, t) v + a(x, t) = 0``, small motions satisfy ``A xi' + B xi = 0``; B contains the
change of the constraint with the position. With ``xi = Z y`` of the holonomic constraints this is ``D y' + E y = 0``.
With the motions N that D permits, ``y' = N u - W y``, ``W = D^+ E``: as many positions y as before, and fewer
velocities u (Yu. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, 1972, ch. III and VI).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...compile.plan import Plan
from ...core.kinds import VELOCITY
from ...core.rotation import matrices, turned_euler
from ...core.structures import Work
from ...equations.least_squares import RANK_TOLERANCE
from ...equations.state import place_state
from ...equations.tangent import DIFFERENCE_STEP, units
from ...formulations.state import MachineState
from .eigenvalues import DOUBLE_ROOT_SPLIT, Spectrum, undamped_motions
from .force_law_states import LawTangent
from .steady_motion import Steady

#: error of differences in an entry that is zero, relative to the machine's own rate
ZERO_RATE = 1e-7


@dataclass(frozen=True, eq=False)
class VelocityRows:
    """Nonholonomic constraints ``D y' + E y = 0`` (m, f) in minimal coordinates, and ``y' = N u - W y``.

    Attributes
    ----------
    N : numpy.ndarray
        Free velocities, (f, k): u has k entries.
    W : numpy.ndarray
        Matrix (f, f).
    """

    D: np.ndarray
    E: np.ndarray
    N: np.ndarray
    W: np.ndarray


def is_velocity(plan: Plan) -> np.ndarray:
    """Return a mask (nr,) of the rows that hold velocities only."""
    return plan.layout.row_kind == VELOCITY


def velocity_rows(
    plan: Plan, W: Work, s: MachineState, G: np.ndarray, Z: np.ndarray, steady: Steady
) -> VelocityRows:
    """Return the nonholonomic constraints of small motions ``Z y`` about a steady motion; ``G`` (nr, nv): all rows."""
    A = G[is_velocity(plan)]
    first, _ = steady.rates(plan, Z)
    D, E = A @ Z, _by_place(plan, W, s) @ Z + A @ first
    lengths = np.linalg.norm(D, axis=1)
    lengths[lengths == 0] = 1.0
    D, E = D / lengths[:, None], E / lengths[:, None]
    _, size, Vt = np.linalg.svd(D)
    rank = int(np.sum(size > RANK_TOLERANCE * size[0]))
    return VelocityRows(D, E, Vt[rank:].T, np.linalg.pinv(D, rcond=RANK_TOLERANCE) @ E)


def _by_place(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return B (m, nv): derivative of velocity rows by positions xi, body components, with xi' held.

    See :mod:`flexbody.equations.tangent`.
    """
    rows, L = is_velocity(plan), plan.layout
    out, steps = np.zeros((int(rows.sum()), plan.n_velocities)), DIFFERENCE_STEP * units(plan, W, s)
    Q = matrices(s.q)
    value = np.empty(plan.n_rows)
    for b in range(plan.n_bodies):
        own = plan.velocities(b)
        omega = s.v[plan.rotation(b)]
        for i, column in enumerate(range(own.start, own.stop)):
            for part, weight in zip((-2.0, -1.0, 1.0, 2.0), (1 / 12, -8 / 12, 8 / 12, -1 / 12), strict=True):
                h = part * steps[column]
                c, q, alpha, v = s.c.copy(), s.q.copy(), s.all_alpha.copy(), s.v.copy()
                if i < 3:
                    e = h * np.eye(3)[i]
                    c[b] += Q[b] @ e
                    v[plan.translation(b)] += Q[b] @ np.cross(omega, e)
                elif i < 6:
                    e = h * np.eye(3)[i - 3]
                    turned_euler(s.q[b], e, q[b])
                    v[plan.rotation(b)] = matrices(q[b : b + 1])[0].T @ (Q[b] @ omega)
                else:
                    alpha[plan.modal(b)][i - 6] += h
                place_state(plan, W, replace(s, c=c, q=q, all_alpha=alpha))
                plan.formulation.velocity_residual(L, W, v, value)
                out[:, column] += weight * value[rows] / steps[column]
    return out


def velocity_spectrum(
    M: np.ndarray,
    C: np.ndarray,
    K: np.ndarray,
    noise: np.ndarray,
    rows: VelocityRows,
    law: LawTangent,
    rate: float,
) -> Spectrum:
    """Return the eigenvalues of a machine with nonholonomic constraints.

    Parameters
    ----------
    M, C, K, noise, law
        As for :func:`flexbody.analyses.linear.eigenvalues.spectrum`.
    rows : VelocityRows
        The constraints.
    rate : float
        Rate of the motion of the machine itself, 1/s.

    Returns
    -------
    Spectrum
        Eigenvalues and vectors.

    Notes
    -----
    Motions that change nothing (a machine at another position or with another heading) are removed first, then
    motions that change only these, and so on. The remaining equations have no zero eigenvalue. Each motion of the
    first kind gives one zero eigenvalue with its vector.
    """
    squares, V = undamped_motions(K, M)
    blur = np.abs(V).T @ noise @ np.abs(V)
    squares[np.abs(squares) < np.diag(blur)] = 0.0
    skew = V.T @ (0.5 * (K - K.T)) @ V
    skew[np.abs(skew) < blur] = 0.0
    rates = np.where(squares != 0, np.sqrt(np.abs(squares)), rate)
    back = np.linalg.inv(V)
    held = np.linalg.svd(rows.D @ V)[2]
    N = held[len(held) - rows.N.shape[1] :].T
    slip = back @ rows.W @ V
    # D^+ E in this metric: what D leaves open is anyone's choice
    slip = slip - N @ (N.T @ slip)
    A = system_matrix(np.eye(len(M)), V.T @ C @ V, np.diag(squares) + skew, N, slip, _turned(law, V))
    f = len(M)
    scale = np.concatenate([rates, np.ones(len(A) - f)])
    A = A * scale[:, None] / scale
    level = ZERO_RATE * rate + 1e-14 * np.abs(A).max(initial=0.0)
    values, vectors, still = _deflated(A, level)
    wanted = values.imag >= 0
    found = np.concatenate([np.zeros(still.shape[1], dtype=complex), values[wanted]])
    places = np.concatenate([still[:f].astype(complex), vectors[:f, wanted]], axis=1) / rates[:, None]
    order = np.argsort(np.abs(found), kind="stable")
    return Spectrum(found[order], V @ places[:, order], (level + DOUBLE_ROOT_SPLIT * np.abs(found))[order])


def _turned(law: LawTangent, V: np.ndarray) -> LawTangent:
    return LawTangent(law.names, law.A, law.A_y @ V, law.A_v @ V, V.T @ law.H)


def system_matrix(M, C, K, N, W, law: LawTangent) -> np.ndarray:
    """Return A (n, n) of ``x' = A x`` for x = (y, u, zeta), with ``y' = N u - W y``."""
    f, k, nz = len(M), N.shape[1], len(law.A)
    rate = np.concatenate([-W, N, np.zeros((f, nz))], axis=1)
    none = np.zeros((f, k))
    forces = (C - M @ W) @ rate + np.concatenate([K, none, law.H], axis=1)
    speed = -np.linalg.solve(N.T @ M @ N, N.T @ forces) if k else np.zeros((0, f + k + nz))
    states = law.A_v @ rate + np.concatenate([law.A_y, np.zeros((nz, k)), law.A], axis=1)
    return np.concatenate([rate, speed, states])


def _deflated(A: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the nonzero eigenvalues with their vectors, and the null space (n, d) of A.

    The method is the staircase of V. N. Kublanovskaya (1966). It finds zero eigenvalues of any Jordan structure by
    ranks, which are well determined although round-off splits the eigenvalues themselves.
    """
    none = np.zeros((len(A), 0))
    if not len(A):
        return np.zeros(0, dtype=complex), none.astype(complex), none
    _, size, Vt = np.linalg.svd(A)
    zero = int(np.sum(size <= level))
    if not zero:
        values, vectors = np.linalg.eig(A)
        return values.astype(complex), vectors.astype(complex), none
    gone, kept = Vt[len(A) - zero :].T, Vt[: len(A) - zero].T
    values, vectors, _ = _deflated(kept.T @ A @ kept, level)
    whole = kept @ vectors
    return values, whole + gone @ (gone.T @ A @ whole) / values, gone

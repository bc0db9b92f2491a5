"""Eigenvalues of ``M y'' + C y' + K y = 0`` with stiff and soft coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from fem.common.blas_threads import few_threads

from .force_law_states import LawTangent

#: double eigenvalues split by about this part: the root of the error of differences
DOUBLE_ROOT_SPLIT = 3e-6
#: squares of frequencies below this part of their round-off are zero
SURELY_ZERO = 0.05


class Spectrum(NamedTuple):
    """Eigenvalues and vectors of a linear machine.

    Attributes
    ----------
    values : numpy.ndarray
        Eigenvalues, (n,), 1/s, by ascending magnitude.
    vectors : numpy.ndarray
        Vectors, (f, n).
    noise : numpy.ndarray
        Round-off of each eigenvalue, (n,), 1/s.
    lost : float
        The fastest motion, 1/s, that counts as one of zero frequency although this is uncertain; else zero.
    lost_vector : numpy.ndarray or None
        Its vector, (f,).
    """

    values: np.ndarray
    vectors: np.ndarray
    noise: np.ndarray
    lost: float = 0.0
    lost_vector: np.ndarray | None = None


def undamped_motions(K: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the squares of the undamped frequencies (f,), 1/s^2, and the motions (f, f), ascending.

    The squares are Rayleigh's quotients, in which the round-off of the stiffest motion is not part of the softest ones.
    """
    even = 0.5 * (K + K.T)
    with few_threads(len(M)):
        V = scipy.linalg.eigh(even, 0.5 * (M + M.T))[1]
    return np.einsum("ij,ij->j", V, even @ V), V


def spectrum(M: np.ndarray, C: np.ndarray, K: np.ndarray, noise: np.ndarray, law: LawTangent) -> Spectrum:
    """Return the eigenvalues of a linear machine: of a conjugate pair the upper one, of a double zero one.

    Parameters
    ----------
    M, C, K : numpy.ndarray
        Mass, damping and stiffness, (f, f).
    noise : numpy.ndarray
        Round-off of the entries of K, (f, f), not negative.
    law : LawTangent
        States of force laws.

    Returns
    -------
    Spectrum
        Eigenvalues and vectors. The problem is solved in the coordinates of the undamped motions, in which the
        round-off of stiff motions does not affect soft ones.
    """
    f = len(M)
    if f == 0:
        values = np.linalg.eigvals(law.A).astype(complex)
        values = values[values.imag >= 0]
        values = values[np.argsort(np.abs(values))]
        return Spectrum(values, np.zeros((0, len(values)), dtype=complex), DOUBLE_ROOT_SPLIT * np.abs(values))
    squares, V = undamped_motions(K, M)
    blur = np.abs(V).T @ noise @ np.abs(V)
    small = np.abs(squares) < np.diag(blur)
    uncertain = np.where(small & (np.abs(squares) > SURELY_ZERO * np.diag(blur)), np.abs(squares), 0.0)
    fastest = int(np.argmax(uncertain))
    lost = float(np.sqrt(uncertain[fastest]))
    squares[small] = 0.0
    skew = V.T @ (0.5 * (K - K.T)) @ V
    skew[np.abs(skew) < blur] = 0.0
    damping = V.T @ C @ V
    some = np.abs(squares[squares != 0])
    rate = np.sqrt(np.where(squares != 0, np.abs(squares), some.min(initial=np.inf) if len(some) else 1.0))
    none = np.zeros((f, len(law.A)))
    A = np.block(
        [
            [np.zeros((f, f)), np.diag(rate), none],
            [-(np.diag(squares) + skew) / rate, -damping, -(V.T @ law.H)],
            [law.A_y @ V / rate, law.A_v @ V, law.A],
        ]
    )
    with few_threads(len(A)):
        values, vectors = np.linalg.eig(A)
    places = vectors[:f] / rate[:, None]
    size = np.einsum("ik,ik->k", places.conj(), places).real + 1e-300
    small = np.einsum("ik,ij,jk->k", np.abs(places), blur, np.abs(places)) / size
    small += (1e-12 * rate.min() + 1e-15 * rate.max()) * np.abs(damping).max(initial=0.0)
    small += (1e-13 * np.max(np.abs(np.linalg.eigvals(law.A)), initial=0.0)) ** 2
    zero = np.abs(values) ** 2 <= small
    values[zero] = 0.0
    wanted = ~zero & (values.imag >= 0)
    found, shapes = values[wanted], places[:, wanted]
    # a double eigenvalue, such as that of a free body's flight seen from a turning base, splits by the root of it
    level = small[wanted] / np.abs(found) + DOUBLE_ROOT_SPLIT * np.abs(found) + 1e-15 * rate.max()
    if zero.any():
        still = places[:, zero]
        U, s, _ = np.linalg.svd(still / (np.linalg.norm(still, axis=0) + 1e-300), full_matrices=False)
        loose = U[:, s > 1e-6 * s[0]][:, : max(1, (int(zero.sum()) + 1) // 2)]
        found = np.concatenate([np.zeros(loose.shape[1], dtype=complex), found])
        shapes = np.concatenate([loose.astype(complex), shapes], axis=1)
        level = np.concatenate([np.full(loose.shape[1], np.sqrt(small.max())), level])
    order = np.argsort(np.abs(found), kind="stable")
    return Spectrum(found[order], V @ shapes[:, order], level[order], lost, V[:, fastest])

"""Eigenpairs of a self-adjoint operator by Lanczos' method: fully orthogonal, with thick restarts.

It starts from one vector: blocks of vectors would need more steps, which cost more than direct solvers save on blocks.
In exact arithmetic it finds one vector of a multiple eigenvalue; the others are searched for at the end, from a new
start that is orthogonal to all known vectors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy

from ..common.errors import ConvergenceError, InputError
from ..common.tall_matrices import combine, inner

FloatArray = npt.NDArray[np.float64]
#: linear, (N, k) -> (N, k)
Operator = Callable[[FloatArray], FloatArray]

#: an eigenpair has converged when its residual is below this part of it (ARPACK's tol)
RESIDUAL_TOLERANCE = 1e-11
#: a larger asymmetry of A bounds the residual from below; accepted up to this part
ASYMMETRY_LIMIT = 1e-7
#: a new direction shorter than this part of A X is rounding
DEPENDENCE_TOLERANCE = 1e-13
#: steps with a new start after all have converged: enough to find a missing one among the wanted, since all others
#: of that size are known by then
CHECK_STEPS = 4


class Krylov:
    """The space span{X, A X, A^2 X, ...} of an operator A that is self-adjoint in the inner product x' B y.

    ``step(X, BX)`` returns A X (N, k), ``inner`` returns B X; B positive semi-definite, A X = 0 where B X = 0.
    """

    def __init__(
        self, step: Callable[[FloatArray, FloatArray], FloatArray], inner: Operator, rows: int
    ) -> None:
        """Take the operators, for vectors of length ``rows``."""
        self.step, self.inner, self.rows = step, inner, rows
        self.products = 0  # vectors that A was applied to
        self._random = np.random.default_rng(1988)

    def eigenpairs(
        self,
        start: FloatArray,
        n: int,
        wanted: str = "largest",
        report: Callable[[int], object] = lambda done: None,
        what: str = "the structure",
        restarts: int = 60,
    ) -> tuple[FloatArray, FloatArray]:
        """Return ``n`` eigenvalues (n,) and B-orthonormal vectors (N, n): largest magnitude, or most positive.

        ``start`` (N, k) lies in the range of A; ``report`` is called with the number that has converged. Raises
        InputError for more eigenpairs than there are, and ConvergenceError.
        """
        limit = min(2 * n + 12, self.rows)
        size = limit + start.shape[1] + 4  # one step beyond the limit, and the next directions
        V, T = np.zeros((self.rows, size), order="F"), np.zeros((size, size))
        Q, BQ, _, _ = self._orthonormal(start, V[:, :0])
        m, checks, known = 0, -1, np.zeros(n)
        R, noise, first = np.zeros((Q.shape[1], 0)), 0.0, restarts
        steps, pause = 0, 1 + n // 16  # a test of many eigenpairs costs as much as a few steps
        while restarts:
            b = Q.shape[1]
            V[:, m : m + b] = Q
            m += b
            before = R
            Q, BQ, C, R = self._orthonormal(self.step(Q, BQ), V[:, :m])
            self.products += b
            if restarts == first and m > b:
                noise = max(noise, _asymmetry(C[: m - b], before))
            T[:m, m - b : m] = C
            T[m - b : m, :m] = C.T
            steps += 1
            room = m + Q.shape[1] <= limit
            if Q.shape[1] and (m < n or (steps < (checks if checks > 0 else pause) and room)):
                continue
            theta, S = _sorted_pairs(T[:m, :m], wanted)
            error = np.linalg.norm(R @ S[m - b :], axis=0)
            done = _converged(error[:n], np.abs(theta[:n]), noise)
            report(done)
            checks, steps = max(checks - steps, 0) if checks >= 0 else checks, 0
            if done == n and checks == 0:
                if np.allclose(theta[:n], known, rtol=1e-7, atol=0.0):
                    return self._answer(theta, V[:, :m], S, n, wanted, what)
                checks = -1  # one was missed: there may be more
            if Q.shape[1] == 0 or (done == n and checks < 0):
                V[:, m : m + Q.shape[1]] = Q
                fresh, B_fresh = self._fresh(V[:, : m + Q.shape[1]])
                Q, BQ = np.hstack([Q, fresh]), np.hstack([BQ, B_fresh])
                if Q.shape[1] == 0:  # V spans everything
                    return self._answer(theta, V[:, :m], S, n, wanted, what)
                if done == n and checks < 0:
                    checks, known = CHECK_STEPS, theta[:n]
            if m + Q.shape[1] > limit and m > n:
                keep = min(n + max((m - n) // 3, 1), m - 1)
                _times(V[:, :m], S[:, :keep])
                T[:] = 0
                T[np.arange(keep), np.arange(keep)] = theta[:keep]
                m = keep
                restarts -= 1
        raise ConvergenceError(
            f"only {done} of {n} eigenmodes of {what} converged; ask for fewer, or look for badly shaped "
            "elements in the mesh"
        )

    def _answer(
        self, theta: FloatArray, V: FloatArray, S: FloatArray, n: int, wanted: str, what: str
    ) -> tuple[FloatArray, FloatArray]:
        largest = np.abs(theta).max(initial=0.0)
        usable = (theta if wanted == "positive" else np.abs(theta))[:n] > 1e-13 * largest
        if len(usable) < n or not usable.all():
            kind = "positive eigenvalues" if wanted == "positive" else "finite eigenvalues"
            raise InputError(f"there are only {int(usable.sum())} {kind} of {what}, not {n}")
        return theta[:n], _times(V, S[:, :n])

    def _fresh(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return a new direction that is orthogonal to V, and B times it; no columns if V spans the whole space."""
        X = self._random.standard_normal((self.rows, 1))
        Q, BQ, _, _ = self._orthonormal(self.step(X, self.inner(X)), V)
        return Q, BQ

    def _orthonormal(
        self, W: FloatArray, V: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return Q, B Q, C, R with W = V C + Q R and [V Q] B-orthonormal; Q has as many columns as W brings.

        First against the last vectors, which contain A X except for rounding; then against all, and again if that
        removed more than rounding. Directions that consist of cancellation alone are dropped.
        """
        C = np.zeros((V.shape[1], W.shape[1]))
        if not W.shape[1]:  # nothing new has come
            return W, W, C, np.zeros((0, 0))
        BW = self.inner(W)
        smallest = DEPENDENCE_TOLERANCE * _lengths(W, BW).max()
        for columns in (slice(-3, None), slice(None), slice(None)):
            part = V[:, columns]
            c = inner(part, BW)
            W = W - combine(part, c)
            C[columns] += c
            BW = self.inner(W)
            if columns == slice(None) and np.abs(c).max(initial=0.0) < 1e-10 * _lengths(W, BW).min():
                break
        X = combine(W, scipy.linalg.eigh(inner(W, BW))[1]) if W.shape[1] > 1 else W
        BX = self.inner(X) if W.shape[1] > 1 else BW
        length = _lengths(X, BX)
        keep = length > smallest
        if not keep.any():
            return W[:, :0], W[:, :0], C, np.zeros((0, W.shape[1]))
        X = X[:, keep] / length[keep]
        if (length < 1e-4 * length.max(initial=0.0)).any():
            X = X - combine(V, inner(V, BX[:, keep]) / length[keep])
        BX = self.inner(X)
        turn = np.linalg.inv(scipy.linalg.cholesky(inner(X, BX)))  # near the identity
        BQ = combine(BX, turn)
        return combine(X, turn), BQ, C, inner(BQ, W)


def _converged(error: FloatArray, size: FloatArray, noise: float) -> int:
    """Return the number of leading eigenvalues of that size (n,) with sufficiently small residuals."""
    rounding = noise if noise > DEPENDENCE_TOLERANCE * size.max(initial=0.0) else 0.0
    enough = error < np.maximum(RESIDUAL_TOLERANCE * size, np.minimum(3 * rounding, ASYMMETRY_LIMIT * size))
    return int(np.argmin(np.append(enough, False)))


def _asymmetry(C: FloatArray, R: FloatArray) -> float:
    """Return the difference of V' B A Q (m, b) and Q' B A V (R for the last columns of V, else zero), transposed."""
    C = C.copy()
    new, last = R.shape
    C[len(C) - last :, :new] -= R.T
    return float(np.abs(C).max(initial=0.0))


def _lengths(X: FloatArray, BX: FloatArray) -> FloatArray:
    """Return sqrt(x' B x) of every column."""
    return np.sqrt(np.maximum(np.einsum("ij,ij->j", X, BX), 0.0))


def _sorted_pairs(T: FloatArray, wanted: str) -> tuple[FloatArray, FloatArray]:
    theta, S = scipy.linalg.eigh(T)
    order = np.argsort(-np.abs(theta) if wanted == "largest" else -theta, kind="stable")
    return theta[order], S[:, order]


def _times(V: FloatArray, S: FloatArray, rows: int = 20_000) -> FloatArray:
    """Return V S in slices of rows, into V's own first columns: V is lost."""
    for first in range(0, len(V), rows):
        part = slice(first, first + rows)
        V[part, : S.shape[1]] = combine(V[part], S)
    return V[:, : S.shape[1]]

"""Eigenpairs of a self-adjoint operator by Lanczos' method: in blocks, fully orthogonal, with thick restarts.

Blocks find multiple eigenvalues together, where a single start vector finds copies by rounding only; and
direct solvers take a third to a half of the time per vector when they solve for several at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.linalg

from .common.errors import ConvergenceError, InputError

FloatArray = npt.NDArray[np.float64]
#: linear, (N, k) -> (N, k)
Operator = Callable[[FloatArray], FloatArray]

#: an eigenpair has converged when its residual is below this part of it (ARPACK's tol)
TOLERANCE = 1e-11
#: shorter than this part of A X, a new direction is rounding
NOISE = 1e-13


class Krylov:
    """The space span{X, A X, A^2 X, ...} of an operator A that is self-adjoint in the inner product x' B y.

    ``step(X, BX)`` returns A X (N, k), ``inner`` returns B X; B positive semi-definite, A X = 0 where B X = 0.
    """

    def __init__(
        self, step: Callable[[FloatArray, FloatArray], FloatArray], inner: Operator, rows: int, block: int = 4
    ) -> None:
        """Take the operators; ``block`` vectors are multiplied at once."""
        self.step, self.inner, self.rows, self.block = step, inner, rows, block
        self.products = 0
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

        ``start`` (N, block) lies in the range of A; ``report`` is told how many have converged.
        """
        limit = min(2 * n + 10 * self.block, self.rows)
        V = np.zeros((self.rows, limit + self.block), order="F")
        T = np.zeros((limit + self.block, limit + self.block))
        Q, BQ, _, _ = self._orthonormal(start, V[:, :0])
        m = done = 0
        while restarts:
            b = Q.shape[1]
            V[:, m : m + b] = Q
            m += b
            Q, BQ, C, R = self._orthonormal(self.step(Q, BQ), V[:, :m])
            self.products += b
            T[:m, m - b : m] = C
            T[m - b : m, :m] = C.T
            theta, S = _sorted_pairs(T[:m, :m], wanted)
            error = np.linalg.norm(R @ S[m - b :], axis=0)
            done = int(np.argmin(np.append(error[:n] < TOLERANCE * np.abs(theta[:n]), False)))
            report(done)
            if Q.shape[1] == 0:  # an invariant space; what it lacks may be more copies of a multiple eigenvalue
                Q, BQ = self._fresh(V[:, :m])
                if Q.shape[1] == 0:
                    return self._answer(theta, V[:, :m], S, n, wanted, what)
            elif done == n:
                return self._answer(theta, V[:, :m], S, n, wanted, what)
            if m + Q.shape[1] > limit and m > n:
                keep = min(n + max((m - n) // 3, self.block), m - 1)
                V[:, :keep] = _times(V[:, :m], S[:, :keep])
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
        usable = (theta if wanted == "positive" else np.abs(theta))[:n] > 1e-13 * np.abs(theta).max()
        if len(usable) < n or not usable.all():
            kind = "positive eigenvalues" if wanted == "positive" else "finite eigenvalues"
            raise InputError(f"there are only {int(usable.sum())} {kind} of {what}, not {n}")
        return theta[:n], _times(V, S[:, :n])

    def _fresh(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return new directions that are orthogonal to V, with B times them; none if V spans everything."""
        X = self._random.standard_normal((self.rows, self.block))
        Q, BQ, _, _ = self._orthonormal(self.step(X, self.inner(X)), V)
        return Q, BQ

    def _orthonormal(
        self, W: FloatArray, V: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return Q, B Q, C, R with W = V C + Q R and [V Q] B-orthonormal; Q has as many columns as W brings.

        Twice against V, because one pass leaves what cancellation makes of rounding; within the block along the
        principal directions, whose lengths are then taken anew, and once more by Cholesky.
        """
        BW = self.inner(W)
        smallest = NOISE * np.sqrt(max(float(np.einsum("ij,ij->j", W, BW).max()), 0.0))
        C = V.T @ BW
        W = W - V @ C
        BW = self.inner(W)
        more = V.T @ BW
        W, C = W - V @ more, C + more
        X = W @ scipy.linalg.eigh(W.T @ BW)[1]
        BX = self.inner(X)
        length = np.sqrt(np.maximum(np.einsum("ij,ij->j", X, BX), 0.0))
        keep = length > smallest
        X = (X - V @ (V.T @ BX))[:, keep] / length[keep]
        BX = self.inner(X)
        turn = np.linalg.inv(scipy.linalg.cholesky(X.T @ BX))  # near the identity
        BQ = BX @ turn
        return X @ turn, BQ, C, BQ.T @ W


def _sorted_pairs(T: FloatArray, wanted: str) -> tuple[FloatArray, FloatArray]:
    theta, S = scipy.linalg.eigh(T)
    order = np.argsort(-np.abs(theta) if wanted == "largest" else -theta, kind="stable")
    return theta[order], S[:, order]


def _times(V: FloatArray, S: FloatArray, rows: int = 20_000) -> FloatArray:
    """Return V S in slices of rows, into V's own first columns: V is lost."""
    for first in range(0, len(V), rows):
        part = slice(first, first + rows)
        V[part, : S.shape[1]] = V[part] @ S
    return V[:, : S.shape[1]]

"""The lowest modes of vibration and of buckling, by Lanczos' method on the inverse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, sparray, spmatrix

from .common.errors import ConvergenceError, InputError
from .common.progress import progress
from .krylov import Krylov, Operator
from .solve import factorise

FloatArray = npt.NDArray[np.float64]


#: largest residual of an accepted mode, relative to its forces (a factorisation leaves about 1e-9)
RESIDUAL = 1e-6
#: rounding of K x in units of its largest terms: a few hundred of them in a row
ROUNDING = 30 * np.finfo(float).eps
#: unknowns from which on the iterations show their progress
_LONG = 30_000


def lowest_modes(
    K: sparray | spmatrix,
    M: sparray | spmatrix | Operator,
    n: int,
    *,
    inverse: Operator,
    unloaded: Operator = lambda residual: residual,
    what: str = "the structure",
    indefinite: bool = False,
    positive: bool = False,
    show: bool | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the ``n`` eigenvalues (n,) of K x = lambda M x of least magnitude, and modes (N, n), under conditions.

    ``K`` (N, N) symmetric; ``M`` a symmetric matrix (N, N) or what multiplies by it; ``inverse`` takes a load
    (N,) to the displacement that meets the conditions (supports, no rigid motion); ``unloaded`` removes from
    residuals (N, n) what the forces of the conditions carry. Two uses:

    - vibration: M positive semi-definite; lambda = omega^2 ascending, modes with x' M x = 1;
    - buckling, ``indefinite=True``: M = -K_G of either sign and K positive definite under the conditions; load
      factors of both signs by magnitude, or with ``positive=True`` the least positive ones; modes with x' K x = 1.

    Lanczos from a fixed start, so that the same mesh gives the same modes. Multiple eigenvalues are found by a
    second start once the others are known; :func:`check_complete` proves that none is missing. Signs: the largest
    component of each is positive. ``show`` as in :func:`fem.common.progress.progress`.

    InputError if there are not so many (positive) eigenvalues; ConvergenceError.
    """
    rows = K.shape[0]
    if n == 0:
        return np.zeros(0), np.zeros((rows, 0))
    times_M: Operator = M if callable(M) else lambda X: np.asarray(M @ X)

    def solve(F: FloatArray) -> FloatArray:
        return np.stack([inverse(np.ascontiguousarray(f)) for f in F.T], axis=1)

    if indefinite:
        # in the forces y = K x, with the inner product y' x: K x itself is all cancellation in slender bodies
        space = Krylov(lambda _, X: times_M(X), solve, rows)
    else:
        space = Krylov(lambda _, MX: solve(MX), times_M, rows)
    wanted = "largest" if indefinite and not positive else "positive"
    start = times_M(np.random.default_rng(1989).standard_normal((rows, 1)))
    start = start if indefinite else solve(start)
    with progress(n, f"modes of {what}", "modes", show if rows >= _LONG else False) as bar:
        mu, modes = space.eigenpairs(start, n, wanted, lambda done: bar.update(done - bar.n), what)
    if indefinite:
        modes = solve(modes)
    order = np.argsort(1 / np.abs(mu), kind="stable")
    values, modes = 1 / mu[order], modes[:, order]
    modes = modes * np.sign(modes[np.abs(modes).argmax(axis=0), np.arange(n)])
    forces = times_M(modes) * values
    size = np.linalg.norm(unloaded(forces), axis=0)
    residual = np.linalg.norm(unloaded(np.asarray(K @ modes) - forces), axis=0) / size
    # K x of a slender body is a small difference of large terms, known to the rounding of these only
    rounding = ROUNDING * np.linalg.norm((K.diagonal() * np.abs(modes).T), axis=1) / size
    if not (residual < np.maximum(RESIDUAL, rounding)).all():
        worst = int(np.argmax(residual))
        raise ConvergenceError(
            f"mode {worst + 1} of {what} is not one: residual {residual[worst]:.1e} of its forces, eigenvalue "
            f"{values[worst]:.3g}; look for loose parts or bad elements in the mesh"
        )
    return values, modes


def count_below(
    K: sparray | spmatrix,
    M: sparray | spmatrix,
    shift: float,
    *,
    solver: str | None = None,
    show: bool | None = None,
) -> int:
    """Return how many eigenvalues of K x = lambda M x are below ``shift``, M positive semi-definite.

    By Sylvester's law: as many as K - shift M has negative ones, which its factorisation counts; rigid motions
    (lambda = 0) are among them if shift > 0. An independent check that no mode was missed, at the cost of an
    indefinite factorisation (about twice that of K).

    InputError if the solver can't count (PARDISO and MUMPS can), or if shift is an eigenvalue.
    """
    factor = factorise(csr_array(K - shift * M), definite=False, solver=solver, show=show)
    if factor.negative is None:
        raise InputError(
            f"{factor.name} can't count the eigenvalues below {shift:.6g}; install pypardiso or python-mumps"
        )
    return factor.negative


def check_complete(
    K: sparray | spmatrix,
    M: sparray | spmatrix,
    values: FloatArray,
    *,
    rigid: int = 0,
    solver: str | None = None,
) -> None:
    """Raise :class:`ConvergenceError` if eigenvalues between those of ``lowest_modes`` were missed.

    ``values`` ascending (n,) of K x = lambda M x under the conditions that K and M meet themselves (held unknowns
    taken out); ``rigid`` is the number of rigid motions that were left out. Counts below the highest gap between
    neighbours; what lies above that gap can't be judged.
    """
    values = np.asarray(values, dtype=float)
    edges = np.concatenate([values, values[-1:] * 1.0001])
    gap = np.diff(edges) / edges[1:]
    last = int(np.flatnonzero(gap > 0.9e-4)[-1])
    shift = 0.5 * (edges[last] + edges[last + 1])
    found = count_below(K, M, shift, solver=solver) - rigid
    if found != last + 1:
        raise ConvergenceError(
            f"there are {found} eigenvalues below {shift:.6g}, of which {last + 1} were computed; ask for other "
            "numbers of modes, and look for parts that are alike or hardly connected"
        )

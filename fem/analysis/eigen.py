"""The lowest modes of vibration and of buckling, by the Lanczos method on the inverse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from ..common.arguments import check_arguments
from ..common.errors import ConvergenceError, InputError
from ..common.progress import progress
from ..solvers.factorise import factorise
from ..solvers.libraries import Solver
from .krylov import Krylov, Operator

FloatArray = npt.NDArray[np.float64]


#: largest residual of an accepted mode, relative to its forces (a factorisation leaves about 1e-9)
RESIDUAL_TOLERANCE = 1e-6
#: or else its largest relative error, in roots of energies: 2.5e-11 of an eigenvalue. Elements of thin sheets that are
#: 250 times as wide as thick have 1e-6, by (width / thickness)^4 of the rounding of their stiffness
ENERGY_TOLERANCE = 5e-6
#: share of unknowns without mass above which the mass is said to be missing: lumped beams and shells have at most half
_MASSLESS = 0.75
#: inertia force below which an unknown has no mass, relative to the largest: far below that of any rotation, and far
#: above that of the density that stands for none
_NO_FORCE = 1e-20
#: number of unknowns above which the iterations show their progress
_PROGRESS_UNKNOWNS = 30_000


def lowest_modes(
    K: scipy.sparse.sparray | scipy.sparse.spmatrix,
    M: scipy.sparse.sparray | scipy.sparse.spmatrix | Operator,
    n: int,
    *,
    inverse: Operator,
    unloaded: Operator = lambda residual: residual,
    forces: Operator | None = None,
    what: str = "the structure",
    indefinite: bool = False,
    positive: bool = False,
    show: bool | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the ``n`` eigenvalues (n,) of K x = lambda M x of least magnitude, and modes (N, n), under conditions.

    ``K`` (N, N) symmetric; ``M`` a symmetric matrix (N, N) or a function that multiplies by it; ``inverse`` maps a
    load (N,) to the displacement that meets the conditions (supports, no rigid motion); ``unloaded`` removes from
    residuals (N, n) the part that the forces of the conditions carry; ``forces`` gives K x with more digits than the
    product. Two uses:

    - vibration: M positive semi-definite; lambda = omega^2 ascending, modes with x' M x = 1;
    - buckling, ``indefinite=True``: M = -K_G of either sign and K positive definite under the conditions; load
      factors of both signs by magnitude, or with ``positive=True`` the least positive ones; modes with x' K x = 1.

    The Lanczos method has a fixed start, so that the same mesh gives the same modes. Multiple eigenvalues are found
    by a second start once the others are known; :func:`check_complete` proves that none is missing. Signs: the
    largest component of each mode is positive. ``show`` as in :func:`fem.common.progress.progress`.

    InputError if there are fewer (positive) eigenvalues; ConvergenceError.
    """
    rows = K.shape[0]
    if n == 0:
        return np.zeros(0), np.zeros((rows, 0))
    times_M: Operator = M if callable(M) else lambda X: np.asarray(M @ X)

    def solve(F: FloatArray) -> FloatArray:
        columns = [inverse(np.ascontiguousarray(f)) for f in F.T]
        return np.stack(columns, axis=1) if columns else np.zeros_like(F)

    start = times_M(np.random.default_rng(1989).standard_normal((rows, 1)))
    few = "" if indefinite else _massless(start)
    wanted = "positive" if positive or not indefinite else "largest"
    residual = values = np.full(n, np.nan)
    with progress(n, f"modes of {what}", "modes", show if rows >= _PROGRESS_UNKNOWNS else False) as bar:
        modes = np.zeros((rows, 0))
        for search in (_of_buckling,) if indefinite else (_of_vibration, _once_more, _by_energy):
            known = (1 / values, modes)
            try:
                mu, modes = search(
                    times_M, solve, start, n, wanted, lambda k: bar.update(k - bar.n), what, known
                )
            except np.linalg.LinAlgError:  # lengths that are not positive
                continue
            except (ConvergenceError, InputError) as error:
                raise type(error)(f"{error}{few and '; '}{few}") from None
            order = np.argsort(1 / np.abs(mu), kind="stable")
            values, modes = 1 / mu[order], modes[:, order]
            moved = times_M(modes)
            left = (forces(modes) if forces else np.asarray(K @ modes)) - moved * values
            residual = _residuals(K, unloaded, moved * values, left)
            if not (residual < RESIDUAL_TOLERANCE).all():
                energies = np.abs(values * np.einsum("ij,ij->j", modes, moved))
                residual[_errors(solve, left, energies) < ENERGY_TOLERANCE] = 0.0
            if (residual < RESIDUAL_TOLERANCE).all():
                return values, modes * np.sign(modes[np.abs(modes).argmax(axis=0), np.arange(n)])
    worst = int(np.argmax(np.nan_to_num(residual, nan=np.inf)))
    raise ConvergenceError(
        f"mode {worst + 1} of {what} is not accurate: residual {residual[worst]:.1e} of its forces, eigenvalue "
        f"{values[worst]:.3g}; {few or 'look for loose parts or bad elements in the mesh'}"
    )


def _massless(forces: FloatArray) -> str:
    """Return what is wrong if few unknowns have mass, from inertia forces of all of them; empty if many have."""
    size = np.abs(forces)
    bare = int((size <= _NO_FORCE * size.max(initial=0.0)).sum())
    if bare < _MASSLESS * forces.size:
        return ""
    return f"{bare} of {forces.size} unknowns have no mass: has every material its density?"


def _of_buckling(times_M, solve, start, n, wanted, report, what, known=()) -> tuple[FloatArray, FloatArray]:
    """Return 1 / lambda (n,) and modes (N, n) with x' K x = 1.

    It iterates on the forces y = K x, with the inner product y' x, since the product K x cancels in slender bodies.
    """
    space = Krylov(lambda _, X: times_M(X), solve, len(start))
    mu, forces = space.eigenpairs(start, n, wanted, report, what)
    return mu, solve(forces)


def _of_vibration(times_M, solve, start, n, wanted, report, what, known=()) -> tuple[FloatArray, FloatArray]:
    """Return 1 / lambda (n,) and modes (N, n) with x' M x = 1.

    Unknowns without mass are left out until the end: they are not in the inner product x' M x, so that their rounding
    errors would grow from step to step (Nour-Omid, Parlett, Ericsson and Jensen 1987).
    """
    massless = (start == 0).all(axis=1)

    def moved(F: FloatArray) -> FloatArray:
        X = solve(F)
        X[massless] = 0.0
        return X

    space = Krylov(lambda _, MX: moved(MX), times_M, len(start))
    mu, modes = space.eigenpairs(moved(start), n, wanted, report, what)
    return mu, _purified(times_M, solve, mu, modes) if massless.any() else modes


def _once_more(times_M, solve, start, n, wanted, report, what, known) -> tuple[FloatArray, FloatArray]:
    """Return known modes after one more step, which removes most of the rounding of the inverse."""
    mu, modes = known
    if modes.shape[1] < n:
        raise np.linalg.LinAlgError
    return mu, _purified(times_M, solve, mu, modes)


def _by_energy(times_M, solve, start, n, wanted, report, what, known=()) -> tuple[FloatArray, FloatArray]:
    """Return the same by the inner product x' K x, which contains all unknowns: for masses on few of the motions.

    It takes twice to three times the solutions.
    """
    mu, modes = _of_buckling(times_M, solve, start, n, wanted, report, what)
    return mu, modes / np.sqrt(mu)


def _purified(times_M: Operator, solve: Operator, mu: FloatArray, modes: FloatArray) -> FloatArray:
    """Return lambda K^-1 M x of modes of vibration, in which the motions without mass follow from the others.

    The step multiplies the parts of low modes in high ones by the ratio of their eigenvalues. As the modes were
    orthonormal before, these parts are known from X' M (lambda K^-1 M X) and are removed.
    """
    forces = times_M(modes)
    pure = solve(forces) / mu
    return np.asarray(np.linalg.solve((forces.T @ pure).T, pure.T).T)


def _residuals(
    K: scipy.sparse.sparray | scipy.sparse.spmatrix,
    unloaded: Operator,
    forces: FloatArray,
    residual: FloatArray,
) -> FloatArray:
    """Return the size (n,) of the residuals (N, n) of modes in parts of their forces (N, n).

    Every row counts in units of sqrt(K_ii), as forces and moments can't be compared.
    """
    units = np.sqrt(np.maximum(K.diagonal(), 0.0))
    # in each row, the rest of forces of that size and any sign: sqrt(K_ii) itself for rows that are selected
    signs = np.random.default_rng(1990).choice([-1.0, 1.0], (len(units), 4))
    left = unloaded(units[:, None] * signs)
    scale = units if len(left) == len(units) else np.sqrt((left**2).mean(axis=1))
    scale = np.maximum(scale, 1e-12 * scale.max(initial=1e-300))[:, None]
    size = np.linalg.norm(unloaded(forces) / scale, axis=0)
    return np.linalg.norm(unloaded(residual) / scale, axis=0) / size


def _errors(solve: Operator, residual: FloatArray, energies: FloatArray) -> FloatArray:
    """Return the errors (n,) of modes with residuals (N, n) in parts of them, both as roots of strain energies (n,).

    The forces of a slender body are small differences of large terms: the last digits of its displacements alone
    change them by more than their size, and these digits have almost no energy. Nearly loose parts have any error.
    """
    error = solve(residual)
    return np.asarray(np.sqrt(np.abs(np.einsum("ij,ij->j", error, residual)) / energies))


@check_arguments
def count_below(
    K: scipy.sparse.sparray | scipy.sparse.spmatrix,
    M: scipy.sparse.sparray | scipy.sparse.spmatrix,
    shift: float,
    *,
    solver: Solver | None = None,
    show: bool | None = None,
) -> int:
    """Return the number of eigenvalues of K x = lambda M x below ``shift``.

    Parameters
    ----------
    K : sparse matrix (n, n)
        Symmetric stiffness.
    M : sparse matrix (n, n)
        Symmetric mass, positive semi-definite.
    shift : float
        Bound of the eigenvalues; for vibration (2 pi f)^2 in 1/s^2.
    solver : Pardiso, Cholmod, Mumps or SuperLU, optional
        As in :func:`factorise`.
    show : bool, optional
        Progress bar, as in :func:`factorise`.

    Returns
    -------
    int
        Number of eigenvalues; rigid motions (lambda = 0) are among them if shift > 0.

    Raises
    ------
    InputError
        The solver can't count (PARDISO and MUMPS can), or ``shift`` is an eigenvalue.

    Notes
    -----
    By Sylvester's law of inertia, K - shift M has this number of negative eigenvalues, which its factorisation
    counts. It is an independent check that no mode is missing, at the cost of an indefinite factorisation (about
    twice that of K).

    Examples
    --------
    >>> import fem, scipy
    >>> K, M = scipy.sparse.diags_array([1.0, 4.0, 9.0]), scipy.sparse.eye_array(3)
    >>> fem.Pardiso() not in fem.installed_solvers(False) or fem.count_below(K, M, 5.0) == 2
    True
    """
    factor = factorise(scipy.sparse.csr_array(K - shift * M), definite=False, solver=solver, show=show)
    if factor.negative is None:
        raise InputError(
            f"{factor.name} can't count the eigenvalues below {shift:.6g}; install pypardiso or python-mumps"
        )
    return factor.negative


@check_arguments
def check_complete(
    K: scipy.sparse.sparray | scipy.sparse.spmatrix,
    M: scipy.sparse.sparray | scipy.sparse.spmatrix,
    values: FloatArray,
    *,
    rigid: int = 0,
    solver: Solver | None = None,
) -> None:
    """Raise an error if eigenvalues between those of a list are missing.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass without the unknowns that are held.
    values : array, ascending
        Eigenvalues of K x = lambda M x.
    rigid : int
        Number of rigid motions that were left out.
    solver : Pardiso, Cholmod, Mumps or SuperLU, optional
        As in :func:`factorise`.

    Raises
    ------
    ConvergenceError
        An eigenvalue is missing below the highest gap between neighbours; above that gap nothing can be decided.
    InputError
        The solver can't count eigenvalues.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> squares = (2 * 3.141592653589793 * fem.vibration(bar, n=4).frequencies_hz) ** 2
    >>> fem.check_complete(bar.K, bar.M, squares, rigid=6)
    >>> try:
    ...     fem.check_complete(bar.K, bar.M, squares[2:], rigid=6)
    ... except fem.ConvergenceError as error:
    ...     print(str(error)[:29])
    there are 4 eigenvalues below
    """
    values = np.atleast_1d(np.asarray(values, dtype=float))
    if values.ndim != 1 or not len(values):
        raise InputError(f"values has the shape {values.shape}; give a list of eigenvalues")
    edges = np.concatenate([values, values[-1:] * 1.0001])
    gap = np.diff(edges) / edges[1:]
    gaps = np.flatnonzero(gap > 0.9e-4)
    if not len(gaps):
        raise InputError(
            f"there is no gap between the eigenvalues {values}, to count below; give those above zero"
        )
    last = int(gaps[-1])
    shift = 0.5 * (edges[last] + edges[last + 1])
    found = count_below(K, M, shift, solver=solver) - rigid
    if found != last + 1:
        raise ConvergenceError(
            f"there are {found} eigenvalues below {shift:.6g}, of which {last + 1} were computed; ask for another "
            "number of modes, and look for parts that are identical or hardly connected"
        )

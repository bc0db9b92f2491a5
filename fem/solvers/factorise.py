"""The common interface to the sparse direct solvers for symmetric systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import InputError, warn
from ..common.progress import progress
from .base import SingularError
from .libraries import SOLVERS, Solver, SuperLU
from .memory import available_memory, gigabytes
from .singular import refuse_singular

#: numbers of unknowns above which SuperLU gives a warning, and a factorisation shows its progress
_SUPERLU_WARNING_UNKNOWNS, _PROGRESS_UNKNOWNS = 50_000, 30_000


class Factor(Protocol):
    """A factorised symmetric matrix, the result of :func:`factorise`.

    Attributes
    ----------
    name : str
        Name of the solver.
    n : int
        Number of unknowns.
    memory : int, bytes
        Memory of the factor.
    negative : int, optional
        Number of negative eigenvalues of the matrix; None where the library does not report it.

    Examples
    --------
    >>> import fem, scipy
    >>> A = scipy.sparse.diags_array([2.0, 4.0, 8.0])
    >>> factor = fem.factorise(A)
    >>> factor.n, factor.solve([2.0, 4.0, 4.0]).round(9).tolist()
    (3, [1.0, 1.0, 0.5])
    """

    name: str
    n: int
    memory: int
    negative: int | None

    def solve(self, B: np.ndarray, show: bool | None = None) -> np.ndarray:
        """Return X with A X = B.

        Parameters
        ----------
        B : array (n,) or (n, k)
            Right-hand sides.
        show : bool, optional
            Progress bar; by default for long solutions on a terminal.

        Returns
        -------
        array of the shape of B
            Solutions.
        """
        ...


@check_arguments
def installed_solvers(definite: bool = True) -> tuple[Solver, ...]:
    """Return the installed solvers, best first.

    Parameters
    ----------
    definite : bool
        Whether solvers for positive definite matrices only are included.

    Returns
    -------
    tuple of Solver
        The first is the default of :func:`factorise`.

    Examples
    --------
    >>> import fem
    >>> fem.SuperLU() in fem.installed_solvers()
    True
    """
    return tuple(solver for solver in SOLVERS if (definite or solver.indefinite) and solver.installed)


@check_arguments
def factorise(
    A: scipy.sparse.sparray | scipy.sparse.spmatrix,
    *,
    definite: bool = True,
    solver: Solver | None = None,
    names: Callable[[int], str] | None = None,
    forces: Callable[[np.ndarray], np.ndarray] | None = None,
    show: bool | None = None,
) -> Factor:
    """Factorise a symmetric sparse matrix for many right-hand sides.

    Parameters
    ----------
    A : sparse matrix (n, n)
        Symmetric matrix.
    definite : bool
        True states that A is positive definite (Cholesky, half the work); otherwise L D L' with pivoting.
    solver : Pardiso, Cholmod, Mumps or SuperLU, optional
        By default the first of them that is installed and takes the matrix.
    names : callable, optional
        Gives the name of an unknown from its number, for messages.
    forces : callable, optional
        Gives A x (n,) with more digits than the product.
    show : bool, optional
        Progress bar; by default on a terminal for more than 30 000 unknowns.

    Returns
    -------
    Factor
        The factor; ``name`` is that of the solver.

    Raises
    ------
    InputError
        The solver is not installed, or the matrix needs more memory than is free.
    SingularError
        The matrix is singular; the message names the unknown with the largest motion that is not held.

    Warns
    -----
    FlexbodyWarning
        SuperLU has to factorise more than 50 000 unknowns because no faster solver is installed.

    Examples
    --------
    >>> import fem, numpy as np, scipy
    >>> A = scipy.sparse.csr_array(np.array([[2.0, -1.0], [-1.0, 2.0]]))
    >>> fem.factorise(A).solve(np.array([1.0, 0.0])).round(6).tolist()
    [0.666667, 0.333333]
    """
    kind = _choice(definite, solver).kind
    n = A.shape[0]
    if solver is None and n > _SUPERLU_WARNING_UNKNOWNS and kind is SuperLU.kind:
        warn(
            f"factorising {n} unknowns with SuperLU, because no faster solver is installed: expect minutes and "
            "much memory; 'pip install pypardiso' (x86-64) makes it 6 to 20 times faster"
        )
    if n < _PROGRESS_UNKNOWNS:
        show = False
    with progress(2, f"{n} unknowns with {kind.name}", "phases", show) as bar:

        def report(phase: str, needed: int | None) -> None:
            if needed is not None:
                bar.update(1)
                check_memory(needed, n, kind.name)
            size = "" if needed is None else f", {gigabytes(needed)}"
            bar.set_description(f"{phase} of {n} unknowns with {kind.name}{size}")

        factor, failure = None, None
        try:
            factor = kind(A, definite, report)
        except SingularError as error:
            failure = error
        try:
            refuse_singular(A, factor, failure, lambda B: kind(B, definite), names, forces, definite)
        finally:
            del failure  # with its traceback it would keep a factor alive
        bar.update(1)
    assert factor is not None  # a failure has been raised
    return factor


def check_memory(needed: int, n: int, name: str) -> None:
    """Raise :class:`InputError` if a factorisation needs more bytes than are free; unknown amounts pass."""
    free = available_memory()
    if free is not None and needed > free:
        raise InputError(
            f"factorising {n} unknowns with {name} needs about {gigabytes(needed)} of memory, but only "
            f"{gigabytes(free)} are free; use a coarser mesh (the need grows like n^(4/3) in solids), close "
            "other programs, or use a machine with more memory"
        )


def _choice(definite: bool, solver: Solver | None) -> Solver:
    """Return the solver; raise InputError if the given one is not installed or takes no indefinite matrix."""
    if solver is None:
        return installed_solvers(definite)[0]
    if not solver.installed:
        raise InputError(
            f"{solver.name} is not installed (pip install {solver.package}); installed are "
            f"{_calls(installed_solvers())}"
        )
    if not (definite or solver.indefinite):
        raise InputError(
            f"{solver.name} factorises positive definite matrices only; for this one use "
            f"{_calls(installed_solvers(definite=False))}"
        )
    return solver


def _calls(solvers: tuple[Solver, ...]) -> str:
    """Return the solvers as a user writes them."""
    return " or ".join(f"fem.{solver}" for solver in solvers)

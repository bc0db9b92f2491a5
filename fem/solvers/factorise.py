"""One small door to the sparse direct solvers for symmetric systems."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Protocol

import numpy as np
import scipy

from ..common.errors import FlexbodyWarning, InputError, listing
from ..common.progress import progress
from . import cholmod, mumps, pardiso, superlu
from .base import SingularError
from .memory import available_memory, gigabytes
from .singular import refuse_singular

#: the libraries, best first: name, whether it is installed, its factor, whether it takes indefinite matrices
_LIBRARIES = (
    ("PARDISO", pardiso.installed, pardiso.PardisoFactor, True),
    ("CHOLMOD", cholmod.installed, cholmod.CholmodFactor, False),
    ("MUMPS", mumps.installed, mumps.MumpsFactor, True),
    ("SuperLU", superlu.installed, superlu.SuperLUFactor, True),
)
#: unknowns from which on SuperLU is announced, and from which on a factorisation shows its progress
_SLOW, _LONG = 50_000, 30_000


class Factor(Protocol):
    """A factorised symmetric matrix.

    ``name`` of the solver, ``n`` unknowns, ``memory`` that it takes in bytes, ``negative``: how many eigenvalues
    of the matrix are negative (None where the library doesn't say), and ``solve(B)``.
    """

    name: str
    n: int
    memory: int
    negative: int | None

    def solve(self, B: np.ndarray, show: bool | None = None) -> np.ndarray:
        """Return X with A X = B, for B (n,) or (n, k)."""
        ...


def installed_solvers(definite: bool = True) -> tuple[str, ...]:
    """Return the names of the installed solvers, best first; the first is what :func:`factorise` takes."""
    return tuple(
        name for name, installed, _, indefinite in _LIBRARIES if (definite or indefinite) and installed()
    )


def factorise(
    A: scipy.sparse.sparray | scipy.sparse.spmatrix,
    definite: bool = True,
    solver: str | None = None,
    *,
    names: Callable[[int], str] | None = None,
    forces: Callable[[np.ndarray], np.ndarray] | None = None,
    show: bool | None = None,
) -> Factor:
    """Factorise a symmetric sparse matrix (n, n) for many right-hand sides.

    ``definite=True`` promises that it is positive definite (Cholesky, half the work); otherwise L D L' with
    pivoting. ``solver`` is one of "PARDISO" (pypardiso), "CHOLMOD" (scikit-sparse 0.4; definite matrices only),
    "MUMPS" (python-mumps) and "SuperLU" (always there; 6 to 20 times slower on solids, with a
    :class:`FlexbodyWarning` above 50 000 unknowns if nothing better was installed); None takes the first of
    them that is installed, and ``.name`` of the factor says which. ``names`` takes the number of an unknown to
    its name for messages; ``forces`` gives A x (n,) with more digits than the product. ``show`` as in
    :func:`fem.common.progress.progress`; None shows a bar on a terminal for more than 30 000 unknowns.

    InputError for a solver that is not there, a matrix that needs more memory than there is, and
    :class:`SingularError` for a singular matrix, with the unknown that moves most in what nothing holds.
    """
    kind = _choice(definite, solver)
    n = A.shape[0]
    if solver is None and n > _SLOW and kind is superlu.SuperLUFactor:
        warnings.warn(
            f"factorising {n} unknowns with SuperLU, because nothing better is installed: expect minutes and "
            "much memory; 'pip install pypardiso' (x86-64) makes it 6 to 20 times faster",
            FlexbodyWarning,
            stacklevel=2,
        )
    if n < _LONG:
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
            refuse_singular(A, factor, failure, lambda B: kind(B, definite), names, forces)
        finally:
            del failure  # with its traceback it would keep a factor alive
        bar.update(1)
    assert factor is not None  # a failure has been raised
    return factor


def check_memory(needed: int, n: int, name: str) -> None:
    """Raise :class:`InputError` if a factorisation needs more bytes than there are; unknown amounts pass."""
    free = available_memory()
    if free is not None and needed > free:
        raise InputError(
            f"factorising {n} unknowns with {name} needs about {gigabytes(needed)} of memory, but only "
            f"{gigabytes(free)} are free; take a coarser mesh (the need grows like n^(4/3) in solids), close "
            "other programs, or use a machine with more memory"
        )


def _choice(definite: bool, solver: str | None):
    """Return the class of the factor to make."""
    if solver is None:
        solver = installed_solvers(definite)[0]
    for name, installed, kind, indefinite in _LIBRARIES:
        if name.lower() == str(solver).lower():
            if not installed():
                kind_of = {"PARDISO": "pypardiso", "CHOLMOD": "'scikit-sparse<0.5'", "MUMPS": "python-mumps"}
                raise InputError(
                    f"{name} is not installed (pip install {kind_of[name]}); there are {listing(installed_solvers())}"
                )
            if not (definite or indefinite):
                raise InputError(
                    f"{name} factorises positive definite matrices only; for this one there are "
                    f"{listing(installed_solvers(definite=False))}"
                )
            return kind
    known = listing(name for name, *_ in _LIBRARIES)
    raise InputError(
        f"there is no solver {solver!r}; there are {known}, of which installed {listing(installed_solvers())}"
    )

"""Detection of singular matrices, with the unknown that is not held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import scipy

from ..common.errors import InputError
from .base import SingularError
from .libraries import SOLVERS

#: a matrix counts as singular if in some direction it is softer than its diagonal by this factor: rounding leaves about
#: 1e-17 of a stiffness that vanishes, and a matrix that is truly as soft as that has no correct digits either
SINGULARITY_TOLERANCE = 1e-15
#: the same where the energy is summed element by element, which leaves 1e-30 of a motion that nothing resists
ELEMENT_ENERGY_TOLERANCE = 1e-20


class _Solver(Protocol):
    n: int
    definite: bool

    def solve(self, B: np.ndarray) -> np.ndarray: ...


def refuse_singular(
    A: scipy.sparse.sparray | scipy.sparse.spmatrix,
    factor: _Solver | None,
    failure: SingularError | None,
    refactorise: Callable[[scipy.sparse.csr_array], _Solver],
    names: Callable[[int], str] | None,
    forces: Callable[[np.ndarray], np.ndarray] | None = None,
    definite: bool = True,
) -> None:
    """Raise :class:`SingularError` if A is singular to working precision; costs one solve if it is not.

    ``factor`` is that of A, or None where the factorisation failed with ``failure``; then A with a slightly
    stiffer diagonal is factorised by ``refactorise`` to find out why. ``forces`` gives A x with more digits: a slender
    body may be softer than the rounding of A without being loose.
    """
    scale = (
        np.asarray(abs(scipy.sparse.csr_array(A)).max(axis=1).todense()).ravel()
        if factor is None
        else A.diagonal()
    )
    if factor is not None and not (scale > 0).all():
        return  # a saddle point has zeros on its diagonal; its pivots were checked
    if factor is None:
        scale = np.where(scale > 0, scale, scale.max() if scale.max() > 0 else 1.0)
        try:
            factor = refactorise(scipy.sparse.csr_array(A + scipy.sparse.diags_array(1e-9 * scale)))
        except InputError:
            raise (_indefinite(A, failure) if definite else failure) from None  # type: ignore[misc]
        softness, x = softest(A, factor, scale, 3)
        if abs(softness) > 1e-9:
            raise _indefinite(A, failure) if definite else failure  # type: ignore[misc]
    else:
        softness, x = softest(A, factor, scale, 1)
        if softness < 1e-12:
            softness, x = softest(A, factor, scale, 3)
        if not softness < SINGULARITY_TOLERANCE or (
            forces is not None and x @ forces(x) > ELEMENT_ENERGY_TOLERANCE
        ):
            return
    dof = int(np.argmax(np.abs(x) * np.sqrt(scale)))
    which = names(dof) if names is not None else f"unknown {dof}"
    raise SingularError(
        f"can't factorise a matrix of {A.shape[0]} unknowns: it is singular; nothing holds {which} (where the "
        "motion without resistance is largest). Hold the body there, or connect its loose parts"
    )


def _indefinite(
    A: scipy.sparse.sparray | scipy.sparse.spmatrix, failure: SingularError | None
) -> SingularError:
    """Return the error for a matrix that is not singular: with the number of its negative eigenvalues if known."""
    assert failure is not None
    solver = next(one for one in SOLVERS if one.indefinite and one.installed)
    try:
        negative = solver.kind(A, False).negative
    except InputError:
        negative = None
    if not negative:
        return failure
    return SingularError(
        f"can't factorise a matrix of {A.shape[0]} unknowns: it is not positive definite, as a stable stiffness is "
        f"(definite=True); the number of its negative eigenvalues is {negative}. A stiffness that another program made "
        "is then damaged, incomplete, or that of a buckled body"
    )


def softest(
    A: scipy.sparse.sparray | scipy.sparse.spmatrix, factor: _Solver, scale: np.ndarray, steps: int
) -> tuple[float, np.ndarray]:
    """Return |x' A x| / x' D x, D = diag(scale), and x (n,) after inverse iterations from a fixed start."""
    x = np.random.default_rng(1989).standard_normal(A.shape[0]) / np.sqrt(scale)
    for _ in range(steps):
        x = factor.solve(scale * x)
        size = np.sqrt(x @ (scale * x))
        if not np.isfinite(size) or size == 0:
            return 0.0, np.nan_to_num(x)
        x /= size
    return float(abs(x @ (A @ x))), x

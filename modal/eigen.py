"""Eigenmodes of a structure: free, or with node sets held."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse.linalg as spla

import fem
from fem.common.errors import ConvergenceError, InputError
from fem.flexibility import Flexibility, restricted, unsupported

from .basis import Basis
from .inertia import FloatArray

#: largest residual of an accepted mode, relative to its inertia forces (a factorisation leaves about 1e-9)
RESIDUAL = 1e-6


def eigenmodes(structure: fem.Structure, n: int, fixed: Sequence[str] = ()) -> Basis:
    """Return the ``n`` lowest eigenmodes K phi = omega^2 M phi, mass-orthonormal, with ``frequencies_hz``.

    ``fixed`` names node sets whose displacements are zero. Without them the body is free: its six rigid modes
    are left out, and the others are orthogonal to them (they meet the mean-displacement conditions).

    InputError for an unknown set, sets that do not hold the body, or too many modes; ConvergenceError.
    """
    if isinstance(fixed, str):
        fixed = (fixed,)
    if not fixed:
        check_number(n, structure, 6, least=1)
        body = Flexibility(structure)
        squares, Phi = lowest(structure, n, body.relieved, lambda r: r, "the free body")
        kind = "free eigenmodes"
    else:
        nodes = np.unique(np.concatenate([structure.mesh.nodes_of(name) for name in fixed]))
        held = structure.held(nodes)
        check_number(n, structure, len(held), least=1)
        if unsupported(structure.rigid_modes()[held]):
            raise InputError(f"holding {', '.join(fixed)} leaves the body a rigid motion; hold more nodes")
        inverse, unloaded = held_inverse(structure, held)
        squares, Phi = lowest(structure, n, inverse, unloaded, f"the body held at {', '.join(fixed)}")
        kind = f"eigenmodes, held at {', '.join(fixed)}"
    frequencies = np.sqrt(squares) / (2 * np.pi)
    labels = tuple(f"eigenmode {k + 1}, {f:.5g} Hz" for k, f in enumerate(frequencies))
    return Basis(structure, Phi, labels, kind=kind, frequencies_hz=frequencies)


def held_inverse(structure: fem.Structure, held: np.ndarray) -> tuple[Callable, Callable]:
    """Return f -> u with K u = f and u = 0 at the dofs ``held``, and what clears a residual of reactions."""
    free = np.setdiff1d(np.arange(structure.K.shape[0]), held)
    factor = fem.factorise(restricted(structure.K, free, free))

    def inverse(load: FloatArray) -> FloatArray:
        u = np.zeros_like(load)
        u[free] = factor.solve(np.ascontiguousarray(load[free]))
        return u

    def unloaded(residual: FloatArray) -> FloatArray:
        return residual[free]

    return inverse, unloaded


def check_number(n: int, structure: fem.Structure, conditions: int, least: int = 0) -> None:
    """Refuse a number of modes that is not one, or more than a third of the dofs that are left."""
    limit = max((structure.K.shape[0] - conditions) // 3, 0)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not least <= n <= limit:
        raise InputError(
            f"can't compute {n} eigenmodes: of this structure with {structure.K.shape[0]} degrees of freedom "
            f"{least} to {limit} can be asked for (a third of those that are free)"
        )


def lowest(
    structure: fem.Structure,
    n: int,
    inverse: Callable[[FloatArray], FloatArray],
    unloaded: Callable[[FloatArray], FloatArray],
    what: str,
) -> tuple[FloatArray, FloatArray]:
    """Return the ``n`` lowest omega^2 (n,) and mass-orthonormal modes (3n,n) under linear conditions.

    ``inverse`` takes a load (3n,) to the displacement that meets the conditions; ``unloaded`` removes from a
    residual what the forces of the conditions carry. Lanczos (ARPACK) on the inverse, from a fixed start
    vector, so that the same mesh gives the same modes. Signs: the largest component of each is positive.
    """
    rows = structure.K.shape[0]
    if n == 0:
        return np.zeros(0), np.zeros((rows, 0))
    mass = spla.LinearOperator(
        (rows, rows), matvec=lambda u: structure.inertia_forces(u.ravel()), dtype=float
    )
    solve = spla.LinearOperator((rows, rows), matvec=lambda f: inverse(f.ravel()), dtype=float)
    start = inverse(np.random.default_rng(1989).standard_normal(rows))
    try:
        squares, Phi = spla.eigsh(structure.K, n, mass, sigma=0.0, OPinv=solve, v0=start, tol=1e-11)
    except spla.ArpackNoConvergence as error:
        raise ConvergenceError(
            f"only {len(error.eigenvalues)} of {n} eigenmodes of {what} converged; ask for fewer, or look "
            "for badly shaped elements in the mesh"
        ) from None
    order = np.argsort(squares)
    squares, Phi = squares[order], Phi[:, order]
    Phi = Phi * np.sign(Phi[np.abs(Phi).argmax(axis=0), np.arange(n)])
    inertia = structure.inertia_forces(Phi) * squares
    residual = np.linalg.norm(unloaded(structure.K @ Phi - inertia), axis=0) / np.linalg.norm(inertia, axis=0)
    if not (squares > 0).all() or not (residual < RESIDUAL).all():
        worst = int(np.argmax(residual))
        raise ConvergenceError(
            f"eigenmode {worst + 1} of {what} is not one: residual {residual[worst]:.1e} of its inertia "
            f"forces, omega^2 = {squares[worst]:.3g}; look for loose parts or bad elements in the mesh"
        )
    return squares, Phi

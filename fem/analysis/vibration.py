"""Free vibration: natural frequencies and modes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, listing
from ..common.known_attributes import KnownAttributes
from ..model.free_body_flexibility import Flexibility, HeldFlexibility, flexibility_of
from ..model.structure import Structure
from ..model.supports import Supports, held_by
from ..solvers.libraries import Solver
from .eigen import lowest_modes
from .mode_shapes import check_number, check_number_held, largest_displacements, listed


@dataclass(frozen=True, eq=False)
class Modes(KnownAttributes):
    """Natural modes, the result of :func:`vibration`.

    Attributes
    ----------
    structure : Structure
        The structure.
    frequencies_hz : array (n,), Hz
        Natural frequencies, ascending.
    shapes : array (unknowns, n)
        Mass-orthonormal mode shapes. The largest displacement of each is positive (the largest rotation for a mode
        that only turns its nodes).

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modes = fem.vibration(bar, n=2, supports="x0")
    >>> modes
    <Modes of 'box': 85.6, 85.6 Hz>
    >>> modes.displacements.shape
    (56, 3, 2)
    """

    structure: Structure
    frequencies_hz: np.ndarray
    shapes: np.ndarray

    def __repr__(self) -> str:
        """Return the frequencies on one line."""
        return f"<Modes of {self.structure.mesh.name!r}: {listed(self.frequencies_hz)} Hz>"

    @cached_property
    def displacements(self) -> np.ndarray:
        """Displacements (nodes, 3, n) of the nodes."""
        return self.structure.displacements(self.shapes)


@check_arguments(own=("n",))
def vibration(
    structure: Structure, supports: Supports = (), *, n: int, solver: Solver | None = None
) -> Modes:
    """Return the lowest natural modes K phi = omega^2 M phi.

    Parameters
    ----------
    structure : Structure
        The structure.
    supports : str, sequence or mapping
        As in :func:`static`, with values of zero. Without supports the body is free; its six rigid modes are left out.
    n : int
        Number of modes.
    solver : Pardiso, Cholmod, Mumps or SuperLU, optional
        As in :func:`factorise`.

    Returns
    -------
    Modes
        Frequencies in Hz and mode shapes.

    Raises
    ------
    InputError
        ``n`` is not valid, the supports leave a rigid motion, or they prescribe values other than zero.
    ConvergenceError
        The eigenvalue solver does not converge.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> fem.vibration(bar, n=2, supports="x0").frequencies_hz.round(1)
    array([85.6, 85.6])
    """
    structure.check_mass()
    if not len(supports) and not structure.grounding.any():
        check_number(n, structure, 6, least=1)
        free = Flexibility(structure, solver) if solver else flexibility_of(structure)
        squares, shapes = _lowest(structure, n, inverse=free.relieved, what="the free body")
    else:
        held = held_by(structure, supports)
        check_number_held(n, structure, held.held)
        if held.values.any():
            raise InputError(
                "vibration refers to a state at rest; give prescribed displacements to fem.static"
            )
        body = HeldFlexibility(structure, held.held, solver)
        what = (
            f"the structure {f'fixed at {listing(held.sets)}' if held.sets else 'on springs to the ground'}"
        )
        squares, shapes = _lowest(structure, n, inverse=body.solve, unloaded=body.unloaded, what=what)
    shapes = shapes * np.sign(largest_displacements(structure, shapes))
    return Modes(structure, np.sqrt(squares) / (2 * np.pi), shapes)


def _lowest(structure: Structure, n: int, **inverses) -> tuple[np.ndarray, np.ndarray]:
    return lowest_modes(structure.K, structure.inertia_forces, n, forces=structure.elastic_forces, **inverses)

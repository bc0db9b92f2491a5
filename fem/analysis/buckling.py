"""Linear buckling: the load factors at which a structure loses its stiffness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.known_attributes import KnownAttributes
from ..model.free_body_flexibility import HeldFlexibility
from ..model.loads import Load
from ..model.structure import Structure, check_elements
from ..model.supports import Supports
from ..solvers.libraries import Solver
from .eigen import lowest_modes
from .geometric_stiffness import geometric_stiffness
from .mode_shapes import check_count, largest_displacements, listed
from .static import Static, static


@dataclass(frozen=True, eq=False)
class Buckling(KnownAttributes):
    """Linear buckling, the result of :func:`buckling`.

    Attributes
    ----------
    structure : Structure
        The structure.
    factors : array (n,)
        Load factors: the loads times a factor are critical.
    shapes : array (unknowns, n)
        Buckling modes with largest displacement 1 (largest rotation 1 for a mode that only turns its nodes).
    static : Static
        The static solution under the loads.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> found = fem.buckling(bar, "x0", fem.Force("x1", (-1e6, 0.0, 0.0)))
    >>> found
    <Buckling of 'box': 4.432 times the loads>
    >>> found.displacements.shape
    (56, 3, 1)
    """

    structure: Structure
    factors: np.ndarray
    shapes: np.ndarray
    static: Static

    def __repr__(self) -> str:
        """Return the load factors on one line."""
        return f"<Buckling of {self.structure.mesh.name!r}: {listed(self.factors)} times the loads>"

    @cached_property
    def displacements(self) -> np.ndarray:
        """Displacements (nodes, 3, n) of the nodes."""
        return self.structure.displacements(self.shapes)


@check_arguments(own=("n",))
def buckling(
    structure: Structure,
    supports: Supports,
    loads: Load | Sequence[Load],
    *,
    n: int = 1,
    positive: bool = False,
    solver: Solver | None = None,
) -> Buckling:
    """Return the lowest load factors lambda at which (K + lambda K_G) phi = 0, smallest magnitude first.

    K_G belongs to the linear stresses of the loads, which keep their direction (moments on rotations are
    semitangential).

    Parameters
    ----------
    structure : Structure
        The structure.
    supports : str, sequence or mapping
        As in :func:`static`; prescribed displacements count as loads.
    loads : load or sequence of loads
        Loads that stress the structure, of any size.
    n : int
        Number of load factors.
    positive : bool
        Whether to leave out negative factors, which mean that the reversed loads buckle the structure.
    solver : Pardiso, Cholmod, Mumps or SuperLU, optional
        As in :func:`factorise`.

    Returns
    -------
    Buckling
        Load factors and modes.

    Raises
    ------
    InputError
        The structure has no elements, there are no supports, no load stresses the structure, or there are fewer factors
        than ``n``: at most as many as there are unknowns that the stresses stiffen or soften.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> found = fem.buckling(bar, "x0", fem.Force("x1", (-1.0, 0.0, 0.0)))
    >>> round(float(found.factors[0]) / 1e6, 2)  # Euler: pi^2 E I / (4 l^2) = 4.32e6 N
    4.43
    """
    check_elements(structure, "buckling")
    if not len(supports) and not structure.grounding.any():
        raise InputError(
            "buckling needs a structure that is held; name the node sets that hold it in supports=, as for "
            "fem.static"
        )
    solution = static(structure, supports, loads, solver=solver)
    assert solution.held is not None
    held = solution.held
    check_count(n, 1, len(held.free), "load factors of buckling", "unknowns that are free")
    if not solution.u.any():
        what = "the loads act on held unknowns only" if solution.loads.any() else "there are no loads"
        raise InputError(
            f"nothing can buckle: {what}; give fem.Force or another load that stresses the structure, of any size: "
            "its factor is the result"
        )
    K_G = geometric_stiffness(structure, solution.u, solution.given)
    body = HeldFlexibility(structure, held.held, solver)
    factors, shapes = lowest_modes(
        structure.K,
        lambda x: np.asarray(-(K_G @ x)),
        n,
        inverse=body.solve,
        unloaded=body.unloaded,
        forces=structure.elastic_forces,
        what="buckling",
        indefinite=True,
        positive=positive,
    )
    return Buckling(structure, factors, shapes / largest_displacements(structure, shapes), solution)

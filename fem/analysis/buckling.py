"""Linear buckling: the load factors at which a structure loses its stiffness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..common.errors import InputError
from ..model.free_body_flexibility import HeldFlexibility
from ..model.loads import Load
from ..model.structure import Structure
from ..model.supports import Supports
from .eigen import lowest_modes
from .geometric_stiffness import geometric_stiffness
from .mode_shapes import check_count, largest_displacements, listed
from .static import Static, static


@dataclass(frozen=True, eq=False)
class Buckling:
    """Buckling: the loads times ``factors`` (n,) are critical; ``shapes`` (unknowns, n), largest displacement 1.

    Of a mode that only turns its nodes, the largest rotation is 1.
    """

    structure: Structure
    factors: np.ndarray
    shapes: np.ndarray
    static: Static

    def __repr__(self) -> str:
        """Return the load factors, on a line."""
        return f"<Buckling of {self.structure.mesh.name!r}: {listed(self.factors)} times the loads>"

    @cached_property
    def displacements(self) -> np.ndarray:
        """Displacements of the nodes (nodes, 3, n)."""
        return self.structure.displacements(self.shapes)


def buckling(
    structure: Structure,
    supports: Supports,
    loads: Load | Sequence[Load],
    n: int = 1,
    *,
    positive: bool = False,
    solver: str | None = None,
) -> Buckling:
    """Return the ``n`` lowest load factors lambda at which (K + lambda K_G) phi = 0, smallest magnitude first.

    K_G belongs to the linear stresses of ``loads``, which keep their direction (moments on rotations are
    semitangential). A negative factor means that the reversed loads buckle the structure; ``positive=True`` leaves
    those out. Prescribed displacements count as loads.

    InputError for no supports, nothing that stresses the structure, and more factors than there are: as many at
    most as there are unknowns that the stresses stiffen or soften.
    """
    if not supports and not structure.grounding.any():
        raise InputError(
            "buckling is about a structure that is held; name the node sets that hold it in supports=, as for "
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
            "the factor of it is what is sought"
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

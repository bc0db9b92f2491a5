"""Free vibration: natural frequencies and modes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..common.errors import InputError
from ..model.free_body_flexibility import Flexibility, HeldFlexibility, flexibility_of
from ..model.structure import Structure
from ..model.supports import Supports, held_by
from .eigen import lowest_modes
from .mode_shapes import check_number, largest_displacements, listed


@dataclass(frozen=True, eq=False)
class Modes:
    """Natural modes: ``frequencies_hz`` (n,), mass-orthonormal ``shapes`` (unknowns, n).

    The largest displacement of each is positive (the largest rotation of a mode that only turns its nodes).
    """

    structure: Structure
    frequencies_hz: np.ndarray
    shapes: np.ndarray

    def __repr__(self) -> str:
        """Return the frequencies, on a line."""
        return f"<Modes of {self.structure.mesh.name!r}: {listed(self.frequencies_hz)} Hz>"

    @cached_property
    def displacements(self) -> np.ndarray:
        """Displacements of the nodes (nodes, 3, n)."""
        return self.structure.displacements(self.shapes)


def vibration(structure: Structure, n: int, supports: Supports = (), *, solver: str | None = None) -> Modes:
    """Return the ``n`` lowest natural modes K phi = omega^2 M phi.

    ``supports`` as in :func:`static` (values must be zero); none: the free body without its six rigid modes.
    """
    if not supports and not structure.grounding.any():
        check_number(n, structure, 6, least=1)
        free = Flexibility(structure, solver) if solver else flexibility_of(structure)
        squares, shapes = _lowest(structure, n, inverse=free.relieved, what="the free body")
    else:
        held = held_by(structure, supports)
        check_number(n, structure, held.held, least=1)
        if held.values.any():
            raise InputError(
                "vibration is about a state at rest; give prescribed displacements to fem.static"
            )
        body = HeldFlexibility(structure, held.held, solver)
        what = f"the structure held at {', '.join(held.sets) or 'springs to the ground'}"
        squares, shapes = _lowest(structure, n, inverse=body.solve, unloaded=body.unloaded, what=what)
    shapes = shapes * np.sign(largest_displacements(structure, shapes))
    return Modes(structure, np.sqrt(squares) / (2 * np.pi), shapes)


def _lowest(structure: Structure, n: int, **conditions) -> tuple[np.ndarray, np.ndarray]:
    return lowest_modes(
        structure.K, structure.inertia_forces, n, forces=structure.elastic_forces, **conditions
    )

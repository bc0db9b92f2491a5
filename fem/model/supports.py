"""Supports: the unknowns of a structure that are held, and their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.errors import InputError
from ..common.names import as_names
from .free_body_flexibility import unsupported
from .freedoms import NAMES, components
from .structure import Structure

#: supports of an analysis: names of node sets held in all directions, or {name: components}
Supports = str | Sequence[str] | Mapping[str, object]


@dataclass(frozen=True, eq=False)
class Held:
    """Unknowns ``held`` at ``values`` (m, rad), and those left ``free``; ``sets``: the unknowns of each support."""

    held: np.ndarray
    values: np.ndarray
    free: np.ndarray
    sets: dict[str, np.ndarray]


def by_set(given: Supports) -> Mapping[str, object]:
    """Return {node set: components} of one name, several, or such a mapping."""
    return given if isinstance(given, Mapping) else dict.fromkeys(as_names(given), "all")


def held_by(structure: Structure, supports: Supports) -> Held:
    """Return the unknowns that supports hold.

    ``supports``: the name of a node set, or several, all of whose motions are zero; or {name: components}, which are
    "all", a component or several ("x", "y", "z", "rx", "ry", "rz"), or {component: value in m or rad}. Raises
    :class:`InputError` for unknown components, values that contradict, supports that leave a rigid motion, and
    rotations that no node has unless the mesh's file holds them. Springs to the ground hold the structure too.
    """
    supports = by_set(supports)
    values: dict[int, float] = {}
    sets = {}
    for name, what in supports.items():
        table = components(what, f"the support {name!r}")  # type: ignore[arg-type]
        nodes = structure.mesh.nodes_of(name)
        mine = []
        for component, value in table.items():
            unknowns = structure.held(nodes, (NAMES.index(component),))
            # decks hold all six motions of solids too
            of_file = value == 0.0 and structure.mesh.supports.get(name) == what
            if not len(unknowns) and what != "all" and not of_file:
                raise InputError(f"the support {name!r} holds {component}, but its nodes have no rotations")
            for k in unknowns.tolist():
                if values.get(k, value) != value:
                    which = structure.freedoms.name(k, structure.mesh.points, structure.mesh.node_ids)
                    raise InputError(
                        f"supports contradict each other: {which} must be {values[k]:g} and {value:g}"
                    )
                values[k] = value
            mine.append(unknowns)
        sets[name] = np.unique(np.concatenate(mine))
    held = np.array(sorted(values), dtype=np.int64)
    free = np.setdiff1d(np.arange(structure.n), held)
    if unsupported(structure, held):
        raise InputError(
            f"the supports {', '.join(map(repr, supports)) or 'none'} leave the structure a rigid motion"
            + (", its springs to the ground included" if structure.grounding.any() else "")
            + "; hold more nodes or components"
        )
    return Held(held, np.array([values[int(k)] for k in held]), free, sets)

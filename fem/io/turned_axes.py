"""Components of nodes whose axes are turned, in global axes: supports and terms of equations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model.equations import Equation
from ..model.freedoms import NAMES

_GROUPS = (NAMES[:3], NAMES[3:])
#: a direction whose other components are below this is that of a global axis
_ALIGNMENT_TOLERANCE = 1e-12


def same_in_all_axes(held: Mapping[str, float]) -> bool:
    """Return whether components with their values, of a support or a rigid connection, mean the same in all axes.

    They do if they are all displacements or none, and all rotations or none, at zero.
    """
    counts = [sum(name in held for name in group) for group in _GROUPS]
    return not any(held.values()) and all(count in (0, 3) for count in counts)


def global_terms(
    node: str, component: str, coefficient: float, axes: np.ndarray
) -> list[tuple[str, str, float]]:
    """Return a component along a row of ``axes`` (3, 3), times a coefficient, as terms of an equation."""
    k = NAMES.index(component)
    return [
        (node, NAMES[k - k % 3 + int(j)], coefficient * float(axes[k % 3, j]))
        for j in np.flatnonzero(np.abs(axes[k % 3]) > _ALIGNMENT_TOLERANCE)
    ]


def global_support(
    node: str, held: Mapping[str, float], axes: np.ndarray
) -> tuple[dict[str, float], list[Equation], list[str]]:
    """Return what a node is held in, whose components and values are those of turned axes (3, 3, rows).

    Returns components with values in global axes, where some follow: three displacements or rotations, and those along
    a global axis; equations for others that are held at zero; and components at other values, which can't be kept.
    """
    found: dict[str, float] = {}
    equations: list[Equation] = []
    lost: list[str] = []
    for group in _GROUPS:
        if all(name in held for name in group):
            values = axes.T @ np.array([held[name] for name in group])
            found |= dict(zip(group, (values + 0.0).tolist(), strict=True))
            continue
        for name in (name for name in group if name in held):
            terms = global_terms(node, name, 1.0, axes)
            if len(terms) == 1:
                found[terms[0][1]] = held[name] * terms[0][2] + 0.0
            elif held[name]:
                lost.append(name)
            else:
                equations.append(
                    Equation(f"support of node {node} in its own {name}", tuple(terms), holds=True)
                )
    return found, equations, lost

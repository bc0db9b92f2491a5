"""Supports of nodes whose axes are turned, in global axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model.equations import Equation
from ..model.freedoms import NAMES
from .turned_components import global_terms

_GROUPS = (NAMES[:3], NAMES[3:])


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

"""Components of nodes whose axes are turned: what they mean in all axes, and as terms in global axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

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

"""Weights of the nodes of distributing couplings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...mesh.block import Block
from ...mesh.surface import face_mass

#: weight of a node by its distance from the reference node over that of the farthest one (Abaqus, Coupling Constraints)
METHODS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "UNIFORM": np.ones_like,
    "LINEAR": lambda r: 1 - r,
    "QUADRATIC": lambda r: 1 - r**2,
    "CUBIC": lambda r: 1 - 3 * r**2 + 2 * r**3,
}
#: weight over the largest one below which a node has none
_LEAST_WEIGHT = 1e-9


def weights_of(
    x: np.ndarray,
    faces: Sequence[Block],
    edges: Sequence[np.ndarray],
    nodes: np.ndarray,
    at: int,
    method: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes that have a weight, and their weights.

    These are their share of the area of ``faces``, of the length of ``edges`` (n, 2 or 3 nodes), or equal without
    either, times a function of the distance from node ``at``. ``x`` (n, 3): positions. ValueError if no node has any.
    """
    share = np.zeros(len(x))
    for block in faces:
        mass = face_mass(x, block)
        diagonal = np.einsum("fii->fi", mass)  # row sums are not positive on faces with middle nodes
        np.add.at(share, block.nodes, diagonal * (mass.sum(axis=(1, 2)) / diagonal.sum(axis=1))[:, None])
    for ends in () if faces else edges:
        length = np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1)
        each = (1 / 6, 1 / 6, 4 / 6) if ends.shape[1] == 3 else (1 / 2, 1 / 2)
        np.add.at(share, ends, length[:, None] * each)
    away = np.linalg.norm(x[nodes] - x[at], axis=1)
    values = METHODS[method](away / (away.max() or 1.0)) * (share[nodes] if faces or edges else 1.0)
    heavy = values > _LEAST_WEIGHT * values.max(initial=0.0)
    if not heavy.any():
        raise ValueError(
            f"the nodes are equally far from the reference node, where the weighting method {method.lower()} is zero"
        )
    return nodes[heavy], values[heavy]

"""The damping matrix of a structure's dampers."""

from __future__ import annotations

import numpy as np

import fem


def damping(structure: fem.Structure) -> np.ndarray:
    """Return the sum of the dampings of all parts over all motions of the nodes, dense."""
    n = structure.freedoms.n_motions
    D = np.zeros((n, n))
    for part in structure.parts:
        for motions, matrix in part.dampings(structure.mesh, structure.freedoms):
            D[np.ix_(motions, motions)] += matrix
    return D

"""The rigid motion that fits motions of nodes best: weighted least squares over any of their components."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: part of the largest below which a direction of the fit is not determined
_LEAST_DETERMINED = 1e-10


class Fit(NamedTuple):
    """The rigid motion (displacement, rotation) at a point: ``G`` (6, k) times the motions that it is fitted to.

    ``open`` (6, j): rigid motions that these leave free, with rotations times a length; (6, 0) if there are none.
    """

    G: np.ndarray
    open: np.ndarray


def fit(points: np.ndarray, at: np.ndarray, directions: np.ndarray, weights: np.ndarray) -> Fit:
    """Return the rigid motion at a point ``at`` (3,) in m by weighted least squares, as RBE3 has it.

    The motions (k,): that of node ``points[i]`` (k, 3) in m along, or about, ``directions`` (k, 6), three components of
    displacement and three of rotation, one triple zero; ``weights`` (k,). Those of rotations are multiplied by the
    square of the mean distance of the nodes from ``at``, as Nastran does.

    (R' W R) q = R' W u, with R (k, 6) the motions under a rigid motion q.
    """
    arms = points - at
    distance = np.linalg.norm(np.unique(arms, axis=0), axis=1)
    length = float(distance.mean()) or 1.0
    d, turns = directions[:, :3], directions[:, 3:]
    R = np.column_stack([d, np.cross(arms, d) / length + turns / length])  # of rotations times the length
    W = weights * np.where(turns.any(axis=1), length**2, 1.0)
    value, vector = np.linalg.eigh(R.T @ (W[:, None] * R))
    known = value > _LEAST_DETERMINED * value[-1]
    V = vector[:, known]
    G = (V / value[known]) @ V.T @ (R * W[:, None]).T
    G[3:] /= length
    return Fit(G, vector[:, ~known])

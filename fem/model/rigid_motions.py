"""The motions of nodes when a body moves as a whole."""

from __future__ import annotations

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.numbers import vector
from .freedoms import Freedoms


@check_arguments
def rigid_motions(points: np.ndarray, about: np.ndarray, freedoms: Freedoms | None = None) -> np.ndarray:
    """Return the motions of nodes under unit translations and unit rotations about a point.

    Parameters
    ----------
    points : array (m, 3), m
        Positions of the nodes.
    about : array (3,), m
        Point of the rotations.
    freedoms : Freedoms, optional
        Degrees of freedom; by default three displacements for each node.

    Returns
    -------
    array (motions, 6)
        Three displacements of each node, and the rotations of those that have them.

    Examples
    --------
    >>> import fem, numpy as np
    >>> fem.rigid_motions(np.array([[1.0, 0.0, 0.0]]), np.zeros(3))[:, 5].tolist()
    [0.0, 1.0, 0.0]
    """
    points, about = np.asarray(points, dtype=float), vector(about, "about")
    if points.ndim != 2 or points.shape[1] != 3:
        raise InputError(f"points has the shape {points.shape}; give positions (m, 3)")
    x = points - about
    R = np.zeros((len(points), 3, 6))
    for k, e in enumerate(np.eye(3)):
        R[:, k, k] = 1.0
        R[:, :, 3 + k] = np.cross(e, x)
    if freedoms is None or ((freedoms.count == 3).all() and not freedoms.internal):
        return R.reshape(-1, 6)
    motions = np.zeros((freedoms.n_motions, 6))
    for k in range(3):
        motions[freedoms.first[:-1] + k] = R[:, k]
        turning = freedoms.first[:-1][freedoms.count == 6] + 3 + k
        motions[turning, 3 + k] = 1.0
    return motions

"""Mass that is spread over surfaces without thickness, such as membranes."""

from __future__ import annotations

import numpy as np

from ..property import Samples
from .geometry import Array, gauss, surface


def spread_mass(kind: str, X: Array, per_area: Array, order: int, lumped: bool) -> Samples:
    """Return a mass as points of the surface that move with three displacements of each node.

    ``X`` (ne, nn, 3) m; ``per_area`` (ne,) kg/m^2; ``order`` of the quadrature as :func:`.geometry.gauss` counts it;
    ``lumped``: at the nodes, in proportion to the diagonal of the consistent mass matrix (Hinton, Rock and Zienkiewicz,
    Earthquake Engng Struct. Dyn. 4 (1976) 245-249).
    """
    X = np.asarray(X, float)
    at = surface(kind, X, *gauss(kind, order))
    mass, N, points = per_area[:, None] * at.weight, at.N, at.N @ X
    if lumped:
        share = mass @ N**2
        mass, N, points = share * (mass.sum(1) / share.sum(1))[:, None], np.eye(X.shape[1]), X.copy()
    shape = np.einsum("qi,ab->qaib", N, np.eye(3)).reshape(len(N), 3, -1)
    return Samples(points, mass, np.broadcast_to(shape, (len(X), *shape.shape)))

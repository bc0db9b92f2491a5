"""Line elements as shapes: ends first, then the middle."""

from __future__ import annotations

import numpy as np

from .base import Element
from .quadrature import gauss


def _N2(xi: np.ndarray) -> np.ndarray:
    """Return (1 - s) / 2, (1 + s) / 2 (q, 2)."""
    s = np.atleast_2d(xi)[:, 0]
    return np.stack([0.5 * (1.0 - s), 0.5 * (1.0 + s)], axis=1)


def _dN2(xi: np.ndarray) -> np.ndarray:
    """Return the derivatives (q, 2, 1) of the linear functions."""
    return np.tile([[[-0.5], [0.5]]], (len(np.atleast_2d(xi)), 1, 1))


def _N3(xi: np.ndarray) -> np.ndarray:
    """Return s (s - 1) / 2, s (s + 1) / 2, 1 - s^2 (q, 3)."""
    s = np.atleast_2d(xi)[:, 0]
    return np.stack([0.5 * s * (s - 1.0), 0.5 * s * (s + 1.0), 1.0 - s * s], axis=1)


def _dN3(xi: np.ndarray) -> np.ndarray:
    """Return the derivatives (q, 3, 1) of the quadratic functions."""
    s = np.atleast_2d(xi)[:, 0]
    return np.stack([s - 0.5, s + 0.5, -2.0 * s], axis=1)[:, :, None]


LINE2 = Element(
    name="line2",
    meshio="line",
    n_corners=2,
    nodes=np.array([[-1.0], [1.0]]),
    edges=((0, 1),),
    N=_N2,
    dN=_dN2,
    quadrature=gauss(2, 1),
    stiffness_quadrature=gauss(1, 1),
)
LINE3 = Element(
    name="line3",
    meshio="line3",
    n_corners=2,
    nodes=np.array([[-1.0], [1.0], [0.0]]),
    edges=((0, 1),),
    N=_N3,
    dN=_dN3,
    quadrature=gauss(3, 1),
    stiffness_quadrature=gauss(2, 1),
)

#: lines, by name
LINES: dict[str, Element] = {element.name: element for element in (LINE2, LINE3)}

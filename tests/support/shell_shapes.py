"""Single shell elements of many shapes, turned in space, and their rigid motions."""

import numpy as np
import pytest

import fem

MATERIAL = fem.Isotropic(E=1e6, nu=0.25, rho=2.0)
PLY = fem.Orthotropic(
    E=(40.0e5, 10.0e5, 8.0e5), nu=(0.25, 0.2, 0.3), G=(5.0e5, 4.0e5, 3.0e5), rho=2.0,
    axes=((0.8, 0.6, 0.0), (-0.6, 0.8, 0.0), (0.0, 0.0, 1.0)),
)  # fmt: skip
TURN = np.linalg.qr(np.random.default_rng(4).standard_normal((3, 3)))[0]
TURN *= np.linalg.det(TURN)  # a rotation in general position

SHAPES = {
    "square": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
    "slender": [[0, 0, 0], [20, 0, 0], [20, 1, 0], [0, 1, 0]],
    "trapezoid": [[0, 0, 0], [2, 0, 0], [1.4, 1, 0], [0.7, 1, 0]],
    "skew": [[0, 0, 0], [1, 0.1, 0], [2.1, 1, 0], [0.9, 1.2, 0]],
    "nearly a triangle": [[0, 0, 0], [1, 0, 0], [0.55, 0.5, 0], [0, 1, 0]],
    "warped": [[0, 0, 0.1], [1, 0, -0.1], [1.2, 1.1, 0.15], [-0.1, 0.9, -0.1]],
    "strongly warped": [[0, 0, 0.3], [1, 0, -0.3], [1, 1, 0.3], [0, 1, -0.3]],
}
ELEMENTS = [("quad4", name) for name in SHAPES] + [("tri3", name) for name in list(SHAPES)[:5]]
every_shape = pytest.mark.parametrize(("kind", "name"), ELEMENTS)
both = pytest.mark.parametrize("kind", ["quad4", "tri3"])


def shape(kind, name, turn=TURN):
    """One element (1, nn, 3), turned and shifted."""
    return (np.array(SHAPES[name], float)[: {"quad4": 4, "tri3": 3}[kind]] @ turn.T + [3.0, -1.0, 2.0])[None]


def rigid(X):
    """The six rigid motions (6 nn, 6) of nodes X (nn, 3)."""
    out = np.zeros((len(X), 6, 6))
    for k, e in enumerate(np.eye(3)):
        out[:, :3, k] = e
        out[:, :3, 3 + k] = np.cross(e, X)
        out[:, 3:, 3 + k] = e
    return out.reshape(-1, 6)

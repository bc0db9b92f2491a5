"""Single shell elements of many shapes, turned in space, their rigid motions, and a patch of elements."""

import numpy as np
import pytest

import fem
from fem.elements import FACES
from fem.mesh.generate import with_middle_nodes

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
ELEMENTS = [(kind, name) for kind in ("quad4", "quad8", "quad9") for name in SHAPES]
ELEMENTS += [(kind, name) for kind in ("tri3", "tri6") for name in list(SHAPES)[:5]]
every_shape = pytest.mark.parametrize(("kind", "name"), ELEMENTS)
both = pytest.mark.parametrize("kind", ["quad4", "tri3"])


def shape(kind, name, turn=TURN):
    """One element (1, nn, 3), turned and shifted; further nodes in the middles."""
    element = FACES[kind]
    corners = np.array(SHAPES[name], float)[: element.n_corners]
    points = np.array([*corners, *(corners[list(group)].mean(axis=0) for group in element.middles)])
    return (points @ turn.T + [3.0, -1.0, 2.0])[None]


def rolled(kind, k):
    """The nodes of an element counted from its k-th corner from the end, corners, middles and the rest each."""
    n, nodes = FACES[kind].n_corners, np.arange(FACES[kind].n_nodes)
    parts = [np.roll(part, k) for part in np.split(nodes, [n, 2 * n]) if len(part)]
    return np.concatenate(parts)


def rigid(X):
    """The six rigid motions (6 nn, 6) of nodes X (nn, 3)."""
    out = np.zeros((len(X), 6, 6))
    for k, e in enumerate(np.eye(3)):
        out[:, :3, k] = e
        out[:, :3, 3 + k] = np.cross(e, X)
        out[:, 3:, 3 + k] = e
    return out.reshape(-1, 6)


# MacNeal and Harder's patch, Finite Elem. Anal. Des. 1 (1985) 3-20: 0.24 x 0.12, four inner nodes
PATCH = [[0, 0], [0.24, 0], [0.24, 0.12], [0, 0.12], [0.04, 0.02], [0.18, 0.03], [0.16, 0.08], [0.08, 0.08]]
QUADS = np.array([[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]])


def patch_of(kinds):
    """The patch in its own axes: points (n, 3) and {kind: elements}; two kinds share the quadrilaterals."""
    points = np.column_stack([PATCH, np.zeros(8)])
    parts = {kinds[0]: QUADS} if len(kinds) == 1 else {kinds[0]: QUADS[[0, 2, 3]], kinds[1]: QUADS[[1, 4]]}
    stacked, blocks = np.empty((0, 3)), {}
    for kind, quads in parts.items():
        if FACES[kind].n_corners == 3:
            quads = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
        own, cells = with_middle_nodes(points, quads, FACES[kind])
        blocks[kind] = cells + len(stacked)
        stacked = np.vstack([stacked, own])
    _, first, same = np.unique(np.round(stacked, 9), axis=0, return_index=True, return_inverse=True)
    used = np.unique(np.concatenate([same.ravel()[cells].ravel() for cells in blocks.values()]))
    number = np.full(len(first), -1)
    number[used] = np.arange(len(used))
    return stacked[first][used], {kind: number[same.ravel()[cells]] for kind, cells in blocks.items()}

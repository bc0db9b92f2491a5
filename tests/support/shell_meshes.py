"""Shell meshes, a sparse assembler and solvers for tests of the shell elements alone."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh, splu

from fem.elements import FACES
from fem.mesh.generate import with_middle_nodes


def grid(kind, nx, ny, place=None, distort=0.0, diagonal="same", seed=1):
    """Points (n, 3) and elements of a grid of the unit square, moved by place(s, t) -> (x, y, z).

    Inner nodes are moved by ``distort`` of a cell at random. Node i + (nx + 1) j is at (i / nx, j / ny); the further
    nodes of quadratic elements come after these, in the middles of the cells of the square.
    """
    s, t = np.meshgrid(np.arange(nx + 1) / nx, np.arange(ny + 1) / ny)
    s, t = s.ravel(), t.ravel()
    inner = (s > 0) & (s < 1) & (t > 0) & (t < 1)
    move = distort * np.random.default_rng(seed).uniform(-1, 1, (2, len(s))) * inner
    s, t = s + move[0] / nx, t + move[1] / ny
    i, j = np.meshgrid(np.arange(nx), np.arange(ny))
    a = (i + (nx + 1) * j).ravel()
    cells = np.stack([a, a + 1, a + nx + 2, a + nx + 1], 1)
    if FACES[kind].n_corners == 3:
        cells = split(cells, nx, diagonal)
    square, cells = with_middle_nodes(np.stack([s, t, 0 * s], 1), cells, FACES[kind])
    s, t, _ = square.T
    points = np.stack(np.broadcast_arrays(*place(s, t)), 1) if place else square
    return points.astype(float), cells


def split(quads, nx=1, diagonal="same"):
    """Two triangles from each quadrilateral, diagonals all one way, the other way or in turn ("crossed")."""
    one, other = quads[:, [[0, 1, 2], [0, 2, 3]]], quads[:, [[0, 1, 3], [1, 2, 3]]]
    k = np.arange(len(quads))
    turn = {"same": 0 * k, "other": 0 * k + 1, "crossed": (k % nx + k // nx) % 2}[diagonal]
    return np.where(turn[:, None, None] == 0, one, other).reshape(-1, 3)


def dofs(elements):
    """Degrees of freedom of elements (ne, nn) or nodes (n,), node by node."""
    nodes = np.atleast_2d(elements)
    return (6 * nodes[:, :, None] + np.arange(6)).reshape(len(nodes), -1)


def assemble(matrices, elements, n):
    """Sparse sum of element matrices."""
    d = dofs(elements)
    rows, cols = np.broadcast_arrays(d[:, :, None], d[:, None])
    return sp.csc_matrix((matrices.ravel(), (rows.ravel(), cols.ravel())), shape=(6 * n, 6 * n))


def stiffness(shell, kind, points, elements):
    """K of a mesh."""
    return assemble(shell.stiffness(kind, points[elements]), elements, len(points))


def element_mass(shell, kind, X, lumped=False):
    """Element mass matrices from the samples."""
    at = shell.samples(kind, X, lumped)
    return np.einsum("eq,eqxi,eqxj->eij", at.weights, at.shape, at.shape, optimize=True)


def mass(shell, kind, points, elements, lumped=False):
    """M of a mesh."""
    return assemble(element_mass(shell, kind, points[elements], lumped), elements, len(points))


def fixed(n, *conditions):
    """Sorted dofs of conditions (nodes or mask, "xyz" for translations, "abc" for rotations)."""
    out = []
    for nodes, which in conditions:
        nodes = np.flatnonzero(nodes) if np.asarray(nodes).dtype == bool else np.atleast_1d(nodes)
        out += [6 * nodes + "xyzabc".index(c) for c in which]
    return np.unique(np.concatenate(out))


def solve(K, f, prescribed, values=0.0):
    """u with u[prescribed] = values and K u = f elsewhere."""
    u = np.zeros(K.shape[0])
    u[prescribed] = values
    free = np.setdiff1d(np.arange(len(u)), prescribed)
    u[free] = splu(K[free][:, free].tocsc()).solve((f - K @ u)[free])
    return u


def frequencies(K, M, prescribed, n):
    """The n lowest frequencies in Hz."""
    free = np.setdiff1d(np.arange(K.shape[0]), prescribed)
    shift = -1e-6 * K.diagonal().max() / M.diagonal().max()
    v0 = np.random.default_rng(0).standard_normal(len(free))
    values = eigsh(K[free][:, free], n, M[free][:, free], sigma=shift, v0=v0, return_eigenvectors=False)
    return np.sqrt(np.abs(np.sort(values))) / (2 * np.pi)


def buckling(K, KG, prescribed, n=1):
    """The n lowest positive factors lambda of (K + lambda KG) phi = 0."""
    free = np.setdiff1d(np.arange(K.shape[0]), prescribed)
    v0 = np.random.default_rng(0).standard_normal(len(free))
    lu = splu(K[free][:, free].tocsc())
    from scipy.sparse.linalg import LinearOperator

    size = (len(free), len(free))
    mu = eigsh(
        -KG[free][:, free],
        n,
        K[free][:, free],
        Minv=LinearOperator(size, lu.solve),
        which="LA",
        v0=v0,
        return_eigenvectors=False,
    )
    return np.sort(1 / mu)

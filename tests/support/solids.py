"""Solid models put together from a property, without the package's own assembly."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

import fem
from fem.mesh.generate import with_middle_nodes
from support.fem_meshes import dofs

#: every kind of solid, and the brick with internal displacements
VARIANTS = [(kind, fem.FullIntegration()) for kind in fem.ELEMENTS]
VARIANTS += [("hex8", fem.IncompatibleModes()), ("hex8", fem.MeanDilatation())]


def rows_of(nodes):
    """Degrees of freedom of elements, (ne, 3 nn)."""
    return (3 * nodes[:, :, None] + np.arange(3)).reshape(len(nodes), -1)


def stiffness(mesh, solid):
    """K (3n, 3n) by summing element matrices as they come."""
    entries, rows, columns = [], [], []
    for block in mesh.blocks:
        at = rows_of(block.nodes)
        Ke = solid.stiffness(block.element, mesh.points[block.nodes])
        entries.append(Ke.ravel())
        rows.append(np.repeat(at, at.shape[1], axis=1).ravel())
        columns.append(np.tile(at, (1, at.shape[1])).ravel())
    where = (np.concatenate(rows), np.concatenate(columns))
    return coo_array((np.concatenate(entries), where), shape=(3 * mesh.n_nodes,) * 2).tocsr()


def solve(mesh, solid, fixed, values=0.0, load=None):
    """Displacements (3n,) with u[fixed] = values under a load (3n,)."""
    K = stiffness(mesh, solid)
    u, f = np.zeros(K.shape[0]), np.zeros(K.shape[0]) if load is None else load
    u[fixed] = values
    free = np.setdiff1d(np.arange(K.shape[0]), fixed)
    u[free] = splu(K[free][:, free].tocsc()).solve((f - K @ u)[free])
    return u


def nodal(mesh, solid, u, what="stress"):
    """Stress or strain (ne, nn, 6) of each block."""
    return [getattr(solid, what)(b.element, mesh.points[b.nodes], u[rows_of(b.nodes)]) for b in mesh.blocks]


def end_load(mesh, name, direction):
    """A total load of 1 N spread evenly over the faces of a set."""
    f = np.zeros((mesh.n_nodes, 3))
    area = 0.0
    for block in mesh.faces_of(name):
        mass = fem.mesh.surface.face_mass(mesh.points, block)
        area += mass.sum()
        for nodes, weight in zip(block.nodes, mass.sum(axis=2), strict=True):
            f[nodes] += np.outer(weight, direction)
    return f.ravel() / area


def refined(points, corner_blocks, name="mixed"):
    """A mesh of blocks (kind, corners): middle nodes are added, and shared between the blocks."""
    stacked, blocks = np.empty((0, 3)), []
    for kind, corners in corner_blocks:
        own, cells = with_middle_nodes(points, np.asarray(corners), fem.ELEMENTS[kind])
        blocks.append((kind, cells + len(stacked)))
        stacked = np.vstack([stacked, own])
    _, first, same = np.unique(np.round(stacked, 9), axis=0, return_index=True, return_inverse=True)
    blocks = [(kind, same.ravel()[nodes]) for kind, nodes in blocks]
    used, number = np.unique(np.concatenate([nodes.ravel() for _, nodes in blocks]), return_inverse=True)
    parts = np.split(number, np.cumsum([nodes.size for _, nodes in blocks])[:-1])
    cells = [
        fem.Block(kind, part.reshape(nodes.shape)) for (kind, nodes), part in zip(blocks, parts, strict=True)
    ]
    return fem.Mesh(stacked[first][used], tuple(cells), name=name)


def outer(mesh):
    """Degrees of freedom of all nodes on the outer surface."""
    return dofs(np.unique(np.concatenate([block.nodes.ravel() for block in mesh.exterior])))

"""Small meshes of beams and solids, and dense solutions of them, for tests of whole structures."""

from itertools import pairwise

import numpy as np

import fem
from fem.model.supports import held_by

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


def line(points, n, sets=()):
    """A chain of ``n`` line2 elements along straight pieces between ``points``; "start", "end" and given sets."""
    points = np.asarray(points, float)
    pieces = [np.linspace(a, b, n + 1)[:-1] for a, b in pairwise(points)]
    nodes = np.vstack([*pieces, points[-1:]])
    k = np.arange(len(nodes) - 1)
    named = {"start": np.array([0]), "end": np.array([len(nodes) - 1]), **dict(sets)}
    return fem.Mesh(nodes, (fem.Block("line2", np.stack([k, k + 1], axis=1)),), named, name="line")


def solved(structure, supports, loads):
    """Displacements u (unknowns,) by a dense solution."""
    held = held_by(structure, supports)
    u = np.zeros(structure.n)
    u[held.held] = held.values
    f = fem.load_vector(structure, loads) - structure.K @ u
    u[held.free] = np.linalg.solve(structure.K.toarray()[np.ix_(held.free, held.free)], f[held.free])
    return u


def joined(first, second, shift=(0.0, 0.0, 0.0)):
    """Two meshes in one, not connected; the second moved by ``shift``, its sets named with a prefix "b_"."""
    n, e = first.n_nodes, first.n_elements
    blocks = [*first.blocks, *(fem.Block(b.element, b.nodes + n) for b in second.blocks)]
    sets = {**first.node_sets, **{f"b_{name}": nodes + n for name, nodes in second.node_sets.items()}}
    elements = {"a": np.arange(e), "b": np.arange(e, e + second.n_elements)}
    points = np.vstack([first.points, second.points + np.asarray(shift)])
    return fem.Mesh(points, tuple(blocks), sets, element_sets=elements, name="joined")

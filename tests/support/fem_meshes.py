"""Meshes that the tests share: boxes whose points are moved."""

from dataclasses import replace

import numpy as np

import fem
from fem.elements.solid import isotropic as kernel


def mapped(mesh, function):
    """Move all points by ``function(points) -> points``."""
    return replace(mesh, points=function(mesh.points.copy()))


def irregular(element, divisions=(2, 2, 2), size=(1.0, 1.0, 1.0), amount=0.12):
    """A box whose inner corner nodes are displaced; edges stay straight, faces of hexahedra become warped."""
    mesh = fem.box(size, divisions, element)
    kind = fem.ELEMENTS[element]
    nodes = mesh.blocks[0].nodes
    corners = np.unique(nodes[:, : kind.n_corners])
    inner = np.ones(mesh.n_nodes, bool)
    for name in mesh.node_sets:
        inner[mesh.node_sets[name]] = False
    points = mesh.points.copy()
    moved = corners[inner[corners]]
    random = np.random.default_rng(7)
    points[moved] += amount * random.uniform(-1, 1, (len(moved), 3)) * np.array(size) / divisions
    for k, group in enumerate(kind.middles):
        points[nodes[:, kind.n_corners + k]] = points[nodes[:, list(group)]].mean(axis=1)
    return replace(mesh, points=points)


def dofs(nodes):
    """Degrees of freedom of nodes, node by node."""
    return (3 * np.asarray(nodes)[:, None] + np.arange(3)).ravel()


def outer_nodes(mesh):
    """All nodes on the outer surface."""
    return np.unique(np.concatenate([block.nodes.ravel() for block in mesh.exterior]))


def solve_with(structure, prescribed, values, load=None):
    """Solve K u = load with u[prescribed] = values; returns u (3n,)."""
    n = structure.K.shape[0]
    u, f = np.zeros(n), np.zeros(n) if load is None else load.copy()
    u[prescribed] = values
    free = np.setdiff1d(np.arange(n), prescribed)
    f -= structure.K @ u
    u[free] = fem.factorise(structure.K[free][:, free]).solve(f[free])
    return u


def plain_matrices(mesh, material):
    """K_e (ne, 3 nn, 3 nn) and scalar M_e (ne, nn, nn) of a mesh of one kind: fully integrated, isotropic."""
    (block,) = mesh.blocks
    element = fem.ELEMENTS[block.element]
    stiff, full = element.stiffness_quadrature, element.quadrature
    tables = (element.dN(stiff.points), stiff.weights, element.N(full.points), element.dN(full.points))
    tables = [np.ascontiguousarray(table) for table in tables]
    constants = np.tile([*material.lame, material.rho], (len(block), 1))
    K, M = kernel.element_matrices(mesh.points[block.nodes], *tables, full.weights, constants)
    return K.reshape(len(block), 3 * element.n_nodes, -1), M

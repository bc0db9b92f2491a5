"""Finite-element bars, small and made once, and quadrature over them without their mass matrix."""

import functools

import numpy as np

import fem

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
SIZE = (0.3, 0.02, 0.03)


@functools.cache
def bar(element="hex20", divisions=(8, 1, 2), size=SIZE, lumped=False):
    """A bar along x of three different side lengths, with the set "middle" across it."""
    mesh = fem.box(size, divisions, element).select("middle", plane=((size[0] / 2, 0, 0), (1, 0, 0)))
    return fem.assemble(mesh, STEEL, lumped=lumped)


def gauss_points(structure):
    """Points (q,3), masses (q,) and shape functions (q,n) at Gauss points of all elements: no M_scalar.

    With the exact mass of the products of two quadratic functions on elements with straight sides.
    """
    from fem.elements import ELEMENTS
    from fem.elements.quadrature import conical, gauss

    mesh = structure.mesh
    points, masses, rows = [], [], []
    for block in mesh.blocks:
        element = ELEMENTS[block.element]
        rule = gauss(4, 3) if block.element.startswith("hex") else conical(4, 3)
        N, dN = element.N(rule.points), element.dN(rule.points)
        for nodes in block.nodes:
            jacobian = np.einsum("ia,qib->qab", mesh.points[nodes], dN)
            points.append(N @ mesh.points[nodes])
            masses.append(structure.material.rho * rule.weights * np.linalg.det(jacobian))
            row = np.zeros((len(N), len(mesh.points)))
            row[:, nodes] = N
            rows.append(row)
    return np.concatenate(points), np.concatenate(masses), np.concatenate(rows)

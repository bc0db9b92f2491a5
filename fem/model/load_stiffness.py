"""Stiffness of loads that follow the motion: how their forces change with the motions of the nodes.

A pressure acts on the deformed area along its normal. Other loads keep their size and turn: forces per area with the
face, forces per volume with the solid, forces and moments at the nodes of beams and shells with these nodes. For every
one a rigid rotation w turns the forces, ``K (w cross x) = w cross f``. The matrices are not symmetric, unless the load
is a pressure on a closed surface.
"""

from __future__ import annotations

import numpy as np
import scipy

from ..common.errors import InputError
from ..elements import ELEMENTS, FACES
from ..mesh.block import Block
from .freedoms import Freedoms
from .group import Group
from .interface import MeanMotion
from .structure import Structure


def pressed_faces(structure: Structure, block: Block, pressure: float) -> scipy.sparse.csr_array:
    """Return the change (motions, motions) of the forces of a pressure on faces.

    Of ``f_i = -p int N_i a cross b``, with the tangents a = x,r and b = x,s of the deformed face:
    ``K_ij = -p int N_i (skew(a) N_j,s - skew(b) N_j,r)``.
    """
    N, dN, weights, a, b = _tangents(structure, block)
    change = (
        skew(a)[:, :, None] * dN[None, :, :, None, None, 1]
        - skew(b)[:, :, None] * dN[None, :, :, None, None, 0]
    )
    blocks = -pressure * np.einsum("q,qi,fqjxy->fixjy", weights, N, change)
    return _added(structure.freedoms, block.nodes, blocks)


def turned_faces(structure: Structure, block: Block, traction: np.ndarray) -> scipy.sparse.csr_array:
    """Return the change (motions, motions) of the forces of a traction (3,) in Pa that turns with its faces.

    A face turns as its normal does, and about the normal by the antisymmetric part of the gradient on the face.
    """
    N, dN, weights, a, b = _tangents(structure, block)
    normal = np.cross(a, b)
    size = np.linalg.norm(normal, axis=-1, keepdims=True)
    n = normal / size
    gradient = np.stack([np.cross(b, n), np.cross(n, a)], axis=-1) / size[..., None]  # of r and s on the face
    c = np.cross(n[:, :, None], np.einsum("fqxa,qja->fqjx", gradient, dN))
    turn = 0.5 * n[:, :, None, :, None] * c[..., None, :] - c[..., None] * n[:, :, None, None, :]
    blocks = -np.einsum("q,fq,qi,xz,fqjzy->fixjy", weights, size[..., 0], N, skew(traction), turn)
    return _added(structure.freedoms, block.nodes, blocks)


def turned_solids(
    structure: Structure, group: Group, acceleration: np.ndarray
) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return the change (motions, motions) of the weight of solids that turns with them, and the weight (motions,)."""
    element, X = ELEMENTS[group.kind], structure.mesh.points[group.nodes]
    full = element.quadrature
    N, dN = element.N(full.points), element.dN(full.points)
    J = np.einsum("eix,qia->eqxa", X, dN)
    mass = group.property.material.rho * full.weights * np.linalg.det(J)
    gradient = np.einsum("qja,eqax->eqjx", dN, np.linalg.inv(J))
    blocks = -0.5 * np.einsum("eq,qi,xz,eqjzy->eixjy", mass, N, skew(acceleration), skew(gradient))
    weight = np.zeros(structure.freedoms.n_motions)
    at_nodes = np.einsum("eq,qi,x->eix", mass, N, acceleration)
    np.add.at(weight, structure.freedoms.of_elements(group.nodes, 3), at_nodes.reshape(len(X), -1))
    return _added(structure.freedoms, group.nodes, blocks), weight


def turned_nodes(structure: Structure, forces: np.ndarray, what: str) -> scipy.sparse.csr_array:
    """Return the change (motions, motions) of forces and moments (motions,) that turn with the nodes they act on."""
    freedoms = structure.freedoms
    nodes = np.unique(np.searchsorted(freedoms.first, np.flatnonzero(forces), side="right") - 1)
    fixed = nodes[freedoms.count[nodes] < 6]
    if len(fixed):
        raise InputError(
            f"{what} acts on node {structure.mesh.node_ids[fixed[0]]}, which has no rotation with which it could turn"
        )
    turn = freedoms.first[nodes][:, None] + 3 + np.arange(3)
    rows, columns, values = [], [], []
    for offset in (0, 3):
        own = freedoms.first[nodes][:, None] + offset + np.arange(3)
        rows.append(np.repeat(own, 3, axis=1))
        columns.append(np.tile(turn, 3))
        values.append(-skew(forces[own]).reshape(-1, 9))
    return _matrix(rows, columns, values, freedoms.n_motions)


def turned_with_set(structure: Structure, forces: np.ndarray, frame: MeanMotion) -> scipy.sparse.csr_array:
    """Return the change (motions, motions) of forces (motions,) that turn with the mean rotation of a node set."""
    n = structure.freedoms.n_motions
    nodes = frame.nodes
    blocks = []
    for offset in (0, 3):
        own = nodes[structure.freedoms.count[nodes] > offset]
        at = structure.freedoms.first[own][:, None] + offset + np.arange(3)
        rows = np.repeat(at, 3, axis=1)
        columns = np.tile(np.arange(3), at.size)
        blocks.append((rows.ravel(), columns, -skew(forces[at]).ravel()))
    row, column, value = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    lever = scipy.sparse.csr_array(scipy.sparse.coo_array((value, (row, column)), shape=(n, 3)))
    return scipy.sparse.csr_array(lever @ frame.T[3:])


def skew(v: np.ndarray) -> np.ndarray:
    """Return the matrices (..., 3, 3) with skew(v) w = v cross w."""
    return np.cross(np.eye(3), np.asarray(v)[..., None, :])


def _tangents(structure: Structure, block: Block) -> tuple[np.ndarray, ...]:
    """Return N (q, nn), its derivatives (q, nn, 2), weights (q,), and the tangents x,r and x,s (nf, q, 3) of faces."""
    face = FACES[block.element]
    N, dN = face.N(face.quadrature.points), face.dN(face.quadrature.points)
    tangents = np.einsum("fix,qia->afqx", structure.mesh.points[block.nodes], dN)
    return N, dN, face.quadrature.weights, tangents[0], tangents[1]


def _added(freedoms: Freedoms, nodes: np.ndarray, blocks: np.ndarray) -> scipy.sparse.csr_array:
    """Return the sum (motions, motions) of blocks (ne, nn, 3, nn, 3) between the displacements of nodes (ne, nn)."""
    dofs = freedoms.of_elements(nodes, 3)
    size = dofs.shape[1]
    rows, columns = np.repeat(dofs, size, axis=1), np.tile(dofs, size)
    return _matrix([rows], [columns], [blocks.reshape(len(dofs), -1)], freedoms.n_motions)


def _matrix(rows: list, columns: list, values: list, n: int) -> scipy.sparse.csr_array:
    row, column, value = (
        np.concatenate([part.ravel() for part in parts]) for parts in (rows, columns, values)
    )
    return scipy.sparse.csr_array(scipy.sparse.coo_array((value, (row, column)), shape=(n, n)))

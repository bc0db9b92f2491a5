"""The geometric stiffness of a structure under load."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array

from .assembly import batches
from .connections import Rigid
from .elements.scatter import Sum
from .structure import Structure, checked_field


def geometric_stiffness(structure: Structure, u: np.ndarray, loads: np.ndarray | None = None) -> csr_array:
    """Return K_G (unknowns, unknowns) in N/m for the linear stresses of the displacements u (unknowns,).

    K + K_G is the tangent stiffness: tension stiffens. ``loads`` (motions,) are the forces on all motions that go
    with u, which matter where nodes follow a rigid connection: these turn about the reference node, and the force
    F that the connection exerts on a node at the arm r gives the reference's rotation the stiffness
    (r F' + F r') / 2 - (r . F) I, from the second order r + theta x r + theta x (theta x r) / 2 of its place.
    """
    u = checked_field(structure, u)
    mesh, freedoms = structure.mesh, structure.freedoms
    dofs = [freedoms.of_elements(g.nodes, g.property.freedoms) for g in structure.groups]
    total = Sum(dofs, freedoms.n_motions)
    for group, at in zip(structure.groups, dofs, strict=True):
        moved = structure.of_elements(group, u)
        for part in batches(len(at), at.shape[1]):
            X = mesh.points[group.nodes[part]]
            total.add(at[part], group.property.geometric(group.kind, X, moved[part]))
    K_G = total.matrix()
    if freedoms.L is None:
        return K_G
    K_G = csr_array(K_G + _arms(structure, u, loads))
    return csr_array(freedoms.L.T @ K_G @ freedoms.L)


def _arms(structure: Structure, u: np.ndarray, loads: np.ndarray | None) -> csr_array:
    """Return the stiffness of rigid arms over all motions, on the rotations of their reference nodes."""
    mesh, freedoms = structure.mesh, structure.freedoms
    n = freedoms.n_motions
    rigid = [part for part in structure.parts if isinstance(part, Rigid)]
    if not rigid:
        return csr_array((n, n))
    force = internal_forces(structure, u)
    if loads is not None:
        force = force - loads
    rows, columns, values = [], [], []
    for part in rigid:
        reference = int(mesh.nodes_of(part.reference or part.name)[0])
        nodes = np.setdiff1d(mesh.nodes_of(part.nodes), [reference])
        F = force[freedoms.first[nodes][:, None] + np.arange(3)]
        r = mesh.points[nodes] - mesh.points[reference]
        rF = r.T @ F
        stiffness = 0.5 * (rF + rF.T) - np.trace(rF) * np.eye(3)
        turning = freedoms.first[reference] + 3 + np.arange(3)
        rows.append(np.repeat(turning, 3))
        columns.append(np.tile(turning, 3))
        values.append(stiffness.ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(coo_array(entries, shape=(n, n)))


def internal_forces(structure: Structure, u: np.ndarray) -> np.ndarray:
    """Return the forces (motions,) in N and moments in N m that deform the elements by u (unknowns,)."""
    mesh, freedoms = structure.mesh, structure.freedoms
    force = np.zeros(freedoms.n_motions)
    for group in structure.groups:
        dofs, moved = (
            freedoms.of_elements(group.nodes, group.property.freedoms),
            structure.of_elements(group, u),
        )
        for part in batches(len(dofs), dofs.shape[1]):
            Ke = group.property.stiffness(group.kind, mesh.points[group.nodes[part]])
            np.add.at(force, dofs[part], np.einsum("eij,ej->ei", Ke, moved[part]))
    return force

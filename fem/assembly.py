"""From a mesh and a material to a structure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import bsr_array, csr_array

from .check import check
from .common.errors import InputError, listing
from .elements import ELEMENTS, kernel
from .material import Isotropic
from .mesh import Mesh
from .structure import Structure


def assemble(
    mesh: Mesh, material: Isotropic | Mapping[str, Isotropic] | None = None, *, lumped: bool = False
) -> Structure:
    """Return the stiffness and mass of a mesh.

    ``material`` in SI: one for all, a dictionary {element set: material}, or None to take the file's own. The
    mass is consistent; ``lumped=True`` takes its diagonal scaled to each element's mass (Hinton, Rock and
    Zienkiewicz 1976), which keeps the mass but not the inertia. Raises :class:`MeshError` for inverted or
    degenerate elements and loose parts, :class:`InputError` for elements without a material.
    """
    check(mesh)
    table, material = _materials(mesh, material)
    starts, flat = connectivity(mesh)
    indptr, indices = kernel.pattern(starts, flat, mesh.n_nodes)
    K, M = np.zeros((len(indices), 3, 3)), np.zeros(len(indices))
    first = 0
    for block in mesh.blocks:
        element = ELEMENTS[block.element]
        kernel.add_elements(
            block.nodes.copy(),
            mesh.points[block.nodes],
            *_tables(element),
            table[first : first + len(block)],
            lumped,
            indptr,
            indices,
            K,
            M,
        )
        first += len(block)
    n = mesh.n_nodes
    if 9 * len(indices) < np.iinfo(np.int32).max:
        indptr, indices = indptr.astype(np.int32), indices.astype(np.int32)
    stiffness = csr_array(bsr_array((K, indices, indptr), shape=(3 * n, 3 * n)).tocsr())
    return Structure(mesh, material, stiffness, csr_array((M, indices, indptr), shape=(n, n)))


def connectivity(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Return (starts, flat): element e has the nodes flat[starts[e]:starts[e + 1]], through all blocks."""
    sizes = np.concatenate([np.full(len(block), block.nodes.shape[1]) for block in mesh.blocks])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, np.concatenate([block.nodes.ravel() for block in mesh.blocks])


def element_matrices(mesh: Mesh, material: Isotropic) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each block K_e (ne, 3 nn, 3 nn) in N/m and the scalar mass M_e (ne, nn, nn) in kg."""
    result = []
    for block in mesh.blocks:
        element = ELEMENTS[block.element]
        table = np.tile([*material.lame, material.rho], (len(block), 1))
        K, M = kernel.element_matrices(mesh.points[block.nodes], *_tables(element), table)
        result.append((K.reshape(len(block), 3 * element.n_nodes, -1), M))
    return result


def _tables(element) -> tuple[np.ndarray, ...]:
    stiff, full = element.stiffness_quadrature, element.quadrature
    arrays = (
        element.dN(stiff.points),
        stiff.weights,
        element.N(full.points),
        element.dN(full.points),
        full.weights,
    )
    return tuple(np.ascontiguousarray(array) for array in arrays)


def _materials(mesh: Mesh, material) -> tuple[np.ndarray, Isotropic | dict[str, Isotropic]]:
    """Return lam, mu, rho of every element (ne, 3), and the material as it is kept in the structure."""
    if material is None:
        material = _from_file(mesh)
    if isinstance(material, Isotropic):
        return np.tile([*material.lame, material.rho], (mesh.n_elements, 1)), material
    if not isinstance(material, Mapping) or not all(isinstance(m, Isotropic) for m in material.values()):
        raise InputError(
            "a material is fem.Isotropic(E=, nu=, rho=), or a dictionary {element set: Isotropic}"
        )
    table = np.full((mesh.n_elements, 3), np.nan)
    for name, one in material.items():
        if name not in mesh.element_sets:
            raise InputError(
                f"mesh {mesh.name!r} has no element set {name!r}; it has {listing(mesh.element_sets)}"
            )
        table[mesh.element_sets[name]] = [*one.lame, one.rho]
    missing = np.flatnonzero(np.isnan(table[:, 0]))
    if len(missing):
        raise InputError(
            f"{len(missing)} elements of mesh {mesh.name!r} have no material, the first is "
            f"{mesh.element_name(missing[0])}; name an element set that holds them"
        )
    different = set(material.values())
    return table, different.pop() if len(different) == 1 else dict(material)


def _from_file(mesh: Mesh) -> Isotropic | dict[str, Isotropic]:
    """Return the file's materials by element set, or its only one where it has no sections."""
    usable = {name: mesh.materials[which] for name, which in mesh.sections if which in mesh.materials}
    if usable:
        return usable
    if mesh.sections or not mesh.materials:
        raise InputError(
            f"mesh {mesh.name!r} brings no complete isotropic material; give one: "
            "fem.assemble(mesh, fem.Isotropic(E=, nu=, rho=))"
        )
    if len(mesh.materials) > 1:
        raise InputError(
            f"the file of mesh {mesh.name!r} has the materials {listing(mesh.materials)} but does not say "
            "which elements are made of which; give a dictionary {element set: material}"
        )
    return next(iter(mesh.materials.values()))

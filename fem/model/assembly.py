"""Assembly: from a mesh and properties to a structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import ElementError, InputError, listing, warn
from ..elements import ELEMENTS
from ..elements.property import Property, properties_for
from ..elements.scatter import Sum
from ..elements.solid import isotropic as kernel
from ..elements.solid.hexahedra import CUBE_FACES
from ..elements.solid.solid import Solid
from ..mesh.check import check
from ..mesh.mesh import Mesh
from ..mesh.units import check_units
from ..properties.material import Material, is_material
from .cloud import Cloud
from .connections import followers_of
from .equations import under_equations
from .freedoms import Freedoms, dependent
from .group import Group, joined
from .parts import Part, links, reference_nodes, with_reference_nodes
from .structure import Structure, weights

#: number of elements of eight nodes whose matrices are kept in memory at a time
BATCH_ELEMENTS = 20_000

#: material of solids, or property of elements
Given = Material | Property


@check_arguments(own=("material",))
def assemble(
    mesh: Mesh,
    material: Given | Mapping[str, Given] | None = None,
    *,
    parts: Sequence[Part] = (),
    lumped: bool = False,
) -> Structure:
    """Assemble the stiffness and mass of a mesh.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    material : material, property or mapping, optional
        A material (:class:`Isotropic`, :class:`Orthotropic`, for solids) or a property (:class:`Solid`,
        :class:`Shell`, :class:`Membrane`, :class:`Beam`, :class:`Truss`), one for all elements or {element set or kind
        of element: material or property}. By default those of the file (``mesh.properties``), which also apply to
        elements that a dictionary leaves out.
    parts : sequence
        :class:`PointMass`, :class:`Spring`, the connections :class:`Rigid` (RBE2), :class:`Averaged` (RBE3) and
        :class:`Tie`, and :class:`Equation`, in addition to those of the file (``mesh.parts``).
    lumped : bool
        False: consistent mass. True: mass at the nodes; for solids the diagonal scaled to each element's mass
        (Hinton, Rock and Zienkiewicz 1976), which keeps the mass but not the moments of inertia.

    Returns
    -------
    Structure
        Stiffness and mass.

    Raises
    ------
    MeshError
        Elements are inverted or degenerate, or parts are disconnected.
    InputError
        An element has no property, or one that it can't have.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> bar.n, round(bar.mass, 6)
    (168, 78.5)
    """
    parts = (*mesh.parts, *parts)
    try:
        return _assembled(mesh, material, parts, lumped)
    except InputError as error:
        if not (said := _lines_of_parts(mesh, str(error))):
            raise
        raise type(error)(f"{error} ({said})") from None


def _lines_of_parts(mesh: Mesh, words: str) -> str:
    """Return where those parts of the mesh stand in its file that a message names; nothing for other messages."""
    if len(mesh.part_lines) != len(mesh.parts):
        return ""
    found = {
        line: None
        for part, line in zip(mesh.parts, mesh.part_lines, strict=True)
        if line and part.label in words
    }
    missing = [line for line in found if line not in words]
    return f"{mesh.path}, {', '.join(missing[:3])}{', ...' * (len(missing) > 3)}" if missing else ""


def _assembled(mesh: Mesh, material: Any, parts: Sequence[Part], lumped: bool) -> Structure:
    """Return the structure of a mesh with all its parts."""
    complete = with_reference_nodes(mesh, parts)
    groups, material = _groups(mesh, material)
    for group in groups:
        _check_property(mesh, group)
        _warn_of_rows(mesh, group)
    check(complete, links(complete, parts))
    check_units(mesh, [group.property for group in groups])
    freedoms = _freedoms(complete, groups, parts)
    for part in parts:
        part.dampings(complete, freedoms)  # checked here, used at the reduction
    K, M = _solids(complete, groups, lumped)
    if freedoms.simple and not parts and all(group.kind in ELEMENTS for group in groups):
        return Structure(complete, material, K, Cloud(complete.points, M), freedoms, groups)
    K = _embedded(K, freedoms) + _others(complete, groups, parts, freedoms)
    if freedoms.L is not None:
        K = freedoms.L.T @ K @ freedoms.L
        K = 0.5 * (K + K.T)
    cloud = _cloud(complete, groups, parts, freedoms, M, lumped)
    return Structure(complete, material, scipy.sparse.csr_array(K), cloud, freedoms, groups, tuple(parts))


def groups_of(mesh: Mesh) -> tuple[Group, ...]:
    """Return the elements by kind and property of the mesh's own properties; none if these are not complete."""
    usable = [its for its in mesh.properties.values() if its is not None]
    if len(usable) < max(len(mesh.properties), 1):
        return ()
    covered = np.zeros(mesh.n_elements, bool)
    for name in mesh.properties:
        covered[mesh.elements_of(name)] = True
    return _groups(mesh, dict(mesh.properties))[0] if covered.all() else ()


def connectivity(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Return (starts, flat): element e has the nodes flat[starts[e]:starts[e + 1]], through all blocks."""
    sizes = np.concatenate([np.full(len(block), block.nodes.shape[1]) for block in mesh.blocks])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, np.concatenate([block.nodes.ravel() for block in mesh.blocks])


# ---- properties ------------------------------------------------------------------------------------------


def _groups(mesh: Mesh, given: Any) -> tuple[tuple[Group, ...], Any]:
    """Return the elements by kind and property, and the material as it is kept in the structure."""
    if given is None:
        given = _from_file(mesh)
    if not isinstance(given, Mapping):
        table, owner, names = [_property(given)], np.zeros(mesh.n_elements, np.int64), [""]
    else:
        _warn_of_overlaps(mesh, given)
        given = {**_of_the_rest(mesh, given), **given}
        table, owner = [_property(one) for one in given.values()], np.full(mesh.n_elements, -1)
        names = list(given)
        for number, name in enumerate(given):
            owner[mesh.elements_of(name)] = number
        missing = np.flatnonzero(owner < 0)
        if len(missing):
            doubts = f" (the file: {'; '.join(mesh.doubts)})" if mesh.doubts else ""
            raise InputError(
                f"{len(missing)} elements of mesh {mesh.name!r} have no material, the first is "
                f"{mesh.element_name(missing[0])}; give a material for an element set that contains them{doubts}"
            )
        if all(one == table[0] for one in table):
            given, table, owner = next(iter(given.values())), table[:1], np.zeros_like(owner)
            names = [""]
    groups, start = [], 0
    for block in mesh.blocks:
        here = owner[start : start + len(block)]
        for number in np.unique(here):
            mine = np.flatnonzero(here == number)
            nodes, index = block.nodes[mine], start + mine
            groups.append(_group(mesh, block.element, table[number], nodes, index, names[number]))
        start += len(block)
    return tuple(groups), given


def _of_the_rest(mesh: Mesh, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of the file by element set, where they apply to elements that ``given`` leaves out."""
    left = np.ones(mesh.n_elements, bool)
    for name in given:
        left[mesh.elements_of(name)] = False
    return {
        name: its
        for name, its in mesh.properties.items()
        if its is not None and name not in given and left[mesh.elements_of(name)].any()
    }


def _group(mesh: Mesh, kind: str, its: Property, nodes: np.ndarray, index: np.ndarray, name: str) -> Group:
    if kind not in its.kinds:
        mend = " or ".join(properties_for(kind))
        mend = (mend or "no property (it is a face only)") + ", or a material" * (kind in ELEMENTS)
        raise InputError(
            f"{mesh.element_name(int(index[0]))} of mesh {mesh.name!r} can't have a {type(its).__name__}, which is "
            f"for {listing(its.kinds)}; a {kind} takes {mend}. Give properties by element set or kind: "
            f"fem.assemble(mesh, {{{kind!r}: ...}})"
        )
    return Group(kind, its, np.ascontiguousarray(nodes), index, name)


def _warn_of_overlaps(mesh: Mesh, given: Mapping[str, Any]) -> None:
    """Warn if named element sets with different properties share elements: the later one applies."""
    owner = np.full(mesh.n_elements, -1)
    names, doubts = [name for name in given if name in mesh.element_sets], []
    for number, name in enumerate(names):
        members = mesh.element_sets[name]
        for before in np.unique(owner[members][owner[members] >= 0]):
            if given[names[before]] != given[name]:
                shared = members[owner[members] == before]
                doubts.append(
                    f"{len(shared)} of its elements {'lie' if len(shared) > 1 else 'lies'} in both {names[before]!r} "
                    f"and {name!r}, the first is {mesh.element_name(int(shared[0]))}; there the property of {name!r} "
                    "applies, which comes later"
                )
        owner[members] = number
    if doubts:
        warn(f"mesh {mesh.name!r}: " + "; ".join(doubts))


def _check_property(mesh: Mesh, group: Group) -> None:
    """Raise InputError, with the mesh's file and names of elements, for elements that can't have their property."""
    try:
        group.property.check(group.kind, mesh.points[group.nodes])
    except ElementError as error:
        what = error.named(lambda k: mesh.element_name(int(group.index[k])))
        raise (InputError(f"{mesh.path}: {what}") if mesh.path else what) from None


def _warn_of_rows(mesh: Mesh, group: Group) -> None:
    """Warn if bricks with reduced integration stand in single rows, where they have motions without energy."""
    if group.kind != "hex20" or not getattr(group.property, "reduced", False):
        return
    sides = np.sort(
        np.stack([group.nodes[:, list(face)] for face in CUBE_FACES], axis=1).reshape(-1, 4), axis=1
    )
    _, place, count = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    shared = (count[place.ravel()] > 1).reshape(-1, 6)
    directions = shared[:, [0, 2, 3]] | shared[:, [1, 4, 5]]  # the last three are opposite to the first
    if (directions.sum(axis=1) < 2).all():
        n = len(group.nodes)
        warn(
            f"mesh {mesh.name!r}: {n} hex20 with reduced integration stand in single rows; they have up to "
            f"{max(6, n + 1)} motions without energy beside the rigid ones. Unless supports hold them, take two rows "
            "each way, or full integration"
        )


def _property(given: Any) -> Property:
    if is_material(given):
        return Solid(given)
    if not isinstance(given, Property):
        raise InputError(
            "a material is fem.Isotropic(E=, nu=, rho=) or fem.Orthotropic, a property fem.Solid, Shell, LayeredShell, "
            f"Membrane, ShearPanel, Beam or Truss, or a dictionary {{element set: one of these}}; not {given!r}"
        )
    return given


def _from_file(mesh: Mesh) -> Given | Mapping[str, Given]:
    """Return the file's properties by element set, or its only material where it has no sections."""
    complete = {name: its for name, its in mesh.properties.items() if its is not None}
    if complete:
        return complete
    if mesh.properties or not mesh.materials:
        doubts = f" (the file: {'; '.join(mesh.doubts)})" if mesh.doubts else ""
        raise InputError(
            f"mesh {mesh.name!r} contains no complete material or property{doubts}; give one: "
            "fem.assemble(mesh, fem.Isotropic(E=, nu=, rho=))"
        )
    if len(mesh.materials) > 1:
        raise InputError(
            f"the file of mesh {mesh.name!r} has the materials {listing(mesh.materials)} but does not say "
            "to which elements they belong; give a dictionary {element set: material}"
        )
    return next(iter(mesh.materials.values()))


# ---- sums ------------------------------------------------------------------------------------------------


def _freedoms(mesh: Mesh, groups: tuple[Group, ...], parts: Sequence[Part]) -> Freedoms:
    count = np.full(mesh.n_nodes, 3)
    for group in groups:
        if group.property.freedoms == 6:
            count[group.nodes] = 6
    count[reference_nodes(mesh, parts)] = 6
    plain = Freedoms(count)
    rules = [follower.rule(mesh, plain) for follower in followers_of(parts)]
    return under_equations(mesh, dependent(count, rules, mesh.node_ids), parts)


def _solids(
    mesh: Mesh, groups: tuple[Group, ...], lumped: bool
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    """Return K (3n, 3n) and scalar M (n, n) of the solids."""
    n = mesh.n_nodes
    solids = [group for group in groups if group.kind in ELEMENTS]
    sizes = [np.full(len(group.nodes), group.nodes.shape[1]) for group in solids]
    starts = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]))]).astype(
        np.int64
    )
    flat = np.concatenate([np.zeros(0, np.int64), *(group.nodes.ravel() for group in solids)])
    indptr, indices = kernel.pattern(starts, flat, n)
    K, M = np.zeros((len(indices), 3, 3)), np.zeros(len(indices))
    for group in solids:
        its, X = group.property, mesh.points[group.nodes]
        lame = its.lame(group.kind)
        table = np.tile([*(lame or (0.0, 0.0)), its.material.rho], (len(X), 1))
        tables = _tables(ELEMENTS[group.kind])
        kernel.add_elements(group.nodes, X, *tables, table, lumped, indptr, indices, K, M)
        for part in batches(0 if lame else len(X), 3 * group.nodes.shape[1]):
            Ke = its.stiffness(group.kind, X[part]).reshape(-1, *(group.nodes.shape[1], 3) * 2)
            kernel.add_blocks(group.nodes[part], np.ascontiguousarray(Ke), indptr, indices, K)
    if 9 * len(indices) < np.iinfo(np.int32).max:
        indptr, indices = indptr.astype(np.int32), indices.astype(np.int32)
    stiffness = scipy.sparse.csr_array(
        scipy.sparse.bsr_array((K, indices, indptr), shape=(3 * n, 3 * n)).tocsr()
    )
    return stiffness, scipy.sparse.csr_array((M, indices, indptr), shape=(n, n))


def _embedded(K: scipy.sparse.csr_array, freedoms: Freedoms) -> scipy.sparse.csr_array:
    """Return a matrix over the displacements of all nodes (3n, 3n) as one over all motions."""
    if (freedoms.count == 3).all():
        return K
    place = (freedoms.first[:-1, None] + np.arange(3)).ravel()
    entries = K.tocoo()
    rows, columns = entries.coords
    shape = (freedoms.n_motions, freedoms.n_motions)
    return scipy.sparse.csr_array(
        scipy.sparse.coo_array((entries.data, (place[rows], place[columns])), shape=shape)
    )


def _others(
    mesh: Mesh, groups: tuple[Group, ...], parts: Sequence[Part], freedoms: Freedoms
) -> scipy.sparse.csr_array:
    """Return the stiffness over all motions of elements and springs that are not solids."""
    others = list(joined(group for group in groups if group.kind not in ELEMENTS))
    dofs = [freedoms.of_elements(group.nodes, group.property.freedoms) for group in others]
    springs = [pair for part in parts for pair in part.stiffnesses(mesh, freedoms)]
    total = Sum([*dofs, *(motions[None] for motions, _ in springs)], freedoms.n_motions)
    for group, at in zip(others, dofs, strict=True):
        for part in batches(len(group.nodes)):
            total.add(at[part], group.property.stiffness(group.kind, mesh.points[group.nodes[part]]))
    for motions, matrix in springs:
        total.add(motions[None], matrix[None])
    return total.matrix()


def _cloud(
    mesh: Mesh,
    groups: tuple[Group, ...],
    parts: Sequence[Part],
    freedoms: Freedoms,
    M: scipy.sparse.csr_array,
    lumped: bool,
) -> Cloud:
    """Return the mass of everything: the nodes of solids, and mass points on the rest."""
    points, masses, shapes = [], [], []
    carrying = np.flatnonzero(np.diff(M.indptr))
    if len(carrying):
        points.append(mesh.points[carrying])
        masses.append(M[carrying][:, carrying])
        rows = (3 * carrying[:, None] + np.arange(3)).ravel()
        shapes.append(Freedoms(freedoms.count).translation[rows])
    for group in joined(groups):
        if group.kind not in ELEMENTS:
            dofs = freedoms.of_elements(group.nodes, group.property.freedoms)
            for part in batches(len(group.nodes)):
                found = group.property.samples(group.kind, mesh.points[group.nodes[part]], lumped)
                points.append(found.points.reshape(-1, 3))
                masses.append(weights(found.weights.ravel()))
                shapes.append(_rows(found.shape, dofs[part], freedoms.n_motions))
    for one in parts:
        for at, value, motions, shape in one.masses(mesh, freedoms):
            points.append(at)
            masses.append(weights(value))
            shapes.append(_rows(shape[None], motions[None], freedoms.n_motions))
    S = shapes[0] if len(shapes) == 1 else scipy.sparse.csr_array(scipy.sparse.vstack(shapes, format="csr"))
    over_unknowns = S if freedoms.L is None else scipy.sparse.csr_array(S @ freedoms.L)
    return Cloud(
        np.vstack(points),
        scipy.sparse.csr_array(scipy.sparse.block_diag(masses, format="csr")),
        over_unknowns,
        S,
    )


def _rows(shape: np.ndarray, dofs: np.ndarray, n: int) -> scipy.sparse.csr_array:
    """Return shapes (ne, q, 3, nd) over element motions as rows over all motions, (ne q 3, n)."""
    ne, nd = dofs.shape
    table = shape.reshape(ne, -1)
    used = (table != 0).any(axis=0)  # in any of the elements
    row, column = np.divmod(np.flatnonzero(used), nd)
    sizes = np.bincount(row, minlength=table.shape[1] // nd)
    starts = np.concatenate([[0], np.cumsum(np.tile(sizes, ne))])
    entries = (table[:, used].ravel(), dofs[:, column].ravel(), starts)
    rows = scipy.sparse.csr_array(entries, shape=(len(starts) - 1, n))
    rows.sort_indices()
    return rows


def batches(n: int, nd: int = 24) -> Iterator[slice]:
    """Return slices that cut n elements, of nd degrees of freedom each, into batches of about 100 MB."""
    step = max(1, BATCH_ELEMENTS * 24**2 // nd**2)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _tables(element) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    stiff, full = element.stiffness_quadrature, element.quadrature
    return (
        np.ascontiguousarray(element.dN(stiff.points)),
        stiff.weights,
        np.ascontiguousarray(element.N(full.points)),
        np.ascontiguousarray(element.dN(full.points)),
        full.weights,
    )

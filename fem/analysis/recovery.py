"""Stresses of a structure: in each element, averaged at the nodes, and the jumps between elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.known_attributes import KnownAttributes
from ..elements import ELEMENTS, FACES
from ..elements.shell.geometry import normals
from ..elements.solid.stress import principal, von_mises
from ..model.assembly import batches
from ..model.group import Group
from ..model.loads import Load, accelerated, load_list
from ..model.structure import Structure, check_elements, checked_field

#: cosine of the largest angle between the normals of shell elements over which stresses are averaged
MIN_SMOOTH_COSINE = np.cos(np.radians(20.0))


@dataclass(frozen=True, eq=False)
class Stress(KnownAttributes):
    """Stresses in Pa by linear theory, components xx, yy, zz, yz, xz, xy in global axes; result of :func:`stress`.

    Attributes
    ----------
    structure : Structure
        The structure.
    of_groups : tuple of (Group, values)
        Stresses of each group of elements: solids (ne, nn, 6) at their nodes, shells (ne, nn, 2, 6) at bottom and top,
        trusses (ne, nn) axial stress, beams :class:`fem.elements.beam.stress.BeamStress`.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> supports = {"x0": ("x",), "y0": ("y",), "z0": ("z",)}
    >>> pulled = fem.static(bar, supports, fem.Traction("x1", (1e6, 0.0, 0.0))).stress
    >>> pulled.solid.shape
    (56, 6)
    >>> pulled.principal.round(-1)[0].tolist()
    [1000000.0, 0.0, 0.0]
    """

    structure: Structure
    of_groups: tuple[tuple[Group, Any], ...] = field(repr=False)

    def __repr__(self) -> str:
        """Return the largest equivalent stress and its node on one line."""
        mesh, known = self.structure.mesh, np.isfinite(self.von_mises)
        if not known.any():
            return f"<Stress of {mesh.name!r}: none>"
        node = int(np.nanargmax(self.von_mises))
        place = ", ".join(f"{x:.4g}" for x in mesh.points[node])
        return (
            f"<Stress of {mesh.name!r}: equivalent stress up to {self.von_mises[node]:.4g} Pa, at node {node} at "
            f"({place}) m>"
        )

    @cached_property
    def solid(self) -> np.ndarray:
        """Stresses (n, 6) at the nodes of solids, averaged over the elements of the same property; nan elsewhere.

        Where properties meet, the stress jumps; the one with the larger equivalent stress is given.
        """
        best = _Largest(self.structure.mesh.n_nodes, (6,))
        for nodes, values, _ in self._corners(ELEMENTS):
            best.add_mean(nodes, values)
        return best.values

    @cached_property
    def shell(self) -> np.ndarray:
        """Stresses (n, 2, 6) at bottom and top of shells, averaged over smoothly connected elements; nan elsewhere.

        Such elements have the same property, and normals within 20 degrees of each other. If the normal of a
        neighbour is opposite, its bottom counts as top: at each node, top is the side of the first element's normal.
        Where several such groups meet, in folds and junctions, the one with the larger equivalent stress is given.
        """
        best = _Largest(self.structure.mesh.n_nodes, (2, 6))
        for nodes, values, normal in self._corners(FACES):
            for mine, opposite in smooth_parts(nodes, normal):
                sides = values[mine]
                best.add_mean(nodes[mine], np.where(opposite[:, None, None], sides[:, ::-1], sides))
        return best.values

    @cached_property
    def von_mises(self) -> np.ndarray:
        """Equivalent stress (n,) at the nodes, the largest of all that meet there; nan where none is known.

        It is taken of the averaged stresses of solids and shells (the larger side), and at the ends of beams and
        trusses.
        """
        found = [von_mises(self.solid), *von_mises(self.shell).T]
        for group, value in self.of_groups:
            if group.kind.startswith("line"):
                ends = group.property.equivalent(value)
                at = np.full(self.structure.mesh.n_nodes, np.nan)
                nodes = group.nodes[:, : ends.shape[1]]
                np.fmax.at(at, nodes, ends)
                found.append(at)
        return np.fmax.reduce(found)

    @cached_property
    def principal(self) -> np.ndarray:
        """Principal stresses (n, 3) at the nodes of solids and shells, the largest (most tensile) first; nan elsewhere.

        On shells they belong to the side with the larger equivalent stress.
        """
        sides = np.concatenate([self.solid[:, None], self.shell], axis=1)
        worst = np.nan_to_num(von_mises(sides), nan=-1.0).argmax(axis=1)
        chosen = sides[np.arange(len(sides)), worst]
        known = np.isfinite(chosen[:, 0])
        values = np.full((len(known), 3), np.nan)
        values[known] = principal(chosen[known])
        return values

    @cached_property
    def jump(self) -> np.ndarray:
        """Largest difference (n,) in Pa between the equivalent stress of single elements and :attr:`von_mises`.

        It is a measure of the discretisation error and vanishes with the size of the elements, except at corners and
        edges where the exact stress is infinite.
        """
        mean, spread = self.von_mises, np.full(self.structure.mesh.n_nodes, np.nan)
        for group, value in self.of_groups:
            if group.kind in ELEMENTS or group.kind in FACES:
                own = von_mises(value)
                own = own if own.ndim == 2 else own.max(axis=2)
                np.fmax.at(spread, group.nodes, np.abs(own - mean[group.nodes]))
        return spread

    @check_arguments
    def section_forces(self, name: str) -> np.ndarray:
        """Return section forces at both ends of beams.

        Parameters
        ----------
        name : str
            An element set, or a kind of element such as "line2".

        Returns
        -------
        array (ne, 2, 6), N and N m
            N, Vy, Vz, T, My, Mz in local axes at the start and end of each beam.

        Raises
        ------
        InputError
            The set contains elements other than beams.
        """
        wanted = self.structure.mesh.elements_of(name)
        found, known = np.zeros((len(wanted), 2, 6)), np.zeros(len(wanted), bool)
        for group, value in self.of_groups:
            if group.property.bends:
                _, place, rows = np.intersect1d(wanted, group.index, return_indices=True)
                found[place], known[place] = group.property.section_forces(value)[rows], True
        if not known.all():
            raise InputError(f"{name!r} holds elements that are not beams; only these have section forces")
        return found

    def _corners(self, kinds) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield nodes (k,), stresses (k, ...) and normals (k, 3; of shells) of all elements' nodes, by property."""
        by_property: dict[int, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
        for group, value in self.of_groups:
            if group.kind in kinds:
                nodes = group.nodes.ravel()
                normal = np.zeros((0, 3))
                if group.kind in FACES:
                    normal = normals(group.kind, self.structure.mesh.points[group.nodes]).reshape(-1, 3)
                corners = (nodes, value.reshape(len(nodes), *value.shape[2:]), normal)
                by_property.setdefault(id(group.property), []).append(corners)
        for members in by_property.values():
            nodes, values, normal = (np.concatenate(parts) for parts in zip(*members, strict=True))
            yield nodes, values, normal


def smooth_parts(nodes: np.ndarray, normal: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the corners of shells over which stresses are averaged, and which of these have opposite normals.

    ``nodes`` (k,) and ``normal`` (k, 3) of corners of elements. Each part holds, for every remaining node, the first
    corner and those with normals within 20 degrees of its own, up to the sign: their numbers (j,), and
    whether their normals are opposite (j,).
    """
    left = np.arange(len(nodes))
    while len(left):
        _, first, place = np.unique(nodes[left], return_index=True, return_inverse=True)
        agreement = np.einsum("ij,ij->i", normal[left], normal[left[first]][place.ravel()])
        mine = np.abs(agreement) > MIN_SMOOTH_COSINE
        mine[first] = True
        yield left[mine], agreement[mine] < 0
        left = left[~mine]


class _Largest:
    """Stresses ``values`` (n, ...) at nodes: of all that are added, the one with the largest equivalent stress."""

    def __init__(self, n: int, tail: tuple[int, ...]) -> None:
        self.values = np.full((n, *tail), np.nan)
        self.size = np.full(n, -1.0)

    def add_mean(self, nodes: np.ndarray, values: np.ndarray) -> None:
        """Add the mean of ``values`` (k, ...) over the places where ``nodes`` (k,) are the same."""
        at, place, count = np.unique(nodes, return_inverse=True, return_counts=True)
        total = np.zeros((len(at), *values.shape[1:]))
        np.add.at(total, place.ravel(), values)
        mean = total / count.reshape(-1, *(1,) * (values.ndim - 1))
        size = von_mises(mean).reshape(len(at), -1).max(axis=1)
        more = size > self.size[at]
        self.values[at[more]], self.size[at[more]] = mean[more], size[more]


@check_arguments
def strain(structure: Structure, u: np.ndarray) -> tuple[tuple[Group, np.ndarray], ...]:
    """Return the strains of displacements for each group of elements.

    Parameters
    ----------
    structure : Structure
        The structure.
    u : array (unknowns,), m and rad
        Displacements.

    Returns
    -------
    tuple of (Group, array)
        Solids (ne, nn, 6) and shells (ne, nn, 2, 6, bottom and top) at the nodes of each element: xx, yy, zz, yz, xz,
        xy in global axes with engineering shear. Beams (ne, 2, 6): extension, shears, twist rate and curvatures (1/m)
        at both ends in local axes. Trusses (ne, nn): extension.

    Raises
    ------
    InputError
        ``u`` is not of the right shape or not finite, or the structure has no elements (:func:`fem.from_matrices`).

    Examples
    --------
    >>> import fem, numpy as np
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (1, 1, 1)), steel)
    >>> stretched = np.column_stack([1e-3 * bar.mesh.points[:, 0], np.zeros((bar.mesh.n_nodes, 2))])
    >>> [(group, found)] = fem.strain(bar, stretched.ravel())
    >>> bool(np.allclose(found[..., 0], 1e-3))
    True
    """
    u = checked_field(structure, u)
    check_elements(structure, "strain")
    return tuple(
        (
            group,
            group.property.strain(
                group.kind, structure.mesh.points[group.nodes], structure.of_elements(group, u)
            ),
        )
        for group in structure.groups
    )


@check_arguments
def layer_stress(structure: Structure, u: np.ndarray) -> tuple[tuple[Group, np.ndarray], ...]:
    """Return the stresses of displacements in every layer of the shells, in the axes of its material.

    Parameters
    ----------
    structure : Structure
        The structure.
    u : array (unknowns,), m and rad
        Displacements.

    Returns
    -------
    tuple of (Group, array)
        Each group of shells with its stresses 11, 22, 12 at the nodes of each element, (ne, nn, layers, 2, 3), Pa: at
        the bottom and the top of each layer.

    Raises
    ------
    InputError
        ``u`` is not of the right shape or not finite, or the structure has no elements (:func:`fem.from_matrices`).

    Examples
    --------
    >>> import fem, numpy as np
    >>> carbon = fem.Ply(E1=135e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
    >>> skin = fem.LayeredShell([fem.Layer(carbon, 1e-3, degrees=angle) for angle in (0, 90, 0)])
    >>> sheet = fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], (fem.Block("quad4", [[0, 1, 2, 3]]),))
    >>> u = np.zeros((4, 6))
    >>> u[:, 0] = 1e-3 * sheet.points[:, 0]
    >>> [(group, found)] = fem.layer_stress(fem.assemble(sheet, skin), u.ravel())
    >>> (found[0, 0, :, 0, 0] / 1e6).round(1)
    array([135.9,   3. , 135.9])
    """
    u = checked_field(structure, u)
    check_elements(structure, "stress")
    return tuple(
        (group, layers(group.kind, structure.mesh.points[group.nodes], structure.of_elements(group, u)))
        for group in structure.groups
        if (layers := getattr(group.property, "layer_stress", None)) is not None
    )


@check_arguments
def stress(
    structure: Structure,
    u: np.ndarray,
    loads: Load | Sequence[Load] = (),
    *,
    acceleration: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Stress:
    """Return the stresses of displacements, in each element and at the nodes.

    Parameters
    ----------
    structure : Structure
        The structure.
    u : array (unknowns,), m and rad
        Displacements.
    loads : load or sequence of loads
        The loads that cause u; without them the section forces of beams lack the variation by weight and line loads
        between the ends.
    acceleration : callable, optional
        Function of positions (..., 3) in m that returns accelerations (..., 3) in m/s^2, for an accelerated body.

    Returns
    -------
    Stress
        Stresses in Pa.

    Raises
    ------
    InputError
        ``u`` is not of the right shape or not finite, or the structure has no elements (:func:`fem.from_matrices`).

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> pulled = fem.static(bar, {"x0": ("x",), "y0": ("y",), "z0": ("z",)}, fem.Traction("x1", (1e6, 0.0, 0.0)))
    >>> fem.stress(bar, pulled.u).von_mises.round(-1).max()
    np.float64(1000000.0)
    """
    u = checked_field(structure, u)
    check_elements(structure, "stress")
    found = []
    for group in structure.groups:
        its, X, moved = group.property, structure.mesh.points[group.nodes], structure.of_elements(group, u)
        load = _along(structure, group, loads, acceleration) if its.uses_loads else None
        parts = [
            its.stress(group.kind, X[part], moved[part], None if load is None else load[part])
            for part in batches(len(X), moved.shape[1])
        ]
        found.append((group, its.joined(parts)))
    return Stress(structure, tuple(found))


def _along(
    structure: Structure,
    group: Group,
    loads: Load | Sequence[Load],
    acceleration: Callable[[np.ndarray], np.ndarray] | None,
) -> np.ndarray:
    """Return the nodal loads (ne, nd) that stand for loads and inertia along the elements of a group."""
    total = np.zeros((len(group.nodes), group.nodes.shape[1] * group.property.freedoms))
    along = [load.on_elements(structure, group) for load in load_list(loads)]
    if acceleration is not None:
        along.append(accelerated(structure, group, lambda x: -acceleration(x)))
    return sum((one for one in along if one is not None), total)

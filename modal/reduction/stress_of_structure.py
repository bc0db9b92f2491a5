"""Stress modes of a finite-element structure: averages at nodes, section forces, and the drawn surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

import fem
from fem.analysis.recovery import smooth_parts
from fem.elements import ELEMENTS, FACES
from fem.elements.shell.geometry import normals
from fem.model.assembly import batches
from fem.model.group import Group
from fem.model.outer_surface import OuterSurface

from ..body.inertia import FloatArray
from ..body.stress_modes import BOTTOM, LINE, SOLID, TOP, IntArray, StressModes


@dataclass(frozen=True, eq=False)
class _Averages:
    """Means over the corners of the elements ``rows`` of ``groups``, all of one property.

    ``same`` (k,c) of values at the c corners; of shells ``same`` of those on this side and ``other`` of those on the
    other. ``nodes`` (k,), ``normal`` (k,3) of shells.
    """

    groups: tuple[Group, ...]
    rows: tuple[IntArray, ...]
    nodes: IntArray
    same: scipy.sparse.csr_array
    other: scipy.sparse.csr_array | None = None
    normal: FloatArray | None = None


def stress_modes(
    structure: fem.Structure,
    Phi: FloatArray,
    origin: FloatArray,
    interfaces: Sequence[fem.Interface],
    drawn_nodes: IntArray | None,
    outside: Sequence[OuterSurface],
) -> StressModes | None:
    """Return the stresses of the columns of Phi (unknowns,N); None for a structure without elements that have any.

    The drawn surface is that of the skins ``outside``, or the nodes ``drawn_nodes`` (m,) of a body of solids alone.
    Memory while it works: the stresses of one base function on the elements that touch the surface.
    """
    if not structure.groups:
        return None
    wanted = _wanted(structure, interfaces, drawn_nodes, outside)
    averages = [*_of_solids(structure, wanted), *_of_shells(structure)]
    lines = [group for group in structure.groups if group.kind.startswith("line")]
    tensors, forces = _modes(structure, Phi, averages, lines)
    nodes = [np.tile(a.nodes, 1 if a.other is None else 2) for a in averages]
    side = [np.repeat((SOLID,) if a.other is None else (BOTTOM, TOP), len(a.nodes)) for a in averages]
    ends = [group.nodes.ravel() for group in lines]
    sections = [group.property.line_section for group in lines]
    count = np.array([len(each) for each in ends], dtype=np.int64)
    side.append(np.full(count.sum(), LINE))
    of_points = np.concatenate([*nodes, *ends]).astype(np.int64)
    drawn, drawn_at = _drawn(averages, lines, drawn_nodes, outside)
    return StressModes(
        points=structure.mesh.points[of_points] - origin,
        nodes=of_points,
        side=np.concatenate(side).astype(np.int64),
        tensors=tensors,
        forces=forces,
        section=np.repeat(np.arange(len(lines)), count),
        sections=tuple(sections),
        drawn=drawn,
        drawn_at=drawn_at,
        sets={i.name: np.flatnonzero(np.isin(of_points, i.nodes)) for i in interfaces},
        R=np.eye(3),
    )


def _wanted(
    structure, interfaces, drawn_nodes: IntArray | None, outside: Sequence[OuterSurface]
) -> np.ndarray:
    """Return which nodes (n,) of solids are kept: those of the surface, and those of named sets inside."""
    wanted = np.zeros(structure.mesh.n_nodes, dtype=bool)
    if drawn_nodes is not None:
        wanted[drawn_nodes] = True
    for surface in outside:
        if surface.family == "solid":
            wanted[surface.nodes] = True
    for interface in interfaces:
        wanted[interface.nodes] = True
    return wanted


def _of_solids(structure: fem.Structure, wanted: np.ndarray) -> list[_Averages]:
    found = []
    for members in _by_property(structure, ELEMENTS):
        rows = tuple(np.flatnonzero(wanted[group.nodes].any(axis=1)) for group in members)
        corners = np.concatenate([g.nodes[r].ravel() for g, r in zip(members, rows, strict=True)])
        kept = np.flatnonzero(wanted[corners])
        nodes, mean = _mean(corners[kept], kept, len(corners))
        found.append(_Averages(members, rows, nodes, mean))
    return found


def _of_shells(structure: fem.Structure) -> list[_Averages]:
    found = []
    for members in _by_property(structure, FACES):
        corners = np.concatenate([group.nodes.ravel() for group in members])
        normal = np.concatenate(
            [normals(group.kind, structure.mesh.points[group.nodes]).reshape(-1, 3) for group in members]
        )
        rows = tuple(np.arange(len(group.nodes)) for group in members)
        for mine, opposite in smooth_parts(corners, normal):
            nodes, mean = _mean(corners[mine], mine, len(corners))
            turned = np.zeros(len(corners))
            turned[mine[opposite]] = 1.0
            _, first = np.unique(corners[mine], return_index=True)
            same, other = scipy.sparse.csr_array(mean * (1 - turned)), scipy.sparse.csr_array(mean * turned)
            found.append(_Averages(members, rows, nodes, same, other, normal[mine][first]))
    return found


def _by_property(structure: fem.Structure, kinds) -> list[tuple[Group, ...]]:
    alike: dict[int, list[Group]] = {}
    for group in structure.groups:
        if group.kind in kinds:
            alike.setdefault(id(group.property), []).append(group)
    return [tuple(members) for members in alike.values()]


def _mean(nodes: IntArray, columns: IntArray, width: int) -> tuple[IntArray, scipy.sparse.csr_array]:
    """Return the nodes (k,) without repetition, and the matrix (k,width) of means over ``columns`` with that node."""
    at, place, count = np.unique(nodes, return_inverse=True, return_counts=True)
    place = place.ravel()
    entries = (1.0 / count[place], (place, columns))
    return at, scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(len(at), width)))


def _modes(
    structure: fem.Structure, Phi: FloatArray, averages: list[_Averages], lines: list[Group]
) -> tuple[FloatArray, FloatArray]:
    N = Phi.shape[1]
    sizes = [len(a.nodes) * (1 if a.other is None else 2) for a in averages]
    tensors = np.empty((sum(sizes), 6, N))
    forces = np.empty((sum(g.nodes.size for g in lines), 6, N))
    for i in range(N):
        at = 0
        values: np.ndarray = np.empty(0)
        for k, (a, size) in enumerate(zip(averages, sizes, strict=True)):
            if k == 0 or averages[k - 1].groups is not a.groups:
                values = _at_corners(structure, a, Phi[:, i])
            tensors[at : at + size, :, i] = _averaged(a, values)
            at += size
        at = 0
        for group in lines:
            found = _line_forces(structure, group, Phi[:, i])
            forces[at : at + len(found), :, i] = found
            at += len(found)
    return tensors, forces


def _at_corners(structure: fem.Structure, a: _Averages, u: FloatArray) -> FloatArray:
    """Return the stresses at the corners (c,6), of shells (c,2,6), one group after the other."""
    found = []
    for group, rows in zip(a.groups, a.rows, strict=True):
        X, moved = structure.mesh.points[group.nodes[rows]], structure.of_elements(group, u)[rows]
        for part in batches(len(X), moved.shape[1]):
            value = group.property.stress(group.kind, X[part], moved[part])
            found.append(value.reshape(-1, *value.shape[2:]))
    return np.concatenate(found)


def _averaged(a: _Averages, values: FloatArray) -> FloatArray:
    if a.other is None:
        return a.same @ values
    bottom, top = values[:, 0], values[:, 1]
    return np.concatenate([a.same @ bottom + a.other @ top, a.same @ top + a.other @ bottom])


def _line_forces(structure: fem.Structure, group: Group, u: FloatArray) -> FloatArray:
    """Return section forces (ne * nn, 6) in local axes."""
    its = group.property
    stress = its.stress(group.kind, structure.mesh.points[group.nodes], structure.of_elements(group, u))
    return its.section_forces(stress).reshape(-1, 6)


def _drawn(
    averages: list[_Averages],
    lines: list[Group],
    drawn_nodes: IntArray | None,
    outside: Sequence[OuterSurface],
) -> tuple[IntArray, FloatArray]:
    """Return the rows (m,2) between which the points of the drawn surface lie, and where (m,3)."""
    sizes = [len(a.nodes) * (1 if a.other is None else 2) for a in averages]
    start = np.cumsum([0, *sizes])
    if drawn_nodes is not None:
        assert len(averages) == 1
        row = np.searchsorted(averages[0].nodes, drawn_nodes)
        return np.stack([row, row], 1), np.zeros((len(row), 3))
    first_end = start[-1] + np.cumsum([0, *(g.nodes.size for g in lines)])
    rows, at = [np.empty((0, 2), np.int64)], [np.empty((0, 3))]
    for surface in outside:
        if surface.family == "line":
            k = next(k for k, group in enumerate(lines) if group is surface.group)
            assert surface.xi is not None
            assert surface.yz is not None
            element = np.arange(len(surface.points)) // len(surface.xi)
            first = first_end[k] + surface.group.nodes.shape[1] * element
            rows.append(np.stack([first, first + 1], 1))
            at.append(np.tile(np.column_stack([surface.xi, surface.yz]), (len(surface.group.nodes), 1)))
        else:
            mine = [(a, int(s)) for a, s in zip(averages, start, strict=False) if surface.group in a.groups]
            row = _row_of(surface, mine)
            rows.append(np.stack([row, row], 1))
            at.append(np.zeros((len(row), 3)))
    return np.concatenate(rows), np.concatenate(at)


def _row_of(surface: OuterSurface, averages: list[tuple[_Averages, int]]) -> IntArray:
    """Return the row of each point of a surface; on shells that of the part with the nearest normal, and its side."""
    if surface.family == "solid":
        (its, start), *_ = averages
        return start + np.searchsorted(its.nodes, surface.nodes)
    half = len(surface.points) // 2
    assert surface.arm is not None
    across = surface.arm[half:] - surface.arm[:half]
    across = across / np.linalg.norm(across, axis=1)[:, None]
    nodes = surface.nodes[:half]
    row, best = np.full((half, 2), -1), np.full(half, -1.0)
    for its, start in averages:
        place = np.minimum(np.searchsorted(its.nodes, nodes), len(its.nodes) - 1)
        assert its.normal is not None
        agreement = np.einsum("ij,ij->i", across, its.normal[place])
        better = (its.nodes[place] == nodes) & (np.abs(agreement) > best)
        best[better] = np.abs(agreement[better])
        sides = np.where((agreement > 0)[:, None], [0, 1], [1, 0])  # bottom, top of the part
        row[better] = (start + place[:, None] + len(its.nodes) * sides)[better]
    return row.T.ravel()

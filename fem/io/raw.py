"""The common result of all readers, and its conversion to a mesh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..common.errors import FileError, MeshError, listing, warn
from ..elements import ELEMENTS, LINES
from ..mesh.block import Block
from ..mesh.mesh import Mesh
from ..properties.material import Isotropic
from .units import units_of

#: surfaces that can be shells
SHELLS = ("tri3", "quad4")
#: all kinds that can be elements
USABLE = frozenset((*ELEMENTS, *SHELLS, *LINES))
_MENDS = {
    3: "mesh with tetrahedra of 4 or 10 nodes, hexahedra of 8, 20 or 27, wedges of 6 or 15 or pyramids of 5 or 13 (in "
    "gmsh Mesh.SecondOrderIncomplete = 1 makes hexahedra of 20, wedges of 15 and pyramids of 13 nodes)",
    2: "shells have 3 or 4 nodes: mesh surfaces with order 1 (gmsh -2 -order 1); if these are the sides of a solid, "
    "mesh its volume (gmsh -3)",
    1: "beams have 2 nodes, trusses 2 or 3: write lines of these",
}


@dataclass(eq=False)
class RawMesh:
    """The content of a file in its own units, with nodes counted from 0.

    ``blocks``: the elements in the order of the file. ``other``: number of cells that are not used, by their name in
    the format. ``refused``: cells that would be elements but are not supported, by dimension and name. ``materials``:
    (E, nu, rho) as far as the file gives them.
    """

    points: np.ndarray
    blocks: list[Block]
    other: dict[str, int] = field(default_factory=dict)
    refused: dict[tuple[int, str], int] = field(default_factory=dict)
    node_sets: dict[str, np.ndarray] = field(default_factory=dict)
    faces: dict[str, list[Block]] = field(default_factory=dict)
    element_sets: dict[str, np.ndarray] = field(default_factory=dict)
    materials: dict[str, tuple[float | None, float | None, float | None]] = field(default_factory=dict)
    sections: list[tuple[str, str]] = field(default_factory=list)


def distinct(elements: list[tuple[Block, list[str]]]) -> tuple[list[Block], dict[str, np.ndarray]]:
    """Return blocks without repeated elements (same kind, same nodes), and the named element sets.

    Each block comes with the names of the sets that hold all of it.
    """
    known: dict[tuple[str, bytes], int] = {}
    blocks: list[Block] = []
    sets: dict[str, np.ndarray] = {}
    for block, names in elements:
        ordered = np.sort(block.nodes, axis=1)
        numbers, fresh = np.empty(len(block), np.int64), np.zeros(len(block), bool)
        for k, row in enumerate(ordered):
            before = len(known)
            numbers[k] = known.setdefault((block.element, row.tobytes()), before)
            fresh[k] = len(known) > before
        if fresh.any():
            blocks.append(Block(block.element, block.nodes[fresh], block.ids[fresh]))
        for name in names:
            sets[name] = np.union1d(sets.get(name, np.empty(0, np.int64)), numbers)
    return blocks, sets


def refuse_unsupported(path: Path, refused: Mapping[tuple[int, str], int]) -> None:
    """Raise :class:`FileError` if the file contains cells with mass or stiffness that are not supported."""
    if refused:
        found = ", ".join(f"{count} {kind}" for (_, kind), count in refused.items())
        mends = "; ".join(_MENDS[dim] for dim in sorted({dim for dim, _ in refused}, reverse=True))
        raise FileError(f"{path} holds elements that are not supported: {found}; {mends}")


def build(raw: RawMesh, path: Path, units: str) -> Mesh:
    """Return the mesh in SI units without nodes that belong to no element; sets are renumbered."""
    scale = units_of(units)
    if not any(map(len, raw.blocks)):
        found = ", only " + ", ".join(f"{n} {kind}" for kind, n in raw.other.items()) if raw.other else ""
        raise MeshError(
            f"{path} holds no elements{found}; flexbody needs {listing(ELEMENTS)} as solids, {listing(SHELLS)} as "
            f"shells or {listing(LINES)} as beams and trusses. Mesh the geometry (gmsh -3, or -2 for shells)"
        )
    keep = np.zeros(len(raw.points), bool)
    for block in raw.blocks:
        keep[block.nodes] = True
    number = np.full(len(keep), -1, np.int64)
    number[keep] = np.arange(keep.sum())

    def renumber(block: Block) -> Block:
        return Block(block.element, number[block.nodes], block.ids)

    faces, node_sets, lost = {}, {}, []
    for name, blocks in raw.faces.items():
        attached = [Block(b.element, b.nodes[keep[b.nodes].all(axis=1)]) for b in blocks]
        faces[name] = tuple(renumber(block) for block in attached if len(block))
    for name, nodes in raw.node_sets.items():
        nodes = np.unique(np.asarray(nodes, dtype=np.int64))
        members = number[nodes[keep[nodes]]]
        if len(members):
            node_sets[name] = members
        else:
            lost.append(name)
    if lost:
        warn(f"{path}: the sets {listing(lost)} have no node on an element and are left out")
    element_sets = {k: np.unique(np.asarray(v, dtype=np.int64)) for k, v in raw.element_sets.items()}
    return Mesh(
        points=raw.points[keep] * scale.length,
        blocks=tuple(map(renumber, raw.blocks)),
        node_sets=node_sets,
        faces={name: blocks for name, blocks in faces.items() if blocks},
        element_sets={name: members for name, members in element_sets.items() if len(members)},
        materials=_materials(raw.materials, path, units),
        sections=tuple(raw.sections),
        name=path.stem,
        path=path,
        units=units,
    )


def check_nodes(blocks: Iterable[Block], n_points: int, path: Path) -> None:
    """Raise :class:`FileError` if elements or faces use nodes that are not in the file."""
    for block in blocks:
        lost = (block.nodes < 0) | (block.nodes >= n_points)
        if lost.any():
            row, column = np.argwhere(lost)[0]
            raise FileError(
                f"{path} is damaged: {block.element} element {block.ids[row]} uses node {block.nodes[row, column]}, "
                f"and the file holds nodes 0 to {n_points - 1}; write the file again"
            )


def _materials(table: Mapping[str, tuple], path: Path, units: str) -> dict[str, Isotropic]:
    """Return the materials of the file in SI units; a material without elasticity or density is omitted."""
    scale, materials = units_of(units), {}
    for name, (E, nu, rho) in table.items():
        if E is None or nu is None or rho is None:
            continue
        try:
            materials[name] = Isotropic(E * scale.modulus, nu, rho * scale.density)
        except ValueError as error:
            raise FileError(f"{path}, material {name!r}: {error}") from None
        if materials[name].rho < 1e-3 and materials[name].E < 1e9:
            warn(
                f"{path}: material {name!r} has a density of {rho:g} kg/m^3, which looks like t/mm^3; read "
                "the file with units='mm'"
            )
    return materials

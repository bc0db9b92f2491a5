"""The common result of all readers, and its conversion to a mesh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..common.errors import FileError, MeshError, few, listing, warn
from ..elements import ELEMENTS, LINES
from ..elements.property import Property
from ..mesh.block import Block
from ..mesh.coordinate_system import CoordinateSystem
from ..mesh.left_out import Omissions
from ..mesh.mesh import Mesh
from ..model.freedoms import NAMES
from ..model.parts import Part
from ..properties.material import Isotropic, Material
from .units import Units, doubtful_units, units_of

#: surfaces that can be shells
SHELLS = ("tri3", "quad4", "tri6", "quad8", "quad9")
#: all kinds that can be elements
USABLE = frozenset((*ELEMENTS, *SHELLS, *LINES))
_MENDS = {
    3: "mesh with tetrahedra of 4 or 10 nodes, hexahedra of 8, 20 or 27, wedges of 6 or 15 or pyramids of 5 or 13 (in "
    "gmsh Mesh.SecondOrderIncomplete = 1 makes hexahedra of 20, wedges of 15 and pyramids of 13 nodes)",
    2: "shells have 3, 4, 6, 8 or 9 nodes: mesh surfaces with order 1 or 2 (gmsh -2 -order 2); if these are the sides "
    "of a solid, mesh its volume (gmsh -3)",
    1: "beams have 2 nodes, trusses 2 or 3: write lines of these",
}


@dataclass(eq=False)
class RawMesh:
    """The content of a file, with nodes counted from 0.

    ``points`` and the origins of ``systems`` are in the units of the file. ``materials``, ``properties`` and ``parts``
    are in SI: a reader makes them with the factors of :class:`Units`, as a user would write them. ``blocks``: the
    elements in the order of the file. ``other``: number of cells that are not used, by their name in the format.
    ``refused``: cells that would be elements but are not supported, by dimension and name.

    The other fields are those of :class:`fem.Mesh`. ``properties`` may name element sets that come to be empty.
    ``parts`` refer to nodes by node sets, or by their number in ``node_ids``; these nodes stay in the mesh without
    elements too. ``left_out`` takes what does not change the body (loads, results, supports that can't be kept);
    everything that has mass or stiffness and can't be read is an error. ``doubts`` become a warning too.
    """

    points: np.ndarray
    blocks: list[Block]
    other: dict[str, int] = field(default_factory=dict)
    refused: dict[tuple[int, str], int] = field(default_factory=dict)
    node_ids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    node_sets: dict[str, np.ndarray] = field(default_factory=dict)
    faces: dict[str, list[Block]] = field(default_factory=dict)
    element_sets: dict[str, np.ndarray] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    properties: dict[str, Material | Property | None] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    part_lines: list[str] = field(default_factory=list)
    supports: dict[str, Any] = field(default_factory=dict)
    turned_supports: list[Any] = field(default_factory=list)
    systems: dict[str, CoordinateSystem] = field(default_factory=dict)
    left_out: Omissions = field(default_factory=Omissions)
    doubts: list[str] = field(default_factory=list)

    def say_lines(self, place: str) -> None:
        """Note the place in the file, such as "line 12", of the parts that were added last."""
        self.part_lines += [place] * (len(self.parts) - len(self.part_lines))


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
    """Return the mesh in SI units without nodes that nothing uses; sets are renumbered. Doubts become a warning."""
    scale = units_of(units)
    if not any(map(len, raw.blocks)):
        raise _without_elements(raw, path)
    ids = raw.node_ids if len(raw.node_ids) else np.arange(1, len(raw.points) + 1)
    keep = _used(raw, ids, path)
    number = np.full(len(keep), -1, np.int64)
    number[keep] = np.arange(keep.sum())

    def renumber(block: Block) -> Block:
        return block.moved(number[block.nodes])

    if unused := int((~keep).sum()):
        raw.left_out.add(
            "nodes" if unused > 1 else "node",
            f"no element or connection uses {'them' if unused > 1 else 'it'}: {few(map(str, ids[~keep].tolist()))}",
            count=unused,
        )
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
    sets = {k: np.unique(np.asarray(v, dtype=np.int64)) for k, v in raw.element_sets.items()}
    element_sets = {name: members for name, members in sets.items() if len(members)}
    size = scale.length * float(np.linalg.norm(np.ptp(raw.points[keep], axis=0)))
    solids = any(block.element in ELEMENTS for block in raw.blocks)
    raw.doubts += doubtful_units(units, size, solids, raw.materials)
    if raw.doubts:
        warn(f"{path}: {'; '.join(raw.doubts)}")
    return Mesh(
        points=raw.points[keep] * scale.length,
        blocks=tuple(map(renumber, raw.blocks)),
        node_sets=node_sets,
        faces={name: blocks for name, blocks in faces.items() if blocks},
        element_sets=element_sets,
        node_ids=ids[keep],
        materials=raw.materials,
        properties={k: its for k, its in raw.properties.items() if k in element_sets or k not in sets},
        parts=tuple(raw.parts),
        part_lines=tuple(raw.part_lines) if len(raw.part_lines) == len(raw.parts) else (),
        supports=_supports(raw, ids, keep, lost),
        turned_supports=_usable(raw, ids, keep),
        systems={name: scaled(system, scale.length) for name, system in raw.systems.items()},
        left_out=raw.left_out.all(),
        doubts=tuple(raw.doubts),
        name=path.stem,
        path=path,
        units=units,
    )


def _without_elements(raw: RawMesh, path: Path) -> MeshError:
    """Return the error of a file whose elements make no body."""
    found = ", only " + ", ".join(f"{n} {kind}" for kind, n in raw.other.items()) if raw.other else ""
    if raw.parts:
        return MeshError(
            f"{path} holds no elements{found}{last_line(path)}; springs, masses and connections "
            f"({few([part.words() for part in raw.parts])}) alone make no flexible body. Give springs to the machine "
            "(flexbody.SpringDamper, flexbody.Bushing), masses to rigid bodies (flexbody.RigidBody)"
        )
    if raw.doubts:  # why they may be missing
        found += f" ({'; '.join(raw.doubts)})"
    return MeshError(
        f"{path} holds no elements{found}{last_line(path)}; flexbody needs {listing(ELEMENTS)} as solids, "
        f"{listing(SHELLS)} as shells or {listing(LINES)} as beams and trusses. Mesh the geometry (gmsh -3, or -2 for "
        "shells)"
    )


def last_line(path: Path) -> str:
    """Return, of a text, where it ends, in words: what is missing there may have been cut off."""
    data = path.read_bytes()
    return "" if b"\0" in data else f"; its last line is line {len(data.splitlines())}"


def _used(raw: RawMesh, ids: np.ndarray, path: Path) -> np.ndarray:
    """Return which nodes elements or parts use, (n,); FileError for parts that name nodes which do not exist."""
    keep = np.zeros(len(raw.points), bool)
    for block in raw.blocks:
        keep[block.nodes] = True
    position = {int(k): i for i, k in enumerate(ids)} if raw.parts else {}
    lines = raw.part_lines if len(raw.part_lines) == len(raw.parts) else [""] * len(raw.parts)
    for part, line in zip(raw.parts, lines, strict=True):
        for name in part.uses:
            if name in raw.node_sets:
                keep[raw.node_sets[name]] = True
            elif name.isdecimal() and int(name) in position:
                keep[position[int(name)]] = True
            else:
                where = f", {line}" if line else ""
                raise FileError(f"{path}{where}: the {part.words()}: there is no node or node set {name!r}")
    return keep


def _supports(raw: RawMesh, ids: np.ndarray, keep: np.ndarray, lost: Sequence[str]) -> dict[str, Any]:
    """Return the supports of nodes that are kept; others are left out with a word."""
    dropped = set(lost) | {str(k) for k in ids[~keep].tolist() if str(k) not in raw.node_sets}
    for name in raw.supports.keys() & dropped:
        raw.left_out.add(f"support of node {name}", "no element or connection uses the node")
    return {name: what for name, what in raw.supports.items() if name not in dropped}


def _usable(raw: RawMesh, ids: np.ndarray, keep: np.ndarray) -> tuple[Any, ...]:
    """Return the supports in turned axes of nodes that are kept, rotations where elements or parts have them."""
    if not raw.turned_supports:
        return ()
    turning = np.zeros(len(keep), bool)
    for block in raw.blocks:
        if block.element not in ELEMENTS:
            turning[block.nodes] = True
    named = {name for part in raw.parts for name in part.uses}
    place = {str(k): i for i, k in enumerate(ids.tolist())}
    usable = []
    for one in raw.turned_supports:
        node, component, _ = one.terms[0]
        at = place[node] if node in place else int(raw.node_sets[node][0])
        if keep[at] and (component in NAMES[:3] or turning[at] or node in named):
            usable.append(one)
    return tuple(usable)


def scaled(system: CoordinateSystem, length: float) -> CoordinateSystem:
    """Return a coordinate system whose origin is given in units of ``length`` (m)."""
    return replace(system, origin=np.asarray(system.origin) * length)


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


def isotropic(path: Path, name: str, values: tuple[float, float, float], units: Units) -> Isotropic:
    """Return the material of a file with E, nu and density in the units of the file; FileError if it is not valid."""
    E, nu, rho = values
    try:
        return Isotropic(E * units.modulus, nu, rho * units.density)
    except ValueError as error:
        raise FileError(f"{path}, material {name!r}: {error}") from None

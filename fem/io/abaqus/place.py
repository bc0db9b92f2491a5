"""From the scopes of an Abaqus model to one mesh: nodes, elements, sets and surfaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...common.errors import FileError, listing
from ...common.names import with_match
from ...elements import FACES, SHAPES
from ...mesh.block import Block
from ...mesh.surface import faces_of
from ..order import by_position
from ..raw import RawMesh
from .element_types import is_halved, shape_of
from .model import Model
from .scope import Elements, Numbering, Range, Scope, Surface
from .sides import edge_of, side_of

#: scope and name of the sets in which a set is looked up
_Above = tuple[tuple[str, str], ...]
_WHAT = {"nset": "node", "elset": "element"}


@dataclass(eq=False)
class Cells:
    """All elements in the order of the mesh: ``kind`` (n,) their types, ``nodes`` of each, and the node ``direction``.

    Elements with a shape stand first, as in the blocks of the mesh; masses, springs and rigid surfaces follow.
    ``second`` (n,): the second half of beams of three nodes, whose first half has their number; -1 for all others.
    """

    kinds: list[str] = field(default_factory=list)
    block: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    row: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    tables: list[np.ndarray] = field(default_factory=list)
    directions: list[np.ndarray] = field(default_factory=list)
    n_shaped: int = 0
    second: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    def kind(self, element: int) -> str:
        """Return the type of an element."""
        return self.kinds[self.block[element]]

    def nodes(self, element: int) -> np.ndarray:
        """Return the nodes of an element in the mesh."""
        return self.tables[self.block[element]][self.row[element]]

    def by_block(self, elements: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield number of block, elements and rows in it."""
        for block in np.unique(self.block[elements]):
            mine = elements[self.block[elements] == block]
            yield int(block), mine, self.row[mine]


@dataclass(eq=False)
class Placed:
    """The mesh with all that refers to numbers and names of scopes."""

    model: Model
    raw: RawMesh
    scopes: list[Scope]
    numbering: dict[tuple[str, str], Numbering]
    cells: Cells
    instances: dict[str, Scope] = field(init=False)
    edges: dict[str, list[np.ndarray]] = field(default_factory=dict)  # of shells, by surface
    _labels: dict[tuple[str, str, str], str] = field(default_factory=dict)
    _known: dict[tuple[str, str, str], np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.instances = {scope.name.upper(): scope for scope in self.scopes if scope.name}

    # ---- sets ----------------------------------------------------------------------------------------------

    def members(self, scope: Scope, kind: str, name: str, above: _Above = ()) -> np.ndarray:
        """Return the nodes or elements of a "nset" or "elset"."""
        key = (scope.name, kind, name.upper())
        if key in self._known:
            return self._known[key]
        its = scope.sets.get((kind, name.upper()))
        if its is None:
            names = [other.name for (k, _), other in scope.sets.items() if k == kind]
            raise ValueError(
                f"there is no {kind} {with_match(name, names)}{scope.where}; there are {listing(names)}"
            )
        if (scope.name, name.upper()) in above:
            raise ValueError(f"the {kind} {name!r} contains itself")
        found = [np.empty(0, np.int64)]
        for instance, member in its.members:
            inside = (*above, (scope.name, name.upper()))
            found.append(member.look_up(_InMesh(self, self._scope(scope, instance), kind, inside)))
        all_of = np.concatenate(found)
        if its.unsorted:
            _, first = np.unique(all_of, return_index=True)
            self._known[key] = all_of[np.sort(first)]
        else:
            self._known[key] = np.unique(all_of)
        return self._known[key]

    def _scope(self, scope: Scope, instance: str) -> Scope:
        if not instance:
            return scope
        if instance.upper() not in self.instances:
            raise ValueError(f"there is no instance {instance!r}")
        return self.instances[instance.upper()]

    def find(self, scope: Scope, kind: str, token: str) -> np.ndarray:
        """Return the nodes or elements of a number or a name, with or without its instance."""
        return _InMesh(self, scope, kind).named(token)

    def nodes_of_elements(self, elements: np.ndarray) -> np.ndarray:
        """Return the nodes of elements."""
        pieces = [self.cells.tables[b][rows].ravel() for b, _, rows in self.cells.by_block(elements)]
        return np.unique(np.concatenate([np.empty(0, np.int64), *pieces]))

    # ---- names ---------------------------------------------------------------------------------------------

    def label(self, scope: Scope, kind: str, name: str) -> str:
        """Return the name of a set of a scope in the mesh."""
        return self._labels[scope.name, kind, name.upper()]

    def node_set(self, scope: Scope, token: str) -> str:
        """Return a name of the mesh for a number of a node or a node set."""
        if ("nset", token.upper()) in scope.sets:
            return self.label(scope, "nset", token)
        instance, dot, rest = token.partition(".")
        if dot and instance.upper() in self.instances:
            return self.node_set(self.instances[instance.upper()], rest)
        return self.node(int(self.find(scope, "nset", token)[0]))

    def node(self, node: int) -> str:
        """Return a name of the mesh for a node: its number if no other node has it and no set is called so."""
        number = str(int(self.raw.node_ids[node]))
        if number not in self.raw.node_sets and self._unique[node]:
            return number
        if node in self._single:
            return self._single[node]
        scope = self.scopes[int(np.searchsorted(self._starts, node, side="right")) - 1]
        name = f"{scope.name or 'assembly'}.{number}"
        self.raw.node_sets.setdefault(name, np.array([node]))
        return name

    def surface(self, scope: Scope, name: str) -> str:
        """Return the node set in the mesh of a surface, with or without its instance."""
        if name.upper() in scope.surfaces:
            found = self.label(scope, "surface", name)
            if found not in self.raw.node_sets:
                raise ValueError(f"the surface {name!r} holds no faces, edges or nodes that are read")
            return found
        instance, dot, rest = name.partition(".")
        if dot and instance.upper() in self.instances:
            return self.surface(self.instances[instance.upper()], rest)
        names = [its.name for its in scope.surfaces.values()]
        raise ValueError(
            f"there is no surface {with_match(name, names)}{scope.where}; there are {listing(names)}"
        )

    @cached_property
    def _single(self) -> dict[int, str]:
        """The first set that holds one node alone, for each such node."""
        found: dict[int, str] = {}
        for name, nodes in self.raw.node_sets.items():
            if len(nodes) == 1:
                found.setdefault(int(nodes[0]), name)
        return found

    def number_nodes(self) -> None:
        """Count which numbers only one node has."""
        _, inverse, count = np.unique(self.raw.node_ids, return_inverse=True, return_counts=True)
        self._unique = count[inverse] == 1
        sizes = [sum(len(piece.ids) for piece in scope.nodes) for scope in self.scopes]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]

    def name_all(self) -> None:
        """Give all sets and surfaces their names in the mesh."""
        for scope in self.scopes:
            for (kind, key), its in scope.sets.items():
                alone = sum((kind, key) in other.sets for other in self.scopes) == 1
                label = its.name if alone or not scope.name else f"{scope.name}.{its.name}"
                self._labels[scope.name, kind, key] = label
                try:
                    found = np.unique(self.members(scope, kind, its.name))
                except ValueError as error:
                    where = f", {its.place}" if its.place else ""
                    raise FileError(f"{self.model.path}{where}: {error}") from None
                if kind == "nset":
                    self.raw.node_sets[label] = found
                else:
                    self.raw.element_sets[label] = found[found < self.cells.n_shaped]
        for scope in self.scopes:
            for key, surface in scope.surfaces.items():
                alone = sum(key in other.surfaces for other in self.scopes) == 1
                label = surface.name if alone or not scope.name else f"{scope.name}.{surface.name}"
                self._labels[scope.name, "surface", key] = self._add_surface(scope, surface, label)

    # ---- surfaces ------------------------------------------------------------------------------------------

    def _add_surface(self, scope: Scope, surface: Surface, name: str) -> str:
        """Add a surface as a node set, with its faces; return its name, which another set must not have."""
        try:
            blocks: list[Block] = []
            edges: list[np.ndarray] = []
            if surface.of_nodes:
                nodes = self._surface_nodes(scope, surface)
            else:
                blocks, edges = self._surface_faces(scope, surface, name)
                pieces = [*(b.nodes.ravel() for b in blocks), *(one.ravel() for one in edges)]
                nodes = np.unique(np.concatenate([np.empty(0, np.int64), *pieces]))
        except ValueError as error:
            raise FileError(f"{self.model.path}, {surface.place}, *Surface: {error}") from None
        if not len(nodes):
            return name
        if name in self.raw.node_sets and not np.array_equal(self.raw.node_sets[name], nodes):
            name = f"{name} (surface)"  # the node set keeps its name
        self.raw.node_sets[name] = nodes
        if blocks:
            self.raw.faces[name] = blocks
        if edges:
            self.edges[name] = edges
        return name

    def _surface_nodes(self, scope: Scope, surface: Surface) -> np.ndarray:
        found = [self.find(scope, "nset", entry) for entry, *_ in surface.rows]
        return np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    def _surface_faces(
        self, scope: Scope, surface: Surface, name: str
    ) -> tuple[list[Block], list[np.ndarray]]:
        """Convert ``element or set, S3`` to faces, and ``E2`` to the nodes (n, 2) or (n, 3) of edges of shells.

        The faces of an element are in the order S1, S2, ... of Abaqus. ``SPOS`` is the side of a shell to which its
        normal points, ``SNEG`` the other. Without a side: the outer faces of solids, the positive sides of shells.
        """
        groups: dict[str, list[np.ndarray]] = {}
        edges: list[np.ndarray] = []
        for entry, *rest in surface.rows:
            side = rest[0].upper() if rest else ""
            if side in ("END1", "END2", "EDGE"):
                self.model.left_out.add(
                    "row of *Surface", f"{side} is not read; name nodes", surface.place.removeprefix("line ")
                )
                continue
            elements = self.find(scope, "elset", entry)
            if not side:
                self._free_faces(elements, groups)
                continue
            for block, _, rows in self.cells.by_block(elements):
                kind = shape_of(self.cells.kinds[block])
                if kind is None:
                    raise ValueError(
                        f"the surface {name!r} names {self.cells.kinds[block]}, which has no faces"
                    )
                edge = edge_of(kind, side, name)
                if edge:
                    edges.append(self.cells.tables[block][rows][:, edge])
                    continue
                which, local = side_of(kind, side, name)
                groups.setdefault(which, []).append(self.cells.tables[block][rows][:, local])
        return [Block(kind, np.vstack(nodes)) for kind, nodes in groups.items()], edges

    def _free_faces(self, elements: np.ndarray, groups: dict[str, list[np.ndarray]]) -> None:
        """Add the faces that belong to one of these elements only."""
        solids = []
        for block, _, rows in self.cells.by_block(elements):
            kind, nodes = shape_of(self.cells.kinds[block]), self.cells.tables[block][rows]
            if kind in FACES:
                groups.setdefault(kind, []).append(nodes)
            elif kind is not None and SHAPES[kind].faces:
                solids.append(Block(kind, nodes))
        for kind, nodes in faces_of(solids, exterior=True):
            groups.setdefault(kind, []).append(nodes)


class _InMesh(NamedTuple):
    """Looks up members of a set of a scope in the mesh; ``above``: the sets that are being looked up."""

    placed: Placed
    scope: Scope
    kind: str
    above: _Above = ()

    @property
    def _numbering(self) -> Numbering:
        return self.placed.numbering[self.scope.name, _WHAT[self.kind]]

    def numbers(self, ids: np.ndarray) -> np.ndarray:
        return self._whole(self._numbering.find(ids))

    def within(self, wanted: Range) -> np.ndarray:
        return self._whole(self._numbering.within(wanted))

    def _whole(self, found: np.ndarray) -> np.ndarray:
        """Return nodes, or elements with the second halves of those that have one."""
        if self.kind == "nset":
            return found
        second = self.placed.cells.second[found]
        return np.concatenate([found, second[second >= 0]])

    def nodes_of(self, elset: str) -> np.ndarray:
        return self.placed.nodes_of_elements(self.placed.members(self.scope, "elset", elset))

    def named(self, name: str) -> np.ndarray:
        """Return the nodes or elements of a set, of a number, or of one of both in an instance ("part-1.12")."""
        scope, kind, instances = self.scope, self.kind, self.placed.instances
        if (kind, name.upper()) in scope.sets:
            return self.placed.members(scope, kind, name, self.above)
        if name.isdecimal() and len(name) < 19:
            return self.numbers(np.array([int(name)]))
        instance, dot, rest = name.partition(".")
        if dot and instance.upper() in instances:
            return self._replace(scope=instances[instance.upper()]).named(rest)
        who = f"the {kind} {self.above[-1][1]!r} names {name!r}" if self.above else f"{name!r} is named"
        raise ValueError(f"{who}, which does not exist{scope.where}")


def place(model: Model) -> Placed:
    """Return all instances in one mesh; a part without instances is placed itself."""
    instances = model.instances or [part.instance(part.name) for part in model.parts.values()]
    scopes = [model.assembly, *instances]
    points, ids, n, numbering = [np.empty((0, 3))], [np.empty(0, np.int64)], 0, {}
    for scope in scopes:
        numbering[scope.name, "node"] = Numbering("node", scope.where)
        pieces = []
        for its in scope.nodes:
            points.append(scope.placed(its.x))
            ids.append(its.ids)
            pieces.append((its.ids, n, its.place))
            n += len(its.ids)
        numbering[scope.name, "node"].fill(pieces)
    x = np.vstack(points)
    cells = Cells()
    blocks: list[Block] = []
    starts = _add_cells(model, scopes, numbering, x, cells, blocks, shaped=True)
    halves = _add_second_halves(cells, blocks)
    cells.n_shaped = sum(map(len, blocks))
    for key, pieces in _add_cells(model, scopes, numbering, x, cells, [], shaped=False).items():
        starts[key] += pieces
    cells.block = np.repeat(np.arange(len(cells.tables)), [len(table) for table in cells.tables])
    cells.second = np.full(len(cells.block), -1)
    for first, second in halves:
        cells.second[first : first + len(second)] = second
    rows = [np.arange(len(table)) for table in cells.tables]
    cells.row = np.concatenate([np.empty(0, np.int64), *rows])
    for scope in scopes:
        numbering[scope.name, "element"] = Numbering("element", scope.where)
        numbering[scope.name, "element"].fill(starts[scope.name])
    raw = RawMesh(x, blocks, node_ids=np.concatenate(ids), left_out=model.left_out, doubts=model.doubts)
    placed = Placed(model, raw, scopes, numbering, cells)
    placed.number_nodes()
    return placed


def _add_cells(
    model: Model,
    scopes: list[Scope],
    numbering: dict[tuple[str, str], Numbering],
    x: np.ndarray,
    cells: Cells,
    blocks: list[Block],
    shaped: bool,
) -> dict[str, list[tuple[np.ndarray, int, str]]]:
    """Add the elements with or without a shape; return for each scope their numbers and where they begin."""
    starts: dict[str, list[tuple[np.ndarray, int, str]]] = {scope.name: [] for scope in scopes}
    first = sum(map(len, cells.tables))
    for scope in scopes:
        for its in scope.elements:
            shape = shape_of(its.kind)
            if (shape is not None) != shaped:
                continue
            find: Callable[[np.ndarray], np.ndarray] = numbering[scope.name, "node"].find
            try:
                nodes = _nodes_by_name(its.names, scope, numbering) if its.names else _found(its, find)
                beside = its.direction > 0
                direction = np.full(len(its.ids), -1)
                direction[beside] = find(its.direction[beside])
                if is_halved(its.kind):  # two ends, then the middle
                    nodes = by_position(Block("line3", nodes), x).nodes
                    blocks.append(Block("line2", nodes[:, [0, 2]], its.ids, its.lines))
                elif shape is not None:
                    # programs write the middle nodes of T3D3 and C3D27 in different orders
                    block = by_position(Block(shape, nodes, its.ids, its.lines), x)
                    blocks.append(block)
                    nodes = block.nodes
            except ValueError as error:
                raise FileError(f"{model.path}, {its.place}, *Element: {error}") from None
            starts[scope.name].append((its.ids, first, its.place))
            first += len(nodes)
            cells.kinds.append(its.kind)
            cells.tables.append(nodes)
            cells.directions.append(direction)
    return starts


def _found(its: Elements, find: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the nodes (n, nn) of elements; ValueError names the element whose node is not in the file."""
    try:
        return find(its.nodes)
    except ValueError:
        for number, row in zip(its.ids, its.nodes, strict=True):
            try:
                find(row)
            except ValueError as error:
                raise ValueError(f"element {number}: {error}") from None
        raise


def _nodes_by_name(
    names: tuple[tuple[str, ...], ...], scope: Scope, numbering: dict[tuple[str, str], Numbering]
) -> np.ndarray:
    """Return the nodes (n, nn) of elements that join instances: numbers of the scope, or "arm-1.7" of an instance."""
    scopes = {name.upper(): name for name, _ in numbering}

    def node(token: str) -> int:
        instance, _, number = token.rpartition(".")
        if not number.isdecimal() or instance.upper() not in scopes:
            raise ValueError(f"{token!r} is no node, nor one of an instance")
        where = scopes[instance.upper()] if instance else scope.name
        return int(numbering[where, "node"].find(np.array([int(number)]))[0])

    return np.array([[node(token) for token in row] for row in names])


def _add_second_halves(cells: Cells, blocks: list[Block]) -> list[tuple[int, np.ndarray]]:
    """Make two elements of each that has a middle node; return where first halves begin, and the second halves (n,)."""
    found: list[tuple[int, np.ndarray]] = []
    starts = np.concatenate([[0], np.cumsum([len(table) for table in cells.tables])]).astype(int)
    above = 10 ** len(str(max((int(block.ids.max()) for block in blocks if len(block)), default=0)))
    for k in [k for k, kind in enumerate(cells.kinds) if is_halved(kind)]:
        nodes, n = cells.tables[k], int(sum(map(len, cells.tables)))
        found.append((int(starts[k]), n + np.arange(len(nodes))))
        cells.tables[k] = nodes[:, [0, 2]]
        blocks.append(Block("line2", nodes[:, [2, 1]], above + blocks[k].ids, blocks[k].places))
        cells.kinds.append(cells.kinds[k])
        cells.tables.append(nodes[:, [2, 1]])
        cells.directions.append(cells.directions[k])
    return found

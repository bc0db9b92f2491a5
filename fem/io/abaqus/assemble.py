"""From the parts and instances of an Abaqus model to one mesh."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...common.errors import listing
from ...elements import FACES, SHAPES
from ...mesh.block import Block
from ..order import by_position
from ..raw import RawMesh, isotropic
from ..units import Units


@dataclass(eq=False)
class Part:
    """Nodes, elements and sets in one scope, as in the file; also an instance that has been placed.

    Set members are as in the file: numbers, names of other sets, ``instance.member``. ``?first:last:step`` stands for
    those of a generated range that exist. ``elset NAME`` stands for the nodes of an element set.
    """

    name: str
    nodes: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    elements: list[tuple[str, np.ndarray, np.ndarray]] = field(default_factory=list)
    sets: dict[tuple[str, str], tuple[str, list[str]]] = field(default_factory=dict)
    surfaces: dict[str, list[list[str]]] = field(default_factory=dict)
    sections: list[tuple[str, str]] = field(default_factory=list)
    translation: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray | None = None
    node_number: dict[int, int] = field(default_factory=dict)
    element_number: dict[int, int] = field(default_factory=dict)

    def add(self, kind: str, name: str, members: list[str]) -> None:
        """Add members to a "nset" or "elset"."""
        self.sets.setdefault((kind, name.upper()), (name, []))[1].extend(members)

    def copy(self, name: str) -> Part:
        """Return an instance of this part."""
        sets = {key: (spelling, list(members)) for key, (spelling, members) in self.sets.items()}
        surfaces = {key: list(rows) for key, rows in self.surfaces.items()}
        return Part(name, list(self.nodes), list(self.elements), sets, surfaces, list(self.sections))

    def placed(self, x: np.ndarray) -> np.ndarray:
        """Translate the part, then rotate it about the axis from point a to point b by an angle in degrees."""
        x = x + self.translation
        if self.rotation is None:
            return x
        a, b, angle = self.rotation[:3], self.rotation[3:6], np.radians(self.rotation[6])
        length = np.linalg.norm(b - a)
        if length == 0:
            raise ValueError(f"instance {self.name!r} turns about an axis of no length")
        n, r = (b - a) / length, x - a
        turned = np.cos(angle) * r + np.sin(angle) * np.cross(n, r) + (1 - np.cos(angle)) * np.outer(r @ n, n)
        return a + turned


@dataclass(eq=False)
class Model:
    """The content of a file; a file without parts has everything in ``assembly``."""

    parts: dict[str, Part] = field(default_factory=dict)
    instances: list[Part] = field(default_factory=list)
    assembly: Part = field(default_factory=lambda: Part(""))
    materials: dict[str, tuple[float | None, float | None, float | None]] = field(default_factory=dict)


def place(model: Model, path: Path, units: Units) -> tuple[RawMesh, dict[str, str]]:
    """Return all instances in one mesh, and the names of the materials by element set.

    A part without instances is placed itself.
    """
    sections: dict[str, str] = {}
    instances = model.instances or [part.copy(part.name) for part in model.parts.values()]
    scopes = [model.assembly, *instances]
    points, blocks = [], []
    n, ne = 0, 0
    for scope in scopes:
        for ids, x in scope.nodes:
            points.append(scope.placed(x))
            for i in ids.tolist():
                if i in scope.node_number:
                    raise ValueError(f"node {i} is defined twice{_of(scope)}")
                scope.node_number[i] = n
                n += 1
        for kind, ids, tags in scope.elements:
            nodes = np.array([[_find(scope, "node", i) for i in row] for row in tags.tolist()])
            blocks.append(Block(kind, nodes, ids))
            for i in ids.tolist():
                if i in scope.element_number:
                    raise ValueError(f"element {i} is defined twice{_of(scope)}")
                scope.element_number[i] = ne
                ne += 1
    x = np.vstack(points) if points else np.empty((0, 3))
    # programs write the middle nodes of T3D3 and C3D27 in different orders
    blocks = [by_position(block, x) for block in blocks]
    connectivity = [(block.element, row) for block in blocks for row in block.nodes]
    raw = RawMesh(x, blocks, node_ids=_numbers(scopes))
    raw.materials = {
        name: isotropic(path, name, (E, nu, rho), units)
        for name, (E, nu, rho) in model.materials.items()
        if E is not None and nu is not None and rho is not None
    }
    resolver = _Resolver({scope.name.upper(): scope for scope in instances}, connectivity)
    for scope in scopes:
        for (kind, _), (name, _) in scope.sets.items():
            target = raw.node_sets if kind == "nset" else raw.element_sets
            target[_label(name, kind, scope, scopes)] = resolver.members(scope, kind, name)
        for name, rows in scope.surfaces.items():
            _add_surface(raw, resolver, scope, _label(name, "surface", scope, scopes), rows)
        for elset, material in scope.sections:
            spelled = next((key for key in model.materials if key.upper() == material.upper()), material)
            label = _label(resolver.spelling(scope, "elset", elset), "elset", scope, scopes)
            raw.properties[label] = raw.materials.get(spelled)
            sections[label] = spelled
    return raw, sections


def _numbers(scopes: list[Part]) -> np.ndarray:
    """Return the numbers of all nodes in their parts."""
    return np.concatenate([np.empty(0, np.int64), *(ids for scope in scopes for ids, _ in scope.nodes)])


def _of(scope: Part) -> str:
    return f" in {scope.name}" if scope.name else ""


def _find(scope: Part, what: str, number: int) -> int:
    table = scope.node_number if what == "node" else scope.element_number
    if number not in table:
        raise ValueError(f"there is no {what} {number}{_of(scope)}")
    return table[number]


def _label(name: str, kind: str, scope: Part, scopes: list[Part]) -> str:
    """Return the name of a set in the mesh, with its instance if another scope has a set of the same name."""

    def has(other: Part) -> bool:
        if kind == "surface":
            return name.upper() in (key.upper() for key in other.surfaces)
        return (kind, name.upper()) in other.sets

    alone = not scope.name or sum(has(other) for other in scopes) == 1
    return name if alone else f"{scope.name}.{name}"


@dataclass(eq=False)
class _Resolver:
    """Finds set members through instances and nested sets."""

    instances: dict[str, Part]
    connectivity: list[tuple[str, np.ndarray]]

    def spelling(self, scope: Part, kind: str, name: str) -> str:
        if (kind, name.upper()) not in scope.sets:
            names = [spelled for (k, _), (spelled, _) in scope.sets.items() if k == kind]
            raise ValueError(f"there is no {kind} {name!r}{_of(scope)}; there are {listing(names)}")
        return scope.sets[kind, name.upper()][0]

    def members(self, scope: Part, kind: str, name: str, above: tuple[str, ...] = ()) -> np.ndarray:
        """Return the numbers of the nodes or elements in a set."""
        self.spelling(scope, kind, name)
        if name.upper() in above:
            raise ValueError(f"the {kind} {name!r} contains itself")
        found: list[int] = []
        for member in scope.sets[kind, name.upper()][1]:
            found.extend(self._member(scope, kind, member, (*above, name.upper())))
        return np.unique(np.array(found, dtype=np.int64))

    def _member(self, scope: Part, kind: str, member: str, above: tuple[str, ...]) -> list[int]:
        table = scope.node_number if kind == "nset" else scope.element_number
        if member.isdigit():
            return [_find(scope, "node" if kind == "nset" else "element", int(member))]
        if member.startswith("?"):
            first, last, step = map(int, member[1:].split(":"))
            return [k for i, k in table.items() if first <= i <= last and (i - first) % step == 0]
        if member.startswith("elset "):
            elements = self.members(scope, "elset", member[6:])
            return [int(node) for e in elements for node in self.connectivity[e][1]]
        if (kind, member.upper()) in scope.sets:
            return self.members(scope, kind, member, above).tolist()
        instance, dot, rest = member.partition(".")
        if dot and instance.upper() in self.instances:
            return self._member(self.instances[instance.upper()], kind, rest, ())
        raise ValueError(f"the {kind} {above[-1]!r} names {member!r}, which does not exist{_of(scope)}")

    def elements(self, scope: Part, entry: str) -> list[int]:
        """Return the elements of an entry of a surface: a number or a set, with or without its instance."""
        return self._member(scope, "elset", entry, ("surface",))


def _add_surface(raw: RawMesh, resolver: _Resolver, scope: Part, name: str, rows: list[list[str]]) -> None:
    """Convert ``element or set, S3`` to faces; the faces of an element are in the order S1, S2, ... of Abaqus.

    ``SPOS`` is the side of a shell to which its normal points, ``SNEG`` the other.
    """
    groups: dict[str, list[np.ndarray]] = {}
    for entry, side, *_ in rows:
        side = side.upper()
        if side not in ("SPOS", "SNEG") and not (side.startswith("S") and side[1:].isdigit()):
            return  # edges of shells and other kinds of surface have no faces
        for e in resolver.elements(scope, entry):
            kind, nodes = resolver.connectivity[e]
            element = SHAPES[kind]
            if side in ("SPOS", "SNEG"):
                if kind not in FACES:
                    raise ValueError(
                        f"the surface {name!r} names side {side} of a {kind}, which is not a shell"
                    )
                groups.setdefault(kind, []).append(nodes if side == "SPOS" else nodes[::-1])
                continue
            if int(side[1:]) > len(element.faces):
                raise ValueError(f"the surface {name!r} names face {side} of a {kind}, which has none")
            which = int(side[1:]) - 1
            groups.setdefault(element.face_kinds[which], []).append(nodes[list(element.faces[which])])
    if not groups:
        return
    blocks = [Block(kind, np.array(nodes)) for kind, nodes in groups.items()]
    nodes = np.unique(np.concatenate([block.nodes.ravel() for block in blocks]))
    if name in raw.node_sets and not np.array_equal(raw.node_sets[name], nodes):
        return  # the node set keeps its name
    raw.node_sets[name] = nodes
    raw.faces[name] = blocks

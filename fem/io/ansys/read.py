"""Reader of ANSYS archives: CDWRITE's ``.cdb``, and decks of the same commands by other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...common.errors import FileError, FlexbodyError
from ...common.files import decoded
from ...common.progress import progress
from ...mesh.block import Block
from ...mesh.places import Places
from ...properties.material import Material, Orthotropic
from ..raw import RawMesh, last_line
from ..system_axes import SystemAxes, SystemAxis
from ..turned_axes import global_support
from ..units import Units, units_of
from .beams import beam
from .blocks import DeckError, ElementBlock
from .commands import read_deck
from .deck import Deck
from .elements import CONTACTS, KINDS, MASS, NOTHING, SPRING, TARGET, Kind, joined, select
from .parts import contacts_and_pilots, equations, masses, position_of, springs
from .properties import materials_of, rotation, shell, solid, systems_of

#: bytes of a file from which on progress is shown
_SIZE_WITH_PROGRESS = 20_000_000
#: beams whose axis is this close to the global Z axis have their y axis along Y
_ALONG_Z = 1e-4
#: angle in rad between the x axis of a system and the normal of a shell below which the y axis directs it
_NORMAL_ANGLE = np.radians(45.0)
#: what /UNITS calls our systems of units; others have no name here
_UNITS = {"SI": "SI", "MKS": "SI", "MPA": "mm", "BIN": "inch"}
#: KEYOPT(3) of BEAM188
_BEAM188 = {0: "linear", 2: "quadratic"}
#: elements of former versions, and as what they are read
_OLDER = {45: "SOLID185", 63: "SHELL181", 92: "SOLID187", 95: "SOLID186"}
#: KEYOPT(2) of SOLID185 that incompatible modes stand for
_SOLID185 = {1: "reduced integration with hourglass control", 2: "enhanced strains"}


def read_ansys(path: Path, units: Units) -> RawMesh:
    """Read an archive of ANSYS; :class:`FileError` with the line for a damaged file and for what is not supported."""
    text = decoded(path.read_bytes())
    lines = text.split("\n")
    try:
        if "\0" in text:
            raise DeckError(
                text[: text.index("\0")].count("\n") + 1, "bytes that are no text; the file is damaged"
            )
        with progress(
            len(lines), f"reading {path.name}", "lines", None if len(text) > _SIZE_WITH_PROGRESS else False
        ) as bar:
            deck = read_deck(lines, lambda line: bar.update(line - bar.n))
        return _Builder(deck, units).raw()
    except DeckError as error:
        where = f", line {error.line}" if error.line else ""
        end = "" if error.line else last_line(path)
        raise FileError(f"{path}{where}: {error}{end}") from None
    except FileError:
        raise
    except FlexbodyError as error:
        raise FileError(f"{path}: {error}") from None


def is_ansys(path: Path) -> bool:
    """Return whether a ``.dat`` file holds commands of ANSYS, not bulk data of Nastran."""
    with path.open("rb") as file:
        start = file.read(200_000).lower()
    return b"nblock," in start or any(
        b"\n" + word in b"\n" + start for word in (b"/prep7", b"/com,", b"/batch")
    )


class _Builder:
    """From a deck to the common form."""

    def __init__(self, deck: Deck, units: Units) -> None:
        self.deck, self.units = deck, units
        self.doubts: list[str] = list(deck.slips)

    def raw(self) -> RawMesh:
        """Return the mesh with its properties and parts."""
        deck = self.deck
        if not deck.nodes:
            raise DeckError(0, "there are no nodes (NBLOCK)")
        ids = np.concatenate([block.ids for block in deck.nodes])
        _, last = np.unique(ids[::-1], return_index=True)  # a node that is given twice has its last position
        last = np.sort(len(ids) - 1 - last)
        points = np.concatenate([block.points for block in deck.nodes])[last]
        angles = np.concatenate([block.angles for block in deck.nodes])[last]
        raw = RawMesh(points, [], node_ids=ids[last], left_out=deck.left_out, doubts=self.doubts)
        raw.systems = systems_of(deck)
        self._tell_units()
        materials = materials_of(deck, self.units, self.doubts)
        raw.materials = {str(number): material for number, material in materials.items()}
        others = self._elements(raw, materials)
        self._components(raw)
        turned = {int(raw.node_ids[k]): angles[k] for k in np.flatnonzero(angles.any(axis=1))}
        self._parts(raw, others, turned)
        self._supports(raw, turned)
        return raw

    def _tell_units(self) -> None:
        """Tell where /UNITS names others than those that the file is read in."""
        named = _UNITS.get(self.deck.units)
        if named is not None and units_of(named) != self.units:
            self.doubts.append(f"the file says /UNITS,{self.deck.units}: units={named!r} would be right")

    def _elements(self, raw: RawMesh, materials: dict[int, Material]) -> dict[int, ElementBlock]:
        """Fill in blocks, sets and properties; return the elements that are parts, by their number in ANSYS."""
        deck = self.deck
        others: dict[int, ElementBlock] = {}
        self.numbers: list[np.ndarray] = []
        count = 0
        if not deck.elements:
            return {}
        everything = joined(deck.elements)
        refused: dict[str, tuple[int, int]] = {}
        for number in np.unique(everything.type).tolist():
            rows = np.flatnonzero(everything.type == number)
            block = select(everything, rows)
            if number not in deck.types:
                raise DeckError(
                    int(block.lines[0]),
                    f"element {block.number[0]} has the type {number}, which no ET defines",
                )
            label, routine = deck.types[number]
            if routine in NOTHING:
                raw.left_out.add(label, NOTHING[routine], str(block.lines[0]), len(rows))
            elif routine in (MASS, SPRING, TARGET, *CONTACTS):
                key = CONTACTS[0] if routine in CONTACTS else routine
                others[key] = joined([others[key], block]) if key in others else block
            elif routine not in KINDS:
                before, line = refused.get(label, (0, int(block.lines[0])))
                refused[label] = before + len(rows), line
            else:
                count = self._blocks(raw, KINDS[routine], block, materials, count, number)
        if refused:
            found = ", ".join(f"{n} of type {label} (line {line})" for label, (n, line) in refused.items())
            raise DeckError(
                min(line for _, line in refused.values()),
                f"elements are not supported: {found}; supported are SOLID185, 186, 187, SHELL181, 281, BEAM188, "
                "MASS21, COMBIN14 and pilot nodes (TARGE170)",
            )
        return others

    def _blocks(
        self,
        raw: RawMesh,
        kind: Kind,
        block: ElementBlock,
        materials: dict[int, Material],
        count: int,
        number: int,
    ) -> int:
        """Add the blocks of one type of element, and a set with its property for each combination of attributes."""
        own = np.empty(len(block.number), np.int64)
        remedy = ""
        self._check_options(kind, number, int(block.lines[0]))
        for form, rows, nodes in kind.forms(block):
            at = position_of(raw, nodes.ravel(), int(block.lines[rows[0]])).reshape(nodes.shape)
            raw.blocks.append(Block(form, at, block.number[rows], Places(block.lines[rows])))
            self.numbers.append(block.number[rows])
            own[rows] = count + np.arange(len(rows))
            count += len(rows)
            remedy = self._remedy(number, form) or remedy
        keys = np.column_stack([block.material, block.real, block.section, block.system])
        up = np.zeros((len(block.number), 3))
        if kind.role == "beam":
            up = self._up(raw, block)
            keys = np.column_stack([keys, np.unique(up.round(9), axis=0, return_inverse=True)[1].ravel()])
        elif kind.role == "shell":
            keys = np.column_stack([keys, self._which_axis(raw, kind, block, materials)])
        label = self.deck.types[number][0]
        groups, which = np.unique(keys, axis=0, return_inverse=True)
        which = which.ravel()
        for k, group in enumerate(groups.tolist()):
            mine = np.flatnonzero(which == k)
            material, real, section, system = group[:4]
            name = f"TYPE {number} MAT {material} REAL {real} SEC {section}" + f" ESYS {system}" * bool(
                system
            )
            if len(group) > 4 and (groups[:, :4] == group[:4]).all(axis=1).sum() > 1:
                name += f" UP {k + 1}" if kind.role == "beam" else f" ALONG {'XY'[group[4]]}"
            raw.element_sets[name] = np.sort(own[mine])
            made: Any = None
            if material in materials:
                try:
                    made = self._made(raw, kind, group, materials, remedy, up[mine[0]])
                except DeckError as error:
                    raise DeckError(error.line or int(block.lines[mine[0]]), str(error)) from None
                except FlexbodyError as error:
                    line = self.deck.sections[section].line if section in self.deck.sections else 0
                    raise DeckError(line or int(block.lines[mine[0]]), str(error)) from None
            elif material not in self.deck.materials:
                said = (
                    f"material {material} of {len(mine)} elements of type {label} is not in the file (first used in "
                    f"line {block.lines[mine[0]]})"
                )
                self.doubts += [said] * (said not in self.doubts)
            raw.properties[name] = made
        self._note_formulation(number, len(block.number))
        return count

    def _made(
        self,
        raw: RawMesh,
        kind: Kind,
        group: list[int],
        materials: dict[int, Material],
        remedy: str,
        up: np.ndarray,
    ) -> Any:
        """Return the property of elements of one group of attributes."""
        material, _, section, system = group[:4]
        axes = self._axes(raw, system, self._directed(kind, materials, material, section))
        if kind.role == "solid":
            return solid(materials[material], axes, remedy)
        if kind.role == "shell":
            along = None if axes is None else SystemAxis(axes, group[4])
            return shell(self.deck, materials, group[:4], along, self.units)
        return beam(self.deck, materials[material], section, up, self.units, self.doubts)

    def _check_options(self, kind: Kind, number: int, line: int) -> None:
        """Raise DeckError for options by which elements are not what their name says."""
        label, routine = self.deck.types[number]
        first, third = (self.deck.options.get((number, k), 0) for k in (1, 3))
        if kind.role == "shell" and first:
            raise DeckError(
                line, f"{label} with KEYOPT(1) = {first} (membrane or bending alone) is not supported; 0 is"
            )
        if routine in (185, 186) and third:
            raise DeckError(line, f"{label} with KEYOPT(3) = {third} (layers in solids) is not supported")

    def _remedy(self, number: int, form: str) -> str:
        """Return what a type of element does against locking: KEYOPT(2) = 0 is the default."""
        if self.deck.options.get((number, 2), 0) != 0:
            return ""
        return {(186, "hex20"): "reduced", (185, "hex8"): "mean"}.get((self.deck.types[number][1], form), "")

    def _note_formulation(self, number: int, count: int) -> None:
        """Say which elements of ANSYS have another formulation than ours."""
        label, routine = self.deck.types[number]
        option = self.deck.options.get((number, 2), 0)
        if routine == 185 and option in (1, 2):
            self.deck.left_out.add(
                f"formulation of {label}",
                f"bricks have incompatible modes here, where KEYOPT(2) = {option} means {_SOLID185[option]}",
                count=count,
            )
        if routine in (185, 186, 187) and self.deck.options.get((number, 6), 0):
            self.deck.left_out.add(
                f"KEYOPT(6) of {label}",
                "displacements alone stand for the mixed formulation with a pressure",
                count=count,
            )
        if routine in _OLDER:
            self.deck.left_out.add(f"formulation of {label}", f"it is read as {_OLDER[routine]}", count=count)
        if routine == 188 and (shapes := self.deck.options.get((number, 3), 0)) in _BEAM188:
            self.deck.left_out.add(
                f"formulation of {label}",
                "beams are exact for forces at their ends here, where KEYOPT(3) = "
                f"{shapes} means {_BEAM188[shapes]} shape functions",
                count=count,
            )
        if routine == 188 and self.deck.options.get((number, 1), 0) == 1:
            self.deck.left_out.add(
                f"warping of {label}", "KEYOPT(1) = 1 restrains it; sections warp freely here", count=count
            )

    def _axes(self, raw: RawMesh, system: int, directed: bool) -> SystemAxes | None:
        """Return the axes of an element's system, of a ``directed`` material; None for the global one."""
        if not system:
            return None
        known = raw.systems.get(str(system))
        if known is None:
            raise DeckError(0, f"elements have the system {system}, which no LOCAL defines")
        if known.kind != "rectangular" and directed:
            said = (
                f"the material axes of the elements with ESYS {system} turn from place to place; each element has "
                "those at its middle"
            )
            self.doubts += [said] * (said not in self.doubts)
        return SystemAxes(known, self.units.length, latitude=True)

    def _directed(self, kind: Kind, materials: dict[int, Material], material: int, section: int) -> bool:
        """Return whether elements have a material with directions, in a layer of their section or alone."""
        layers = self.deck.sections[section].rows if section in self.deck.sections else []
        used = {material, *(int(row[1]) for row in layers if kind.role == "shell" and len(row) > 1)}
        return any(isinstance(materials.get(number), Orthotropic) for number in used)

    def _which_axis(
        self, raw: RawMesh, kind: Kind, block: ElementBlock, materials: dict[int, Material]
    ) -> np.ndarray:
        """Return which axis (ne,) of its system directs a shell with directions: x, or y where x is near the normal."""
        which = np.zeros(len(block.number), np.int64)
        pairs, of_pair = np.unique([block.material, block.section], axis=1, return_inverse=True)
        directed = np.array([self._directed(kind, materials, *pair) for pair in pairs.T.tolist()])
        wanted = directed[of_pair.ravel()] & (block.system > 0)
        for number in np.unique(block.system[wanted]).tolist():
            mine = np.flatnonzero(wanted & (block.system == number))
            axes = self._axes(raw, number, False)
            nodes = np.where(block.nodes[mine, :4] > 0, block.nodes[mine, :4], block.nodes[mine, 2:3])
            x = raw.points[position_of(raw, nodes.ravel(), int(block.lines[mine[0]]))].reshape(-1, 4, 3)
            normal = np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1])
            first = axes(x.mean(axis=1) * self.units.length)[:, 0] if axes else np.zeros((len(mine), 3))
            near = np.abs(np.einsum("ei,ei->e", first, normal)) > np.cos(_NORMAL_ANGLE) * np.linalg.norm(
                normal, axis=1
            )
            which[mine] = near
        return which

    def _up(self, raw: RawMesh, block: ElementBlock) -> np.ndarray:
        """Return the direction (ne, 3) of each beam's section z axis: to node K, or by ANSYS' default."""
        at = position_of(raw, block.nodes[:, :2].ravel(), int(block.lines[0])).reshape(-1, 2)
        along = raw.points[at[:, 1]] - raw.points[at[:, 0]]
        along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
        # by default the y axis is parallel to the plane X-Y; for a beam along Z it is along Y
        steep = np.hypot(along[:, 0], along[:, 1]) < _ALONG_Z
        y = np.column_stack([-along[:, 1], along[:, 0], np.zeros(len(along))])
        y[steep] = [0.0, 1.0, 0.0]
        up = np.cross(along, y)
        given = block.nodes[:, 2] > 0
        if given.any():
            third = position_of(raw, block.nodes[given, 2], int(block.lines[np.flatnonzero(given)[0]]))
            up[given] = raw.points[third] - raw.points[at[given, 0]]
        up = up - along * np.einsum("ei,ei->e", up, along)[:, None]
        return up / np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-300)

    def _components(self, raw: RawMesh) -> None:
        for name, ids in self.deck.node_components.items():
            known = ids[np.isin(ids, raw.node_ids)]
            if len(known) < len(ids):
                raw.left_out.add(
                    f"nodes of the component {name}",
                    "the file holds no such nodes",
                    count=len(ids) - len(known),
                )
            raw.node_sets[name] = position_of(raw, known, 0)
        if not self.numbers:
            return
        numbers = np.concatenate(self.numbers)
        order = np.argsort(numbers, kind="stable")
        for name, ids in self.deck.element_components.items():
            at = np.searchsorted(numbers[order], ids)
            at = np.minimum(at, len(order) - 1)
            members = order[at][numbers[order][at] == ids]
            if len(members):
                raw.element_sets[name] = np.sort(members)

    def _parts(self, raw: RawMesh, others: dict[int, ElementBlock], turned: dict[int, np.ndarray]) -> None:
        deck = self.deck
        if TARGET in others:
            contacts_and_pilots(deck, raw, others[TARGET], others.get(CONTACTS[0]), turned, self.units.length)
        elif CONTACTS[0] in others:
            block = others[CONTACTS[0]]
            raw.left_out.add(
                "contact elements",
                "they have no target elements or pilot node",
                str(block.lines[0]),
                len(block.number),
            )
        if MASS in others:
            masses(deck, raw, others[MASS], self.units, turned)
        if SPRING in others:
            springs(deck, raw, others[SPRING], self.units, turned)
        equations(deck, raw, turned, self.units)

    def _supports(self, raw: RawMesh, turned: dict[int, np.ndarray]) -> None:
        """Add the supports: nodes with the same held components are one set."""
        held: dict[int, dict[str, float]] = {}
        for component, nodes in self.deck.supports.items():
            for node, value in nodes.items():
                held.setdefault(node, {})[component] = value
        for node in sorted(held.keys() & turned.keys()):
            held[node], more, lost = global_support(
                str(node), held[node], rotation(*np.radians(turned[node]))
            )
            raw.turned_supports += more
            if lost:
                raw.left_out.add("D", f"a value along a turned axis (NROTAT) can't be kept: node {node}")
        groups: dict[tuple, list[int]] = {}
        for node, components in held.items():
            if components:
                groups.setdefault(tuple(sorted(components.items())), []).append(node)
        for k, (components, nodes) in enumerate(groups.items(), start=1):
            name = f"D {k}"
            raw.node_sets[name] = position_of(raw, np.array(nodes), 0)
            length = self.units.length
            raw.supports[name] = {
                component: value * (1.0 if component.startswith("r") else length)
                for component, value in components
            }

"""Abaqus input files: parts, instances, sets, surfaces, sections and materials.

meshio (5.3.5) is not used: it ends the process at elements that it does not know, and loses instance offsets, ``*Node,
nset=`` and nested sets. Reference: Abaqus Keywords Guide; names are not case sensitive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...common.errors import FileError, listing
from ...elements import SHAPES
from ..raw import RawMesh
from ..units import Units
from .assemble import Model, Part, place
from .keywords import Keyword, keywords_of, number_of, whole

_SOLID, _SHELL, _LINE = (
    re.compile(r"C3D(\d+)[RHIMS]*"),
    re.compile(r"S([34])R?"),
    re.compile(r"(B3|T3D)([123])H?"),
)
_SOLIDS = {
    "4": "tet4",
    "5": "pyramid5",
    "6": "wedge6",
    "8": "hex8",
    "10": "tet10",
    "13": "pyramid13",
    "15": "wedge15",
    "20": "hex20",
    "27": "hex27",
}
_SHELLS = {"3": "tri3", "4": "quad4"}
_LINES = {("B3", "1"): "line2", ("B3", "3"): "line2", ("T3D", "2"): "line2", ("T3D", "3"): "line3"}
_MEND = (
    "leave them out, or use solids C3D4, C3D5, C3D6, C3D8, C3D10, C3D15, C3D20 or C3D27 (and their R, H, I, M "
    "variants), shells S3 or S4 (also S3R, S4R), beams B31 or B33, trusses T3D2 or T3D3"
)
#: surface elements without mass or stiffness, which may be left out
_IGNORED = re.compile(r"SFM3D.*")
#: keywords that generate, move or replace nodes, elements or numbers, and are not supported
_UNREAD = {"NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "SUBSTRUCTURE", "PARAMETER"}


def _shape(kind: str) -> str | None:
    """Return the name of the shape of an element type, or None if it is not supported."""
    if match := _SOLID.fullmatch(kind):
        return _SOLIDS.get(match.group(1))
    if match := _SHELL.fullmatch(kind):
        return _SHELLS[match.group(1)]
    if match := _LINE.fullmatch(kind):
        return _LINES.get((match.group(1), match.group(2)))
    return None


@dataclass(eq=False)
class _Reader:
    """The state of the reader: in a part, in an instance, in the assembly, or outside."""

    model: Model = field(default_factory=Model)
    scope: Part = field(default_factory=lambda: Part(""))
    outside: list[Part] = field(default_factory=list)
    material: str | None = None
    in_assembly: bool = False
    unsupported: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model.assembly = self.scope

    def enter(self, part: Part) -> None:
        self.outside.append(self.scope)
        self.scope = part

    def leave(self) -> None:
        self.scope = self.outside.pop()

    def end(self) -> None:
        """Check that what was begun has been ended."""
        if self.outside or self.in_assembly:
            open_one = f"the part or instance {self.scope.name!r}" if self.outside else "the assembly"
            raise ValueError(
                f"{open_one} has no end (*End Part, *End Instance, *End Assembly): the file was cut off"
            )

    def read(self, word: Keyword) -> None:
        """Read one keyword."""
        name = word.name
        word.check()
        if name == "PART":
            part = Part(_option(word, "NAME"))
            self.model.parts[part.name.upper()] = part
            self.enter(part)
        elif name == "INSTANCE":
            self.enter(self._instance(word))
        elif name in ("END PART", "END INSTANCE"):
            self.leave()
        elif name in ("ASSEMBLY", "END ASSEMBLY"):
            self.in_assembly = name == "ASSEMBLY"
        elif name == "NODE":
            self._nodes(word)
        elif name == "ELEMENT":
            self._elements(word)
        elif name in ("NSET", "ELSET"):
            self._set(word)
        elif name == "SURFACE" and word.options.get("TYPE", "ELEMENT").upper() == "ELEMENT":
            rows = [[entry.strip() for entry in line.split(",")] for line in word.data]
            self.scope.surfaces.setdefault(_option(word, "NAME"), []).extend(
                row for row in rows if len(row) > 1
            )
        elif name == "SOLID SECTION":
            self.scope.sections.append((_option(word, "ELSET"), _option(word, "MATERIAL")))
        elif (
            name in ("SHELL SECTION", "BEAM SECTION") and "MATERIAL" in word.options
        ):  # layers: none of its own
            self.scope.sections.append((_option(word, "ELSET"), word.options["MATERIAL"]))
        elif name in ("MATERIAL", "DENSITY", "ELASTIC"):
            self._material(word)
        elif name in _UNREAD:
            raise ValueError(
                f"*{name.title()} is not supported; let the program that made the file write it out"
            )

    def _instance(self, word: Keyword) -> Part:
        base = self.model.parts.get(_option(word, "PART").upper())
        if base is None:
            raise ValueError(f"there is no part {_option(word, 'PART')!r} above")
        rows = [[number_of(token) for token in line.split(",") if token.strip()] for line in word.data]
        if len(rows) > 2 or any(len(row) != n for row, n in zip(rows, (3, 7), strict=False)):
            raise ValueError("an instance is placed by 3 numbers (translation) and 7 numbers (rotation)")
        instance = base.copy(_option(word, "NAME"))
        instance.translation = np.array(rows[0]) if rows else np.zeros(3)
        instance.rotation = np.array(rows[1]) if len(rows) > 1 else None
        self.model.instances.append(instance)
        return instance

    def _nodes(self, word: Keyword) -> None:
        if word.options.get("SYSTEM", "R").upper() != "R":
            raise ValueError("nodes in cylindrical or spherical coordinates are not supported")
        try:
            table = word.numbers(4)
        except ValueError:  # some lines leave out coordinates, which are then zero
            table = np.zeros((len(word.data), 4))
            for row, line in zip(table, word.data, strict=True):
                for k, token in enumerate(line.rstrip(",").split(",")[:4]):
                    row[k] = number_of(token) if token.strip() else 0.0
        ids = whole(table[:, 0])
        self.scope.nodes.append((ids, table[:, 1:]))
        if "NSET" in word.options:
            self.scope.add("nset", word.options["NSET"], [str(i) for i in ids])

    def _elements(self, word: Keyword) -> None:
        kind = _option(word, "TYPE").upper()
        element = _shape(kind)
        if element is None:
            if not _IGNORED.fullmatch(kind):
                self.unsupported[kind] = self.unsupported.get(kind, 0) + len(word.data)
            return
        nn = SHAPES[element].n_nodes
        if kind.startswith("B"):  # a node that gives the direction of the section may follow
            word = word._replace(data=[",".join(line.split(",")[: 1 + nn]) for line in word.data])
        try:
            table = word.numbers(1 + nn)
        except ValueError:
            raise ValueError(f"not all elements of type {kind} have {nn} nodes") from None
        table = whole(table)
        self.scope.elements.append((element, table[:, 0], table[:, 1:]))
        if "ELSET" in word.options:
            self.scope.add("elset", word.options["ELSET"], [str(i) for i in table[:, 0]])

    def _set(self, word: Keyword) -> None:
        kind = word.name.lower()
        if "GENERATE" in word.options:
            members = []
            for line in word.data:
                first, last, step = (*(int(token) for token in line.split(",") if token.strip()), 1)[:3]
                if step < 1:
                    raise ValueError(f"a range can't have the increment {step}")
                members.append(f"?{first}:{last}:{step}")
        else:
            members = word.tokens()
        if kind == "nset" and "ELSET" in word.options:
            members.append(f"elset {word.options['ELSET']}")
        instance = word.options.get("INSTANCE")
        if instance:
            members = [f"{instance}.{member}" for member in members]
        self.scope.add(kind, _option(word, kind.upper()), members)

    def _material(self, word: Keyword) -> None:
        if word.name == "MATERIAL":
            self.material = _option(word, "NAME")
            self.model.materials[self.material] = (None, None, None)
            return
        if self.material is None:
            raise ValueError(f"*{word.name.title()} stands before any *Material")
        E, nu, rho = self.model.materials[self.material]
        if word.name == "DENSITY":
            rho = float(Keyword("", {}, word.data[:1], "").numbers()[0])
        elif word.options.get("TYPE", "ISOTROPIC").upper().startswith("ISO"):
            E, nu = (float(value) for value in Keyword("", {}, word.data[:1], "").numbers()[:2])
        self.model.materials[self.material] = (E, nu, rho)


def _option(word: Keyword, key: str) -> str:
    if not word.options.get(key):
        raise ValueError(f"*{word.name.title()} needs {key.lower()}=")
    return word.options[key]


def read_abaqus(path: Path, units: Units) -> RawMesh:
    """Read solids C3D4 to C3D27, shells S3 and S4, beams B31 and B33, trusses T3D2 and T3D3.

    Variants (R, H, I, M, S) are read as shapes; their properties determine the integration. C3D27 must have all 27
    nodes. Materials of sections are read; thicknesses, beam sections and their directions are not. Every instance is
    placed by its translation, then its rotation. Node, element and surface sets keep their names, with ``instance.``
    before them if two instances have sets of the same name. Elements of other types, and keywords that generate nodes
    or elements, raise :class:`FileError`.
    """
    reader = _Reader()
    word = None
    try:
        for word in keywords_of(path):
            if word.name == "STEP":
                break
            reader.read(word)
        word = None
        reader.end()
    except (ValueError, IndexError) as error:
        if isinstance(error, FileError):
            raise
        where = f"{word.place}, *{word.name.title()}" if word else "its end"
        raise FileError(f"{path}, {where}: {error}; check the file, or write it as gmsh 4.1 (.msh)") from None
    if reader.unsupported:
        found = ", ".join(reader.unsupported)
        plane = any(kind.startswith("CPS") for kind in reader.unsupported)
        mend = _MEND + (
            "; gmsh writes surfaces as CPS3 and CPS4: read its .msh file instead" if plane else ""
        )
        raise FileError(f"{path} holds elements of type {found}, which are not supported; {mend}")
    try:
        raw, sections = place(reader.model, path, units)
    except ValueError as error:
        raise FileError(f"{path}: {error}") from None
    raw.doubts += _missing(raw, reader.model.materials, sections)
    return raw


def _missing(raw: RawMesh, materials: dict, sections: dict[str, str]) -> Iterator[str]:
    """Yield what a complete model has and this one lacks: what a file that was cut off has lost."""
    for name, (E, nu, rho) in materials.items():
        lacks = [
            word for word, values in (("isotropic *Elastic", (E, nu)), ("*Density", (rho,))) if None in values
        ]
        if lacks:
            yield f"the material {name!r} has no {' and no '.join(lacks)} and is left out"
    unknown = sorted(set(sections.values()) - set(materials))
    if unknown:
        yield f"sections name the material {listing(unknown)}, which the file does not hold"
    count = sum(map(len, raw.blocks))
    if materials or sections:
        members = [raw.element_sets[name] for name in sections]
        without = count - len(np.unique(np.concatenate([np.empty(0, np.int64), *members])))
        if without:
            yield f"{without} of {count} elements have no section with a material"
    empty = [name for name, rows in raw.element_sets.items() if not len(rows)]
    if empty:
        yield f"the element sets {listing(empty)} have no members"
    if not any(block.element.startswith("line") for block in raw.blocks):  # beams have nodes for directions
        used = [block.nodes.ravel() for block in raw.blocks] + list(raw.node_sets.values())
        loose = len(raw.points) - len(np.unique(np.concatenate([np.empty(0, np.int64), *used])))
        if loose:
            yield f"{loose} of {len(raw.points)} nodes belong to no element and to no set"

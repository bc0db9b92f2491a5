"""Abaqus input files: parts, instances, sets, surfaces, sections and materials.

Read here and not by meshio (5.3.5), which exits on elements that it does not know and loses instance offsets,
``*Node, nset=`` and nested sets. Reference: Abaqus Keywords Guide; names are not case sensitive there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..common.errors import FileError
from .abaqus_place import Model, Part, place
from .raw import RawMesh

_SOLID = re.compile(r"C3D(4|8|10|20)[RHIMS]*")
_KIND = {"4": ("tet4", 4), "8": ("hex8", 8), "10": ("tet10", 10), "20": ("hex20", 20)}
#: surface elements without mass or stiffness, which may be left out
_IGNORED = re.compile(r"SFM3D.*")
#: keywords that make, move or stand for nodes, elements or numbers in ways that are not read here
_UNREAD = {"NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "SUBSTRUCTURE", "PARAMETER"}


class Keyword(NamedTuple):
    """A keyword in capitals, its parameters (names in capitals), its data lines and where it stands."""

    name: str
    options: dict[str, str]
    data: list[str]
    place: str

    def numbers(self, width: int | None = None) -> np.ndarray:
        """Return all numbers of the data lines, in rows of ``width``: ValueError if they don't fit."""
        text = " ".join(self.data).replace(",", " ")
        values = np.array([_number(token) for token in text.split()])
        return values if width is None else values.reshape(-1, width)

    def tokens(self) -> list[str]:
        """Return all entries of the data lines."""
        return [token.strip() for line in self.data for token in line.split(",") if token.strip()]


def _number(token: str) -> float:
    try:
        return float(token)
    except ValueError:
        return float(token.upper().replace("D", "E"))  # Fortran's double precision


def _keywords(path: Path, nesting: int = 0) -> Iterator[Keyword]:
    """Yield the keywords of a file and of those that it includes, without comments."""
    current: Keyword | None = None
    pending = ""
    for number, line in enumerate(path.read_text(encoding="latin-1").splitlines(), start=1):
        line = line.strip()
        if line.startswith("**") or not line:
            continue
        if pending or line.startswith("*"):
            pending += line
            if pending.endswith(","):
                continue
            if current is not None:
                yield from _included(current, path, nesting)
            name, *rest = (part.strip() for part in pending[1:].split(","))
            options = {}
            for item in rest:
                key, _, value = item.partition("=")
                options[key.strip().upper()] = value.strip().strip('"')
            current, pending = Keyword(" ".join(name.upper().split()), options, [], f"line {number}"), ""
        elif current is None:
            raise FileError(
                f"{path} is not an Abaqus input file: its line {number} stands before any *KEYWORD"
            )
        else:
            current.data.append(line)
    if current is not None:
        yield from _included(current, path, nesting)


def _included(keyword: Keyword, path: Path, nesting: int) -> Iterator[Keyword]:
    if keyword.name != "INCLUDE":
        yield keyword
        return
    other = path.parent / keyword.options.get("INPUT", "")
    if not other.is_file():
        raise FileError(f"{path}, {keyword.place}: *Include names {other}, which does not exist")
    if nesting > 20:
        raise FileError(f"{path}: *Include goes round in a circle")
    yield from _keywords(other, nesting + 1)


@dataclass(eq=False)
class _Reader:
    """Where the reader stands: in a part, an instance, the assembly, or none of these."""

    model: Model = field(default_factory=Model)
    scope: Part = field(default_factory=lambda: Part(""))
    outside: list[Part] = field(default_factory=list)
    material: str | None = None
    unsupported: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model.assembly = self.scope

    def enter(self, part: Part) -> None:
        self.outside.append(self.scope)
        self.scope = part

    def leave(self) -> None:
        self.scope = self.outside.pop()

    def read(self, word: Keyword) -> None:
        """Take in one keyword."""
        name = word.name
        if name == "PART":
            part = Part(_option(word, "NAME"))
            self.model.parts[part.name.upper()] = part
            self.enter(part)
        elif name == "INSTANCE":
            self.enter(self._instance(word))
        elif name in ("END PART", "END INSTANCE"):
            self.leave()
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
        rows = [[_number(token) for token in line.split(",") if token.strip()] for line in word.data]
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
                    row[k] = _number(token) if token.strip() else 0.0
        ids = table[:, 0].astype(np.int64)
        self.scope.nodes.append((ids, table[:, 1:]))
        if "NSET" in word.options:
            self.scope.add("nset", word.options["NSET"], [str(i) for i in ids])

    def _elements(self, word: Keyword) -> None:
        kind = _option(word, "TYPE").upper()
        match = _SOLID.fullmatch(kind)
        if match is None:
            if not _IGNORED.fullmatch(kind):
                self.unsupported[kind] = self.unsupported.get(kind, 0) + len(word.data)
            return
        element, nn = _KIND[match.group(1)]
        table = word.numbers(1 + nn).astype(np.int64)
        self.scope.elements.append((element, table[:, 0], table[:, 1:]))
        if "ELSET" in word.options:
            self.scope.add("elset", word.options["ELSET"], [str(i) for i in table[:, 0]])

    def _set(self, word: Keyword) -> None:
        kind = word.name.lower()
        if "GENERATE" in word.options:
            members = []
            for line in word.data:
                first, last, *step = (int(token) for token in line.split(",") if token.strip())
                members += [f"?{i}" for i in range(first, last + 1, step[0] if step else 1)]
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


def read_abaqus(path: Path) -> RawMesh:
    """Read C3D4, C3D8, C3D10 and C3D20 elements (also R, H, I, M and S variants, all integrated in full).

    Every instance is placed by its translation, then its rotation; node, element and surface sets keep their
    names, with ``instance.`` before them where two instances have the same one. Elements of other types, and
    keywords that generate nodes or elements, raise :class:`FileError`.
    """
    reader = _Reader()
    word = None
    try:
        for word in _keywords(path):
            if word.name == "STEP":
                break
            reader.read(word)
    except (ValueError, IndexError) as error:
        if isinstance(error, FileError):
            raise
        where = f"{word.place}, *{word.name.title()}" if word else "start"
        raise FileError(f"{path}, {where}: {error}; check the file, or write it as gmsh 4.1 (.msh)") from None
    if reader.unsupported:
        found = ", ".join(reader.unsupported)
        raise FileError(
            f"{path} holds elements of type {found}, which are not supported; leave them out, or use C3D4, "
            "C3D8, C3D10 or C3D20 (and their R, H, I, M variants)"
        )
    try:
        return place(reader.model)
    except ValueError as error:
        raise FileError(f"{path}: {error}") from None

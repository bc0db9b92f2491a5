"""Abaqus and CalculiX input files: from keywords to scopes.

meshio (5.3.5) is not used: it ends the process at elements that it does not know, and loses instance offsets, ``*Node,
nset=`` and nested sets. Reference: Abaqus Keywords Guide; names are not case sensitive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...common.errors import FileError
from ...common.files import decoded, path_of
from ...common.progress import progress
from ...mesh.coordinate_system import CylindricalSystem, SphericalSystem
from ...mesh.mesh import LARGEST_COORDINATE
from .element_types import is_beam, n_nodes, other_formulation, without_stiffness
from .generate import copy_elements, copy_nodes, fill_nodes, generate_elements, generate_nodes
from .keywords import NO_NUMBER, Keyword, keywords_of, number_of, whole, whole_number
from .materials import Constants
from .model import Model
from .scope import Elements, Members, Name, Nodes, NodesOf, Numbers, Range, Scope, Statement, Surface
from .words import HARMLESS, MODEL, SUB, TOLD

#: keywords that are resolved when all nodes are placed
_LATER = {
    *("SOLID SECTION", "SHELL SECTION", "SHELL GENERAL SECTION", "BEAM SECTION", "BEAM GENERAL SECTION"),
    *("COUPLING", "KINEMATIC COUPLING", "RIGID BODY", "EQUATION", "MPC", "TIE", "BOUNDARY", "MASS"),
    *("ROTARY INERTIA", "SPRING", "DASHPOT", "ORIENTATION", "TRANSFORM", "NODAL THICKNESS"),
    *("NONSTRUCTURAL MASS", "MEMBRANE SECTION"),
}
_GENERATORS = {
    "NGEN": generate_nodes,
    "NFILL": fill_nodes,
    "NCOPY": copy_nodes,
    "ELGEN": generate_elements,
    "ELCOPY": copy_elements,
}
#: the largest number in a generated set
_LARGEST_NUMBER = 2**62
#: bytes of a file from which on progress is shown
_SIZE_WITH_PROGRESS = 5_000_000


@dataclass(eq=False)
class _Reader:
    """The state of the reader: in a part, in an instance, in the assembly, in a step, or outside."""

    model: Model
    scope: Scope = field(default_factory=lambda: Scope(""))
    normals: list[str] = field(default_factory=list)  # places of nodes that have them
    beams: bool = False  # whether there are any so far
    outside: list[Scope] = field(default_factory=list)
    material: Constants | None = None
    begun: list[Keyword] = field(
        default_factory=list
    )  # parts, instances and the assembly that have no end yet
    in_step: bool = False
    last: Statement | None = None
    unused: dict[str, Keyword] = field(default_factory=dict)  # parts without an instance so far

    def __post_init__(self) -> None:
        self.scope = self.model.assembly

    def end(self) -> None:
        """Check that what was begun has been ended."""
        if self.normals:
            why = "shells have the normals of their geometry"
            self.model.left_out.add("normals of nodes", why, self.normals[0], len(self.normals))
        for word in self.unused.values() if self.model.instances else ():
            why, line = "the assembly holds no instance of it", word.place.removeprefix("line ")
            self.model.left_out.add(f"part {word.option('NAME')!r}", why, line)
        if self.begun:
            word = self.begun[-1]
            raise ValueError(
                f"{word} in {word.place} has no end (*End {word.name.title()}): the file was cut off"
            )

    def read(self, word: Keyword) -> None:
        """Read one keyword."""
        name = word.name
        if self.in_step or name == "STEP":
            self.in_step = name != "END STEP"
            if name != "END STEP":
                self.model.left_out.add(str(word), _of_step(name), word.place.removeprefix("line "))
            return
        word.check()
        for key, why in TOLD.get(name, {}).items():
            if key in word.options:
                self.model.left_out.add(f"{key.lower()} of {word}", why, word.place.removeprefix("line "))
        if name in MODEL:
            word = _with_input(word)
        if name in ("PART", "INSTANCE", "ASSEMBLY"):
            self._begin(word)
        elif name in ("END PART", "END INSTANCE", "END ASSEMBLY"):
            self._end(name.removeprefix("END "))
        elif name in _GENERATORS:
            _GENERATORS[name](self.scope, word)
        elif name in _LATER:
            self.last = Statement(word)
            self.scope.statements.append(self.last)
        elif name in SUB and self.last is not None and self.last.word.name in SUB[name]:
            self.last.sub.append(word)
        elif name in _READERS:
            _READERS[name](self, word)
        elif name not in ("HEADING", "END STEP"):
            self._leave_out(word)

    def _begin(self, word: Keyword) -> None:
        self.begun.append(word)
        if word.name != "ASSEMBLY":
            self.outside.append(self.scope)
            self.scope = self._part(word) if word.name == "PART" else self._instance(word)

    def _end(self, name: str) -> None:
        if not self.begun or self.begun[-1].name != name:
            last = f", but {self.begun[-1]} in {self.begun[-1].place}" if self.begun else ""
            raise ValueError(f"there is no *{name.title()} to end{last}")
        self.begun.pop()
        if name != "ASSEMBLY":
            self.scope = self.outside.pop()

    def _check_normals(self) -> None:
        if self.beams and self.normals:
            raise ValueError(
                f"beams with normals at the nodes (the fifth number in the *Node of line {self.normals[0]} and the "
                "next ones) are not supported; give the direction in *Beam Section"
            )

    def _leave_out(self, word: Keyword) -> None:
        line = word.place.removeprefix("line ")
        if word.name == "INITIAL CONDITIONS" and word.options.get("TYPE", "").upper() == "STRESS":
            self.model.initial_stress = word.place
        if word.name in HARMLESS:
            self.model.left_out.add(str(word), HARMLESS[word.name], line)
            return
        self.model.left_out.add(str(word), "not known", line)
        said = f"the keyword {word} is not known and left out ({word.place})"
        if not any(one.startswith(f"the keyword {word} ") for one in self.model.doubts):
            self.model.doubts.append(said)

    def _part(self, word: Keyword) -> Scope:
        part = Scope(word.option("NAME"))
        if part.name.upper() in self.model.parts:
            raise ValueError(f"the part {part.name!r} is given twice")
        self.model.parts[part.name.upper()] = part
        self.unused[part.name.upper()] = word
        return part

    def _instance(self, word: Keyword) -> Scope:
        base = self.model.parts.get(word.option("PART").upper())
        if base is None:
            raise ValueError(f"there is no part {word.option('PART')!r} above")
        self.unused.pop(word.option("PART").upper(), None)
        if word.option("NAME").upper() in (its.name.upper() for its in self.model.instances):
            raise ValueError(f"the instance {word.option('NAME')!r} is given twice")
        rows = [word.floats(k) for k in range(len(word.data))]
        if len(rows) > 2 or any(len(row) != n for row, n in zip(rows, (3, 7), strict=False)):
            raise ValueError("an instance is placed by 3 numbers (translation) and 7 numbers (rotation)")
        if any(not abs(value) < LARGEST_COORDINATE / 2 for row in rows for value in row):
            raise ValueError(f"an instance can't be moved by {LARGEST_COORDINATE / 2:g} or more")
        instance = base.instance(word.option("NAME"))
        instance.translation = np.array(rows[0]) if rows else np.zeros(3)
        instance.rotation = np.array(rows[1]) if len(rows) > 1 else None
        instance.turned(np.zeros(3))
        self.model.instances.append(instance)
        return instance

    def nodes(self, word: Keyword) -> None:
        """Read *Node."""
        commas = np.array([line.rstrip(",").count(",") for line in word.data], dtype=int)
        table = word.numbers() if (commas == 3).all() else np.empty(0)
        if len(table) != 4 * len(word.data):  # some lines leave out coordinates, which are then zero
            table = np.zeros((len(word.data), 4))
            for k, (row, entries) in enumerate(zip(table, word.data, strict=True)):
                tokens = entries.rstrip(",").split(",")
                row[: len(tokens)] = [number_of(token) if token.strip() else 0.0 for token in tokens[:4]]
                if any(token.strip() for token in tokens[4:]):
                    line = str(word.lines[k]) if word.lines else word.place.removeprefix("line ")
                    self.normals.append(line)
                    self._check_normals()
        table = table.reshape(-1, 4)
        ids, x = whole(table[:, 0]), table[:, 1:]
        system = word.options.get("SYSTEM", "R").upper()[:1]
        if system in ("C", "S"):
            x = _from_system(system, x)
        far = ~(np.abs(x) < LARGEST_COORDINATE).all(axis=1)
        if far.any():
            raise ValueError(
                f"the coordinates of node {ids[far][0]} are not finite, or above {LARGEST_COORDINATE:g}"
            )
        self.scope.nodes.append(Nodes(ids, x, word.place))
        if "NSET" in word.options:
            self.scope.set_named("nset", word.option("NSET")).members.append(("", Numbers(ids)))

    def elements(self, word: Keyword) -> None:
        """Read *Element."""
        kind = word.option("TYPE").upper()
        nn = n_nodes(kind)
        if nn is None:
            self._without(word, kind)
            return
        beam = is_beam(kind)
        self.beams = self.beams or beam
        self._check_normals()
        if beam:  # a node that gives the direction of the section may follow
            extra = [line.rstrip(",").split(",")[1 + nn : 2 + nn] for line in word.data]
            direction = np.array([int(one[0]) if one and one[0].strip() else 0 for one in extra])
            word = word._replace(data=[",".join(line.split(",")[: 1 + nn]) for line in word.data])
        names: tuple[tuple[str, ...], ...] = ()
        if any(c.isalpha() for line in word.data for c in line):
            names = _named_nodes(word, kind, nn)
            ids = whole(np.array([number_of(line.split(",")[0]) for line in word.data]))
            table = np.column_stack([ids, np.zeros((len(ids), nn), np.int64)])
        else:
            table = _element_table(word, kind, nn)
        ids = table[:, 0]
        if beam and len(ids) != len(word.data):
            raise ValueError(f"an element of type {kind} must stand on a line of its own")
        if not beam:
            direction = np.zeros(len(ids), np.int64)
        lines = word.places(len(ids))
        if why := other_formulation(kind):
            line = word.place.removeprefix("line ")
            self.model.left_out.add(f"elements of type {kind}", why, line, len(ids))
        self.scope.elements.append(Elements(kind, ids, table[:, 1:], direction, word.place, names, lines))
        if "ELSET" in word.options:
            self.scope.set_named("elset", word.option("ELSET")).members.append(("", Numbers(ids)))

    def _without(self, word: Keyword, kind: str) -> None:
        """Note elements that are left out, or those that can't be read."""
        why = without_stiffness(kind)
        if why is None:
            place, number = self.model.unsupported.get(kind, (word.place, 0))
            continued = sum(line.rstrip().endswith(",") for line in word.data[:-1])
            self.model.unsupported[kind] = place, number + len(word.data) - continued
            return
        line = word.place.removeprefix("line ")
        self.model.left_out.add(f"elements of type {kind}", why, line, len(word.data))
        rows = [[int(token) for token in line.split(",") if token.strip()] for line in word.data]
        ids = np.array([row[0] for row in rows], dtype=np.int64)
        nodes = np.array([row[1:] for row in rows], dtype=np.int64)
        empty = np.zeros(len(ids), np.int64)
        self.scope.elements.append(Elements(kind, ids, nodes, empty, word.place))
        if "ELSET" in word.options:
            self.scope.set_named("elset", word.option("ELSET")).members.append(("", Numbers(ids)))

    def set(self, word: Keyword) -> None:
        """Read *Nset or *Elset."""
        kind = word.name.lower()
        members: list[Members] = []
        if "GENERATE" in word.options:
            for row in word.rows():
                first, last, step = (*(whole_number(token) for token in row if token), 1)[:3]
                if max(map(abs, (first, last, step))) > _LARGEST_NUMBER:
                    raise ValueError("a number of the range is too large")
                if step < 1:
                    raise ValueError(f"a range can't have the increment {step}")
                members.append(Range(first, last, step))
        else:
            members = numbers_and_names(word.tokens())
        if kind == "nset" and "ELSET" in word.options:
            members.append(NodesOf(word.option("ELSET")))
        instance = word.options.get("INSTANCE", "")
        named = self.scope.set_named(kind, word.option(word.name), f"{word.place}, {word}")
        named.unsorted |= "UNSORTED" in word.options
        if "FREQUENCY" in word.options:
            line = word.place.removeprefix("line ")
            self.model.left_out.add(f"frequency= of {word}", "requests for results are not read", line)
        named.members += [(instance, member) for member in members]

    def surface(self, word: Keyword) -> None:
        """Read *Surface."""
        kind = word.options.get("TYPE", "ELEMENT").upper()
        if kind not in ("ELEMENT", "NODE") or "COMBINE" in word.options or "CROP" in word.options:
            self.model.left_out.add(
                str(word),
                "only surfaces of elements and of nodes are read",
                word.place.removeprefix("line "),
            )
            return
        name = word.option("NAME")
        its = self.scope.surfaces.setdefault(name.upper(), Surface(name, kind == "NODE", [], word.place))
        if its.of_nodes != (kind == "NODE"):
            raise ValueError(
                f"the surface {name!r} is given twice, of nodes and of elements ({its.place} too)"
            )
        rows = [row for row in word.rows() if row[0]]
        if its.of_nodes and len({row[1] if len(row) > 1 else "" for row in rows}) > 1:
            why, line = "couplings count its nodes alike", word.place.removeprefix("line ")
            self.model.left_out.add(f"areas of the nodes of {word}", why, line)
        its.rows.extend(rows)

    def surface_section(self, word: Keyword) -> None:
        """Leave out *Surface Section; refuse one with mass."""
        if number_of(word.options.get("DENSITY") or "0"):
            raise ValueError(
                "surface elements that carry mass (density=) are not read; give the mass by *Mass"
            )
        why = "surface elements without stiffness and mass"
        self.model.left_out.add(str(word), why, word.place.removeprefix("line "))

    def constants(self, word: Keyword) -> None:
        """Read *Material, *Density or *Elastic."""
        if word.name == "MATERIAL":
            self.material = Constants(word.option("NAME"), word.place)
            if before := self.model.materials.get(self.material.name):
                self.model.doubts.append(
                    f"the material {self.material.name!r} is given twice ({before.place} and {word.place}); the later "
                    "one applies"
                )
            self.model.materials[self.material.name] = self.material
            return
        if self.material is None:
            raise ValueError(f"{word} stands before any *Material")
        self.material.read(word, self.model.left_out)


_READERS = {
    "NODE": _Reader.nodes,
    "ELEMENT": _Reader.elements,
    "NSET": _Reader.set,
    "ELSET": _Reader.set,
    "SURFACE": _Reader.surface,
    "SURFACE SECTION": _Reader.surface_section,
    **dict.fromkeys(("MATERIAL", "DENSITY", "ELASTIC"), _Reader.constants),
}


def _of_step(name: str) -> str:
    if name in HARMLESS and name not in ("STEP", "END STEP"):
        return HARMLESS[name]
    if name == "BOUNDARY":
        return "supports of a step are given to fem.static"
    return (
        "changes of the model in a step are not read"
        if name in MODEL and name != "STEP"
        else "steps are not read"
    )


def numbers_and_names(tokens: list[str]) -> list[Members]:
    """Return numbers as one array, and names."""
    try:
        return [Numbers(np.array(tokens, dtype=np.int64))]
    except (ValueError, OverflowError):
        found: list[Members] = []
        for token in tokens:
            number = token.isdecimal() and len(token) < 19
            found.append(Numbers(np.array([int(token)])) if number else Name(token))
        return found


def _with_input(word: Keyword) -> Keyword:
    """Return a keyword with its data from another file, if it names one."""
    if not word.options.get("INPUT"):
        return word
    other = path_of(word.folder / word.options["INPUT"])
    if not other.is_file():
        raise ValueError(f"it names {other}, which does not exist")
    lines = [line.strip() for line in decoded(other.read_bytes()).split("\n")]
    return word._replace(data=[line for line in lines if line and not line.startswith("*")], lines=[])


def _from_system(system: str, x: np.ndarray) -> np.ndarray:
    """Return points from cylindrical (r, theta, z) or spherical (r, longitude, latitude) coordinates in degrees."""
    if system == "S":
        return SphericalSystem().points(np.column_stack([x[:, 0], 90.0 - x[:, 2], x[:, 1]]))
    return CylindricalSystem().points(x)


def _named_nodes(word: Keyword, kind: str, nn: int) -> tuple[tuple[str, ...], ...]:
    """Return the nodes of elements that join instances as in the file; each element stands on a line of its own."""
    rows = [tuple(token for token in row[1:] if token) for row in word.rows()]
    wrong = [row for row in rows if len(row) != nn]
    if wrong:
        raise ValueError(f"not all elements of type {kind} have {nn} nodes")
    return tuple(rows)


def _element_table(word: Keyword, kind: str, nn: int) -> np.ndarray:
    """Return numbers and nodes (n, 1 + nn); an element begins on a line of its own."""
    values = word.numbers()
    starts = np.concatenate([[0], np.cumsum([line.rstrip(",").count(",") + 1 for line in word.data])])
    if len(values) % (1 + nn) or not np.isin(np.arange(0, len(values), 1 + nn), starts).all():
        raise ValueError(f"not all elements of type {kind} have {nn} nodes")
    return whole(values).reshape(-1, 1 + nn)


def parse(path: Path) -> Model:
    """Return the content of a file; :class:`FileError` with the line of what is wrong."""
    model = Model(path)
    reader, word = _Reader(model), None
    size = path.stat().st_size
    try:
        with progress(
            size / 1e6, f"reading {path.name}", "MB", None if size > _SIZE_WITH_PROGRESS else False
        ) as bar:
            for word in keywords_of(path):
                reader.read(word)
                bar.update(1e-6 * sum(map(len, word.data)))
        word = None
        reader.end()
    except FileError:
        raise
    except ValueError as error:
        raise _damage(path, word, str(error)) from None
    except (IndexError, OverflowError):
        raise _damage(path, word, NO_NUMBER) from None
    return model


def _damage(path: Path, word: Keyword | None, what: str) -> FileError:
    where = f", {word.place}, {word}" if word else ""
    if word and word.name in ("NODE", "ELEMENT"):
        kind = word.options.get("TYPE", "").upper()
        nn = (
            n_nodes(kind) if word.name == "ELEMENT" and not is_beam(kind) else None
        )  # a node may follow those of beams
        line = word.wrong_line(1 + nn if nn else 0)
        where += f", line {line}" if line else ""
    return FileError(f"{path}{where}: {what}; check the file")

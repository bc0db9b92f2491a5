"""Scopes of an Abaqus model: parts, instances and the assembly, with nodes, elements and sets by their own numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from ...mesh.places import Places
from .keywords import Keyword


class Nodes(NamedTuple):
    """Nodes of one keyword: numbers (n,), coordinates (n, 3) and the keyword's place."""

    ids: np.ndarray
    x: np.ndarray
    place: str


class Elements(NamedTuple):
    """Elements of one type: numbers (n,), nodes (n, nn), of beams a further node that gives a direction, or zero.

    ``names``: the nodes of each element as in the file, where some are those of an instance ("arm-1.7").
    """

    kind: str
    ids: np.ndarray
    nodes: np.ndarray
    direction: np.ndarray
    place: str
    names: tuple[tuple[str, ...], ...] = ()
    lines: Places | None = None


class Lookup(Protocol):
    """Where members of a set are looked up: among the numbers of a scope, or in the mesh.

    Each method returns nodes or elements (n,).
    """

    def numbers(self, ids: np.ndarray) -> np.ndarray:
        """Return those of numbers, all of which must exist."""
        ...

    def within(self, wanted: Range) -> np.ndarray:
        """Return those of a range."""
        ...

    def nodes_of(self, elset: str) -> np.ndarray:
        """Return the nodes of an element set."""
        ...

    def named(self, name: str) -> np.ndarray:
        """Return those of another set, also of an instance."""
        ...


class Members(Protocol):
    """Members of a set."""

    def look_up(self, where: Lookup) -> np.ndarray:
        """Return the nodes or elements (n,)."""
        ...


class Numbers(NamedTuple):
    """Numbers (n,) that must exist."""

    ids: np.ndarray

    def look_up(self, where: Lookup) -> np.ndarray:
        """Return the nodes or elements (n,)."""
        return where.numbers(self.ids)


class Range(NamedTuple):
    """A generated range of numbers, of which those that exist are meant."""

    first: int
    last: int
    step: int

    def look_up(self, where: Lookup) -> np.ndarray:
        """Return the nodes or elements (n,)."""
        return where.within(self)


class NodesOf(NamedTuple):
    """The nodes of an element set."""

    elset: str

    def look_up(self, where: Lookup) -> np.ndarray:
        """Return the nodes (n,)."""
        return where.nodes_of(self.elset)


class Name(NamedTuple):
    """The name of another set, or of a set of an instance."""

    name: str

    def look_up(self, where: Lookup) -> np.ndarray:
        """Return the nodes or elements (n,)."""
        return where.named(self.name)


@dataclass(eq=False)
class NamedSet:
    """A set as in the file: its spelling, its members, each with the instance in which to look ("" for its own)."""

    name: str
    members: list[tuple[str, Members]] = field(default_factory=list)
    unsorted: bool = False
    place: str = ""


@dataclass(eq=False)
class Surface:
    """A surface as in the file: rows of an element or set and a side, or of nodes and node sets."""

    name: str
    of_nodes: bool
    rows: list[list[str]]
    place: str


@dataclass(eq=False)
class Statement:
    """A keyword that is resolved once all nodes are placed, with the keywords that belong to it."""

    word: Keyword
    sub: list[Keyword] = field(default_factory=list)


@dataclass(eq=False)
class Scope:
    """What a part, an instance or the assembly holds; ``name`` is empty outside of all."""

    name: str
    nodes: list[Nodes] = field(default_factory=list)
    elements: list[Elements] = field(default_factory=list)
    sets: dict[tuple[str, str], NamedSet] = field(default_factory=dict)
    surfaces: dict[str, Surface] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    translation: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray | None = None

    @property
    def where(self) -> str:
        """Where it is, for messages."""
        return f" in {self.name}" if self.name else ""

    def set_named(self, kind: str, name: str, place: str = "") -> NamedSet:
        """Return a "nset" or "elset" to which members can be added."""
        its = self.sets.setdefault((kind, name.upper()), NamedSet(name, place=place))
        its.place = place or its.place
        return its

    def instance(self, name: str) -> Scope:
        """Return an instance of this part."""
        sets = {
            key: NamedSet(its.name, list(its.members), its.unsorted, its.place)
            for key, its in self.sets.items()
        }
        surfaces = {
            key: Surface(s.name, s.of_nodes, list(s.rows), s.place) for key, s in self.surfaces.items()
        }
        return Scope(name, list(self.nodes), list(self.elements), sets, surfaces, list(self.statements))

    def coordinates(self, numbers: np.ndarray | int) -> np.ndarray:
        """Return the positions (..., 3) of nodes that stand in the file above; ValueError if one does not."""
        ids = np.concatenate([np.empty(0, np.int64), *(piece.ids for piece in self.nodes)])
        order = np.argsort(ids, kind="stable")
        k = np.minimum(np.searchsorted(ids[order], numbers), len(ids) - 1)
        if not len(ids) or (ids[order][k] != numbers).any():
            lost = np.setdiff1d(numbers, ids)
            raise ValueError(f"there is no node {lost[0]} above{self.where}")
        return np.concatenate([piece.x for piece in self.nodes])[order[k]]

    def turned(self, v: np.ndarray) -> np.ndarray:
        """Return directions (..., 3) as the instance is turned."""
        if self.rotation is None:
            return v
        a, b, angle = self.rotation[:3], self.rotation[3:6], np.radians(self.rotation[6])
        length = np.linalg.norm(b - a)
        if not length > 0:
            raise ValueError(f"instance {self.name!r} turns about an axis of no length")
        n = (b - a) / length
        return (
            np.cos(angle) * v + np.sin(angle) * np.cross(n, v) + (1 - np.cos(angle)) * (v @ n)[..., None] * n
        )

    def placed(self, x: np.ndarray) -> np.ndarray:
        """Translate points (..., 3), then rotate them about the axis from point a to point b by an angle in degrees."""
        x = x + self.translation
        return x if self.rotation is None else self.rotation[:3] + self.turned(x - self.rotation[:3])


class Numbering:
    """The position in the mesh of each number of a scope."""

    def __init__(self, what: str, where: str) -> None:
        self._what, self._where = what, where
        self._ids, self._at = np.empty(0, np.int64), np.empty(0, np.int64)

    def fill(self, pieces: Iterable[tuple[np.ndarray, int, str]]) -> None:
        """Take numbers (n,), each piece with the position of the first in the mesh and its place in the file."""
        pieces = list(pieces)
        if not pieces:
            return
        ids = np.concatenate([piece for piece, _, _ in pieces])
        at = np.concatenate([start + np.arange(len(piece)) for piece, start, _ in pieces])
        order = np.argsort(ids, kind="stable")
        self._ids, self._at = ids[order], at[order]
        twice = np.flatnonzero(self._ids[1:] == self._ids[:-1])
        if len(twice):
            number = int(self._ids[twice[0]])
            places = [place for piece, _, place in pieces if (piece == number).any()]
            raise ValueError(
                f"{self._what} {number} is defined twice{self._where} ({' and '.join(dict.fromkeys(places))})"
            )

    def find(self, numbers: np.ndarray) -> np.ndarray:
        """Return the positions of numbers; ValueError if one does not exist."""
        numbers = np.asarray(numbers, dtype=np.int64)
        if not len(self._ids):
            lost = numbers[:1]
        else:
            k = np.minimum(np.searchsorted(self._ids, numbers), len(self._ids) - 1)
            wrong = self._ids[k] != numbers
            if not wrong.any():
                return self._at[k]
            lost = numbers[wrong]
        if not numbers.size:
            return np.empty(0, np.int64)
        raise ValueError(f"there is no {self._what} {lost.ravel()[0]}{self._where}")

    def within(self, wanted: Range) -> np.ndarray:
        """Return the positions of those numbers of a range that exist, in their order."""
        low, high = np.searchsorted(self._ids, [min(wanted.first, 2**62), min(wanted.last + 1, 2**62)])
        ids = self._ids[low:high]
        return self._at[low:high][(ids - wanted.first) % wanted.step == 0]

"""Keywords that generate nodes and elements from others: *Ngen, *Nfill, *Ncopy, *Elgen, *Elcopy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .keywords import Keyword, whole_number
from .scope import Elements, NamedSet, Nodes, Numbers, Range, Scope

#: most nodes or elements that one keyword may generate
_MAX_GENERATED = 10_000_000


def generate_nodes(scope: Scope, word: Keyword) -> None:
    """Read *Ngen: nodes on the straight line between two nodes."""
    if word.options.get("LINE", "").upper() in ("C", "P"):
        raise ValueError("nodes on circles and parabolas are not supported; let the program write them out")
    for row in word.rows():
        first, last, *rest = (whole_number(token) for token in row if token)
        step = rest[0] if rest else 1
        count, left = divmod(last - first, step) if step else (0, 1)
        _check_count(count)
        if count < 1 or left:
            raise ValueError(f"from {first} to {last} there are no whole steps of {step}")
        share = np.arange(count + 1)[:, None] / count
        x = (1 - share) * scope.coordinates(first) + share * scope.coordinates(last)
        ids = first + step * np.arange(count + 1)
        scope.nodes.append(Nodes(ids[1:-1], x[1:-1], word.place))
        if "NSET" in word.options:
            scope.set_named("nset", word.option("NSET")).members.append(("", Numbers(ids)))


def fill_nodes(scope: Scope, word: Keyword) -> None:
    """Read *Nfill: nodes on straight lines between the nodes of two sets, in the order of their members."""
    if {"BIAS", "SINGULAR", "TWO STEP"} & word.options.keys():
        raise ValueError("bias= and singular= are not supported; let the program write the nodes out")
    for row in word.rows():
        a, b = (numbers_of(scope, "nset", name, ordered=True) for name in row[:2])
        count, step = whole_number(row[2]), whole_number(row[3])
        if len(a) != len(b) or count < 1:
            raise ValueError(
                f"the sets {row[0]!r} and {row[1]!r} hold {len(a)} and {len(b)} nodes, in {count} steps"
            )
        _check_count(count * len(a))
        share = np.arange(1, count) / count
        start, end = scope.coordinates(a)[:, None], scope.coordinates(b)[:, None]
        points = start + share[:, None] * (end - start)
        made = (a[:, None] + step * np.arange(1, count)).ravel()
        scope.nodes.append(Nodes(made, points.reshape(-1, 3), word.place))
        if "NSET" in word.options:
            scope.set_named("nset", word.option("NSET")).members += [
                ("", Numbers(ids)) for ids in (a, made, b)
            ]


def copy_nodes(scope: Scope, word: Keyword) -> None:
    """Read *Ncopy, SHIFT: copies of nodes, translated and turned."""
    if "SHIFT" not in word.options:
        raise ValueError("only shift copies are supported; let the program write the nodes out")
    old = numbers_of(scope, "nset", word.option("OLD SET"))
    times = whole_number(word.options.get("MULTIPLE") or "1")
    change = whole_number(word.option("CHANGE NUMBER"))
    rows = [word.floats(k) for k in range(2)]
    _check_count(times * len(old))
    mover = Scope("", translation=np.zeros(3))
    x = scope.coordinates(old)
    for time in range(1, times + 1):
        # the shift, then the rotation, each once more for every copy
        mover.translation = np.array(rows[0] or [0.0, 0.0, 0.0])
        mover.rotation = np.array(rows[1]) if len(rows[1]) == 7 else None
        x = mover.placed(x)
        ids = old + time * change
        scope.nodes.append(Nodes(ids, x, word.place))
        if "NEW SET" in word.options:
            scope.set_named("nset", word.option("NEW SET")).members.append(("", Numbers(ids)))


def generate_elements(scope: Scope, word: Keyword) -> None:
    """Read *Elgen: rows, layers and blocks of elements from one element."""
    for row in word.rows():
        master, *given = (whole_number(token) for token in row if token)
        levels = [(*given[k : k + 3], 1, 1)[:3] for k in range(0, len(given), 3)]
        its = _element(scope, master)
        shifts, numbers = np.zeros(1, np.int64), np.zeros(1, np.int64)
        for count, of_nodes, of_elements in levels:
            _check_count(count * len(shifts))
            if count < 1:
                raise ValueError(f"{count} elements can't be generated")
            k = np.arange(count)
            shifts = (shifts[None, :] + k[:, None] * of_nodes).ravel()
            numbers = (numbers[None, :] + k[:, None] * of_elements).ravel()
        ids = master + numbers
        nodes = its.nodes + shifts[:, None]
        direction = np.full(len(ids), its.direction[0])
        made = Elements(its.kind, ids[1:], nodes[1:], direction[1:], word.place)
        scope.elements.append(made._replace(lines=word._replace(lines=[]).places(len(ids) - 1)))
        if "ELSET" in word.options:
            scope.set_named("elset", word.option("ELSET")).members.append(("", Numbers(ids)))


def copy_elements(scope: Scope, word: Keyword) -> None:
    """Read *Elcopy: copies of elements with other numbers."""
    old = numbers_of(scope, "elset", word.option("OLD SET"))
    shift, of_nodes = (whole_number(word.option(key)) for key in ("ELEMENT SHIFT", "SHIFT NODES"))
    for number in old.tolist():
        its = _element(scope, number)
        copied = Elements(its.kind, its.ids + shift, its.nodes + of_nodes, its.direction, word.place)
        scope.elements.append(copied._replace(lines=word._replace(lines=[]).places(len(copied.ids))))
    if "NEW SET" in word.options:
        scope.set_named("elset", word.option("NEW SET")).members.append(("", Numbers(old + shift)))


def numbers_of(scope: Scope, kind: str, name: str, ordered: bool = False, above: tuple = ()) -> np.ndarray:
    """Return the members of a set that is defined above, as numbers: ascending, or as given if ``ordered``."""
    its: NamedSet | None = scope.sets.get((kind, name.upper()))
    if its is None or name.upper() in above:
        raise ValueError(f"there is no {kind} {name!r} above{scope.where}")
    above_it = _Above(scope, kind, name, ordered, (*above, name.upper()))
    found = [member.look_up(above_it) for _, member in its.members]
    numbers = np.concatenate([np.empty(0, np.int64), *found])
    return numbers if ordered and its.unsorted else np.unique(numbers)


class _Above(NamedTuple):
    """Looks up members of a set among the numbers of a scope that stand above in the file."""

    scope: Scope
    kind: str
    name: str
    ordered: bool
    above: tuple[str, ...]

    def numbers(self, ids: np.ndarray) -> np.ndarray:
        return ids

    def within(self, wanted: Range) -> np.ndarray:
        table = self.scope.nodes if self.kind == "nset" else self.scope.elements
        ids = np.sort(np.concatenate([np.empty(0, np.int64), *(piece.ids for piece in table)]))
        return ids[(ids >= wanted.first) & (ids <= wanted.last) & ((ids - wanted.first) % wanted.step == 0)]

    def nodes_of(self, elset: str) -> np.ndarray:
        raise ValueError(f"the {self.kind} {self.name!r} holds the nodes of an element set; name nodes")

    def named(self, name: str) -> np.ndarray:
        return numbers_of(self.scope, self.kind, name, self.ordered, self.above)


def _element(scope: Scope, number: int) -> Elements:
    for its in reversed(scope.elements):
        k = np.flatnonzero(its.ids == number)
        if len(k):
            return Elements(its.kind, its.ids[k], its.nodes[k], its.direction[k], its.place)
    raise ValueError(f"there is no element {number} above{scope.where}")


def _check_count(count: int) -> None:
    if count > _MAX_GENERATED:
        raise ValueError(f"{count} at once are too many; check the numbers")

"""Connections of Abaqus files: couplings, rigid bodies, equations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from ...model.connections import Averaged, Rigid
from ...model.equations import Equation
from ...model.freedoms import NAMES
from ..turned_components import same_in_all_axes
from ..units import Units
from .directions import Directions
from .element_types import is_beam, shape_of
from .keywords import Keyword, number_of, whole_number
from .place import Placed
from .scope import Scope, Statement
from .weighting import METHODS, weights_of

_ALL = frozenset(range(6))
_TRANSLATIONS, _ROTATIONS = frozenset(range(3)), frozenset(range(3, 6))
#: terms of an equation: node, component, coefficient
_Terms = list[tuple[int, int, float]]


class Connections:
    """Turns the connections of a model into parts."""

    def __init__(self, placed: Placed, directions: Directions, units: Units) -> None:
        self._placed, self._directions, self._units = placed, directions, units
        self._parts = placed.raw.parts
        self.turning = np.zeros(len(placed.raw.points), bool)
        for kind, table in zip(placed.cells.kinds, placed.cells.tables, strict=True):
            if is_beam(kind) or shape_of(kind) in ("tri3", "quad4", "tri6", "quad8", "quad9"):
                self.turning[table] = True

    @cached_property
    def x(self) -> np.ndarray:
        """Positions of the nodes in m."""
        return self._placed.raw.points * self._units.length

    # ---- couplings and rigid bodies ------------------------------------------------------------------------

    def coupling(self, scope: Scope, statement: Statement) -> None:
        """Read *Coupling with *Kinematic or *Distributing, or the older *Kinematic Coupling."""
        word = statement.word
        reference = word.option("REF NODE")
        node = self._one_node(scope, reference)
        if word.name == "KINEMATIC COUPLING":
            self._old_coupling(scope, word, node, reference)
            return
        surface = self._placed.surface(scope, word.option("SURFACE"))
        nodes = self._near(surface, word, node)
        name = word.options.get("CONSTRAINT NAME") or f"coupling of {word.place}"
        kinds = [sub for sub in statement.sub if sub.name in ("KINEMATIC", "DISTRIBUTING")]
        if len(kinds) != 1:
            raise ValueError("one *Kinematic or *Distributing must follow")
        if kinds[0].name == "DISTRIBUTING":
            self._distributing(scope, word, kinds[0], surface, nodes)
            return
        chosen = self._components(kinds[0])
        members = np.setdiff1d(self._placed.raw.node_sets[nodes], [node])
        leader = self._placed.node_set(scope, reference)
        self._kinematic(name, nodes, members, leader, node, chosen, self._axes(scope, word))

    def _old_coupling(self, scope: Scope, word: Keyword, node: int, reference: str) -> None:
        for number, row in enumerate(word.rows(), start=1):
            chosen = self._row_components(row[1:])
            name, nodes = f"coupling of {word.place}, {number}", self._placed.node_set(scope, row[0])
            members = np.setdiff1d(self._placed.find(scope, "nset", row[0]), [node])
            leader = self._placed.node_set(scope, reference)
            self._kinematic(name, nodes, members, leader, node, chosen, self._axes(scope, word))

    def _axes(self, scope: Scope, word: Keyword) -> Callable[[int], np.ndarray] | None:
        """Return the directions (3, 3) of a coupling at each of its nodes, None for global ones."""
        if not word.options.get("ORIENTATION"):
            return None
        return lambda node: self._directions.at(scope, word, self._placed.raw.points[node])

    def _following(
        self, scope: Scope, word: Keyword, node: int, chosen: frozenset[int]
    ) -> str | tuple[str, ...]:
        """Return the global components of the reference node that follow in the directions of a coupling."""
        names = tuple(NAMES[k] for k in sorted(chosen))
        axes = self._axes(scope, word)
        turned = axes is not None and not np.allclose(axes(node), np.eye(3), atol=1e-12)
        if turned and not same_in_all_axes(dict.fromkeys(names, 0.0)):
            raise ValueError(
                f"a distributing coupling of the components {', '.join(str(k + 1) for k in sorted(chosen))} in turned "
                "directions is not supported; give all displacements, all rotations or all six, or no orientation"
            )
        return "all" if chosen == _ALL else names

    def _distributing(self, scope: Scope, word: Keyword, sub: Keyword, surface: str, near: str) -> None:
        """Add an averaging connection of the nodes ``near`` on a surface, weighted as ``sub`` says."""
        node = self._one_node(scope, word.option("REF NODE"))
        follows = self._following(scope, word, node, self._components(sub))
        name = word.options.get("CONSTRAINT NAME") or f"coupling of {word.place}"
        self._tell_structural(word, sub)
        raw, edges = self._placed.raw, self._placed.edges.get(surface, [])
        turning = near in raw.node_sets and self.turning[raw.node_sets[near]].any()
        if turning and not {"COUPLING", "ROTATIONAL COUPLING"} & sub.options.keys():
            why = "the reference node follows the displacements of beams and shells, not their rotations"
            raw.left_out.add(f"rotations in {word}", why, word.place.removeprefix("line "))
        method = sub.options.get("WEIGHTING METHOD", "UNIFORM").upper()
        if method not in METHODS:
            raise ValueError(
                f"the weighting method {method.lower()} is not known; there are {', '.join(METHODS)}"
            )
        weights: dict[str, float] | float | None = None if raw.faces.get(surface) or edges else 1.0
        if method != "UNIFORM" or (near != surface and weights is None):
            nodes, values = weights_of(
                self.x, raw.faces.get(surface, []), edges, raw.node_sets[near], node, method
            )
            if len(nodes) < len(raw.node_sets[near]):
                near = f"{near} with weight at {self._placed.node(node)}"
                raw.node_sets[near] = nodes
            names = map(self._placed.node, nodes.tolist())
            weights = dict(zip(names, values.tolist(), strict=True))
        reference = self._placed.node_set(scope, word.option("REF NODE"))
        self._parts.append(
            Averaged(self.free_name(name), near, reference=reference, components=follows, weights=weights)
        )

    def _tell_structural(self, word: Keyword, sub: Keyword) -> None:
        """Say what differs where the reference node also turns with the nodes of shells: no public text tells how."""
        for key in ("COUPLING", "ROTATIONAL COUPLING"):
            given = sub.options.get(key, "CONTINUUM").upper()
            if given == "STRUCTURAL":
                self._placed.raw.doubts.append(
                    f"{key.lower()}=structural in {sub.place} ({word}) is read as continuum: the reference node turns "
                    "with the mean displacements of its nodes, not with their rotations, and hands its moments on as "
                    "forces. Both agree where the nodes move as a rigid patch"
                )
            elif given != "CONTINUUM":
                raise ValueError(
                    f"{key.lower()}={given.lower()} is not known; there are continuum and structural"
                )

    def _near(self, nodes: str, word: Keyword, node: int) -> str:
        """Return the node set of a surface, or a new one of its nodes within the influence radius."""
        raw, given = self._placed.raw, word.options.get("INFLUENCE RADIUS")
        if not given or given.upper() == "WORLD":
            return nodes
        if nodes not in raw.node_sets:
            return nodes
        members = raw.node_sets[nodes]
        near = members[np.linalg.norm(raw.points[members] - raw.points[node], axis=1) <= number_of(given)]
        if len(near) == len(members):
            return nodes
        if not len(near):
            raise ValueError(f"no node is within the influence radius of {given}")
        name = f"{nodes} within {given} of {self._placed.node(node)}"
        raw.node_sets[name] = near
        return name

    def _components(self, word: Keyword) -> frozenset[int]:
        """Return the components 0..5 of the data lines "first, last"; all if there are none."""
        rows = [row for row in word.rows() if any(row)]
        return frozenset().union(*(self._row_components(row) for row in rows)) if rows else _ALL

    @staticmethod
    def _row_components(row: Iterable[str]) -> frozenset[int]:
        numbers = [whole_number(token) for token in row if token]
        if not numbers:
            return _ALL
        first, last = numbers[0], numbers[1] if len(numbers) > 1 else numbers[0]
        if not 1 <= first <= last <= 6:
            raise ValueError(f"degrees of freedom {first} to {last} don't exist; there are 1 to 6")
        return frozenset(range(first - 1, last))

    def _kinematic(
        self,
        name: str,
        nodes: str,
        members: np.ndarray,
        reference: str,
        node: int,
        chosen: frozenset[int],
        axes: Callable[[int], np.ndarray] | None = None,
    ) -> None:
        """Add a rigid connection, or equations where only some of the motions follow, in turned directions."""
        turning = self.turning[members].any()
        if chosen >= _TRANSLATIONS and (chosen >= _ROTATIONS or not turning):
            self._parts.append(Rigid(self.free_name(name), nodes, reference=reference))
            return
        if axes is None:
            some = tuple(NAMES[k] for k in sorted(chosen))
            self._parts.append(Rigid(self.free_name(name), nodes, reference=reference, components=some))
            return
        x = self.x
        for member in members.tolist():
            for component in sorted(chosen):
                e = axes(member)[component % 3]
                if component >= 3 and not self.turning[member]:
                    continue
                self._follow(
                    f"{name}, {component + 1} of", member, node, e, component >= 3, x[member] - x[node]
                )

    def _follow(self, name: str, member: int, node: int, e: np.ndarray, turn: bool, arm: np.ndarray) -> None:
        """Add the equation by which a node moves or turns along e as a rigid body with another node."""
        shift = 3 if turn else 0
        terms = [(member, shift + k, e[k]) for k in range(3)] + [(node, shift + k, -e[k]) for k in range(3)]
        if not turn:
            swept = np.cross(arm, e)  # (theta x arm) e = theta (arm x e)
            terms += [(node, 3 + k, -swept[k]) for k in range(3)]
        self.add_equation(f"{name} node {self._placed.node(member)}", terms)

    def rigid_body(self, scope: Scope, statement: Statement) -> None:
        """Read *Rigid Body."""
        word, raw = statement.word, self._placed.raw
        reference = word.option("REF NODE")
        node = self._one_node(scope, reference)
        line = word.place.removeprefix("line ")
        for key, why in (
            ("ROT NODE", "the reference node itself turns"),
            ("ANALYTICAL SURFACE", "surfaces without elements are not read"),
        ):
            if key in word.options:
                raw.left_out.add(f"{key.lower()} of {word}", why, line)
        if word.options.get("POSITION", "INPUT").upper() != "INPUT":
            raise ValueError("position=center of mass moves the reference node; give its coordinates")
        name = f"rigid body {word.options.get('NAME') or reference}"
        groups = []
        for key in ("ELSET", "NSET", "TIE NSET", "PIN NSET"):
            if key not in word.options:
                continue
            kind = "elset" if key == "ELSET" else "nset"
            found = self._placed.find(scope, kind, word.option(key))
            found = self._placed.nodes_of_elements(found) if key == "ELSET" else found
            groups.append((key, np.setdiff1d(found, [node])))
        taken = np.empty(0, np.int64)
        for number, (key, members) in enumerate(groups):
            members = np.setdiff1d(members, taken)
            taken = np.union1d(taken, members)
            if not len(members):
                continue
            label = f"nodes of {name}" + f" {number + 1}" * (len(groups) > 1)
            raw.node_sets[label] = members
            chosen = _TRANSLATIONS if key == "PIN NSET" else _ALL
            its = name if len(groups) == 1 else f"{name} {number + 1}"
            reference_set = self._placed.node_set(scope, reference)
            self._kinematic(its, label, members, reference_set, node, chosen)

    # ---- equations -----------------------------------------------------------------------------------------

    def equation(self, scope: Scope, statement: Statement) -> None:
        """Read *Equation; a term may name a node set, then each of its nodes has an equation."""
        rows, word = statement.word.rows(), statement.word
        if "REMOVE" in word.options:
            raise ValueError("remove is not supported")
        entries = [token for row in rows for token in row if token]
        at = number = 0
        while at < len(entries):
            count = whole_number(entries[at])
            mine = entries[at + 1 : at + 1 + 3 * count]
            at, number = at + 1 + 3 * count, number + 1
            if count < 1 or len(mine) < 3 * count:
                raise ValueError(f"{count} terms are announced, {len(mine) // 3} follow")
            self._terms(scope, f"equation {number} of {word.place}", mine)

    def _terms(self, scope: Scope, name: str, entries: list[str]) -> None:
        found = [self._placed.find(scope, "nset", entries[k]) for k in range(0, len(entries), 3)]
        size = len(found[0])
        for token, nodes in zip(entries[::3], found, strict=True):
            if len(nodes) not in (1, size):
                raise ValueError(f"the set {token!r} holds {len(nodes)} nodes, the first one {size}")
        for k in range(size):
            terms: _Terms = []
            for nodes, dof, factor in zip(found, entries[1::3], entries[2::3], strict=True):
                node = int(nodes[k] if len(nodes) > 1 else nodes[0])
                terms += self._along(node, self._dof(dof), number_of(factor))
            self.add_equation(name if size == 1 else f"{name}, {k + 1}", terms)

    def _along(self, node: int, dof: int, factor: float) -> _Terms:
        """Return the terms (SI) of a degree of freedom of a node, which *Transform may have turned."""
        e = self._directions.of_node(node)[dof % 3]
        # divided by the length of the file, in which its displacements are
        scale = factor * (self._units.length if dof > 2 else 1.0)
        return [(node, dof - dof % 3 + k, scale * e[k]) for k in range(3)]

    @staticmethod
    def _dof(token: str) -> int:
        dof = whole_number(token)
        if not 1 <= dof <= 6:
            raise ValueError(f"there is no degree of freedom {dof}; there are 1 to 6")
        return dof - 1

    def add_equation(self, name: str, terms: _Terms) -> None:
        """Add the equation that the sum of coefficient times motion is zero, without terms that vanish."""
        total: dict[tuple[int, int], float] = {}
        for node, component, value in terms:
            total[node, component] = total.get((node, component), 0.0) + value
        size = max((abs(value) for value in total.values()), default=0.0)
        kept = [
            (self._placed.node(node), NAMES[component], value)
            for (node, component), value in total.items()
            if abs(value) > 1e-14 * size
        ]
        if not kept:
            raise ValueError(f"all coefficients of the {name} are zero")
        self._parts.append(Equation(name, kept))

    # ---- names ---------------------------------------------------------------------------------------------

    def _one_node(self, scope: Scope, token: str) -> int:
        nodes = self._placed.find(scope, "nset", token)
        if len(nodes) != 1:
            raise ValueError(f"the reference node {token!r} must be one node, not {len(nodes)}")
        return int(nodes[0])

    def free_name(self, name: str) -> str:
        """Return a name that no other connection has."""
        taken = {part.name for part in self._parts if isinstance(part, Rigid | Averaged)}
        return name if name not in taken else next(n for n in _numbered(name) if n not in taken)


def _numbered(name: str) -> Iterable[str]:
    number = 2
    while True:
        yield f"{name} {number}"
        number += 1

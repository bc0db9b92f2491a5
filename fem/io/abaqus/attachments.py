"""Masses, springs, dampers and supports of Abaqus files."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...model.freedoms import NAMES
from ...model.parts import PointMass, Spring
from ..turned_axes import global_support
from ..turned_components import same_in_all_axes
from ..units import Units
from .directions import Directions
from .keywords import Keyword, number_of, whole_number
from .place import Placed
from .scope import Scope, Statement

#: named supports: components 1 to 6 that are held
_NAMED = {
    "ENCASTRE": (1, 2, 3, 4, 5, 6),
    "PINNED": (1, 2, 3),
    "XSYMM": (1, 5, 6),
    "YSYMM": (2, 4, 6),
    "ZSYMM": (3, 4, 5),
    "XASYMM": (2, 3, 4),
    "YASYMM": (1, 3, 5),
    "ZASYMM": (1, 2, 6),
}


@dataclass(eq=False)
class _Turned:
    """What a node with turned directions is held in, what of it is kept as it is, and the last line that says so."""

    held: dict[str, float] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    line: str = ""


@dataclass(eq=False)
class Attachments:
    """Turns masses, springs, dampers and supports into parts and supports of the mesh."""

    placed: Placed
    directions: Directions
    units: Units
    used: set[int] = field(default_factory=set)
    _turned: dict[int, _Turned] = field(default_factory=dict)

    def _elements(self, scope: Scope, word: Keyword, kinds: tuple[str, ...]) -> list[int]:
        elements = self.placed.members(scope, "elset", word.option("ELSET")).tolist()
        wrong = [e for e in elements if self.placed.cells.kind(e) not in kinds]
        if wrong:
            raise ValueError(
                f"its element set holds elements of type {self.placed.cells.kind(wrong[0])}, not {' or '.join(kinds)}"
            )
        self.used.update(elements)
        return elements

    def mass(self, scope: Scope, statement: Statement) -> None:
        """Read *Mass."""
        word, cells = statement.word, self.placed.cells
        if word.options.get("TYPE", "ISOTROPIC").upper() != "ISOTROPIC":
            raise ValueError("a mass that differs with the direction is not supported")
        value = word.floats()[0] * self.units.mass
        if not value:
            self._add_nothing(word)
        for element in self._elements(scope, word, ("MASS",)):
            if value:
                node = int(cells.nodes(element)[0])
                self.placed.raw.parts.append(PointMass(self.placed.node(node), value))

    def _add_nothing(self, word: Keyword) -> None:
        self.placed.raw.left_out.add(f"{word} of zero", "it adds nothing", word.place.removeprefix("line "))

    def rotary_inertia(self, scope: Scope, statement: Statement) -> None:
        """Read *Rotary Inertia: I11, I22, I33, I12, I13, I23, products with the signs of a tensor."""
        word, cells = statement.word, self.placed.cells
        xx, yy, zz, xy, xz, yz = (word.floats() + [0.0] * 6)[:6]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) * self.units.inertia
        if not tensor.any():
            self._add_nothing(word)
        for element in self._elements(scope, word, ("ROTARYI",)):
            node = int(cells.nodes(element)[0])
            axes = self.directions.at(scope, word, self.placed.raw.points[node])
            if not word.options.get("ORIENTATION"):
                axes = scope.turned(np.eye(3))
            turned = axes.T @ tensor @ axes
            if tensor.any():
                inertia = tuple(map(tuple, turned.tolist()))
                self.placed.raw.parts.append(PointMass(self.placed.node(node), 0.0, inertia))

    def spring(self, scope: Scope, statement: Statement) -> None:
        """Read *Spring: to the ground, between two degrees of freedom, along a line."""
        self._springs(scope, statement, "SPRING", "stiffness")

    def dashpot(self, scope: Scope, statement: Statement) -> None:
        """Read *Dashpot: to the ground, between two degrees of freedom, along a line."""
        self._springs(scope, statement, "DASHPOT", "damping")

    def _springs(self, scope: Scope, statement: Statement, kind: str, what: str) -> None:
        word = statement.word
        if "NONLINEAR" in word.options or "COMPLEX STIFFNESS" in word.options:
            raise ValueError(
                f"{kind.lower()}s that are not linear are not supported; give them to the machine"
            )
        elements = self._elements(scope, word, (f"{kind}1", f"{kind}2", f"{kind}A"))
        lines = [line for line in word.data if line]
        along = all(self.placed.cells.kind(element).endswith("A") for element in elements)
        if along and word.data and (not word.data[0] or len(lines) == 1):
            lines.insert(0, "")  # springs along their lines name no degrees of freedom
        word = word._replace(data=lines)
        first = [whole_number(token) for token in (word.rows() or [[]])[0] if token]
        values = word.floats(1)
        if not values:
            raise ValueError(f"its second line must be the {what}")
        if not values[0]:
            self._add_nothing(word)
        if len(word.data) > 2:
            line = word.place.removeprefix("line ")
            self.placed.raw.left_out.add(f"rows of {word}", "the first row is used", line, len(word.data) - 2)
        scale = self.units.stiffness * (self.units.time if what == "damping" else 1.0)
        for element in elements:
            names = [self.placed.node(node) for node in self.placed.cells.nodes(element).tolist()]
            number, axes = self._one_or_six(scope, word, element, first, values[0] * scale)
            given = {"stiffness": 0.0, what: number}
            second = names[1] if len(names) > 1 else None
            self.placed.raw.parts.append(Spring(names[0], second, **given, axes=axes))

    def _one_or_six(
        self, scope: Scope, word: Keyword, element: int, dofs: list[int], value: np.ndarray
    ) -> tuple[float | list[float], np.ndarray]:
        """Return the number along the line of an element, or six along and about axes (3, 3).

        ``value`` (6, 6) is the number of the file in SI for each pair of degrees of freedom.
        """
        kind, nodes = self.placed.cells.kind(element), self.placed.cells.nodes(element).tolist()
        x = self.placed.raw.points
        if kind.endswith("A"):
            return float(value[0, 0]), np.eye(3)
        wanted = 1 if kind.endswith("1") else 2
        if len(dofs) != wanted or not all(1 <= dof <= 6 for dof in dofs):
            raise ValueError(f"a {kind} names {wanted} degrees of freedom, 1 to 6, in its first line")
        axes, k = self._axes(scope, word, nodes[0]), dofs[0] - 1
        six = [0.0] * 6
        six[k] = float(value[k, k])
        if wanted == 1:
            return six, axes
        apart = x[nodes[1]] - x[nodes[0]]
        distance, e = float(np.linalg.norm(apart)), axes[k % 3]
        if dofs[0] != dofs[1] or not np.allclose(axes, self._axes(scope, word, nodes[1])):
            raise ValueError(f"a {kind} between different directions is not supported")
        if k < 3 and distance > 1e-9 * float(np.ptp(x, axis=0).max()):
            if abs(abs(apart @ e) - distance) > 1e-6 * distance:
                raise ValueError(
                    f"a {kind} across the line between its nodes would resist a rotation of the body; use "
                    f"{kind.removesuffix('2')}A"
                )
            return float(value[0, 0]), np.eye(3)
        return six, axes

    def _axes(self, scope: Scope, word: Keyword, node: int) -> np.ndarray:
        if word.options.get("ORIENTATION"):
            return self.directions.at(scope, word, self.placed.raw.points[node])
        return self.directions.of_node(node)

    # ---- supports ------------------------------------------------------------------------------------------

    def boundary(self, scope: Scope, statement: Statement) -> None:
        """Read *Boundary outside of steps: nodes or node sets with components, or a named support."""
        word, raw = statement.word, self.placed.raw
        line = word.place.removeprefix("line ")
        if word.options.get("TYPE", "DISPLACEMENT").upper() != "DISPLACEMENT":
            raw.left_out.add(str(word), "only supports of displacements are read", line)
            return
        for row in word.rows():
            nodes = self.placed.find(scope, "nset", row[0])
            if row[1].upper() in _NAMED:
                table = dict.fromkeys(_NAMED[row[1].upper()], 0.0)
            else:
                numbers = [whole_number(token) if token else 0 for token in row[1:3]]
                first, last = numbers[0], (numbers[1] if len(numbers) > 1 else 0) or numbers[0]
                if not 1 <= first <= last:
                    raise ValueError(f"degrees of freedom {first} to {last} don't exist")
                value = number_of(row[3]) if len(row) > 3 and row[3] else 0.0
                table = dict.fromkeys(range(first, last + 1), value)
            if any(dof > 6 for dof in table):
                raw.left_out.add(str(word), "degrees of freedom above 6 are not read", line)
                table = {dof: value for dof, value in table.items() if dof <= 6}
            held = {NAMES[dof - 1]: value for dof, value in table.items()}
            turned = self.directions.turned(nodes)
            if not turned or same_in_all_axes(held):
                self._hold(self.placed.node_set(scope, row[0]), held)
            for node in nodes.tolist() if turned else ():
                its = self._turned.setdefault(node, _Turned())
                its.held |= held
                its.line = line
                its.whole |= held.keys() if same_in_all_axes(held) else set()

    def hold_turned(self) -> None:
        """Add the supports of nodes whose directions *Transform turned, each node with all that holds it."""
        raw = self.placed.raw
        alike: dict[tuple[tuple[str, float], ...], list[int]] = {}
        for node, its in self._turned.items():
            held = {name: value for name, value in its.held.items() if name not in its.whole}
            kept, equations, lost = global_support(
                self.placed.node(node), held, self.directions.of_node(node)
            )
            raw.turned_supports += equations
            if kept:
                alike.setdefault(tuple(sorted(kept.items())), []).append(node)
            if lost:
                raw.left_out.add("*Boundary", "a value along a turned direction can't be kept", its.line)
        for k, (kept_of_all, nodes) in enumerate(alike.items(), start=1):
            raw.node_sets[f"turned support {k}"] = np.array(sorted(nodes))
            self._hold(f"turned support {k}", dict(kept_of_all))

    def _hold(self, name: str, held: dict[str, float]) -> None:
        length = self.units.length
        held = {key: value * (1.0 if key.startswith("r") else length) for key, value in held.items()}
        if held:
            self.placed.raw.supports[name] = {**self.placed.raw.supports.get(name, {}), **held}

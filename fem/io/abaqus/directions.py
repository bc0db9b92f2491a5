"""Directions of an Abaqus model: *Orientation and *Transform."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...mesh.coordinate_system import CoordinateSystem, CylindricalSystem, SphericalSystem
from ..system_axes import SystemAxes, SystemAxis
from .keywords import Keyword, whole_number
from .scope import Scope, Statement


class Directions:
    """The coordinate systems of a model: named ones of each scope, and those of the degrees of freedom of nodes."""

    def __init__(
        self,
        members: Callable[[Scope, str, str], np.ndarray],
        points: np.ndarray,
        systems: dict[str, CoordinateSystem],
    ) -> None:
        self._members, self._points, self._systems = members, points, systems
        self._named: dict[tuple[str, str], CoordinateSystem] = {}
        self._turned: dict[tuple[str, str], tuple[int, float] | None] = {}
        self._of_node: dict[int, CoordinateSystem] = {}

    def add(self, scope: Scope, statement: Statement) -> None:
        """Read *Orientation or *Transform."""
        word = statement.word
        if word.name == "TRANSFORM":
            kind = word.options.get("TYPE", "R").upper()[:1]
            system = _system(scope, kind, word.floats())
            for node in self._members(scope, "nset", word.option("NSET")).tolist():
                self._of_node[node] = system
            return
        name = word.option("NAME")
        kind = " ".join(word.options.get("SYSTEM", "RECTANGULAR").upper().split())
        if kind not in ("RECTANGULAR", "CYLINDRICAL", "SPHERICAL", "Z RECTANGULAR"):
            raise ValueError(f"an orientation in a {kind.lower()} system is not supported")
        definition = word.options.get("DEFINITION", "COORDINATES").upper()
        if definition not in ("COORDINATES", "NODES"):
            raise ValueError(f"an orientation with definition={definition.lower()} is not supported")
        values = word.floats()
        if definition == "NODES":
            values = [
                float(c)
                for number in values
                for c in scope.coordinates(whole_number(f"{number:g}"))  # of the part
            ]
            if kind == "RECTANGULAR" and len(values) >= 9:  # origin is the third point
                origin = values[6:9]
                values = [*(np.array(values[:3]) - origin), *(np.array(values[3:6]) - origin), *origin]
        elif kind == "RECTANGULAR" and len(values) >= 9:
            origin = values[6:9]
            values = [*(np.array(values[:3]) - origin), *(np.array(values[3:6]) - origin), *origin]
        key = (scope.name, name.upper())
        self._named[key] = _system(scope, kind[0], values)
        second = word.floats(1)
        self._turned[key] = (int(second[0]), second[1] if len(second) > 1 else 0.0) if second else None
        label = name if not scope.name else f"{scope.name}.{name}"
        self._systems[label] = self._named[key]

    def named(self, scope: Scope, name: str) -> CoordinateSystem:
        """Return an orientation of a scope, or one outside of it."""
        return self._named[self._key(scope, name)]

    def _key(self, scope: Scope, name: str) -> tuple[str, str]:
        """Return the scope and the name in capitals of an orientation; ValueError if there is none."""
        for key in ((scope.name, name.upper()), ("", name.upper())):
            if key in self._named:
                return key
        raise ValueError(f"there is no orientation {name!r}{scope.where}")

    def material_axes(self, scope: Scope, name: str, length: float) -> np.ndarray | SystemAxes:
        """Return the axes (3, 3) of a material, or a function of the place in m where they differ."""
        axes = self._axes_of(scope, name, length)
        return axes if axes.system.kind != "rectangular" else axes.at(np.asarray(axes.system.origin))

    def shell_axis(
        self, scope: Scope, name: str, length: float, points: np.ndarray, normals: np.ndarray
    ) -> tuple[float, ...] | SystemAxis:
        """Return axis 1 of shells at points (n, 3) m with normals (n, 3): a direction, or a function of the place.

        The axis that is named in the second line of the orientation is the one near the normal; axis 1 is the next one.
        Without this line, which Abaqus demands for shells, axis 1 is that of the system unless it is near the normal.
        """
        axes = self._axes_of(scope, name, length)
        which = (axes.about + 1) % 3
        if self._turned[self._key(scope, name)] is None:
            along = np.abs(np.einsum("ei,ei->e", axes(points)[:, 0], normals))
            which = 0 if along.mean() < np.sqrt(0.5) else 1
        if axes.system.kind != "rectangular":
            return SystemAxis(axes, which)
        return tuple(axes.at(np.asarray(axes.system.origin))[which].tolist())

    def _axes_of(self, scope: Scope, name: str, length: float = 1.0) -> SystemAxes:
        return SystemAxes(self.named(scope, name), length, True, *self._turn(scope, name))

    def _turn(self, scope: Scope, name: str) -> tuple[int, float]:
        """Return the axis 0..2 and the angle (degrees) of the second line of an orientation."""
        about, angle = self._turned.get(self._key(scope, name)) or (1, 0.0)
        if about not in (1, 2, 3):
            raise ValueError(f"the orientation {name!r} turns about axis {about}")
        return about - 1, angle

    def of_node(self, node: int) -> np.ndarray:
        """Return the directions (3, 3) of the degrees of freedom of a node, in rows."""
        if node not in self._of_node:
            return np.eye(3)
        return SystemAxes(self._of_node[node], latitude=True).at(self._points[node])

    def turned(self, nodes: np.ndarray) -> bool:
        """Return whether *Transform turned the degrees of freedom of any of some nodes."""
        mine = [node for node in nodes.tolist() if node in self._of_node] if self._of_node else []
        return any(not np.array_equal(self.of_node(node), np.eye(3)) for node in mine)

    def at(self, scope: Scope, word: Keyword, point: np.ndarray) -> np.ndarray:
        """Return the directions (3, 3) that a keyword names with orientation=, at a point; global ones by default."""
        name = word.options.get("ORIENTATION")
        if not name:
            return np.eye(3)
        return self._axes_of(scope, name).at(point)


def _system(scope: Scope, kind: str, values: list[float]) -> CoordinateSystem:
    """Return a system from points a and b (and c) of the file: R, C, S or Z."""
    if len(values) < 6:
        raise ValueError("a coordinate system is given by two points, six numbers")
    a, b = np.array(values[:3]), np.array(values[3:6])
    if kind in "RZ":
        a, b = scope.turned(a), scope.turned(b)
        origin = scope.placed(np.array(values[6:9])) if len(values) >= 9 else scope.placed(np.zeros(3))
        return CoordinateSystem(origin, _axes(a, b, first=0 if kind == "R" else 2))
    a, b = scope.placed(a), scope.placed(b)
    z = b - a
    if kind == "C":
        helper = np.eye(3)[int(np.argmin(np.abs(z)))]
        return CylindricalSystem(a, _axes(z, helper, first=2))
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    return SphericalSystem(a, _axes(z, helper, first=2))


def _axes(a: np.ndarray, b: np.ndarray, first: int) -> np.ndarray:
    """Return axes of which the axis ``first`` is along a and b lies in its plane with the next one."""
    normal = np.cross(a, b)
    if not np.linalg.norm(normal) > 1e-9 * np.linalg.norm(a) * np.linalg.norm(b):
        raise ValueError("the two points of a coordinate system stand on one line with its origin")
    one, three = a / np.linalg.norm(a), normal / np.linalg.norm(normal)
    axes = np.empty((3, 3))
    axes[first], axes[(first + 1) % 3], axes[(first + 2) % 3] = one, np.cross(three, one), three
    return axes

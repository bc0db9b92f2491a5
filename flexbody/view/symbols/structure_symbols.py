"""Symbols on finite-element structures: supports, loads, masses, springs and connections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fem
from fem.common.errors import InputError
from fem.common.names import as_list, as_names
from fem.model.freedoms import NAMES, components

from ..geometry import colours
from ..geometry.colours import Colour
from ..geometry.parts import Lines, Part, Rigid
from ..geometry.scale import with_unit
from ..geometry.shapes import Solid, arrow, box, cone, joined, perpendicular, sphere
from .stretched import End, Spring

#: Largest numbers of symbols for one support, one load and one connection.
MAX_SUPPORTS, MAX_ARROWS, MAX_SPIDER_LINES = 16, 30, 120
#: Size of the symbols of very many parts of one class, relative to that of a few.
LEAST_SHARE = 0.35
#: Number of parts of one class up to which each has its own entry in the legend.
NAMED_PARTS = 6


@dataclass
class Symbols:
    """Parts and legend entries of everything that acts on a mesh; ``unit`` (m) is their size.

    ``structure`` says which nodes have rotations.
    """

    mesh: fem.Mesh
    unit: float
    structure: fem.Structure | None = None
    parts: list[Part] = field(default_factory=list)
    legend: dict[str, Colour] = field(default_factory=dict)

    def add(self, label: str, colour: Colour, *solids: Solid, front: bool = False) -> None:
        """Add solids with one colour and one legend entry; ``front``: seen through the structure."""
        if solids:
            part = Rigid("ground", joined(*solids), colour, lined=False).labelled(label)
            self.parts.append(part.raised() if front else part)
            self.legend[label] = colour

    # ---- supports

    def supports(self, supports: Any) -> list[str]:
        """Add the supports, given as to ``fem.static``; return the names of the node sets."""
        if not isinstance(supports, Mapping):
            supports = dict.fromkeys(as_names(supports), "all")
        for name, what in supports.items():
            table = components(what, f"the support {name!r}")
            nodes = self.mesh.nodes_of(name)
            turning = self._turning(nodes)
            held = [key for key in table if key in NAMES[: 6 if turning else 3]]
            whole = held == list(NAMES[: 6 if turning else 3])
            grow = 1.5 if len(nodes) <= MAX_SUPPORTS else 1.0
            solids = [
                solid
                for node, away in zip(*self._spread(name, nodes, len(held) % 3 == 0), strict=True)
                for solid in self._support(self.mesh.points[node], away, held, grow * self.unit)
            ]
            moved = [f"{key} = {_amount(key, value)}" for key, value in table.items() if value]
            label = f"{name}: fixed" if whole else f"{name}: {' '.join(held)} fixed"
            # the drawn section of a beam surrounds its nodes
            inside = not self.mesh.solids and not self.mesh.shells
            self.add(", ".join([label, *moved]), colours.SUPPORT, *solids, front=inside)
        return list(supports)

    def _turning(self, nodes: np.ndarray) -> bool:
        """Return whether nodes have rotational degrees of freedom; those of a mesh, where shells and lines are."""
        if self.structure is not None:
            return bool((self.structure.freedoms.count[nodes] == 6).all())
        turned = [block.nodes.ravel() for block in (*self.mesh.shells, *self.mesh.lines)]
        return bool(turned) and bool(np.isin(nodes, np.concatenate(turned)).all())

    def _support(self, at: np.ndarray, away: np.ndarray, held: list[str], unit: float) -> list[Solid]:
        moving = [key for key in held if key in NAMES[:3]]
        turned = any(key in NAMES[3:] for key in held)
        a, b, c = perpendicular(away)
        if len(moving) == 3 and turned:
            return [box(at + 0.35 * unit * c, (a, b, c), (2.6 * unit, 2.6 * unit, 0.7 * unit))]
        if len(moving) == 3:
            return [cone(at + 1.9 * unit * c, at, 0.8 * unit)]
        solids = [_along(at, away, np.eye(3)[NAMES.index(key)], unit) for key in moving]
        if turned:
            solids.append(box(at, np.eye(3), (unit,) * 3))
        return solids

    def _own_supports(self, equations: Sequence[fem.Equation]) -> None:
        """Add supports in directions of their own: equations of the displacement or rotation of one node each."""
        at = np.array([equation.nodes(self.mesh)[0] for equation in equations])
        nodes = np.unique(at)
        shown = nodes[spread(self.mesh.points[nodes], MAX_SUPPORTS)]
        unit = (1.5 if len(nodes) <= MAX_SUPPORTS else 1.0) * self.unit
        normals, solids = self._normals(None), []
        from_middle = self.mesh.points - self.mesh.bounding_box.mean(axis=0)
        bare = ~normals.any(axis=1)
        normals[bare] = from_middle[bare] / np.linalg.norm(from_middle[bare], axis=1, keepdims=True).clip(
            1e-300
        )
        for node, equation in zip(at, equations, strict=True):
            direction, place = np.zeros(3), self.mesh.points[node]
            for _, component, coefficient in equation.terms:
                direction[NAMES.index(component) % 3] += coefficient
            direction /= np.linalg.norm(direction)
            if node in shown and equation.terms[0][1] in NAMES[:3]:
                solids.append(_along(place, normals[node], direction, unit))
            elif node in shown:
                solids.append(box(place, perpendicular(direction), (unit,) * 3))
        label = equations[0].name if len(equations) == 1 else f"{len(equations)} supports in their own axes"
        self.add(label, colours.SUPPORT, *solids, front=not self.mesh.solids and not self.mesh.shells)

    def _spread(self, name: str, nodes: np.ndarray, each: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return some of the nodes, far from each other, and the direction away from the structure at each.

        If ``each`` is True, every node has its own direction; otherwise all have the mean direction.
        """
        some = nodes[spread(self.mesh.points[nodes], MAX_SUPPORTS)]
        normals = self._normals(name)
        away = normals[some] if each else np.tile(normals[nodes].mean(axis=0), (len(some), 1))
        known = np.linalg.norm(away, axis=1) > 0.1
        away[~known] = np.array([0.0, 0.0, -1.0])
        return some, away

    def _normals(self, name: str | None) -> np.ndarray:
        """Return unit vectors (n, 3) away from the elements: normals of solids, or directions of line ends.

        Those of solids belong to the faces of a node set, if it has some.
        """
        points = self.mesh.points
        total = np.zeros_like(points)
        own = self.mesh.faces_of(name) if name is not None and self.mesh.solids else ()
        faces = own or (self.mesh.exterior if self.mesh.solids else ())
        for block in faces:
            corner = points[block.nodes[:, :3]]
            normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
            np.add.at(total, block.nodes, normal[:, None])
        lined = np.zeros_like(points)
        for block in self.mesh.lines:
            along = points[block.nodes[:, 1]] - points[block.nodes[:, 0]]
            along /= np.linalg.norm(along, axis=1, keepdims=True)
            np.add.at(lined, block.nodes[:, 0], -along)
            np.add.at(lined, block.nodes[:, 1], along)
        bare = ~total.any(axis=1)
        # along an axis: a foot is upright, also under inclined bars
        nearest = np.abs(lined).argmax(axis=1)
        rows = np.arange(len(points))
        snapped = np.zeros_like(points)
        snapped[rows, nearest] = np.sign(lined[rows, nearest]) * (np.abs(lined).max(axis=1) > 0.3)
        total[bare] = snapped[bare]
        size = np.linalg.norm(total, axis=1, keepdims=True)
        return total / np.where(size > 0, size, 1)

    # ---- loads

    def loads(self, loads: Any) -> None:
        """Add the loads, given as to ``fem.static``."""
        for load in as_list(loads):
            draw = LOADS.get(type(load))
            if draw is None:
                raise InputError(
                    "loads= takes fem.Force, Bearing, Pressure, Traction, LineLoad, EdgeLoad, Gravity and Centrifugal, "
                    f"not {load!r}"
                )
            draw(self, load)

    def _force(self, load: fem.Force) -> None:
        point = self._place(load.at)
        for vector, unit, heads in ((load.force, "N", 1), (load.moment, "N m", 2)):
            v = np.asarray(vector, dtype=float)
            size = np.linalg.norm(v)
            if size > 0:
                self.add(
                    f"{with_unit(float(size), unit)} on {load.at}",
                    colours.LOAD,
                    self._arrow(point, v / size, 10, heads),
                )

    def _bearing(self, load: fem.Bearing) -> None:
        self._force(fem.Force(load.on, load.force))

    def _place(self, name: str) -> np.ndarray:
        return np.asarray(fem.interface(self.mesh, name).point)

    def _arrow(self, point: np.ndarray, along: np.ndarray, length: float, heads: int = 1) -> Solid:
        """Return an arrow that ends at the point, or starts there if it points out of the structure.

        If the structure surrounds the point, as an eye surrounds its centre, the arrow stays outside.
        """
        out = 1.0 if along @ (point - self.mesh.bounding_box.mean(axis=0)) > 0 else -1.0
        way = (self.mesh.points - point) @ along * out
        beside = np.linalg.norm(self.mesh.points - point - np.outer(way * out, along), axis=1)
        near = way[(beside < 2 * self.unit) & (way > 0) & (way < 12 * self.unit)]
        start = point + out * (near.max(initial=0.0) + 0.2 * self.unit) * along
        tail = start if out > 0 else start - length * self.unit * along
        return arrow(tail, tail + length * self.unit * along, 0.28 * self.unit, heads)

    def _pressure(self, load: fem.Pressure) -> None:
        p = float(load.pressure)
        self._on_faces(
            f"{with_unit(abs(p), 'Pa')} on {load.on}", load.on, lambda normal: -np.sign(p) * normal
        )

    def _traction(self, load: fem.Traction) -> None:
        t = np.asarray(load.traction, dtype=float)
        size = float(np.linalg.norm(t))
        if size > 0:
            self._on_faces(f"{with_unit(size, 'Pa')} on {load.on}", load.on, lambda normal: t / size)

    def _on_faces(self, label: str, name: str, direction) -> None:
        centres, normals = [], []
        for block in self.mesh.faces_of(name):
            corner = self.mesh.points[block.nodes[:, :3]]
            normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
            centres.append(self.mesh.points[block.nodes].mean(axis=1))
            normals.append(normal / np.linalg.norm(normal, axis=1, keepdims=True))
        if not centres:
            raise InputError(f"the node set {name!r} of mesh {self.mesh.name!r} has no faces to be loaded")
        centre, normal = np.concatenate(centres), np.concatenate(normals)
        solids = []
        for k in spread(centre, MAX_ARROWS):
            along = direction(normal[k])
            tail = centre[k] if along @ normal[k] > 0 else centre[k] - 3.5 * self.unit * along
            solids.append(arrow(tail, tail + 3.5 * self.unit * along, 0.13 * self.unit))
        self.add(label, colours.LOAD, *solids)

    def _line_load(self, load: fem.LineLoad) -> None:
        wanted, start, middles = self.mesh.elements_of(load.on), 0, []
        for block in self.mesh.blocks:
            mine = wanted[(wanted >= start) & (wanted < start + len(block))] - start
            middles.append(self.mesh.points[block.nodes[mine, :2]].mean(axis=1))
            start += len(block)
        self._along(load, np.concatenate(middles))

    def _edge_load(self, load: fem.EdgeLoad) -> None:
        self._along(load, self.mesh.points[self.mesh.edges_of(load.on)].mean(axis=1))

    def _along(self, load: fem.LineLoad | fem.EdgeLoad, middle: np.ndarray) -> None:
        q = np.asarray(load.force, dtype=float)
        size = float(np.linalg.norm(q))
        if size > 0 and len(middle):
            way = 4 * self.unit * q / size
            solids = [arrow(middle[k] - way, middle[k], 0.13 * self.unit) for k in spread(middle, MAX_ARROWS)]
            self.add(f"{with_unit(size, 'N/m')} on {load.on}", colours.LOAD, *solids)

    def _gravity(self, load: fem.Gravity) -> None:
        g = np.asarray(load.acceleration, dtype=float)
        size = float(np.linalg.norm(g))
        if size > 0:
            along = g / size
            low, high = self.mesh.bounding_box
            tip = (low + high) / 2 - along * (np.abs(along) @ (high - low) / 2 + 1.5 * self.unit)  # above
            solid = arrow(tip - 7 * self.unit * along, tip, 0.28 * self.unit)
            self.add(f"gravity {size:.4g} m/s²", colours.INK, solid)

    def _centrifugal(self, load: fem.Centrifugal) -> None:
        rate = np.asarray(load.rate, dtype=float)
        size = float(np.linalg.norm(rate))
        if size > 0:
            along, about = rate / size, np.asarray(load.about, dtype=float)
            reach = float(np.linalg.norm(np.ptp(self.mesh.points, axis=0))) / 5 + 4 * self.unit
            solid = arrow(about - reach * along, about + reach * along, 0.2 * self.unit, 2)
            self.add(f"rotating at {size:.4g} rad/s", colours.LOAD, solid)

    # ---- masses, springs, connections

    def added(self) -> None:
        """Add the point masses, springs, connections and turned supports of the structure, or of the mesh."""
        mesh = self.mesh
        every = (*mesh.parts, *mesh.turned_supports) if self.structure is None else self.structure.parts
        own = [part for part in every if _is_support(part)]
        if own:
            self._own_supports(own)
        alike: dict[type[Any], list[Any]] = {}
        for part in every:
            if not _is_support(part):
                alike.setdefault(type(part), []).append(part)
        spare = list(colours.TRACES)
        for kind, parts in alike.items():
            draw, colour = ADDED[kind]
            if len(parts) > NAMED_PARTS:
                before = dict(self.legend)
                share = max(LEAST_SHARE, (NAMED_PARTS / len(parts)) ** (1 / 3))
                for part in parts:
                    draw(self, part, colour, share)
                self._one_label(before, f"{len(parts)} {kind.plural}", colour)
                continue
            for k, part in enumerate(parts):  # each in its own colour
                draw(self, part, spare.pop(0) if k and spare else colour, 1.0)

    def _one_label(self, before: Mapping[str, Colour], label: str, colour: Colour) -> None:
        """Give the parts that were added to a legend one label together."""
        own = set(self.legend) - set(before)
        self.parts = [part.labelled(label) if part.label in own else part for part in self.parts]
        self.legend = {**before, label: colour}

    def systems(self) -> None:
        """Add the coordinate systems of the mesh: x red, y green, z blue, a ball at the origin."""
        reach = float(np.linalg.norm(np.ptp(self.mesh.points, axis=0)))
        middle, length = self.mesh.bounding_box.mean(axis=0), 8 * self.unit
        near = [
            (name, system.kind, np.asarray(system.origin), np.asarray(system.axes))
            for name, system in self.mesh.systems.items()
            if np.linalg.norm(system.origin - middle) < 2 * reach
        ]
        at_places: dict[tuple[float, ...], list[str]] = {}
        for name, kind, base, axes in near[:NAMED_PARTS]:
            place = tuple(np.round([*base / self.unit, *axes.ravel()], 3).tolist())
            if place not in at_places:
                for axis, colour in zip(axes, colours.AXES, strict=True):
                    solid = arrow(base, base + length * axis, 0.2 * self.unit)
                    self.parts.append(Rigid("ground", solid, colour, lined=False).raised())
            at_places.setdefault(place, []).append(f"{name} ({kind})")
        for k, (place, names) in enumerate(at_places.items()):
            origin = np.array(place[:3]) * self.unit
            label = f"system{'s' * (len(names) > 1)} {', '.join(names)}"
            colour = colours.TRACES[k % len(colours.TRACES)]
            self.add(label, colour, sphere(origin, 0.8 * self.unit), front=True)

    def _mass(self, part: fem.PointMass, colour: Colour, share: float) -> None:
        what = f"{part.mass:.4g} kg" if part.mass else "inertia"
        place, at = self._place(part.at), self._place(part.at) + np.asarray(part.offset, float)
        if np.linalg.norm(at - place) > 0.5 * self.unit:
            self.parts.append(Lines(np.stack([place, at]), np.array([[0, 1]]), colour).raised())
        self.add(f"{what} at {part.at}", colour, sphere(at, 1.7 * share * self.unit), front=True)

    def _spring(self, part: fem.Spring, colour: Colour, share: float) -> None:
        a, unit = self._place(part.first), share * self.unit
        if part.second is not None:
            b, label = self._place(part.second), f"spring {part.first}–{part.second}"
        else:
            diagonal = np.asarray(part.stiffness, dtype=float)
            diagonal = np.diag(diagonal) if diagonal.ndim == 2 else diagonal
            toward = np.asarray(part.axes, dtype=float)[int(np.argmax(diagonal[:3]))]
            out = a - self.mesh.bounding_box.mean(axis=0)
            toward = toward * (np.sign(toward @ out) if abs(toward @ out) > self.unit else -1.0)
            b, label = a + 7 * unit * toward, f"spring {part.first}–ground"
            base = perpendicular(toward)
            plate = box(b + 0.3 * unit * toward, base, (4 * unit, 4 * unit, 0.6 * unit))
            self.parts.append(Rigid("ground", plate, colours.SUPPORT).raised())
        if np.linalg.norm(b - a) > 0.5 * self.unit:
            ends = (End("ground", a, np.zeros((3, 0))), End("ground", b, np.zeros((3, 0))))
            coil = Spring(ends, 0.9 * unit, colour, turns=6)
            self.parts.append(coil.raised().labelled(label))
            self.legend[label] = colour
        else:
            self.add(label, colour, sphere(a, 0.9 * unit), front=True)

    def _equation(self, part: fem.Equation, colour: Colour, share: float) -> None:
        points = self.mesh.points[part.nodes(self.mesh)]
        if share < 1.0:  # of many equations, where they are
            points = points[:1]
        pairs = np.stack([np.zeros(len(points) - 1, int), np.arange(1, len(points))], axis=1)
        if len(pairs):
            self.parts.append(Lines(points, pairs, colour).raised().labelled(part.name))
        balls = (sphere(point, 0.5 * max(share, 0.6) * self.unit) for point in points[:50])
        self.add(part.name, colour, *balls, front=True)

    def _tie(self, part: fem.Tie, colour: Colour, share: float) -> None:
        points = self.mesh.points[self.mesh.nodes_of(part.nodes)]
        balls = (sphere(points[k], 0.4 * self.unit) for k in spread(points, 200))
        self.add(part.label.removeprefix("the "), colour, *balls, front=True)

    def _rigid(self, part: fem.Rigid, colour: Colour, share: float) -> None:
        self._spider(part, f"rigid: {part.name}", colour, share)

    def _averaged(self, part: fem.Averaged, colour: Colour, share: float) -> None:
        self._spider(part, f"averaged: {part.name}", colour, share)

    def _spider(self, part: fem.Rigid | fem.Averaged, label: str, colour: Colour, share: float) -> None:
        (centre,) = self.mesh.nodes_of(part.reference or part.name)
        nodes = np.setdiff1d(self.mesh.nodes_of(part.nodes), [centre])
        nodes = nodes[spread(self.mesh.points[nodes], int(MAX_SPIDER_LINES * share**2))]
        points = self.mesh.points[[centre, *nodes]]
        pairs = np.stack([np.zeros(len(nodes), int), 1 + np.arange(len(nodes))], axis=1)
        self.parts.append(Lines(points, pairs, colour).raised().labelled(label))
        self.add(label, colour, sphere(points[0], 0.7 * share * self.unit), front=True)


#: How each load is drawn, by its class.
LOADS: dict[type, Callable[[Symbols, Any], None]] = {
    fem.Force: Symbols._force,
    fem.Bearing: Symbols._bearing,
    fem.Pressure: Symbols._pressure,
    fem.Traction: Symbols._traction,
    fem.LineLoad: Symbols._line_load,
    fem.EdgeLoad: Symbols._edge_load,
    fem.Gravity: Symbols._gravity,
    fem.Centrifugal: Symbols._centrifugal,
}
#: How each mass, spring and connection of a structure is drawn, by its class, and the colour of the first of them.
ADDED: dict[type, tuple[Callable[[Symbols, Any, Colour, float], None], Colour]] = {
    fem.PointMass: (Symbols._mass, colours.MASS),
    fem.Spring: (Symbols._spring, colours.SPRING),
    fem.Rigid: (Symbols._rigid, colours.RIGID),
    fem.Averaged: (Symbols._averaged, colours.AVERAGED),
    fem.Equation: (Symbols._equation, colours.EQUATION),
    fem.Tie: (Symbols._tie, colours.TIE),
}


def _is_support(part: Any) -> bool:
    """Return whether a part holds one node in a direction of its own: an equation of its displacement or rotation."""
    if not isinstance(part, fem.Equation) or len(part.uses) > 1:
        return False
    return len({component.startswith("r") for _, component, _ in part.terms}) == 1


def _along(at: np.ndarray, away: np.ndarray, axis: np.ndarray, unit: float) -> Solid:
    """Return the cone of a displacement that is held along an axis, on the side away from the structure."""
    beside = float(axis @ away)
    toward = axis * (np.sign(beside) if abs(beside) > 0.5 else -1.0)
    return cone(at + 1.9 * unit * toward, at, 0.8 * unit)


def spread(points: np.ndarray, limit: int) -> np.ndarray:
    """Return the rows of at most ``limit`` points that are far from each other."""
    if len(points) <= limit:
        return np.arange(len(points))
    chosen = [int(np.linalg.norm(points - points.mean(axis=0), axis=1).argmax())]
    away = np.full(len(points), np.inf)
    while len(chosen) < limit:
        away = np.minimum(away, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(away.argmax()))
    return np.array(chosen)


def _amount(key: str, value: float) -> str:
    return f"{value:.3g} rad" if key.startswith("r") else with_unit(value, "m")

"""A mesh with named sets, as everything else here sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..common.errors import InputError, MeshError, listing
from ..common.numbers import is_number, shown
from ..elements import ELEMENTS, FACES, LINES, SHAPES
from ..elements.solid.isotropic import determinants
from ..properties.material import Isotropic
from . import summary as _summary
from . import surface as _surface
from .block import Block, blocks_of
from .select import chosen_nodes, distances_to, shortest_edge
from .sets import sets_of


@dataclass(frozen=True, eq=False)
class Mesh:
    """Points, elements and named sets, in metres.

    ``points`` (n, 3); ``blocks`` the solids, shells, beams and trusses; ``faces`` the surface elements that a file
    gives for a named set (they weigh the average over that set); ``node_sets`` and ``element_sets`` name
    nodes and elements (counted through all blocks), both from 0, as sequences of numbers or masks: here they become
    sorted arrays; ``materials`` come from the file,
    in SI, and ``sections`` say which element set has which. Raises :class:`MeshError` for coordinates that are not
    finite, for nodes and elements that don't exist, for empty sets and for a mesh without elements.
    """

    points: np.ndarray
    blocks: tuple[Block, ...]
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    faces: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    element_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    materials: Mapping[str, Isotropic] = field(default_factory=dict)
    sections: tuple[tuple[str, str], ...] = ()
    name: str = "mesh"
    path: Path | None = None
    units: str = "SI"

    def __post_init__(self) -> None:
        """Check what every later step relies on."""
        points = _coordinates(self.points, self.name)
        points.setflags(write=False)
        object.__setattr__(self, "points", points)
        blocks = blocks_of(self.blocks, f"blocks= of mesh {self.name!r}")
        object.__setattr__(self, "blocks", tuple(block for block in blocks if len(block)))
        if not self.blocks:
            raise MeshError(f"mesh {self.name!r} holds no elements")
        if not isinstance(self.faces, Mapping):
            raise InputError(
                f"faces= of mesh {self.name!r} must be a dictionary {{name of a node set: blocks}}"
            )
        faces = {
            key: blocks_of(value, f"faces {key!r} of mesh {self.name!r}") for key, value in self.faces.items()
        }
        object.__setattr__(self, "faces", faces)
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if len(bad):
            raise MeshError(
                f"mesh {self.name!r} has {len(bad)} nodes whose coordinates are not finite, the first is "
                f"node {bad[0] + 1} at {points[bad[0]].tolist()}"
            )
        for block in (*self.blocks, *(b for group in self.faces.values() for b in group)):
            lost = (block.nodes < 0) | (block.nodes >= len(points))
            if lost.any():
                row, column = np.argwhere(lost)[0]
                raise MeshError(
                    f"{block.element} element {block.ids[row]} of mesh {self.name!r} uses node "
                    f"{block.nodes[row, column]}, which does not exist: nodes are counted from 0, here "
                    f"0 to {len(points) - 1}"
                )
        for name, count, what in (
            ("node_sets", len(points), "node"),
            ("element_sets", self.n_elements, "element"),
        ):
            object.__setattr__(self, name, sets_of(getattr(self, name), count, what, self.name))

    def __repr__(self) -> str:
        """Return one line; :meth:`summary` says more."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in _summary.counts(self.blocks).items())
        return f"<Mesh {self.name!r}: {self.n_nodes} nodes, {kinds}; node sets {listing(self.node_sets, 6)}>"

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.points)

    @property
    def n_elements(self) -> int:
        """Number of elements."""
        return sum(map(len, self.blocks))

    @property
    def bounding_box(self) -> np.ndarray:
        """Smallest and largest coordinates, (2, 3) in m."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)])

    @cached_property
    def element_volumes(self) -> np.ndarray:
        """Volume of every element through all blocks, (n_elements,) in m^3; of lines and surfaces zero."""
        volumes = []
        for block in self.blocks:
            if block.element not in ELEMENTS:
                volumes.append(np.zeros(len(block)))
                continue
            element = ELEMENTS[block.element]
            rule = element.stiffness_quadrature if element.order == 2 else element.quadrature
            volumes.append(determinants(self.points[block.nodes], element.dN(rule.points)) @ rule.weights)
        return np.concatenate(volumes)

    @property
    def volume(self) -> float:
        """Volume of the solids in m^3, curved sides included."""
        return float(self.element_volumes.sum())

    @cached_property
    def exterior(self) -> tuple[Block, ...]:
        """The outer faces of the solids, nodes counter-clockwise seen from outside."""
        return tuple(Block(*face) for face in _surface.faces_of(self.solids, exterior=True))

    @property
    def solids(self) -> tuple[Block, ...]:
        """The blocks of solid elements."""
        return tuple(block for block in self.blocks if block.element in ELEMENTS)

    @property
    def shells(self) -> tuple[Block, ...]:
        """The blocks of surface elements."""
        return tuple(block for block in self.blocks if block.element in FACES)

    @property
    def lines(self) -> tuple[Block, ...]:
        """The blocks of line elements."""
        return tuple(block for block in self.blocks if block.element in LINES)

    def surface(self) -> np.ndarray:
        """Return triangles (nf, 3) of node numbers over the outer faces and the shells, for drawing."""
        return _surface.triangles((*self.exterior, *self.shells))

    def nodes_of(self, name: str) -> np.ndarray:
        """Return the node numbers of a named set; an unknown name raises :class:`MeshError`."""
        if not isinstance(name, str) or name not in self.node_sets:
            raise MeshError(
                f"mesh {self.name!r} has no node set {name!r}; it has {listing(self.node_sets)}. "
                "Pick one by geometry with mesh.select(name, plane=..., cylinder=..., box=... or nearest=...)"
            )
        return self.node_sets[name]

    def elements_of(self, name: str) -> np.ndarray:
        """Return the elements of a named set, or else of a kind ("quad4"), counted through all blocks."""
        if isinstance(name, str) and name in self.element_sets:
            return self.element_sets[name]
        start, found = 0, []
        for block in self.blocks:
            if block.element == name:
                found.append(np.arange(start, start + len(block)))
            start += len(block)
        if not found:
            raise InputError(
                f"mesh {self.name!r} has no element set {name!r}; it has {listing(self.element_sets)}, and the kinds "
                f"{listing(_summary.counts(self.blocks), None)}"
            )
        return np.concatenate(found)

    def faces_of(self, name: str) -> tuple[Block, ...]:
        """Return the surface elements of a named set, which give its nodes their areas.

        The file's own faces of that name; else the outer faces and the shells all of whose nodes are in the set;
        else inner faces of which that holds (a section through the solid); else none.
        """
        if isinstance(name, str) and self.faces.get(name):
            return self.faces[name]
        member = np.zeros(self.n_nodes, bool)
        member[self.nodes_of(name)] = True
        outer = [(b.element, b.nodes[member[b.nodes].all(axis=1)]) for b in (*self.exterior, *self.shells)]
        if not any(len(nodes) for _, nodes in outer):
            touched = [(b, member[b.nodes].sum(axis=1) >= 3) for b in self.solids]
            near = [Block(b.element, b.nodes[keep]) for b, keep in touched if keep.any()]
            inner = _surface.faces_of(near, exterior=False)
            outer = [(kind, nodes[member[nodes].all(axis=1)]) for kind, nodes in inner]
        return tuple(Block(kind, nodes) for kind, nodes in outer if len(nodes))

    def edges_of(self, name: str) -> np.ndarray:
        """Return the sides of shells and the lines whose ends are in a named set, each once, as nodes (k, 2)."""
        member = np.zeros(self.n_nodes, bool)
        member[self.nodes_of(name)] = True
        found = [np.empty((0, 2), np.int64)]
        for block in (*self.shells, *self.lines):
            sides = block.nodes[:, np.array(SHAPES[block.element].edges)].reshape(-1, 2)
            found.append(sides[member[sides].all(axis=1)])
        return np.unique(np.sort(np.vstack(found), axis=1), axis=0)

    def select(
        self,
        name: str,
        *,
        plane: tuple | None = None,
        cylinder: tuple | None = None,
        box: tuple | None = None,
        nearest: tuple | None = None,
        tol: float | None = None,
        surface: bool | None = None,
    ) -> Mesh:
        """Return a mesh with one more node set, picked by geometry (lengths in m).

        ``plane=(point, normal)``, ``cylinder=(point, axis, radius)`` of the surface of an endless cylinder,
        ``box=(low, high)`` and everything within, ``nearest=point`` for the one closest node; several
        together mean all of them. ``tol`` defaults to a thousandth of the shortest element edge.
        ``surface=True`` takes nodes of the outer surface only, which is the default for a cylinder. Picking
        nothing raises :class:`MeshError` and says how far the closest node was.
        """
        on_surface = cylinder is not None if surface is None else surface
        distances = distances_to(self.points, plane, cylinder, box, nearest)
        if not distances:
            raise InputError(f"say where the set {name!r} is: plane=, cylinder=, box= or nearest=")
        if tol is None:
            tol = 1e-3 * shortest_edge(self.points, self.blocks)
        elif not (is_number(tol) and tol >= 0):
            raise InputError(f"tol= of the set {name!r} must be a length in m, not {shown(tol)}")
        allowed = np.ones(self.n_nodes, bool)
        if on_surface:
            allowed[:] = False
            for block in self.exterior:
                allowed[block.nodes] = True
        nodes, closest = chosen_nodes(distances, allowed, tol, nearest is not None)
        if not len(nodes):
            raise MeshError(
                f"no node of mesh {self.name!r} for the set {name!r}: the closest is {closest:.3g} m away and "
                f"tol is {tol:.3g} m; check the numbers and the units (the mesh spans "
                f"{self.bounding_box.tolist()} m), or give tol="
            )
        faces = {key: value for key, value in self.faces.items() if key != name}
        return replace(self, node_sets={**self.node_sets, name: nodes}, faces=faces)

    def element_name(self, index: int) -> str:
        """Return the user's name of an element, counted through all blocks: ``"tet10 element 137"``."""
        for block in self.blocks:
            if index < len(block):
                return f"{block.element} element {block.ids[index]}"
            index -= len(block)
        raise IndexError(index)

    def summary(self) -> str:
        """Return what the mesh holds, in a few lines of text."""
        low, high = self.bounding_box
        lines = [
            f"mesh {self.name}" + (f" from {self.path}, read in {self.units} units" if self.path else ""),
            f"  nodes         {self.n_nodes} ({_summary.freedoms(self.n_nodes, self.shells, self.lines)})",
            "  elements      " + ", ".join(f"{n} {kind}" for kind, n in _summary.counts(self.blocks).items()),
            "  bounding box  "
            + " x ".join(f"[{a:.6g}, {b:.6g}]" for a, b in zip(low, high, strict=True))
            + " m",
            *_summary.sizes(self.points, self.volume if self.solids else None, self.shells, self.lines),
        ]
        for title, sets in (("node sets", self.node_sets), ("element sets", self.element_sets)):
            rows = [f"{name} ({len(members)})" for name, members in sets.items()]
            lines.append(f"  {title:<13} " + (", ".join(rows) or "none"))
        for name, m in self.materials.items():
            lines.append(f"  material      {name}: E = {m.E:.6g} Pa, nu = {m.nu:g}, rho = {m.rho:.6g} kg/m^3")
        return "\n".join(lines)


def _coordinates(value: Any, name: str) -> np.ndarray:
    try:
        points = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise MeshError(f"points= of mesh {name!r} must be numbers, (n, 3) in m") from None
    if points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(
            f"points= of mesh {name!r} must be (n, 3), three coordinates in m, not {points.shape}"
        )
    return points

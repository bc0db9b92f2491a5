"""A mesh: points, elements and named sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, MeshError, listing
from ..common.names import with_match
from ..common.numbers import is_number, shown
from ..elements import ELEMENTS, FACES, LINES, SHAPES
from ..elements.solid.isotropic import determinants
from ..properties.material import Material
from . import summary as _summary
from . import surface as _surface
from .block import Block, blocks_of
from .coordinate_system import CoordinateSystem
from .left_out import LeftOut
from .select import chosen_nodes, distances_to, shortest_edge
from .sets import numbers_of_nodes, sets_of

#: largest coordinate, m: squares and volumes of what is larger can't be trusted to be finite
LARGEST_COORDINATE = 1e30


@check_arguments(own=("node_sets", "element_sets", "blocks", "points", "faces"))
@dataclass(frozen=True, eq=False)
class Mesh:
    """Points, elements and named sets, in metres.

    Parameters
    ----------
    points : array (n, 3), m
        Coordinates of the nodes.
    blocks : sequence of Block
        Solids, shells, beams and trusses.
    node_sets : mapping of str to sequence of int
        Named nodes, counted from 0, as numbers or as a mask; stored as sorted arrays.
    faces : mapping of str to tuple of Block
        Surface elements that a file gives for a node set; they weigh the mean motion of that set.
    element_sets : mapping of str to sequence of int
        Named elements, counted from 0 through all blocks, as numbers or as a mask.
    node_ids : array of int (n,), optional
        Numbers of the nodes in the file; 1, 2, ... by default. A node's number is its name too, where no node set has
        this name: ``mesh.nodes_of("1000")``.
    materials : mapping of str to material
        Materials of the file by name, in SI units.
    properties : mapping of str to material or property
        Material or property of each element set or kind, as :func:`fem.assemble` takes them: its default. None where
        that of the file is not complete.
    parts : tuple
        Point masses, springs and connections of the file (:class:`fem.PointMass`, :class:`fem.Rigid`, ...), which
        :func:`fem.assemble` adds.
    supports : mapping of str to components
        Supports of the file by node set, as :func:`fem.static` takes them. The structure itself is free.
    part_lines : tuple of str
        Lines of ``parts`` in the file, for messages, such as "line 12"; empty if they are not known.
    turned_supports : tuple of Equation
        Supports of the file along directions between the global axes, one node and direction each. They hold a
        structure that is assembled with ``parts=mesh.turned_supports``.
    systems : mapping of str to CoordinateSystem
        Coordinate systems of the file by name.
    left_out : tuple of LeftOut
        What the file holds and the mesh does not.
    doubts : tuple of str
        What is likely wrong in the file, sentence by sentence.
    name : str
        Name of the mesh in messages.
    path : path, optional
        The file.
    units : str
        Units of the file.

    Raises
    ------
    MeshError
        Coordinates are not finite, nodes or elements do not exist, a set is empty, or there are no elements.

    Examples
    --------
    >>> import fem
    >>> fem.Mesh([[0, 0, 0], [1, 0, 0]], (fem.Block("line2", [[0, 1]]),), {"tip": [1]}, name="arm")
    <Mesh 'arm': 2 nodes, 1 line2; node sets 'tip'>
    """

    points: np.ndarray
    blocks: tuple[Block, ...]
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    _: KW_ONLY
    faces: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    element_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    node_ids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    materials: Mapping[str, Material] = field(default_factory=dict)
    properties: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[Any, ...] = ()
    part_lines: tuple[str, ...] = ()
    supports: Mapping[str, Any] = field(default_factory=dict)
    turned_supports: tuple[Any, ...] = ()
    systems: Mapping[str, CoordinateSystem] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    doubts: tuple[str, ...] = ()
    name: str = "mesh"
    path: Path | None = None
    units: str = "SI"
    needs_elements: ClassVar[bool] = True
    report: ClassVar[Callable[..., str]]  # fem.model.report, which stands above

    def __post_init__(self) -> None:
        """Check the points, blocks and sets, on which every later step relies."""
        points = _coordinates(self.points, self.name)
        points.setflags(write=False)
        object.__setattr__(self, "points", points)
        blocks = blocks_of(self.blocks, f"blocks= of mesh {self.name!r}")
        object.__setattr__(self, "blocks", tuple(block for block in blocks if len(block)))
        if not self.blocks and self.needs_elements:
            raise MeshError(f"mesh {self.name!r} holds no elements")
        if not isinstance(self.faces, Mapping):
            raise InputError(
                f"faces= of mesh {self.name!r} must be a dictionary {{name of a node set: blocks}}"
            )
        faces = {
            key: blocks_of(value, f"faces {key!r} of mesh {self.name!r}") for key, value in self.faces.items()
        }
        object.__setattr__(self, "faces", faces)
        if strange := [part for part in self.parts if not hasattr(part, "uses")]:
            what = shown(strange[0])
            raise InputError(f"parts= of mesh {self.name!r} must be parts such as fem.PointMass, not {what}")
        object.__setattr__(self, "node_ids", numbers_of_nodes(self.node_ids, len(points), self.name))
        bad = np.flatnonzero(~(np.abs(points) < LARGEST_COORDINATE).all(axis=1))
        if len(bad):
            raise MeshError(
                f"mesh {self.name!r} has {len(bad)} nodes whose coordinates are not finite or above "
                f"{LARGEST_COORDINATE:g} m, the first is node {self.node_ids[bad[0]]} at {points[bad[0]].tolist()}"
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
        """Return one line; :meth:`summary` gives more."""
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

    @cached_property
    def bounding_box(self) -> np.ndarray:
        """Smallest and largest coordinates (2, 3) in m."""
        box = np.array([self.points.min(axis=0), self.points.max(axis=0)])
        box.setflags(write=False)
        return box

    @cached_property
    def size(self) -> float:
        """Diagonal of the bounding box in m."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))

    @cached_property
    def element_volumes(self) -> np.ndarray:
        """Volumes (n_elements,) in m^3 of all elements through all blocks; zero for lines and surfaces."""
        volumes = [np.zeros(0)]
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
        """Outer faces of the solids, nodes counter-clockwise seen from outside."""
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

    @cached_property
    def on_elements(self) -> np.ndarray:
        """Whether each node belongs to an element, (n,)."""
        member = np.zeros(self.n_nodes, bool)
        for block in self.blocks:
            member[block.nodes] = True
        return member

    def surface(self) -> np.ndarray:
        """Return the triangles of the outer faces and of the shells, for drawing.

        Returns
        -------
        array of int (nf, 3)
            Node numbers.
        """
        return _surface.triangles((*self.exterior, *self.shells))

    @check_arguments(own=("name",))
    def nodes_of(self, name: str) -> np.ndarray:
        """Return the nodes of a named set, or the node of a number.

        Parameters
        ----------
        name : str
            Node set, or else the number of a node in the file, such as "1000".

        Returns
        -------
        array of int
            Node numbers, from 0.

        Raises
        ------
        MeshError
            There is no such set or node, or several nodes have this number.
        """
        if isinstance(name, str) and name in self.node_sets:
            return self.node_sets[name]
        found = np.empty(0, np.int64)
        if isinstance(name, str) and name.isdecimal():
            order, ids = self._by_number
            low, high = np.searchsorted(ids, [int(name), int(name) + 1])
            found = order[low:high]
        if len(found) != 1:
            why = f": {len(found)} nodes have this number" if len(found) else ""
            references = [one for part in self.parts if (one := getattr(part, "reference", None))]
            more = f", and the reference nodes {listing(references)}" * bool(references)
            asked = with_match(name, [*self.node_sets, *references])
            raise MeshError(
                f"mesh {self.name!r} has no node set {asked}{why}; it has {listing(self.node_sets)}{more}. "
                "Select one by geometry with mesh.select(name, plane=..., cylinder=..., box=... or nearest=...)"
            )
        return found

    @cached_property
    def _by_number(self) -> tuple[np.ndarray, np.ndarray]:
        """The nodes in the order of their numbers, and these numbers."""
        order = np.argsort(self.node_ids, kind="stable")
        return order, self.node_ids[order]

    @check_arguments(own=("name",))
    def elements_of(self, name: str) -> np.ndarray:
        """Return the numbers of the elements of a named set, or of a kind.

        Parameters
        ----------
        name : str
            Element set, or else a kind of element such as "quad4".

        Returns
        -------
        array of int
            Element numbers, counted from 0 through all blocks.

        Raises
        ------
        InputError
            There is no such set or kind.
        """
        if isinstance(name, str) and name in self.element_sets:
            return self.element_sets[name]
        start, found = 0, []
        for block in self.blocks:
            if isinstance(name, str) and block.element == name:
                found.append(np.arange(start, start + len(block)))
            start += len(block)
        if not found:
            asked = with_match(name, [*self.element_sets, *_summary.counts(self.blocks)])
            raise InputError(
                f"mesh {self.name!r} has no element set {asked}; it has {listing(self.element_sets)}, and the kinds "
                f"{listing(_summary.counts(self.blocks), None)}"
            )
        return np.concatenate(found)

    @check_arguments(own=("name",))
    def faces_of(self, name: str) -> tuple[Block, ...]:
        """Return the surface elements of a node set, which give its nodes their areas.

        They are the file's own faces of that name; else the outer faces and the shells all of whose nodes are in the
        set; else inner faces with that property (a section through the solid).

        Parameters
        ----------
        name : str
            Node set.

        Returns
        -------
        tuple of Block
            The faces; empty if there are none.

        Raises
        ------
        MeshError
            There is no such set.
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

    @check_arguments(own=("name",))
    def edges_of(self, name: str) -> np.ndarray:
        """Return the sides of shells and the lines whose ends are in a node set.

        Parameters
        ----------
        name : str
            Node set.

        Returns
        -------
        array of int (k, 2)
            Pairs of nodes, each once.

        Raises
        ------
        MeshError
            There is no such set.
        """
        member = np.zeros(self.n_nodes, bool)
        member[self.nodes_of(name)] = True
        found = [np.empty((0, 2), np.int64)]
        for block in (*self.shells, *self.lines):
            sides = block.nodes[:, np.array(SHAPES[block.element].edges)].reshape(-1, 2)
            found.append(sides[member[sides].all(axis=1)])
        return np.unique(np.sort(np.vstack(found), axis=1), axis=0)

    @check_arguments(own=("plane", "cylinder", "box", "nearest", "tol"))
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
        """Return the mesh with one more node set, selected by geometry.

        Several conditions together select the nodes that meet all of them.

        Parameters
        ----------
        name : str
            Name of the new set.
        plane : (point, normal), m, optional
            Nodes on a plane.
        cylinder : (point, axis, radius), m, optional
            Nodes on the surface of an infinite cylinder.
        box : (low, high), m, optional
            Nodes inside a box.
        nearest : point, m, optional
            The one closest node.
        tol : float, m, optional
            Tolerance; by default a thousandth of the shortest element edge.
        surface : bool, optional
            Whether to select nodes of the outer surface only; by default for a cylinder.

        Returns
        -------
        Mesh
            The mesh with the set.

        Raises
        ------
        MeshError
            No node is selected; the message gives the distance of the closest one.
        InputError
            A condition is not valid, or there is none.

        Examples
        --------
        >>> import fem
        >>> mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1)).select("middle", plane=((0.5, 0, 0), (1, 0, 0)))
        >>> len(mesh.nodes_of("middle"))
        8
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

    @check_arguments
    def element_name(self, index: int) -> str:
        """Return the user's name of an element.

        Parameters
        ----------
        index : int
            Number of the element, counted through all blocks.

        Returns
        -------
        str
            Such as "tet10 element 137", of a deck with its line: "tet10 element 137 (line 411)".
        """
        left = index
        for block in self.blocks:
            if 0 <= left < len(block):
                place = "" if block.places is None else block.places.words(left)
                return f"{block.element} element {block.ids[left]}{place}"
            left -= len(block)
        raise InputError(
            f"mesh {self.name!r} has no element {index}; it has {self.n_elements}, counted from 0"
        )

    def summary(self) -> str:
        """Return the content of the mesh as a few lines of text.

        Returns
        -------
        str
            Nodes, elements, size, sets and materials.
        """
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
            lines.append(f"  material      {name}: {_summary.constants(m)}")
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

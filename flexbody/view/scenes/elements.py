"""Pictures of meshes and structures: elements, node sets, supports, loads and connections."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import fem
from fem.common.errors import InputError, listing
from fem.common.names import as_names, with_match
from fem.model.assembly import groups_of
from fem.model.outer_surface import OuterSurface, outer_surfaces
from fem.model.parts import with_reference_nodes

from ..geometry import colours
from ..geometry.colours import Colour
from ..geometry.parts import SHAPE, Part, Rigid, Shaped, Surface
from ..geometry.poses import AT_REST, Pose, Poses
from ..geometry.scale import Scale
from ..geometry.shapes import joined, sphere
from ..symbols.structure_symbols import Symbols, spread
from .fields import name_of

#: Size of symbols relative to the size of the structure.
SYMBOL_SIZE = 0.012
#: Values of ``colour`` for meshes and structures.
COLOURINGS = ("plain", "kind", "property")


@dataclass
class Drawing:
    """Parts and texts of a picture; ``amplitude`` is a factor on the displacements of the parts."""

    name: str
    parts: list[Part] = field(default_factory=list)
    note: str = ""
    legend: dict[str, Colour] = field(default_factory=dict)
    scale: Scale | None = None

    def poses(self, amplitude: float = 1.0) -> Poses:
        """Return the poses that draw the displacements at ``amplitude``."""
        return {"ground": AT_REST, SHAPE: Pose(np.zeros(3), np.eye(3), np.array([amplitude]))}


@dataclass(frozen=True)
class Options:
    """The arguments of :func:`flexbody.picture_mesh` that say what is drawn."""

    colour: Any = None
    mode: int | None = None
    scale: float | None = None
    limits: Any = None
    sets: Any = None
    supports: Any = ()
    loads: Any = ()
    edges: bool | None = None


# ---- meshes and structures


def of_mesh(mesh: fem.Mesh, options: Options) -> Drawing:
    """Return the drawing of a mesh: elements, node sets, supports and loads, and what its file describes.

    That is properties, connections, masses, springs and coordinate systems.
    """
    whole = with_reference_nodes(mesh, mesh.parts)
    if options.sets is None:
        options = replace(options, sets=_named_sets(mesh))
    if not options.supports:
        options = replace(options, supports=mesh.supports)
    found = outer_surfaces(whole, groups=groups_of(mesh))
    symbols = Symbols(whole, SYMBOL_SIZE * drawn_size(mesh, found))
    symbols.systems()
    return _drawing(found, symbols, options)


def of_structure(structure: fem.Structure, options: Options) -> Drawing:
    """Return the drawing of a structure: as a mesh, with sections, thicknesses, masses and connections."""
    found = outer_surfaces(structure if structure.groups else structure.mesh)
    symbols = Symbols(structure.mesh, SYMBOL_SIZE * drawn_size(structure.mesh, found), structure)
    return _drawing(found, symbols, options)


def _drawing(found: list[OuterSurface], symbols: Symbols, options: Options) -> Drawing:
    """Return the drawing of the outer surfaces of a mesh or structure with symbols of all that acts on it."""
    mesh, edges = symbols.mesh, options.edges is not False
    held = symbols.supports(options.supports)
    symbols.loads(options.loads)
    symbols.added()
    drawing = Drawing(mesh.name, note=f"{mesh.n_nodes} nodes, {mesh.n_elements} elements")
    colour = _automatic(found) if options.colour is None else options.colour
    paints = _paints(found, colour)
    acted = bool(held) or bool(symbols.parts)
    names = _sets(mesh, options.sets, quiet=acted or len(set(paints.values())) > 1)
    taken = {colours.SUPPORT} if held else set()
    shades = [shade for shade in colours.SETS if shade not in taken]
    marks = {
        name: shades[k % len(shades)] for k, name in enumerate(name for name in names if name not in held)
    }
    marks |= dict.fromkeys(held, colours.SUPPORT)
    faced = set()
    for outer in found:
        name = _label(outer, colour)
        faced |= _painted(drawing, mesh, outer, (name, paints.get(name, colours.PLAIN)), marks, edges)
    drawing.legend |= {name: paint for name, paint in paints.items() if name}
    for name, paint in marks.items():
        if name not in faced and name not in held:
            drawing.parts.append(_dots(mesh, name, paint, symbols.unit).labelled(name))
        if name not in held:
            drawing.legend[name] = paint
    drawing.parts += symbols.parts
    drawing.legend |= symbols.legend
    return drawing


def on_structure(
    drawing: Drawing,
    structure: fem.Structure,
    found: list[OuterSurface],
    moved: np.ndarray,
    options: Options,
) -> None:
    """Add the symbols of supports and loads to a drawing whose nodes are displaced by ``moved`` (n, 3)."""
    mesh = structure.mesh
    unit = SYMBOL_SIZE * drawn_size(mesh, found)
    symbols = Symbols(replace(mesh, points=mesh.points + moved), unit, structure)
    symbols.supports(options.supports)
    symbols.loads(options.loads)
    drawing.parts += symbols.parts
    drawing.legend |= symbols.legend


def drawn_size(mesh: fem.Mesh, found: list[OuterSurface]) -> float:
    """Return the diagonal of the bounding box of a mesh with the sections and thicknesses that are drawn, m."""
    points = np.concatenate([mesh.points, *(outer.points for outer in found)])
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def size_of(mesh: fem.Mesh) -> float:
    """Return the diagonal of the bounding box of a mesh, m."""
    return float(np.linalg.norm(np.ptp(mesh.points, axis=0))) or 1.0


def _paints(found: list[OuterSurface], colour: Any) -> dict[str, Colour]:
    """Return the colour of each kind or property by its label; one colour without label if all are equal."""
    if name_of(colour) not in COLOURINGS:
        text = repr(colour) if name_of(colour) else type(colour).__name__
        raise InputError(
            f"colour is {text}, but meshes and structures have the colours {listing(COLOURINGS)}; displacements and "
            "stresses belong to the results of fem.static, fem.vibration and fem.buckling"
        )
    labels = list(dict.fromkeys(_label(outer, colour) for outer in found))
    if labels == [""]:
        return {"": colours.PLAIN}
    return {label: colours.KINDS[k % len(colours.KINDS)] for k, label in enumerate(labels)}


def _automatic(found: list[OuterSurface]) -> str:
    if len({outer.name for outer in found}) > 1:
        return "property"
    return "kind" if len({outer.group.kind for outer in found}) > 1 else "plain"


def _label(outer: OuterSurface, colour: str | None) -> str:
    if colour == "property":
        return outer.name or type(outer.group.property).__name__
    return outer.group.kind if colour == "kind" else ""


def _sets(mesh: fem.Mesh, sets: Any, quiet: bool) -> list[str]:
    """Return the names of the node sets to colour: the given ones, otherwise those of a mesh, or none if quiet."""
    if sets is not None:
        names = list(as_names(sets))
        unknown = [name for name in names if name not in mesh.node_sets]
        if unknown:
            raise InputError(
                f"mesh {mesh.name!r} has no node set {with_match(unknown, mesh.node_sets)}; "
                f"it has {listing(mesh.node_sets)}"
            )
        return names
    return [] if quiet else _named_sets(mesh)


def _named_sets(mesh: fem.Mesh) -> list[str]:
    """Return the node sets that neither contain all nodes of elements nor belong to a connection, largest first."""
    connected = {value for part in mesh.parts for value in vars(part).values() if isinstance(value, str)}
    used = np.unique(np.concatenate([np.empty(0, np.int64), *(block.nodes.ravel() for block in mesh.blocks)]))
    every = sorted(mesh.node_sets, key=lambda name: -len(mesh.node_sets[name]))
    return [name for name in every if name not in connected and not np.isin(used, mesh.node_sets[name]).all()]


def _painted(
    drawing: Drawing,
    mesh: fem.Mesh,
    outer: OuterSurface,
    own: tuple[str, Colour],
    marks: dict[str, Colour],
    edges: bool,
) -> set[str]:
    """Add an outer surface, with the faces of sets in their colours; return the names of sets with faces here.

    ``own`` are the name and the colour of the other faces. The rim of a shell has the colour of its set, but it is no
    face: it is often too thin to be seen.
    """
    owner = np.full(len(outer.triangles), -1)
    names = list(marks)
    for k, name in enumerate(names if outer.family != "line" else ()):
        member = np.zeros(mesh.n_nodes, dtype=bool)
        member[mesh.node_sets[name]] = True
        owner[member[outer.nodes][outer.triangles].all(axis=1)] = k
    for k in np.unique(owner):
        mine = outer.triangles[owner == k]
        label, paint = own if k < 0 else (names[k], marks[names[k]])
        shaped = Shaped(outer.points, surface_of(outer, mine, edges), paint)
        drawing.parts.append(shaped.labelled(label))
    a, b, c = outer.nodes[outer.triangles].T
    return {names[k] for k in np.unique(owner[(a != b) & (b != c) & (c != a)]) if k >= 0}


def surface_of(outer: OuterSurface, triangles: np.ndarray, edges: bool) -> Surface:
    """Return the surface of some triangles of an outer surface, with element edges or with sharp edges only."""
    surface = Surface.of(outer.points, triangles)
    lines = outer.edges if edges else outer.ridges
    if lines is None:
        return surface
    place = np.full(len(outer.points), -1)
    place[surface.source] = np.arange(len(surface.source))
    rows = place[lines]
    rows = rows[(rows >= 0).all(axis=1)]
    ink = colours.MESH_LINE if edges else colours.EDGE
    return Surface(surface.source, surface.triangles, rows, ink)


def _dots(mesh: fem.Mesh, name: str, colour: Colour, unit: float) -> Rigid:
    """Return balls at the nodes of a set without faces."""
    points = mesh.points[mesh.node_sets[name]]
    radius = 0.35 * unit if len(points) > 8 else 0.7 * unit
    balls = (sphere(points[k], radius) for k in spread(points, 200))
    return Rigid("ground", joined(*balls), colour, lined=False)

"""The reader of Abaqus and CalculiX input files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from ...common.errors import FileError, listing
from ...common.names import with_match
from ...elements.properties import Membrane, Truss
from ..loose import FormatWords, loose_equations
from ..raw import RawMesh
from ..units import Units
from .attachments import Attachments
from .connections import Connections
from .directions import Directions
from .element_types import MEND, POINTS, shape_of
from .keywords import NO_NUMBER
from .model import Model
from .multi_point import MultiPointConstraints
from .nonstructural import NonstructuralMasses
from .parse import parse
from .place import Placed, place
from .scope import Scope, Statement
from .sections import Sections
from .thicknesses import Thicknesses
from .ties import Ties

_Reader = Callable[[Scope, Statement], None]
_LOOSE = FormatWords(
    node="node",
    elements="membranes and trusses",
    program="Abaqus needs an initial stress there, or it finds a singular matrix",
    mend="Give shells and beams in their place, or hold the nodes (*Boundary)",
)


def read_abaqus(path: Path, units: Units) -> RawMesh:
    """Read parts, instances, sets, surfaces, sections, materials, connections, masses, springs and supports.

    Elements of other types, and keywords with mass or stiffness that are not known, raise :class:`FileError` with their
    line; everything else that is left out is noted.
    """
    model = parse(path)
    if model.unsupported:
        found = ", ".join(
            f"{kind} ({place}, {number} element{'s' * (number > 1)})"
            for kind, (place, number) in model.unsupported.items()
        )
        plane = any(kind.startswith("CPS") for kind in model.unsupported)
        mend = MEND + "; gmsh writes surfaces as CPS3 and CPS4: read its .msh file instead" * plane
        raise FileError(f"{path} holds elements of type {found}, which are not supported; {mend}")
    try:
        placed = place(model)
        placed.name_all()
    except FileError:
        raise
    except ValueError as error:
        raise FileError(f"{path}: {error}") from None
    directions = Directions(placed.members, placed.raw.points, placed.raw.systems)
    thicknesses = Thicknesses(placed)
    before: dict[str, _Reader] = {
        "ORIENTATION": directions.add,
        "TRANSFORM": directions.add,
        "NODAL THICKNESS": thicknesses.add,
    }
    _resolve(model, placed, before)
    sections = Sections(placed, directions, thicknesses.put, units)
    connections, ties = Connections(placed, directions, units), Ties(placed, units)
    constraints = MultiPointConstraints(placed, connections)
    attachments = Attachments(placed, directions, units)
    readers: dict[str, _Reader] = {
        "SOLID SECTION": sections.add,
        "SHELL SECTION": sections.add,
        "SHELL GENERAL SECTION": sections.add,
        "MEMBRANE SECTION": sections.add,
        "BEAM SECTION": sections.add,
        "BEAM GENERAL SECTION": sections.add,
        "COUPLING": connections.coupling,
        "KINEMATIC COUPLING": connections.coupling,
        "RIGID BODY": connections.rigid_body,
        "EQUATION": connections.equation,
        "MPC": constraints.add,
        "TIE": ties.tie,
        "MASS": attachments.mass,
        "ROTARY INERTIA": attachments.rotary_inertia,
        "SPRING": attachments.spring,
        "DASHPOT": attachments.dashpot,
        "BOUNDARY": attachments.boundary,
    }
    _resolve(model, placed, readers)
    _resolve(model, placed, {"NONSTRUCTURAL MASS": NonstructuralMasses(placed, units).add})
    constraints.finish()
    placed.raw.say_lines("")
    ties.finish()
    attachments.hold_turned()
    raw = placed.raw
    _hold_loose(placed)
    raw.doubts += _missing(placed, sections, attachments)
    return raw


def _resolve(model: Model, placed: Placed, readers: Mapping[str, _Reader]) -> None:
    """Hand the statements of all scopes to their readers; FileError with the line of what is wrong."""
    for scope in placed.scopes:
        for statement in scope.statements:
            word = statement.word
            if word.name not in readers:
                continue
            where = f"{model.path}, {word.place}, {word}{scope.where}"
            try:
                readers[word.name](scope, statement)
                placed.raw.say_lines(word.place)
            except FileError:
                raise
            except ValueError as error:
                raise FileError(f"{where}: {error}") from None
            except (IndexError, OverflowError):
                raise FileError(f"{where}: {NO_NUMBER}") from None


def _hold_loose(placed: Placed) -> None:
    """Let nodes without stiffness follow those around them, unless the file has an initial stress that holds them."""
    raw, place = placed.raw, placed.model.initial_stress
    if not place:
        raw.parts += loose_equations(raw, placed.node, _LOOSE)
        raw.say_lines("")
    elif any(isinstance(its, Membrane | Truss) for its in raw.properties.values()):
        raw.doubts.append(
            f"the initial stress in {place} is not read, and membranes and trusses have no stiffness across without "
            "it: give it to fem.preloaded, which takes it as numbers at the nodes or as a function of the place"
        )


def _missing(placed: Placed, sections: Sections, attachments: Attachments) -> Iterator[str]:
    """Yield what a complete model has and this one lacks: what a file that was cut off has lost."""
    raw, materials = placed.raw, placed.model.materials
    for name, its in materials.items():
        if its.elastic is None:
            yield f"the material {name!r} ({its.place}) has no {' and no '.join(its.lacks)} and is left out"
        elif its.lacks:
            yield f"the material {name!r} ({its.place}) has no *Density: its elements weigh nothing"
    known = {name.upper() for name in materials}
    unknown = {its: place for its, place in reversed(sections.named) if its.upper() not in known}
    if unknown:
        first = min(unknown)
        yield (
            f"sections name the material {with_match(sorted(unknown), materials)}, "
            f"which the file does not hold ({first!r} in "
            f"{unknown[first]})"
        )
    without = int((~sections.covered).sum())
    if without and (materials or raw.properties):
        yield f"{without} of {len(sections.covered)} elements have no section with a material"
    points = [
        k for k in range(placed.cells.n_shaped, len(placed.cells.block)) if placed.cells.kind(k) in POINTS
    ]
    idle = [k for k in points if k not in attachments.used]
    if idle:
        kind = placed.cells.kind(idle[0])
        yield f"{len(idle)} elements of type {kind} have no *Mass, *Rotary Inertia, *Spring or *Dashpot"
    empty = [name for name, rows in raw.element_sets.items() if not len(rows)]
    kept = [placed.label(scope, kind, key) for scope in placed.scopes for kind, key in scope.sets
            if kind == "elset" and len(placed.members(scope, kind, key))]  # fmt: skip
    empty = [name for name in empty if name not in kept]
    if empty:
        yield f"the element sets {listing(empty)} have no members"
    bare = [
        surface.name for scope in placed.scopes for surface in scope.surfaces.values() if not surface.rows
    ]
    if bare:
        yield f"the surfaces {listing(bare)} have no lines and are left out"
    yield from _loose(placed)


def _loose(placed: Placed) -> Iterator[str]:
    raw = placed.raw
    if any(shape_of(kind) in ("line2", "line3") for kind in placed.cells.kinds):
        return  # beams have nodes for directions
    used = np.zeros(len(raw.points), bool)
    for nodes in (*placed.cells.tables, *raw.node_sets.values()):
        used[nodes] = True
    named = {int(name) for part in raw.parts for name in part.uses if name.isdecimal()}
    used |= np.isin(raw.node_ids, [*named])
    if not used.all():
        yield f"{int((~used).sum())} of {len(used)} nodes belong to no element, to no set and to no connection"

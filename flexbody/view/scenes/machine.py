"""Pictures of machines: bodies without a mesh get a suitable solid, joints and forces get a symbol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem.common.errors import InputError, called

from ...model.flexible_body import FlexibleBody
from ...model.joints.couplings import Coupler
from ...model.rigid_body import RigidBody
from ...model.rolling import Rolling
from ...model.sides import BodyFrame
from ..geometry import colours
from ..geometry.inside import share_inside
from ..geometry.motion import Motion
from ..geometry.parts import Flexible, Part, Rigid, Trace
from ..geometry.shapes import joined
from ..geometry.ways import Way
from ..symbols.bars import rigid_body
from ..symbols.bevels import bevels_of
from ..symbols.connectors import parts_of_coupler, parts_of_drive, parts_of_element
from ..symbols.contact_shapes import Touching, parts_of_contact
from ..symbols.gears import wheels_of
from ..symbols.hinges import parts_of_joint
from ..symbols.sketch import Sketch
from .forces import Arrows, arrows_of

#: A symbol of a force or drive is drawn in front of bodies if more than this share of one of its parts is inside them.
BURIED = 0.45
#: Bodies with at least this number of triangles have holes where symbols belong, and take long to search.
DETAILED = 5000
#: Radius of paths in units of the sketch, and length relative to the machine from which they are thin, pale and behind.
TRACE_RADIUS, LONG_TRACE = 0.12, 8.0
#: A path of more dots than this is thin, pale and behind, too.
MANY_DOTS = 100
#: A path is as thick as in a machine whose unit is this part of the size of the path, where that is more.
LEAST_REACH = 0.01
#: Shorter paths, relative to the machine, are those of points that do not move.
LEAST_PATH = 1e-6
#: So many bodies that are not to scale are named.
SAID_BODIES = 3
#: Up to so many stored states paths are drawn smooth between them.
SMOOTH_STATES = 4000


@dataclass(frozen=True)
class Scene:
    """All parts of a picture, and the data of the motion that a camera needs."""

    parts: list[Part]
    motion: Motion
    normal: np.ndarray | None  # of the plane of motion
    up: np.ndarray
    extent: float  # size of the machine, m
    arrows: Arrows = field(default_factory=Arrows)
    owners: tuple[str, ...] = ()  # the body, joint, drive or force of each part
    flexible: tuple[Flexible, ...] = ()  # the parts that deform
    legend: dict[str, colours.Colour] = field(default_factory=dict)  # colours of arrows and paths
    notes: tuple[str, ...] = ()  # on bodies that are not to scale, and on points without a path


def scene_of(
    result,
    scale: float = 1.0,
    trace: tuple = (),
    forces: Any = (),
    time: float | None = None,
    close: Any = None,
) -> Scene:
    """Return the scene of a result.

    Parameters
    ----------
    result : Result
        The result.
    scale : float, optional
        Factor on the drawn deformation.
    trace : tuple, optional
        Bodies or named frames whose paths are drawn.
    forces : optional
        Joints, drives, loads and force elements whose forces are drawn as arrows; True for all.
    time : float, optional
        Time (s) at which the longest arrow has its length; by default the length belongs to the whole run.
    close : callable, optional
        What closes loops of joints between stored states, see :mod:`flexbody.view.loops`.
    """
    motion = Motion(result)
    motion.close = close
    sketch = Sketch(result, motion, scale, time)
    parts: list[Part] = []
    owners: list[str] = []

    def add(owner: str, found: list[Part]) -> None:
        parts.extend(found)
        owners.extend([owner] * len(found))

    rigid = [body for body in result.system.bodies if body.name not in sketch.flexible]
    for k, body in enumerate(rigid):
        add(body.name, [rigid_body(sketch, body, colours.BODIES[k % len(colours.BODIES)])])
    for name, part in sketch.flexible.items():
        add(name, [part])
    n_bodies = len(parts)
    racks = [*wheels_of(sketch, "ground"), *bevels_of(sketch, "ground")]
    add("ground", [Rigid("ground", joined(*racks), colours.GROUND)] if racks else [])
    lines = _connections(sketch, add)
    driven = {d.name: parts_of_drive(sketch, d) for d in result.system.drives if sketch.is_shown(d.name)}
    elements = [element for element in result.system.elements if sketch.is_shown(element.name)]
    symbols = driven | {element.name: parts_of_element(sketch, element) for element in elements}
    start = motion.at(float(motion.t[0]))
    simple = [part for part in parts[:n_bodies] if len(part.surface.triangles) < DETAILED]
    bodies = [(part.points(start), part.surface.triangles) for part in simple]
    touching = {element.name for element in elements if isinstance(element, Touching)}
    solid = {body.name for body in rigid}
    for name, found in symbols.items():  # a bushing in a ring, the arrow of a drive in a hub
        # the marks of a ball or wheel lie on its surface, half inside
        free = [part for part in found if name not in touching or getattr(part, "body", "") not in solid]
        buried = any(share_inside(part.points(start), bodies) > BURIED for part in free)
        add(name, [part.raised() if buried and part in free else part for part in found])
    notes = [_sizes_said(sketch.shrunk)]
    paths: dict[str, colours.Colour] = {}
    for k, item in enumerate(_traced(trace)):
        title = item if isinstance(item, str) else getattr(item, "title", item.name)
        path = _trace(sketch, _path(result, motion, item), colours.TRACES[k % len(colours.TRACES)])
        if path is None:
            notes.append(f"no path: {title} does not move")
            continue
        add("trace", [path])
        paths[f"path of {title}"] = path.colour
    arrows = arrows_of(result, sketch, forces, time)
    add("arrows", list(arrows.parts))
    if arrows.legend and any(driven.values()):  # the legend explains the flat arrows of drives too
        arrows.legend["driven motion"] = colours.MOTOR
    flexible = tuple(sketch.flexible.values())
    legend = arrows.legend | paths | lines
    said = tuple(filter(None, notes))
    return Scene(
        parts, motion, sketch.normal, sketch.up, sketch.extent, arrows, tuple(owners), flexible, legend, said
    )


def _connections(sketch: Sketch, add: Callable[[str, list[Part]], None]) -> dict[str, colours.Colour]:
    """Add the symbols of joints, rolling pairs and couplers that are on; return the legend of their lines."""
    legend: dict[str, colours.Colour] = {}
    for joint in sketch.joints:
        if sketch.is_shown(joint.name):
            add(joint.name, parts_of_joint(joint, sketch))
    for item in sketch.system.joints:
        if isinstance(item, Rolling):
            add(item.name, parts_of_contact(sketch, item))
        elif isinstance(item, Coupler) and sketch.is_shown(item.name):
            found = parts_of_coupler(sketch, item)
            add(item.name, found)
            legend |= {"couplers": colours.PIN} if found else {}
    return legend


def _sizes_said(shrunk: Mapping[str, float]) -> str:
    """Return a note on bodies that are drawn with these parts of their sizes; empty if there are none."""
    some = [f"'{name}' ×{factor:.2g}" for name, factor in shrunk.items()][:SAID_BODIES]
    more = f" and {len(shrunk) - SAID_BODIES} more" if len(shrunk) > SAID_BODIES else ""
    return f"drawn smaller: {', '.join(some)}{more}" if shrunk else ""


def _trace(sketch: Sketch, way: Way, colour: colours.Colour) -> Trace | None:
    """Return the drawing of a path, or None if it is a point."""
    reach = float(np.linalg.norm(np.ptp(way.points, axis=0)))
    if reach < LEAST_PATH * sketch.extent:
        return None
    trace = Trace(way, TRACE_RADIUS * max(sketch.unit, LEAST_REACH * reach), colour)
    if way.length <= LONG_TRACE * max(sketch.extent, reach) and len(way.dots) <= MANY_DOTS:
        return trace
    return Trace(way, 0.5 * trace.radius, colours.paler(colour)).behind()  # it would cover the machine


def _path(result: Any, motion: Motion, item: Any) -> Way:
    """Return the path of a body or frame as it is drawn: that of a carried body with the body."""
    way = np.asarray(result.position(item))
    owner = getattr(item, "body", item)
    name = owner if isinstance(owner, str) else owner.name
    c, Q = np.asarray(result.position(name)), np.asarray(result.rotation(name))
    x = np.einsum("tji,tj->ti", Q, way - c)
    if motion.scale == 1 or not any(name in carry.passengers for carry in motion.carries):
        return motion.way(name, x, np.asarray(result.velocity(item)), SMOOTH_STATES)
    drawn = [motion.at(time)[name] for time in motion.t]
    return Way.through(np.array([p.c + p.Q @ y for p, y in zip(drawn, x, strict=True)]))


def _traced(trace: Any) -> list[Any]:
    """Return the bodies or frames whose paths are drawn, as a list."""
    if isinstance(trace, str | RigidBody | FlexibleBody | BodyFrame):
        return [trace]
    try:
        return list(trace)
    except TypeError:
        raise InputError(
            f"trace is {called(trace)}; give a list of bodies, frames body['name'], or names"
        ) from None

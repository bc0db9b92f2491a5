"""The shapes of contacts: wheels, spheres, cylinders and boxes as solids of their bodies, planes as plates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.kinds import BOX, CONE, CYLINDER, HOLLOW_CYLINDER, PLANE, RAIL, SPHERE, WHEEL
from ...model.forces.contact import Contact
from ...model.forces.contacts import Contacts
from ...model.forces.shapes import Shape
from ...model.forces.surface import Surface
from ...model.forces.surface_contact import SurfaceContact
from ...model.rolling import Rolling
from ...model.sides import FrameData
from ..geometry import colours
from ..geometry.parts import Part
from ..geometry.shapes import Solid, box, capsule, cylinder, joined, sphere, tube
from .sketch import Sketch

#: What has shapes that are drawn.
Touching = Contact | Contacts | SurfaceContact | Rolling

#: Angles of the points of a ring, rad.
AROUND = np.linspace(0, 2 * np.pi, 49)[:, None]


def _sphere(sketch: Sketch, shape: Shape, frame: FrameData) -> Solid:
    return sphere(frame.x, max(shape.sizes[0], 0.3 * sketch.unit))


def _cylinder(sketch: Sketch, shape: Shape, frame: FrameData) -> Solid:
    radius, length = shape.sizes
    half = 0.5 * length * frame.A[:, 2]
    return cylinder(frame.x - half, frame.x + half, radius)


def _box(sketch: Sketch, shape: Shape, frame: FrameData) -> Solid:
    return box(frame.x, frame.A.T, shape.sizes)


def _wheel(sketch: Sketch, shape: Shape, frame: FrameData) -> Solid:
    """Return a tyre, a hub and six spokes, which show how the wheel turns."""
    radius, rim = shape.sizes
    thick = max(rim, 0.04 * radius)
    x, y, z = frame.A.T
    hub = cylinder(frame.x - 2 * thick * z, frame.x + 2 * thick * z, 2 * thick)
    spokes = [
        capsule(frame.x, frame.x + (radius - thick) * (np.cos(angle) * x + np.sin(angle) * y), 0.4 * thick)
        for angle in np.arange(6) * np.pi / 3
    ]
    return joined(tube(_circle(frame.x, radius - thick, x, y), thick, 12), hub, *spokes)


def _cone(sketch: Sketch, shape: Shape, frame: FrameData) -> Solid:
    """Return a part of a coned wheel whose width is 0.3 of its radius; all up to the apex where it is 5 radii away."""
    radius, slope = shape.sizes
    z, wide = frame.A[:, 2], 0.15 * radius
    ends = (-wide, wide) if abs(slope) < 0.2 else sorted((0.0, -0.999 * radius / slope))
    points, triangles = cylinder(frame.x + ends[0] * z, frame.x + ends[1] * z, radius)
    along = (points - frame.x) @ z
    grown = (points - frame.x - along[:, None] * z) * (slope * along / radius)[:, None]
    return points + grown, triangles


def _rail(sketch: Sketch, shape: Shape, frame: FrameData) -> Solid:
    """Return a bar along the line; the frame is where it is touched as drawn."""
    assert frame.path is not None
    line = frame.path.place(np.linspace(0.0, frame.path.length, 8 * len(frame.path.breaks)))
    moved = frame.x - frame.path.place(frame.path.start)
    return tube(line + moved, max(shape.sizes[0], 0.1 * sketch.unit), 8)


def _funnel(shape: Shape, frame: FrameData) -> Solid:
    """Return circles and lines on a cone in which a ball rolls, from a fifth of its radius to two."""
    radius, slope = shape.sizes
    x, y, z = frame.A.T
    sizes = radius * np.array([0.2, 1.0, 2.0])
    rings = [_circle(frame.x + (size - radius) / slope * z, size, x, y) for size in sizes]
    thick = 0.02 * radius
    lines = [capsule(a, b, thick) for a, b in zip(rings[0][:-1:6], rings[-1][:-1:6], strict=True)]
    return joined(*(tube(ring, thick, 8) for ring in rings), *lines)


def _circle(middle: np.ndarray, radius: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return points of a circle in the plane of two unit vectors, (n, 3), m."""
    return middle + radius * (np.cos(AROUND) * a + np.sin(AROUND) * b)


def _hollow(shape: Shape, frame: FrameData) -> Solid:
    """Return circles and lines on a cylinder, sphere or cone in which something rolls or has play."""
    if shape.kind == CONE:
        return _funnel(shape, frame)
    radius = shape.sizes[0]
    thick = 0.02 * radius
    x, y, z = frame.A.T
    if shape.kind == SPHERE:
        return joined(*(tube(_circle(frame.x, radius, a, b), thick, 8) for a, b in ((x, y), (y, z), (z, x))))
    half = 0.5 * shape.sizes[1] * z
    rings = [tube(_circle(frame.x + end, radius, x, y), thick, 8) for end in (half, -half)]
    feet = _circle(frame.x, radius, x, y)[:-1:6]
    return joined(*rings, *(capsule(foot - half, foot + half, thick) for foot in feet))


SOLIDS: dict[int, Callable[[Sketch, Shape, FrameData], Solid]] = {
    SPHERE: _sphere,
    CYLINDER: _cylinder,
    BOX: _box,
    WHEEL: _wheel,
    CONE: _cone,
    RAIL: _rail,
}


def _touching(sketch: Sketch) -> list[tuple[Touching, int, FrameData]]:
    """Return each shape of the machine once: a contact, which of its shapes it is, and its frame."""
    found: dict[tuple, tuple[Touching, int, FrameData]] = {}
    for contact in _contacts(sketch):
        frames = sketch.springs[contact.name][-len(contact.shapes) :]  # after those of a surface
        for k, (shape, frame) in enumerate(zip(contact.shapes, frames, strict=True)):
            key = (frame.body, shape.kind, shape.sizes, frame.x.tobytes(), frame.A.tobytes())
            found.setdefault(key, (contact, k, frame))
    return list(found.values())


def shapes_of(sketch: Sketch, body: str) -> list[Solid]:
    """Return the solids that touch others on a body, in its base."""
    solids = []
    for contact, k, frame in _touching(sketch):
        shape = contact.shapes[k]
        if frame.body == body and shape.kind != PLANE:
            at = frame._replace(x=frame.x + sketch.depth(body))
            hollow = _is_hollow(sketch, contact, shape)
            solids.append(_hollow(shape, at) if hollow else SOLIDS[shape.kind](sketch, shape, at))
    return solids + [
        (
            np.asarray(surface.points) - sketch.bodies[body].start + sketch.depth(body),
            np.asarray(surface.triangles),
        )
        for surface in _surfaces(sketch)
        if surface.body.name == body and surface.triangles is not None
    ]


def _surfaces(sketch: Sketch) -> list[Surface]:
    """Return each surface of the machine once."""
    found = [one.surface for one in _contacts(sketch) if isinstance(one, SurfaceContact)]
    return list({id(surface): surface for surface in found}.values())


def parts_of_contact(sketch: Sketch, contact: Touching) -> list[Part]:
    """Return planes, shapes on the ground and on flexible bodies, and rings on spheres, which show how they turn."""
    parts: list[Part] = []
    rigid = {name for name in sketch.bodies if name not in sketch.flexible}
    for owner, k, frame in _touching(sketch):
        if owner.name != contact.name:
            continue
        shape = contact.shapes[k]
        if shape.kind in (PLANE, RAIL) and frame.body in sketch.flexible:
            continue  # its own surface shows it, which a plate would hide
        if shape.kind == PLANE:
            parts.append(sketch.on(frame, _plate(sketch, shape, frame), colours.GROUND, lined=False))
            continue
        hollow = _is_hollow(sketch, contact, shape)
        if frame.body not in rigid:
            solid = _hollow(shape, frame) if hollow else SOLIDS[shape.kind](sketch, shape, frame)
            parts.append(sketch.on(frame, solid, colours.GROUND))
        elif not hollow and not isinstance(contact, Contacts) and shape.kind in MARKS:
            at = frame._replace(x=frame.x + sketch.depth(frame.body))
            if shape.sizes[0] > 0.3 * sketch.unit:
                parts.append(sketch.on(frame, MARKS[shape.kind](shape, at), colours.PIN, lined=False))
    return parts


def _is_hollow(sketch: Sketch, contact: Touching, shape: Shape) -> bool:
    """Return whether the other shape of a contact is inside of this one."""
    if not isinstance(contact, Rolling):
        return shape.kind == HOLLOW_CYLINDER
    pair = contact.pair(sketch.bodies)
    return pair.side < 0 and shape is pair.host


def _rings(shape: Shape, frame: FrameData) -> Solid:
    """Return two great circles of a sphere."""
    radius = shape.sizes[0]
    x, y, z = frame.A.T
    lines = [_circle(frame.x, radius, a, b) for a, b in ((z, x), (z, y))]
    return joined(*(tube(line, 0.03 * radius, 8) for line in lines))


def _spokes(shape: Shape, frame: FrameData) -> Solid:
    """Return two diameters on both ends of a cylinder."""
    radius, length = shape.sizes
    x, y, z = frame.A.T
    ends = (frame.x + 0.5 * length * z, frame.x - 0.5 * length * z)
    return joined(
        *(
            capsule(end - 0.9 * radius * a, end + 0.9 * radius * a, 0.05 * radius)
            for end in ends
            for a in (x, y)
        )
    )


#: What shows how a solid turns, by its kind.
MARKS: dict[int, Callable[[Shape, FrameData], Solid]] = {SPHERE: _rings, CYLINDER: _spokes}


def _plate(sketch: Sketch, plane: Shape, frame: FrameData) -> Solid:
    """Return a plate below a plane, as large as what moves above it in the run, or is above it in a still."""
    others = [
        (guest, other)
        for contact in _contacts(sketch)
        for shape, guest, other in _pairs_of(sketch, contact)
        if np.allclose(shape.axes(), plane.axes()) and shape.side is plane.side
    ]
    places = np.array([
        frame.A.T @ (sketch.place(other, poses) - sketch.place(frame, poses))
        for _, other in others
        for poses in sketch.seen
    ])  # fmt: skip
    reach = max([np.linalg.norm(guest.sizes) for guest, _ in others], default=0.0)
    margin = 1.2 * reach + 2 * sketch.unit
    low, high = places[:, :2].min(axis=0) - margin, places[:, :2].max(axis=0) + margin
    size = np.maximum(high - low, 0.25 * sketch.extent)
    thick = 0.5 * sketch.unit
    centre = np.array([*(0.5 * (low + high)), -0.5 * thick])
    return box(frame.x + frame.A @ centre, frame.A.T, (*size, thick))


def _contacts(sketch: Sketch) -> list[Touching]:
    """Return the contacts of the machine."""
    items = (*sketch.system.elements, *sketch.system.joints)
    return [one for one in items if isinstance(one, Touching)]


def _pairs_of(sketch: Sketch, contact: Touching) -> list[tuple[Shape, Shape | Surface, FrameData]]:
    """Return each plane of a contact with each shape or surface that may touch it and that one's frame."""
    frames = sketch.springs[contact.name]
    guests: list[tuple[Shape | Surface, FrameData]] = [
        (shape, frame)
        for shape, frame in zip(contact.shapes, frames[-len(contact.shapes) :], strict=True)
        if shape.kind != PLANE
    ]
    if isinstance(contact, SurfaceContact):
        guests = [(contact.surface, frames[0])]
    return [
        (shape, guest, frame) for shape in contact.shapes if shape.kind == PLANE for guest, frame in guests
    ]

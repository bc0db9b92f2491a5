"""The shapes of contacts: spheres, cylinders and boxes as solids of their bodies, planes as plates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.kinds import BOX, CONTACT, CYLINDER, PLANE, SPHERE
from ...model.forces.contact import Contact
from ...model.forces.contacts import Contacts
from ...model.forces.shapes import Shape
from ...model.sides import FrameData
from ..geometry import colours
from ..geometry.parts import Part
from ..geometry.shapes import Solid, box, cylinder, joined, sphere, tube
from .sketch import Sketch

#: What has shapes that are drawn.
Touching = Contact | Contacts

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


SOLIDS: dict[int, Callable[[Sketch, Shape, FrameData], Solid]] = {
    SPHERE: _sphere,
    CYLINDER: _cylinder,
    BOX: _box,
}


def _touching(sketch: Sketch) -> list[tuple[Touching, int, FrameData]]:
    """Return each shape of the machine once: a contact, which of its shapes it is, and its frame."""
    found: dict[tuple, tuple[Touching, int, FrameData]] = {}
    for contact in _contacts(sketch):
        for k, (shape, frame) in enumerate(zip(contact.shapes, sketch.springs[contact.name], strict=True)):
            key = (frame.body, shape.kind, shape.sizes, frame.x.tobytes(), frame.A.tobytes())
            found.setdefault(key, (contact, k, frame))
    return list(found.values())


def shapes_of(sketch: Sketch, body: str) -> list[Solid]:
    """Return the solids that touch others on a body, in its base."""
    solids = []
    for contact, k, frame in _touching(sketch):
        shape = contact.shapes[k]
        if frame.body == body and shape.kind != PLANE:
            solids.append(SOLIDS[shape.kind](sketch, shape, frame._replace(x=frame.x + sketch.depth(body))))
    return solids


def parts_of_contact(sketch: Sketch, contact: Touching) -> list[Part]:
    """Return planes, shapes on the ground and on flexible bodies, and rings on spheres, which show how they turn."""
    parts: list[Part] = []
    rigid = {name for name in sketch.bodies if name not in sketch.flexible}
    for owner, k, frame in _touching(sketch):
        if owner.name != contact.name:
            continue
        shape = contact.shapes[k]
        if shape.kind == PLANE:
            parts.append(sketch.on(frame, _plate(sketch, shape, frame), colours.GROUND, lined=False))
            continue
        if frame.body not in rigid:
            parts.append(sketch.on(frame, SOLIDS[shape.kind](sketch, shape, frame), colours.GROUND))
        elif contact.kind == CONTACT and shape.kind == SPHERE and shape.sizes[0] > 0.3 * sketch.unit:
            at = frame._replace(x=frame.x + sketch.depth(frame.body))
            parts.append(sketch.on(frame, _rings(shape, at), colours.PIN, lined=False))
    return parts


def _rings(shape: Shape, frame: FrameData) -> Solid:
    """Return two great circles of a sphere."""
    radius = shape.sizes[0]
    x, y, z = frame.A.T
    lines = [frame.x + radius * (np.cos(AROUND) * a + np.sin(AROUND) * b) for a, b in ((z, x), (z, y))]
    return joined(*(tube(line, 0.03 * radius, 8) for line in lines))


def _plate(sketch: Sketch, plane: Shape, frame: FrameData) -> Solid:
    """Return a plate below a plane, as large as what moves above it."""
    others = [
        (guest, other)
        for contact in _contacts(sketch)
        for shape, guest, other in _pairs_of(sketch, contact)
        if np.allclose(shape.axes(), plane.axes()) and shape.side is plane.side
    ]
    places = np.array([
        frame.A.T @ (sketch.place(other, poses) - sketch.place(frame, poses))
        for _, other in others
        for poses in sketch.samples
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
    return [one for one in sketch.system.elements if isinstance(one, Contact | Contacts)]


def _pairs_of(sketch: Sketch, contact: Touching) -> list[tuple[Shape, Shape, FrameData]]:
    """Return each plane of a contact with each shape that may touch it and that one's frame."""
    frames = sketch.springs[contact.name]
    return [
        (shape, guest, frame)
        for shape in contact.shapes
        if shape.kind == PLANE
        for guest, frame in zip(contact.shapes, frames, strict=True)
        if guest.kind != PLANE
    ]

"""Belts and ropes: straight spans between pulleys, and the arcs on the pulleys between two spans."""

from __future__ import annotations

import numpy as np

from ...model.forces.belt import BeltSpan
from ..geometry import colours
from ..geometry.parts import Part
from ..geometry.shapes import tube
from .sketch import Sketch
from .stretched import Strand

#: Radius of a belt in units of the sketch.
RADIUS = 0.25
#: Heights and radii of spans of one belt on a pulley differ by less than this part of the radius.
EQUAL_HEIGHTS = 1e-6


def parts_of_span(sketch: Sketch, span: BeltSpan) -> list[Part]:
    """Return the straight part of a belt, and its arc on the second pulley if another span goes on from there.

    They move with what carries the pulleys.
    """
    carriers = sketch.springs[span.name][1:3]
    depths = [sketch.depth(side.body.name) for side in span.sides()]
    touched = span.touched(sketch.bodies)
    first, second = (
        sketch.end(frame._replace(x=frame.x + place - frame.drawn(sketch.bodies)), depth)
        for frame, place, depth in zip(carriers, touched, depths, strict=True)
    )
    parts: list[Part] = [Strand((first, second), RADIUS * sketch.unit, colours.PIN)]
    after = _following(sketch, span)
    if after is not None:
        carrier = carriers[1]
        shift = depths[1] - carrier.drawn(sketch.bodies) + carrier.x
        solid = tube(arc(sketch, span, after) + shift, RADIUS * sketch.unit, 8)
        parts.append(sketch.on(carrier, solid, colours.PIN, lined=False))
    return parts


def arc(sketch: Sketch, span: BeltSpan, after: BeltSpan) -> np.ndarray:
    """Return points of the arc from one span of a belt to the next one as drawn, (k, 3), m."""
    line = span.tangents(sketch.bodies)
    z, center, radius = line.axes[:, 2], line.centers[1], span.radii[1]
    (left, arrives), (leaves, right) = span.touched(sketch.bodies), after.touched(sketch.bodies)
    one, two = arrives - left, right - leaves
    sense = -span.side * np.sign(radius)
    wrap = np.mod(sense * np.arctan2(np.cross(one, two) @ z, one @ two), 2 * np.pi)
    angle = sense * np.linspace(0.0, wrap, 2 + int(24 * wrap))[:, None]
    x = arrives - center
    points: np.ndarray = center + np.cos(angle) * x + np.sin(angle) * np.cross(z, x)
    return points


def _following(sketch: Sketch, span: BeltSpan) -> BeltSpan | None:
    """Return the span that leaves the second pulley of a span where this one reaches it, if there is one."""
    near = EQUAL_HEIGHTS * abs(span.radii[1])
    place = span.tangents(sketch.bodies).centers[1]
    found = [
        other
        for other in sketch.system.elements
        if isinstance(other, BeltSpan)
        and (other.first.name, other.side) == (span.second.name, span.side)
        and abs(other.radii[0] - span.radii[1]) < near
        and np.linalg.norm(other.tangents(sketch.bodies).centers[0] - place) < near
    ]
    stem = span.name.rsplit(" ", 1)[0]
    same = [other for other in found if other.name.rsplit(" ", 1)[0] == stem]
    return next(iter(same or found), None)

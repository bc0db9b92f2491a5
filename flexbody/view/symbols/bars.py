"""Bodies without a mesh: bars between their joints, plates, blocks, wheels."""

from __future__ import annotations

import numpy as np
import scipy

from ...model.joints.cams import RollerOnGuideway
from ..geometry.parts import Rigid
from ..geometry.shapes import Solid, box, capsule, cylinder, inertia_block, joined, plate, prism, sphere
from .bevels import bevels_of
from .contact_shapes import shapes_of
from .gears import wheels_of
from .sketch import Sketch


def half_width(sketch: Sketch, body_name: str) -> float:
    """Return half the width of the bars of a body, m. It exceeds the radius of the body's pins."""
    pins = [
        sketch.pins[name] for name, pair in sketch.frames.items() if body_name in (pair[0].body, pair[1].body)
    ]
    return max(sketch.unit, *(1.45 * r for r in pins)) if pins else sketch.unit


def rigid_body(sketch: Sketch, body, colour) -> Rigid:
    """Return bars between joints, blocks at sliding joints, shapes of contacts; else a block with the inertia."""
    points, radii = sketch.own_points(body)
    width = half_width(sketch, body.name)
    depth = sketch.depth(body.name)
    solids = [*wheels_of(sketch, body.name), *bevels_of(sketch, body.name), *shapes_of(sketch, body.name)]
    solids += _rollers_of(sketch, body.name)
    for joint in sketch.joints:
        frame = _slides_on(sketch, joint, body.name)
        if frame is not None:
            axis = frame.A[:, 2]
            side = across(sketch, axis)
            size = (4.6 * width, 3.1 * width, sketch.thick if sketch.normal is not None else 3.1 * width)
            solids.append(box(frame.x + depth, np.stack([axis, side, np.cross(axis, side)]), size))
    if len(points) == 1 and not solids and np.linalg.norm(points[0]) > 1e-3 * sketch.extent:
        points, radii = np.concatenate([points, np.zeros((1, 3))]), [*radii, sketch.unit]
        solids.append(_ball(sketch, depth, 2.2 * width))  # a pendulum: to the centre of mass
    hull = _plate(sketch, points) if len(points) > 3 else None
    if hull is not None:
        solids.append(hull)
    elif len(points) >= 2:
        solids += [
            _bar(sketch, points[i] + depth, points[j] + depth, (radii[i], radii[j]))
            for i, j in _pairs(points)
        ]
    if not solids:
        tensor = body.inertia_tensor if hasattr(body, "inertia_tensor") else np.eye(3)
        solid = inertia_block(body.mass, tensor, depth)
        grow = max(1.0, 4 * width / np.ptp(solid[0], axis=0).max())
        solids.append(((solid[0] - depth) * grow + depth, solid[1]))
    return Rigid(body.name, joined(*solids), colour)


def _pairs(points: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of points with bars between them: all pairs of up to three points, otherwise a closed chain."""
    n = len(points)
    if n == 2:
        return [(0, 1)]
    return [(k, (k + 1) % n) for k in range(n)]


def _plate(sketch: Sketch, points: np.ndarray) -> Solid | None:
    """Return a plate through the points of a body in space, or None if they are far from one plane."""
    if sketch.normal is not None:
        return None
    middle = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points - middle)
    if sizes[1] < 2 * sketch.unit or sizes[2] > 0.25 * sizes[1]:
        return None
    plane, depth = (points - middle) @ axes[:2].T, (points - middle) @ axes[2]
    rim = plane * (1 + 1.5 * sketch.unit / np.linalg.norm(plane, axis=1, keepdims=True).clip(sketch.unit))
    corners = rim[scipy.spatial.ConvexHull(rim).vertices]
    middle = middle + axes[2] * (depth.max() + depth.min()) / 2
    return prism(middle + corners @ axes[:2], axes[2], max(0.9 * sketch.unit, float(np.ptp(depth))))


def _bar(sketch: Sketch, start: np.ndarray, end: np.ndarray, radii: tuple[float, float]) -> Solid:
    if sketch.normal is not None and abs((end - start) @ sketch.away) < 0.1 * np.linalg.norm(end - start):
        return plate(start, end, sketch.away, radii, sketch.thick)
    return capsule(start, end, 0.8 * min(radii))


def _ball(sketch: Sketch, center: np.ndarray, radius: float) -> Solid:
    if sketch.normal is None:
        return sphere(center, radius)
    half = sketch.away * 0.5 * sketch.thick
    return cylinder(center - half, center + half, radius)


def _rollers_of(sketch: Sketch, name: str) -> list[Solid]:
    """Return the rollers that body ``name`` is: those that roll on a line."""
    solids = []
    for joint in sketch.joints:
        if isinstance(joint, RollerOnGuideway) and joint.rolls and joint.second.body.name == name:
            frame = sketch.frames[joint.name][1]
            x, half = frame.x + sketch.depth(name), 0.7 * sketch.unit * frame.A[:, 0]
            solids.append(cylinder(x - half, x + half, joint.radius))
    return solids


def across(sketch: Sketch, axis: np.ndarray) -> np.ndarray:
    """Return a unit vector perpendicular to an axis, in the plane of motion if there is one."""
    if sketch.normal is not None and abs(axis @ sketch.away) < 0.9:
        side = np.cross(sketch.away, axis)
    else:
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    return side / np.linalg.norm(side)


def _slides_on(sketch: Sketch, joint, name: str):
    """Return the frame of body ``name`` in a sliding joint if the body is the block, otherwise None."""
    if sketch.slides[joint.name] is None:
        return None
    block = sketch.rail_and_block(joint)[1]
    return block if block.body == name else None

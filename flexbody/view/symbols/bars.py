"""Bodies without a mesh: bars between their joints, plates, blocks, wheels."""

from __future__ import annotations

import numpy as np
import scipy

from ..geometry.inertia_solid import inertia_solid, symmetry_axis
from ..geometry.parts import Rigid
from ..geometry.shapes import Solid, box, capsule, joined, perpendicular, plate, prism
from .bevels import bevels_of
from .cams import cams_of, rollers_of
from .contact_shapes import shapes_of
from .gears import wheels_of
from .joint_solids import count_free_motions
from .sketch import Sketch

#: Largest size of the solid of a held body's inertia, relative to the machine and to the way to its centre of mass.
LARGEST_SOLID, LONGEST_ROD = 0.5, 2.2


def half_width(sketch: Sketch, body_name: str) -> float:
    """Return half the width of the bars of a body, m. It exceeds the radius of the body's pins."""
    pins = [
        sketch.pins[name] for name, pair in sketch.frames.items() if body_name in (pair[0].body, pair[1].body)
    ]
    return max(sketch.unit, *(1.45 * r for r in pins)) if pins else sketch.unit


def rigid_body(sketch: Sketch, body, colour) -> Rigid:
    """Return the solid of a body without a mesh.

    It consists of bars between its joints, blocks at sliding joints, wheels with teeth, and shapes of contacts. A body
    with one joint or none, and one that turns about its axis of symmetry, shows the solid that its inertia suggests.
    """
    points, radii = sketch.own_points(body)
    depth = sketch.depth(body.name)
    solids = [*wheels_of(sketch, body.name), *bevels_of(sketch, body.name), *shapes_of(sketch, body.name)]
    solids += [*cams_of(sketch, body.name), *rollers_of(sketch, body.name)]
    solids += _blocks_of(sketch, body.name)
    rotor = _is_rotor(sketch, body)
    if not solids and (len(points) < 2 or rotor):
        solids.append(_own_solid(sketch, body, points, rotor))
        if len(points) == 1 and np.linalg.norm(points[0] - body.mass_center) > 1e-3 * sketch.extent:
            points, radii = np.array([points[0], body.mass_center]), [*radii, sketch.unit]  # a pendulum
    hull = _plate(sketch, points) if len(points) > 3 else None
    if hull is not None:
        solids.append(hull)
    elif len(points) >= 2:
        points, radii, pairs = _frame(sketch, points, radii)
        solids += [_bar(sketch, points[i] + depth, points[j] + depth, (radii[i], radii[j])) for i, j in pairs]
    return Rigid(body.name, joined(*solids), colour)


def _is_rotor(sketch: Sketch, body) -> bool:
    """Return whether a body turns about its axis of symmetry in bearings, or hangs in springs on this axis.

    The bearings of a disc may be joints that turn about more axes, on its axis.
    """
    inertia = body.as_rigid().inertia_tensor
    axis = symmetry_axis(inertia)
    if axis is None:
        return False
    disc = _is_disc(axis, inertia)
    springs = [frame for pair in sketch.springs.values() for frame in pair if frame.body == body.name]
    joined_at = [
        (joint, frame)
        for joint in sketch.joints
        for frame in sketch.frames[joint.name]
        if frame.body == body.name
    ]
    places = [frame.x for frame in (*springs, *(frame for _, frame in joined_at))]
    off = [np.linalg.norm(np.cross(x - body.mass_center, axis)) for x in places]
    turns = [(count_free_motions(joint)[1], abs(frame.A[:, 2] @ axis)) for joint, frame in joined_at]
    bearings = [aligned > 1 - 1e-6 if n == 1 else disc for n, aligned in turns if n > 0]
    turning = all(bearings) and (bool(bearings) or not turns)
    return turning and bool(max(off, default=0.0) < 1e-3 * sketch.extent)


def _is_disc(axis: np.ndarray, inertia: np.ndarray) -> bool:
    """Return whether the moment of inertia about the axis of symmetry is larger than that across it."""
    about = axis @ inertia @ axis
    return bool(2 * about > np.trace(inertia) - about)


def _own_solid(sketch: Sketch, body, points: np.ndarray, rotor: bool) -> Solid:
    """Return the solid of a body's inertia; in a machine it is neither lost nor larger than the machine.

    What is drawn smaller than it is, the picture says.
    In a plane machine it is a plate with the outline of the solid, so that it lies in the body's layer, but discs and
    rotors that are seen from the side keep their shape.
    """
    middle, depth = body.mass_center, sketch.depth(body.name)
    inertia = body.as_rigid().inertia_tensor
    x, triangles = inertia_solid(body.mass, inertia, middle)
    size, least = np.ptp(x, axis=0).max(), 4 * half_width(sketch, body.name)
    away = np.linalg.norm(points - middle, axis=1).max(initial=0.0)
    most = max(least, LARGEST_SOLID * sketch.extent, LONGEST_ROD * away) if len(points) else np.inf
    if most < size:
        sketch.shrunk[body.name] = float(most / size)
    x = middle + (x - middle) * np.clip(1.0, least / size, most / size)
    axis = symmetry_axis(inertia)
    from_the_side = axis is not None and abs(axis @ sketch.away) < 0.7 and (_is_disc(axis, inertia) or rotor)
    if sketch.normal is None or not len(points) or from_the_side:
        return x + depth, triangles
    plane = np.stack(perpendicular(sketch.away)[:2])
    outline = (x - middle) @ plane.T
    outline = outline[scipy.spatial.ConvexHull(outline).vertices] @ plane
    return prism(outline, sketch.away, 1.2 * sketch.thick, middle + depth)  # it hides the end of a bar


def _blocks_of(sketch: Sketch, name: str) -> list[Solid]:
    """Return the blocks that body ``name`` slides with."""
    solids, width = [], half_width(sketch, name)
    for joint in sketch.joints:
        frame = _slides_on(sketch, joint, name)
        if frame is not None:
            axis = frame.A[:, 2]
            side = across(sketch, axis)
            size = (4.6 * width, 3.1 * width, sketch.thick if sketch.normal is not None else 3.1 * width)
            axes = np.stack([axis, side, np.cross(axis, side)])
            solids.append(box(frame.x + sketch.depth(name), axes, size))
    return solids


def _frame(
    sketch: Sketch, points: np.ndarray, radii: list[float]
) -> tuple[np.ndarray, list[float], list[tuple[int, int]]]:
    """Return the points of bars with their widths, and the pairs of points that bars connect.

    Up to three points are all connected. More are a ring in the plane of motion, and in space a star about their
    middle.
    """
    n = len(points)
    if n <= 3:
        return points, radii, [(i, j) for i in range(n) for j in range(i)]
    way = points - points.mean(axis=0)
    if sketch.normal is None:
        return np.vstack([points, points.mean(axis=0)]), [*radii, sketch.unit], [(k, n) for k in range(n)]
    right, up, _ = perpendicular(sketch.away)
    order = np.argsort(np.arctan2(way @ up, way @ right), kind="stable").tolist()
    return points, radii, [(order[k - 1], order[k]) for k in range(n)]


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

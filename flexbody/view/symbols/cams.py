"""Cams and their followers: plates with the outline of the line, rollers with their pins, flat faces."""

from __future__ import annotations

import numpy as np

from ...model.joints.cams import CamJoint, FaceOnGuideway, RollerOnGuideway
from ..geometry import colours
from ..geometry.parts import Part
from ..geometry.shapes import Solid, band, capsule, cylinder, joined, slab, sphere, tube
from .sketch import Sketch

#: Points of the drawn line of a cam.
LINE_POINTS = 193


def cams_of(sketch: Sketch, name: str) -> list[Solid]:
    """Return the cams of the body ``name``, in its base; of "ground" in the inertial base."""
    solids = []
    for joint in sketch.joints:
        if isinstance(joint, CamJoint) and joint.first.body.name == name:
            solid = _cam(sketch, joint)
            solids += [] if solid is None else [solid]
    return solids


def outline_of(sketch: Sketch, joint: CamJoint) -> tuple[np.ndarray, np.ndarray]:
    """Return points of the line of a cam (n, 3), m, in the base of its body, and the unit normal of its plane."""
    line = joint.line(sketch.bodies)
    s = np.linspace(0.0, line.length, LINE_POINTS)
    points = line.place(s[:-1] if line.closed else s)
    normal = np.linalg.svd(points - points.mean(axis=0))[2][2]
    return points, normal


def _cam(sketch: Sketch, joint: CamJoint) -> Solid | None:
    """Return a plate with a closed line as its outline, or a ring about it if the follower is inside; else None."""
    if not sketch.is_cam(joint):
        return None
    points, normal = outline_of(sketch, joint)
    first, _ = sketch.frames[joint.name]
    points = points + sketch.depth(first.body)
    thick = sketch.thick if sketch.normal is not None else 1.5 * sketch.unit
    if not _follows_inside(sketch, joint):
        return slab(points, normal, thick)
    tangent = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    across = np.cross(tangent, normal)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    away = np.sign(((points - points.mean(axis=0)) * across).sum())
    return band(points, points + 2 * sketch.unit * away * across, normal, thick)


def _follows_inside(sketch: Sketch, joint: CamJoint) -> bool:
    """Return whether a roller is drawn inside a closed line, as in a ring."""
    if isinstance(joint, FaceOnGuideway):
        return False
    points, normal = outline_of(sketch, joint)
    first, second = sketch.frames[joint.name]
    roller = second.x + sketch.start(second.body) - sketch.start(first.body)
    ways = points - roller
    following = np.roll(ways, -1, axis=0)
    angles = np.arctan2(np.cross(ways, following) @ normal, (ways * following).sum(axis=1))
    return bool(abs(angles.sum()) > np.pi)  # the line winds about it


def parts_of_cam(sketch: Sketch, joint: CamJoint) -> list[Part]:
    """Return an open line, and the roller, knife edge or face that follows the line."""
    first, second = sketch.frames[joint.name]
    parts: list[Part] = []
    if not sketch.is_cam(joint):
        points = outline_of(sketch, joint)[0] + sketch.depth(first.body)
        parts.append(sketch.on(first, tube(points, 0.35 * sketch.unit), colours.GROUND))
    elif first.body == "ground":
        parts.append(sketch.on(first, joined(*cams_of(sketch, "ground")), colours.GROUND))
    x = second.x + sketch.depth(first.body)
    if isinstance(joint, FaceOnGuideway):
        up = 0.0 if sketch.is_cam(joint) else 0.35 * sketch.unit  # clear of the tube
        foot, radius = x + up * second.A[:, 1], max(4 * sketch.unit, _reach(joint, sketch) + sketch.unit)
        face = cylinder(foot, foot + sketch.unit * second.A[:, 1], radius)
        return [*parts, sketch.on(second, face, colours.STEEL)]
    assert isinstance(joint, RollerOnGuideway)
    axis = 0.8 * sketch.unit * second.A[:, 0]
    if joint.rolls:
        ways = [0.85 * joint.radius * second.A[:, k] for k in (1, 2)]
        spokes = [capsule(x + end - w, x + end + w, 0.2 * sketch.unit) for end in (axis, -axis) for w in ways]
        return [*parts, sketch.on(second, joined(*spokes), colours.PIN)]
    if not joint.radius > 0:
        return [*parts, sketch.on(second, sphere(x, 0.7 * sketch.unit), colours.PIN)]
    pin = cylinder(x - 1.2 * axis, x + 1.2 * axis, min(0.45 * sketch.unit, 0.4 * joint.radius))
    roller = cylinder(x - axis, x + axis, joint.radius)
    return [*parts, sketch.on(second, roller, colours.STEEL), sketch.on(second, pin, colours.PIN)]


def rollers_of(sketch: Sketch, name: str) -> list[Solid]:
    """Return the rollers that body ``name`` is: those that roll on a line."""
    solids = []
    for joint in sketch.joints:
        if isinstance(joint, RollerOnGuideway) and joint.rolls and joint.second.body.name == name:
            frame = sketch.frames[joint.name][1]
            x, half = frame.x + sketch.depth(name), 0.7 * sketch.unit * frame.A[:, 0]
            solids.append(cylinder(x - half, x + half, joint.radius))
    return solids


def _reach(joint: FaceOnGuideway, sketch: Sketch) -> float:
    """Return how far from the point of the face the line touches it, m: where the line is highest below the face."""
    first, second = sketch.frames[joint.name]
    points = outline_of(sketch, joint)[0]
    reach = 0.0
    for poses in sketch.samples:
        pose, normal = poses[first.body], poses[second.body].Q @ second.A[:, 1]
        places = pose.c + points @ pose.Q.T
        away = places[np.argmax(places @ normal)] - sketch.place(second, poses)
        reach = max(reach, float(np.linalg.norm(away - (away @ normal) * normal)))
    return reach

"""Bevel gears: toothed cones on their bodies, whose tips meet at the intersection of the axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from ...model.joints import Joint
from ...model.joints.gears import Gear
from ..geometry.shapes import Solid, cylinder, joined, of_quadrilaterals
from .gears import TOOTH_HEIGHT, number_of_teeth, toothed
from .sketch import Sketch

#: Fraction of a cone, from its tip, that is not drawn.
OMITTED_TIP = 0.68
#: Smallest half angle of a cone, rad.
MIN_HALF_ANGLE = 0.1


@dataclass(frozen=True, eq=False)
class Bevel:
    """A toothed cone about the axis of a joint.

    Parameters
    ----------
    tip : numpy.ndarray
        Tip in the base of the body, (3,), m.
    axis : numpy.ndarray
        Unit vector from the tip to the cone, (3,).
    angle : float
        Half angle, rad.
    reach : float
        Length of the pitch cone from the tip to the large end, m.
    teeth : int
        Number of teeth.
    toward : numpy.ndarray
        Unit vector, (3,), from which the position of the first tooth is measured.
    offset : float, optional
        Position of the first tooth, in pitches.
    """

    tip: np.ndarray
    axis: np.ndarray
    angle: float
    reach: float
    teeth: int
    toward: np.ndarray
    offset: float = 0.0

    @property
    def radius(self) -> float:
        """Pitch radius at the large end, m."""
        return self.reach * float(np.sin(self.angle))

    def solid(self, shaft: float, end: np.ndarray) -> Solid:
        """Return the toothed cone between its large and its small end, on a shaft of this radius (m) to ``end``."""
        across = np.cross(self.axis, self.toward)
        corners = np.array([-0.25, -0.12, 0.12, 0.25])  # of a tooth, relative to the pitch
        height = TOOTH_HEIGHT * 2 * np.pi * self.radius / self.teeth * np.array([-1.0, 1.0, 1.0, -1.0])
        turn = (
            2 * np.pi / self.teeth * (np.arange(self.teeth)[:, None] + self.offset + corners).ravel()[:, None]
        )
        rays = np.cos(turn) * self.toward + np.sin(turn) * across
        # teeth are normal to the pitch cone, and shrink towards the tip
        rise = np.tile(height, self.teeth)[:, None]
        outer = np.cos(self.angle) * self.reach * self.axis + self.radius * rays
        outer = outer + rise * (np.cos(self.angle) * rays - np.sin(self.angle) * self.axis)
        radius = min(shaft, 0.4 * OMITTED_TIP * self.radius)
        inner = np.cos(self.angle) * self.reach * self.axis + radius * rays
        small = inner - (1 - OMITTED_TIP) * np.cos(self.angle) * self.reach * self.axis
        wheel = ring(self.tip + inner, self.tip + outer, self.tip + OMITTED_TIP * outer, self.tip + small)
        ends = [OMITTED_TIP * np.cos(self.angle) * self.reach, float((end - self.tip) @ self.axis)]
        start, stop = min(ends), max(*ends, np.cos(self.angle) * self.reach)
        return joined(wheel, cylinder(self.tip + start * self.axis, self.tip + stop * self.axis, radius))

    def phase(self, direction: np.ndarray) -> float:
        """Return the distance of a direction (3,) normal to the axis from the previous tooth, in pitches."""
        angle = np.arctan2(np.cross(self.axis, self.toward) @ direction, self.toward @ direction)
        return float(angle * self.teeth / (2 * np.pi) - self.offset)


def ring(*corners: np.ndarray) -> Solid:
    """Return a closed ring whose cross-sections have these corners, each (k, 3), with outward faces."""
    k, m = len(corners[0]), len(corners)
    i, points = np.arange(k), np.concatenate(corners)
    j = (i + 1) % k
    quads = np.concatenate(
        [
            np.stack([i + a * k, j + a * k, j + b * k, i + b * k], 1)
            for a, b in ((c, (c + 1) % m) for c in range(m))
        ]
    )
    return of_quadrilaterals(points, quads)


def bevels_of(sketch: Sketch, name: str) -> list[Solid]:
    """Return the bevel gears of the body ``name``, in its base."""
    found = []
    for joint, wheel in pairs(sketch):
        frame = sketch.frames[joint.name][1]
        if frame.body == name:
            found.append(wheel.solid(0.8 * sketch.unit, frame.x))
    return found


def pairs(sketch: Sketch) -> list[tuple[Joint, Bevel]]:
    """Return all bevel gears with their joints; equal ones, as of the planets of a differential, are one."""
    wheels: list[tuple[Joint, Bevel]] = []
    for gear in toothed(sketch):
        pair = _pair(gear, sketch)
        known = [_same(wheels, joint, wheel) for joint, wheel in pair]
        if not pair or all(known):
            continue
        first, second = (1, 0) if known[1] and not known[0] else (0, 1)
        host = known[first] or pair[first][1]
        if known[first] is None:
            wheels.append((pair[first][0], host))
        joint, wheel = pair[second]
        # The teeth of one are in the gaps of the other where the cones touch; there their velocities agree.
        wheels.append((joint, replace(wheel, offset=host.phase(pair[first][1].toward) + 0.5)))
    return wheels


def _same(wheels: list[tuple[Joint, Bevel]], joint: Joint, wheel: Bevel) -> Bevel | None:
    """Return the bevel gear of this shape that a joint already has, or None."""
    mine = (other for owner, other in wheels if owner.name == joint.name)
    shape = wheel.angle, wheel.reach
    return next((other for other in mine if np.allclose((other.angle, other.reach), shape, rtol=0.03)), None)


@singledispatch
def _pair(item: Any, sketch: Sketch) -> list[tuple[Joint, Bevel]]:
    """Return both gears of a pair whose axes intersect and point away from there; otherwise an empty list."""
    return []


@_pair.register
def _(gear: Gear, sketch: Sketch) -> list[tuple[Joint, Bevel]]:
    if gear.internal:
        return []
    joints = [sketch.system.joint(joint) for joint in (gear.first, gear.second)]
    frames = [sketch.frames[joint.name][1] for joint in joints]
    (a, b), places = (f.A[:, 2] for f in frames), [f.x + sketch.start(f.body) for f in frames]
    cosine, normal = float(a @ b), np.cross(a, b)
    sine = float(np.linalg.norm(normal))
    between = places[1] - places[0]
    if sine < 0.1 or abs(between @ normal) / sine > 1e-3 * sketch.extent:
        return []  # the axes are parallel or do not intersect
    # distances of the joints from the intersection, along their axes
    ways = [float(np.cross(e, between) @ normal) / sine**2 for e in (b, a)]
    tip = places[0] - ways[0] * a
    ratio = float(gear.ratio)
    one = float(np.arctan2(sine, ratio + cosine))
    angles = (one, float(np.arctan2(sine, cosine)) - one)
    near = 1e-6 * sketch.extent
    if min(ways) < -near or min(angles) < MIN_HALF_ANGLE or max(angles) > np.pi / 2 - 0.02:
        return []
    reaches = [way / np.cos(angle) for way, angle in zip(ways, angles, strict=True) if way > near]
    reach = min([*reaches, 0.2 * sketch.extent])
    if (meshing := sketch.result.plan.teeth.get(gear.name)) is not None:
        reach = float(np.linalg.norm(meshing.teeth.points[0] - tip))
    elif (mesh := gear.mesh({joint.name: joint for joint in joints}, sketch.bodies)) is not None:
        reach = float(np.linalg.norm(mesh.seats[-1].points[0] - tip))  # of teeth with backlash
    teeth = number_of_teeth(ratio)
    toward = ((b - cosine * a) / sine, (a - cosine * b) / sine)
    return [
        (joint, Bevel(tip - sketch.start(f.body), f.A[:, 2], angle, reach, n, ray))
        for joint, f, angle, n, ray in zip(joints, frames, angles, teeth, toward, strict=True)
    ]

"""Random machines: trees and loops of any joints between rigid and flexible bodies, drawn closed and moving."""

from __future__ import annotations

import numpy as np

import flexbody as fb

from .cloud import Cloud
from .joints import AXIS

#: joints that keep a body or close a loop, with the numbers of their rows
CARRIERS = (
    fb.Revolute,
    fb.Universal,
    fb.Cylindrical,
    fb.Spherical,
    fb.Prismatic,
    fb.Planar,
    fb.Screw,
    fb.Floating,
)
ROWS = {
    fb.PointOnLine: 2,
    fb.PointOnPlane: 1,
    fb.Spherical: 3,
    fb.Distance: 1,
    fb.Universal: 4,
    fb.Cylindrical: 4,
}


def _options(kind, rng) -> dict:
    axis = rng.normal(size=3)
    if kind is fb.Universal:
        return {"axes": (axis, np.cross(axis, AXIS))}
    if kind is fb.Screw:
        return {"axis": axis, "pitch": 0.5}
    return {} if kind in (fb.Spherical, fb.Floating) else {"axis": axis}


def _between(name, kind, ends, rng):
    """A joint of the class ``kind`` between two ends, at a random point if it needs one."""
    if kind is fb.Distance:
        free = ("first_point", "second_point")
        points = {
            p: rng.normal(size=3)
            for p, end in zip(free, ends, strict=True)
            if not isinstance(end, fb.BodyFrame)
        }
        return kind(name, *ends, **points)
    options = _options(kind, rng)
    if not all(isinstance(end, fb.BodyFrame) for end in ends):
        options["point"] = rng.normal(size=3)
    return kind(name, *ends, **options)


def random_machine(seed: int, loops: bool = True) -> fb.System:
    """A machine of two to five bodies in a random tree; with ``loops`` up to two more joints close loops.

    A loop is closed only where degrees of freedom are left, so that the machine moves. Machines that can't be
    assembled are drawn again.
    """
    for attempt in range(20):
        try:
            return fb.assemble(_draw(np.random.default_rng((seed, attempt)), loops)).machine
        except fb.FlexbodyError:
            continue
    raise AssertionError(f"no machine of seed {seed} can be assembled")


def _draw(rng, loops: bool) -> fb.System:
    count = int(rng.integers(2, 6))
    ends: list = [fb.GROUND]
    bodies, joints, freedoms = [], [], 0
    for k in range(count):
        name, place = f"b{k}", rng.normal(size=3)
        motion = {"velocity": 0.5 * rng.normal(size=3), "angular_velocity": 0.5 * rng.normal(size=3)}
        if rng.random() < 0.3:
            body = fb.FlexibleBody(name, Cloud.random(rng, modes=3).body(), origin=place, **motion)
            end = body["p" if rng.random() < 0.5 else "q"]
        else:
            body = end = fb.RigidBody(
                name, rng.uniform(1, 3), rng.uniform(0.2, 0.3, 3), center=place, **motion
            )
        kind = CARRIERS[rng.integers(len(CARRIERS))]
        pair = [ends[rng.integers(len(ends))], end]
        if rng.random() < 0.5:
            pair.reverse()
        joints.append(_between(f"j{k}", kind, pair, rng))
        freedoms += 6 - len(joints[-1].rows)
        bodies.append(body)
        ends.append(end)
    for k in range(int(rng.integers(1, 3)) if loops else 0):
        fitting = [kind for kind in ROWS if ROWS[kind] < freedoms - 1]
        if not fitting:
            break
        kind = fitting[rng.integers(len(fitting))]
        pair = [ends[i] for i in rng.choice(len(ends), 2, replace=False)]
        joints.append(_between(f"loop{k}", kind, pair, rng))
        freedoms -= ROWS[kind]
    order = rng.permutation(len(joints))
    return fb.System(bodies, [joints[k] for k in order], gravity=rng.normal(size=3))

"""Machines that are open trees."""

from __future__ import annotations

from functools import cache

import numpy as np

import flexbody as fb

from .cloud import Cloud
from .joints import AXIS

#: the body that carries each body: Slaats (1991), figure 3.1
SLAATS = (0, 1, 2, 3, 3, 5, 6, 4, 8, 4)


@cache
def slaats_tree(seed, flexible):
    """Ten bodies in Slaats' tree with closed joints of six classes; every third body is flexible if asked."""
    rng = np.random.default_rng(seed)
    kinds = (fb.Revolute, fb.Universal, fb.Cylindrical, fb.Spherical, fb.Prismatic, fb.Planar)
    parts: list = [fb.GROUND]
    joints = []
    for k, carrier in enumerate(SLAATS, 1):
        name, place = f"b{k}", rng.normal(size=3)
        if flexible and k % 3 == 0:
            body = fb.FlexibleBody(name, Cloud.random(rng, modes=3).body(), origin=place)
        else:
            body = fb.RigidBody(name, rng.uniform(1, 3), rng.uniform(0.2, 0.3, 3), center=place)
        ends = [end["p"] if isinstance(end, fb.FlexibleBody) else end for end in (parts[carrier], body)]
        kind = kinds[k % len(kinds)]
        options = (
            {"axes": (AXIS, np.cross(AXIS, (1.0, 0.3, 0.2)))} if kind is fb.Universal else {"axis": AXIS}
        )
        if kind is fb.Spherical:
            options = {}
        if not all(isinstance(end, fb.BodyFrame) for end in ends):
            options["point"] = rng.normal(size=3)
        if k % 2:
            ends.reverse()
        joints.append(kind(f"j{k}", *ends, **options))
        parts.append(body)
    return fb.assemble(fb.System(parts[1:], joints, gravity=(1.0, 2.0, -9.81))).machine

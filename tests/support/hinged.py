"""A bar on a hinge, and what bad input is tried on."""

import numpy as np

import flexbody as fb
from support.cloud import Cloud

ONES = (0.1, 0.1, 0.1)


def bar(name: str = "bar", **options) -> fb.RigidBody:
    """A bar of 1 m along x, hinged at the origin in most tests."""
    return fb.RigidBody(name, **{"mass": 1.0, "inertia": (0.01, 0.1, 0.1), "center": (0.5, 0, 0), **options})


def hinge(body, name: str = "hinge", **options) -> fb.Revolute:
    return fb.Revolute(name, fb.GROUND, body, **{"point": (0, 0, 0), "axis": "z", **options})


def rod(**options) -> fb.FlexibleBody:
    return fb.FlexibleBody("rod", Cloud.random(np.random.default_rng(1), modes=3).body(), **options)


def pendulum(*forces, drives=(), **options) -> fb.System:
    body = bar(**options)
    joint = hinge(body)
    return fb.System([body], [joint, *(drive(joint) for drive in drives)], [force(body) for force in forces])

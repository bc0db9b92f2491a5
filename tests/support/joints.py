"""Every joint between rigid, flexible and stiffened bodies."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.model.joints import AxisJoint, Joint

from .cloud import Cloud
from .pairs import pairwise

JOINTS = (
    fb.Fixed,
    fb.Revolute,
    fb.Spherical,
    fb.Universal,
    fb.Cylindrical,
    fb.Prismatic,
    fb.Planar,
    fb.PointOnLine,
    fb.PointOnPlane,
    fb.Screw,
    fb.Distance,
    fb.Floating,
)
#: joints along lines, see test_guideways.py
GUIDEWAYS = (fb.PointOnGuideway, fb.SleeveOnGuideway, fb.MuffOnGuideway)
#: joints of cams, see test_cams.py
CAMS = (fb.RollerOnGuideway, fb.FaceOnGuideway)
AXIS = (0.48, -0.6, 0.64)


def rigid(name: str, place: float) -> fb.RigidBody:
    return fb.RigidBody(
        name, mass=2.0, inertia=(0.3, 0.4, 0.5), center=(place, 0.2, -0.1), markers={"p": (0.1, 0.2, 0.3)}
    )


def flexible(name: str, place: float) -> fb.FlexibleBody:
    return fb.FlexibleBody(name, Cloud.random(np.random.default_rng(7)).body(), origin=(place, 0.1, 0.2))


def stiffened(name: str, place: float) -> fb.FlexibleBody:
    """A body with second-order terms in its markers, turned as it is placed."""
    rng = np.random.default_rng(7)
    body = Cloud.random(rng).stiffened(rng).body(mean=True)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return fb.FlexibleBody(name, body, origin=(place, 0.1, 0.2), rotation=turn * np.linalg.det(turn))


def sides(kind: str):
    make = {"r": rigid, "f": flexible, "s": stiffened}
    first = fb.GROUND if kind[0] == "g" else make[kind[0]]("a", 0.0)
    return first, make[kind[1]]("b", 1.0)


def joint(kind: type[Joint], first, second) -> Joint:
    ends = [body["p"] if isinstance(body, fb.FlexibleBody) else body for body in (first, second)]
    point = None if all(isinstance(b, fb.FlexibleBody) for b in (first, second)) else (0.4, 0.3, 0.2)
    options = {"axis": AXIS} if issubclass(kind, AxisJoint) else {}
    if kind is fb.Universal:
        options["axes"] = (AXIS, np.cross(AXIS, (1.0, 0.3, 0.2)))
    if kind is fb.Screw:
        options["pitch"] = 0.7
    if kind is fb.Distance:
        places = zip(("first_point", "second_point"), ((0.4, 0.3, 0.2), (1.3, -0.2, 0.5)), ends, strict=True)
        points = {name: place for name, place, end in places if not isinstance(end, fb.BodyFrame)}
        return kind("j", *ends, **options, **points)
    return kind("j", *ends, point=point, **options)


FIRST, SECOND = "grfs", "rfs"  # ground, rigid, flexible, and s: with geometric stiffening
#: every joint with every kind of body on either side, and every two kinds of bodies with each other
CASES = [
    pytest.param(kind, first + second, id=f"{kind.__name__}-{first}{second}")
    for kind, first, second in pairwise(JOINTS, FIRST, SECOND)
]

"""The same machine described in two ways gives the same motion and the same forces."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support import linkages
from support.cloud import Cloud
from support.joints import CAMS, GUIDEWAYS

import flexbody as fb
from flexbody.model.joints import AxisJoint, Joint

PRECISE = fb.Explicit(rtol=1e-10)
G = (0.5, -1.0, -9.81)
AXIS = np.array([0.36, 0.48, 0.8])
POINT = np.array([0.3, -0.1, 0.2])


def simulate(system, t_end=0.5, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return fb.simulate(
            system, t_end, integrator=PRECISE, show_progress=False, output_step=0.02, **options
        )


def pair(flexible=False):
    """A carrier on the ground by a ball joint and a body to be joined to it; the latter may be flexible."""
    spin = np.array([0.6, -0.9, 0.5])
    carrier = fb.RigidBody("carrier", 2.0, (0.1, 0.2, 0.25), center=(0.1, 0, 0.1), angular_velocity=spin,
                           velocity=np.cross(spin, (0.1, 0, 0.1)))  # fmt: skip
    if not flexible:
        place = np.array([0.6, 0.1, 0.4])
        body = fb.RigidBody("body", 1.0, (0.05, 0.07, 0.03), center=place, angular_velocity=spin,
                            velocity=np.cross(spin, place), markers={"at": POINT})  # fmt: skip
        return carrier, body, body
    cloud = Cloud.random(np.random.default_rng(7)).body()
    origin = POINT - cloud.markers["p"].point
    body = fb.FlexibleBody("body", cloud, origin=origin, stiffening=False, angular_velocity=spin,
                           velocity=np.cross(spin, origin))  # fmt: skip
    return carrier, body, body["p"]


def hung(carrier, body, joints):
    ball = fb.Spherical("ball", fb.GROUND, carrier, point=(0, 0, 0))
    push = fb.PointForce("push", body["p"] if isinstance(body, fb.FlexibleBody) else body, (1.0, 2.0, -0.5))
    return fb.System([carrier, body], [ball, *joints], [push], gravity=G)


#: which of the six coordinates of a Floating joint each joint leaves free
FREE = {
    fb.Fixed: (),
    fb.Revolute: ("angle_z",),
    fb.Spherical: ("angle_x", "angle_y", "angle_z"),
    fb.Cylindrical: ("angle_z", "z"),
    fb.Prismatic: ("z",),
    fb.Planar: ("angle_z", "x", "y"),
    fb.PointOnLine: ("z", "angle_x", "angle_y", "angle_z"),
    fb.PointOnPlane: ("x", "y", "angle_x", "angle_y", "angle_z"),
}


def along(kind):
    """The axis of a joint that has one."""
    return {"axis": AXIS} if issubclass(kind, AxisJoint) else {}


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "flexible"])
@pytest.mark.parametrize("kind", FREE)
def test_a_joint_is_a_free_body_with_coordinates_held(kind, flexible):
    """Primitive rows on one side, driven Bryant angles and slides on the other: motion to 1e-10 of the path a step.

    The reactions are those of the joint's rows, and the sum of the drives'.
    """
    carrier, body, side = pair(flexible)
    plain = kind("joint", carrier, side, point=POINT, **along(kind))
    free = fb.Floating("free", carrier, side, point=POINT, **along(kind))
    held = [fb.Drive(f"hold {w}", free, value=0.0, which=w) for w in free.coordinates if w not in FREE[kind]]
    one, two = simulate(hung(carrier, body, [plain])), simulate(hung(carrier, body, [free, *held]))
    same(one, two, ("carrier", "body"), 1e-8)
    force = sum(two.reaction(drive).force for drive in held)
    moment = sum(two.reaction(drive).moment for drive in held)
    size = np.abs(one.reaction("joint").force).max() + 1
    np.testing.assert_allclose(one.reaction("joint").force, force, atol=1e-7 * size)
    np.testing.assert_allclose(one.reaction("joint").moment, moment, atol=1e-7 * size)
    for which in FREE[kind]:
        name = {"angle_z": "angle", "z": "slide"}.get(which, which)
        name = name if name in plain.coordinates else which
        np.testing.assert_allclose(one.coordinate("joint", name), two.coordinate("free", which), atol=1e-8)


def same(one, two, names, atol):
    """Places, turns, speeds and accelerations of bodies."""
    for name in names:
        assert np.ptp(one.position(name), axis=0).max() > 1e-3
        np.testing.assert_allclose(one.position(name), two.position(name), atol=atol)
        np.testing.assert_allclose(one.rotation(name), two.rotation(name), atol=atol)
        np.testing.assert_allclose(one.velocity(name), two.velocity(name), atol=30 * atol)
        np.testing.assert_allclose(one.acceleration(name), two.acceleration(name), atol=1e3 * atol)


#: every joint as a user's function of two frames, whose axes are inertial as drawn
z, x = AXIS, np.array([0.8, -0.6, 0.0])
y = np.cross(z, x)


def across(R, d):
    """Components of d along the axes of a frame that was drawn with axes x, y, z."""
    return [d @ (R @ e) for e in (x, y, z)]


def tilt(a, b):
    return [(a.R @ x) @ (b.R @ z), (a.R @ y) @ (b.R @ z)]


def parallel(a, b):
    return [(a.R @ x) @ (b.R @ y), (a.R @ y) @ (b.R @ z), (a.R @ z) @ (b.R @ x)]


FUNCTIONS = {
    fb.Fixed: lambda d, a, b: d + parallel(a, b),
    fb.Revolute: lambda d, a, b: d + tilt(a, b),
    fb.Spherical: lambda d, a, b: d,
    fb.Universal: lambda d, a, b: [*d, (a.R @ z) @ (b.R @ x)],
    fb.Cylindrical: lambda d, a, b: d[:2] + tilt(a, b),
    fb.Prismatic: lambda d, a, b: d[:2] + parallel(a, b),
    fb.Planar: lambda d, a, b: d[2:] + tilt(a, b),
    fb.PointOnLine: lambda d, a, b: d[:2],
    fb.PointOnPlane: lambda d, a, b: d[2:],
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_joint_is_a_function_of_two_frames(kind):
    """The user's constraint, differentiated by the program, and the joint."""
    carrier, body, _ = pair()
    carrier = replace(carrier, markers={"at": POINT})
    axes = {"axes": (z, x)} if kind is fb.Universal else along(kind)
    plain = kind("joint", carrier, body, point=POINT, **axes)
    rows = FUNCTIONS[kind]
    own = fb.Constraint(
        "joint", [carrier["at"], body["at"]], position=lambda t, a, b: rows(across(a.R, b.r - a.r), a, b)
    )
    one, two = simulate(hung(carrier, body, [plain])), simulate(hung(carrier, body, [own]))
    same(one, two, ("carrier", "body"), 1e-9)
    for part in ("force", "moment"):
        np.testing.assert_allclose(
            getattr(one.reaction("joint"), part), getattr(two.reaction("joint"), part), atol=1e-6
        )


SAME = {
    "a screw is a cylindrical joint with a coupling": (
        lambda a, b: [fb.Screw("j", a, b, point=POINT, axis=AXIS, pitch=0.3)],
        lambda a, b: [
            j := fb.Cylindrical("j", a, b, point=POINT, axis=AXIS),
            fb.Coupler("c", [(j, "slide", 1.0), (j, "angle", -0.3 / (2 * np.pi))]),
        ],
    ),
    "and one with a rack": (
        lambda a, b: [fb.Screw("j", a, b, point=POINT, axis=AXIS, pitch=-0.3)],
        lambda a, b: [
            j := fb.Cylindrical("j", a, b, point=POINT, axis=AXIS),
            fb.Rack("c", j, j, radius=-0.3 / (2 * np.pi)),
        ],
    ),
    "a driven hinge is a fixed joint that turns": (
        lambda a, b: [
            j := fb.Revolute("j", a, b, point=POINT, axis="z"),
            fb.Drive("d", j, value=lambda t: 0.8 * np.sin(3 * t)),
        ],
        lambda a, b: [fb.Constraint("j", [a["at"], b["at"]], position=_turning)],
    ),
    "a bar is a function": (
        lambda a, b: [fb.Distance("j", a, b, first_point=(0, 0, 0.3), second_point=POINT)],
        lambda a, b: [
            fb.Constraint("j", [a["bar"], b["at"]], position=lambda t, p, q: (q.r - p.r) @ (q.r - p.r) - 0.11)
        ],
    ),
    "a hinge is a ball joint and a bar beside its axis on two lines": (
        lambda a, b: [fb.Revolute("j", a, b, point=POINT, axis=AXIS)],
        lambda a, b: [
            fb.Spherical("j", a, b, point=POINT),
            fb.PointOnLine("l", a, b, point=POINT + 0.5 * AXIS, axis=AXIS),
        ],
    ),
    "sides may be exchanged": (
        lambda a, b: [fb.Universal("j", a, b, point=POINT, axes=(z, x))],
        lambda a, b: [fb.Universal("j", b, a, point=POINT, axes=(x, z))],
    ),
    "of a slide too": (
        lambda a, b: [
            j := fb.Cylindrical("j", a, b, point=POINT, axis=AXIS),
            fb.Drive("d", j, value=lambda t: 0.1 * np.sin(5 * t), which="slide"),
        ],
        lambda a, b: [
            j := fb.Cylindrical("j", b, a, point=POINT, axis=AXIS),
            fb.Drive("d", j, value=lambda t: -0.1 * np.sin(5 * t), which="slide"),
        ],
    ),
}  # fmt: skip


def _turning(t, a, b):
    """b's axes stand turned by 0.8 sin(3 t) about a's z axis."""
    angle = 0.8 * np.sin(3 * t)
    c, s = np.cos(angle), np.sin(angle)
    ex, ey = c * a.R[:, 0] + s * a.R[:, 1], c * a.R[:, 1] - s * a.R[:, 0]
    d = b.r - a.r
    return [d[0], d[1], d[2], ex @ b.R[:, 1], ey @ b.R[:, 2], a.R[:, 2] @ b.R[:, 0]]


@pytest.mark.parametrize("name", SAME)
def test_one_machine_in_two_ways(name):
    results = []
    for make in SAME[name]:
        carrier, body, _ = pair()
        carrier = replace(carrier, markers={"at": POINT, "bar": (0, 0, 0.3)})
        results.append(simulate(hung(carrier, body, make(carrier, body))))
    same(*results, ("carrier", "body"), 1e-8)
    np.testing.assert_allclose(results[0].energy.input, results[1].energy.input, atol=1e-7)


def test_a_rigid_body_is_a_flexible_one_without_modes():
    """About its centre of mass; about another point it is refused (modal.reduce makes no such body at all)."""
    other = Cloud.random(np.random.default_rng(4), modes=1)
    with pytest.raises(fb.InputError, match=r"body 'body' has no base functions.*use a RigidBody instead"):
        fb.System([fb.FlexibleBody("body", replace_modes(other))])
    cloud = other.centred()
    x, m = cloud.x, cloud.mass
    center = np.average(x, axis=0, weights=m)
    J = sum(w * (p @ p * np.eye(3) - np.outer(p, p)) for w, p in zip(m, x - center, strict=True))
    at = cloud.body().markers["p"].point
    spin = np.array([1.0, -2.0, 0.5])
    rigid = fb.RigidBody("body", m.sum(), J, center=center, angular_velocity=spin,
                         velocity=np.cross(spin, center - at))  # fmt: skip
    stiff = fb.FlexibleBody("body", replace_modes(cloud), angular_velocity=spin, velocity=np.cross(spin, -at))
    results = []
    for body, side in ((rigid, rigid), (stiff, stiff["p"])):
        place = {"point": at} if body is rigid else {}
        results.append(
            simulate(fb.System([body], [fb.Spherical("ball", fb.GROUND, side, **place)], gravity=G))
        )
    one, two = results
    np.testing.assert_allclose(one.rotation("body"), two.rotation("body"), atol=1e-9)
    np.testing.assert_allclose(one.reaction("ball").force, two.reaction("ball").force, atol=1e-6)


def replace_modes(cloud):
    """The cloud's reduced body without base functions."""
    none = Cloud(cloud.x, np.zeros((*cloud.x.shape, 0)), cloud.mass, np.zeros((0, 0)))
    markers = {
        k: replace(m, Phi=np.zeros((3, 0)), B=np.zeros((3, 0))) for k, m in cloud.body().markers.items()
    }
    return replace(none.body(), markers=markers)


@functools.cache
def soft(turn=(0.0, 0, 0), shift=(0.0, 0, 0)):
    """A flexible body whose data are in another base and about another point, placed so that it is the same body."""
    R, s = Rotation.from_rotvec(turn).as_matrix(), np.array(shift)
    cloud = Cloud.random(np.random.default_rng(8))
    moved = Cloud((cloud.x - s) @ R, np.einsum("ij,pin->pjn", R, cloud.Phi), cloud.mass, cloud.K)
    markers = {
        k: replace(m, point=R.T @ (m.point - s), Phi=R.T @ m.Phi, B=R.T @ m.B)
        for k, m in cloud.body().markers.items()
    }
    spin = np.array([1.0, -2.0, 1.5])
    body = fb.FlexibleBody(
        "soft", replace(moved.body(), markers=markers), origin=s, rotation=R, stiffening=False,
        angular_velocity=spin, velocity=np.cross(spin, s), alpha_dot=(0.3, -0.2, 0.1, 0.2),
    )  # fmt: skip
    weight = fb.RigidBody("weight", 0.7, (0.02, 0.03, 0.04), center=cloud.body().markers["q"].point)
    joints = [
        fb.Universal("hinge", fb.GROUND, body["p"], axes=("x", "y")),
        fb.Cylindrical("tube", body["q"], weight, axis=AXIS),
    ]
    forces = [
        fb.SpringDamper(
            "spring",
            body["s"],
            weight,
            stiffness=50.0,
            damping=1.0,
            free_length=0.2,
            second_point=weight.center + 0.1,
        ),
        fb.PointMoment("twist", body["s"], (0.5, -0.3, 0.8)),
        fb.PointForce("jet", body["q"], (0, 1.0, 2.0)),
    ]
    return fb.System([body, weight], joints, forces, gravity=G)


@pytest.mark.parametrize("other", [{"turn": (0.7, -0.4, 1.1)}, {"shift": (0.4, -0.3, 0.2)},
                                   {"turn": (-1.2, 0.5, 0.3), "shift": (0.1, 0.2, -0.5)}])  # fmt: skip
def test_a_flexible_body_in_another_base_about_another_point(other):
    """c, Q and the integrals C1..C8 are all others; what the body does is not."""
    one, two = simulate(soft()), simulate(soft(**other))
    np.testing.assert_allclose(one.alpha("soft"), two.alpha("soft"), atol=1e-8)
    assert np.ptp(one.alpha("soft")) > 0.05
    for frame in ("p", "q", "s"):
        a, b = (r.position(("soft", frame)) for r in (one, two))
        np.testing.assert_allclose(a, b, atol=1e-8)
        a, b = (r.acceleration(("soft", frame)) for r in (one, two))
        np.testing.assert_allclose(a, b, atol=1e-5)
    for joint in ("hinge", "tube"):
        np.testing.assert_allclose(one.reaction(joint).force, two.reaction(joint).force, atol=1e-5)
        np.testing.assert_allclose(one.reaction(joint).moment, two.reaction(joint).moment, atol=1e-5)
    np.testing.assert_allclose(
        one.energy.total - one.energy.total[0], two.energy.total - two.energy.total[0], atol=1e-7
    )


@pytest.mark.parametrize(
    "options", [{"flip": tuple("OABDECF")}, {"flip": tuple("BE")}, {"order": slice(None, None, -1)}]
)
def test_order_and_sides_do_not_matter(options):
    """Attia's linkage, its bodies and joints from the last to the first, or its joints' sides exchanged."""
    one, two = (simulate(linkages.attia_linkage(**kind), 1.0) for kind in ({}, options))
    same(one, two, [body.name for body in one.system.bodies], 1e-9)
    for joint in one.system.joints:
        sign = -1 if joint.name in options.get("flip", ()) else 1
        a, b = one.reaction(joint.name), two.reaction(joint.name)
        np.testing.assert_allclose(a.force, sign * b.force, atol=1e-6)
        if isinstance(joint, fb.Revolute):
            np.testing.assert_allclose(
                one.coordinate(joint.name), sign * two.coordinate(joint.name), atol=1e-9
            )


def test_every_joint_that_can_be_held_is():
    """A new joint belongs into FREE or FUNCTIONS, or has a test of its own here."""
    joints = {k for name in fb.__all__ if isinstance(k := getattr(fb, name), type) and issubclass(k, Joint)}
    assert joints == {
        *FREE,
        *FUNCTIONS,
        fb.Floating,
        fb.Screw,
        fb.Distance,
        *GUIDEWAYS,
        *CAMS,
    }  # test_guideways.py

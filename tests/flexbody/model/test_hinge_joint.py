"""Joints that a user gives by hinge functions, beside those that the program has, in both descriptions."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.model.hinge_functions import HingeFunctions

DOWN = (1.0, -5.0, -7.0)
pytestmark = pytest.mark.slow  # their functions are called from Python

BOTH = pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["global", "relative"])
AXIS = {"point": (0, 0, 0), "axis": (0, 0.3, 1)}


def about_z(a):
    return (np.cos(a), -np.sin(a), 0), (np.sin(a), np.cos(a), 0), (0, 0, 1)


def about_x(a):
    return (1, 0, 0), (0, np.cos(a), -np.sin(a)), (0, np.sin(a), np.cos(a))


def run(joints, description, t_end=0.2):
    body = fb.RigidBody("b", 1.3, (0.02, 0.03, 0.05), center=(0.3, 0.1, 0.2))
    machine = fb.System([body], joints(body), gravity=DOWN)
    options = {"integrator": fb.Explicit(rtol=1e-9), "output_step": t_end / 2, "show_progress": False}
    return fb.simulate(machine, t_end, description=description, **options)


#: the joint of the program, and the same by functions
PAIRS = {
    "revolute": (
        lambda b: [fb.Revolute("j", fb.GROUND, b, **AXIS)],
        lambda b: [fb.HingeJoint("j", fb.GROUND, b, pose=lambda t, a: ((0, 0, 0), about_z(a)), **AXIS)],
    ),
    "screw": (
        lambda b: [fb.Screw("j", fb.GROUND, b, pitch=0.2, **AXIS)],
        lambda b: [
            fb.HingeJoint(
                "j", fb.GROUND, b, pose=lambda t, a: ((0, 0, 0.2 * a / (2 * np.pi)), about_z(a)), **AXIS
            )
        ],
    ),
    "cylindrical": (
        lambda b: [fb.Cylindrical("j", fb.GROUND, b, **AXIS)],
        lambda b: [
            fb.HingeJoint(
                "j",
                fb.GROUND,
                b,
                pose=lambda t, s, a: ((0, 0, s), about_z(a)),
                names=("slide", "angle"),
                **AXIS,
            )
        ],
    ),
}


@BOTH
@pytest.mark.parametrize("pair", PAIRS)
def test_it_moves_as_the_joint_of_the_program(pair, description):
    """Round-off at the start; the relative description has other unknowns, and errors of the integrator."""
    exact, found = (run(joints, description) for joints in PAIRS[pair])
    np.testing.assert_allclose(found.vdot[0], exact.vdot[0], atol=1e-11)
    np.testing.assert_allclose(found.c, exact.c, atol=1e-10)
    np.testing.assert_allclose(found.q, exact.q, atol=1e-10)
    np.testing.assert_allclose(found.reaction("j").force, exact.reaction("j").force, atol=1e-8)
    np.testing.assert_allclose(found.reaction("j").moment, exact.reaction("j").moment, atol=1e-8)


def speed_up(t):
    return 2.0 * t + 3.0 * t**2


@BOTH
def test_a_joint_that_moves_with_time_is_one_with_a_drive(description):
    """A universal joint whose first axis is driven; and its driving moment as part of the reaction."""

    def driven(b):
        cross = fb.Universal("j", fb.GROUND, b, point=(0, 0, 0), axes=("z", "x"))
        return [cross, fb.Drive("motor", cross, value=speed_up, which="angle_1")]

    def own(b):
        def pose(t, a):
            return (0, 0, 0), np.array(about_z(speed_up(t)), dtype=object) @ np.array(
                about_x(a), dtype=object
            )

        return [fb.HingeJoint("j", fb.GROUND, b, pose=pose, point=(0, 0, 0), axis="z", along="x")]

    exact, found = run(driven, description), run(own, description)
    np.testing.assert_allclose(found.vdot[0], exact.vdot[0], atol=1e-10)
    np.testing.assert_allclose(found.c, exact.c, atol=1e-9)
    np.testing.assert_allclose(found.v, exact.v, atol=1e-8)
    both = exact.reaction("j").moment + exact.reaction("motor").moment
    np.testing.assert_allclose(found.reaction("j").moment, both, atol=1e-7)
    assert found.energy.balance_error < 1e-8


def winding(t, a, s):
    """Two coordinates that move and turn the second side together, and a motion by the time."""
    place = (0.2 * np.sin(a) + 0.1 * np.sin(3 * t), 0.1 * s * a + 0.05 * np.cos(2 * t), 0.3 * s)
    first, second = (
        np.array(turn, dtype=object) for turn in (about_z(a + 0.3 * s + t * t), about_x(0.4 * a * s))
    )
    return place, first @ second


@pytest.mark.parametrize("turned", [False, True])
def test_it_is_a_hinge_of_the_tree(turned):
    """Between two bodies of a chain, in both orders of its sides: the global description has constraints instead.

    Accelerations and reactions at the start to round-off, motions to the errors of the integrator.
    """
    a, b, c = (
        fb.RigidBody(name, 1.0 + 0.3 * k, (0.02, 0.03, 0.04), center=(0.3 * k, 0.1, 0.05))
        for k, name in enumerate("abc")
    )
    first, second = (b, a) if turned else (a, b)
    joints = [
        fb.Revolute("r", fb.GROUND, a, point=(0, 0, 0), axis=(0, 1, 0.2)),
        fb.HingeJoint("own", first, second, pose=winding, names=("a", "s"), start=(0.3, 0.2), **AXIS),
        fb.Spherical("ball", b, c, point=(0.7, 0.2, 0)),
    ]
    machine = fb.System([a, b, c], joints, gravity=DOWN)
    found = fb.topology(machine)
    assert (found.joint_coordinates, found.closing_rows) == (6, 0)
    options = {"integrator": fb.Explicit(rtol=1e-9), "output_step": 0.025, "show_progress": False}
    exact, tree = (
        fb.simulate(machine, 0.05, description=description, **options)
        for description in (fb.Absolute(), fb.Relative())
    )
    assert len(tree.plan.relative.arrays["closing"]) == 0
    np.testing.assert_allclose(tree.vdot[0], exact.vdot[0], atol=1e-10)
    np.testing.assert_allclose(tree.c, exact.c, atol=1e-10)
    np.testing.assert_allclose(tree.q, exact.q, atol=1e-10)
    for quantity in ("force", "moment"):
        one, other = (getattr(result.reaction("own"), quantity) for result in (tree, exact))
        np.testing.assert_allclose(one[0], other[0], atol=1e-10)
        np.testing.assert_allclose(one, other, atol=1e-7)
    assert tree.energy.balance_error < 1e-9
    state = tree.state(0.05)
    np.testing.assert_allclose(fb.bias(state), fb.bias(state, tree=found), atol=1e-11)
    np.testing.assert_allclose(fb.mass_matrix(state), fb.mass_matrix(state, tree=found), atol=1e-12)


def circle(t, s):
    """A bead on a ring of 0.5 m that keeps its direction."""
    return (0.5 * np.sin(s), 0.5 - 0.5 * np.cos(s), 0), np.eye(3)


def test_a_bead_on_a_ring():
    """From rest beside the center to the other side, where N has turned by half a revolution.

    Half a period is 2.3678419476 / 2 s for r = 1 m: 2 sqrt(r / g) K(1/2), a complete elliptic integral.
    """
    bead = fb.RigidBody("bead", 1.0, (1e-3, 1e-3, 1e-3), center=(0.5, 0.5, 0))
    ring = fb.HingeJoint("ring", fb.GROUND, bead, pose=circle, point=(0, 0, 0), start=(np.pi / 2,))
    machine = fb.System([bead], [ring], gravity=(0, -9.81, 0))
    period = 0.5 * 2.3678419476 * np.sqrt(0.5)
    found = fb.simulate(
        machine, period, integrator=fb.Explicit(rtol=1e-8), output_step=period / 2, show_progress=False,
    )  # fmt: skip
    place = found.position("bead")
    np.testing.assert_allclose(np.hypot(place[:, 0], place[:, 1] - 0.5), 0.5, atol=1e-11)
    np.testing.assert_allclose(place[-1], [-0.5, 0.5, 0], atol=1e-6)
    np.testing.assert_allclose(place[1], [0, 0, 0], atol=1e-6)


def sphere(t, theta, phi):
    """A bead on a sphere of 1 m that keeps its direction; theta from below."""
    return (np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), -np.cos(theta)), np.eye(3)


@BOTH
def test_a_spherical_pendulum(description):
    """phi. sin^2 theta and phi.^2 sin^2 theta / 2 - g cos theta, for theta = 1 and phi. = 2 at the start."""
    bead = fb.RigidBody("bead", 1.0, (1e-3,) * 3, center=sphere(0, 1, 0)[0], velocity=(0, 2 * np.sin(1), 0))
    joint = fb.HingeJoint("sphere", fb.GROUND, bead, pose=sphere, names=("theta", "phi"), start=(1.0, 0.0))
    result = fb.simulate(
        fb.System([bead], [joint], gravity=(0, 0, -9.81)), 0.5, description=description, output_step=0.1,
        integrator=fb.Explicit(rtol=1e-10), show_progress=False,
    )  # fmt: skip
    r, v = result.position("bead"), result.velocity("bead")
    np.testing.assert_allclose(np.cross(r, v)[:, 2], 1.41614684, atol=2e-8)
    np.testing.assert_allclose(0.5 * np.sum(v**2, axis=1) + 9.81 * r[:, 2], -3.88421878, atol=2e-8)


def test_constraints_are_at_right_angles_to_the_free_motions():
    """G H = 0 with H from the functions, and rank (v, w) = n, Sol (3.3.36), far from the drawn configuration."""
    body = fb.RigidBody("b", 1.0, (1, 1, 1))
    own = fb.HingeJoint(
        "j",
        fb.GROUND,
        body,
        pose=lambda t, a, s: ((np.sin(a), 0.3 * s, a * s), about_z(a + 0.2 * s)),
        names=("a", "s"),
    )
    functions = HingeFunctions(own, 1.0)
    for q in np.random.default_rng(0).normal(size=(5, 2)):
        now = functions.motion(q, 0.3)
        N, H = functions.rows(now), functions.directions(now)
        assert N.shape == (6, 4)
        np.testing.assert_allclose(N.T @ H, 0, atol=1e-12)
        step = 1e-6  # H against differences of the pose
        for k, e in enumerate(np.eye(2)):
            after, before = functions.motion(q + step * e, 0.3), functions.motion(q - step * e, 0.3)
            np.testing.assert_allclose(now.v[:, k], (after.c - before.c) / (2 * step), atol=1e-8)
            turned = (after.C - before.C) / (2 * step) @ now.C.T
            np.testing.assert_allclose(now.w[:, k], [turned[2, 1], turned[0, 2], turned[1, 0]], atol=1e-8)


def test_the_same_pose_gives_the_same_bits_whatever_was_before():
    """Rejected steps, a run that goes on, and readers of results come to a state from others."""
    body = fb.RigidBody("b", 1.0, (1, 1, 1))

    def pose(t, a, s):
        return (np.sin(a), 0.3 * s + 0.1 * np.sin(t), a * s), about_z(a + 0.2 * s)

    own = fb.HingeJoint("j", fb.GROUND, body, pose=pose, names=("a", "s"))
    at_once, by_steps = HingeFunctions(own, 1.0), HingeFunctions(own, 1.0)
    goal = np.array([0.7, -0.4])
    for part in np.linspace(0.0, 1.0, 7):
        between = by_steps.motion(part * goal, part)
        by_steps.find(between.c, between.C, part)
    there = at_once.motion(goal, 1.0)
    one, other = (functions.find(there.c, there.C, 1.0) for functions in (at_once, by_steps))
    np.testing.assert_allclose(one.c, there.c, atol=1e-14)
    assert np.array_equal(at_once.q, by_steps.q)
    assert np.array_equal(at_once.rows(one), by_steps.rows(other))


def test_an_equilibrium_that_opens_the_joint_on_its_way():
    """A nut on a screw and a spring: it sinks by m g / k whatever the pitch."""
    nut = fb.RigidBody("nut", 1.0, (0.01, 0.01, 0.01))

    def screw(t, a):
        return (0, 0, 0.05 * (a + 0.01 * a**2)), about_z(a)

    spring = fb.SpringDamper("spring", fb.GROUND, nut, stiffness=100.0, first_point=(0, 0, 1))
    joint = fb.HingeJoint("thread", fb.GROUND, nut, pose=screw)
    found = fb.equilibrium(fb.System([nut], [joint], [spring], gravity=(0, 0, -9.81)))
    np.testing.assert_allclose(found.c, [[0, 0, -0.0981]], atol=1e-9)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=repr)
def test_a_pose_that_is_not_a_number_is_named_with_its_coordinates(description):
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.01, 0.01), center=(0.3, 0, 0))
    joint = fb.HingeJoint(
        "own", fb.GROUND, bar, pose=lambda t, a: ((0, 0, 0.0 * np.sqrt(0.1 - a)), about_z(a)), **AXIS
    )
    push = fb.PointMoment("push", bar, (0, 0, 100.0))
    with pytest.raises(
        fb.InputError, match=r"hinge joint 'own': .* pose or a derivative of it is not finite near q = 0\.\d"
    ):
        fb.simulate(fb.System([bar], [joint], [push]), 0.05, step=1e-3, description=description)


def test_an_assembled_machine_keeps_the_path():
    """A link that is drawn 0.1 m off its bead pulls it along the ring: then its center still moves on the circle."""
    bead = fb.RigidBody("bead", 1.0, (1e-3, 1e-3, 1e-3), center=(0.5, 0.5, 0))
    link = fb.RigidBody(
        "link", 1.0, (1e-3, 1e-3, 1e-3), center=(0.75, 0.5, 0), markers={"end": (0.5, 0.6, 0)}
    )
    joints = [
        fb.HingeJoint("ring", fb.GROUND, bead, pose=circle, point=(0, 0, 0), start=(np.pi / 2,)),
        fb.Spherical("ball", bead, link["end"], point=(0.5, 0.5, 0)),
        fb.PointOnPlane("wall", fb.GROUND, link, point=(1.0, 0.5, 0), axis="x"),
    ]
    machine = fb.assemble(fb.System([bead, link], joints, gravity=(0, -9.81, 0))).machine
    assert np.linalg.norm(machine.body("bead").center - (0.5, 0.5, 0)) > 0.01
    result = fb.simulate(machine, 0.04, integrator=fb.Explicit(step=0.01), show_progress=False)
    place = result.position("bead")
    np.testing.assert_allclose(np.hypot(place[:, 0], place[:, 1] - 0.5), 0.5, atol=1e-10)


def test_the_place_of_a_named_frame_is_not_given_twice():
    a, b = (fb.RigidBody(name, 1.0, (1, 1, 1), markers={"p": (0.1, 0, 0)}) for name in "ab")
    own = fb.HingeJoint("own", a["p"], b, pose=circle, point=(0.1, 0, 0))
    with pytest.raises(fb.InputError, match=r"hinge joint 'own' has point=\(0.1, 0, 0\) .*leave point= out"):
        fb.System([a, b], [own])


def test_a_file_keeps_it(tmp_path):
    found = run(PAIRS["screw"][1], fb.Absolute(), t_end=0.05)
    found.save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    np.testing.assert_allclose(loaded.reaction("j").force, found.reaction("j").force, atol=1e-12)


@pytest.mark.parametrize(
    ("pose", "names", "said"),
    [
        (lambda t, a: ((0, 0, 0), 2 * np.eye(3)), ("a",), "C is no rotation matrix"),
        (lambda t, a: ((0, 0), np.eye(3)), ("a",), "11 numbers"),
        (lambda t, a: 1 / 0, ("a",), "ZeroDivisionError"),
        (lambda t, a, b: ((a + b, 0, 0), np.eye(3)), ("a", "b"), "cause 1 independent motions"),
        (lambda t: ((0, 0, 0), np.eye(3)), (), "one to five"),
        (3, ("a",), "give a function"),
    ],
)
def test_functions_that_are_no_joint_are_refused(pose, names, said):
    body = fb.RigidBody("b", 1.0, (1, 1, 1))
    with pytest.raises(fb.InputError, match=said):
        machine = fb.System([body], [fb.HingeJoint("own", fb.GROUND, body, pose=pose, names=names)])
        fb.mobility(machine)

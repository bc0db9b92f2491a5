"""The relative description against the global one: motion, accelerations and reactions, point by point."""

from dataclasses import replace

import numpy as np
import pytest
from support.cloud import Cloud
from support.elements import ACTIVE
from support.joints import CASES, joint, sides
from support.trees import slaats_tree

import flexbody as fb

pytestmark = pytest.mark.slow  # together a second or more

#: The error control of a run; both descriptions follow the same motion to about ten times that.
RTOL = 1e-10
TOLERANCE = 1e-8
ARRAYS = ("c", "q", "v", "vdot", "all_alpha", "multipliers", "law_states")


def run(machine, description, t_end=0.3, **options):
    integrator = fb.Explicit(rtol=RTOL)
    return fb.simulate(
        machine, t_end, output_step=t_end / 6, integrator=integrator, description=description, show_progress=False,
        **options,
    )  # fmt: skip


def check_same(machine, base=(), **options):
    one, other = run(machine, fb.Absolute(), **options), run(machine, fb.Relative(base=base), **options)
    for name in ARRAYS:
        expected, found = getattr(one, name), getattr(other, name)
        size = 1.0 + np.abs(expected).max(initial=0.0)
        np.testing.assert_allclose(found, expected, atol=TOLERANCE * size, err_msg=name)
    return one, other


@pytest.mark.parametrize(("kind", "between"), [case for case in CASES if case.values[0] is not fb.Distance])
def test_every_joint_moves_as_in_the_global_description(kind, between):
    """Every joint between the ground, rigid, flexible and stiffened bodies, thrown, carried in both directions."""
    rng = np.random.default_rng(4)
    first, second = sides(between)
    connection = joint(kind, first, second)
    bodies = [
        replace(body, velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3))
        for body in (first, second)
        if body is not fb.GROUND
    ]
    machine = fb.assemble(fb.System(bodies, [connection], gravity=(3.0, -9.0, 5.0))).machine
    for base in [()] if first is fb.GROUND else [("a",), ("b",)]:
        check_same(machine, base, t_end=0.03)


@pytest.mark.parametrize("flexible", [False, True])
def test_slaats_tree_of_ten_bodies(flexible):
    check_same(slaats_tree(2, flexible), t_end=0.1)


def loaded_arm(law):
    """Two links with a spring across, a follower load, and a force law along the elbow."""
    upper = fb.RigidBody("upper", 2.0, (0.01, 0.05, 0.05), center=(0.3, 0, 0))
    lower = fb.RigidBody("lower", 1.0, (0.01, 0.04, 0.04), center=(0.9, 0, 0), angular_velocity=(0, 0, 1.0))
    shoulder = fb.Universal("shoulder", fb.GROUND, upper, point=(0, 0, 0), axes=("y", "z"))
    elbow = fb.Cylindrical("elbow", upper, lower, point=(0.6, 0, 0), axis="z")
    forces = [
        fb.SpringDamper("strut", fb.GROUND, lower, stiffness=50.0, damping=2.0, first_point=(0, 0, 0.5),
                        second_point=(0.9, 0, 0)),
        fb.PointMoment("twist", lower, lambda t: (np.sin(9 * t), 0.5, 0.0), follows=True),
        fb.ForceElement("law", fb.Along(elbow, "slide"), law),
    ]  # fmt: skip
    return fb.System([upper, lower], [shoulder, elbow], forces, gravity=(0, -9.81, 0))


LAWS = {
    **{name: ACTIVE[name] for name in ("linear with a force", "hydraulic cylinder", "motor", "servo")},
    "of a user": fb.UserLaw(lambda t, x, rate: 200.0 * x**3 + 3.0 * rate),
}


@pytest.mark.parametrize("name", LAWS)
def test_forces_and_laws_with_states(name):
    one, other = check_same(loaded_arm(LAWS[name]))
    np.testing.assert_allclose(other.energy.balance_error, one.energy.balance_error, atol=1e-8)


def driven_arm(flexible):
    """A hub that turns by a drive, an arm whose universal joint swings by one, and a sledge that is pushed along it."""
    cloud = Cloud.random(np.random.default_rng(3), modes=3).body()
    end = cloud.markers["q"].point - cloud.markers["p"].point
    hub = fb.RigidBody("hub", 3.0, (0.1, 0.1, 0.2))
    if flexible:
        arm = fb.FlexibleBody("arm", cloud, origin=(0.4, 0, 0) - cloud.markers["p"].point, stiffening=False)
        near, far = arm["p"], arm["q"]
    else:
        arm = fb.RigidBody("arm", 1.0, (0.02, 0.03, 0.04), center=(0.4, 0, 0) + 0.5 * end,
                           markers={"p": (0.4, 0, 0), "q": (0.4, 0, 0) + end})  # fmt: skip
        near, far = arm["p"], arm["q"]
    sledge = fb.RigidBody("sledge", 0.8, (0.02, 0.03, 0.02), center=(0.4, 0, 0) + end + (0.1, 0, 0.1))
    waist = fb.Revolute("waist", fb.GROUND, hub, point=(0, 0, 0))
    shoulder = fb.Universal("shoulder", hub, near, axes=((0, 1, 0), (1, 0, 0)))
    tube = fb.Cylindrical("tube", sledge, far, axis=(0.3, 0.2, 1))  # the arm carries the first side
    drives = [
        fb.Drive("turn", waist, rate=3.0),
        fb.Drive("swing", shoulder, value=lambda t: 0.4 * np.sin(7 * t), which="angle_2"),
        fb.Drive("push", tube, value=lambda t: 0.1 * t**2 - 0.05 * t, which="slide"),
    ]
    return fb.System([hub, arm, sledge], [waist, shoulder, tube, *drives], gravity=(0, 0, -9.81))


@pytest.mark.parametrize("flexible", [False, True])
def test_drives(flexible):
    one, other = check_same(driven_arm(flexible))
    np.testing.assert_allclose(other.energy.balance_error, one.energy.balance_error, atol=1e-8)
    for name in ("turn", "swing", "push"):
        assert np.abs(one.multipliers[:, one.plan.rows[name]]).max() > 0.1  # compared by check_same


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()])
def test_a_drive_that_jumps_ends_the_run(description):
    """A drive that jumps by more than a quarter of a turn is not followed, as in the global description."""
    hub = fb.RigidBody("hub", 3.0, (0.1, 0.1, 0.2))
    waist = fb.Revolute("waist", fb.GROUND, hub, point=(0, 0, 0))
    machine = fb.System([hub], [waist, fb.Drive("turn", waist, value=lambda t: 0.0 if t < 0.07 else 2.0)])
    with pytest.raises(fb.FlexbodyError, match=r"drive 'turn' jumps by 2 rad at t = 0.07 s"):
        fb.simulate(
            machine, 0.3, integrator=fb.Explicit(rtol=1e-6), description=description, show_progress=False
        )


def test_joints_stay_closed_to_round_off_at_any_step():
    """There is nothing to project: with steps far too long for the motion, the joints miss by round-off only."""
    machine = slaats_tree(2, False)
    result = fb.simulate(
        machine, 1.0, integrator=fb.Explicit(step=0.02), description=fb.Relative(), show_progress=False
    )
    reach = 1.0 + np.abs(result.c).max()
    for item in machine.proper_joints:
        if isinstance(item, fb.Revolute | fb.Spherical | fb.Universal):
            ends = [result.position(item), result.position(item, relative_to="ground")]
            assert np.abs(ends[0] - ends[1]).max() < 1e-12 * reach


def test_a_continued_run_goes_on():
    machine = slaats_tree(2, True)
    whole = run(machine, fb.Relative(), t_end=0.1)
    half = run(machine, fb.Relative(), t_end=0.05)
    rest = run(machine, fb.Relative(), t_end=0.1, start=half)
    np.testing.assert_allclose(rest.c[-1], whole.c[-1], atol=1e-8 * (1 + np.abs(whole.c).max()))


def pendulum(joints=(), forces=()):
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    return fb.System([bar], [hinge, *(make(hinge, bar) for make in joints)], [make(hinge) for make in forces],
                     gravity=(0, 0, -9.81))  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"cut": ["hinge"], "keep": ["hinge"]}, r"keep= and cut= both contain 'hinge'"),
        ({"cut": ["pin"]}, r"no joint .*'pin'"),
        ({"base": ["wheel"]}, r"no body .*'wheel'"),
    ],
)
def test_a_wrong_choice_of_the_tree_is_named(chosen, says):
    with pytest.raises(fb.InputError, match=says):
        run(pendulum(), fb.Relative(**chosen))


def test_a_name_that_is_given_twice():
    with pytest.raises(fb.InputError, match="Relative: base names 'bar' twice; name it once"):
        fb.Relative(base=["bar", "bar"])

"""Bad input: one clear error before work starts, that names the thing, the numbers and the mend."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
from support.hinged import bar, hinge, pendulum, rod

import flexbody as fb
from flexbody.model.plausibility import warn_of_degrees

# ---- bodies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mass": 0}, "has the mass 0; it must be above zero"),
        ({"mass": -2.5}, "has the mass -2.5; it must"),
        ({"mass": math.nan}, "has the mass nan"),
        ({"mass": None}, "has the mass None"),
        ({"mass": "1"}, r"has the mass '1', which is text; give a number \(kg\)"),
        ({"inertia": (0, 1, 1)}, r"moment of inertia of 0 kg m\^2; all three must be above zero"),
        ({"inertia": (1, 1, -0.5)}, "moment of inertia of -0.5"),
        ({"inertia": (1, 2, 4)}, "moments of inertia 1, 2, 4 .* at most the sum of the other two"),
        ({"inertia": 3.0}, r"inertia is 3\.0; give three principal moments or a 3 x 3 tensor"),
        ({"inertia": (1, (2, 3))}, r"inertia is \(1, \(2, 3\)\)"),
        ({"inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}, "tensor is not symmetric: .*0.5"),
        ({"center": (1, 2)}, r"center must be three finite numbers, not \(1, 2\)"),
        ({"velocity": (1, 2, math.inf)}, "velocity must be three finite numbers"),
        ({"angular_velocity": "z"}, "angular_velocity must be three numbers, not 'z'"),
        ({"markers": {"tip": (1, 2)}}, "marker 'tip' must be three finite numbers"),
    ],
)
def test_rigid_bodies(options, says):
    with pytest.raises(fb.InputError, match=f"body 'bar'.*{says}"):
        fb.System([bar(**options)])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alpha": (1, 2)}, r"alpha has the shape \(2,\); give one number for each of the 3 modal"),
        ({"alpha_dot": np.zeros(4)}, r"alpha_dot has the shape \(4,\); give one number for each of the 3"),
        ({"alpha": (1, 2, math.nan)}, "alpha has values that are not finite"),
        ({"alpha": "bent"}, "alpha is not numbers"),
        ({"damping_ratio": -0.1}, "damping_ratio is -0.1; give one number or 3 numbers, not below zero"),
        ({"damping_ratio": 2.0}, r"damping_ratio is 2\.0; .* at most 1 \(2 % is 0\.02\)"),
        ({"damping_ratio": (0.1, 0.2)}, r"damping_ratio is \(0.1, 0.2\); give one number or 3"),
        ({"velocity": (0, 0)}, "velocity must be three finite numbers"),
    ],
)
def test_flexible_bodies(options, says):
    with pytest.raises(fb.InputError, match=f"body 'rod'.*{says}"):
        fb.System([rod(**options)])


def test_what_is_no_reduced_body():
    with pytest.raises(fb.InputError, match=r"body 'rod': reduced is a str; give a modal\.ReducedBody"):
        fb.FlexibleBody("rod", "rod.h5")


def test_unknown_markers_list_those_that_exist():
    with pytest.raises(
        fb.InputError,
        match=r"body 'bar' has no marker 'top' \(did you mean 'tip'\?\); it has 'tip'.*markers=\{'top'",
    ):
        bar(markers={"tip": (1, 0, 0)})["top"]
    with pytest.raises(
        fb.InputError, match=r"body 'rod' has no interface or marker 'eye'; it has 'p', 'q', 's'"
    ):
        rod()["eye"]


# ---- systems -------------------------------------------------------------------------------------------------


def test_everything_at_once():
    """One error lists all that is wrong."""
    body = bar(mass=0)
    with pytest.raises(fb.InputError, match="has the mass 0") as caught:
        fb.System([body, body], [fb.Revolute("hinge", fb.GROUND, body), hinge(bar("other"))], gravity=(0, 1))
    lines = str(caught.value).splitlines()
    for part in (
        "has the mass 0",
        "several bodies have the name 'bar'",
        "several joints, drives or forces have the name 'hinge'",
        "revolute joint 'hinge' has no position; give point=(x, y, z)",
        "uses body 'other', which is not among the system's bodies 'bar'; add it",
        "gravity must be three finite numbers",
    ):
        assert any(part in line for line in lines), part


def same_name(body):
    spring = fb.SpringDamper("hinge", fb.GROUND, body, first_point=(0, 1, 0))
    return fb.System([body], [hinge(body)], [spring])


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda b: fb.System([]), "it has no bodies"),
        (lambda b: fb.System(b), r"bodies= is 'bar', not a list; give a list: bodies=\[bar, \.\.\.\]"),
        (
            lambda b: fb.System([fb.GROUND, b]),
            "bodies= contains GROUND, which every system has; leave it out",
        ),
        (lambda b: fb.System([b, "bar"]), "bodies= contains 'bar', which is not a RigidBody"),
        (
            lambda b: fb.System([b], [[hinge(b)]]),
            r"joints= contains a list with the revolute joint 'hinge'; unpack it: joints=\[\.\.\., \*these\]",
        ),
        (lambda b: fb.System([b], [b]), "joints= contains the RigidBody 'bar', which belongs in bodies="),
        (
            lambda b: fb.System([b], [], [hinge(b)]),
            "forces= contains the revolute joint 'hinge', which belongs in joints=",
        ),
        (
            lambda b: fb.System([bar("ground")]),
            "has the name 'ground', which is the name of the inertial body",
        ),
        (same_name, "several joints, drives or forces have the name 'hinge'"),
        (
            lambda b: fb.System([b], [fb.Fixed("f", b, b, point=(0, 0, 0))]),
            "fixed joint 'f' joins 'bar' to itself",
        ),
        (
            lambda b: fb.System([b], [fb.Fixed("f", b, 7, point=(0, 0, 0))]),
            "fixed joint 'f' joins .* and 7; give",
        ),
        (
            lambda b: fb.System([b], [hinge(bar("arm"))]),
            "hinge' uses body 'arm', which is not among .*add it to bodies=",
        ),
        (lambda b: fb.System([b], [hinge(b, axis="w")]), "axis is 'w'; write 'x', 'y', 'z'"),
        (lambda b: fb.System([b], [hinge(b, axis=(0, 0, 0))]), r"axis has no length"),
        (lambda b: fb.System([b], [hinge(b, point=(0, 0))]), r"'hinge': point must be three finite numbers"),
        (
            lambda b: fb.System([b], [fb.Spherical("s", fb.GROUND, b)]),
            r"spherical joint 's' has no position; give point=\(x, y, z\)",
        ),
    ],
)
def test_systems(build, says):
    with pytest.raises(fb.InputError, match=says):
        build(bar())


def test_a_flexible_body_joined_at_no_named_place():
    for first, second in ((fb.GROUND, rod()), (rod(), bar())):
        bodies = [b for b in (first, second) if b is not fb.GROUND]
        with pytest.raises(
            fb.InputError,
            match=r"'hinge' is joined to the flexible body 'rod' without the name of an interface.*write rod\[",
        ):
            fb.System(bodies, [fb.Revolute("hinge", first, second, point=(0, 0, 0))])
    for force in (fb.PointForce("f", rod(), (1, 0, 0)), fb.SpringDamper("f", fb.GROUND, rod())):
        with pytest.raises(
            fb.InputError,
            match=r"'f' acts on the flexible body 'rod' without the name of an interface.*'p', 'q', 's'",
        ):
            fb.System([rod()], [], [force])


def test_a_point_that_two_named_frames_leave_no_room_for():
    body = rod()
    other = bar(markers={"tip": (1, 0, 0)})
    joint = fb.Spherical("ball", other["tip"], body["p"], point=(1, 0, 0))
    with pytest.raises(fb.InputError, match=r"spherical joint 'ball' has point=.*named frame on both sides"):
        fb.System([other, body], [joint])


def test_a_frame_without_rotation():
    body = rod()
    reduced = body.reduced
    markers = {**reduced.markers, "node": dataclasses.replace(reduced.markers["p"], has_rotation=False)}
    body = fb.FlexibleBody("rod", dataclasses.replace(reduced, markers=markers))
    fb.System([body], [fb.Spherical("j", fb.GROUND, body["node"])])
    with pytest.raises(
        fb.InputError, match=r"revolute joint 'j': rod\['node'\] has too few nodes to define a rotation"
    ):
        fb.System([body], [fb.Revolute("j", fb.GROUND, body["node"])])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"axes": ("y", (0, 1, 1))},
            "universal joint 'cross': the angle between its axes is 45 degrees as drawn and must be 90",
        ),
        ({"axes": ("y", "y")}, "between its axes is 0 degrees"),
        ({"axes": "yz"}, "axes is 'yz'; give two"),
        ({"axes": ("x",)}, "give two"),
    ],
)
def test_universal_axes(options, says):
    body = bar()
    with pytest.raises(fb.InputError, match=says):
        fb.System([body], [fb.Universal("cross", fb.GROUND, body, point=(0, 0, 0), **options)])


@pytest.mark.parametrize(
    ("kind", "refused"),
    [
        (fb.Spherical, "axis"),
        (fb.Spherical, "along"),
        (fb.Universal, "axis"),
        (fb.Distance, "point"),
        (fb.Distance, "axis"),
        (fb.Revolute, "along"),
        (fb.Revolute, "axes"),
        (fb.Fixed, "pitch"),
    ],
)
def test_joints_take_only_what_they_use(kind, refused):
    with pytest.raises(TypeError, match=f"there is no argument '{refused}'"):
        kind("j", fb.GROUND, bar(), **{refused: (0, 0, 1)})


@pytest.mark.parametrize(
    ("force", "says"),
    [
        (lambda b: fb.PointForce("f", fb.GROUND, (1, 0, 0)), "acts on the ground, which can't move"),
        (lambda b: fb.PointForce("f", b, (1, 0)), "value must be three finite numbers"),
        (lambda b: fb.PointMoment("f", b, 3.0), "value must be three finite numbers"),
        (lambda b: fb.PointForce("f", b["tip"], (1, 0, 0), point=(0, 0, 0)), "give only one of them"),
        (lambda b: fb.PointForce("f", "bar", (1, 0, 0)), "acts on 'bar'; give a body"),
        (
            lambda b: fb.SpringDamper("f", fb.GROUND, b, stiffness=-1),
            r"stiffness is -1; .* not below zero.* ForceElement\(name, Line\(first, second\), SpringTable\(\(-1, 1\), "
            r"\(1, -1\)\)\)",
        ),
        (lambda b: fb.SpringDamper("f", fb.GROUND, b, damping=None), "damping is None"),
        (lambda b: fb.SpringDamper("f", fb.GROUND, b, free_length=-1.0), "free_length is -1"),
        (lambda b: fb.SpringDamper("f", fb.GROUND, b, force="strong"), "force is 'strong'"),
        (
            lambda b: fb.SpringDamper("f", fb.GROUND, b, first_point=(1,)),
            "first_point must be three finite numbers",
        ),
        (
            lambda b: fb.SpringDamper("f", fb.GROUND, b["tip"], first_point=(1, 0, 0)),
            r"ends coincide .*\[1\.0, 0\.0, 0\.0\]",
        ),
        (lambda b: fb.PointForce("f", bar("arm"), (1, 0, 0)), "uses body 'arm', which is not among"),
    ],
)
def test_forces(force, says):
    body = bar(markers={"tip": (1, 0, 0)})
    with pytest.raises(fb.InputError, match=f"'f'.*{says}"):
        fb.System([body], [hinge(body)], [force(body)])


# ---- drives --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "has no motion; give either rate= or value="),
        ({"rate": 1.0, "value": 2.0}, "has rate= and value=; give either"),
        (
            {"value": 1.0, "which": "slide"},
            "revolute joint 'hinge' has no coordinate 'slide'; it has 'angle'",
        ),
        ({"rate": math.nan}, "rate is nan; it must be a number"),
        ({"rate": math.sin, "value": math.cos}, "has rate= and value=; give either"),
        ({"rate": math.sin, "velocity": math.cos}, "rate is a function, and velocity= is another one"),
        ({"value": "90 degrees"}, "value is '90 degrees'; it must be a number or a function of time"),
        ({"value": math.sin, "acceleration": math.sin}, "has acceleration= but no velocity="),
        (
            {"value": 1.0, "velocity": math.sin},
            "velocity= must be a function, the derivative of a function of time",
        ),
    ],
)
def test_drives(options, says):
    body = bar()
    joint = hinge(body)
    with pytest.raises(fb.InputError, match=f"drive 'motor'.*{says}"):
        fb.System([body], [joint, fb.Drive("motor", joint, **options)])


def test_drives_of_joints_that_have_no_such_coordinate():
    body = bar()
    ball = fb.Spherical("ball", fb.GROUND, body, point=(0, 0, 0))
    with pytest.raises(
        fb.InputError,
        match=r"drive 'motor': spherical joint 'ball' has the coordinates 'angle_x', .*; choose one with which=",
    ):
        fb.System([body], [ball, fb.Drive("motor", ball, rate=1.0)])
    tube = fb.Cylindrical("tube", fb.GROUND, body, point=(0, 0, 0))
    with pytest.raises(
        fb.InputError,
        match=r"cylindrical joint 'tube' has the coordinates 'angle', 'slide'; choose one with which=",
    ):
        fb.System([body], [tube, fb.Drive("motor", tube, rate=1.0)])
    with pytest.raises(
        fb.InputError, match=r"drive 'motor' drives revolute joint 'hinge', .* not among .*'tube'; add it"
    ):
        fb.System([body], [tube, fb.Drive("motor", hinge(body), rate=1.0)])
    with pytest.raises(fb.InputError, match="drive 'motor' must drive a joint"):
        fb.System([body], [tube, fb.Drive("motor", body, rate=1.0)])


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (
            {"rate": 1.0},
            {"rate": 2.0},
            "contradict each other.*(drive 'one' misses by 0.5|drive 'other' misses by 0.5)",
        ),
        ({"value": 0.4}, {"value": 0.5}, "can't be assembled.*drive 'one' misses by 0.05.*"),
    ],
)
def test_two_drives_that_disagree(one, other, says):
    system = pendulum(drives=[lambda j: fb.Drive("one", j, **one), lambda j: fb.Drive("other", j, **other)])
    with warnings.catch_warnings(), pytest.raises(fb.ConstraintError, match=says):
        warnings.simplefilter("error")  # that the motion is determined, as a warning of redundancy says
        fb.simulate(system, 1.0)


def test_a_drive_against_the_mechanism():
    """A hinge that a second, skew one locks."""
    body = bar()
    joint = hinge(body)
    lock = hinge(body, "lock", axis="x")
    with pytest.raises(
        fb.ConstraintError, match=r"locked.*drive 'motor' can't move.* together: revolute joint 'lock'"
    ):
        fb.simulate(fb.System([body], [joint, lock, fb.Drive("motor", joint, rate=1.0)]), 1.0)


def test_parts_print_as_one_line():
    body = bar()
    pin = hinge(body)
    machine = fb.System([body], [pin, fb.Drive("motor", pin, rate=1.0)])
    assert repr(body) == "<RigidBody 'bar': 1 kg>"
    assert repr(machine) == "<System: 1 body, 2 joints and drives, 0 forces>"
    assert all(len(repr(item)) < 200 for item in machine.joints)


@pytest.mark.parametrize(
    ("gravity", "said"),
    [
        ((0, 0, -9810.0), "gravity = (0, 0, -9810) m/s^2 looks like mm/s^2; give gravity=(0, 0, -9.81)"),
        ((0, -386.1, 0), "looks like in/s^2"),
        ((0, 0, 1e4), "is 1.02e+03 times that of the earth"),
        ((0, 0, -9.81), ""),
        ((0, 0, -274.0), ""),  # of the sun
        ((0, 900.0, 0), ""),  # a shock of some 90 g
    ],
)
def test_gravity_in_other_units_is_told(gravity, said):
    body = fb.RigidBody("body", 1.0, (1e-3,) * 3)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fb.System([body], gravity=gravity)
    assert len(told) == bool(said)
    assert said in "".join(str(one.message) for one in told)


def given(action) -> str:
    """Return the message of the error that an action raises."""
    with pytest.raises(fb.InputError) as caught:
        action()
    return str(caught.value)


def test_wrong_uses_say_how_to_mend_them():
    body = bar()
    joint = hinge(body)
    machine = fb.System([body], [joint], gravity=(0, 0, -9.81))
    passed = fb.Event("passed", lambda state: state.coordinate("hinge") > 0.01)
    uses = {
        "give two bodies, or fb.GROUND": lambda: fb.System(
            [body], [fb.Revolute("j", body, body, point=(0, 0, 0), axis="y")]
        ),
        "give its components, such as (0, 0, -9.81)": lambda: fb.System([body], gravity=-9.81),
        "give the joint itself, not its name": lambda: fb.System(
            [body], [joint, fb.Drive("d", "hinge", rate=1.0)]
        ),
        "write fb.Explicit(), with parentheses": lambda: fb.simulate(machine, 1.0, integrator=fb.Explicit),
        "such as a - b in place of a > b": lambda: fb.simulate(
            machine, 1.0, events=[passed], show_progress=False
        ),
    }
    for mend, use in uses.items():
        assert mend in given(use)


def test_a_function_of_time_that_begins_at_degrees_is_told():
    body = bar()
    joint = hinge(body)
    for value, said in ((lambda t: 90.0 + t, "value at t = 0 is 90 rad"), (lambda t: 0.5 + t, "")):
        machine = fb.System([body], [joint, fb.Drive("d", joint, value=value)])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            warn_of_degrees(machine)
        assert [said in str(one.message) for one in told] == [True] * bool(said)

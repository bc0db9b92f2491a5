"""Bad input: one clear error before work starts, that names the thing, the numbers and the mend."""

import _thread
import dataclasses
import math
import os
import shutil
import signal
import threading
import warnings
from itertools import pairwise

import numpy as np
import pytest
from support.cloud import Cloud

import flexbody as fb
from fem.common.errors import (
    ConstraintError,
    ConvergenceError,
    FileError,
    InputError,
    RedundantConstraintWarning,
)

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


# ---- bodies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mass": 0}, "has mass 0; every body needs a mass above zero"),
        ({"mass": -2.5}, "has mass -2.5; every body"),
        ({"mass": math.nan}, "has mass nan"),
        ({"mass": None}, "has mass None"),
        ({"mass": "1 kg"}, "has mass '1 kg'"),
        ({"inertia": (0, 1, 1)}, r"moment of inertia 0 kg m\^2; all three must be above zero"),
        ({"inertia": (1, 1, -0.5)}, "moment of inertia -0.5"),
        ({"inertia": (1, 2, 4)}, "moments of inertia 1, 2, 4 .* at most the sum of the others"),
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
    with pytest.raises(InputError, match=f"body 'bar'.*{says}"):
        fb.System([bar(**options)])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alpha": (1, 2)}, r"alpha has the shape \(2,\); the body has 3 modal coordinates"),
        ({"alpha_dot": np.zeros(4)}, r"alpha_dot has the shape \(4,\); the body has 3"),
        ({"alpha": (1, 2, math.nan)}, "alpha has values that are not finite"),
        ({"alpha": "bent"}, "alpha has no numbers"),
        ({"damping_ratio": -0.1}, "damping_ratio is -0.1; give one number or 3, none below zero"),
        ({"damping_ratio": (0.1, 0.2)}, r"damping_ratio is \(0.1, 0.2\); give one number or 3"),
        ({"velocity": (0, 0)}, "velocity must be three finite numbers"),
    ],
)
def test_flexible_bodies(options, says):
    with pytest.raises(InputError, match=f"body 'rod'.*{says}"):
        fb.System([rod(**options)])


def test_what_is_no_reduced_body():
    with pytest.raises(InputError, match=r"body 'rod': reduced is str; give what modal\.reduce"):
        fb.FlexibleBody("rod", "rod.h5")


def test_unknown_markers_list_those_that_exist():
    with pytest.raises(InputError, match=r"body 'bar' has no marker 'top'; it has 'tip'.*markers=\{'top'"):
        bar(markers={"tip": (1, 0, 0)})["top"]
    with pytest.raises(
        InputError, match=r"body 'rod' has no interface or marker 'eye'; it has 'p', 'q', 's'"
    ):
        rod()["eye"]


# ---- systems -------------------------------------------------------------------------------------------------


def test_everything_at_once():
    """One error lists all that is wrong."""
    body = bar(mass=0)
    with pytest.raises(InputError) as caught:
        fb.System([body, body], [fb.Revolute("hinge", fb.GROUND, body), hinge(bar("other"))], gravity=(0, 1))
    lines = str(caught.value).splitlines()
    for part in (
        "has mass 0",
        "several bodies are called 'bar'",
        "several joints, drives or forces are called 'hinge'",
        "revolute joint 'hinge' needs point=(x, y, z)",
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
        (lambda b: fb.System(b), r"bodies= is 'bar'; give a list: bodies=\[bar, \.\.\.\]"),
        (lambda b: fb.System([fb.GROUND, b]), "bodies= holds GROUND, which is always there; leave it out"),
        (lambda b: fb.System([b, "bar"]), "bodies= holds 'bar', which is no RigidBody"),
        (lambda b: fb.System([b], [b]), "joints= holds RigidBody.* which is no joint or drive"),
        (lambda b: fb.System([b], [], [hinge(b)]), "forces= holds .* which is no force"),
        (lambda b: fb.System([bar("ground")]), "called 'ground', the name of the inertial body"),
        (same_name, "several joints, drives or forces are called 'hinge'"),
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
            r"spherical joint 's' needs point=\(x, y, z\)",
        ),
    ],
)
def test_systems(build, says):
    with pytest.raises(InputError, match=says):
        build(bar())


def test_a_flexible_body_joined_at_no_named_place():
    for first, second in ((fb.GROUND, rod()), (rod(), bar())):
        bodies = [b for b in (first, second) if b is not fb.GROUND]
        with pytest.raises(
            InputError, match=r"'hinge' is fixed to the flexible body 'rod' at no named place; write rod\["
        ):
            fb.System(bodies, [fb.Revolute("hinge", first, second, point=(0, 0, 0))])
    for force in (fb.PointForce("f", rod(), (1, 0, 0)), fb.SpringDamper("f", fb.GROUND, rod())):
        with pytest.raises(
            InputError, match=r"'f' acts on the flexible body 'rod' at no named place.*'p', 'q', 's'"
        ):
            fb.System([rod()], [], [force])


def test_a_point_that_two_named_frames_leave_no_room_for():
    body = rod()
    other = bar(markers={"tip": (1, 0, 0)})
    joint = fb.Spherical("ball", other["tip"], body["p"], point=(1, 0, 0))
    with pytest.raises(InputError, match=r"spherical joint 'ball' has point=.*named frame on both sides"):
        fb.System([other, body], [joint])


def test_a_frame_without_rotation():
    body = rod()
    reduced = body.reduced
    markers = {**reduced.markers, "node": dataclasses.replace(reduced.markers["p"], has_rotation=False)}
    body = fb.FlexibleBody("rod", dataclasses.replace(reduced, markers=markers))
    fb.System([body], [fb.Spherical("j", fb.GROUND, body["node"])])
    with pytest.raises(
        InputError, match=r"revolute joint 'j': rod\['node'\] has too few nodes to define a rotation"
    ):
        fb.System([body], [fb.Revolute("j", fb.GROUND, body["node"])])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"axes": ("y", (0, 1, 1))},
            "universal joint 'cross': its axes stand at 45 degrees as drawn; they must be at 90",
        ),
        ({"axes": ("y", "y")}, "stand at 0 degrees"),
        ({"axes": "yz"}, "axes is 'yz'; give two"),
        ({"axes": ("x",)}, "give two"),
        ({"axis": "x"}, r"has axis='x'; a universal joint has two: axes=\(a, b\)"),
    ],
)
def test_universal_axes(options, says):
    body = bar()
    with pytest.raises(InputError, match=says):
        fb.System([body], [fb.Universal("cross", fb.GROUND, body, point=(0, 0, 0), **options)])


@pytest.mark.parametrize(
    ("force", "says"),
    [
        (lambda b: fb.PointForce("f", fb.GROUND, (1, 0, 0)), "acts on the ground, which nothing moves"),
        (lambda b: fb.PointForce("f", b, (1, 0)), "value must be three finite numbers"),
        (lambda b: fb.PointMoment("f", b, 3.0), "value must be three finite numbers"),
        (lambda b: fb.PointForce("f", b["tip"], (1, 0, 0), point=(0, 0, 0)), "give one of them"),
        (lambda b: fb.PointForce("f", "bar", (1, 0, 0)), "acts on 'bar'; give a body"),
        (
            lambda b: fb.SpringDamper("f", fb.GROUND, b, stiffness=-1),
            "stiffness is -1; it must be a number, not below",
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
    with pytest.raises(InputError, match=f"'f'.*{says}"):
        fb.System([body], [hinge(body)], [force(body)])


# ---- drives --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "is given no motion; give exactly one of rate=, angle=, position="),
        ({"rate": 1.0, "angle": 2.0}, "is given rate= and angle=; give exactly one"),
        ({"position": 1.0}, "revolute joint 'hinge' has no slide; it has 'angle'"),
        ({"rate": math.nan}, "rate is nan; it must be a number"),
        ({"rate": lambda t: t}, "rate is .*function.*; it must be a number"),
        ({"angle": "90 degrees"}, "angle is '90 degrees'; it must be a number or a function of time"),
        ({"angle": math.sin, "acceleration": math.sin}, "has acceleration= and no velocity="),
        ({"angle": 1.0, "velocity": math.sin}, "velocity= is the derivative of a function of time"),
    ],
)
def test_drives(options, says):
    body = bar()
    joint = hinge(body)
    with pytest.raises(InputError, match=f"drive 'motor'.*{says}"):
        fb.System([body], [joint, fb.Drive("motor", joint, **options)])


def test_drives_of_joints_that_have_no_such_coordinate():
    body = bar()
    ball = fb.Spherical("ball", fb.GROUND, body, point=(0, 0, 0))
    with pytest.raises(
        InputError,
        match=r"drive 'motor': spherical joint 'ball' has the coordinates 'angle_x', .*; name it with which=",
    ):
        fb.System([body], [ball, fb.Drive("motor", ball, rate=1.0)])
    tube = fb.Cylindrical("tube", fb.GROUND, body, point=(0, 0, 0))
    with pytest.raises(
        InputError, match=r"cylindrical joint 'tube' has the coordinates 'angle', 'slide'; use angle="
    ):
        fb.System([body], [tube, fb.Drive("motor", tube, rate=1.0)])
    with pytest.raises(
        InputError, match=r"drive 'motor' drives revolute joint 'hinge', .* not among .*'tube'; add it"
    ):
        fb.System([body], [tube, fb.Drive("motor", hinge(body), rate=1.0)])
    with pytest.raises(InputError, match="drive 'motor' must drive a joint"):
        fb.System([body], [tube, fb.Drive("motor", body, rate=1.0)])


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (
            {"rate": 1.0},
            {"rate": 2.0},
            "contradict each other.*(drive 'one' misses by 0.5|drive 'other' misses by 0.5)",
        ),
        ({"angle": 0.4}, {"angle": 0.5}, "can't be assembled.*drive 'one' misses by 0.05.*"),
    ],
)
def test_two_drives_that_disagree(one, other, says):
    system = pendulum(drives=[lambda j: fb.Drive("one", j, **one), lambda j: fb.Drive("other", j, **other)])
    with warnings.catch_warnings(), pytest.raises(ConstraintError, match=says):
        warnings.simplefilter("error")  # that the motion is determined, as a warning of redundancy says
        fb.simulate(system, 1.0)


def test_a_drive_against_the_mechanism():
    """A hinge that a second, skew one locks."""
    body = bar()
    joint = hinge(body)
    lock = hinge(body, "lock", axis="x")
    with pytest.raises(
        ConstraintError, match=r"contradict each other.*'motor' misses by .* Remove one of these"
    ):
        fb.simulate(fb.System([body], [joint, lock, fb.Drive("motor", joint, rate=1.0)]), 1.0)


# ---- assembly ------------------------------------------------------------------------------------------------


def four_bar(ground_length: float) -> fb.System:
    """Crank 0.2 m, coupler 0.5 m, rocker 0.4 m; the rocker's bearing at ``ground_length``."""
    crank = fb.RigidBody("crank", 1, ONES, center=(0, 0.1, 0), markers={"pin": (0, 0.2, 0)})
    coupler = fb.RigidBody(
        "coupler", 1, ONES, center=(0.2, 0.35, 0), markers={"a": (0, 0.2, 0), "b": (0.4, 0.5, 0)}
    )
    rocker = fb.RigidBody(
        "rocker", 1, ONES, center=(0.4, 0.3, 0), markers={"foot": (0.4, 0.1, 0), "top": (0.4, 0.5, 0)}
    )
    bearing = fb.RigidBody("bearing", 1, ONES, markers={"here": (ground_length, 0, 0)})
    return fb.System(
        [crank, coupler, rocker, bearing],
        [
            fb.Fixed("base", fb.GROUND, bearing, point=(0, 0, 0)),
            fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0)),
            fb.Spherical("pin", crank["pin"], coupler["a"]),
            fb.Universal("knee", coupler["b"], rocker["top"], axes=("x", "z")),
            fb.Revolute("foot", bearing["here"], rocker["foot"]),
        ],
    )


def test_a_four_bar_that_closes_is_closed():
    """The bearing stands elsewhere than drawn, within reach: bodies move until all joints are closed."""
    result = fb.simulate(four_bar(0.5), 0.001, step=0.001)
    foot = result.position(result.system.body("rocker")["foot"])[0]
    np.testing.assert_allclose(foot, (0.5, 0, 0), atol=1e-10)
    assert result.statistics.position_correction > 0.05


def test_a_four_bar_with_impossible_lengths():
    """0.2 + 0.5 + 0.4 = 1.1 m can't reach a bearing at 1.3 m: 0.2 m are missing, shared by four joints."""
    with pytest.raises(ConstraintError) as caught:
        fb.simulate(four_bar(1.3), 1.0)
    text = str(caught.value)
    assert "can't be assembled" in text
    missed = [float(part.split(" m or rad")[0]) for part in text.split("as drawn")[0].split("misses by ")[1:]]
    assert 0.02 < max(missed) < 0.2
    assert any(f"joint '{name}' misses by" in text for name in ("foot", "pin", "knee"))
    # as drawn the foot stands at (0.4, 0.1), the bearing at (1.3, 0)
    assert "revolute joint 'foot' misses by 0.9" in text.split("as drawn")[1]


def slider_crank(redundant: bool) -> fb.System:
    """A planar slider-crank in space, with revolute joints all through or without redundancy."""
    crank = fb.RigidBody("crank", 1.0, (0.01, 0.02, 0.02), center=(0.1, 0, 0))
    link = fb.RigidBody("rod", 2.0, (0.01, 0.08, 0.08), center=(0.45, 0, 0))
    slider = fb.RigidBody("slider", 0.5, (0.01, 0.01, 0.01), center=(0.7, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, slider, point=(0.7, 0, 0), axis="x")
    if redundant:
        pin = fb.Revolute("pin", crank, link, point=(0.2, 0, 0), axis="y")
        wrist = fb.Revolute("wrist", link, slider, point=(0.7, 0, 0), axis="y")
    else:
        pin = fb.Spherical("pin", crank, link, point=(0.2, 0, 0))
        wrist = fb.Universal("wrist", link, slider, point=(0.7, 0, 0), axes=("y", "z"))
    drive = fb.Drive("drive", main, rate=20.0)
    return fb.System([crank, link, slider], [main, pin, wrist, guide, drive], gravity=(0, 0, -9.81))


@pytest.fixture(scope="module")
def results():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the regular one says nothing
        regular = fb.simulate(slider_crank(False), 0.3, step=1e-3)
    with pytest.warns(RedundantConstraintWarning) as caught:
        redundant = fb.simulate(slider_crank(True), 0.3, step=1e-3)
    return regular, redundant, [str(entry.message) for entry in caught]


class TestRedundant:
    def test_one_warning_names_the_joints(self, results):
        """Three revolutes and a prismatic joint in a plane: three of the 20 + 1 constraints too many."""
        assert len(results[2]) == 1
        assert "3 of the 21 constraints depend on the others" in results[2][0]
        for joint in ("main", "pin", "wrist", "guide"):
            assert f"'{joint}'" in results[2][0]
        assert "drive" not in results[2][0].split("share")[0]
        assert results[1].statistics.rank == 18

    def test_equal_motion(self, results):
        regular, redundant, _ = results
        for body in ("crank", "rod", "slider"):
            np.testing.assert_allclose(redundant.position(body), regular.position(body), atol=1e-8)
            np.testing.assert_allclose(redundant.rotation(body), regular.rotation(body), atol=1e-8)

    def test_equal_reactions_in_the_plane(self, results):
        """What the motion determines: the forces in the plane, and the driving moment."""
        regular, redundant, _ = results
        for joint in ("main", "pin", "wrist", "guide"):
            one, other = regular.reaction(joint).force, redundant.reaction(joint).force
            size = np.abs(one).max()
            np.testing.assert_allclose(other[:, [0, 2]], one[:, [0, 2]], atol=1e-6 * size)
        one, other = regular.reaction("drive").moment, redundant.reaction("drive").moment
        np.testing.assert_allclose(other, one, atol=1e-6 * np.abs(one).max())

    def test_least_norm(self, results):
        """Nothing acts out of the plane, so the smallest reactions have nothing there either."""
        redundant = results[1]
        for joint in ("main", "pin", "wrist", "guide"):
            wrench = redundant.reaction(joint)
            assert np.abs(wrench.force[:, 1]).max() < 1e-7 * np.abs(wrench.force).max()
            assert (
                np.abs(wrench.moment[:, [0, 2]]).max()
                < 1e-7 * np.abs(redundant.reaction("drive").moment).max()
            )


# ---- runs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("t_end", [0, -1.0, math.nan, math.inf])
def test_end_of_the_run(t_end):
    with pytest.raises(InputError, match=f"t_end is {t_end}; give the end of the run in seconds, above zero"):
        fb.simulate(pendulum(), t_end)


@pytest.mark.parametrize("step", [0, -1e-3, math.nan])
def test_steps(step):
    with pytest.raises(InputError, match=f"step is {step}; it must be above zero"):
        fb.simulate(pendulum(), 1.0, step=step)
    with pytest.raises(
        InputError, match=f"output_step is {step}; it must lie between zero and t_end = 1.0 s"
    ):
        fb.simulate(pendulum(), 1.0, output_step=step)


def never(t):
    raise AssertionError("the run has begun")


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("nowhere/run.h5", "can't write .*run.h5: the folder .*nowhere does not exist"),
        (".", "it is a folder; give the name of a file"),
        ("file.txt/run.h5", "does not exist|Not a directory"),
        ("x" * 300 + ".h5", "can't write .*name too long"),
    ],
)
def test_a_place_that_can_not_be_written_ends_it_before_the_run(place, says, tmp_path):
    (tmp_path / "file.txt").write_text("text")
    system = pendulum(lambda b: fb.PointForce("f", b, never))
    with pytest.raises(FileError, match=says):
        fb.simulate(system, 1.0, save=tmp_path / place)
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_place_lost_in_the_run_does_not_lose_the_run(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    seen = []

    def removes(t):
        tried = (
            sum(b < a - 0.05 for a, b in pairwise(seen)) > 1
        )  # over the whole run beforehand, for the file
        seen.append(t)
        if tried and t > 0.05 and folder.exists():
            shutil.rmtree(folder)
        return 0.0, 0.0, 0.0

    with pytest.raises(FileError, match=r"does not exist|No such file") as caught:
        fb.simulate(
            pendulum(lambda b: fb.PointForce("f", b, removes)), 0.1, step=0.01, save=folder / "run.h5"
        )
    assert caught.value.result.t[-1] == pytest.approx(0.1)


# ---- functions of time ---------------------------------------------------------------------------------------

FAULTY = {
    "load": lambda f: (
        pendulum(lambda b: fb.PointForce("wind", b, lambda t: (f(t), 0.0, 0.0))),
        "PointForce 'wind'",
    ),
    "actuator": lambda f: (
        pendulum(lambda b: fb.SpringDamper("jack", fb.GROUND, b, force=f, first_point=(0, 1, 0))),
        "SpringDamper 'jack': force",
    ),
    "drive": lambda f: (pendulum(drives=[lambda j: fb.Drive("motor", j, angle=f)]), "drive 'motor'"),
}
NOTE = {"said": "off the table"}


def called_back(since):
    def function(t):
        if t >= since:
            raise RuntimeError(NOTE["said"])  # numba can't compile a look-up in a dictionary
        return 0.0

    return function


def compiled(since):
    def function(t):
        if t >= since and t < since + 0.02:
            raise ValueError("off the table")
        return 0.1 * t

    return function


def not_a_number(since):
    return lambda t: math.nan if t >= since else 0.1 * t


@pytest.mark.parametrize("where", FAULTY)
@pytest.mark.parametrize("kind", [called_back, compiled, not_a_number])
@pytest.mark.parametrize("since", [0.0, 0.613])
@pytest.mark.parametrize("step", [None, 0.01])
def test_functions_that_fail(where, kind, since, step, tmp_path, capfd):
    """At the start before any work, later as soon as it happens: by the law's name, with the function's own error."""
    system, name = FAULTY[where](kind(since))
    with pytest.raises(InputError, match=f"{name}: the function ") as caught:
        fb.simulate(system, 1.0, step=step, save=tmp_path / "run.h5")
    text = str(caught.value)
    if kind is not_a_number:
        assert "gives" in text
        assert "nan" in text
    else:
        assert "off the table" in text
        cause = caught.value.__cause__
        assert isinstance(cause, RuntimeError | ValueError)
    assert "at t = 0" in text or "between t = 0" in text
    if since == 0.0 or not hasattr(caught.value, "result"):
        assert os.listdir(tmp_path) == []
    else:  # the run so far is kept
        assert os.listdir(tmp_path) == ["run.h5"]
        assert fb.load_result(tmp_path / "run.h5").t[-1] == caught.value.result.t[-1]
    assert "Exception ignored" not in capfd.readouterr().err
    if since > 0 and where != "drive":  # of drives, differences are tried out beforehand
        assert 0.5 < caught.value.result.t[-1] < 0.64


# ---- runs that end early -------------------------------------------------------------------------------------


def test_a_step_that_does_not_converge():
    """A pendulum at 50 rad/s by steps of 0.2 s: ten radians a step."""
    system = pendulum(angular_velocity=(0, 0, 50.0), velocity=(0, 25.0, 0))
    with pytest.raises(ConvergenceError) as caught:
        fb.simulate(system, 5.0, step=0.2)
    text = str(caught.value)
    assert "the run stops at t = 0 s, step 0.2 s" in text
    assert "revolute joint 'hinge'" in text
    assert "try a smaller step=, or leave step= out" in text
    result = caught.value.result
    assert isinstance(result, fb.Result)
    np.testing.assert_array_equal(result.t, [0.0])
    np.testing.assert_allclose(result.position("bar"), [[0.5, 0, 0]], atol=1e-12)


def test_a_mechanism_pulled_beyond_its_reach():
    """A drive that asks for more than the linkage allows: the run so far is kept, and what stops it is named."""
    crank = fb.RigidBody("crank", 1.0, ONES, center=(0.1, 0, 0))
    link = fb.RigidBody("rod", 1.0, ONES, center=(0.35, 0.2, 0))
    slider = fb.RigidBody("slider", 1.0, ONES, center=(0.5, 0.4, 0))
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0)),
        fb.Spherical("pin", crank, link, point=(0.2, 0, 0)),
        fb.Universal("wrist", link, slider, point=(0.5, 0.4, 0), axes=("z", "x")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(0.5, 0.4, 0), axis="x"),
    ]
    pull = fb.Drive("pull", joints[3], rate=1.0)
    # crank 0.2 m and rod 0.5 m reach 0.7 m: at y = 0.4 m up to x = sqrt(0.33) m, after 0.0745 s
    with pytest.raises(ConvergenceError, match=r"the run stops at t = 0\.07.* (joint|drive) '.*") as caught:
        fb.simulate(fb.System([crank, link, slider], [*joints, pull]), 1.0)
    t = caught.value.result.t
    assert 0.05 < t[-1] <= math.sqrt(0.33) - 0.5
    assert "look at the motion so far" in str(caught.value)


def test_two_drives_that_part_during_the_run():
    """Both agree at t = 0 in angle and speed; they part by 0.1 t^3, which is 1e-4 rad after 0.1 s."""
    crank = fb.RigidBody("crank", 1.0, ONES, center=(0.1, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0))
    drives = [fb.Drive("a", main, rate=1.0), fb.Drive("b", main, angle=lambda t: t + 0.1 * t**3)]
    with (
        pytest.warns(fb.RedundantConstraintWarning),
        pytest.raises(
            ConvergenceError, match=r"drive '[ab]' followed from .* contradicts them now"
        ) as caught,
    ):
        fb.simulate(fb.System([crank], [main, *drives]), 1.0)
    assert 0.05 < caught.value.result.t[-1] < 0.2


class TestInterrupted:
    @staticmethod
    def check(result, path):
        assert result.statistics.interrupted
        assert len(result.t) > 1
        assert result.t[-1] < 1.0
        assert np.isfinite(result.position("bar")).all()
        assert len(result.reaction("hinge").force) == len(result.t)
        loaded = fb.load_result(path)
        assert loaded.statistics.interrupted
        np.testing.assert_array_equal(loaded.t, result.t)
        assert os.listdir(path.parent) == [path.name]

    @pytest.mark.parametrize("step", [None, 1e-3])
    def test_in_a_law(self, step, tmp_path):
        """Ctrl-C while a function of the user's runs."""
        calls = []

        def law(t):
            if calls and t < calls[-1] - 0.5:  # tried out over the whole run beforehand, for the file
                calls.clear()
            calls.append(t)
            if len(calls) == 60 and t < 0.9:
                signal.raise_signal(signal.SIGINT)
            return 0.0, 0.0, 0.0

        system = pendulum(lambda b: fb.PointForce("f", b, law))
        self.check(fb.simulate(system, 1.0, step=step, save=tmp_path / "run.h5"), tmp_path / "run.h5")

    def test_in_the_compiled_loop(self, tmp_path):
        """Ctrl-C while compiled steps run: after the chunk of steps, a fraction of a second later."""
        system = pendulum(angular_velocity=(0, 0, 1.0), velocity=(0, 0.5, 0))
        fb.simulate(system, 1.0, step=0.1)  # compiled beforehand
        threading.Timer(0.5, _thread.interrupt_main).start()
        result = fb.simulate(system, 1.0, step=2e-8, output_step=1e-4, save=tmp_path / "run.h5")
        self.check(result, tmp_path / "run.h5")

    def test_before_the_first_output(self, tmp_path):
        """The state that the run had reached is kept, though nothing was due to be stored yet."""
        system = pendulum(angular_velocity=(0, 0, 1.0), velocity=(0, 0.5, 0))
        fb.simulate(system, 1.0, step=0.1)
        threading.Timer(0.5, _thread.interrupt_main).start()
        result = fb.simulate(system, 1.0, step=2e-8, output_step=0.5, save=tmp_path / "run.h5")
        assert len(result.t) == 2
        self.check(result, tmp_path / "run.h5")
        length = np.linalg.norm(result.position("bar"), axis=1)
        np.testing.assert_allclose(length, 0.5, rtol=1e-9)

"""Slider-cranks whose slider is driven, at and through the positions where it can't turn the crank."""

import warnings

import numpy as np
import pytest

import fem
import flexbody as fb

CRANK, ROD = 0.1, 0.3


def slide(angle):
    """The slider's place."""
    return CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)


def slider_crank(angle, speed_of_crank=0.0, **drive):
    """Drawn with the crank at ``angle`` and turning at that speed (rad/s); the slider driven."""
    A = CRANK * np.array([np.cos(angle), np.sin(angle), 0])
    B = np.array([slide(angle), 0, 0])
    turn = -speed_of_crank * A[0] / (B - A)[0]  # of the rod: its end on the guide does not leave it
    speed = np.cross((0, 0, speed_of_crank), A)
    ends = np.cross((0, 0, turn), (B - A) / 2)
    crank = fb.RigidBody("crank", 1.0, (0.01, 0.01, 0.01), center=A / 2, velocity=speed / 2,
                         angular_velocity=(0, 0, speed_of_crank))  # fmt: skip
    rod = fb.RigidBody("rod", 1.0, (0.01, 0.01, 0.01), center=(A + B) / 2, velocity=speed + ends,
                       angular_velocity=(0, 0, turn))  # fmt: skip
    slider = fb.RigidBody("slider", 1.0, (0.01, 0.01, 0.01), center=B, velocity=speed + 2 * ends)
    guide = fb.Prismatic("guide", fb.GROUND, slider, point=B, axis="x")
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0)),
        fb.Revolute("pin", crank, rod, point=A),
        fb.PointOnLine("wrist", rod, slider, point=B, axis="z"),
        guide,
        fb.Drive("push", guide, **drive),
    ]
    return fb.System([crank, rod, slider], joints)


@pytest.mark.parametrize("analysis", [fb.kinematics, fb.simulate])
@pytest.mark.parametrize(
    ("drive", "what"),
    [({"rate": -0.5}, "a rate that is not zero"), ({"value": lambda t: -0.5 * t * t}, "an acceleration")],
    ids=["rate", "acceleration"],
)
@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_a_dead_point_is_called_so(analysis, drive, what, angle):
    with pytest.raises(
        fem.ConstraintError, match=rf"drive 'push' stands at a dead point .* {what}.*Drive another coordinate"
    ):
        analysis(slider_crank(angle, **drive), 0.1, show_progress=False)


def test_near_a_dead_point_the_machine_is_not_called_locked():
    """At 1e-6 rad from it the crank would have to turn at 4e5 rad/s, at 1e-7 at 4e6, and stops; from 1e-3 rad it moves.

    The rate is that of the slider over its leverage, r (1 + r / l) sin(angle).
    """
    for analysis, near in ((fb.kinematics, 1e-6), (fb.simulate, 1e-7)):
        with pytest.raises(
            fem.ConvergenceError, match=r"revolute joint 'pin'|drive 'push' can't be followed"
        ) as caught:
            analysis(slider_crank(near, rate=-0.05), 0.01, show_progress=False)
        assert "locked" not in str(caught.value)
        analysis(slider_crank(1e-3, rate=-0.05), 0.01, show_progress=False)


def pushed_by(kind, angle, motion):
    """The slider-crank with its slider moved by ``motion(t)`` (m) from where it is drawn, without a drive."""
    base = slider_crank(angle, value=motion)
    slider, x = base.body("slider"), slide(angle)
    push = {
        "distance joint": fb.Distance(
            "push", fb.GROUND, slider, first_point=(-1, 0, 0), second_point=(x, 0, 0),
            length=lambda t: 1 + x + motion(t),
        ),
        "coupler": fb.Coupler("push", [(base.joint("guide"), 2.0)], value=lambda t: 2 * motion(t)),
        "constraint": fb.Constraint("push", slider, position=lambda t, a: a.r[0] - x - motion(t)),
    }[kind]  # fmt: skip
    return fb.System(base.bodies, [*(j for j in base.joints if j.name != "push"), push])


@pytest.mark.parametrize("kind", ["distance joint", "coupler", "constraint"])
@pytest.mark.parametrize(
    ("motion", "what"),
    [(lambda t: -0.5 * t, "a rate that is not zero"), (lambda t: -0.5 * t * t, "an acceleration")],
    ids=["rate", "acceleration"],
)
def test_all_that_follows_the_time_has_dead_points(kind, motion, what):
    with pytest.raises(fem.ConstraintError, match=rf"{kind} 'push' stands at a dead point .* {what}"):
        fb.simulate(pushed_by(kind, 0.0, motion), 0.1, show_progress=False)
    # a little away from there it moves
    result = fb.kinematics(pushed_by(kind, 0.5, motion), 0.01, show_progress=False)
    assert result.coordinate("guide")[-1] == pytest.approx(motion(0.01), abs=1e-9)


def test_rods_side_by_side_are_no_dead_point():
    """Three equal rods that grow alike hold a plate in its plane: in every position that they allow one is too many."""
    plate = fb.RigidBody("plate", 1.0, (0.1, 0.1, 0.1), center=(1, 0, 0))

    def rod(y, rate):
        ends = {"first_point": (0, y, 0), "second_point": (1, y, 0)}
        return fb.Distance(f"rod at {y}", fb.GROUND, plate, length=lambda t: 1 + rate * t, **ends)

    rods = [rod(y, 0.2) for y in (-0.5, 0.2, 0.5)]
    machine = fb.System([plate], [fb.Planar("table", fb.GROUND, plate, point=(1, 0, 0), axis="z"), *rods])
    with pytest.warns(fb.RedundantConstraintWarning, match="1 of the 6 constraints"):
        result = fb.simulate(machine, 0.5, show_progress=False)
    np.testing.assert_allclose(result.velocity(plate)[:, 0], 0.2, atol=1e-9)
    np.testing.assert_allclose(result.angular_velocity(plate), 0.0, atol=1e-9)
    other = fb.System(machine.bodies, [*machine.joints, rod(-0.2, 0.3)])
    with pytest.raises(fem.ConstraintError, match=r"contradict each other.*'rod at"):
        fb.simulate(other, 0.5, show_progress=False)


def test_a_shaft_in_two_bearings():
    """Two revolute joints are five too many; the joints that the warning names hold the shaft just once."""
    shaft = fb.RigidBody("shaft", 1.0, (0.1, 0.2, 0.2), center=(0.5, 0, 0))
    start, end = (0, 0, 0), (1, 0, 0)
    joints = [fb.Revolute(f"at {p[0]}", fb.GROUND, shaft, point=p, axis="x") for p in (start, end)]
    says = "5 of the 10.*of a shaft in two bearings: a spherical and a point-on-line joint"
    with pytest.warns(fb.RedundantConstraintWarning, match=says):
        fb.simulate(fb.System([shaft], joints), 1e-3, step=1e-3)
    line = fb.PointOnLine("line", fb.GROUND, shaft, point=end, axis="x")
    ball = fb.Spherical("ball", fb.GROUND, shaft, point=start)
    assert line.label == "point-on-line joint 'line'"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fb.mobility(fb.System([shaft], [ball, line]))
    assert found.degrees_of_freedom == 1


def test_contradictions_are_still_called_so():
    machine = slider_crank(0.7, rate=-0.2)
    again = fb.Drive("more", machine.joint("guide"), rate=0.3)
    with pytest.raises(fem.ConstraintError, match=r"contradict each other.*drive '"):
        fb.simulate(fb.System(machine.bodies, [*machine.joints, again]), 0.1, show_progress=False)


@pytest.mark.parametrize("start", [0.0, np.pi, -0.5], ids=["outer", "inner", "before"])
def test_it_passes_with_the_velocity_that_it_has(start):
    """The crank at constant rate, all from the slider's motion; also its angular acceleration, zero, at the start."""
    rate = 3.0
    machine = slider_crank(start, rate, value=lambda t: slide(start + rate * t) - slide(start))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is redundant at a dead point
        result = fb.kinematics(machine, 1.4, output_step=0.02, show_progress=False)
    np.testing.assert_allclose(result.coordinate("main"), rate * result.t, atol=1e-7)
    np.testing.assert_allclose(result.angular_velocity("crank")[:, 2], rate, atol=1e-5)
    # continued from 1e-3 and 2e-3 of the machine's size: their square
    np.testing.assert_allclose(result.angular_acceleration("crank")[0, 2], 0.0, atol=1e-4)

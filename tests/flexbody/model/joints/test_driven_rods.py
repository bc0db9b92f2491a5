"""Rods whose length follows a function of time: hydraulic struts and the like, by their motion."""

import numpy as np
import pytest
from support.hinged import bar, hinge

import flexbody as fb

FOOT, EYE = np.array([0.0, -0.6, 0.0]), np.array([0.8, 0.0, 0.0])


def length(t):
    return 1.0 + 0.1 * np.sin(4 * t) + 0.05 * t


def boom(**options) -> fb.System:
    """A bar on a hinge that a strut from below its hinge lifts against gravity."""
    body = bar(markers={"eye": EYE})
    strut = fb.Distance("strut", fb.GROUND, body["eye"], first_point=FOOT, **{"length": length, **options})
    return fb.System([body], [hinge(body), strut], gravity=(0, -9.81, 0))


def angle(s: np.ndarray) -> np.ndarray:
    """Law of cosines: of the bar above the horizontal, for the strut's length, of a triangle with 0.8 m and 0.6 m."""
    return np.arccos((0.8**2 + 0.6**2 - s**2) / (2 * 0.8 * 0.6)) - np.pi / 2


@pytest.fixture(scope="module")
def run():
    return fb.simulate(boom(), 1.0, integrator=fb.GeneralizedAlpha(rtol=1e-8), output_step=5e-3)


def test_the_motion_is_that_of_the_triangle(run):
    t, h = run.t, 1e-4
    np.testing.assert_allclose(run.coordinate("hinge"), angle(length(t)), atol=1e-9)
    rate = (angle(length(t + h)) - angle(length(t - h))) / (2 * h)
    np.testing.assert_allclose(
        run.coordinate_rate("hinge"), rate, atol=1e-6
    )  # h^2 times the third derivative
    np.testing.assert_allclose(run.coordinate("strut"), length(t), atol=1e-9)
    np.testing.assert_allclose(run.coordinate_rate("strut"), 0.4 * np.cos(4 * t) + 0.05, atol=1e-9)


def test_the_load_of_the_strut_is_that_of_the_moments_about_the_hinge(run):
    """I b = F x arm - weight's moment, with the moment of inertia about the hinge, and F along the strut."""
    phi = run.coordinate("hinge")
    force = run.reaction("strut").force
    arm = 0.8 * np.stack([np.cos(phi), np.sin(phi), 0 * phi], axis=1)
    along = (arm - FOOT) / length(run.t)[:, None]
    push = np.einsum("ti,ti->t", force, along)
    np.testing.assert_allclose(force, push[:, None] * along, atol=1e-9 * np.abs(push).max())
    inertia = 0.1 + 1.0 * 0.5**2
    moment = np.cross(arm, force)[:, 2] - 9.81 * 0.5 * np.cos(phi)
    b = run.coordinate_acceleration("hinge")
    # the accelerations at the times of a run that chooses its steps are as good as its multipliers
    np.testing.assert_allclose(moment, inertia * b, atol=1e-4 * np.abs(inertia * b).max())
    # and its work is what the balance of energy calls input
    power = push * run.coordinate_rate("strut")
    work = np.concatenate([[0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t))])
    np.testing.assert_allclose(run.energy.input, work, atol=1e-3 * np.abs(work).max())
    assert run.energy.balance_error < 1e-6


def test_the_same_by_a_constraint(run):
    """The user's own constraint of the same length: the other way to say it."""
    body = bar(markers={"eye": EYE})
    rod = fb.Constraint(
        "strut", [fb.GROUND, body["eye"]],
        position=lambda t, a, b: ((b.r - FOOT) @ (b.r - FOOT)) ** 0.5 - (1.0 + 0.1 * np.sin(4 * t) + 0.05 * t),
    )  # fmt: skip
    system = fb.System([body], [hinge(body), rod], gravity=(0, -9.81, 0))
    other = fb.simulate(system, 1.0, integrator=fb.GeneralizedAlpha(rtol=1e-8), output_step=5e-3)
    np.testing.assert_allclose(other.coordinate("hinge"), run.coordinate("hinge"), atol=1e-9)
    force = run.reaction("strut").force
    np.testing.assert_allclose(other.reaction("strut").force, force, atol=1e-4 * np.abs(force).max())


def test_all_analyses_take_it(run):
    """Kinematics alone, the explicit method, and stepping from outside follow the same length."""
    still = fb.kinematics(boom(), 1.0, output_step=5e-3)
    np.testing.assert_allclose(still.coordinate("hinge"), angle(length(still.t)), atol=1e-9)
    force = still.reaction("strut").force
    np.testing.assert_allclose(run.reaction("strut").force, force, atol=1e-4 * np.abs(force).max())
    explicit = fb.simulate(boom(), 1.0, integrator=fb.Explicit(), output_step=5e-3)
    np.testing.assert_allclose(explicit.reaction("strut").force, force, atol=1e-6 * np.abs(force).max())
    sim = fb.Stepper(boom())
    for _ in range(5):
        sim.advance(0.1)
    assert sim.coordinate("hinge") == pytest.approx(angle(length(0.5)), abs=1e-8)
    found = fb.mobility(boom())
    assert (found.degrees_of_freedom, found.rank) == (0, 6)
    assert fb.equilibrium(boom(), t=0.3).coordinate("hinge") == pytest.approx(angle(length(0.3)), abs=1e-9)


def test_a_drive_beside_it_keeps_its_own_number(run):
    """Drives, couplings and driven rods are numbered together: an input sets the rate of the right one."""
    wheel = fb.RigidBody("wheel", 1.0, (1, 1, 1))
    axle = fb.Revolute("axle", fb.GROUND, wheel, point=(0, 0, 0))
    plain = boom()
    motor = fb.Drive("motor", axle, rate=fb.Input("speed", 2.0))
    sim = fb.Stepper(fb.System([*plain.bodies, wheel], [*plain.joints, axle, motor]))
    sim["speed"] = 3.0
    for _ in range(5):
        sim.advance(0.1)
    assert sim.coordinate("axle") == pytest.approx(1.5, abs=1e-9)
    assert sim.coordinate("hinge") == pytest.approx(angle(length(0.5)), abs=1e-8)


def test_files(run, tmp_path):
    """The length's samples, with rate and acceleration, are kept; so the run can be read, and run again."""
    run.save(tmp_path / "boom.h5")
    loaded = fb.load_result(tmp_path / "boom.h5")
    np.testing.assert_array_equal(loaded.coordinate("strut"), run.coordinate("strut"))
    np.testing.assert_array_equal(loaded.reaction("strut").force, run.reaction("strut").force)
    again = fb.simulate(loaded.system, 1.0, step=1e-3)
    # between samples 5 ms apart the cubic of values and rates: (4 rad/s h)^4 / 384 of 0.1 m
    np.testing.assert_allclose(again.coordinate("hinge")[-1], run.coordinate("hinge")[-1], atol=1e-7)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"length": 0.0}, r"length is 0\.0; it must be above zero \(m\), or be left out"),
        ({"length": "long"}, "length is 'long'; it must be above zero"),
        ({"length": lambda t: t - 0.5}, r"length is -0\.5 m at t = 0; it must be above zero"),
        ({"length": lambda t: None}, "length is None m at t = 0"),
        (
            {"length": 1.0, "velocity": np.cos},
            "velocity= must be a function, the derivative of a function of time",
        ),
        ({"acceleration": np.cos}, "has acceleration= but no velocity="),
    ],
)
def test_lengths_that_are_none(options, says):
    with pytest.raises(fb.InputError, match=f"distance joint 'strut'.*{says}"):
        boom(**options)


def test_derivatives_that_contradict_the_length():
    with pytest.raises(fb.InputError, match="velocity= is not the derivative of its function"):
        fb.simulate(boom(velocity=lambda t: 1.0 + 0 * t), 1.0)

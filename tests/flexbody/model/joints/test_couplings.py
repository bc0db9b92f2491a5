"""Screws, bars, gears, racks, couplers and driven coordinates: whole motions against closed forms."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from reference import pendulum
from support.cloud import Cloud

import flexbody as fb

pytestmark = pytest.mark.slow  # together a second or more

G = 9.81
METHODS = [fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-9)]
method = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


def wheel(name, inertia, place=(0.0, 0.0, 0.0), mass=1.0, **options):
    """A wheel that turns about z."""
    return fb.RigidBody(name, mass, (0.6 * inertia, 0.6 * inertia, inertia), center=place, **options)


def run(bodies, joints, t_end, method=None, forces=(), **options):
    system = fb.System(bodies, joints, forces, gravity=options.pop("gravity", (0, 0, 0)))
    return fb.simulate(system, t_end, integrator=method, show_progress=False, **options)


@method
def test_a_nut_falls_and_turns_on_its_screw(method):
    """m s.. + J (2 pi / p)^2 s.. = m g: constant acceleration, over twenty turns without a slip."""
    mass, inertia, pitch = 2.0, 0.02, 0.05
    nut = wheel("nut", inertia, mass=mass)
    screw = fb.Screw("screw", fb.GROUND, nut, point=(0, 0, 0), pitch=pitch)
    result = run([nut], [screw], 5.0, method, gravity=(0, 0, -G))
    k = pitch / (2 * np.pi)
    slide = -0.5 * G * mass * k**2 / (mass * k**2 + inertia) * result.t**2
    assert slide[-1] < -15 * pitch
    np.testing.assert_allclose(result.coordinate(screw, "slide"), slide, atol=1e-6 * abs(slide[-1]))
    np.testing.assert_allclose(result.coordinate(screw, "angle"), slide / k, atol=1e-6 * abs(slide[-1]) / k)
    assert result.energy.balance_error < 1e-6


@method
def test_a_bar_is_a_spherical_pendulum(method):
    """A ball on a rigid bar: two invariants of the lecture's spherical pendulum, and the bar's length."""
    theta, rate = 1.0, 2.0
    place = np.array([np.sin(theta), 0.0, -np.cos(theta)])
    ball = fb.RigidBody("ball", 1.3, (1e-3,) * 3, center=place, velocity=(0, rate * np.sin(theta), 0))
    bar = fb.Distance("bar", fb.GROUND, ball, first_point=(0, 0, 0), second_point=place)
    result = run([ball], [bar], 3.0, method, gravity=(0, 0, -G))
    r, v = result.position(ball), result.velocity(ball)
    np.testing.assert_allclose(np.linalg.norm(r, axis=1), 1.0, atol=1e-8)
    # theory: phi. sin^2 theta = 1.41614684, (theta.^2 + phi.^2 sin^2 theta)/2 - g cos theta = -3.88421878
    np.testing.assert_allclose(np.cross(r, v)[:, 2], 1.41614684, atol=2e-5)
    np.testing.assert_allclose(0.5 * np.sum(v**2, axis=1) + G * r[:, 2], -3.88421878, atol=5e-5)
    # the bar pulls along itself, m (g cos + v^2)
    pull = 1.3 * (v**2).sum(axis=1) - 1.3 * G * r[:, 2]
    np.testing.assert_allclose(result.reaction(bar).force, -pull[:, None] * r, atol=1e-3)


def test_a_bar_between_moving_bodies_is_a_body_without_mass():
    """Two pendulums coupled by a bar that keeps them parallel swing as one: period of the single one."""
    angle = 0.6
    arm = np.array([np.sin(angle), 0, -np.cos(angle)])
    balls, joints = [], []
    for k, foot in enumerate((np.zeros(3), np.array([1.0, 0, 0]))):
        balls.append(fb.RigidBody(f"ball {k}", 1.0 + k, (1e-3,) * 3, center=foot + arm))
        joints.append(fb.Distance(f"bar {k}", fb.GROUND, balls[k], first_point=foot, second_point=foot + arm))
    link = fb.Distance("link", *balls, first_point=balls[0].center, second_point=balls[1].center)
    result = run(balls, [*joints, link], 2.0, fb.Explicit(rtol=1e-9), gravity=(0, 0, -G))
    exact, _ = pendulum.swing(result.t, angle)
    np.testing.assert_allclose(result.position(balls[0])[:, 0], np.sin(exact), atol=1e-6)
    assert np.abs(result.reaction(link).force).max() < 1e-5


def test_a_bar_of_another_length_moves_the_body():
    ball = fb.RigidBody("ball", 1.0, (1e-3,) * 3, center=(0.9, 0, 0))
    bar = fb.Distance("bar", fb.GROUND, ball, first_point=(0, 0, 0), second_point=(0.9, 0, 0), length=1.0)
    result = run([ball], [bar], 0.1)
    np.testing.assert_allclose(result.position(ball)[0], (1, 0, 0), atol=1e-9)
    np.testing.assert_allclose(result.coordinate(bar, "distance"), 0, atol=1e-9)


@method
@pytest.mark.parametrize("internal", [False, True])
def test_a_gear_reflects_inertia(internal, method):
    """A moment M on the first wheel: (J1 + J2 / i^2) phi.. = M for i = z2/z1; sixty turns, no slip."""
    one, two, ratio, moment = 0.02, 0.5, 17 / 5, 3.0
    first, second = wheel("first", one), wheel("second", two, (1, 0, 0))
    joints = [
        fb.Revolute("a", fb.GROUND, first, point=(0, 0, 0)),
        fb.Revolute("b", fb.GROUND, second, point=(1, 0, 0)),
    ]
    gear = fb.Gear("gear", *joints, ratio=ratio, internal=internal)
    motor = fb.PointMoment("motor", first, (0, 0, moment))
    result = run([first, second], [*joints, gear], 4.0, method, [motor])
    angle = 0.5 * moment / (one + two / ratio**2) * result.t**2
    assert angle[-1] > 50 * 2 * np.pi
    np.testing.assert_allclose(result.coordinate("a"), angle, atol=1e-6 * angle[-1])
    sign = 1 if internal else -1
    np.testing.assert_allclose(result.coordinate("b"), sign * angle / ratio, atol=1e-6 * angle[-1])
    # the teeth turn the second wheel
    turning = sign * two * moment / (one + two / ratio**2) / ratio
    np.testing.assert_allclose(result.reaction(gear).moment[:, 2], turning, rtol=1e-6)
    assert result.energy.balance_error < 1e-6


def test_a_long_step_at_constant_speed_loses_no_turn():
    """Wheels in gear, free at 400 and -100 rad/s: steps of the size of the output, six turns and more."""
    first, second = wheel("first", 0.1, angular_velocity=(0, 0, 400.0)), wheel("second", 0.1, (1, 0, 0))
    joints = [fb.Revolute(body.name + "'s", fb.GROUND, body, point=body.center) for body in (first, second)]
    gear = fb.Gear("gear", *joints, ratio=4.0)
    result = run([first, second], [*joints, gear], 10.0, output_step=0.1)
    rate = result.angular_velocity(first)[0, 2]
    assert result.statistics.steps < 10.0 * rate / np.pi  # over half a turn in a step
    np.testing.assert_allclose(result.coordinate("first's"), rate * result.t, rtol=1e-9)
    np.testing.assert_allclose(result.coordinate("second's"), -rate / 4 * result.t, rtol=1e-9)


def test_a_planetary_gear_turns_by_willis():
    """Sun, planet on a carrier, fixed ring: w_carrier = w_sun z_s / (z_s + z_r), R. Willis (1841)."""
    sun_teeth, planet_teeth = 20, 30
    ring_teeth = sun_teeth + 2 * planet_teeth
    sun, carrier, planet = wheel("sun", 0.1), wheel("carrier", 0.2), wheel("planet", 0.05, (0.5, 0, 0))
    ring = wheel("ring", 1.0)
    on_carrier = [
        fb.Revolute("sun on carrier", carrier, sun, point=(0, 0, 0)),
        fb.Revolute("planet on carrier", carrier, planet, point=(0.5, 0, 0)),
        fb.Revolute("ring on carrier", carrier, ring, point=(0, 0, 0)),
    ]
    main = fb.Revolute("main", fb.GROUND, carrier, point=(0, 0, 0))
    # sun and ring ride on the carrier, one of them is held by the ground, the other driven
    shaft = fb.Floating("shaft", fb.GROUND, sun, point=(0, 0, 0))
    held = fb.Floating("held", fb.GROUND, ring, point=(0, 0, 0))
    joints = [
        main,
        *on_carrier,
        shaft,
        held,
        fb.Gear("s-p", on_carrier[0], on_carrier[1], ratio=planet_teeth / sun_teeth),
        fb.Gear("p-r", on_carrier[1], on_carrier[2], ratio=ring_teeth / planet_teeth, internal=True),
        fb.Drive("hold", held, value=0.0, which="angle_z"),
        fb.Drive("motor", shaft, rate=10.0, which="angle_z"),
    ]
    result = run([sun, carrier, planet, ring], joints, 10.0)
    np.testing.assert_allclose(
        result.coordinate(main), 10.0 * sun_teeth / (sun_teeth + ring_teeth) * result.t, atol=1e-8
    )


@method
def test_a_rolling_disc_on_an_incline(method):
    """Rack and pinion in one planar joint: x.. = g sin(slope) / (1 + k^2 / r^2), J = m k^2."""
    radius, mass, inertia, slope = 0.3, 2.0, 0.09, 0.4
    along = np.array([np.cos(slope), -np.sin(slope), 0.0])
    disc = wheel("disc", inertia, mass=mass)
    plane = fb.Planar("plane", fb.GROUND, disc, point=(0, 0, 0), along=along)
    joints = [
        plane,
        fb.Rack("roll", plane, plane, radius=-radius, which="x"),
        fb.Drive("ground", plane, value=0.0, which="y"),
    ]
    result = run([disc], joints, 3.0, method, gravity=(0, -G, 0))
    x = 0.5 * G * np.sin(slope) / (1 + inertia / (mass * radius**2)) * result.t**2
    np.testing.assert_allclose(result.coordinate(plane, "x"), x, atol=1e-6 * x[-1])
    np.testing.assert_allclose(result.coordinate(plane, "angle"), -x / radius, atol=1e-6 * x[-1] / radius)
    assert result.energy.balance_error < 1e-6


def test_a_coupler_of_three_joints_is_a_differential():
    """2 a - b - c = 0: two equal wheels b and c, one braked: b's loss is c's gain while a is driven."""
    bodies = [wheel(name, 0.1, (k, 0, 0)) for k, name in enumerate("abc")]
    joints = [fb.Revolute(body.name + "'s", fb.GROUND, body, point=body.center) for body in bodies]
    mix = fb.Coupler("differential", [(joints[0], 2.0), (joints[1], -1.0), (joints[2], -1.0)])
    drive = fb.Drive("drive", joints[0], rate=5.0)
    brake = fb.PointMoment("brake", bodies[1], (0, 0, -0.3))
    result = run(bodies, [*joints, mix, drive], 2.0, forces=[brake])
    # 0.1 b.. = -0.3 + L, 0.1 c.. = L, b.. + c.. = 0: L = 0.15
    b = 5 * result.t - 0.5 * 1.5 * result.t**2
    np.testing.assert_allclose(result.coordinate(joints[1]), b, atol=1e-8)
    np.testing.assert_allclose(result.coordinate(joints[2]), 10 * result.t - b, atol=1e-8)
    np.testing.assert_allclose(result.reaction(mix).moment[:, 2], 0.15, atol=1e-7)


def test_a_driven_sum_of_coordinates_follows_its_function():
    first, second = wheel("first", 0.1), wheel("second", 0.3, (1, 0, 0))
    joints = [fb.Revolute(body.name + "'s", fb.GROUND, body, point=body.center) for body in (first, second)]
    mix = fb.Coupler("mix", [(joints[0], 1.0), (joints[1], 2.0)], value=lambda t: np.sin(3 * t))
    result = run([first, second], [*joints, mix], 2.0)
    found = result.coordinate(joints[0]) + 2 * result.coordinate(joints[1])
    np.testing.assert_allclose(found, np.sin(3 * result.t), atol=1e-8)
    # momentum along (1, 2) J^-1: the wheels get 0.1 a.. = L, 0.3 b.. = 2 L, from a. = .., consistent from rest
    share = 0.1 / 0.3 * 2
    np.testing.assert_allclose(
        result.angular_velocity(second)[:, 2], share * result.angular_velocity(first)[:, 2], atol=1e-6
    )
    assert result.energy.balance_error < 1e-4  # steps of the output, 4 ms: (3 rad/s h)^2 = 1.4e-4


@pytest.mark.parametrize(
    "kind", [fb.Spherical, fb.Universal, fb.Planar, fb.PointOnPlane, fb.Floating, fb.PointOnLine]
)
def test_every_coordinate_follows_its_drive(kind):
    """All coordinates driven at once; the power of the drives is what the energy balance finds."""
    body = fb.RigidBody("body", 2.0, (0.2, 0.3, 0.4), center=(0.2, 0.1, -0.3))
    options = {"axes": ("x", "y")} if kind is fb.Universal else {"axis": (0.6, 0, 0.8)}
    options = {} if kind is fb.Spherical else options
    joint = kind("joint", fb.GROUND, body, point=(0, 0, 0), **options)
    waves = {w: (lambda t, k=k: 0.3 * np.sin((2 + k) * t)) for k, w in enumerate(joint.coordinates)}
    drives = [fb.Drive(f"drive {which}", joint, value=f, which=which) for which, f in waves.items()]
    result = run([body], [joint, *drives], 2.0, gravity=(0, 0, -G))
    for which, f in waves.items():
        np.testing.assert_allclose(result.coordinate(joint, which), f(result.t), atol=1e-8)
    assert np.abs(result.energy.input).max() > 0.1
    assert result.energy.balance_error < 2e-4


def test_a_driven_marker_of_a_flexible_body_stays_put():
    """Attitude and place of a tip held by drives against the ground, though the body bends."""
    body = fb.FlexibleBody("body", Cloud.random(np.random.default_rng(7)).body(), origin=(0, 0.1, 0.2))
    body = replace(body, alpha_dot=np.full(body.n_modes, 0.3))
    tip = fb.Floating("tip", fb.GROUND, body["p"])
    drives = [fb.Drive(which, tip, value=0.0, which=which) for which in tip.coordinates]
    result = run([body], [tip, *drives], 1.0)
    assert np.abs(result.alpha(body)).max() > 1e-3
    for which in tip.coordinates:
        np.testing.assert_allclose(result.coordinate(tip, which), 0, atol=1e-8)


def test_revolutions_go_on_from_an_earlier_run():
    """A screw after five turns: its position alone says the turns; the motion goes on."""
    from flexbody.compile.plan import make_plan
    from flexbody.equations.consistent_start import consistent_start

    nut = wheel("nut", 0.02, mass=2.0)
    screw = fb.Screw("screw", fb.GROUND, nut, point=(0, 0, 0), pitch=0.05)
    system = fb.System([nut], [screw], gravity=(0, 0, -G))
    before = fb.simulate(system, 3.0, show_progress=False)
    state = before.state().numbers
    start = consistent_start(
        make_plan(system), replace(state, counted_coordinates=np.nan * state.counted_coordinates)
    )
    slide = before.coordinate(screw, "slide")[-1]
    np.testing.assert_allclose(start.revolutions[:, 1], (slide, slide / 0.05 * 2 * np.pi))
    assert start.position_correction < 1e-9
    # from the run itself the turns are known
    after = fb.simulate(system, 4.0, start=before, show_progress=False)
    whole = fb.simulate(system, 4.0, show_progress=False)
    np.testing.assert_allclose(after.coordinate(screw)[-1], whole.coordinate(screw)[-1], rtol=1e-9)
    np.testing.assert_allclose(after.coordinate(screw)[0], before.coordinate(screw)[-1], rtol=1e-12)


def test_angles_of_gears_are_found_again():
    """Teeth 17 and 23 after 40 turns: some numbers of turns that close the gear."""
    from flexbody.compile.plan import make_plan
    from flexbody.equations.consistent_start import consistent_start

    first, second = wheel("first", 0.1, angular_velocity=(0, 0, 50.0)), wheel("second", 0.1, (1, 0, 0))
    joints = [fb.Revolute(body.name + "'s", fb.GROUND, body, point=body.center) for body in (first, second)]
    system = fb.System([first, second], [*joints, fb.Gear("gear", *joints, ratio=23 / 17)])
    before = fb.simulate(system, 5.0, show_progress=False)
    state = before.state().numbers
    start = consistent_start(
        make_plan(system), replace(state, counted_coordinates=np.nan * state.counted_coordinates)
    )
    np.testing.assert_allclose(start.q, state.q, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a, b: fb.Gear("g", a, b, ratio=-2.0), "ratio is -2.0; it must be above zero"),
        (lambda a, b: fb.Gear("g", a, "b", ratio=2.0), "give two joints with an angle"),
        (lambda a, b: fb.Rack("r", a, b, radius=0.1), "joint with the coordinate 'slide'"),
        (lambda a, b: fb.Coupler("c", [(a, 0.0)]), "factor of revolute joint 'a' is 0.0"),
        (lambda a, b: fb.Coupler("c", []), "it must be a list of"),
        (lambda a, b: fb.Gear("g", a, a, ratio=2.0), "gear 'g' contains angle of revolute joint 'a' twice"),
        (
            lambda a, b: fb.Rack("r", a, a, radius=0.1, which="angle"),
            "rack 'r' contains angle of .*'a' twice",
        ),
        (
            lambda a, b: fb.Coupler("c", [(a, 1.0), (b, 2.0), (replace(a), "angle", 3.0)]),
            "coupler 'c' contains angle of revolute joint 'a' twice .*; add up the factors",
        ),
        (lambda a, b: fb.Coupler("c", [(a, "slide", 1.0)]), "has no coordinate 'slide'"),
        (
            lambda a, b: fb.Coupler("c", [(fb.Revolute("x", a.first, a.second), 1.0)]),
            "'x', which is not among",
        ),
        (lambda a, b: fb.Drive("d", a, value=1.0, which="x"), "has no coordinate 'x'; it has 'angle'"),
        (lambda a, b: fb.Drive("d", a, value="x"), "value is 'x'"),
        (
            lambda a, b: fb.Drive(
                "d",
                fb.Distance("s", a.second, b.second, first_point=(0, 0, 0), second_point=(1, 0, 0)),
                value=1.0,
                which="distance",
            ),
            "prescribes its own length. For a rod whose length is a function of time",
        ),
        (lambda a, b: fb.Screw("s", fb.GROUND, a.second, point=(0, 0, 0), pitch="x"), "pitch is 'x'"),
        (
            lambda a, b: fb.Distance("s", fb.GROUND, a.second, first_point=(0, 0, 0)),
            "has no end on 'a'; give second_point=",
        ),
        (
            lambda a, b: fb.Distance("s", a.second, b.second, first_point=(1, 0, 0), second_point=(1, 0, 0)),
            "ends coincide",
        ),
        (lambda a, b: fb.Planar("p", a.second, b.second, point=(0, 0, 0), along="z"), "not perpendicular"),
    ],
)
def test_bad_input_is_refused_in_words(make, message):
    bodies = [wheel(name, 0.1, (k, 0, 0)) for k, name in enumerate("ab")]
    joints = [fb.Revolute(body.name, fb.GROUND, body, point=body.center) for body in bodies]
    with pytest.raises(fb.InputError, match=message):
        fb.System(bodies, [*joints, make(*joints)])


def test_results_with_couplings_come_back_from_their_files(tmp_path):
    """Everything is read as it was, reactions computed anew included."""
    nut = wheel("nut", 0.02, mass=2.0)
    disc = wheel("disc", 0.1, (1, 0, 0))
    screw = fb.Screw("screw", fb.GROUND, nut, point=(0, 0, 0), pitch=0.05)
    axle = fb.Revolute("axle", fb.GROUND, disc, point=(1, 0, 0))
    joints = [
        screw,
        axle,
        fb.Gear("gear", screw, axle, ratio=2.0, internal=True),
        fb.Coupler("sum", [(screw, "angle", 1.0), (axle, 0.1)], value=lambda t: t**3),
    ]
    forces = [
        fb.Friction("rub", axle, load=0.01),
        fb.Limit("stop", screw, upper=1.0, stiffness=1e3, which="slide"),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run([nut, disc], joints, 1.0, forces=forces, gravity=(0, 0, -G), save=tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    # rates of all coordinates are those by differences
    for name in ("slide", "angle"):
        slope = np.gradient(result.coordinate(screw, name), result.t, edge_order=2)
        np.testing.assert_allclose(
            result.coordinate_rate(screw, name), slope, atol=1e-3 * np.abs(slope).max()
        )
    for name in ("screw", "axle", "gear", "sum"):
        np.testing.assert_allclose(again.reaction(name).moment, result.reaction(name).moment, atol=1e-12)
        np.testing.assert_allclose(again.reaction(name).force, result.reaction(name).force, atol=1e-12)
    np.testing.assert_array_equal(again.coordinate("screw", "slide"), result.coordinate("screw", "slide"))
    assert again.system.forces[1].upper == 1.0

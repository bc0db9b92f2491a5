"""Equations in the speeds of joints: closed forms, the global description, the work of loads."""

from dataclasses import replace

import numpy as np
import pytest
from support.cloud import Cloud

import flexbody as fb

#: its states satisfy all constraints to round-off
EXPLICIT = fb.Explicit(rtol=1e-9)


def state_of(machine, t=0.0, t_end=0.05):
    return fb.simulate(machine, t_end=t_end, show_progress=False).state(t)


def double_pendulum(m=1.3, length=0.7, g=9.81, rates=(0.0, 0.0), angle=0.6):
    """Two bars; the first hangs, the second is drawn at an angle to it."""
    inertia = (m * length**2 / 12, m * length**2 / 12, m * length**2 / 12)
    down, out = np.array([0, -1.0, 0]), np.array([np.sin(angle), -np.cos(angle), 0])
    elbow, spin = length * down, np.array([0, 0, 1.0])
    first = fb.RigidBody(
        "first", m, inertia, center=0.5 * elbow, angular_velocity=rates[0] * spin,
        velocity=np.cross(rates[0] * spin, 0.5 * elbow),
    )  # fmt: skip
    second = fb.RigidBody(
        "second", m, inertia, center=elbow + 0.5 * length * out, angular_velocity=sum(rates) * spin,
        velocity=np.cross(rates[0] * spin, elbow) + np.cross(sum(rates) * spin, 0.5 * length * out),
    )  # fmt: skip
    joints = [
        fb.Revolute("shoulder", fb.GROUND, first, point=(0, 0, 0)),
        fb.Revolute("elbow", first, second, point=elbow),
    ]
    return fb.System([first, second], joints, gravity=(0, -g, 0))


def test_double_pendulum_in_closed_form():
    # Lecture notes on multibody coordinates, slides 39 to 45: bars (m, l) with absolute angles from the vertical,
    # M = [[m l^2/3 + m l^2, m l^2/2 cos(phi - theta)], [., m l^2/3]]. Joint angles: phi = theta + beta.
    m, length, angle, g, rates = 1.3, 0.7, 0.6, 9.81, (0.8, -1.7)
    state = state_of(double_pendulum(m, length, g, rates, angle))
    a, b, c = m * length**2 * 4 / 3, m * length**2 * np.cos(angle) / 2, m * length**2 / 3
    np.testing.assert_allclose(fb.mass_matrix(state), [[a + 2 * b + c, b + c], [b + c, c]], rtol=1e-12)
    np.testing.assert_allclose(list(fb.speeds(state).values()), rates, rtol=1e-12)
    # Lagrange: with k = m l^2/2 sin(phi - theta) the velocities give -k phi'^2 for theta and k theta'^2 for phi
    k, w1, w2 = m * length**2 / 2 * np.sin(angle), rates[0], sum(rates)
    weight = m * g * length / 2 * np.sin(angle)
    theta, phi = -k * w2**2, k * w1**2 + weight
    np.testing.assert_allclose(fb.bias(state), [theta + phi, phi], rtol=1e-12)


def test_partial_velocities_of_the_double_pendulum():
    state = state_of(double_pendulum(length=0.7, angle=0.0))
    tip = fb.jacobian(state, ("second", (0, -1.4, 0)))
    np.testing.assert_allclose(tip[:, 0], [1.4, 0, 0, 0, 0, 1], atol=1e-14)
    np.testing.assert_allclose(tip[:, 1], [0.7, 0, 0, 0, 0, 1], atol=1e-14)


def arm():
    """A turning rigid hub, a flexible arm on a universal joint, and a rigid hand on a cylindrical joint."""
    reduced = Cloud.random(np.random.default_rng(3), modes=3).body()
    end = reduced.markers["q"].point - reduced.markers["p"].point
    hub = fb.RigidBody("hub", 3.0, (0.1, 0.1, 0.2), angular_velocity=(0, 0, 2.0))
    flexible = fb.FlexibleBody(
        "arm", reduced, origin=(0.4, 0, 0) - reduced.markers["p"].point, stiffening=False
    )
    hand = fb.RigidBody("hand", 0.8, (0.02, 0.03, 0.02), center=(0.4, 0, 0) + end + (0.1, 0, 0.1))
    joints = [
        fb.Revolute("waist", fb.GROUND, hub, point=(0, 0, 0)),
        fb.Universal("shoulder", hub, flexible["p"], axes=((0, 1, 0), (1, 0, 0))),
        fb.Cylindrical("wrist", flexible["q"], hand, axis=(0.3, 0.2, 1)),
    ]
    springs = [fb.torsion_spring("return", joints[0], stiffness=4.0, damping=0.3)]
    return fb.System([hub, flexible, hand], joints, springs, gravity=(0, 0, -9.81))


@pytest.fixture(scope="module")
def moving_arm():
    return fb.simulate(arm(), t_end=0.4, output_step=0.1, integrator=EXPLICIT, show_progress=False)


def test_the_kinetic_energy_is_that_of_the_run(moving_arm):
    for k, t in enumerate(moving_arm.t):
        state = moving_arm.state(t)
        u = np.array(list(fb.speeds(state).values()))
        assert 0.5 * u @ fb.mass_matrix(state) @ u == pytest.approx(moving_arm.energy.kinetic[k], rel=1e-9)


def test_no_load_gives_the_accelerations_of_the_run(moving_arm):
    state = moving_arm.state(0.3)
    n = len(fb.speeds(state))
    tau, rates = fb.inverse_dynamics(state, np.full(n, np.nan))
    np.testing.assert_array_equal(tau, 0)
    np.testing.assert_allclose(
        fb.mass_matrix(state) @ rates, -fb.bias(state), atol=1e-9 * np.abs(fb.bias(state)).max()
    )
    wrist = fb.jacobian(state, "wrist")
    # the acceleration of a frame is J du/dt plus what it has for du/dt = 0; the difference of two accelerations is J's
    given = np.where([label.startswith("waist") for label in fb.speeds(state)], 5.0, np.nan)
    _, other = fb.inverse_dynamics(state, given)
    assert other[list(fb.speeds(state)).index("waist: angle")] == 5.0
    assert np.abs(wrist @ (other - rates)).max() > 0.1


def test_partial_velocities_give_the_velocities_of_the_run(moving_arm):
    state = moving_arm.state(0.2)
    u = np.array(list(fb.speeds(state).values()))
    for place in ("hub", ("arm", "q"), ("arm", "s"), "hand", ("hand", (0.7, 0.1, 0.2))):
        found = fb.jacobian(state, place) @ u
        np.testing.assert_allclose(found[:3], state.velocity(place), atol=1e-9)
        np.testing.assert_allclose(found[3:], state.angular_velocity(place), atol=1e-9)


def test_a_force_adds_its_power_to_the_loads():
    machine = arm()
    place = ("arm", "q")
    push = fb.PointForce("push", machine.body("arm")["q"], (3.0, -2.0, 5.0))
    before, after = state_of(machine), state_of(replace(machine, forces=[*machine.forces, push]))
    added = fb.jacobian(before, place)[:3].T @ (3.0, -2.0, 5.0)
    np.testing.assert_allclose(fb.bias(before) - fb.bias(after), added, atol=1e-10)


def slider_crank(driven=True):
    crank = fb.RigidBody("crank", 0.9, (1e-4, 2e-3, 2e-3), center=(0.05, 0, 0.03))
    rod = fb.RigidBody("rod", 0.5, (1e-4, 4e-3, 4e-3), center=(0.25, 0, 0.03))
    slider = fb.RigidBody("slider", 0.4, (1e-4,) * 3, center=(0.4, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    joints = [
        main,
        fb.Spherical("pin", crank, rod, point=(0.1, 0, 0.06)),
        fb.Universal("wrist", rod, slider, point=(0.4, 0, 0), axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(0.4, 0, 0), axis="x"),
    ]
    if driven:
        joints.append(fb.Drive("drive", main, value=lambda t: 30.0 * t + 100.0 * t**2))
    return fb.System([crank, rod, slider], joints, gravity=(0, 0, -9.81))


def test_the_moment_of_a_drive_in_a_loop_is_that_of_the_global_description():
    result = fb.simulate(
        slider_crank(), t_end=0.05, output_step=0.01, integrator=EXPLICIT, show_progress=False
    )
    for k in (1, 3, 5):
        state = result.state(result.t[k])
        labels = list(fb.speeds(state))
        given = np.where([label.startswith("main") for label in labels], 200.0, np.nan)
        tau, rates = fb.inverse_dynamics(state, given)
        drive = result.reaction("drive").moment[k] @ (0, 1, 0)
        assert tau[labels.index("main: angle")] == pytest.approx(drive, rel=1e-6)
        guide = labels.index("guide: slide")
        assert rates[guide] == pytest.approx(result.acceleration("slider")[k, 0], rel=1e-6)


def test_a_loop_that_cannot_move_stands_still():
    """A bar on a hinge and a strut: no acceleration opens it, though its rows find round-off only."""
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    strut = fb.Distance("strut", fb.GROUND, bar, first_point=(0.1, 0, 0.7), second_point=(0.6, 0, 0.1))
    state = fb.equilibrium(fb.System([bar], [hinge, strut], gravity=(0, 0, -9.81)))
    for given in (np.nan, 0.0, 1e-17):
        _, found = fb.inverse_dynamics(state, [given])
        assert np.abs(found).max() < 1e-13  # 24.5 rad/s^2 without the strut


def test_accelerations_that_open_the_loop_are_refused():
    state = state_of(slider_crank(driven=False))
    with pytest.raises(fb.ConstraintError, match=r"open spherical joint 'pin'.*give NaN"):
        fb.inverse_dynamics(state, np.ones(4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: fb.mass_matrix("x"), r"the state is 'x'; give result.state"),
        (lambda s: fb.inverse_dynamics(s, [1.0]), r"give 2 numbers in the order of speeds"),
        (lambda s: fb.inverse_dynamics(s, [1.0, np.inf]), r"give 2 numbers"),
        (lambda s: fb.bias(s, tree=3), r"tree= is 3; give the result of topology"),
        (lambda s: fb.bias(s, tree=fb.topology(double_pendulum())), r"another machine"),
        (lambda s: fb.jacobian(s, "nothing"), r"no body or joint 'nothing'"),
    ],
)
def test_what_is_not_valid_is_said(call, message):
    state = state_of(double_pendulum())
    with pytest.raises(fb.InputError, match=message):
        call(state)


def test_loads_belong_to_a_tree_that_is_known():
    """Another description brings a tree that the caller does not see; it is refused by name."""
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    state = fb.equilibrium(fb.System([bar], [hinge]))
    with pytest.raises(fb.InputError, match=r"description is .*Mixed.*give fb\.Absolute\(\)"):
        fb.inverse_dynamics(state, [1.0], description=fb.Mixed())

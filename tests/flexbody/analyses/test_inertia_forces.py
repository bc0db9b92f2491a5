"""Inertia forces by their kind, against kinetic energies by hand; and the sweep along a tree against matrices."""

import numpy as np
import pytest
from support.cloud import Cloud

import flexbody as fb

R, SPIN, FASTER = 0.4, 1.3, 0.7  # m, rad/s, rad/s^2
TURN = {"value": lambda t: SPIN * t + 0.5 * FASTER * t**2}


def start_of(machine):
    return fb.simulate(
        machine, 0.01, integrator=fb.Explicit(rtol=1e-9), output_step=0.01, show_progress=False
    ).state(0.0)


def test_a_pendulum_that_becomes_longer_on_a_driven_turntable():
    """The bob in the table's base is (R, l sin q, -l cos q), q about the radius, the length l driven.

    T = m/2 ((l q' + Omega R cos q)^2 + (l' + Omega R sin q)^2 + Omega^2 l^2 sin^2 q) and constant parts of the
    moments of inertia: m_0q = m Omega R l cos q, m_00 = m (Omega^2 (R^2 + l^2 sin^2 q) + l'^2 + 2 Omega R l' sin q).
    """
    m, j, q, rate, length, longer = 1.2, 0.05, 0.6, 0.9, 0.5, 0.3
    table = fb.RigidBody("table", 1.0, (1, 1, 1), angular_velocity=(0, 0, SPIN))
    along = np.array([0, np.sin(q), -np.cos(q)])
    at = np.array([R, 0, 0])
    arm = fb.RigidBody(
        "arm", 0.3, (j, j, j), center=at, angular_velocity=(rate, 0, SPIN), velocity=(0, SPIN * R, 0)
    )
    velocity = (
        np.cross([0, 0, SPIN], at + length * along) + np.cross([rate, 0, 0], length * along) + longer * along
    )
    bob = fb.RigidBody(
        "bob", m, (j, j, j), center=at + length * along, velocity=velocity, angular_velocity=(rate, 0, SPIN)
    )
    axle = fb.Revolute("axle", fb.GROUND, table, point=(0, 0, 0), axis="z")
    hinge = fb.Revolute("hinge", table, arm, point=at, axis="x")
    slide = fb.Prismatic("slide", arm, bob, point=at, axis=along)
    motors = [fb.Drive("motor", axle, **TURN), fb.Drive("winch", slide, rate=longer)]
    found = fb.inertia_forces(start_of(fb.System([table, arm, bob], [axle, hinge, slide, *motors])))
    assert found.names == ("hinge: angle",)
    transport = m * R * length * FASTER * np.cos(q) - m * SPIN**2 * length**2 * np.sin(q) * np.cos(q)
    # d m_0q / dt: m R cos q (Omega' l + Omega l'); d m_00 / dq / 2: m (Omega^2 l^2 sin q cos q + Omega R l' cos q)
    np.testing.assert_allclose(found.transport, [transport], rtol=1e-9)
    np.testing.assert_allclose(found.gyroscopic, 0, atol=1e-12)
    np.testing.assert_allclose(found.mass_change, [2 * m * length * longer * rate], rtol=1e-9)
    np.testing.assert_allclose(found.velocity, 0, atol=1e-9)
    np.testing.assert_allclose(found.complementary, -found.transport - found.mass_change, rtol=1e-9)


def test_coriolis_forces_on_a_driven_table():
    """Slides along x and y of the table, m1 on the first, m2 on both: T = m1/2 (x'^2 + (Omega x)^2) +
    m2/2 ((x' - Omega y)^2 + (y' + Omega x)^2)."""
    m1, m2, x, y, u, w = 0.7, 1.9, 0.5, -0.3, 0.8, -1.1
    spin = (0, 0, SPIN)
    table = fb.RigidBody("table", 1.0, (1, 1, 1), angular_velocity=spin)
    first = fb.RigidBody(
        "first", m1, (1, 1, 1), center=(x, 0, 0), velocity=(u, SPIN * x, 0), angular_velocity=spin
    )
    velocity = (u - SPIN * y, w + SPIN * x, 0)
    second = fb.RigidBody("second", m2, (1, 1, 1), center=(x, y, 0), velocity=velocity, angular_velocity=spin)
    axle = fb.Revolute("axle", fb.GROUND, table, point=(0, 0, 0), axis="z")
    joints = [
        axle,
        fb.Prismatic("x", table, first, point=(x, 0, 0), axis="x"),
        fb.Prismatic("y", first, second, point=(x, y, 0), axis="y"),
        fb.Drive("motor", axle, **TURN),
    ]
    found = fb.inertia_forces(start_of(fb.System([table, first, second], joints)))
    assert found.names == ("x: slide", "y: slide")
    transport = [-(m1 + m2) * SPIN**2 * x - m2 * FASTER * y, m2 * (FASTER * x - SPIN**2 * y)]
    np.testing.assert_allclose(found.transport, transport, rtol=1e-9)
    np.testing.assert_allclose(found.gyroscopic, [-2 * m2 * SPIN * w, 2 * m2 * SPIN * u], rtol=1e-9)
    np.testing.assert_allclose([found.mass_change, found.velocity], 0, atol=1e-9)


def flexible_arm():
    reduced = Cloud.random(np.random.default_rng(3), modes=3).body()
    far = reduced.markers["q"].point - reduced.markers["p"].point
    hub = fb.RigidBody("hub", 3.0, (0.1, 0.1, 0.2), angular_velocity=(0, 0, 2.0))
    arm = fb.FlexibleBody(
        "arm",
        reduced,
        origin=(0.4, 0, 0) - reduced.markers["p"].point,
        stiffening=False,
        alpha_dot=[0.1, -0.2, 0.3],
    )
    hand = fb.RigidBody("hand", 0.8, (0.02, 0.03, 0.02), center=(0.4, 0, 0) + far + (0.1, 0, 0.1))
    joints = [
        fb.Revolute("waist", fb.GROUND, hub, point=(0, 0, 0)),
        fb.Universal("shoulder", hub, arm["p"], axes=((0, 1, 0), (1, 0, 0))),
        fb.Cylindrical("wrist", arm["q"], hand, axis=(0.3, 0.2, 1)),
    ]
    forces = [
        fb.torsion_spring("return", joints[0], stiffness=4.0, damping=0.3),
        fb.PointForce("push", arm["q"], (3, -2, 5)),
        fb.ForceElement("motor", fb.Along(joints[0]), fb.ElectricMotor(0.1, 1.0, 1e-3, voltage=1.0)),
    ]
    return fb.System([hub, arm, hand], joints, forces, gravity=(0, 0, -9.81))


@pytest.fixture(scope="module")
def moving():
    return fb.simulate(
        flexible_arm(), 0.1, output_step=0.1, integrator=fb.Explicit(rtol=1e-9), show_progress=False
    ).state(0.1)


def test_the_sweep_gives_what_the_matrices_give(moving):
    """Flexible bodies, loads, springs, a motor with a current: round-off. A given tree takes the matrices."""
    tree, n = fb.topology(moving.system), len(fb.speeds(moving))
    exact, h = fb.mass_matrix(moving, tree=tree), fb.bias(moving, tree=tree)
    np.testing.assert_allclose(fb.mass_matrix(moving), exact, atol=1e-11 * np.abs(exact).max())
    np.testing.assert_allclose(fb.bias(moving), h, atol=1e-11 * np.abs(h).max())
    given = np.random.default_rng(1).normal(size=n)
    tau = exact @ given + h
    for description in (None, fb.Relative(), fb.Relative(keep=["wrist"]), fb.Absolute()):
        found, same = fb.inverse_dynamics(moving, given, description=description)
        np.testing.assert_allclose(found, tau, atol=1e-11 * np.abs(tau).max())
        assert np.array_equal(same, given)


def test_the_run_needs_no_loads_but_its_own(moving):
    """The motor's current and the spring are those of the state: with the accelerations of the run, tau = 0."""
    tau, rates = fb.inverse_dynamics(moving, np.full(len(fb.speeds(moving)), np.nan))
    assert not tau.any()
    found = fb.inverse_dynamics(moving, rates)[0]
    assert np.abs(found).max() < 1e-9 * np.abs(fb.bias(moving)).max()
    assert rates[0] == pytest.approx(moving.angular_acceleration("hub")[2], rel=1e-8)


def test_a_wound_spring_counts_its_revolutions():
    """2 Nm/rad, wound by 10 rad at a constant rate: 20 Nm."""
    wheel = fb.RigidBody("wheel", 1.0, (1, 1, 1))
    axle = fb.Revolute("axle", fb.GROUND, wheel, point=(0, 0, 0))
    spring = fb.torsion_spring("spring", axle, stiffness=2.0)
    machine = fb.System([wheel], [axle, fb.Drive("motor", axle, rate=10.0)], [spring])
    state = fb.simulate(machine, 1.0, show_progress=False).state(1.0)
    assert fb.bias(state)[0] == pytest.approx(20.0, rel=1e-6)
    assert fb.bias(state, tree=fb.topology(machine))[0] == pytest.approx(20.0, rel=1e-6)


def test_the_forces_are_those_of_the_bias():
    """Of a flexible arm without weight and springs: bias = elastic forces - complementary forces."""
    machine = flexible_arm()
    bare = fb.System(machine.bodies, machine.joints, gravity=(0, 0, 0))
    state = start_of(bare)
    found = fb.inertia_forces(state)
    assert len(found.names) == len(fb.speeds(state))
    elastic = np.zeros(len(found.names))
    reduced = bare.body("arm").reduced
    elastic[3:6] = reduced.K @ state.all_alpha
    np.testing.assert_allclose(
        fb.bias(state), elastic - found.complementary, atol=1e-10 * np.abs(found.complementary).max()
    )
    np.testing.assert_allclose(found.transport, 0, atol=1e-12)


def test_what_has_no_free_coordinates_is_refused():
    ball = fb.RigidBody("ball", 1.0, (1, 1, 1))
    free = fb.simulate(fb.System([ball], []), 0.1, show_progress=False).state(0.0)
    with pytest.raises(fb.InputError, match=r"speeds of free joint of 'ball' are angular velocities"):
        fb.inertia_forces(free)
    bars = [fb.RigidBody(name, 1.0, (1, 1, 1)) for name in "ab"]
    hinges = [fb.Revolute(f"h{b.name}", fb.GROUND, b, point=(0, 0, 0)) for b in bars]
    geared = fb.System(bars, [*hinges, fb.Coupler("train", [(hinges[0], 1.0), (hinges[1], 2.0)])])
    with pytest.raises(fb.InputError, match="couplings or constraints"):
        fb.inertia_forces(fb.simulate(geared, 0.1, show_progress=False).state(0.0))


def test_the_split_of_a_joint_of_a_user_that_moves_with_time():
    """m_kl = m dc/dx_k . dc/dx_l + I da/dx_k da/dx_l with x = (t, q), by differences of step 1e-4 and order 4."""
    m, inertia, q = 1.7, 0.4, np.array([0.3, 0.2])

    def place(t, a, s):
        return (
            0.2 * np.sin(a) + 0.1 * np.sin(3 * t) * s,
            0.3 * s * a + 0.05 * np.cos(2 * t + 1) * a,
            0.3 * s + t * a,
        )

    def angle(t, a, s):
        return a + 0.3 * s * t + t + t * t

    def pose(t, a, s):
        c, w = np.cos(angle(t, a, s)), np.sin(angle(t, a, s))
        return place(t, a, s), ((c, -w, 0), (w, c, 0), (0, 0, 1))

    def slopes(function):
        return np.array([(8 * (function(e) - function(-e)) - function(2 * e) + function(-2 * e)) / 12e-4
                         for e in 1e-4 * np.eye(3)])  # fmt: skip

    def masses(x):
        parts = np.sqrt([m, m, m, inertia])
        C = slopes(lambda e: parts * np.array([*place(*(x + e)), angle(*(x + e))]))
        return C @ C.T

    body = fb.RigidBody("b", m, (0.3, 0.3, inertia), center=place(0, *q), velocity=(0.4, -0.2, 0.3))
    joint = fb.HingeJoint("j", fb.GROUND, body, pose=pose, names=("a", "s"), start=q)
    run = {"integrator": fb.Explicit(step=1e-3), "output_step": 1e-3, "show_progress": False}
    state = fb.simulate(fb.System([body], [joint]), 1e-3, **run).state(0.0)
    u, M = np.array([1.0, *fb.speeds(state).values()]), masses(np.array([0, *q]))
    D = slopes(lambda e: masses(np.array([0, *q]) + e))  # D[j, k, l]: d m_kl / d x_j
    found, k = fb.inertia_forces(state), slice(1, None)
    np.testing.assert_allclose(fb.mass_matrix(state), M[k, k], atol=1e-9)
    np.testing.assert_allclose(found.transport, D[0, 0, k] - 0.5 * D[k, 0, 0], atol=1e-7)
    np.testing.assert_allclose(found.gyroscopic, (D[k, 0, k].T - D[k, k, 0]) @ u[k], atol=1e-7)
    np.testing.assert_allclose(found.mass_change, D[0, k, k] @ u[k], atol=1e-7)
    both = np.einsum("jki,i,j->k", D[k, k, k], u[k], u[k]) - 0.5 * np.einsum(
        "kij,i,j->k", D[k, k, k], u[k], u[k]
    )
    np.testing.assert_allclose(found.velocity, both, atol=1e-7)

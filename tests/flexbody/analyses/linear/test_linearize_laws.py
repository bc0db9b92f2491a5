"""Small motions of machines whose force laws have states, against their characteristic polynomials."""

import warnings

import numpy as np
import pytest

import flexbody as fb

J, MASS = 0.02, 3.0


def rotor(law) -> fb.System:
    disc = fb.RigidBody("disc", 1.0, (0.01, 0.01, J), markers={"rim": (1.0, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, disc, point=(0, 0, 0), axis="z")
    return fb.System([disc], [hinge], [fb.ForceElement("drive", fb.Along(hinge, "angle"), law)])


def slide(*laws) -> fb.System:
    block = fb.RigidBody("block", MASS, (0.01, 0.01, 0.01), center=(0.5, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="x")
    forces = [fb.ForceElement(f"law {k}", fb.Along(guide, "slide"), law) for k, law in enumerate(laws)]
    return fb.System([block], [guide], forces)


def poles(linear: fb.Linearization) -> np.ndarray:
    """All eigenvalues, both of a conjugate pair."""
    values = linear.eigenvalues
    return np.sort_complex(np.concatenate([values, values[values.imag > 0].conj()]))


def assert_poles(linear, polynomial, rtol=1e-8):
    """rtol: differences of laws leave 1e-9 of their slopes; a pole moves by little more where poles are apart."""
    np.testing.assert_allclose(poles(linear), np.sort_complex(np.roots(polynomial)), rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("inductance", [1e-4, 0.02, 1.0])
def test_motor_on_a_free_shaft(inductance):
    """Sol (3.5.7)-(3.5.8): s ((L s + R) J s + c^2) = 0, from overdamped to oscillating."""
    c, R = 0.3, 1.5
    linear = fb.linearize(rotor(fb.ElectricMotor(c, R, inductance, voltage=0.0)))
    assert_poles(linear, [inductance * J, R * J, c**2, 0])
    assert linear.law.names == ("drive current",)
    assert linear.stable


@pytest.mark.parametrize(("gain", "stable"), [(2.0, True), (400.0, False)])
def test_servo(gain, stable):
    """(L s + R) J s^2 + c (c + b) s + c g = 0; by Routh stable as long as R (c + b) > L g."""
    c, R, inductance, rate_gain = 0.3, 1.5, 0.02, 0.1
    law = fb.PositionServo(c, R, inductance, gain=gain, target=0.0, rate_gain=rate_gain)
    linear = fb.linearize(rotor(law))
    assert_poles(linear, [inductance * J, R * J, c * (c + rate_gain), c * gain])
    assert linear.stable == stable == (R * (c + rate_gain) > inductance * gain)


@pytest.mark.parametrize("reach", [1.0, 1e-2, 1e-4, 1e-6])
def test_rates_of_states_that_are_steep_beside_the_machine(reach):
    """z. = a e sinh(x / e) - b z, the force k x + z: (m s^2 + k) (s + b) + a = 0 for any reach e, m."""
    k, a, b = 300.0, 2000.0, 5.0

    def rates(t, x, rate, z):
        return [0.5 * a * reach * (np.exp(x / reach) - np.exp(-x / reach)) - b * z[0]]

    law = fb.UserLaw(lambda t, x, rate, z: k * x + z[0], rates, start=[0.0])
    # differences leave 1e-10 of the slopes
    assert_poles(fb.linearize(slide(law)), [MASS, MASS * b, k, k * b + a], rtol=1e-7)


@pytest.mark.parametrize("leakage", [1e-13, 1e-11, 1e-9])
def test_oil_between_spring_and_mass(leakage):
    """p. = E/V (-A x. - l p), m x.. = A p - k x: a stiff spring of oil that creeps with its leakage."""
    area, volume, modulus, k = 2e-3, 4e-4, 1.4e9, 5e5
    law = fb.HydraulicCylinder(area, volume, flow=0.0, bulk_modulus=modulus, leakage=leakage, start=None)
    linear = fb.linearize(slide(law, fb.Linear(stiffness=k)))
    b = modulus / volume
    assert_poles(linear, [MASS, MASS * b * leakage, b * area**2 + k, b * leakage * k])


def test_voltage_to_speed():
    """c / ((L s + R)(J s) + c^2) from volts to rad/s, about rest."""
    c, R, inductance = 0.3, 1.5, 0.02
    machine = rotor(fb.ElectricMotor(c, R, inductance, voltage=lambda t: 0.0 * t))
    plant = fb.linearize(machine).state_space(velocities=[machine.bodies[0]["rim"]])
    assert plant.inputs == ("drive voltage",)
    assert plant.A.shape == (3, 3)
    frequency = np.array([0.1, 1.0, 10.0, 100.0])
    s = 2j * np.pi * frequency
    expected = c / ((inductance * s + R) * J * s + c**2)
    found = plant.response(frequency)[:, list(plant.outputs).index("disc['rim'] velocity y"), 0]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_small_motions_decay_as_their_poles_say():
    """A pendulum on a visco-elastic hinge, let go near its equilibrium, is the sum of its three modes."""
    bar = fb.RigidBody("bar", 1.0, (0.08, 0.01, 0.08), center=(0, -0.5, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    law = fb.ViscoElastic(stiffness=2.0, branches=[(6.0, 0.2)])
    machine = fb.System(
        [bar], [hinge], [fb.ForceElement("joint", fb.Along(hinge), law)], gravity=(0, -9.81, 0)
    )
    linear = fb.linearize(machine)
    start = fb.equilibrium(machine)
    moved = fb.RigidBody("bar", 1.0, (0.08, 0.01, 0.08), center=(0, -0.5, 0), angular_velocity=(0, 0, 1e-4),
                         velocity=(5e-5, 0, 0))  # fmt: skip
    joint = fb.Revolute("hinge", fb.GROUND, moved, point=(0, 0, 0), axis="z")
    law = fb.ForceElement("joint", fb.Along(joint), law)
    run = fb.simulate(
        fb.System([moved], [joint], [law], gravity=(0, -9.81, 0)), 2.0,
        integrator=fb.GeneralizedAlpha(rtol=1e-8), output_step=0.01,
    )  # fmt: skip
    assert abs(start.coordinate("hinge")) < 1e-12
    values = poles(linear)
    assert len(values) == 3
    angle = run.coordinate("hinge")
    modes = np.exp(np.outer(run.t, values))
    amplitudes, *_ = np.linalg.lstsq(modes, angle.astype(complex), rcond=None)
    # beside: sin(angle) against the angle, 1e-10 of it, and the tolerance
    assert np.abs(modes @ amplitudes - angle).max() < 1e-5 * np.abs(angle).max()


@pytest.mark.parametrize("given", [4.0, lambda t: 2.0 * t])
def test_inputs_come_up_in_steps(given):
    """A motor's voltage, a spring's force, a pressure at t = 2 s: brought up in steps they end the same."""
    motor = rotor(fb.ElectricMotor(0.3, 1.5, 0.02, voltage=given))
    disc, hinge = motor.bodies[0], motor.joints[0]
    held = fb.System(
        [disc], [hinge], [*motor.forces, fb.torsion_spring("spring", hinge, stiffness=5.0, moment=given)]
    )
    for steps in (1, 4):
        angle = fb.equilibrium(held, t=2.0, load_steps=steps).coordinate("hinge")
        assert angle == pytest.approx((0.3 * 4.0 / 1.5 - 4.0) / 5.0, rel=1e-10)


def test_a_law_that_never_settles_has_no_equilibrium():
    law = fb.HydraulicCylinder(2e-3, 4e-4, flow=0.0, leakage=0.0)
    with pytest.raises(
        fb.ConvergenceError,
        match=r"'law 0': its HydraulicCylinder has no stationary state .* Give it leakage=",
    ):
        fb.equilibrium(slide(law))
    run = fb.simulate(slide(law), 0.1, step=1e-2)
    stiffness = 1.4e9 / 4e-4 * (2e-3) ** 2
    assert_poles(fb.linearize(run), [MASS, 0, stiffness, 0])


def test_a_current_that_goes_to_zero():
    """A servo at its target, looked for from where it was off: the current is exactly zero there."""
    base = fb.RigidBody("base", 10.0, (0.1, 0.1, 0.1))
    disc = fb.RigidBody("disc", 1.0, (0.01, 0.01, J))
    hinge = fb.Revolute("hinge", base, disc, point=(0, 0, 0), axis="y")
    servo = fb.PositionServo(0.2, 0.5, 1e-3, gain=40.0, rate_gain=0.5, target=0.0)
    mount = fb.Bushing("mount", fb.GROUND, base, stiffness=(1e5, 1e5, 1e5, 1e3, 1e3, 1e3), point=(0, 0, 0))
    machine = fb.System([base, disc], [hinge], [fb.ForceElement("servo", fb.Along(hinge), servo), mount])
    assert len(fb.linearize(machine).M) == 7


def test_a_kink_right_at_the_state_counts_by_its_mean_slope():
    """A shock absorber with 10 Ns/m one way and 30 the other; a spring of 400 N/m beside one that begins at zero."""
    linear = fb.linearize(
        slide(fb.DamperTable(rate=(-1.0, 0.0, 1.0), force=(-10.0, 0.0, 30.0), stiffness=5e3))
    )
    assert linear.C[0, 0] / linear.M[0, 0] == pytest.approx(0.5 * (10 + 30) / MASS, rel=1e-9)
    table = fb.SpringTable(x=(-1.0, 0.0, 1.0), force=(-400.0, 0.0, 1000.0))
    assert_poles(fb.linearize(slide(table)), [MASS, 0, 0.5 * (400 + 1000)])

    def once(t, x, rate):
        return 400.0 * x if x < 0 else 1000.0 * x

    assert_poles(fb.linearize(slide(fb.UserLaw(once))), [MASS, 0, 0.5 * (400 + 1000)])


def test_a_motor_that_holds_a_spring_is_at_rest_in_another_machine_too():
    """c V / R against k x, no reaction at all: (J s^2 + k) (L s + R) + c^2 s = 0, without a warning.

    Another resistance with the voltage that gives the same current, described anew: its states stay as well.
    """
    c, L, k = 0.1, 0.01, 50.0

    def machine(resistance):
        system = rotor(fb.ElectricMotor(c, resistance, L, voltage=12 * resistance))
        spring = fb.ForceElement("spring", fb.Along(system.joints[0]), fb.Linear(stiffness=k))
        return fb.System(system.bodies, system.joints, [*system.forces, spring])

    state = fb.equilibrium(machine(1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for resistance in (1.0, 2.0):
            linear = fb.linearize(machine(resistance), state)
            np.testing.assert_allclose(linear.state.law_states, [12.0], rtol=1e-9)
            # at 12 A voltages cancel: their round-off is left in the differences
            assert_poles(linear, [J * L, J * resistance, k * L + c**2, k * resistance], rtol=1e-6)
    with pytest.warns(
        fb.FlexbodyWarning, match=r"not an equilibrium: \d+ % of the forces in it accelerate the machine\. "
    ):
        fb.linearize(fb.System(state.system.bodies, state.system.joints, state.system.forces[1:]), state)

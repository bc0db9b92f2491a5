"""Arms that motors, servos and cylinders hold: their equilibrium, and runs that start in it, against closed forms."""

import numpy as np
import pytest
import scipy

import flexbody as fb

MASS, CENTRE, G = 2.0, 0.3, 9.81
CONSTANT, RESISTANCE, GAIN = 1.0, 0.5, 50.0


def arm(law, own="servo"):
    """An arm that points along x from a hinge along y: its weight turns it to positive angles."""
    body = fb.RigidBody("arm", MASS, (1e-3, 0.06, 0.06), center=(CENTRE, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="y")
    return fb.System([body], [hinge], [fb.ForceElement(own, fb.Along(hinge), law)], gravity=(0, 0, -G))


def servo(target=0.0, gain=GAIN, **options):
    return fb.PositionServo(CONSTANT, RESISTANCE, 1e-3, gain=gain, target=target, **options)


def closed_form(target=0.0, gain=GAIN):
    """Return x (rad) with ``c gain (x - target) / R = m g l cos x`` and the current ``gain (target - x) / R`` (A)."""
    stiffness = CONSTANT * gain / RESISTANCE

    def moment(x):
        return stiffness * (x - target) - MASS * G * CENTRE * np.cos(x)

    x = scipy.optimize.brentq(moment, target, target + 1.5, xtol=1e-15)
    return x, gain * (target - x) / RESISTANCE


@pytest.mark.parametrize("gain", [5.0, GAIN, 5e4])
@pytest.mark.parametrize("target", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("begin", [0.0, None])
def test_a_servo_whose_target_is_the_drawn_angle_or_another(gain, target, begin):
    """A state in which nothing occurs has no size of its own; Newton's method finds the next one all the same."""
    state = fb.equilibrium(arm(servo(target, gain, start=begin)))
    angle, current = closed_form(target, gain)
    assert state.coordinate("hinge") == pytest.approx(angle, rel=1e-9)
    np.testing.assert_allclose(state.law_states, [current], rtol=1e-7)  # at 5e4 V/rad voltages cancel
    assert not state.v.any()


def test_a_target_as_a_function_and_small_motions_about_it():
    """(J s^2 + m g l sin x) (L s + R) + c^2 s + c gain = 0 at the drawn target."""
    machine = arm(servo(lambda t: 0.0, rate_gain=5.0))
    state = fb.equilibrium(machine)
    angle, _ = closed_form()
    assert state.coordinate("hinge") == pytest.approx(
        0.0588, abs=5e-5
    )  # m g l R / (c gain) = 0.05886 in cos x = 1
    assert state.coordinate("hinge") == pytest.approx(angle, rel=1e-9)
    J, L, k = 0.06 + MASS * CENTRE**2, 1e-3, MASS * G * CENTRE * np.sin(angle)
    torque = CONSTANT * (CONSTANT + 5.0)
    exact = np.roots([J * L, J * RESISTANCE, k * L + torque, k * RESISTANCE + CONSTANT * GAIN])
    found = fb.linearize(machine).eigenvalues
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(exact), rtol=1e-6)


@pytest.mark.parametrize("begin", [0.0, 3.0, None])
@pytest.mark.parametrize("given", ["rule", "state"])
def test_a_run_begins_with_the_current_of_the_equilibrium(given, begin):
    """The arm stays: at rest nothing changes, whatever ``start`` of the law says."""
    machine = arm(servo(0.1, rate_gain=5.0, start=begin))
    start = fb.Equilibrium() if given == "rule" else fb.equilibrium(machine)
    result = fb.simulate(machine, t_end=0.5, start=start, show_progress=False)
    angle, current = closed_form(0.1)
    assert current == pytest.approx(-5.81, abs=5e-3)
    np.testing.assert_allclose(result.law_states[:, 0], current, rtol=1e-7)
    # the equilibrium balances forces to 1e-9 of the weight
    np.testing.assert_allclose(result.coordinate("hinge"), angle, rtol=1e-8)


def test_a_run_of_another_motor_goes_on_from_the_current_of_the_state():
    """From the current at 12 V, L di/dt = V - R i at the other voltage; the back-e.m.f. is nothing."""

    def machine(voltage):
        law = fb.ElectricMotor(1e-6, 2.0, 0.1, voltage=voltage)
        system = arm(law, "motor")
        spring = fb.ForceElement(
            "spring", fb.Along(system.joints[0]), fb.Linear(stiffness=100.0, damping=1.0)
        )
        return fb.System(system.bodies, system.joints, [*system.forces, spring], gravity=(0, 0, -G))

    state = fb.equilibrium(machine(12.0))
    np.testing.assert_allclose(state.law_states, [12.0 / 2.0], rtol=1e-9)
    result = fb.simulate(machine(20.0), t_end=0.2, start=state, show_progress=False)
    exact = 10.0 + (6.0 - 10.0) * np.exp(-result.t * 2.0 / 0.1)
    np.testing.assert_allclose(result.law_states[:, 0], exact, rtol=1e-4)  # default tolerance 1e-5 per step


def test_small_motions_of_a_machine_with_another_motor_about_the_state():
    """A motor that the state does not know, without voltage: its stationary current is zero, whatever its start.

    (J s^2 + m g l sin x) (L s + R) (L2 s + R2) + ((c + b) s + gain) c (L2 s + R2) + c2^2 s (L s + R) = 0
    """
    machine = arm(servo(0.1, rate_gain=5.0))
    state = fb.equilibrium(machine)
    law = fb.ElectricMotor(1.0, 2.0, 0.1, voltage=0.0, start=3.0)
    motor = fb.ForceElement("motor", fb.Along(machine.joints[0]), law)
    both = fb.System(machine.bodies, machine.joints, [*machine.forces, motor], gravity=(0, 0, -G))
    linear = fb.linearize(both, state)
    angle, current = closed_form(0.1)
    # the other current is round-off of the start, beside 5.8 A
    np.testing.assert_allclose(linear.state.law_states, [current, 0.0], rtol=1e-7, atol=1e-12)
    s = np.poly1d([1.0, 0.0])
    mechanics = (0.06 + MASS * CENTRE**2) * s**2 + MASS * G * CENTRE * np.sin(angle)
    first, second = 1e-3 * s + RESISTANCE, 0.1 * s + 2.0
    exact = mechanics * first * second + ((CONSTANT + 5.0) * s + GAIN) * CONSTANT * second + s * first
    np.testing.assert_allclose(np.sort_complex(linear.eigenvalues), np.sort_complex(exact.roots), rtol=1e-6)


def test_a_cylinder_without_leakage_holds_nothing_and_the_message_says_so():
    law = fb.HydraulicCylinder(1e-3, 1e-4, flow=0.0)
    with pytest.raises(
        fb.ConvergenceError, match=r"'jack': its HydraulicCylinder has no .* Give it leakage="
    ) as error:
        fb.equilibrium(arm(law, "jack"))
    assert "Servo" not in str(error.value)


def test_a_user_law_whose_states_never_rest_is_named():
    law = fb.UserLaw(
        lambda t, x, rate, z: 10 * x + z[0], lambda t, x, rate, z: [1.0 + z[0] ** 2], start=[0.0]
    )
    with pytest.raises(
        fb.ConvergenceError, match=r"'own': its UserLaw has no stationary state .* rates of its states"
    ):
        fb.equilibrium(arm(law, "own"))


@pytest.mark.parametrize("start", [0.0, 0.5, -4.5])
def test_states_that_begin_far_from_where_they_rest(start):
    """z. = -sinh(40 (z + 2)): each of Newton's steps goes on by 1 / 40 where the rate grows by e, too little."""
    law = fb.UserLaw(
        lambda t, x, rate, z: 30.0 * x + z[0],
        lambda t, x, rate, z: [0.5 * (np.exp(-40.0 * (z[0] + 2.0)) - np.exp(40.0 * (z[0] + 2.0)))],
        start=[start],
    )
    state = fb.equilibrium(arm(law, "own"))
    angle = scipy.optimize.brentq(
        lambda x: 30.0 * x - 2.0 - MASS * G * CENTRE * np.cos(x), 0.0, 1.5, xtol=1e-15
    )
    assert abs(state.coordinate("hinge") - angle) < 1e-9
    np.testing.assert_allclose(state.law_states, [-2.0], rtol=1e-9)

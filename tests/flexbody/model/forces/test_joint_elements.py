"""Force elements along joint coordinates, set from outside, started from an earlier run."""

import numpy as np
import pytest
from scipy.linalg import expm

import flexbody as fb

INERTIA, K = 0.02, 2.0
C, R, IND, U = 0.1, 1.0, 0.01, 10.0
EXPLICIT = fb.Explicit(rtol=1e-10)


def rotor(spin=0.0):
    body = fb.RigidBody("rotor", mass=1.0, inertia=(0.1, 0.1, INERTIA), angular_velocity=(0, 0, spin))
    return body, fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")


def simulate(body, hinge, *forces, t_end=2.0, integrator=EXPLICIT, **options):
    system = fb.System([body], [hinge], forces)
    return fb.simulate(system, t_end, integrator=integrator, show_progress=False, **options)


def motor_exact(t, start=(0.0, 0.0)):
    """Speed and current of a rotor on a motor, from its linear equations."""
    A = np.array([[0, C / INERTIA, 0], [-C / IND, -R / IND, U / IND], [0, 0, 0]])
    return np.array([expm(A * x) @ [*start, 1.0] for x in t])[:, :2]


@pytest.mark.parametrize("integrator", [EXPLICIT, fb.GeneralizedAlpha(rtol=1e-7)])
def test_a_torsion_spring_over_many_turns(integrator):
    """Thrown at 100 rad/s: ``phi = 100/w sin(w t)``, w = sqrt(k/J), ten radians to either side."""
    body, hinge = rotor(100.0)
    result = simulate(body, hinge, fb.torsion_spring("spring", hinge, stiffness=K), integrator=integrator)
    w = np.sqrt(K / INERTIA)
    exact = 100.0 / w * np.sin(w * result.t)
    history = result.element("spring")
    tolerance = 1e-8 if integrator is EXPLICIT else 1e-3
    np.testing.assert_allclose(history.deformation, exact, atol=tolerance * 10)
    np.testing.assert_allclose(history.force, K * exact, atol=tolerance * 20)
    np.testing.assert_allclose(history.second[:, 5], -K * exact, atol=tolerance * 20)
    assert result.energy.balance_error < (1e-8 if integrator is EXPLICIT else 1e-3)


def test_damping_free_value_and_moment():
    """In the end at rest where ``k (phi - phi_0) + M = 0``."""
    body, hinge = rotor()
    spring = fb.torsion_spring(
        "spring", hinge, stiffness=K, damping=0.2, free_value=0.5, moment=lambda t: 0.4
    )
    result = simulate(body, hinge, spring, t_end=6.0)
    assert result.coordinate("hinge")[-1] == pytest.approx(0.5 - 0.4 / K, abs=1e-6)


def test_motor_on_a_hinge():
    body, hinge = rotor()
    motor = fb.ForceElement("motor", fb.Along(hinge), fb.ElectricMotor(C, R, IND, voltage=U))
    result = simulate(body, hinge, motor)
    speed, current = motor_exact(result.t).T
    np.testing.assert_allclose(result.angular_velocity(body)[:, 2], speed, atol=1e-7 * U / C)
    np.testing.assert_allclose(result.element(motor).state[:, 0], current, atol=1e-7 * U / R)


def test_servo_goes_to_its_target():
    """Some turns away, within its voltage."""
    body, hinge = rotor()
    law = fb.PositionServo(C, R, IND, gain=20.0, target=20.0, rate_gain=2.0, limit=12.0)
    result = simulate(body, hinge, fb.ForceElement("servo", fb.Along(hinge), law), t_end=6.0, integrator=None)
    assert result.coordinate("hinge")[-1] == pytest.approx(20.0, abs=1e-2)
    assert (
        np.abs(result.element("servo").input).max()
        <= 12.0 * np.abs(result.element("servo").state).max() * 1.001
    )


def test_a_slide():
    """A mass on a prismatic joint's own spring: ``x = v/w sin(w t)``."""
    block = fb.RigidBody("block", mass=2.0, inertia=(1, 1, 1), center=(1, 0, 0), velocity=(0.3, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(1, 0, 0), axis="x")
    spring = fb.ForceElement("spring", fb.Along(guide), fb.Linear(200.0))
    result = simulate(block, guide, spring)
    np.testing.assert_allclose(result.element("spring").deformation, 0.03 * np.sin(10 * result.t), atol=1e-9)


@pytest.mark.parametrize("integrator", [EXPLICIT, fb.GeneralizedAlpha(rtol=1e-7)])
def test_states_go_on_in_a_later_run(integrator):
    """A run in two parts gives the current and speed of one."""
    body, hinge = rotor()
    system = fb.System(
        [body], [hinge], [fb.ForceElement("m", fb.Along(hinge), fb.ElectricMotor(C, R, IND, voltage=U))]
    )
    first = fb.simulate(system, 0.03, integrator=integrator, show_progress=False)
    rest = fb.simulate(system, 0.2, integrator=integrator, show_progress=False, start=first)
    speed, current = motor_exact(rest.t).T
    tolerance = 1e-7 if integrator is EXPLICIT else 1e-4
    np.testing.assert_allclose(rest.element("m").state[:, 0], current, atol=tolerance * U / R)
    np.testing.assert_allclose(rest.angular_velocity("rotor")[:, 2], speed, atol=tolerance * U / C)


def test_voltage_set_from_outside():
    """A Stepper's input is the voltage: switched on, off and on again."""
    body, hinge = rotor()
    law = fb.ElectricMotor(C, R, IND, voltage=fb.Input("voltage"))
    sim = fb.Stepper(
        fb.System([body], [hinge], [fb.ForceElement("m", fb.Along(hinge), law)]), integrator=EXPLICIT
    )
    state, A = np.zeros(2), np.array([[0, C / INERTIA], [-C / IND, -R / IND]])
    for voltage in (10.0, 0.0, -5.0):
        sim.set(voltage=voltage)
        sim.advance(0.05)
        steady = np.linalg.solve(A, [0, -voltage / IND])
        state = steady + expm(0.05 * A) @ (state - steady)
        assert sim.now.angular_velocity("rotor")[0, 2] == pytest.approx(state[0], abs=1e-6 * 100)
        assert sim.now.element("m").state[0, 0] == pytest.approx(state[1], abs=1e-6 * 10)


def test_only_the_input_of_a_law_can_be_set_from_outside():
    body, hinge = rotor()
    law = fb.ElectricMotor(C, fb.Input("resistance", initial=1.0), IND, voltage=5.0)
    with pytest.raises(
        fb.InputError, match=r"ForceElement 'm': resistance is .* only voltage of this law can be an Input"
    ):
        fb.System([body], [hinge], [fb.ForceElement("m", fb.Along(hinge), law)])


@pytest.mark.parametrize(
    ("along", "says"),
    [
        (lambda ball, other: fb.Along("hinge"), r"'m' acts along 'hinge'; give a joint"),
        (lambda ball, other: fb.Along(ball, "angle"), r"'m'.*ball.* no angle|'m'.*ball.*angle"),
        (lambda ball, other: fb.Along(other), r"'m'.*'other'.*not among"),
        (lambda ball, other: fb.Along(ball, free_value=np.nan), r"'m': free_value is nan|'m'.*ball"),
    ],
)
def test_bad_input(along, says):
    body, _ = rotor()
    ball = fb.Spherical("ball", fb.GROUND, body, point=(0, 0, 0))
    other = fb.Revolute("other", fb.GROUND, body, point=(0, 0, 0), axis="z")
    with pytest.raises(fb.InputError, match=says):
        fb.System([body], [ball], [fb.ForceElement("m", along(ball, other), fb.Linear(1.0))])

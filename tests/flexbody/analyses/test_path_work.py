"""The work in kinematics between few outputs: against closed forms and SciPy's quadrature."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import flexbody as fb
from flexbody.analyses.path_work import PathWork

J, DAMPING, AMPLITUDE, RATE, T = 0.02, 0.3, 2.0, 4.0, 1.0


def rotor(*forces, value) -> fb.System:
    """A rotor that a function of time turns; ``forces`` take its hinge."""
    body = fb.RigidBody("rotor", 1.0, (J,) * 3)
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
    drive = fb.Drive("drive", hinge, value=value)
    return fb.System([body], [hinge, drive], [force(hinge) for force in forces])


def swing(t):
    return AMPLITUDE * np.sin(RATE * t)


def swing_rate(t):
    return AMPLITUDE * RATE * np.cos(RATE * t)


def damper(hinge):
    return fb.ForceElement("damper", fb.Along(hinge), fb.Linear(damping=DAMPING))


@pytest.mark.parametrize("outputs", [2, 5, 500])
def test_a_smooth_drive_does_its_work_between_few_outputs(outputs):
    """c w^2 A^2 (t / 2 + sin(2 w t) / (4 w)), and the kinetic energy; 1e-6 is the tolerance."""
    energy = fb.kinematics(rotor(damper, value=swing), T, output_step=T / outputs).energy
    t = np.linspace(0, T, outputs + 1)
    lost = DAMPING * (AMPLITUDE * RATE) ** 2 * (t / 2 + np.sin(2 * RATE * t) / (4 * RATE))
    kinetic = 0.5 * J * swing_rate(t) ** 2
    np.testing.assert_allclose(energy.dissipated, lost, rtol=0, atol=1e-6 * lost[-1])
    np.testing.assert_allclose(energy.input, lost + kinetic - kinetic[0], rtol=0, atol=1e-6 * lost[-1])


def test_friction_that_changes_its_sign_between_outputs():
    """M |rate| tanh(|rate| / v), sharply where the rate passes zero; by SciPy in pieces between these times."""

    def friction(hinge):
        return fb.Friction("friction", hinge, load=2.0, regularisation_velocity=0.01)

    energy = fb.kinematics(rotor(friction, value=swing), T, output_step=T / 6).energy
    turns = [np.pi / 2 / RATE]
    exact = quad(
        lambda t: 2.0 * swing_rate(t) * np.tanh(swing_rate(t) / 0.01), 0, T, points=turns, limit=500
    )[0]
    assert energy.dissipated[-1] == pytest.approx(exact, rel=1e-6)


def test_the_work_of_a_drive_with_a_corner():
    """The drive begins to move at 0.43 s, with an impulse that gives the kinetic energy; then the damper takes all."""
    rate, begin = 5.0, 0.43
    energy = fb.kinematics(
        rotor(damper, value=lambda t: np.maximum(0.0, rate * (t - begin))), T, output_step=T / 3
    ).energy
    lost = DAMPING * rate**2 * (T - begin)
    assert energy.dissipated[-1] == pytest.approx(lost, rel=1e-6)
    assert energy.input[-1] == pytest.approx(lost + 0.5 * J * rate**2, rel=1e-6)


def test_the_work_of_a_law_with_a_state():
    """A Maxwell branch k, tau: z. = (x - z) / tau, which dissipates k (x - z)^2 / tau; by SciPy."""
    k, tau = 50.0, 0.1

    def branch(hinge):
        return fb.ForceElement("branch", fb.Along(hinge), fb.ViscoElastic(stiffness=1.0, branches=[(k, tau)]))

    energy = fb.kinematics(rotor(branch, value=swing), T, output_step=T / 5).energy

    def rates(t, y):
        stretch = swing(t) - y[0]
        return stretch / tau, k * stretch**2 / tau

    t = np.linspace(0, T, 6)
    exact = solve_ivp(rates, (0, T), [0.0, 0.0], "DOP853", t, rtol=1e-11, atol=1e-13).y[1]
    np.testing.assert_allclose(energy.dissipated, exact, rtol=0, atol=1e-6 * exact[-1])
    assert energy.balance_error < 1e-6


def test_round_off_of_large_energies_asks_for_no_more_states(monkeypatch):
    """A crank turns at 1e-6 rad/s, 1 km above zero: m g x phi is far below the round-off of its energy."""
    looks = []
    monkeypatch.setattr(
        PathWork, "_look", lambda self, t, look=PathWork._look: looks.append(t) or look(self, t)
    )
    body = fb.RigidBody("crank", 1.0, (0.01,) * 3, center=(0.1, 0, 1000.0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 1000.0), axis="y")
    machine = fb.System([body], [hinge, fb.Drive("drive", hinge, rate=1e-6)], gravity=(0, 0, -9.81))
    found = fb.kinematics(machine, 1.0, show_progress=False)
    assert len(looks) < len(found.t)
    np.testing.assert_allclose(found.energy.input[-1], -9.81 * 0.1 * 1e-6, rtol=1e-3)


def test_rates_that_do_not_fit_the_energies_ask_for_few_states():
    """Rates by differences are off by 1e-5 anyhow; halving does not improve that, and ends before 500 in each part."""
    looks = []

    class Path:
        breaks = ()

        def at(self, t):
            looks.append(t)
            return t

        def loads(self, s, z):
            return None, np.array([0.5 * s**2, 0.0, 0.0]), np.array([0.0, (1 + 1e-5) * s])

    t, path = np.linspace(0.0, 1.0, 21), Path()
    energy, power = (np.array(x) for x in zip(*(path.loads(x, None)[1:] for x in t), strict=True))
    work = PathWork(path, lambda t: np.zeros(0)).along(t, power, energy)
    np.testing.assert_allclose(work[:, 1], 0.5 * t**2, rtol=1.1e-5)
    assert 20 <= len(looks) < 20 * 20

"""Loads with pulses that are shorter than the output step."""

import math

import numpy as np
import pytest
import scipy

import flexbody as fb

T, PERIOD, UP, DOWN = 5.0, 0.14, 100.0, -150.0


def way():
    """Return the way of 1 kg after T, m: a force f from a to b adds f ((T - a)^2 - (T - b)^2) / 2."""
    edges = np.append(np.arange(0.0, T, PERIOD / 2), T)
    force = np.where(np.arange(len(edges) - 1) % 2 == 0, UP, DOWN)
    return float(force @ -np.diff((T - edges) ** 2)) / 2


def pushed(force):
    """Return 1 kg on a guide with a force, N, a function of time, and the guide."""
    mass = fb.RigidBody("mass", 1.0, (1.0, 1.0, 1.0))
    guide = fb.Prismatic("guide", fb.GROUND, mass, axis="x", point=(0, 0, 0))
    load = fb.PointForce("force", mass, lambda t: (force(t), 0.0, 0.0))
    return fb.System([mass], [guide], [load]), guide


@pytest.mark.parametrize(
    ("integrator", "rtol"),
    [
        (fb.GeneralizedAlpha(rtol=1e-6), 1e-4),
        (fb.Explicit(), 1e-4),
        (fb.SciPy(scipy.integrate.RK45), 1e-4),
        (fb.SciPy(scipy.integrate.LSODA), 1e-3),
    ],
    ids=["alpha", "explicit", "RK45", "LSODA"],
)
def test_no_integrator_steps_over_pulses(integrator, rtol):
    """One pulse that is missed would change the way by 250 N 0.07 s (T - t), several metres; a step in which the force
    jumps has the first order, and its error is controlled. LSODA reads the state at a jump from a longer step."""
    machine, guide = pushed(lambda t: UP if t % PERIOD < PERIOD / 2 else DOWN)
    found = fb.simulate(machine, T, integrator=integrator, output_step=0.5, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], way(), rtol=rtol)


@pytest.mark.parametrize("integrator", [None, fb.Explicit()], ids=["default", "explicit"])
@pytest.mark.parametrize("duration", [2e-3, 5e-3])
def test_a_blow_on_a_machine_at_rest_is_felt(integrator, duration):
    """An impulse of 1 Ns that is shorter than the output step, as a rectangle, gives 1 m/s from its middle on. The
    default error of the speed is 1e-5, and the step in which a side lies has the first order: ten times that."""
    begin = 2.0003
    machine, guide = pushed(lambda t: 1.0 / duration if begin < t < begin + duration else 0.0)
    found = fb.simulate(machine, T, integrator=integrator, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], T - begin - duration / 2, rtol=1e-4)


@pytest.mark.parametrize("integrator", [None, fb.Explicit()], ids=["default", "explicit"])
@pytest.mark.parametrize("spread", [1.2e-3, 2e-2, 0.1])
def test_a_blow_that_begins_gently_is_felt(integrator, spread):
    """A bell curve of 1 Ns, in which no second difference of close samples is much larger than the one before, gives
    1 m/s from its middle on; ten times the default error of the speed, as above."""
    middle = 2.0003
    top = 1.0 / (spread * math.sqrt(2 * math.pi))
    machine, guide = pushed(lambda t: top * math.exp(-0.5 * ((t - middle) / spread) ** 2))
    found = fb.simulate(machine, T, integrator=integrator, output_step=T / 3, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], T - middle, rtol=1e-4)


def test_a_blow_late_in_a_run_that_goes_on_is_felt():
    """The pulse lasts a 500th of the part that is added, and a 50000th of the time since zero."""
    begin, duration, end = 1007.3, 0.02, 1010.0
    machine, guide = pushed(lambda t: 1.0 / duration if begin < t < begin + duration else 0.0)
    first = fb.simulate(machine, 1000.0, show_progress=False)
    found = fb.simulate(machine, end, start=first, output_step=5.0, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], end - begin - duration / 2, rtol=1e-4)


def blown(made, force):
    """Return 1 kg on a guide with the ``force(t, x)`` (N) of a law or a controller, and the guide."""
    mass = fb.RigidBody("mass", 1.0, (1.0, 1.0, 1.0))
    guide = fb.Prismatic("guide", fb.GROUND, mass, axis="x", point=(0, 0, 0))
    along = fb.Along(guide)
    blows = {
        "law": fb.ForceElement("blows", along, fb.UserLaw(lambda t, x, rate: -force(t, x))),
        "controller": fb.Controller("blows", along, fb.UserControl(force), acts_on=along),
    }
    return fb.System([mass], [guide], [blows[made]]), guide


@pytest.mark.parametrize("integrator", [None, fb.Explicit()], ids=["default", "explicit"])
@pytest.mark.parametrize("made", ["law", "controller"])
def test_blows_in_functions_of_time_and_motion_are_felt(integrator, made):
    """1 Ns from the law of an element, and from a controller, gives 1 m/s from its middle on."""
    spread, middle = 2e-3, 2.3
    top = 1.0 / (spread * math.sqrt(2 * math.pi))

    def force(t, *rest):
        share = (t - middle) / spread
        return top * np.exp(-0.5 * share * share)

    machine, guide = blown(made, force)
    found = fb.simulate(machine, T, integrator=integrator, output_step=T / 3, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], T - middle, rtol=1e-4)


@pytest.mark.parametrize("made", ["law", "controller"])
def test_blows_in_functions_that_are_called_back_are_felt(made):
    """1 Ns within a 400th of the run gives 1 m/s from its middle on. The function keeps the time of its last call, so
    that it can't be compiled."""
    spread, middle, latest = 2e-3, 2.3, {}
    top = 1.0 / (spread * math.sqrt(2 * math.pi))

    def force(t, *rest):
        latest["t"] = float(t)
        return top * math.exp(-0.5 * ((latest["t"] - middle) / spread) ** 2)

    machine, guide = blown(made, force)
    found = fb.simulate(machine, T, output_step=T / 3, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], T - middle, rtol=1e-4)


def test_functions_that_remember_their_calls_set_no_steps():
    """A force of 1 N that is larger by a billionth in every second call has no course over time that could be sampled;
    s = t^2 / 2, exact to what it adds."""
    calls = []

    def force(t, *rest):
        calls.append(float(t))
        return 1.0 + 1e-9 * (len(calls) % 2)

    machine, guide = blown("law", force)
    found = fb.simulate(machine, T, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], T**2 / 2, rtol=1e-8)
    assert found.statistics.steps < 1000


@pytest.mark.parametrize("made", ["law", "controller"])
def test_what_fails_at_a_motion_that_a_run_never_has_does_not_stop_it(made):
    """The force exists behind 1 m only after 3 s, when the mass is there; 1 N from rest: s = t^2 / 2."""
    latest = {}

    def force(t, x, *rest):
        latest["x"] = float(x[0] if made == "controller" else x)
        if float(t) > 3.0 and abs(latest["x"]) < 1.0:
            raise ValueError("outside the range")
        return 1.0

    machine, guide = blown(made, force)
    found = fb.simulate(machine, T, show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], T**2 / 2, rtol=1e-8)


@pytest.mark.parametrize("integrator", [fb.GeneralizedAlpha(), fb.Explicit()], ids=["alpha", "explicit"])
def test_a_stepper_feels_blows_behind_its_horizon(integrator):
    """1 Ns in each of the seconds 3 and 4 of a Stepper that looks ahead by 1 s, also again from a saved state."""
    spread, middles = 1e-3, (2.4, 3.7)
    top = 1.0 / (spread * math.sqrt(2 * math.pi))
    machine, guide = pushed(lambda t: sum(top * math.exp(-0.5 * ((t - m) / spread) ** 2) for m in middles))
    sim = fb.Stepper(machine, integrator=integrator, record=False)
    sim.advance(1.5)
    saved, ways = sim.save(), []
    for _ in range(2):
        for _ in range(5):
            sim.advance(0.7)
        ways.append(sim.coordinate(guide))
        sim.restore(saved)
    assert ways[0] == ways[1]
    np.testing.assert_allclose(ways[0], sum(T - m for m in middles), rtol=1e-4)


def test_the_explicit_method_passes_a_jump_of_a_load_at_rest():
    """1000 m/s2 at once: s = a w (T - t - w / 2)."""
    a, begin, w = 1e3, 0.82382, 0.0503
    machine, guide = pushed(lambda t: a if begin < t < begin + w else 0.0)
    found = fb.simulate(machine, T, integrator=fb.Explicit(), show_progress=False)
    np.testing.assert_allclose(found.coordinate(guide)[-1], a * w * (T - begin - w / 2), rtol=1e-5)

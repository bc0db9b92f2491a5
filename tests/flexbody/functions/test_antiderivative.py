"""The integral of a rate that a user gives: closed forms, to round-off."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import fem
import flexbody as fb
from flexbody.functions import antiderivative
from flexbody.functions.antiderivative import Antiderivative

TIMES, SPEEDS = np.array([0.0, 1.0, 3.0, 4.0]), np.array([0.0, 20.0, 20.0, 0.0])


def trapezoid(t):
    """A speed that rises, stays and falls in straight lines, rad/s."""
    return float(np.interp(t, TIMES, SPEEDS))


def turned(t):
    """Its integral, rad."""
    rising, steady, falling = min(t, 1.0), min(max(t - 1.0, 0.0), 2.0), max(t - 3.0, 0.0)
    return 10.0 * rising**2 + 20.0 * steady + 20.0 * falling - 10.0 * falling**2


@pytest.mark.parametrize(
    ("rate", "integral", "end"),
    [
        (math.sin, lambda t: 1.0 - math.cos(t), 100.0),
        (trapezoid, turned, 4.0),
        (lambda t: float(t > 0.3), lambda t: max(t - 0.3, 0.0), 1.0),
        (math.sqrt, lambda t: t**1.5 / 1.5, 1.0),
        (lambda t: 1e6 * math.exp(-1e4 * t), lambda t: -100.0 * math.expm1(-1e4 * t), 10.0),
    ],
    ids=["periodic", "corners", "jump", "root", "fast"],
)
def test_integrals(rate, integral, end):
    """1e-14: twenty times the error that each piece may have, of the largest rate times the time."""
    found, times = Antiderivative(rate, "rate"), np.linspace(0.0, end, 301)
    largest = max(abs(rate(t)) for t in times) * end
    for t in np.random.default_rng(3).permutation(times):  # pieces are made in any order of times
        assert found(t) == pytest.approx(integral(t), abs=1e-14 * largest, rel=1e-14)
    assert found(-0.5 * end) == -found(0.5 * end)


def test_a_rate_that_is_noise_is_refused(monkeypatch):
    monkeypatch.setattr(antiderivative, "CALL_LIMIT", 10_000)
    numbers = np.random.default_rng(1)
    with pytest.raises(fem.InputError, match=r"'motor': rate= changes too often .* give value="):
        Antiderivative(lambda t: numbers.normal(), "drive 'motor'")(1.0)


def test_it_can_be_sent_to_another_process():
    found = Antiderivative(trapezoid, "rate")
    assert found(4.0) == pickle.loads(pickle.dumps(found))(4.0)


def driven(**motion):
    """A bar that turns about a fixed axis: 0.19 kg m^2 about it."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    motor = fb.Drive("motor", hinge, **motion)
    return fb.System([bar], [hinge, motor])


@pytest.mark.parametrize(
    ("method", "error"),
    [(fb.Explicit(), 1e-6), (fb.GeneralizedAlpha(step=2e-3), 1e-3)],
    ids=["explicit", "implicit"],
)
def test_a_profile_of_speed_drives_a_machine(method, error):
    """Angles, energies and moments of a trapezoidal speed.

    Errors of the moment: differences of the rate, and (w h)^2 = 1.6e-3 with a fixed step.
    """
    result = fb.simulate(
        driven(rate=trapezoid), 4.0, integrator=method, output_step=0.05, show_progress=False
    )
    np.testing.assert_allclose(result.coordinate("hinge"), [turned(t) for t in result.t], atol=1e-11)
    speed = np.array([trapezoid(t) for t in result.t])
    np.testing.assert_allclose(result.energy.kinetic, 0.5 * 0.19 * speed**2, atol=1e-9)
    moment = result.reaction("motor").moment[:, 1]
    inside = np.abs(result.t[:, None] - TIMES).min(axis=1) > 0.02
    steady = np.select([result.t < 1.0, result.t < 3.0], [0.19 * 20.0, 0.0], -0.19 * 20.0)
    np.testing.assert_allclose(moment[inside], steady[inside], atol=error * 3.8)


def test_copies_of_a_drive_take_another_rate():
    motor = driven(rate=trapezoid).joints[1]
    assert replace(motor, name="other").value(4.0) == pytest.approx(60.0, rel=1e-14)
    assert (replace(motor, rate=3.0).rate, replace(motor, rate=3.0).value) == (3.0, None)
    assert replace(motor, rate=lambda t: 2.0).value(1.0) == pytest.approx(2.0, rel=1e-14)

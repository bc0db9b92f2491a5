"""The longest step beside a function of time that goes to and fro is a twelfth of its period."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.functions.periods import PARTS, longest_steps

T = np.linspace(0.0, 1.0, 8193)


@pytest.mark.parametrize("count", [2.5, 40.0, 40.3, 700.0])
def test_a_sine_of_many_periods(count):
    """The largest second difference of a part of the sine is at least 0.8 of that of a whole period: 15 %."""
    np.testing.assert_allclose(longest_steps(np.sin(2 * np.pi * count * T)), 1 / (12 * count), rtol=0.15)


def test_a_small_ripple_is_never_taken_for_a_constant():
    """Ripples below a hundredth of the range are left out; steps are at most half a period beside one of a tenth."""
    ripple, slow = np.sin(2 * np.pi * 200 * T), np.sin(2 * np.pi * T)
    assert np.all(longest_steps(10 * slow + ripple) < 0.5 / 200)
    assert np.all(longest_steps(200 * slow + ripple) > 1 / 200)


def test_a_sweep_is_followed_in_parts():
    """The frequency of sin(2 pi 100 t^2) is 200 t."""
    found, middle = longest_steps(np.sin(2 * np.pi * 100 * T**2)), (np.arange(PARTS) + 0.5) / PARTS
    np.testing.assert_allclose(found[4:], 1 / (12 * 200 * middle[4:]), rtol=0.2)


def test_a_burst_shortens_the_steps_of_its_part():
    burst = np.where((T > 0.5) & (T < 0.56), np.sin(2 * np.pi * 500 * T), 0.0)
    found = longest_steps(burst)
    assert found[8] == pytest.approx(1 / (12 * 500), rel=0.15)
    assert np.all(np.delete(found, 8) > 0.01)  # (beside it, that of the burst as a whole)


@pytest.mark.parametrize(
    "values",
    [np.zeros_like(T), T, np.heaviside(T - 0.3, 1.0), np.clip(5 * (T - 0.4), 0, 1), np.exp(-(((T - 0.5) / 2e-3) ** 2))],
    ids=["constant", "straight", "jump", "ramp", "pulse"],
)  # fmt: skip
def test_what_does_not_go_to_and_fro(values):
    assert np.all(np.isinf(longest_steps(values)))


def _pulses(law, drive: bool):
    body = fb.RigidBody("body", 1.0, (1.0,) * 3)
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    if drive:
        system = fb.System([body], [rail, fb.Drive("drive", rail, value=law)])
    else:
        system = fb.System([body], [rail], [fb.PointForce("force", body, lambda t: (law(t), 0.0, 0.0))])
    plan = make_plan(system, 2.0)
    return plan, plan.pulses(0.0, 2.0, 0.5)


def test_vibrations_of_a_drive_beside_its_way():
    """They move by 1e-4 of the way, and have nearly all of the acceleration."""
    _, found = _pulses(lambda t: t + 1e-4 * np.sin(2 * np.pi * 20 * t), True)
    assert found.longest_between(0.0, 2.0) == pytest.approx(0.05 / 12, rel=0.15)
    _, found = _pulses(lambda t: t, True)
    assert np.isinf(found.longest_between(0.0, 2.0))


def test_a_run_from_the_middle_does_not_find_beginnings():
    """A sine is smooth there, though nothing is known before it."""
    plan, found = _pulses(lambda t: np.sin(2 * np.pi * 20 * t), False)
    assert plan.pulses(1.0, 2.0, 0.5) is found
    assert not np.any(found.times > 0.1)

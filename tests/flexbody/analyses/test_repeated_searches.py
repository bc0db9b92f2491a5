"""What was found in users' functions of time is not looked for again where a run goes on."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.compile import plan
from flexbody.functions import with_numba


@pytest.fixture(autouse=True)
def _without_numba(monkeypatch):
    """To compile each function would take a second."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)


def cart(force):
    body = fb.RigidBody("cart", 2.0, (1e-3, 1e-3, 1e-3))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    spring = fb.ForceElement("spring", fb.Along(rail), fb.Linear(stiffness=1e-3))
    law = fb.UserLaw(lambda t, x, rate: 0.0 if t > 0.7 else 1e-3)
    pushes = [fb.ForceElement("brake", fb.Along(rail), law), fb.PointForce("push", body, force)]
    return fb.System([body], [rail], [spring, *pushes])


def square(t):
    return (1.0 if t % 0.2 < 0.1 else 0.0), 0.0, 0.0


def test_intervals_of_a_stepper(monkeypatch):
    """Intervals of 10 to 19 ms lie between two powers of two of the samples' distance and their double."""
    calls = []
    find = plan.find_pulses
    monkeypatch.setattr(plan, "find_pulses", lambda *given: calls.append(given) or find(*given))
    stepper = fb.Stepper(cart(square), horizon=1.0)
    begun = len(calls)
    for dt in np.linspace(0.010, 0.019, 60):
        stepper.advance(float(dt))
    assert len(calls) - begun <= 2
    # m v = integral of the force, less what a spring of 1 mN/m and 1 mN of the law do in a second: 3e-3 N s at most
    pushed = 0.1 * np.floor(stepper.t / 0.2) + min(stepper.t % 0.2, 0.1)
    np.testing.assert_allclose(stepper.now.velocity("cart")[-1, 0], pushed / 2.0, atol=1.5e-3)


def test_switches(monkeypatch):
    """Two events switch a spring off and on: the function is searched once, not from each of them on."""
    searched = []
    find = plan.corners_of_load

    def counted(ahead, first, last):
        searched.append(last - first)
        return find(ahead, first, last)

    monkeypatch.setattr(plan, "corners_of_load", counted)
    events = [
        fb.Event("off", lambda state: state.t - 0.23, then=fb.Switch(off=["spring"])),
        fb.Event("on", lambda state: state.t - 0.41, then=fb.Switch(on=["spring"])),
    ]
    run = fb.simulate(cart(square), 1.0, events=events, show_progress=False)
    assert len(run.events) == 2
    # a run behind an event is as long: what lies behind the end of the one before is new, and a hundredth of that
    assert sum(searched) < 1.0 + 0.23 + 0.18 + 0.05
    np.testing.assert_allclose(run.velocity("cart")[-1, 0], 0.5 / 2.0, atol=1.5e-3)

"""Steady rotation of machines whose forces are all zero, or cancel."""

import numpy as np
import pytest

import flexbody as fb

MOMENTS = np.array([0.01, 0.02, 0.03])


@pytest.mark.parametrize("hinged", [False, True])
@pytest.mark.parametrize("speed", [1e-6, 5.0, 1e4])
@pytest.mark.parametrize("seed", range(4))
def test_a_body_turns_about_a_principal_axis(seed, speed, hinged):
    """Euler's equations: about a principal axis through the mass centre no moment acts, whatever the attitude."""
    rng = np.random.default_rng(seed)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    axis, centre = R[:, seed % 3], rng.normal(size=3)
    body = fb.RigidBody("body", 1.0, R @ np.diag(MOMENTS) @ R.T, center=centre)
    joints = [fb.Revolute("hinge", fb.GROUND, body, point=centre, axis=axis)] if hinged else []
    state = fb.equilibrium(fb.System([body], joints), spin=speed * axis, about=centre + 0.3 * axis)
    np.testing.assert_allclose(state.position(body), centre, atol=1e-9)


def test_nothing_to_balance():
    """No force at all: a body at rest, and a ball that turns about its centre."""
    ball = fb.RigidBody("ball", 1.0, (0.01, 0.01, 0.01))
    for spin in (None, (0, 0, 0), (1.0, 2.0, 3.0)):
        state = fb.equilibrium(fb.System([ball]), spin=spin)
        np.testing.assert_array_equal(state.position(ball), 0.0)


def test_what_does_not_turn_steadily_is_still_refused():
    """Gravity across the axis of a body off the axis changes its side while it turns."""
    body = fb.RigidBody("body", 1.0, MOMENTS, center=(0.2, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
    with pytest.raises((fb.InputError, fb.ConvergenceError), match=r"steadily|no equilibrium|can't"):
        fb.equilibrium(fb.System([body], [hinge], gravity=(0, -9.81, 0)), spin=(0, 0, 5.0))


def test_a_wrong_axis_is_refused_in_words_that_campbell_takes_too():
    body = fb.RigidBody("body", 1.0, MOMENTS)
    hinge = fb.Revolute("yaw", fb.GROUND, body, point=(0, 0, 0), axis="z")
    machine = fb.System([body], [hinge])
    with pytest.raises(fb.InputError, match="turn it about another axis") as caught:
        fb.campbell(machine, [1.0], axis="x")
    assert "spin=" not in str(caught.value)
    driven = fb.System([body], [hinge, fb.Drive("motor", hinge, rate=2.0)])
    with pytest.raises(fb.InputError, match=r"fb.campbell\(lambda rate"):
        fb.campbell(driven, [1.0], axis="z")


@pytest.mark.parametrize("k", [(1e6, 1e6), (1e6, 1.5e6)])
def test_whirls_are_followed_through_the_critical_speed(k):
    """A disc on a shaft that turns: (k1/m - W^2 - w^2) (k2/m - W^2 - w^2) = 4 W^2 w^2; round shafts |w0 +- W|.

    The equation is that of a mass on two springs in the rotating base, with centrifugal and Coriolis forces. Between
    both critical speeds of a flat shaft the lower mode diverges; the rates are outside.
    """
    m, rates = 10.0, np.array([0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 700.0])
    hub, disc = fb.RigidBody("hub", 1.0, (0.01,) * 3), fb.RigidBody("disc", m, (0.06, 0.06, 0.1))
    bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    stiffness = [*k, 1e9, 1e7, 1e7, 1e8]
    shaft = fb.Bushing("shaft", hub, disc, stiffness=stiffness, damping=[0.0] * 6, point=(0, 0, 0))
    table = fb.campbell(
        lambda rate: fb.System([hub, disc], [bearing, fb.Drive("motor", bearing, rate=rate)], [shaft]),
        rates,
        modes=2,
    )
    a, b = (one / m - rates**2 for one in k)
    middle = (a + b + 4 * rates**2) / 2
    root = np.sqrt(middle**2 - a * b)
    expected = np.sqrt(np.abs(np.stack([middle - root, middle + root], axis=1))) / (2 * np.pi)
    np.testing.assert_allclose(table.frequencies_hz, expected, rtol=1e-6, atol=1e-6)

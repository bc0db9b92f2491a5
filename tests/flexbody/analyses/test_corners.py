"""Drives with corners: rates and accelerations that jump, against closed forms."""

import warnings

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from support.hinged import bar, hinge

import flexbody as fb
import modal
from flexbody.functions import with_numba


@pytest.fixture(autouse=True)
def _without_numba(monkeypatch):
    """To compile each function would take a second; what is compiled is tested with the laws."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)


#: of the bar about its hinge, kg m^2: 0.1 + 1 kg (0.5 m)^2
INERTIA = 0.35
CORNER, RATE = 0.03, 10.0
ANALYSES = {
    "chosen": (fb.simulate, {}),
    "alpha": (fb.simulate, {"integrator": fb.GeneralizedAlpha()}),
    "alpha, fixed": (fb.simulate, {"step": 7e-4}),
    "explicit": (fb.simulate, {"integrator": fb.Explicit()}),
    "explicit, fixed": (fb.simulate, {"integrator": fb.Explicit(step=7e-4)}),
    "relative": (fb.simulate, {"description": fb.Relative()}),
    "points": (fb.simulate, {"description": fb.Points()}),
    "scipy": (fb.simulate, {"integrator": fb.SciPy()}),
    "sundials": (fb.simulate, {"integrator": fb.Sundials()}),
    "partitioned": (fb.simulate, {"integrator": fb.Partitioned()}),
    "event": (fb.simulate, {"events": [fb.Event("passes", lambda state: state.coordinate("hinge") - 0.2)]}),
    "kinematics": (fb.kinematics, {}),
}


def ramp(t):
    return 0.0 if t < CORNER else RATE * (t - CORNER)


def driven(function, **options):
    body = bar()
    joint = hinge(body)
    return fb.System([body], [joint, fb.Drive("motor", joint, value=function, **options)])


def quiet(analysis, machine, t_end, **options):
    """A run without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        return analysis(machine, t_end, show_progress=False, **options)


@pytest.mark.parametrize("name", ANALYSES)
def test_the_rate_jumps(name):
    """Nothing moves before the ramp; behind it the kinetic energy is J w^2 / 2, which the drive has given."""
    analysis, options = ANALYSES[name]
    with pytest.warns(
        fb.FlexbodyWarning, match=r"drive 'motor': its rate jumps by 10 rad/s at t = 0\.03 s\."
    ) as told:
        run = analysis(driven(ramp), 0.1, output_step=0.0025, show_progress=False, **options)
    assert len(told) == 1
    w = np.where(run.t > CORNER * (1 + 1e-9), RATE, 0.0)
    # round-off of differences over their step; the rest is what the integrators are asked for
    np.testing.assert_allclose(run.coordinate("hinge"), [ramp(t) for t in run.t], atol=1e-8)
    np.testing.assert_allclose(run.coordinate_rate("hinge"), w, atol=1e-10)
    np.testing.assert_allclose(run.energy.kinetic, INERTIA * w**2 / 2, atol=1e-9)
    np.testing.assert_allclose(run.energy.input, run.energy.kinetic, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(run.reaction("motor").moment, 0.0, atol=1e-3)


def test_given_rates_that_jump():
    """The same for a drive whose rate is given."""
    machine = driven(ramp, velocity=lambda t: 0.0 if t < CORNER else RATE, acceleration=lambda t: 0.0 * t)
    with pytest.warns(fb.FlexbodyWarning, match="its rate jumps by 10 rad/s"):
        run = fb.simulate(machine, 0.1)
    np.testing.assert_allclose(run.coordinate_rate("hinge"), np.where(run.t > 0.03001, RATE, 0.0), atol=1e-12)


def trapezoid(t):
    """Angle for a speed that rises to 1 rad/s in 0.2 s, and falls to 0 between 0.7 and 0.9 s."""
    if t < 0.2:
        return 2.5 * t**2
    if t < 0.7:
        return 0.1 + (t - 0.2)
    return 0.6 + (t - 0.7) - 2.5 * (t - 0.7) ** 2 if t < 0.9 else 0.7


@pytest.mark.parametrize("name", [name for name in ANALYSES if name != "event"])
def test_the_acceleration_jumps(name):
    """A trapezoidal speed: the moment is J times 5, 0, -5 and 0 rad/s^2, the energy balances, and nothing is said."""
    analysis, options = ANALYSES[name]
    run = quiet(analysis, driven(trapezoid), 1.0, output_step=0.025, **options)
    t = run.t - 1e-9  # at a corner, what was before it
    np.testing.assert_allclose(
        run.coordinate_rate("hinge"), np.interp(run.t, [0, 0.2, 0.7, 0.9], [0, 1, 1, 0]), atol=1e-9
    )
    moment = INERTIA * np.select([t < 0.2, t < 0.7, t < 0.9], [5.0, 0.0, -5.0], 0.0)
    np.testing.assert_allclose(run.reaction("motor").moment[:, 2], moment, atol=2e-4)
    # kinematics integrates the powers by Simpson's rule, which is exact for the straight lines between the corners; of
    # a machine without freedoms, partitioned coordinates are the energies alone, whose error is not controlled
    assert run.energy.balance_error < {"kinematics": 1e-12, "partitioned": 0.05}.get(name, 1e-4)


def test_a_table():
    """Fifty straight lines: each rate is that of its line, and the drive has given all changes of the energy."""
    x = np.linspace(0.0, 1.0, 51)
    y = np.sin(7.0 * x)
    for analysis in (fb.simulate, fb.kinematics):
        with pytest.warns(fb.FlexbodyWarning, match="and 48 more times later. There the") as told:
            run = analysis(driven(lambda t: np.interp(t, x, y)), 1.0, output_step=0.01, show_progress=False)
        assert len(told) == 1
        line = np.clip(np.searchsorted(x, run.t - 1e-9) - 1, 0, 49)
        w = (np.diff(y) / np.diff(x))[line]
        np.testing.assert_allclose(run.coordinate_rate("hinge"), w, atol=1e-10)
        np.testing.assert_allclose(run.energy.kinetic, INERTIA * w**2 / 2, atol=1e-9)
        assert run.energy.balance_error < 1e-5


def test_one_more_corner_is_told_as_one():
    x, y = [0.0, 0.4, 0.5, 1.0], [0.0, 0.0, 0.1, 0.1]
    with pytest.warns(fb.FlexbodyWarning, match=r"at t = 0\.4 s, and 1 more time later\. There"):
        fb.simulate(driven(lambda t: np.interp(t, x, y)), 1.0, output_step=0.1, show_progress=False)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()])
def test_the_impulse_on_two_bars(description):
    """A second bar hangs on the end of the driven one, in line with it. An impulse at its end gives it the rate
    -m a v / J_a of a free bar struck at a distance a from its center, J_a = J + m a^2: here -0.5 v / 0.35."""
    first, second = bar(), bar("second", center=(1.5, 0, 0))
    joint = hinge(first)
    elbow = fb.Revolute("elbow", first, second, point=(1.0, 0, 0), axis="z")
    machine = fb.System([first, second], [joint, elbow, fb.Drive("motor", joint, value=ramp)])
    with pytest.warns(fb.FlexbodyWarning, match="its rate jumps"):
        run = fb.simulate(machine, 0.0301, description=description, integrator=fb.Explicit())
    # 1e-4 s behind the impulse both have turned by 1e-3 rad, and rates change by its square
    assert run.angular_velocity(second)[-1, 2] == pytest.approx(-0.5 * RATE / INERTIA, rel=1e-5)
    assert run.angular_velocity(first)[-1, 2] == pytest.approx(RATE, rel=1e-9)
    assert run.energy.balance_error < 1e-9


@pytest.mark.filterwarnings("ignore:body 'rod' turns and has no stiffening terms")
def test_the_impulse_on_a_rod():
    """Hermite's cubics and x^4 take what they can of the straight motion w x, so that the rest of it has the energy:
    T = w^2 / 2 (int x^2 - p' M^-1 p), with p_i = int x x^i = 1 / (i + 2), M_ij = 1 / (i + j + 1)."""
    shapes = [Polynomial([0] * i + [1]) for i in (2, 3, 4)]
    data = modal.assumed.beam(1.0, mass=1.0, EI=100.0, polar_inertia=1e-4, y=shapes)
    rod = fb.FlexibleBody("rod", data)
    joint = fb.Revolute("hinge", fb.GROUND, rod["start"], axis="z")
    machine = fb.System([rod], [joint, fb.Drive("motor", joint, value=ramp)])
    i = np.array([2, 3, 4])
    p, M = 1 / (i + 2), 1 / (i[:, None] + i + 1)
    exact = RATE**2 / 2 * (1 / 3 - p @ np.linalg.solve(M, p))
    sim = fb.Stepper(machine, integrator=fb.Explicit(), horizon=0.1)
    sim.advance(CORNER)
    assert sim.now.energy.kinetic[0] == 0.0
    with pytest.warns(fb.FlexbodyWarning, match="its rate jumps"):
        sim.advance(1e-8)  # in which the rod hardly bends
    assert sim.now.energy.kinetic[0] == pytest.approx(exact, rel=1e-4)
    assert sim.now.energy.input[0] == pytest.approx(exact, rel=1e-4)


class TestGoingOn:
    def test_from_a_state_at_the_corner(self):
        machine = driven(ramp)
        before = fb.simulate(machine, CORNER)
        assert before.energy.kinetic[-1] == 0.0
        with pytest.warns(fb.FlexbodyWarning, match="its rate jumps"):
            run = fb.simulate(machine, 0.1, start=before)
        np.testing.assert_allclose(run.coordinate_rate("hinge")[1:], RATE, rtol=1e-10)

    def test_in_a_stepper(self):
        """Also where an advance ends at the corner, and after a return to before it."""
        sim = fb.Stepper(driven(ramp), horizon=0.1)
        sim.advance(0.02)
        saved = sim.save()
        for steps in ((0.01, 0.02), (0.03,), (0.004, 0.026)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", fb.FlexbodyWarning)  # it is told once
                for dt in steps:
                    sim.advance(dt)
            assert sim.coordinate_rate("hinge") == pytest.approx(RATE, rel=1e-10)
            assert sim.coordinate("hinge") == pytest.approx(0.2, rel=1e-9)
            assert sim.result().energy.balance_error < 1e-6
            sim.restore(saved)


def test_vibrations_along_a_path():
    rod = fb.FlexibleBody(
        "rod", modal.assumed.beam(1.0, mass=1.0, EI=100.0, polar_inertia=1e-4, y=[Polynomial([0, 0, 1])])
    )
    joint = fb.Revolute("hinge", fb.GROUND, rod["start"], axis="z")
    machine = fb.System([rod], [joint, fb.Drive("motor", joint, value=ramp)])
    with pytest.raises(
        fb.InputError, match=r"elastodynamics: the rate of drive 'motor' jumps by 10 rad/s at t = 0\.03"
    ):
        fb.elastodynamics(machine, 0.1)


def test_a_target_with_a_corner():
    """A controller takes the rate of its target: kd times it, 0 and then 3 * 10 N m from the corner on."""
    body = bar()
    joint = hinge(body)
    motor = fb.Controller(
        "motor", measured=fb.Along(joint), target=ramp, law=fb.PID(kp=0.0, kd=3.0), acts_on=fb.Along(joint)
    )
    run = quiet(fb.simulate, fb.System([body], [joint], [motor]), 0.04, output_step=1e-3)
    exact = np.where(run.t > CORNER, RATE * (1 - np.exp(-3.0 / INERTIA * (run.t - CORNER))), 0.0)
    np.testing.assert_allclose(run.coordinate_rate("hinge"), exact, atol=1e-5)


@pytest.mark.parametrize("gap", [3e-13, 1e-11, 1e-9])
@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["global", "relative"])
def test_fixed_steps_pass_a_corner_just_before_an_output(description, gap):
    """A cart with a pendulum: (w h)^2 / 12 = 2e-6 of the swing, of the run whose corner lies on the output."""
    cart = fb.RigidBody("cart", 2.0, (1e-3,) * 3)
    rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    bob = fb.RigidBody("bob", 1.0, (1e-3,) * 3, center=(0, 0, -0.5))
    pin = fb.Revolute("pin", cart, bob, point=(0, 0, 0), axis="y")

    def swing(corner):
        drive = fb.Drive("drive", rail, value=lambda t: max(0.0, t - corner) ** 2)
        machine = fb.System([cart, bob], [rail, pin, drive], gravity=(0, 0, -9.81))
        run = quiet(fb.simulate, machine, 0.6, step=1e-3, output_step=0.1, description=description)
        return run.coordinate("pin")

    exact = swing(0.3)
    np.testing.assert_allclose(swing(0.3 * (1 - gap)), exact, atol=2e-6 * np.abs(exact).max())


#: a ramp of which the law knows the value alone, its rate too, all three, and one that is recorded
LATE = {
    "value": {"value": lambda t: 0.0 if t < 0.13 else RATE * (t - 0.13)},
    "rate": {"rate": lambda t: 0.0 if t < 0.13 else RATE},
    "all": {
        "value": lambda t: 0.0 if t < 0.13 else RATE * (t - 0.13),
        "velocity": lambda t: 0.0 if t < 0.13 else RATE,
        "acceleration": lambda t: 0.0,
    },
    "recorded": {"value": lambda t: 0.5 * RATE * (t - 0.13 + abs(t - 0.13))},
}


@pytest.mark.parametrize("name", LATE)
def test_a_stepper_beyond_its_horizon(name):
    """It finds the corner in the part of the time in which it lies, also after a return to before the horizon; the
    drive has given J w^2 / 2."""
    body = bar()
    joint = hinge(body)
    machine = fb.System([body], [joint, fb.Drive("motor", joint, **LATE[name])])
    sim = fb.Stepper(machine, horizon=0.05)
    sim.advance(0.04)
    saved = sim.save()
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.FlexbodyWarning)  # it is told once
            for t in (0.1, 0.129, 0.1301, 0.2):
                sim.advance(t - sim.t)
                later = t > 0.13
                assert sim.coordinate_rate("hinge") == pytest.approx(RATE * later, rel=1e-9, abs=1e-9)
                assert sim.coordinate("hinge") == pytest.approx(
                    RATE * (t - 0.13) * later, rel=1e-7, abs=1e-10
                )
                assert sim.now.energy.input[0] == pytest.approx(
                    INERTIA * RATE**2 / 2 * later, rel=1e-6, abs=1e-6
                )
        sim.restore(saved)

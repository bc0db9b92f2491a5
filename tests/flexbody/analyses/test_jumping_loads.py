"""Forces of time that jump: steps end there, against closed forms and matrix exponentials."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.linalg import expm
from support.hinged import bar, hinge

import flexbody as fb
from flexbody.functions import with_numba


@pytest.fixture(autouse=True)
def _without_numba(monkeypatch):
    """To compile each function would take a second; what is compiled is tested with the laws."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)


MASS, FORCE = 2.0, 10.0
#: The force acts between these times, s: inside steps of 7e-4 and of 1e-3 s.
ON, OFF = 0.0123, 0.0456
METHODS = {
    "chosen": {},
    "alpha": {"integrator": fb.GeneralizedAlpha()},
    "alpha, fixed": {"step": 7e-4},
    "index 3": {"integrator": fb.GeneralizedAlpha(index=3, step=1e-3)},
    "explicit": {"integrator": fb.Explicit()},
    "explicit, fixed": {"integrator": fb.Explicit(step=7e-4)},
    "relative": {"description": fb.Relative()},
    "relative, fixed": {"description": fb.Relative(), "step": 1e-3},
    "points": {"description": fb.Points()},
    "scipy": {"integrator": fb.SciPy()},
    "sundials": {"integrator": fb.Sundials()},
    "partitioned": {"integrator": fb.Partitioned()},
    "event": {"events": [fb.Event("passes", lambda state: state.position("cart")[0] - 1e-3)]},
    "event, fixed": {
        "events": [fb.Event("passes", lambda state: state.position("cart")[0] - 1e-3)],
        "step": 1e-3,
    },
}


def pulse(t):
    return FORCE if ON <= t < OFF else 0.0


def recorded(t):
    """The same from operations that are recorded: a sign is x / |x|."""
    return 0.5 * FORCE * ((t - ON) / abs(t - ON) - (t - OFF) / abs(t - OFF))


def cart(*forces, body=None):
    body = body or fb.RigidBody("cart", MASS, (1e-3, 1e-3, 1e-3))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    return fb.System([body], [rail], [force(body, rail) for force in forces])


def pushed(function):
    return cart(lambda body, rail: fb.PointForce("push", body, lambda t: (function(t), 0, 0)))


def quiet(machine, t_end, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        return fb.simulate(machine, t_end, show_progress=False, **options)


def way(t):
    """Of a force between ON and OFF, m."""
    since, until = np.maximum(t - ON, 0.0), np.maximum(t - OFF, 0.0)
    return FORCE / MASS * (since**2 - until**2) / 2


@pytest.mark.parametrize("function", [pulse, recorded])
@pytest.mark.parametrize("name", METHODS)
def test_constant_accelerations(name, function):
    """All methods are exact for a constant acceleration, so that little more than round-off remains of steps that end
    at the jumps; the first steps of other libraries leave their tolerance."""
    run = quiet(pushed(function), 0.1, output_step=0.01, **METHODS[name])
    exact, left = way(run.t), 1e-6 if name in ("sundials", "partitioned") else 2e-9
    np.testing.assert_allclose(run.position("cart")[:, 0], exact, atol=left * exact.max())
    speed = FORCE / MASS * (np.clip(run.t, ON, OFF) - ON)
    np.testing.assert_allclose(run.velocity("cart")[:, 0], speed, atol=left * speed.max())
    np.testing.assert_allclose(run.energy.input, MASS * speed**2 / 2, atol=1e-6 * speed.max() ** 2)


@pytest.mark.parametrize("late", [0.0, 1e-10])
@pytest.mark.parametrize("options", [{}, {"step": 1e-2}, {"integrator": fb.Explicit()}])
def test_a_jump_at_the_start(late, options):
    """A force of ``t > 0``: the start has the acceleration behind the jump, which then is constant."""
    run = quiet(pushed(lambda t: FORCE if t > late else 0.0), 0.1, **options)
    np.testing.assert_allclose(run.position("cart")[:, 0], FORCE / MASS * run.t**2 / 2, atol=1e-12)
    assert run.acceleration("cart")[0, 0] == pytest.approx(FORCE / MASS, rel=1e-12)


def test_an_actuator():
    """Its force is a number of time."""
    machine = cart(
        lambda body, rail: fb.ForceElement("push", fb.Along(rail), fb.Linear(stiffness=0.0, force=pulse))
    )
    run = quiet(machine, 0.1, step=1e-3)
    np.testing.assert_allclose(np.abs(run.position("cart")[:, 0]), way(run.t), atol=1e-12)


@pytest.mark.parametrize("made", ["called back", "recorded"])
@pytest.mark.parametrize(
    "name", ["chosen", "alpha, fixed", "explicit", "relative, fixed", "scipy", "event, fixed"]
)
def test_a_users_law(name, made):
    """Its jumps with time are met as those of a force of time, on both sides and at the end of the run."""
    if made == "recorded":
        law = fb.UserLaw(lambda t, x, rate: -recorded(t))
    else:
        law = fb.UserLaw(lambda t, x, rate: -pulse(t) - (FORCE if t >= 0.1 else 0.0))
    machine = cart(lambda body, rail: fb.ForceElement("push", fb.Along(rail), law))
    run = quiet(machine, 0.1, output_step=0.01, **METHODS[name])
    np.testing.assert_allclose(run.position("cart")[:, 0], way(run.t), atol=2e-9 * way(0.1))


def test_a_users_controller():
    """One that acts continuously, with a force that does not depend on what it measures."""

    def control(body, rail):
        along = fb.Along(rail)
        return fb.Controller("push", along, fb.UserControl(lambda t, e: pulse(t)), acts_on=along)

    run = quiet(cart(control), 0.1, step=7e-4)
    np.testing.assert_allclose(run.position("cart")[:, 0], way(run.t), atol=1e-9)


def test_a_moment():
    """On a bar about its hinge: J = 0.1 + 1 kg (0.5 m)^2, and what turns in a step is small: (w h)^2 = 1e-6."""
    body = bar()
    joint = hinge(body)
    moment = fb.PointMoment("push", body, lambda t: (0, 1.0, pulse(t)))
    run = quiet(fb.System([body], [joint], [moment]), 0.1, step=1e-3)
    np.testing.assert_allclose(run.coordinate("hinge"), way(run.t) * MASS / 0.35, rtol=1e-6)


STIFFNESS, DAMPING, PERIOD = 1e6, 900.0, 0.01


def square(t):
    """On and off every 5 ms, exactly at steps."""
    return FORCE if int(t / (PERIOD / 2) + 1e-9) % 2 == 0 else 0.0


def late_square(t):
    """The same later, so that it jumps inside steps."""
    return square(t - 0.3e-3 + PERIOD)


def mounted(function):
    def spring(body, rail):
        return fb.ForceElement("mount", fb.Along(rail), fb.Linear(stiffness=STIFFNESS, damping=DAMPING))

    def push(body, rail):
        return fb.PointForce("push", body, lambda t: (function(t), 0, 0))

    return cart(spring, push)


def vibration(t, late):
    """Exact position of the cart on its mount at equal times (n,), s, by matrix exponentials from jump to jump."""
    A = np.array([[0, 1, 0], [-STIFFNESS / MASS, -DAMPING / MASS, 1 / MASS], [0, 0, 0]])
    jumps = late + PERIOD / 2 * np.arange(0, int(2 * t[-1] / PERIOD) + 2)
    times = np.unique(np.concatenate([t, jumps[(jumps > 0) & (jumps < t[-1])]]).round(12))
    x, out = np.zeros(3), {0.0: 0.0}
    for a, b in itertools.pairwise(times):
        x[2] = FORCE * (int(np.floor((0.5 * (a + b) - late) / (PERIOD / 2))) % 2 == 0)
        x = expm(A * (b - a)) @ x
        out[b] = x[0]
    return np.array([out[k] for k in t.round(12)])


@pytest.mark.parametrize(("function", "late"), [(square, 0.0), (late_square, 0.3e-3)])
@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["global", "relative"])
def test_fixed_steps_have_order_two(function, late, description):
    """A square wave on a mount of 113 Hz: the error falls by four with half the step (by two, if steps passed over the
    jumps)."""
    errors = []
    for step in (2e-4, 1e-4):
        run = quiet(mounted(function), 0.04, step=step, output_step=1e-3, description=description)
        exact = vibration(run.t, late)
        errors.append(np.abs(run.position("cart")[:, 0] - exact).max() / np.abs(exact).max())
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) > 1.8


def test_default_steps():
    """A force of 50 Hz that is on for 30 % of its period, over 2 s: to a thousandth of what one jump that a step
    passes over by half a millisecond would leave."""

    def duty(t):
        return FORCE if (50.0 * t) % 1.0 < 0.3 else 0.0

    run = quiet(pushed(duty), 2.0)
    whole, part = np.divmod(run.t, 0.02)
    rate = FORCE / MASS
    on = np.minimum(part, 0.006)
    exact = rate * 0.006 * (0.02 * whole * (whole - 1) / 2 + whole * (0.014 + 0.003))
    exact += rate * (0.006 * whole * part + on**2 / 2 + on * (part - on))
    np.testing.assert_allclose(run.position("cart")[:, 0], exact, atol=1e-9 * exact.max())


@pytest.mark.parametrize("integrator", [None, fb.GeneralizedAlpha(step=1e-3), fb.Explicit()])
def test_a_stepper_beyond_its_horizon(integrator):
    """Jumps are found in each part of the time as long as the horizon, also after a return to before them."""
    sim = fb.Stepper(pushed(pulse), integrator=integrator, horizon=0.02)
    sim.advance(0.01)
    before = sim.save()
    for _ in range(2):
        for t in (0.03, 0.05, 0.1):
            sim.advance(t - sim.t)
            assert sim.position("cart")[0] == pytest.approx(way(t), rel=1e-8)
        sim.restore(before)


def test_going_on_from_a_state():
    """A later run looks in its own time: it is short beside what came before."""
    machine = pushed(lambda t: pulse(t - 100.0))
    run = quiet(machine, 100.1, start=quiet(machine, 100.0), step=1e-3)
    np.testing.assert_allclose(run.position("cart")[:, 0], way(run.t - 100.0), atol=1e-9)


@pytest.mark.parametrize(("width", "t_end"), [(8e-3, 86400.0), (5e-6, 100.0)])
def test_a_short_kick_at_the_start_gives_its_impulse(width, t_end):
    """1 N s, in less than a ten-millionth of the run."""
    machine = pushed(lambda t: 1.0 / width if t < width else 0.0)
    found = quiet(machine, t_end, output_step=t_end / 10)
    np.testing.assert_allclose(found.velocity("cart")[-1, 0], 1.0 / MASS, rtol=1e-6)


@pytest.mark.parametrize("options", [{}, {"step": 0.1}, {"integrator": fb.Explicit()}])
def test_a_jump_at_the_end_comes_behind_it(options):
    """A force that ends with the run acts to its end."""
    found = quiet(pushed(lambda t: FORCE if t < 1.0 else 0.0), 1.0, **options)
    np.testing.assert_allclose(found.velocity("cart")[-1, 0], FORCE / MASS, rtol=1e-9)


def test_a_jump_at_the_horizon_of_a_stepper():
    """Two steps to a jump at 1 s, which is the first horizon, and two behind it: x = F / (2 m) and F / m more."""
    stepper = fb.Stepper(pushed(lambda t: FORCE if t < 1.0 else 0.0), step=0.1, horizon=1.0)
    stepper.advance(1.0)
    stepper.advance(1.0)
    np.testing.assert_allclose(stepper.position("cart")[0], 1.5 * FORCE / MASS, rtol=1e-9)


def test_a_table_of_many_lines_is_not_searched_line_by_line():
    """A measured force of 1900 points has too many corners to end steps at: three calls a step, and some thousands."""
    t, calls = np.linspace(0.0, 1.0, 1900), itertools.count()
    values = np.random.default_rng(4).normal(size=t.size)

    def force(x):
        next(calls)
        return float(np.interp(x, t, values))

    quiet(pushed(force), 1.0, step=5e-4)
    assert next(calls) < 10_000

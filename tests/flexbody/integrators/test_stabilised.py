"""Feedback of the constraints' errors: Baumgarte with constant and adapted constants, and the hybrid method."""

import numpy as np
import pytest
import scipy
from reference import machines
from support import varied
from support.evaluated import Evaluated

import flexbody as fb
from flexbody.equations.consistent_start import consistent_start

pytestmark = pytest.mark.slow  # each evaluation passes through Python
DESCRIPTIONS = pytest.mark.parametrize(
    "description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"]
)


def run(machine, t_end, integrator, description=None, **options):
    return fb.simulate(
        machine, t_end, integrator=integrator, description=description or fb.Absolute(), show_progress=False,
        **options,
    )  # fmt: skip


@DESCRIPTIONS
def test_errors_of_the_constraints_obey_their_own_equation(description):
    """From a state off the constraints: Phi.. + 2 alpha Phi. + beta^2 Phi = 0, by differences along the motion."""
    machine, _ = machines.four_bar_machine(2)
    plan = Evaluated(machine, description).plan
    alpha, beta = 7.0, 11.0
    going = fb.Baumgarte(alpha, beta).begin(plan, consistent_start(plan), 1.0, 0.2)
    y = going._state.y.copy()
    y[:-2] += 1e-4 * np.random.default_rng(3).uniform(-1, 1, y.size - 2)
    if isinstance(description, fb.Absolute):
        q = y[3 * plan.n_bodies : 7 * plan.n_bodies].reshape(-1, 4)
        q /= np.linalg.norm(q, axis=1)[:, None]
    rate = going.rates(0.0, y)
    rate_of_rate = (going.rates(0.0, y + 1e-6 * rate) - going.rates(0.0, y - 1e-6 * rate)) / 2e-6
    h, values = 1e-3, []
    for step in h * np.arange(-2, 3):
        going.rates(0.0, y + step * rate + 0.5 * step**2 * rate_of_rate)
        values.append(going.work.phi.copy())
    a, b, c, d, e = values
    first, second = (a - 8 * b + 8 * d - e) / (12 * h), (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h**2)
    expected = -2 * alpha * first - beta**2 * c
    held = going.plan.formulation.holding_rows(going.work)
    # the differences of the second order's path are off by h^2 of it
    np.testing.assert_allclose(second[held], expected[held], rtol=0, atol=1e-4 * np.abs(expected).max())


@DESCRIPTIONS
@pytest.mark.parametrize("name", ["spatial", "nonholonomic", "geared"])
@pytest.mark.parametrize(
    "method", [fb.Baumgarte(20.0), fb.Baumgarte(), fb.Hybrid(20.0), fb.Hybrid()], ids=lambda m: repr(m)[:12]
)
def test_machines_of_all_kinds(method, name, description):
    """Loops, drives, flexible rods, rolling and gears, against Explicit: rtol 1e-8 of some hundred steps."""
    machine, t_end = varied.MACHINES[name]()
    options = dict(output_step=0.025 * t_end)
    one = run(machine, 0.05 * t_end, fb.Explicit(rtol=1e-10), **options)
    two = run(machine, 0.05 * t_end, method, description, **options)
    for key in ("c", "q", "v", "all_alpha"):
        expected, found = getattr(one, key), getattr(two, key)
        size = 1e-3 + np.abs(expected).max(initial=0.0)  # (deformations of a millimetre count as whole)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * size, err_msg=key)


@pytest.fixture(scope="module")
def pendulum():
    """Return a rod of one metre on a pin, and its tip in the relative description, which has no constraints."""
    rod = fb.RigidBody("rod", mass=1.0, center=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    pin = fb.Revolute("pin", fb.GROUND, rod, point=(0, 0, 0), axis=(0, 0, 1))
    machine = fb.System([rod], [pin], gravity=(0, -9.81, 0))
    exact = run(machine, 10.0, fb.Explicit(rtol=1e-11), fb.Relative(), output_step=0.5)
    return machine, exact.position("rod", (1, 0, 0))


COARSE = fb.SciPy(scipy.integrate.RK45, rtol=1e-5)


def swing(pendulum, method):
    """Return the largest opening of the pin, the largest error of the tip, m, and what the statistics say."""
    machine, exact = pendulum
    result = run(machine, 10.0, method, output_step=0.5)
    opened = np.linalg.norm(result.position("rod", (0, 0, 0)), axis=1)
    error = np.abs(result.position("rod", (1, 0, 0)) - exact).max()
    return opened, error, result.statistics


def test_drift_grows_without_feedback_and_stays_with_it(pendulum):
    """Errors of accelerations add up twice over; damped by 10 1/s they don't. What is told is what the pin shows."""
    free, _, _ = swing(pendulum, fb.Baumgarte(1e-3, integrator=COARSE))
    held, error, statistics = swing(pendulum, fb.Baumgarte(10.0, integrator=COARSE))
    assert free[-1] > 2 * free[10] > 1e-4
    assert held.max() < 1e-2 * free[-1]
    assert error < 1e-2  # some two hundred steps with 1e-5 each, and a factor for the swing's phase
    told = float(statistics.why.split("constraint ")[1].split(" m")[0])
    assert told > 0.5 * held.max()  # (a row is a component of the opening)


def test_adapted_constants_hold_the_wanted_violation(pendulum):
    """Ten tolerances of a metre, which the rule may overshoot by its largest change, a factor of two, in two steps."""
    opened, error, statistics = swing(pendulum, fb.Baumgarte(integrator=COARSE))
    assert opened.max() < 2**2 * 1e-4
    assert error < 1e-2
    assert "alpha = beta from" in statistics.why


def test_the_hybrid_method_corrects_what_exceeds_the_violation(pendulum):
    """The pin opens by less than asked, at half the price of coordinate partitioning (Park and Haug)."""
    opened, error, statistics = swing(pendulum, fb.Hybrid(violation=3e-5, integrator=COARSE))
    _, _, always = swing(pendulum, fb.Partitioned(COARSE))
    assert opened.max() <= 3e-5 * np.sqrt(2)
    assert error < 1e-2
    assert int(statistics.why.split("corrected ")[1].split(" times")[0]) > 0
    assert statistics.iterations < 0.5 * always.iterations


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        (lambda: fb.Baumgarte(beta=3.0), "beta is 3 1/s without alpha"),
        (lambda: fb.Baumgarte(-1.0), "alpha is -1"),
        (lambda: fb.Hybrid(violation=1e-12), "below the tolerance of the integrator"),
    ],
)
def test_wrong_constants(wrong, match):
    with pytest.raises(fb.InputError, match=match):
        wrong()


def test_constants_that_need_endless_steps(pendulum):
    """The steps follow the decay: 1e7 1/s in an output step of 0.1 s are a million of them."""
    with pytest.raises(
        fb.InputError, match=r"beta is 1e\+07 1/s, a time constant of 1e-07 s.*at most 1e\+04 1/s"
    ):
        fb.simulate(
            pendulum[0], 1.0, integrator=fb.Baumgarte(10.0, 1e7), output_step=0.1, show_progress=False
        )

"""How far a run strays from its constraints: of positions relative to the machine's length, of velocities to speeds."""

import importlib.util
import warnings

import numpy as np
import pytest
import scipy
from support.varied import MACHINES

import flexbody as fb
from flexbody.core.equations import place, velocity_residual

NAMES = ("spatial", "spun_up", "nonholonomic", "redundant", "geared")
TIGHT, LOOSE = 1e-7, 1e-4

#: how each is made with a relative tolerance
METHODS = {
    "generalized-alpha": lambda rtol: fb.GeneralizedAlpha(rtol=rtol),
    "explicit": lambda rtol: fb.Explicit(rtol=rtol),
    "DOP853": lambda rtol: fb.SciPy(rtol=rtol),
    "Radau": lambda rtol: fb.SciPy(scipy.integrate.Radau, rtol=rtol),
}
if importlib.util.find_spec("sksundae"):
    METHODS["SUNDIALS"] = lambda rtol: fb.Sundials(rtol=rtol)


def violation(name, integrator):
    """Largest residual of positions and of velocities over a run of 20 outputs, no dimension."""
    system, t_end = MACHINES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        r = fb.simulate(system, t_end, integrator=integrator, output_step=t_end / 20, show_progress=False)
    plan, W = r.plan, r.plan.work()
    worst, rates = np.zeros(2), np.empty(plan.n_rows)
    for k, t in enumerate(r.t):
        place(plan.layout, W, t, r.c[k], r.q[k], r.all_alpha[k])
        now = W.coordinate
        W.revolutions[: now.size, 0] = now  # coupled angles go on from here
        velocity_residual(plan.layout, W, r.v[k], rates)
        worst = np.maximum(worst, [np.abs(W.phi).max(), np.abs(rates).max()])
    return worst / [plan.layout.length, np.abs(r.v).max()]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", METHODS)
def test_chosen_steps(method, name):
    """Projection leaves the square of a step's error; Newton's iteration a hundredth of rtol or less."""
    for rtol in (LOOSE, TIGHT):
        place_off, speed_off = violation(name, METHODS[method](rtol))
        assert place_off < 1e-2 * rtol
        # velocities are projected at the position before its own projection, which is off by the error of a step
        assert speed_off < rtol


@pytest.mark.parametrize("name", NAMES)
def test_fixed_steps_of_generalized_alpha(name):
    """Both levels to Newton's tolerance, 1e-9 of the accelerations; over h in the velocities."""
    _, t_end = MACHINES[name]()
    place_off, speed_off = violation(name, fb.GeneralizedAlpha(step=t_end / 400))
    assert place_off < 1e-12
    assert speed_off < 1e-9


@pytest.mark.parametrize("name", ["spatial", "spun_up", "redundant", "geared"])
def test_index_three_strays_in_its_velocities(name):
    """Constraints of positions hold, those of velocities are an error of the method: it falls with h^2."""
    _, t_end = MACHINES[name]()
    off = [violation(name, fb.GeneralizedAlpha(step=t_end / n, index=3)) for n in (200, 400)]
    assert max(place_off for place_off, _ in off) < 1e-11
    assert off[0][1] / off[1][1] == pytest.approx(4, rel=0.3)


def test_the_violation_does_not_grow_with_time():
    """Three times as long, no farther off: the constraints attract, they are not only followed."""
    name = "spatial"
    system, t_end = MACHINES[name]()
    for integrator in (fb.Explicit(rtol=1e-7), fb.SciPy(rtol=1e-7), fb.GeneralizedAlpha(rtol=1e-5)):
        r = fb.simulate(system, 6 * t_end, integrator=integrator, output_step=t_end / 10, show_progress=False)
        plan, W = r.plan, r.plan.work()
        off = []
        for k, t in enumerate(r.t):
            place(plan.layout, W, t, r.c[k], r.q[k], r.all_alpha[k])
            off.append(np.abs(W.phi).max() / plan.layout.length)
        assert max(off[-10:]) < 10 * max(off[:30]) + 1e-14

"""Order of every integrator on every kind of machine: flexible, with states of laws, nonholonomic, redundant, geared.

Positions, deformations, velocities, multipliers and states of laws, largest error over the outputs, against DOP853 of
SciPy at rtol = 1e-12, which is itself checked against another method. Expected orders p, from the literature:

* generalized-alpha: 2, in all of them (Arnold, Bruels, Cardona 2015; states: Jansen, Whiting, Hulbert 2000);
* the explicit method and DOP853: 8, RK45: 5, RK23: 3 (they advance with the better formula of their pairs), Radau: 5
  (Hairer, Norsett, Wanner II.4-5; Hairer, Wanner IV.8). Accelerations and multipliers are functions of the state: no
  order is lost in them.

With error control a method whose estimate goes with h^q keeps h^q proportional to rtol, so that errors go with
rtol^(p/q): q = p for generalized-alpha, the explicit method, DOP853, RK45, RK23; p/q = 5/4 for Radau. Methods of
variable order (BDF, Adams) are written to give errors proportional to rtol.
"""

import functools
import importlib.util
import warnings

import numpy as np
import pytest
import scipy
from support import zoo
from support.cases import fitted_order
from support.varied import MACHINES

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.kinds import DONE, PAUSED
from flexbody.equations.consistent_start import consistent_start

pytestmark = pytest.mark.slow

NAMES = ("spun_up", "flexible", "with_states", "redundant", "nonholonomic", "geared")
OUTPUTS = 4

FIXED = {
    "generalized-alpha": (2, lambda h: fb.GeneralizedAlpha(step=h)),
    "index 3": (2, lambda h: fb.GeneralizedAlpha(step=h, index=3)),
    "explicit": (8, lambda h: fb.Explicit(step=h)),
    # a tolerance that nothing exceeds
    "DOP853": (8, lambda h: fb.SciPy(rtol=1e3, max_step=h)),
    "RK45": (5, lambda h: fb.SciPy(scipy.integrate.RK45, rtol=1e3, max_step=h)),
    "RK23": (3, lambda h: fb.SciPy(scipy.integrate.RK23, rtol=1e3, max_step=h)),
    "Radau": (5, lambda h: fb.SciPy(scipy.integrate.Radau, rtol=1e3, max_step=h)),
}
#: steps of a run, small enough for the leading term and large enough to stay above round-off
PARTS = {
    "generalized-alpha": (100, 200, 400), "index 3": (100, 200, 400), "explicit": (12, 20, 32), "DOP853": (12, 20, 32),
    "RK45": (40, 80, 160), "RK23": (40, 80, 160), "Radau": (40, 80, 160),
}  # fmt: skip
#: the rod's highest frequency is 6e4 rad/s, 1200 rad in the run: each step must be a small part of that
FINE = {
    "generalized-alpha": (1600, 3200, 6400), "RK45": (400, 600, 800), "RK23": (800, 1200, 1600),
    "Radau": (400, 600, 800),
}  # fmt: skip
CONTROLLED = {
    "generalized-alpha": (lambda rtol: fb.GeneralizedAlpha(rtol=rtol), (1e-4, 1e-5, 1e-6)),
    "explicit": (lambda rtol: fb.Explicit(rtol=rtol), (1e-4, 1e-6, 1e-8)),
    "DOP853": (lambda rtol: fb.SciPy(rtol=rtol), (1e-4, 1e-6, 1e-8)),
    "RK45": (lambda rtol: fb.SciPy(scipy.integrate.RK45, rtol=rtol), (1e-4, 1e-6, 1e-8)),
    "RK23": (lambda rtol: fb.SciPy(scipy.integrate.RK23, rtol=rtol), (1e-4, 1e-5, 1e-6)),
    "Radau": (lambda rtol: fb.SciPy(scipy.integrate.Radau, rtol=rtol), (1e-4, 1e-5, 1e-6)),
    "BDF": (lambda rtol: fb.SciPy(scipy.integrate.BDF, rtol=rtol), (1e-4, 1e-5, 1e-6)),
}
if importlib.util.find_spec("sksundae"):
    CONTROLLED |= {
        "SUNDIALS BDF": (lambda rtol: fb.Sundials(rtol=rtol), (1e-4, 1e-6, 1e-8)),
        "SUNDIALS Adams": (lambda rtol: fb.Sundials(stiff=False, rtol=rtol), (1e-4, 1e-6, 1e-8)),
    }


def every(methods):
    """Return all pairs (machine, method); what SciPy takes long for, the stiff rod spun up, is slow."""
    return [
        pytest.param(name, method, marks=[pytest.mark.slow] if long else [])
        for name in NAMES
        for method in methods
        for long in [name == "spun_up" and method in ("DOP853", "RK45", "RK23", "Radau", "BDF")]
    ]


@functools.cache
def machine(name):
    """Plan, consistent start and duration."""
    system, t_end = (zoo.flexible(), 1.0) if name == "flexible" else MACHINES[name]()
    plan = make_plan(system, t_end=t_end)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return plan, consistent_start(plan), t_end


def run(name, integrator) -> dict[str, np.ndarray]:
    """What an integrator gives at the outputs."""
    plan, start, t_end = machine(name)
    r = integrator.begin(plan, start, t_end, t_end / OUTPUTS)
    found = []
    for t in r.times[1:]:
        status = PAUSED
        while status == PAUSED:
            status = r.advance(t, 1000)
        assert status == DONE
        s = r.state
        found.append([x.copy() for x in (s.c, s.q, s.all_alpha, s.v, s.multipliers, s.law_states)])
    names = ("positions", "rotations", "deformations", "velocities", "multipliers", "states")
    return {name: np.array(x) for name, x in zip(names, zip(*found, strict=True), strict=True)}


@functools.cache
def reference(name):
    return run(name, fb.SciPy(rtol=1e-12))


def errors(name, integrator, settled: bool = False) -> dict[str, float]:
    """Root mean squares of the errors over those of the values; ``settled`` : in the second half of the run."""
    found, exact = run(name, integrator), reference(name)
    late = slice(OUTPUTS // 2 if settled else 0, None)
    return {
        quantity: float(np.linalg.norm((found[quantity] - x)[late]) / np.linalg.norm(x[late]))
        for quantity, x in exact.items()
        if x.size
    }


def table(name, integrators, settled: bool = False) -> dict[str, list[float]]:
    """Errors of each quantity over the integrators."""
    rows = [errors(name, integrator, settled) for integrator in integrators]
    return {quantity: [row[quantity] for row in rows] for quantity in rows[0]}


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_by_another_method(name):
    """An order and a step control that share only the right-hand side: 1e-9 in each of up to five hundred steps."""
    for quantity, error in errors(name, fb.Explicit(rtol=1e-9)).items():
        assert error < 1e-8, quantity


@pytest.mark.parametrize(("name", "method"), every(FIXED))
def test_order_at_fixed_steps(name, method):
    """Order 2 within 0.1; at high orders round-off is met at a quarter of the widest step, where terms of higher order
    and opposite sign still hide a sixth of the order (at finer steps of single machines 8 is met within 0.5). Where an
    input begins to change, some steps of SciPy's methods are shorter."""
    p, make = FIXED[method]
    if name == "spun_up" and method not in FINE:
        pytest.skip("steps short enough for the rod's frequencies leave only round-off, in index 3 over h^2")
    parts = np.array((FINE if name == "spun_up" else PARTS)[method])
    integrators = [make(machine(name)[2] / n) for n in parts]
    # the first multipliers of index 3 have an error of first order, which is damped
    for quantity, found in table(name, integrators, settled=method == "index 3").items():
        order = fitted_order(1 / parts, found)
        if p == 2:
            assert order == pytest.approx(2, abs=0.1), quantity
        else:
            assert order > 5 / 6 * p, quantity


@pytest.mark.parametrize(("name", "method"), every(CONTROLLED))
def test_errors_go_with_the_tolerance(name, method):
    """Powers between a half and 1.6: explicit steps that stability bounds are too short for loose tolerances, outputs
    cut the few steps of high orders, orders change. Each of up to a hundred steps adds rtol, and the machines let
    errors grow several times: 50 is left to methods of one step, 500 to those of many, which add them all alike."""
    make, rtols = CONTROLLED[method]
    if (name, method) == ("spun_up", "BDF"):
        pytest.skip("a thousand steps in Python; SUNDIALS' BDF does them")
    if name == "spun_up":  # stability bounds the steps of these at looser tolerances
        rtols = {"RK23": (1e-6, 1e-7, 1e-8), "DOP853": (1e-6, 1e-8, 1e-10)}.get(method, rtols)
    growth = 500 if "BDF" in method or "Adams" in method else 50
    for quantity, found in table(name, [make(rtol) for rtol in rtols]).items():
        # the loosest tolerance is met by steps that stability limits, the tightest one by round-off
        assert 0.4 < fitted_order(rtols, found) < 1.6, quantity
        assert all(error < growth * rtol for rtol, error in zip(rtols, found, strict=True)), quantity

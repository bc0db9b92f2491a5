"""Coordinate partitioning, Wehage and Haug: motion, order, drift, and exchanges of the independent coordinates."""

import numpy as np
import pytest
import scipy
from reference import four_bar, machines
from support import varied
from support.evaluated import Evaluated

import flexbody as fb
from flexbody.equations.consistent_start import consistent_start
from flexbody.integrators.partition import allowed_motions, full_pivots

pytestmark = pytest.mark.slow  # each evaluation passes through Python
DESCRIPTIONS = [fb.Absolute(), fb.Relative()]


def run(machine, t_end, integrator, description, **options):
    return fb.simulate(
        machine, t_end, integrator=integrator, description=description, show_progress=False, **options
    )


def test_full_pivoting_finds_what_depends():
    """Rows of rank 2: their pivots hold the other columns, by factors that full pivoting keeps at one or below."""
    rng = np.random.default_rng(1)
    J = rng.normal(size=(2, 5))
    rows, columns = full_pivots(J)
    assert sorted(rows) == [0, 1]
    Z = allowed_motions(J, columns, np.setdiff1d(np.arange(5), columns))
    np.testing.assert_allclose(J @ Z, 0, atol=1e-14)
    # the first pivot is the largest entry, so that the second row of its elimination has no factor above one
    assert abs(J[rows[0], columns[0]]) == np.abs(J).max()


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=["absolute", "relative"])
def test_four_bar_past_its_flat_position(description):
    """IFToMM A02 to 1.2 s against elliptic functions: the cranks lie flat, where the machine is singular, at 0.71 s.

    In the global description the cranks' places have to be exchanged on the way; one angle serves all the time.
    """
    machine, read = machines.four_bar_machine(1)
    method = fb.Partitioned(fb.SciPy(scipy.integrate.DOP853, rtol=1e-8))
    result = run(machine, 1.2, method, description, output_step=0.1)
    where, _ = four_bar.first_joint(result.t, 1)
    # rtol of each of some fifty steps, and a factor of ten for what the singular position amplifies
    assert np.abs(read(result)["position"] - where).max() < 5e-6
    one_set = "one set of independent coordinates has served" in result.statistics.why
    assert one_set == isinstance(description, fb.Relative)
    assert result.statistics.method == "Partitioned(SciPy(DOP853, rtol=1e-08))"


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=["absolute", "relative"])
@pytest.mark.parametrize("name", ["spatial", "spun_up", "nonholonomic", "geared"])
def test_machines_of_all_kinds(name, description):
    """Loops, drives, flexible rods, rolling (fewer speeds than positions) and gears, against Explicit."""
    machine, t_end = varied.MACHINES[name]()
    options = dict(output_step=0.025 * t_end)
    one = run(machine, 0.05 * t_end, fb.Explicit(rtol=1e-10), fb.Absolute(), **options)
    two = run(machine, 0.05 * t_end, fb.Partitioned(fb.SciPy(scipy.integrate.DOP853)), description, **options)
    for key in ("c", "q", "v", "all_alpha"):
        expected, found = getattr(one, key), getattr(two, key)
        size = 1e-3 + np.abs(expected).max(initial=0.0)  # (deformations of a millimetre count as whole)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * size, err_msg=key)


def test_the_error_falls_with_the_tolerance():
    """Adams' method of variable order: a hundredth of the tolerance, at most a tenth of the error."""
    machine, read = machines.four_bar_machine(1)
    errors = []
    for rtol in (1e-5, 1e-7, 1e-9):
        result = run(
            machine,
            0.4,
            fb.Partitioned(fb.SciPy(scipy.integrate.LSODA, rtol=rtol)),
            fb.Relative(),
            output_step=0.1,
        )
        where, _ = four_bar.first_joint(result.t, 1)
        errors.append(np.abs(read(result)["position"] - where).max())
    assert errors[1] < 0.1 * errors[0]
    assert errors[2] < 0.1 * errors[1]


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=["absolute", "relative"])
def test_no_constraint_drifts_between_corrections(description):
    """A state that is completed from independent coordinates fulfils all rows to round-off, before any projection."""
    machine, _ = machines.four_bar_machine(1)
    plan = Evaluated(machine, description).plan
    going = fb.Partitioned(fb.SciPy(scipy.integrate.RK23, rtol=1e-3)).begin(
        plan, consistent_start(plan), 1.0, 0.2
    )
    going.advance(0.2, 100)
    z = going._independent(going._last)
    z[: len(going._sets.positions)] += 1e-3  # far from any state that was completed before
    state = going._completed(going.t, z)
    _, miss = going._jacobian(going.t, state)
    length = plan.layout.length
    assert len(going._rows)
    assert np.abs(going.work.phi).max() < 1e-13 * length
    assert np.abs(miss).max() < 1e-12 * np.abs(state).max()


def test_a_fixed_step_is_refused():
    machine, _ = machines.four_bar_machine(1)
    with pytest.raises(fb.InputError, match=r"SciPy chooses its steps; give SciPy\(max_step=\)"):
        fb.simulate(machine, 0.1, integrator=fb.Partitioned(), step=1e-3)

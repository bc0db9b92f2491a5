"""Where states are stored: at the output times with variable steps, at the ends of fixed ones, which is told."""

import warnings

import numpy as np
import pytest

import flexbody as fb


def run(output_step, **options):
    body = fb.RigidBody("body", 1.0, (0.1,) * 3, velocity=(1, 0, 0))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        result = fb.simulate(fb.System([body]), 0.1, output_step=output_step, show_progress=False, **options)
    return result, [str(one.message) for one in found]


@pytest.mark.parametrize("options", [{"step": 0.01}, {"integrator": fb.Explicit(step=0.01)}])
@pytest.mark.parametrize(("asked", "stored"), [(0.004, 0.01), (0.001, 0.01), (0.0145, 0.01)])
def test_fixed_steps_store_at_their_ends_and_tell_it(options, asked, stored):
    result, said = run(asked, **options)
    assert np.diff(result.t) == pytest.approx(stored)
    assert len(said) == 1
    assert f"output_step is {asked:g} s, but states are stored every {stored:g} s" in said[0]


@pytest.mark.parametrize("asked", [None, 0.01, 0.02, 0.1])
def test_nothing_is_told_of_multiples(asked):
    assert run(asked, step=0.01)[1] == []
    assert run(asked, step=0.0101)[1] == []  # shortened to 0.01


def test_variable_steps_end_at_output_times():
    result, said = run(0.004)
    assert said == []
    assert result.t == pytest.approx(0.004 * np.arange(26))

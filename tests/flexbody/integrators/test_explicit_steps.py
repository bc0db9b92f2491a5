"""Steps that the explicit method chooses: as many as its order asks for, whatever the start and the tolerance."""

import numpy as np
import pytest
from support.varied import MACHINES

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.kinds import PAUSED
from flexbody.equations.consistent_start import consistent_start


@pytest.mark.parametrize("name", ["spatial", "with_states", "nonholonomic", "geared"])
def test_steps_from_rest_at_tight_tolerances(name):
    """Order 8: four decades more take 10^(4/8) = 3.2 times the steps; also for states of laws that begin as t^3."""
    system, t_end = MACHINES[name]()
    steps = []
    for rtol in (1e-8, 1e-12):
        result = fb.simulate(
            system, t_end, integrator=fb.Explicit(rtol=rtol), output_step=t_end / 4, show_progress=False
        )
        steps.append(result.statistics.steps + result.statistics.rejected)
    assert steps[1] < 4 * steps[0]


def test_a_first_step_that_is_far_too_long():
    """A mass on a spring of 1e4 to 1e7 rad/s in a run of 10 s, of which a hundred-thousandth is tried first: up to 1000
    rad. What such a trial throws far off is no measure of speeds: the same angle per step whatever the frequency."""
    size, reached = 1e-3, []
    mass = fb.RigidBody("mass", 1.0, (1, 1, 1), center=(1 + size, 0, 0))
    slide = fb.Prismatic("slide", fb.GROUND, mass, point=(0, 0, 0), axis="x")
    ends = {"first_point": (0, 0, 0), "second_point": (1 + size, 0, 0)}
    for frequency in (1e4, 1e5, 1e6, 1e7):
        spring = fb.SpringDamper("spring", fb.GROUND, mass, stiffness=frequency**2, free_length=1.0, **ends)
        plan = make_plan(fb.System([mass], [slide], [spring]))
        run = fb.Explicit(rtol=1e-8).begin(plan, consistent_start(plan), 10.0, None)
        assert run.advance(run.times[1], 50) == PAUSED
        c, v = run.state.c, run.state.v
        angle = frequency * run.t
        found = np.array([c[0, 0] - 1, v[0] / frequency]) / size
        # 1e-8 of the body's own size, one metre, would be 1e-5 of this motion; its speeds keep it better
        np.testing.assert_allclose(found, [np.cos(angle), -np.sin(angle)], atol=1e-5)
        reached.append(angle)
    assert max(reached) < 1.2 * min(reached)

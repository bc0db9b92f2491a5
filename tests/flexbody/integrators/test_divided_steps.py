"""Fixed steps in which Newton's iteration does not converge are divided: sliding bodies come to rest."""

import numpy as np
import pytest

import flexbody as fb


@pytest.mark.parametrize("step", [2e-3, 1e-3])
@pytest.mark.parametrize("load", [3.0, 30.0, 300.0])
def test_a_block_that_friction_stops(load, step):
    """m v^2 / (2 F). Friction is regular below 1e-3 of its speed, where it creeps on: 4e-3 of the way at most, and the
    last step of 2e-3 s at 300 N, in which it stops, is wrong by a fifth."""
    block = fb.RigidBody("block", 1.0, (0.1,) * 3, velocity=(1.0, 0, 0))
    slide = fb.Prismatic("slide", fb.GROUND, block, point=(0, 0, 0), axis="x")
    machine = fb.System([block], [slide], [fb.Friction("friction", slide, load=load)])
    found = fb.simulate(machine, 1.0, step=step, show_progress=False)
    way = 1.0 / (2 * load)
    np.testing.assert_allclose(found.position(block)[-1, 0], way, rtol=4e-3, atol=0.2 * step * step * load)
    assert abs(found.velocity(block)[-1, 0]) < 1e-6
    assert found.statistics.rejected > 0


@pytest.mark.parametrize("mu", [0.1, 0.8])
def test_a_ball_that_slides_until_it_rolls(mu):
    """It rolls with v m r^2 / (J + m r^2) from the time (v - that) / (mu g) on; 1e-3 for how it begins to stick."""
    m, J, r, v, g = 1.0, 4e-3, 0.1, 1.0, 9.81
    ball = fb.RigidBody("ball", m, (J,) * 3, center=(0, 0, r), velocity=(v, 0, 0))
    floor = fb.Contact(
        "floor", fb.Plane(fb.GROUND), fb.Sphere(ball, r), stiffness=1e7, mu=mu, dissipation=0.1
    )
    machine = fb.System([ball], forces=[floor], gravity=(0, 0, -g))
    found = fb.simulate(machine, 1.0, step=1e-3, show_progress=False)
    rolls = v / (1 + J / (m * r * r))
    np.testing.assert_allclose(found.velocity(ball)[-1, 0], rolls, rtol=1e-3)
    until = (v - rolls) / (mu * g)
    np.testing.assert_allclose(
        found.position(ball)[-1, 0], rolls * (1 - until) + until * (v + rolls) / 2, rtol=2e-3
    )

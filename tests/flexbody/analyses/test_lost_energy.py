"""Of lost energy: it is compared with the motion between the stored states."""

import warnings

import numpy as np
import pytest

import flexbody as fb


@pytest.mark.parametrize("method", [None, fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-10)])
def test_a_motion_of_which_stored_states_show_nothing(method):
    """A cart under F sin(w t), with a state stored every tenth period, at which it stands and has no acceleration.

    x = F / (m w) (t - sin(w t) / w). 1 % of its largest change.
    """
    w, mass, force = 2 * np.pi * 50.0, 2.0, 1.0
    cart = fb.RigidBody("cart", mass, (1e-3,) * 3)
    rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    push = fb.PointForce("push", cart, lambda t: (force * np.sin(w * t), 0.0, 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fb.simulate(
            fb.System([cart], [rail], [push]), 2.0, integrator=method, output_step=0.2, show_progress=False
        )
    exact = force / (mass * w) * (run.t - np.sin(w * run.t) / w)
    np.testing.assert_allclose(run.position("cart")[:, 0], exact, atol=0.01 * exact.max())
    assert run.energy.kinetic.max() < 1e-3 * (2 * force / w) ** 2 / (2 * mass)

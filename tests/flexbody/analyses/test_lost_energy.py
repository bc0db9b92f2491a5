"""Of lost energy: it is compared with the motion between the stored states."""

import warnings

import numpy as np
import pytest

import flexbody as fb


@pytest.mark.parametrize(
    "method", [None, fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-10), fb.SciPy()]
)
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


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_loads_that_balance_but_for_round_off(size):
    """Loads whose sum along a rail is zero, and across it: the cart gets their round-off, no error of the method."""
    cart = fb.RigidBody("cart", 2.0, (1e-3,) * 3)
    rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    part = size * np.cos(0.3)
    pushes = [
        fb.PointForce(f"push {k}", cart, (along, 1e5, 0))
        for k, along in enumerate((size, -part, part - size))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fb.simulate(
            fb.System([cart], [rail], pushes), 5.0, integrator=fb.Explicit(), show_progress=False
        )
    assert np.abs(run.position("cart")).max() < 1e-9


def test_an_error_beside_large_loads_is_still_told():
    """Damping steps of a sixth of a period: the energy of a vibration on a spring that a load holds is lost."""
    cart = fb.RigidBody("cart", 2.0, (1e-3,) * 3, velocity=(1.0, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    spring = fb.ForceElement("spring", fb.Along(rail), fb.Linear(stiffness=2.0 * (2 * np.pi) ** 2))
    pushes = [fb.PointForce(f"push {k}", cart, (along, 0, 0)) for k, along in enumerate((1e5, -1e5))]
    with pytest.warns(fb.FlexbodyWarning, match="has lost"):
        fb.simulate(
            fb.System([cart], [rail], [spring, *pushes]), 5.0, step=1 / 6, integrator=fb.GeneralizedAlpha(rho_inf=0.0),
            show_progress=False,
        )  # fmt: skip

"""Explicit steps on stiff mounts: what is smaller than the tolerance must not grow up to it."""

import numpy as np
import pytest

import flexbody as fb

K, MASS, GRAVITY = 1e9, 1.0, 9.81
WEIGHT = MASS * GRAVITY
SAG_ENERGY = WEIGHT**2 / (2 * K)  # J, of the spring


def run(t_end: float, start=None, rtol: float = 1e-6) -> fb.Result:
    """A body of 1 kg on a mount of 1e9 N/m, w = 3e4 rad/s; its turning vibrates as fast, and more slowly."""
    body = fb.RigidBody("body", MASS, (0.01, 0.02, 0.025))
    mount = fb.Bushing("mount", fb.GROUND, body, stiffness=(K,) * 3 + (0.01 * K,) * 3, point=(0, 0, 0))
    machine = fb.System([body], forces=[mount], gravity=(0, 0, -GRAVITY))
    return fb.simulate(machine, t_end, start=start, integrator=fb.Explicit(rtol=rtol), show_progress=False)


def test_equilibrium_stays():
    """Round-off swings by less than twice rtol of the spring's energy: by 0.03 or 1.3 times, as compilers round.

    With steps that the tolerance alone limits it got 9e-11 J, 0.2 % of that.
    """
    result = run(1.0, fb.Equilibrium())
    assert result.energy.kinetic.max() < 2e-6 * SAG_ENERGY


def test_a_vibration_below_the_tolerance_does_not_grow():
    """A body that is put on its mount swings by 2e-8 m, where 1e-6 of its size are 1.4e-7 m: it may be damped.

    With steps that the tolerance alone limits it swung 34 times as far after 0.65 s.
    """
    with pytest.warns(fb.FlexbodyWarning, match="has lost .* vibrations below the tolerance"):
        result = run(1.0)
    assert result.energy.residual.max() < 0.02 * SAG_ENERGY
    assert np.ptp(result.position("body")[:, 2]) < 1.01 * 2 * WEIGHT / K


def test_a_smaller_tolerance_follows_it():
    energy = run(0.1, rtol=1e-8).energy
    assert energy.balance_error < 0.01

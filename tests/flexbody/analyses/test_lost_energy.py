"""Energy that a method loses is compared with what moves, also between the stored states."""

import warnings

import numpy as np

import flexbody as fb

MASS, RATE = 10.0, 2 * np.pi * 25.0  # kg, rad/s


def test_states_stored_once_in_a_period_are_no_loss_of_all_energy():
    """A body that drops onto its mount at 25 Hz stands still each 0.04 s; it loses 1e-4 of m g^2 / 2 W^2."""
    body = fb.RigidBody("body", MASS, (0.1, 0.1, 0.1))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="z")
    mount = fb.ForceElement("mount", fb.Along(rail), fb.Linear(stiffness=MASS * RATE**2))
    machine = fb.System([body], [rail], [mount], gravity=(0, 0, -9.81))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fb.simulate(
            machine, 20.0, output_step=0.04, integrator=fb.Explicit(rtol=1e-6), show_progress=False
        )
    true = 0.5 * MASS * (9.81 / RATE) ** 2  # J, at the middle of the way
    assert run.energy.kinetic.max() < 1e-3 * true
    assert np.abs(run.energy.residual).max() < 1e-3 * true

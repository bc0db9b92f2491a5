"""Plates of assumed modes in motion: they fall and spin as rigid plates where nothing bends them, and vibrate."""

import numpy as np
import pytest
import scipy.linalg

import fem
import flexbody as fb
import modal
from modal.assumed import End, beam_modes, products

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
A, B, H = 0.5, 0.3, 0.002
FREE = beam_modes(4, End.FREE, End.FREE)


def free_plate(**options):
    """All products of four free beam modes but the three rigid motions: 13 functions."""
    w = [pair for k, pair in enumerate(products(FREE, FREE)) if k not in (0, 1, 4)]
    return modal.assumed.plate((A, B), H, STEEL, w, markers={"corner": (A, B)}, rotary=True, **options)


def test_a_free_plate_falls_and_tumbles_as_a_rigid_one():
    """Centrifugal forces of a flat plate lie in it and don't bend it: it moves as the rigid body with its inertia.

    Rotary inertia puts the points beside the middle surface; of the bending that makes, (h / a)^2 is left.
    """
    spin, speed = (3.0, -5.0, 8.0), (0.1, 0.2, 0.3)
    soft = fb.FlexibleBody("plate", free_plate(), velocity=speed, angular_velocity=spin)
    mass = STEEL.rho * A * B * H
    inertia = mass / 12 * np.array([B**2 + H**2, A**2 + H**2, A**2 + B**2])
    rigid = fb.RigidBody("rigid", mass, inertia, velocity=speed, angular_velocity=spin)
    integrator = fb.GeneralizedAlpha(step=1e-3)
    soft, rigid = (
        fb.simulate(
            fb.System([body], gravity=(0, 0, -9.81)),
            0.5,
            integrator=integrator,
            output_step=0.05,
            show_progress=False,
        )
        for body in (soft, rigid)
    )
    np.testing.assert_allclose(soft.rotation("plate"), rigid.rotation("rigid"), atol=1e-5)
    moved = soft.position("plate") - soft.position("plate")[0]
    fall = np.outer(soft.t, speed) + np.outer(soft.t**2 / 2, (0, 0, -9.81))
    np.testing.assert_allclose(moved, fall, atol=1e-9)
    assert np.abs(soft.alpha("plate")).max() < 1e-4 * H


def test_a_free_plate_vibrates_at_leissas_frequency():
    """A square free plate twists at omega a^2 sqrt(rho h / D) = 13.489 (Leissa 1973, FFFF, nu = 0.3, by 36 products;
    here with 13, and h/a = 1/250): starting in its first mode, every other marker comes back after one period."""
    w = [pair for k, pair in enumerate(products(FREE, FREE)) if k not in (0, 1, 4)]
    body = modal.assumed.plate((A, A), H, STEEL, w, markers={"corner": (A, A)})
    omega = 13.489 * np.sqrt(STEEL.E * H**2 / (12 * (1 - STEEL.nu**2) * STEEL.rho)) / A**2
    assert 2 * np.pi * body.frequencies_hz[0] == pytest.approx(omega, rel=0.005)
    shape = scipy.linalg.eigh(body.K, body.C8)[1][:, 0]
    shape *= 1e-4 / (body.markers["corner"].Phi @ shape)[2]
    period = 1 / body.frequencies_hz[0]
    flexible = fb.FlexibleBody("plate", body, alpha=shape)
    integrator = fb.GeneralizedAlpha(rho_inf=1.0, step=period / 400)
    result = fb.simulate(
        fb.System([flexible]), 2 * period, integrator=integrator, output_step=period / 4, show_progress=False
    )
    swing = result.displacement(flexible, "corner")[:, 2]
    np.testing.assert_allclose(swing, 1e-4 * np.cos(2 * np.pi * result.t / period), atol=1e-6)
    assert result.energy.balance_error < 1e-6

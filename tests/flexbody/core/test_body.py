"""The equations of one body against a cloud of point masses: none of C1..C8 on the other side."""

from dataclasses import replace

import numpy as np
import pytest
from support.cloud import Cloud
from support.state import evaluated, random_state

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.equations import dense, residual
from flexbody.core.rotation import matrices
from flexbody.equations.accelerations import accelerations
from flexbody.equations.state import drawn_state


def cloud_plan(mean: bool, gravity=(0.0, 0.0, 0.0), seed: int = 0):
    cloud = Cloud.random(np.random.default_rng(seed))
    cloud = cloud.centred() if mean else cloud
    body = fb.FlexibleBody("cloud", cloud.body(mean=mean), damping_ratio=0.0)
    return cloud, make_plan(fb.System([body], gravity=gravity))


@pytest.mark.parametrize("mean", [False, True])
def test_inertia_force_is_that_of_the_points(mean):
    """Koppens (2.46) against the sum over points; both exact, so only round-off is left."""
    cloud, plan = cloud_plan(mean)
    state = random_state(plan, np.random.default_rng(1))
    _, q, alpha, v, vdot = state
    W = evaluated(plan, state)
    residual(plan.layout, W, 0.0, alpha, v, vdot, np.zeros(0))
    expected = cloud.inertia_force(matrices(q[0]), v[3:6], alpha, v[6:], vdot[:3], vdot[3:6], vdot[6:])
    expected[6:] += cloud.K @ alpha
    np.testing.assert_allclose(W.residual, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("mean", [False, True])
def test_mass_matrix_gives_the_kinetic_energy_of_the_points(mean):
    cloud, plan = cloud_plan(mean)
    state = random_state(plan, np.random.default_rng(2))
    _, q, alpha, v, _ = state
    W = evaluated(plan, state)
    M = np.empty((len(v), len(v)))
    dense(plan.layout, W, M, np.empty((0, len(v))))
    expected = cloud.kinetic(v[3:6], alpha, v[6:], matrices(q[0]).T @ v[:3])
    assert 0.5 * v @ M @ v == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(M, M.T, rtol=0, atol=1e-14 * np.abs(M).max())


@pytest.mark.parametrize("mean", [False, True])
def test_gravity_lets_a_free_body_fall_without_deforming_it(mean):
    """A uniform field accelerates every point alike: c.. = g, no rotation, no deformation, at any state of rest."""
    gravity = np.array([0.3, -9.0, 2.0])
    _, plan = cloud_plan(mean, gravity=gravity)
    c, q, _alpha, v, _ = random_state(plan, np.random.default_rng(3))
    state = replace(drawn_state(plan), c=c, q=q, all_alpha=np.zeros(4), v=np.zeros_like(v))
    vdot, _ = accelerations(plan, plan.work(), state)
    np.testing.assert_allclose(vdot[:3], gravity, atol=1e-12)
    np.testing.assert_allclose(vdot[3:], 0, atol=1e-11)


def test_mean_displacement_body_has_a_block_diagonal_mass_matrix():
    """C1, C2 and C6 vanish (Koppens 2.24-2.26): c is decoupled, and so is alpha in the undeformed state."""
    _, plan = cloud_plan(True)
    c, q, alpha, v, vdot = random_state(plan, np.random.default_rng(4))
    W = evaluated(plan, (c, q, 0 * alpha, v, vdot))
    M = np.empty((len(v), len(v)))
    dense(plan.layout, W, M, np.empty((0, len(v))))
    assert not M[:3, 3:].any()
    assert not M[3:6, 6:].any()


def differences(force, h=1e-2):
    """First and second derivative at 0 of a function of one number: five points, error h^4 times the fifth."""
    a, b, c, d, e = (force(k * h) for k in (-2, -1, 0, 1, 2))
    return (a - 8 * b + 8 * d - e) / (12 * h), (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h**2)


def test_second_order_fields_are_worth_what_is_added_to_C5():
    """Points that move by Phi alpha + alpha' Psi alpha / 2, deformations scaled by h.

    To first order in h the modal rows are exact, to second order those of the frame: terms that are dropped are of
    one order more. Differences over h = 0.01 leave 1e-8, to 1e-6 here; without Psi the rows are hundredths away.
    """
    rng = np.random.default_rng(8)
    cloud = Cloud.random(rng).stiffened(rng)
    results = {}
    for stiffening in (True, False):
        body = fb.FlexibleBody("cloud", cloud.body(mean=True), stiffening=stiffening)
        plan = make_plan(fb.System([body]))
        c, q, alpha, v, vdot = random_state(plan, np.random.default_rng(1))
        Q, K = matrices(q[0]), cloud.K

        def ours(h, plan=plan, c=c, q=q, alpha=alpha, v=v, vdot=vdot, K=K):
            v, vdot = (np.concatenate([x[:6], h * x[6:]]) for x in (v, vdot))
            W = evaluated(plan, (c, q, h * alpha, v, vdot))
            residual(plan.layout, W, 0.0, h * alpha, v, vdot, np.zeros(0))
            return W.residual - np.concatenate([np.zeros(6), K @ (h * alpha)])

        def exact(h, Q=Q, alpha=alpha, v=v, vdot=vdot):
            return cloud.inertia_force(Q, v[3:6], h * alpha, h * v[6:], vdot[:3], vdot[3:6], h * vdot[6:])

        (first, second), (first_exact, second_exact) = differences(ours), differences(exact)
        results[stiffening] = (
            np.abs(first - first_exact).max() / np.abs(first_exact).max(),
            np.abs(second - second_exact)[:6].max() / np.abs(second_exact[:6]).max(),
        )
    assert max(results[True]) < 1e-6
    assert min(results[False]) > 0.01

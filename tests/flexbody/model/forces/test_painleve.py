"""Painleve's rod on a contact with a stiffness: what has no solution with rigid ends jams, and is thrown."""

import numpy as np
import pytest
from scipy import integrate

import flexbody as fb

G, HALF, K, V = 9.81, 0.5, 1e6, 1e-3
SLOPE, SPEED = 1.1, 5.0  # rad, from the floor, and m/s, the foot ahead


def rod(mu):
    """A thin rod whose foot slides ahead of its centre over the floor, as deep in it as its weight presses."""
    arm = HALF * np.array((-np.cos(SLOPE), 0, np.sin(SLOPE)))
    depth = G / K
    body = fb.RigidBody("rod", 1.0, (HALF**2 / 3,) * 3, center=arm - (0, 0, depth), velocity=(SPEED, 0, 0))
    foot = fb.Sphere(body, 0.0, point=(0, 0, -depth))
    law = dict(stiffness=K, exponent=1.0, mu=mu, regularisation_velocity=V)
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), foot, **law)
    return fb.System([body], forces=[floor], gravity=(0, 0, -G))


def inverse_mass(mu):
    """Acceleration of the foot off the floor for 1 N, 1/kg: 1 + 3 cos (cos - mu sin) of a thin rod of 1 kg."""
    return 1.0 + 3.0 * np.cos(SLOPE) * (np.cos(SLOPE) - mu * np.sin(SLOPE))


def exact(mu, times):
    """Normal force by SciPy: the plane motion of the rod with x, z of its centre and its angle with the floor."""

    def foot(y):
        _, z, a, vx, vz, w = y
        return z - HALF * np.sin(a), vx - HALF * np.sin(a) * w, vz - HALF * np.cos(a) * w

    def normal(y):
        return K * max(-foot(y)[0], 0.0)

    def rates(t, y):
        N, a = normal(y), y[2]
        F = -mu * N * np.tanh(foot(y)[1] / V)
        # the foot lies at (cos a, -sin a) HALF from the centre; a falls with a positive moment about y
        moment = -HALF * (np.sin(a) * F + np.cos(a) * N)
        return [*y[3:], F, N - G, moment / (HALF**2 / 3)]

    start = [-HALF * np.cos(SLOPE), HALF * np.sin(SLOPE) - G / K, SLOPE, SPEED, 0.0, 0.0]
    found = integrate.solve_ivp(rates, (0, times[-1]), start, "LSODA", t_eval=times, rtol=1e-10, atol=1e-13)
    return np.array([normal(y) for y in found.y.T])


@pytest.mark.parametrize("mu", [1.2, 2.0])
def test_the_force_on_the_foot_of_a_rod(mu):
    """Above mu = 1.33 the foot is pulled into the floor: its force grows as exp(t sqrt(-A k)), until it sticks."""
    result = fb.simulate(rod(mu), 0.02, output_step=1e-4, show_progress=False)
    force, expected = np.abs(result.element("floor").force), exact(mu, result.t)
    np.testing.assert_allclose(force, expected, atol=2e-3 * expected.max())
    assert result.energy.balance_error < 1e-4
    if mu < 1.33:
        assert inverse_mass(mu) > 0
        assert force.max() < 20 * G
    else:
        # depth'' = |A| k depth + g: N + g / |A| = (g + g / |A|) cosh(t sqrt(|A| k)), of which exp is left
        pull = -inverse_mass(mu)
        early = (force > 10 * G) & (force < 40 * G) & (result.t < result.t[np.argmax(force)])
        slope = np.polyfit(result.t[early], np.log(force[early] + G / pull), 1)[0]
        assert slope == pytest.approx(np.sqrt(pull * K), rel=0.03)  # the rod turns by 0.01 rad
        assert force.max() > 50 * G
        assert result.velocity("rod")[-1, 2] > 0  # thrown up, though nothing fell

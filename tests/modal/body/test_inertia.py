"""C1..C8 of base functions given at points."""

import numpy as np
import scipy.sparse as sp

from modal.body.inertia import integrals


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def test_each_integral_by_its_definition():
    rng = np.random.default_rng(1)
    x, Phi, m = rng.normal(size=(7, 3)), rng.normal(size=(7, 3, 2)), rng.uniform(1, 2, 7)
    C = integrals(x, Phi, sp.diags_array(m).tocsr())
    unit = np.eye(3)
    at = range(7)
    same = dict(rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(C.mass, m.sum())
    np.testing.assert_allclose(C.C1, sum(m[p] * x[p] for p in at), **same)
    np.testing.assert_allclose(
        C.C3, sum(m[p] * (x[p] @ x[p] * unit - np.outer(x[p], x[p])) for p in at), **same
    )
    for i in range(2):
        f = Phi[:, :, i]
        np.testing.assert_allclose(C.C2[i], sum(m[p] * f[p] for p in at), **same)
        expected = sum(m[p] * (f[p] @ x[p] * unit - np.outer(f[p], x[p])) for p in at)
        np.testing.assert_allclose(C.C4[i], expected, **same)
        np.testing.assert_allclose(C.C6[i], sum(m[p] * np.cross(x[p], f[p]) for p in at), **same)
        for j in range(2):
            g = Phi[:, :, j]
            expected = sum(m[p] * (f[p] @ g[p] * unit - np.outer(f[p], g[p])) for p in at)
            np.testing.assert_allclose(C.C5[i, j], expected, **same)
            np.testing.assert_allclose(C.C7[i, j], sum(m[p] * np.cross(f[p], g[p]) for p in at), **same)
            np.testing.assert_allclose(C.C8[i, j], sum(m[p] * f[p] @ g[p] for p in at), **same)


def test_kinetic_energy_of_a_moving_point_cloud():
    """All integrals at once, in the combinations (2.42)-(2.45) that the equations of motion use."""
    rng = np.random.default_rng(2)
    x, Phi, m = rng.normal(size=(9, 3)), rng.normal(size=(9, 3, 4)), rng.uniform(1, 2, 9)
    v, omega, a, adot = rng.normal(size=3), rng.normal(size=3), rng.normal(size=4), rng.normal(size=4)
    C = integrals(x, Phi, sp.diags_array(m).tocsr())
    velocity = v + np.cross(omega, x + Phi @ a) + Phi @ adot  # Q' rdot
    expected = 0.5 * np.sum(m[:, None] * velocity**2)

    D1 = C.C1 + a @ C.C2
    J = C.C3 + np.einsum("i,iab->ab", a, C.C4 + C.C4.transpose(0, 2, 1)) + np.einsum("i,ijab,j", a, C.C5, a)
    D3 = C.C6 - np.einsum("ijk,j->ik", C.C7, a)
    energy = (
        0.5 * C.mass * v @ v
        + v @ np.cross(omega, D1)
        + v @ (adot @ C.C2)
        + 0.5 * omega @ J @ omega
        + omega @ (adot @ D3)
        + 0.5 * adot @ C.C8 @ adot
    )
    np.testing.assert_allclose(energy, expected, rtol=1e-13)


def test_bias_of_the_modal_equations():
    """omega.(D2_i.omega) + 2 omega.C7_ij adot_j is minus the modal force of the convective accelerations."""
    rng = np.random.default_rng(3)
    x, Phi, m = rng.normal(size=(9, 3)), rng.normal(size=(9, 3, 3)), rng.uniform(1, 2, 9)
    omega, a, adot = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    C = integrals(x, Phi, sp.diags_array(m).tocsr())
    w = skew(omega)
    acceleration = (x + Phi @ a) @ (w @ w).T + 2 * (Phi @ adot) @ w.T  # (2.5), convective terms
    expected = -np.einsum("p,pki,pk->i", m, Phi, acceleration)
    D2 = C.C4 + np.einsum("ijab,j->iab", C.C5, a)  # (2.44)
    bias = np.einsum("a,iab,b->i", omega, D2, omega) + 2 * np.einsum(
        "k,ijk,j->i", omega, C.C7, adot
    )  # (2.30)
    np.testing.assert_allclose(bias, expected, rtol=1e-12)

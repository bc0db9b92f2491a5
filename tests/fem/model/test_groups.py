"""Bars with directions of their own are assembled together."""

import numpy as np

import fem

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


def test_bars_of_many_directions_have_the_matrices_of_each_alone():
    rng = np.random.default_rng(4)
    points = np.cumsum(rng.normal(size=(13, 3)), axis=0)
    ends = np.stack([np.arange(12), np.arange(1, 13)], axis=1)
    sets = {f"bar {k}": [k] for k in range(12)}
    mesh = fem.Mesh(points, (fem.Block("line2", ends),), element_sets=sets)
    sections = (fem.Rectangle(0.02, 0.05), fem.ISection(0.1, 0.06, web=0.004, flange=0.006))
    bars = {
        f"bar {k}": fem.Beam(
            STEEL,
            sections[k % 2],
            up=rng.normal(size=3),
            offset=(0.01, 0.02),
            releases={"end": ("ry",)} if k % 3 else {},
        )
        for k in range(12)
    }
    whole = fem.assemble(mesh, bars)
    K, M = np.zeros((78, 78)), np.zeros((78, 78))
    for k, bar in enumerate(bars.values()):
        X, at = points[ends[k]][None], slice(6 * k, 6 * k + 12)
        K[at, at] += bar.stiffness("line2", X)[0]
        found = bar.samples("line2", X)
        M[at, at] += np.einsum("q,qai,qaj->ij", found.weights[0], found.shape[0], found.shape[0])
    np.testing.assert_allclose(whole.K.toarray(), K, rtol=0, atol=1e-14 * np.abs(K).max())
    np.testing.assert_allclose(whole.M.toarray(), M, rtol=0, atol=1e-14 * np.abs(M).max())

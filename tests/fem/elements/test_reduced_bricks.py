"""The quadratic brick with 2 x 2 x 2 points (C3D20R) against an own computation from polynomials."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from support.fem_meshes import irregular
from support.solids import nodal, outer, solve

import fem

POWERS = [p for p in itertools.product(range(3), repeat=3) if sum(k == 2 for k in p) <= 1]


def serendipity(nodes, xi):
    """Gradients (20, 3) of the functions of the 20 monomials that are one at their node, by Vandermonde's matrix."""
    table = np.array([[np.prod(x ** np.array(p)) for p in POWERS] for x in nodes])
    slopes = np.zeros((20, 3))
    for row, p in enumerate(POWERS):
        for k in range(3):
            q = np.array(p)
            if p[k]:
                q[k] -= 1
                slopes[row, k] = p[k] * np.prod(xi**q)
    return np.linalg.solve(table.T, slopes)


def own_stiffness(nodes, X, material):
    """K (60, 60) of one element, written out with B and C at the eight points (+-1, +-1, +-1) / sqrt(3)."""
    E, nu = material.E, material.nu
    c = E / (1 + nu) / (1 - 2 * nu)
    C = np.zeros((6, 6))
    C[:3, :3] = c * nu
    C[[0, 1, 2], [0, 1, 2]] = c * (1 - nu)
    C[[3, 4, 5], [3, 4, 5]] = E / 2 / (1 + nu)
    K = np.zeros((60, 60))
    for sign in itertools.product((-1, 1), repeat=3):
        d = serendipity(nodes, np.array(sign) / np.sqrt(3))
        J = X.T @ d
        g = d @ np.linalg.inv(J)
        B = np.zeros((6, 60))
        for i, (x, y, z) in enumerate(g):
            B[:, 3 * i : 3 * i + 3] = [[x, 0, 0], [0, y, 0], [0, 0, z], [0, z, y], [z, 0, x], [y, x, 0]]
        K += np.linalg.det(J) * B.T @ C @ B
    return K


def test_stiffness_is_that_of_eight_points(steel):
    mesh = irregular("hex20")
    X = mesh.points[mesh.blocks[0].nodes[:2]] + 0.01 * np.random.default_rng(5).normal(size=(2, 20, 3))
    K = fem.Solid(steel, reduced=True).stiffness("hex20", X)
    for one, theirs in zip(X, K, strict=True):
        own = own_stiffness(fem.ELEMENTS["hex20"].nodes, one, steel)
        np.testing.assert_allclose(theirs, own, rtol=0, atol=1e-12 * np.abs(own).max())


@pytest.mark.parametrize(
    ("divisions", "count"), [((1, 1, 1), 6), ((2, 1, 1), 3), ((3, 1, 1), 4), ((2, 2, 1), 0), ((2, 2, 2), 0)]
)
def test_motions_without_energy_beside_the_rigid_ones(divisions, count, steel):
    """60 freedoms less 6 strains at 8 points leave 12; neighbours hold most of them."""
    mesh, solid = fem.box(divisions, divisions, "hex20"), fem.Solid(steel, reduced=True)
    if count:
        with pytest.warns(
            fem.FlexbodyWarning, match=f"up to {max(6, divisions[0] + 1)} motions without energy"
        ):
            structure = fem.assemble(mesh, solid)
    else:
        structure = fem.assemble(mesh, solid)
    values = np.linalg.eigvalsh(structure.K.toarray())
    assert (values < 1e-10 * values[-1]).sum() == 6 + count


def test_patch(steel):
    mesh, solid = irregular("hex20"), fem.Solid(steel, reduced=True)
    gradient = 1e-3 * np.array([[1.0, 0.5, -0.3], [0.2, -0.7, 0.9], [0.4, 0.1, 0.6]])
    exact = (mesh.points @ gradient.T).ravel()
    fixed = outer(mesh)
    assert len(fixed) < len(exact)
    u = solve(mesh, solid, fixed, exact[fixed])
    assert np.abs(u - exact).max() < 1e-10 * np.abs(exact).max()
    (strain,) = nodal(mesh, solid, u, "strain")
    symmetric = gradient + gradient.T
    expected = [*np.diag(gradient), symmetric[1, 2], symmetric[0, 2], symmetric[0, 1]]
    np.testing.assert_allclose(strain, np.broadcast_to(expected, strain.shape), atol=1e-12)


def test_other_elements_take_no_notice(steel):
    X = np.array([fem.ELEMENTS["hex27"].nodes])
    one, other = fem.Solid(steel, reduced=True), fem.Solid(steel)
    assert np.array_equal(one.stiffness("hex27", X), other.stiffness("hex27", X))
    assert one.lame("hex27") == other.lame("hex27") == steel.lame
    assert one.lame("hex20") is None


def test_bending_of_trapezoidal_bricks_is_nearer_the_beam(steel):
    """MacNeal's and Harder's cantilever 6 x 0.2 x 0.1 (1985, fig. 3), two by two deep: F L^3 / 3 E I and its shear."""
    mesh = fem.box((6.0, 0.2, 0.1), (6, 2, 2), "hex20")
    x, y, _ = mesh.points.T
    slope = np.interp(x, np.arange(7.0), [0, 1, -1, 1, -1, 1, 0]) * (y - 0.1)
    points = mesh.points + np.column_stack([slope, 0 * x, 0 * x])
    found = []
    for reduced in (False, True):
        structure = fem.assemble(replace(mesh, points=points), fem.Solid(steel, reduced=reduced))
        solution = fem.static(structure, "x0", fem.Force("x1", (0, 1.0, 0)))
        found.append(solution.displacement[mesh.node_sets["x1"], 1].mean())
    inertia = 0.1 * 0.2**3 / 12
    exact = 6.0**3 / (3 * steel.E * inertia) + 1.2 * 6.0 / (steel.lame[1] * 0.02)
    full, reduced = np.array(found) / exact
    assert full < reduced < 1.01
    assert reduced > 0.98

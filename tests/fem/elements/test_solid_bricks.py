"""The linear brick with the mean of its volume strain: the matrix of Hughes, and that it doesn't lock."""

import numpy as np
import pytest
from support.fem_meshes import irregular, mapped

import fem


def hughes(X, C):
    """sum_q w det J Bbar' C Bbar, whose volume strain is the mean of tr B over the element (1980, eq. 10)."""
    g = 1 / np.sqrt(3)
    points = np.array([[a, b, c] for a in (-g, g) for b in (-g, g) for c in (-g, g)])
    B, weights = np.zeros((8, 6, 24)), np.zeros(8)
    for q, dN in enumerate(fem.ELEMENTS["hex8"].dN(points)):
        J = dN.T @ X
        weights[q] = np.linalg.det(J)
        for i, (x, y, z) in enumerate(np.linalg.solve(J, dN.T).T):
            rows = [[x, 0, 0], [0, y, 0], [0, 0, z], [0, z, y], [z, 0, x], [y, x, 0]]
            B[q, :, 3 * i : 3 * i + 3] = rows
    volume = B[:, :3].sum(axis=1)
    mean = weights @ volume / weights.sum()
    B[:, :3] += (mean - volume)[:, None] / 3
    return np.einsum("q,qai,ab,qbj->ij", weights, B, C, B)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.4999])
def test_the_stiffness_is_that_of_hughes(nu):
    mesh, material = irregular("hex8"), fem.Isotropic(2e11, nu, 1.0)
    X = mesh.points[mesh.blocks[0].nodes]
    found = fem.Solid(material, brick=fem.MeanDilatation()).stiffness("hex8", X)
    for K, corners in zip(found, X, strict=True):
        exact = hughes(corners, material.stiffness)
        # elimination cancels the bulk modulus over the shear modulus, 5000 with the last nu
        np.testing.assert_allclose(K, exact, rtol=0, atol=1e-14 / (1 - 2 * nu) * abs(exact).max())


def test_a_thick_cylinder_of_rubber_does_not_lock():
    """Lame, plane strain, inner pressure: the bricks of MacNeal and Harder (1985), 10 degrees each, nu = 0.4999."""
    E, nu, inner, outer = 1000.0, 0.4999, 3.0, 9.0
    radii = np.array([inner, 3.5, 4.2, 5.2, 6.75, outer])  # theirs

    def bend(x):
        r, phi = np.interp(x[:, 0], range(6), radii), x[:, 1]
        return np.column_stack([r * np.cos(phi), r * np.sin(phi), x[:, 2]])

    mesh = mapped(fem.box((5.0, np.pi / 2, 1.0), (5, 9, 1), "hex8"), bend)
    held = {"y0": ("y",), "y1": ("x",), "z0": ("z",), "z1": ("z",)}
    exact = (1 + nu) / E * inner**2 / (outer**2 - inner**2) * (outer**2 / inner + (1 - 2 * nu) * inner)
    reached = {}
    for brick in (fem.MeanDilatation(), fem.FullIntegration()):
        structure = fem.assemble(mesh, fem.Solid(fem.Isotropic(E, nu, 1.0), brick=brick))
        u = fem.static(structure, held, fem.Pressure("x0", 1.0)).u.reshape(-1, 3)
        reached[type(brick)] = np.hypot(*u[mesh.nodes_of("x0"), :2].T).mean() / exact
    assert reached[fem.MeanDilatation] == pytest.approx(1.0, abs=0.02)  # five bricks across
    assert reached[fem.FullIntegration] < 0.2

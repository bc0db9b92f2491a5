"""Koppens' plane beam element (1989, appendix C), entry by entry, and the spatial beam in its plane."""

import numpy as np
import pytest
from support.dense import mass_matrix

import fem
from fem.elements.beam.koppens import axial_stiffening, inertia_matrices, plane_beam

X0, X1, MASS, EA, EI = 0.7, 1.9, 3.0, 5e6, 40.0
L = X1 - X0
NAMES = ("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8")


def gauss(n=8):
    xi, w = np.polynomial.legendre.leggauss(n)
    return (1 + xi) / 2, w / 2


def shapes(xi, order=0):
    """(C.4), or derivatives by xi: (q, 6, 3)."""
    p = [np.polynomial.Polynomial(c) for c in ([1, -1], [0, 1])]
    axial = [f.deriv(order)(xi) if order else f(xi) for f in p]
    v = [
        np.polynomial.Polynomial(c) for c in ([1, 0, -3, 2], [0, L, -2 * L, L], [0, 0, 3, -2], [0, 0, -L, L])
    ]
    across = [f.deriv(order)(xi) if order else f(xi) for f in v]
    Phi = np.zeros((len(xi), 6, 3))
    Phi[:, 0, 0], Phi[:, 3, 0] = axial
    for row, values in zip((1, 2, 4, 5), across, strict=True):
        Phi[:, row, 1] = values
    return Phi


def by_definition():
    xi, w = gauss()
    Phi, dm, I = shapes(xi), MASS * w, np.eye(3)
    x = np.zeros((len(xi), 3))
    x[:, 0] = X0 + L * xi
    C4 = np.einsum("q,qna,qa,bc->nbc", dm, Phi, x, I) - np.einsum("q,qnb,qc->nbc", dm, Phi, x)
    C5 = np.einsum("q,qna,qma,bc->nmbc", dm, Phi, Phi, I) - np.einsum("q,qnb,qmc->nmbc", dm, Phi, Phi)
    return (
        dm @ x,
        np.einsum("q,qna->na", dm, Phi),
        np.einsum("q,qa,qa,bc->bc", dm, x, x, I) - np.einsum("q,qb,qc->bc", dm, x, x),
        C4,
        C5,
        np.einsum("q,qna->na", dm, np.cross(x[:, None], Phi)),
        np.einsum("q,qnma->nma", dm, np.cross(Phi[:, :, None], Phi[:, None])),
        np.einsum("q,qna,qma->nm", dm, Phi, Phi),
    )


def test_inertia_coefficients_are_their_definitions():
    # (C.5)-(C.12) with the matrices (C.13)-(C.17); rounding of sums of eight products
    printed = plane_beam(X0, X1, MASS, EA, EI)
    for name, value in zip(NAMES, by_definition(), strict=True):
        np.testing.assert_allclose(getattr(printed, name), value, atol=1e-14 * MASS, err_msg=name)


def test_matrices_of_products():
    xi, w = gauss()
    Phi, dm = shapes(xi), MASS * w
    along = np.stack([1 - xi, xi], axis=1)
    u, v = Phi[:, :, 0], Phi[:, :, 1]
    for found, (a, b) in zip(
        inertia_matrices(L, MASS), ((u, along), (v, along), (u, u), (v, v), (v, u)), strict=True
    ):
        np.testing.assert_allclose(found, np.einsum("q,qi,qj->ij", dm, a, b), atol=1e-14 * MASS)


def test_stiffness_is_the_strain_energy():
    # (C.18): EA/l int u_xi^2 + EI/l^3 int v_xixi^2
    xi, w = gauss()
    stretch, bend = shapes(xi, 1)[:, :, 0], shapes(xi, 2)[:, :, 1]
    K = EA / L * np.einsum("q,qi,qj->ij", w, stretch, stretch)
    K += EI / L**3 * np.einsum("q,qi,qj->ij", w, bend, bend)
    np.testing.assert_allclose(plane_beam(X0, X1, MASS, EA, EI).K, K, atol=1e-13 * EA / L)


def nonlinear(a):
    """U_nl - U_l of (C.21): EA/(2 l^2) int u_xi v_xi^2 dxi."""
    xi, w = gauss()
    slope = np.einsum("qia,...i->...qa", shapes(xi, 1), a)
    return EA / (2 * L**2) * np.einsum("q,...q,...q->...", w, slope[..., 0], slope[..., 1] ** 2)


def test_nonlinear_energy_and_its_geometric_stiffness():
    stiffening, random = axial_stiffening(L, EA), np.random.default_rng(2)
    a = random.standard_normal(6)
    K_G = stiffening.geometric(a)
    assert nonlinear(a) == pytest.approx(0.5 * a @ K_G @ a, rel=1e-13)  # (C.22)
    # (C.23) as printed, with F the product
    F = EA / L * (a[3] - a[0])
    np.testing.assert_allclose(K_G[1], F / (30 * L) * np.array([0, 36, 3 * L, 0, -36, 3 * L]))
    np.testing.assert_allclose(K_G[2], F / (30 * L) * np.array([0, 3 * L, 4 * L**2, 0, -3 * L, -(L**2)]))
    # third derivatives of a cubic energy by the polarisation identity, exact
    b, c = random.standard_normal((2, 6))
    signs = [(i, j, k) for i in (1, -1) for j in (1, -1) for k in (1, -1)]
    third = sum(i * j * k * nonlinear(i * a + j * b + k * c) for i, j, k in signs) / 8
    assert np.einsum("ijk,i,j,k", stiffening.cubic, a, b, c) == pytest.approx(third, rel=1e-12)


def spatial():
    """The spatial element with Koppens' data; rows of u, v, phi of both nodes in the plane x-y."""
    E = 200e9
    A = EA / E
    section = fem.Section(A=A, Iy=1e-9, Iz=EI / E, J=1e-9)
    material = fem.Isotropic(E=E, nu=0.3, rho=MASS / (A * L))
    beam = fem.Beam(material, section, shear=False, rotary=False)
    X = np.array([[[X0, 0, 0], [X1, 0, 0]]])
    return beam, X, np.array([0, 1, 5, 6, 7, 11])


def test_the_spatial_beam_in_its_plane():
    beam, X, rows = spatial()
    koppens, pick = plane_beam(X0, X1, MASS, EA, EI), np.ix_(rows, rows)
    np.testing.assert_allclose(beam.stiffness("line2", X)[0][pick], koppens.K, rtol=1e-13, atol=1e-13 * EA)
    M = mass_matrix(beam.samples("line2", X))[0][pick]
    np.testing.assert_allclose(M, koppens.C8, atol=1e-14 * MASS)
    a = np.random.default_rng(4).standard_normal(6) * 1e-3
    a[[1, 2, 4, 5]] = 0  # axial force only: that is what (C.23) knows
    u = np.zeros((1, 12))
    u[0, rows] = a
    K_G = axial_stiffening(L, EA).geometric(a)
    np.testing.assert_allclose(
        beam.geometric("line2", X, u)[0][pick], K_G, rtol=1e-13, atol=1e-13 * np.abs(K_G).max()
    )
